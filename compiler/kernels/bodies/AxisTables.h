// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which elements of an axis a padded one reads; how many cells of it an average counts.
// Why:   the arithmetic of positions is done once, when the model is compiled; kernels read tables.

#ifndef NACRE_COMPILER_KERNELS_BODIES_AXISTABLES_H
#define NACRE_COMPILER_KERNELS_BODIES_AXISTABLES_H

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

/// Padding (or cropping, where negative) that repeats elements of the axis: the element at each position.
llvm::SmallVector<int32_t, 0> makePadTable(int64_t input, int64_t low, int64_t high, nn::PadMode mode);

/// How many cells of an axis of `size` cells the window of each output covers; the first window begins `low` cells
/// before the axis.
llvm::SmallVector<double> countWindowCells(int64_t outputs, int64_t size, int64_t low, int64_t window, int64_t stride,
                                           int64_t dilation);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_AXISTABLES_H
