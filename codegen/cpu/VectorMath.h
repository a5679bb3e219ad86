// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the functions of the math dialect on vectors, and arithmetic that machines lack or do slowly.
// How:   functions of f32 are the polynomials of codegen/Functions.h. Rare functions (atan2, cbrt) and all functions of
//        f64 call libm for each lane.

#ifndef NACRE_CODEGEN_CPU_VECTORMATH_H
#define NACRE_CODEGEN_CPU_VECTORMATH_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// Returns the value of `op`, an operation of the math dialect. The operands are all scalars or all vectors.
mlir::Value emitMath(VectorBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);

/// Returns the exponentials of operands that are never above zero, as in softmax. `added` of them are added up; see
/// expOfNonPositive.
mlir::Value emitExpOfNonPositive(VectorBuilder &builder, mlir::Value x, int64_t added);

/// Returns the maximum or minimum, which is NaN if an operand is. Zeros of either sign are equal.
mlir::Value emitMaximum(VectorBuilder &builder, mlir::Value a, mlir::Value b);
mlir::Value emitMinimum(VectorBuilder &builder, mlir::Value a, mlir::Value b);
/// Returns the maximum in one instruction, which may lose a NaN. The caller's results must also depend on the operands
/// elsewhere, so that the NaN propagates.
mlir::Value emitMaximumIgnoringNaN(VectorBuilder &builder, mlir::Value a, mlir::Value b);

/// Emits arith.truncf or arith.extf, even if the machine has no instruction for the two types.
mlir::Value emitTruncate(VectorBuilder &builder, mlir::Value x, mlir::Type element);
mlir::Value emitExtend(VectorBuilder &builder, mlir::Value x, mlir::Type element);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_VECTORMATH_H
