// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the functions of `math` on vectors, and the arithmetic that machines do badly.
// How:   f32 as codegen/Functions.h says; what is rare (atan2, cbrt) and all of f64 go lane by lane to libm.

#ifndef NACRE_CODEGEN_CPU_VECTORMATH_H
#define NACRE_CODEGEN_CPU_VECTORMATH_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// The value of `op`, an operation of the math dialect, for `operands`: all scalars, or all vectors of `width` lanes.
mlir::Value emitMath(VectorBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);

/// exp for operands that are never above zero, as in softmax; see expOfNonPositive.
mlir::Value emitExpOfNonPositive(VectorBuilder &builder, mlir::Value x, int64_t added);

/// Maximum and minimum that propagate NaN; zeros of either sign are equal.
mlir::Value emitMaximum(VectorBuilder &builder, mlir::Value a, mlir::Value b);
mlir::Value emitMinimum(VectorBuilder &builder, mlir::Value a, mlir::Value b);
/// The same in one instruction where NaN may get lost: what is computed from the operands will meet it again.
mlir::Value emitMaximumIgnoringNaN(VectorBuilder &builder, mlir::Value a, mlir::Value b);

/// arith.truncf and extf, also where the machine has no instruction for the pair of types.
mlir::Value emitTruncate(VectorBuilder &builder, mlir::Value x, mlir::Type element);
mlir::Value emitExtend(VectorBuilder &builder, mlir::Value x, mlir::Type element);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_VECTORMATH_H
