// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of the elements of a float tensor, as far as its operators show them. A cast to an integer clamps, and gives 0
// for NaN. A requantized sum is already clamped and never NaN. Checks for the other cases would be a third of the
// instructions after an 8-bit product on NEON.
//
// Bounds begin at constants and integers and pass through the operators that quantized models have.

#ifndef NACRE_COMPILER_KERNELS_BODIES_FLOATRANGE_H
#define NACRE_COMPILER_KERNELS_BODIES_FLOATRANGE_H

#include "mlir/IR/Value.h"
#include <optional>

namespace nacre::kernels {

/// Bounds of numbers that are finite and not NaN.
struct FloatRange {
  double least = 0, greatest = 0;
};

/// Returns the range of an f32 tensor of the model; `nullopt` if an element may be NaN, infinite or near the largest
/// float.
std::optional<FloatRange> readFloatRange(mlir::Value tensor);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_FLOATRANGE_H
