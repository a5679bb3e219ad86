// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds operators of a training step that keep f32 when a network is narrowed. A weight changes by less than f16 can
// represent. Losses and statistics are sums over a batch. Gradients of a loss are too small for f16 or, multiplied by
// the loss scale, too large. Activations, their gradients and operands of products are most of the memory, and are
// accurate enough in f16.
//
// The purpose of an operator follows from its place in the graph. The walks begin at the new values of variables and at
// the loss.

#ifndef NACRE_COMPILER_GRAPH_HALVES_TRAINEDVALUES_H
#define NACRE_COMPILER_GRAPH_HALVES_TRAINEDVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::graph {

/// Returns the operators that keep f32 because `function` trains weights or computes their loss; none for other
/// functions.
llvm::DenseSet<mlir::Operation *> findTrainedValues(mlir::func::FuncOp function);

/// True if `function` is a step that changes weights, or computes their loss.
bool isTrainingStep(mlir::func::FuncOp function);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_HALVES_TRAINEDVALUES_H
