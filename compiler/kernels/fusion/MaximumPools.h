// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares the operators around max pools in a training step for the GPU. One kernel then computes maxima and codes in
// one pass over the windows. The kernel of a pool's gradient writes the padded image that convolutions read, so the
// border needs no copy.

#ifndef NACRE_COMPILER_KERNELS_FUSION_MAXIMUMPOOLS_H
#define NACRE_COMPILER_KERNELS_FUSION_MAXIMUMPOOLS_H

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Moves codes of maxima, and elementwise operators that follow them, to just after the maxima, if the GPU computes
/// both.
void prepareCodes(mlir::Block &block);

/// Returns the max pool with the same input and windows as `op`, or null. One GPU kernel may then compute both.
nn::PoolOp getPoolOf(nn::PoolCodeOp op);

/// Returns the unpool whose result `op` reshapes to an image, or null. The GPU kernel of the unpool may write this
/// image.
nn::UnpoolOp getUnpooled(mlir::Operation *op);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_MAXIMUMPOOLS_H
