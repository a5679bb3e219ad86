// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits conversions of narrow floats to and from their codes, and of elements to and from their bits, as scalar `arith`
// operations. Not every CPU or GPU supports narrow types. Integers and f32 work everywhere, also in vectors.
//
// The formats are defined in dialects/nn/NarrowTypes.h and computed on the bits of an f32. A code is the low bits of an
// i8.

#ifndef NACRE_COMPILER_KERNELS_BODIES_NARROWBODIES_H
#define NACRE_COMPILER_KERNELS_BODIES_NARROWBODIES_H

#include "compiler/kernels/bodies/FloatBodies.h"

namespace nacre::kernels {

/// Rounding and overflow of a cast to a narrow float (nn.cast).
struct CastRules {
  bool overflows = false;
  nn::ScaleRounding rounding = nn::ScaleRounding::Up;
};

/// Emits the f32 value of a code of the narrow float type `type`.
mlir::Value emitDecode(Scalars s, mlir::Value code, mlir::Type type);

/// Emits the code of `x`, an f32.
mlir::Value emitEncode(Scalars s, mlir::Value x, mlir::Type type, CastRules rules);

/// Emits the byte that stores an element of a packed type, from the low bits of `integer`, an i32 value. The unused
/// bits of the byte repeat the sign if the type is signed. Otherwise, they are 0.
mlir::Value emitNarrowInteger(Scalars s, mlir::Value integer, mlir::Type type);

/// Converts a stored element to its bits (the low bits of an integer) or back.
mlir::Value emitBits(Scalars s, mlir::Value stored, mlir::Type elementType);
mlir::Value emitElement(Scalars s, mlir::Value bits, mlir::Type elementType);

/// Emits `bits` with `width` bits. New bits are 0.
mlir::Value resize(Scalars s, mlir::Value bits, unsigned width);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_NARROWBODIES_H
