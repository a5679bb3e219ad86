// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives bounds of the elements of a float tensor from its operators. A cast from a float to an integer clamps the
// value, and returns 0 for NaN. A requantized sum is already clamped and never NaN. Without bounds, the checks would be
// a third of the instructions after an 8-bit product on NEON.
//
// Bounds begin at constants and integers, and pass through the operators that quantized models contain.

#ifndef NACRE_COMPILER_KERNELS_BODIES_FLOATRANGE_H
#define NACRE_COMPILER_KERNELS_BODIES_FLOATRANGE_H

#include "mlir/IR/Value.h"
#include <optional>

namespace nacre::kernels {

/// Bounds of values that are finite and not NaN.
struct FloatRange {
  double least = 0, greatest = 0;
};

/// Returns the range of an f32 tensor of the model, or `nullopt` if an element may be NaN, infinite or near the largest
/// float.
std::optional<FloatRange> readFloatRange(mlir::Value tensor);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_FLOATRANGE_H
