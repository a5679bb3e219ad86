// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  narrow floats from their codes and to them, and elements as bits, as scalar `arith` operations.
// Why:   no engine that we ask for has narrow types; integers and f32 do it everywhere, in vectors too.
// How:   as dialects/nn/NarrowTypes.h defines it, on the bits of an f32. A code is the low bits of an i8.

#ifndef NACRE_COMPILER_KERNELS_BODIES_NARROWBODIES_H
#define NACRE_COMPILER_KERNELS_BODIES_NARROWBODIES_H

#include "compiler/kernels/bodies/FloatBodies.h"

namespace nacre::kernels {

/// How a cast ends, where its target is a narrow float (nn.cast).
struct CastRules {
  bool overflows = false;
  nn::ScaleRounding rounding = nn::ScaleRounding::Up;
};

/// The number, an f32, that a code of the narrow float `type` stands for.
mlir::Value emitDecode(Scalars s, mlir::Value code, mlir::Type type);

/// The code that the f32 `x` becomes.
mlir::Value emitEncode(Scalars s, mlir::Value x, mlir::Type type, CastRules rules);

/// The low bits of an i32 as the byte that an element of a packed type has: integers fill it with their sign.
mlir::Value emitNarrowInteger(Scalars s, mlir::Value integer, mlir::Type type);

/// The bits of a stored element, which are the low ones of an integer, and the element that bits are.
mlir::Value emitBits(Scalars s, mlir::Value stored, mlir::Type elementType);
mlir::Value emitElement(Scalars s, mlir::Value bits, mlir::Type elementType);

/// An integer in another width; new bits are 0.
mlir::Value resize(Scalars s, mlir::Value bits, unsigned width);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_NARROWBODIES_H
