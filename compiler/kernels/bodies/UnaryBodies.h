// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the elementwise functions of one value, as scalars of a kernel.
// Why:   with its row in Functions.td it is all that a function is.
// How:   a row a function: its body on floats and on integers. What `math` has an operation for is left to the engines.

#ifndef NACRE_COMPILER_KERNELS_BODIES_UNARYBODIES_H
#define NACRE_COMPILER_KERNELS_BODIES_UNARYBODIES_H

#include "compiler/kernels/bodies/FloatBodies.h"

namespace nacre::kernels {

/// One of `x`, a float or an integer of a compute type, for which `kind` is defined.
mlir::Value emitUnary(Scalars scalars, nn::UnaryKind kind, mlir::Value x, double alpha, bool isUnsigned);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_UNARYBODIES_H
