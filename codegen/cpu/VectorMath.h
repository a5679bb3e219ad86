// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the functions of `math` on f32 as straight-line vector arithmetic, and the arithmetic that machines do badly.
// Why:   calls of libm are scalar and 17 times slower; polynomials keep a chain of operators in registers.
// How:   every function takes scalars or vectors. Bounds are against the exact value, over all floats unless said:
//
//          exp 0.9 ulp       exp2 1.5 ulp     expm1 1.5 ulp    log 0.9 ulp      log1p 2.5 ulp    log2, log10 2.1 ulp
//          exp of x <= 0 in softmax 2 ulp     tanh 5 ulp       erf 6.5 ulp      pow 0.6 ulp (through f64)
//          sin, cos 2 ulp for |x| < 1e9       tan 3.5 ulp      atan 3 ulp       asin, acos 2.5 ulp
//          sinh, cosh 2.5 ulp (infinite from 88.8 on)          asinh, acosh 3 ulp, atanh 3.5 ulp
//          1 / (1 + exp -x), the sigmoid, 2.5 ulp
//
//        test/unit/codegen/cpu/VectorMathTest.cpp measures them. Results below the smallest normal number may be zero. NaN, infinities and the sign of zero are as in C.
//        What is rare (atan2, cbrt) and all of f64 go lane by lane to libm.

#ifndef NACRE_CODEGEN_CPU_VECTORMATH_H
#define NACRE_CODEGEN_CPU_VECTORMATH_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// The value of `op`, an operation of the math dialect, for `operands`: all scalars, or all vectors of `width` lanes.
mlir::Value emitMath(VectorBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);

/// exp for operands that are never above zero, as in softmax.
mlir::Value emitExpOfNonPositive(VectorBuilder &builder, mlir::Value x);

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
