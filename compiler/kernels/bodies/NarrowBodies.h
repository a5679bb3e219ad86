// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of narrow floats to and from their codes, and of elements to and from their bits, as scalar `arith`
// operations. CPUs and GPUs are not required to have narrow types; integers and f32 work everywhere, in vectors, too.
//
// The formats are those of dialects/nn/NarrowTypes.h, computed on the bits of an f32. A code is the low bits of an i8.

#ifndef NACRE_COMPILER_KERNELS_BODIES_NARROWBODIES_H
#define NACRE_COMPILER_KERNELS_BODIES_NARROWBODIES_H

#include "compiler/kernels/bodies/FloatBodies.h"

namespace nacre::kernels {

/// Rounding and overflow of a cast to a narrow float (nn.cast).
struct CastRules {
  bool overflows = false;
  nn::ScaleRounding rounding = nn::ScaleRounding::Up;
};

/// Emits the f32 number that a code of the narrow float `type` stands for.
mlir::Value emitDecode(Scalars s, mlir::Value code, mlir::Type type);

/// Emits the code of the f32 `x`.
mlir::Value emitEncode(Scalars s, mlir::Value x, mlir::Type type, CastRules rules);

/// Emits the byte of an element of a packed type from the low bits of an i32. Its unused bits repeat the sign if the
/// type is signed, else they are 0.
mlir::Value emitNarrowInteger(Scalars s, mlir::Value integer, mlir::Type type);

/// Convert between a stored element and its bits, which are the low bits of an integer.
mlir::Value emitBits(Scalars s, mlir::Value stored, mlir::Type elementType);
mlir::Value emitElement(Scalars s, mlir::Value bits, mlir::Type elementType);

/// Emits an integer of another width; new bits are 0.
mlir::Value resize(Scalars s, mlir::Value bits, unsigned width);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_NARROWBODIES_H
