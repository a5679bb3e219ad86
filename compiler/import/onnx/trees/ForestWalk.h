// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates all trees of a forest for all rows together.
//
// Finds the leaf that each row reaches in each tree, and combines the weights of leaves. Rows and trees are
// independent. Kernels are fast for tables of numbers, but not for pointers, so the nodes are tables. Each step gathers
// the feature, split value and branches of the current node of each row. The number of steps is the depth of the
// forest. Rows that have reached a leaf stay there.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TREES_FORESTWALK_H
#define NACRE_COMPILER_IMPORT_ONNX_TREES_FORESTWALK_H

#include "compiler/import/onnx/trees/Forest.h"

namespace nacre::importer::onnx_format::trees {

/// Returns the leaves that `rows` [N, features] reach, as i32 [N, trees]. Null after an error.
mlir::Value findLeaves(NnBuilder &nn, const Forest &forest, mlir::Value rows);

/// Function that combines the weights of the trees.
enum class Aggregate { Sum, Average, Min, Max };

/// Combines the weights of `leaves` for each target. The result is [N, targets] of the element type `type`. It is 0 for
/// a target for which no leaf of the row has a weight.
mlir::Value aggregate(NnBuilder &nn, const Forest &forest, mlir::Value leaves, int64_t targets, Aggregate how,
                      mlir::Type type);

/// Returns true for each target for which any leaf of the row has a weight: i1 [N, targets].
mlir::Value findScored(NnBuilder &nn, const Forest &forest, mlir::Value leaves, int64_t targets);

} // namespace nacre::importer::onnx_format::trees

#endif // NACRE_COMPILER_IMPORT_ONNX_TREES_FORESTWALK_H
