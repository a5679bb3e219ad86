// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits elementwise functions of one value as scalars of a kernel. One row in UnaryBodies.cpp and one row in
// Functions.td define a function. The row in UnaryBodies.cpp has a body for floats and a body for integers. Functions
// that have an operation in `math` are left to the engines.

#ifndef NACRE_COMPILER_KERNELS_BODIES_UNARYBODIES_H
#define NACRE_COMPILER_KERNELS_BODIES_UNARYBODIES_H

#include "compiler/kernels/bodies/FloatBodies.h"

namespace nacre::kernels {

/// Emits the function `kind` of `x`, a float or an integer in a compute type for which `kind` is defined.
mlir::Value emitUnary(Scalars scalars, nn::UnaryKind kind, mlir::Value x, double alpha, bool isUnsigned);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_UNARYBODIES_H
