// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the functions of `math` on vectors, and arithmetic that machines lack or do slowly.
// How:   f32 as in codegen/Functions.h; rare functions (atan2, cbrt) and all of f64 call libm lane by lane.

#ifndef NACRE_CODEGEN_CPU_VECTORMATH_H
#define NACRE_CODEGEN_CPU_VECTORMATH_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// Returns the value of `op`, an operation of the math dialect, for `operands`: all scalars, or all vectors of `width`
/// lanes.
mlir::Value emitMath(VectorBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);

/// Returns exp of operands that are never above zero, as in softmax; see expOfNonPositive.
mlir::Value emitExpOfNonPositive(VectorBuilder &builder, mlir::Value x, int64_t added);

/// Return the maximum or minimum and propagate NaN; zeros of either sign are equal.
mlir::Value emitMaximum(VectorBuilder &builder, mlir::Value a, mlir::Value b);
mlir::Value emitMinimum(VectorBuilder &builder, mlir::Value a, mlir::Value b);
/// Returns the maximum in one instruction, which may lose a NaN. The caller's results must depend on the same operands,
/// and so on the NaN.
mlir::Value emitMaximumIgnoringNaN(VectorBuilder &builder, mlir::Value a, mlir::Value b);

/// Emit arith.truncf and extf, also if the machine has no instruction for the two types.
mlir::Value emitTruncate(VectorBuilder &builder, mlir::Value x, mlir::Type element);
mlir::Value emitExtend(VectorBuilder &builder, mlir::Value x, mlir::Type element);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_VECTORMATH_H
