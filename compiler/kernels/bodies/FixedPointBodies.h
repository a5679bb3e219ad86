// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with fixed-point numbers, as scalars of a kernel. dialects/nn/FixedPoint.h defines them by divisions and
// branches; these bodies compute the same bits by shifts only.
//
// Products are i64, and one half is added before a right shift. Known ranges of the numbers make some operations
// unnecessary. Emitters recognize the remaining ones by their form (codegen/cpu/BodyChains.h).

#ifndef NACRE_COMPILER_KERNELS_BODIES_FIXEDPOINTBODIES_H
#define NACRE_COMPILER_KERNELS_BODIES_FIXEDPOINTBODIES_H

#include "compiler/kernels/bodies/FloatBodies.h"

namespace nacre::kernels {

/// Ranges of fixed-point numbers that are known when a kernel is compiled.
struct FixedPointRange {
  int32_t leastMultiplier = INT32_MIN, greatestMultiplier = INT32_MAX;
  int32_t leastShift = INT32_MIN, greatestShift = INT32_MAX;
};

/// Returns the range of the multiplier and of the shift of `op`, if they are constants.
FixedPointRange readFixedPointRange(nn::RequantizeOp op);

/// Emits `x`, an i32 or i64, times multiplier / 2^31 * 2^shift, both i32, rounded as nn.requantize defines it.
mlir::Value emitRequantize(Scalars scalars, nn::FixedPointRounding rounding, mlir::Value x, mlir::Value multiplier,
                           mlir::Value shift, const FixedPointRange &range = {});

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_FIXEDPOINTBODIES_H
