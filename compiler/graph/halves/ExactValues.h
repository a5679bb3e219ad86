// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds operators that keep f32 because of the sources of their operands, or the uses of their results. f16 cannot
// represent all integers above 2,048, so an index or a position would change. Operators on the model's inputs read f32
// anyway. The functions visit operators in order, or in reverse.

#ifndef NACRE_COMPILER_GRAPH_HALVES_EXACTVALUES_H
#define NACRE_COMPILER_GRAPH_HALVES_EXACTVALUES_H

#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::graph {

/// Returns the width of the results of `op`. Unknown operators have the width of the network.
nn::Width getWidth(mlir::Operation &op);

/// True if no result of `op` can be large, for any operands.
bool isBounded(mlir::Operation &op);

/// True if the owner of `operand` uses it as a position, or computes an index or a count from it.
bool isPosition(mlir::OpOperand &operand);

/// Adds operators that depend only on integers and constants to `wide`. Also adds operators that scale sums of products
/// of integers, because these sums are too large for f16 before they are scaled.
void addOfIntegers(mlir::Block &body, llvm::DenseSet<mlir::Operation *> &wide);

/// Adds operators from which positions are computed to `wide`, as far back as they only move and combine elements.
void addPositions(mlir::Block &body, llvm::DenseSet<mlir::Operation *> &wide);

/// Returns operators that depend only on inputs of `function`, on values that its loops carry, and on `ofIntegers`.
/// Excluded are values that are only moved before the network reads them, because they become narrow before the
/// movement. `blocks` are the blocks of the function, outer ones first.
llvm::DenseSet<mlir::Operation *> findOfInputs(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Block *> blocks,
                                               const llvm::DenseSet<mlir::Operation *> &ofIntegers);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_HALVES_EXACTVALUES_H
