// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  products with fixed-point numbers, as scalars of a kernel.
// Why:   dialects/nn/FixedPoint.h defines them by divisions and branches; these give the same bits by shifts alone.
// How:   products in i64, halves added before they are shifted out. What is known of the numbers leaves operations out; emitters
//        know the rest by its form (codegen/cpu/BodyChains.h).

#ifndef NACRE_COMPILER_KERNELS_BODIES_FIXEDPOINTBODIES_H
#define NACRE_COMPILER_KERNELS_BODIES_FIXEDPOINTBODIES_H

#include "compiler/kernels/bodies/FloatBodies.h"

namespace nacre::kernels {

/// What is known of fixed-point numbers when a kernel is compiled.
struct FixedPointRange {
  int32_t leastMultiplier = INT32_MIN, greatestMultiplier = INT32_MAX;
  int32_t leastShift = INT32_MIN, greatestShift = INT32_MAX;
};

/// Reads the range of `op`'s multiplier and shift, if they are constants.
FixedPointRange readFixedPointRange(nn::RequantizeOp op);

/// `x`, of i32 or i64, times multiplier / 2^31 * 2^shift, all i32, as nn.requantize rounds it.
mlir::Value emitRequantize(Scalars scalars, nn::FixedPointRounding rounding, mlir::Value x, mlir::Value multiplier,
                           mlir::Value shift, const FixedPointRange &range = {});

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_FIXEDPOINTBODIES_H
