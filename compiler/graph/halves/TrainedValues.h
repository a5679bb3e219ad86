// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds operators of a training step that keep f32 when a network is narrowed. f16 cannot represent the small changes
// of weights. Losses and statistics are sums over a batch. Gradients of a loss are too small for f16, or too large
// after the multiplication by the loss scale. Activations, their gradients and operands of products take most of the
// memory, and are accurate enough in f16.
//
// The purpose of an operator follows from its position in the graph. The search begins at the new values of variables
// and at the loss.

#ifndef NACRE_COMPILER_GRAPH_HALVES_TRAINEDVALUES_H
#define NACRE_COMPILER_GRAPH_HALVES_TRAINEDVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::graph {

/// Returns the operators that keep f32 because `function` trains weights or computes their loss. Returns no operators
/// for other functions.
llvm::DenseSet<mlir::Operation *> findTrainedValues(mlir::func::FuncOp function);

/// True if `function` is a step that changes weights or computes their loss.
bool isTrainingStep(mlir::func::FuncOp function);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_HALVES_TRAINEDVALUES_H
