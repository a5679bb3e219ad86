// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables that are computed when the model is compiled, so that kernels need no arithmetic of positions: the source
// index of each element of a padded axis, and the number of cells that each average counts.

#ifndef NACRE_COMPILER_KERNELS_BODIES_AXISTABLES_H
#define NACRE_COMPILER_KERNELS_BODIES_AXISTABLES_H

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Returns the source index for each position of an axis that is padded by repeating its elements. Negative amounts
/// crop the axis.
llvm::SmallVector<int32_t, 0> makePadTable(int64_t input, int64_t low, int64_t high, nn::PadMode mode);

/// Returns the number of cells of an axis of `size` cells that the window of each output covers. The first window
/// begins `low` cells before the axis.
llvm::SmallVector<double> countWindowCells(int64_t outputs, int64_t size, int64_t low, int64_t window, int64_t stride,
                                           int64_t dilation);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_AXISTABLES_H
