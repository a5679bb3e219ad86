// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits products with fixed-point values as scalars of a kernel. dialects/nn/FixedPoint.h defines them by divisions and
// branches. These bodies compute the same bits only by shifts.
//
// Products are i64, and one half is added before a right shift. If the ranges of the values are known, some operations
// are omitted. Steps for which machines have instructions are operations of `plan` (dialects/plan/ScalarOps.h).

#ifndef NACRE_COMPILER_KERNELS_BODIES_FIXEDPOINTBODIES_H
#define NACRE_COMPILER_KERNELS_BODIES_FIXEDPOINTBODIES_H

#include "compiler/kernels/bodies/FloatBodies.h"

namespace nacre::kernels {

/// Ranges of fixed-point multipliers and shifts that are known when a kernel is compiled.
struct FixedPointRange {
  int32_t leastMultiplier = INT32_MIN, greatestMultiplier = INT32_MAX;
  int32_t leastShift = INT32_MIN, greatestShift = INT32_MAX;
};

/// Returns the ranges of the multiplier and of the shift of `op`. A range that is not known is the full one.
FixedPointRange readFixedPointRange(nn::RequantizeOp op);

/// Emits `x` * `multiplier` / 2^31 * 2^`shift`, rounded as nn.requantize defines it. `x` is an i32 or i64, both others
/// are i32.
mlir::Value emitRequantize(Scalars scalars, nn::FixedPointRounding rounding, mlir::Value x, mlir::Value multiplier,
                           mlir::Value shift, const FixedPointRange &range = {});

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_FIXEDPOINTBODIES_H
