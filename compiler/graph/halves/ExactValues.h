// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the operators that keep f32 because of where their operands come from, or where their results go.
// Why:   f16 has no integer beyond 2,048 but some: an index or a position would be another one. And what a model computes of its inputs is read
//        in f32 anyway.
// How:   walks along the order of operators, and back.

#ifndef NACRE_COMPILER_GRAPH_HALVES_EXACTVALUES_H
#define NACRE_COMPILER_GRAPH_HALVES_EXACTVALUES_H

#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace nacre::graph {

/// Returns how wide the results of `op` are: like the network, if nothing else is known.
nn::Width getWidth(mlir::Operation &op);

/// Returns whether no result of `op` is large, whatever its operands are.
bool isBounded(mlir::Operation &op);

/// Returns whether the owner of `operand` reads there where, not what, or makes an index or a count of it.
bool isPosition(mlir::OpOperand &operand);

/// Adds the operators that compute of integers, and of constants, alone; and those that scale sums of products of integers,
/// which are far beyond f16 before they are.
void addOfIntegers(mlir::Block &body, llvm::DenseSet<mlir::Operation *> &wide);

/// Adds the operators of which positions are made, as far back as they move and combine elements.
void addPositions(mlir::Block &body, llvm::DenseSet<mlir::Operation *> &wide);

/// Returns the operators that compute of inputs of `function`, and of what its loops carry, alone, or of these and `ofIntegers`. What is only moved
/// for the network is narrow before it is moved. `blocks` are those of the function, outer ones first.
llvm::DenseSet<mlir::Operation *> findOfInputs(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Block *> blocks,
                                               const llvm::DenseSet<mlir::Operation *> &ofIntegers);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_HALVES_EXACTVALUES_H
