// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds groups of operators that compute rows one after another, with wide tensors between them. A group is a kernel
// (OperatorGroups.h): its prologue, its anchor and its epilogue. Element types don't matter, only sizes in bytes.

#ifndef NACRE_COMPILER_KERNELS_CPU_ROWCHAINS_H
#define NACRE_COMPILER_KERNELS_CPU_ROWCHAINS_H

#include "compiler/kernels/cpu/RowBlocks.h"
#include "dialects/nn/NnDialect.h"

#include "llvm/ADT/SetVector.h"

namespace nacre::kernels {

/// Returns the number of rows of a tensor. Its last axis has the columns.
int64_t countRows(mlir::Value tensor);

/// True if row i of the result of the operand's owner needs only row i of the operand. Otherwise it may need all rows.
bool readsRows(mlir::OpOperand &operand);

/// Operators of consecutive groups. Each computes row i of its result from rows i of its operands.
struct RowOperators {
  llvm::SetVector<mlir::Operation *> operators; ///< Operators in order.
  mlir::Value result;                           ///< The only value that others read.
  RowChain sizes;
};

/// Returns the chains of those groups of `block` whose operators `isGiven` accepts. Each chain begins and ends at
/// tensors that are narrower than those in between. No two chains share an operator.
llvm::SmallVector<RowOperators> findRowChains(mlir::Block &block, llvm::function_ref<bool(mlir::Operation *)> isGiven);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_CPU_ROWCHAINS_H
