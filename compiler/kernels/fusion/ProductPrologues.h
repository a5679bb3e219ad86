// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which products compute their left operand in their own kernel, and from which operators. On a GPU, a separate
// launch that scales or normalizes rows costs more than repeating this work for every tile of columns.

#ifndef NACRE_COMPILER_KERNELS_FUSION_PRODUCTPROLOGUES_H
#define NACRE_COMPILER_KERNELS_FUSION_PRODUCTPROLOGUES_H

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// True if `op`, a product or a 1x1 convolution of floats, may compute its left operand. The number of elements of this
/// operand, multiplied by the number of column tiles that repeat them, must be small.
bool canMakeLeft(mlir::Operation *op);

/// True if a prologue may contain `op`: all its operands and results are floats.
bool canBeInPrologue(mlir::Operation *op);

/// True if `op` normalizes rows along their last axis.
bool normalizesRows(mlir::Operation *op);

/// Moves reshapes and views that stand between a product on the GPU and the operators that compute its left operand.
/// Reshapes that keep the last axis move before operators on rows. Views move to just before their first reader.
void prepareLefts(mlir::Block &block);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_PRODUCTPROLOGUES_H
