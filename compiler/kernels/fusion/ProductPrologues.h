// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which products make their left operand in their own kernel, and of what.
// Why:   a launch that scales, or normalizes rows, costs a GPU more than doing so again for every tile of columns.

#ifndef NACRE_COMPILER_KERNELS_FUSION_PRODUCTPROLOGUES_H
#define NACRE_COMPILER_KERNELS_FUSION_PRODUCTPROLOGUES_H

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Whether `op` is a product, or a convolution of single pixels, of floats, that makes each element of its left operand few times
/// enough.
bool canMakeLeft(mlir::Operation *op);

/// Whether `op` may be a part of what a left operand is made by: elementwise, of floats alone.
bool canBeInPrologue(mlir::Operation *op);

/// Whether `op` normalizes rows along their last axis.
bool normalizesRows(mlir::Operation *op);

/// Moves what stands between a product that the GPU computes and the operators that make its left operand: reshapes that keep the
/// last axis come before what is done to each row, and views right before the operators that read them.
void prepareLefts(mlir::Block &block);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_PRODUCTPROLOGUES_H
