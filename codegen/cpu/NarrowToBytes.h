// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  vectors of i32 to vectors of bytes, saturated.
// Why:   every instruction set has instructions for it; what LLVM makes of comparisons depends on what else it merges them with.
// How:   AVX-512 narrows at once; SSE and AVX2 pack two registers to one, within each 128 bits, and the bytes are put in order at
//        the end; NEON narrows halves.

#ifndef NACRE_CODEGEN_CPU_NARROWTOBYTES_H
#define NACRE_CODEGEN_CPU_NARROWTOBYTES_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// Whether i32 is narrowed by way of i16, in which a zero point is then added for less.
bool narrowsByShorts(const Target &target);

/// A zero point: a number, or a scalar i16 that only a run knows.
struct ZeroPoint {
  int64_t number = 0;
  mlir::Value value; ///< Null for a number.

  bool isNone() const { return !value && number == 0; }
};

/// Returns x + zero, saturated to a byte with or without sign. `x`: a scalar or a vector of i32; the sum may leave the range of i32 if
/// narrowsByShorts. Elsewhere `zero` must be none.
mlir::Value narrowToBytes(VectorBuilder &build, mlir::Value x, const ZeroPoint &zero, bool isUnsigned);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_NARROWTOBYTES_H
