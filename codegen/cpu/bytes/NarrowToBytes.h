// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  narrows vectors of i32 to vectors of bytes, with saturation.
// Why:   every instruction set has instructions for saturation. LLVM recognizes comparisons as saturation only in some
//        surroundings.
// How:   AVX-512 narrows a register in one instruction. SSE and AVX2 pack two registers into one, separately in each
//        part of 128 bits, so that a shuffle must restore the order. NEON narrows each register to half its size.

#ifndef NACRE_CODEGEN_CPU_BYTES_NARROWTOBYTES_H
#define NACRE_CODEGEN_CPU_BYTES_NARROWTOBYTES_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// True if i32 is first narrowed to i16. A zero point is then added to the i16, which takes fewer instructions.
bool narrowsByShorts(const Target &target);

/// Zero point: a constant, or a scalar i16 that is only known at run time.
struct ZeroPoint {
  int64_t number = 0;
  mlir::Value value; ///< Zero point at run time; null if it is the constant `number`

  bool isNone() const { return !value && number == 0; }
};

/// Returns x + zero, saturated to a signed or unsigned byte. `x` is a scalar or a vector of i32. The sum may exceed the
/// range of i32 if narrowsByShorts() holds. Otherwise, `zero.isNone()` must hold.
mlir::Value narrowToBytes(VectorBuilder &build, mlir::Value x, const ZeroPoint &zero, bool isUnsigned);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_BYTES_NARROWTOBYTES_H
