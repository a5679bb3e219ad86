// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  products with fixed-point numbers, as scalars of a kernel.
// Why:   dialects/nn/FixedPoint.h defines them by divisions and branches; these give the same bits by shifts alone.
// How:   products in i64, halves added before they are shifted out.

#ifndef NACRE_COMPILER_KERNELS_BODIES_FIXEDPOINTBODIES_H
#define NACRE_COMPILER_KERNELS_BODIES_FIXEDPOINTBODIES_H

#include "compiler/kernels/bodies/FloatBodies.h"

namespace nacre::kernels {

/// `x`, of i32 or i64, times multiplier / 2^31 * 2^shift, all i32, as nn.requantize rounds it.
mlir::Value emitRequantize(Scalars scalars, nn::FixedPointRounding rounding, mlir::Value x, mlir::Value multiplier,
                           mlir::Value shift);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_FIXEDPOINTBODIES_H
