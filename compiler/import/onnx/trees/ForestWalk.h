// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates all trees of a forest for all rows at once.
//
// Returns the leaf that each row reaches in each tree, and combines the weights of leaves. Rows and trees are
// independent, and kernels are best at tables of numbers, not at pointers. The nodes are tables. A step gathers
// feature, split and branches of the current node of each row. The number of steps is the depth of the forest; rows
// that have reached a leaf stay there.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TREES_FORESTWALK_H
#define NACRE_COMPILER_IMPORT_ONNX_TREES_FORESTWALK_H

#include "compiler/import/onnx/trees/Forest.h"

namespace nacre::importer::onnx_format::trees {

/// Returns the leaves of `rows` [N, features] as i32 [N, trees]. Null after an error.
mlir::Value findLeaves(NnBuilder &nn, const Forest &forest, mlir::Value rows);

/// Function that combines the weights of the trees.
enum class Aggregate { Sum, Average, Min, Max };

/// Combines the weights of `leaves` for each target: [N, targets] of the element type `type`. A target without a weight
/// in any of a row's leaves is 0.
mlir::Value aggregate(NnBuilder &nn, const Forest &forest, mlir::Value leaves, int64_t targets, Aggregate how,
                      mlir::Type type);

/// Returns whether any leaf of a row has a weight for each target: i1 [N, targets].
mlir::Value findScored(NnBuilder &nn, const Forest &forest, mlir::Value leaves, int64_t targets);

} // namespace nacre::importer::onnx_format::trees

#endif // NACRE_COMPILER_IMPORT_ONNX_TREES_FORESTWALK_H
