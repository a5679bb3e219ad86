// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the kernels of a GPU around maxima of windows, in a training step.
// Why:   windows are computed once for maxima and codes, and the gradient of a pool's input is written as the image that convolutions
//        read, so that its border needs no copy.

#ifndef NACRE_COMPILER_KERNELS_FUSION_MAXIMUMPOOLS_H
#define NACRE_COMPILER_KERNELS_FUSION_MAXIMUMPOOLS_H

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Moves codes of maxima, and the elementwise operators that follow them, to right after the maxima, if the GPU computes both.
void prepareCodes(mlir::Block &block);

/// Returns the pool with the windows of `op`, if a kernel of the GPU may compute both, or null.
nn::PoolOp getPoolOf(nn::PoolCodeOp op);

/// Returns the operator whose kernel on the GPU writes `op`, a reshape that makes an image of its steps, or null.
nn::UnpoolOp getUnpooled(mlir::Operation *op);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_MAXIMUMPOOLS_H
