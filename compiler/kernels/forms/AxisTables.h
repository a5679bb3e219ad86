// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which elements of an axis each output index of a resize or a pad reads, and how they are weighted; how many an
//        average counts.
// Why:   the arithmetic of coordinates is done once, in double precision, when the model is compiled; kernels read
//        tables.
// How:   an output element is `low * (1 - weight) + high * weight`, or one element where there is no interpolation.

#ifndef NACRE_COMPILER_KERNELS_FORMS_AXISTABLES_H
#define NACRE_COMPILER_KERNELS_FORMS_AXISTABLES_H

#include "dialects/nn/NnDialect.h"

namespace nacre::kernels {

struct AxisTable {
  llvm::SmallVector<int32_t> low;
  llvm::SmallVector<int32_t> high;  ///< Empty without interpolation.
  llvm::SmallVector<float> weights; ///< Of `high`.
};

/// Axis `input` long resampled to `output` elements; `scale` is output / input as the model states it.
AxisTable makeNearestTable(int64_t input, int64_t output, double scale, nn::Coordinates coordinates,
                           nn::Rounding rounding);
AxisTable makeLinearTable(int64_t input, int64_t output, double scale, nn::Coordinates coordinates);

/// Padding (or cropping, where negative) that repeats elements of the axis.
AxisTable makePadTable(int64_t input, int64_t low, int64_t high, nn::PadMode mode);

/// How many cells of an axis of `size` cells the window of each output covers; the first window begins `low` cells
/// before the axis.
llvm::SmallVector<double> countWindowCells(int64_t outputs, int64_t size, int64_t low, int64_t window, int64_t stride,
                                           int64_t dilation);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FORMS_AXISTABLES_H
