// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise functions of one value, as scalars of a kernel. A function is defined by its row in UnaryBodies.cpp and
// its row in Functions.td. A row has a body for floats and a body for integers. Functions that have an operation in
// `math` are left to the engines.

#ifndef NACRE_COMPILER_KERNELS_BODIES_UNARYBODIES_H
#define NACRE_COMPILER_KERNELS_BODIES_UNARYBODIES_H

#include "compiler/kernels/bodies/FloatBodies.h"

namespace nacre::kernels {

/// Emits `kind` of `x`, a float or an integer of a compute type that `kind` is defined for.
mlir::Value emitUnary(Scalars scalars, nn::UnaryKind kind, mlir::Value x, double alpha, bool isUnsigned);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_UNARYBODIES_H
