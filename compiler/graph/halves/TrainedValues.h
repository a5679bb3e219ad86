// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the operators of a training step that keep f32 where a network is narrowed.
// Why:   a weight changes by less than f16 can add to it; losses and statistics are sums over a batch; and the gradients of a loss are
//        too small or, multiplied by its scale, too large for f16. Activations, their gradients and the operands of products are
//        most of the memory, and do well with f16.
// How:   no operator says what it is for; its place in the graph does. Walks begin at what variables become and at the loss.

#ifndef NACRE_COMPILER_GRAPH_HALVES_TRAINEDVALUES_H
#define NACRE_COMPILER_GRAPH_HALVES_TRAINEDVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::graph {

/// Returns the operators of `function` that keep f32 because it trains weights or computes their loss; none of other functions.
llvm::DenseSet<mlir::Operation *> findTrainedValues(mlir::func::FuncOp function);

/// Returns whether `function` is a step that changes weights, or computes a loss of them.
bool isTrainingStep(mlir::func::FuncOp function);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_HALVES_TRAINEDVALUES_H
