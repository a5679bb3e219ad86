// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  between which numbers the elements of a float tensor are, as far as its operators show.
// Why:   a cast to an integer clamps, and gives 0 for NaN. A requantized sum is clamped already and is a number: instructions for
//        the rest are a third of what follows an 8-bit product on NEON.
// How:   from constants and integers on, through the operators that quantized models have.

#ifndef NACRE_COMPILER_KERNELS_BODIES_FLOATRANGE_H
#define NACRE_COMPILER_KERNELS_BODIES_FLOATRANGE_H

#include "mlir/IR/Value.h"
#include <optional>

namespace nacre::kernels {

/// Bounds of numbers: finite, and none is NaN.
struct FloatRange {
  double least = 0, greatest = 0;
};

/// Reads the range of an f32 tensor of the model. None where an element may be NaN, infinite or near the largest float.
std::optional<FloatRange> readFloatRange(mlir::Value tensor);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_FLOATRANGE_H
