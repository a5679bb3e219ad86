// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All trees of a forest for all rows at once.
//
// What: the leaf that each row reaches in each tree, and what the leaves' weights come to.
// Why:  rows and trees are independent, and kernels are made for tables of numbers, not for pointers.
// How:  the nodes are tables. A step gathers the feature, the split and the branches of the nodes that all rows have reached,
//       and a forest takes as many steps as it is deep: who has reached a leaf stays there.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TREES_FORESTWALK_H
#define NACRE_COMPILER_IMPORT_ONNX_TREES_FORESTWALK_H

#include "compiler/import/onnx/trees/Forest.h"

namespace nacre::importer::onnx_format::trees {

/// The leaves of `rows` [N, features]: [N, trees], as i32. Null after an error.
mlir::Value findLeaves(NnBuilder &nn, const Forest &forest, mlir::Value rows);

/// What the trees' weights come to.
enum class Aggregate { Sum, Average, Min, Max };

/// Of `leaves`, for each target: [N, targets], of the element type `type`. Targets without a weight in any leaf that a row has
/// reached are 0.
mlir::Value aggregate(NnBuilder &nn, const Forest &forest, mlir::Value leaves, int64_t targets, Aggregate how,
                      mlir::Type type);

/// Whether a row has reached a leaf with a weight for each target: [N, targets] of i1.
mlir::Value findScored(NnBuilder &nn, const Forest &forest, mlir::Value leaves, int64_t targets);

} // namespace nacre::importer::onnx_format::trees

#endif // NACRE_COMPILER_IMPORT_ONNX_TREES_FORESTWALK_H
