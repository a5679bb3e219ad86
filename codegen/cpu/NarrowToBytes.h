// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  narrows vectors of i32 to vectors of bytes, with saturation.
// Why:   every instruction set has instructions for it. LLVM's code for comparisons depends on the code around them.
// How:   AVX-512 narrows at once. SSE and AVX2 pack two registers into one, within each 128 bits, and the bytes are put
//        in order at the end. NEON narrows halves.

#ifndef NACRE_CODEGEN_CPU_NARROWTOBYTES_H
#define NACRE_CODEGEN_CPU_NARROWTOBYTES_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// True if i32 is narrowed by way of i16, in which adding a zero point costs less.
bool narrowsByShorts(const Target &target);

/// A zero point: a constant, or a scalar i16 that is known at run time.
struct ZeroPoint {
  int64_t number = 0;
  mlir::Value value; ///< Null for a constant

  bool isNone() const { return !value && number == 0; }
};

/// Returns x + zero, saturated to a signed or unsigned byte. `x` is a scalar or a vector of i32. If narrowsByShorts,
/// the sum may leave the range of i32; else `zero` must be none.
mlir::Value narrowToBytes(VectorBuilder &build, mlir::Value x, const ZeroPoint &zero, bool isUnsigned);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_NARROWTOBYTES_H
