// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the functions of `math` on f32 as straight-line arithmetic, and bf16 as integers.
// Why:   calls of libm are scalar and 17 times slower, and GPUs compute some functions to only four digits. Polynomials
//        keep a chain of operators in registers, and give the same results on both engines.
// How:   every function takes scalars or vectors. Bounds are relative to the exact value, over all floats unless
//        stated:
//
//          exp 0.9 ulp       exp2 1.5 ulp     expm1 1.5 ulp    log 0.9 ulp      log1p 2.5 ulp    log2, log10 2.1 ulp
//          tanh 5 ulp        erf 6.5 ulp      pow 0.6 ulp (through f64)
//          sin, cos 2 ulp   tan 3.5 ulp       atan 3 ulp       asin, acos 2.5 ulp
//          sinh, cosh 2.5 ulp                 asinh, acosh 3 ulp, atanh 3.5 ulp
//          1 / (1 + exp -x), the sigmoid, 2.5 ulp
//
//        In shaders, without f64: sin, cos 2.5 ulp, tan 4 ulp, pow 1.5 ulp.
//        test/unit/codegen/cpu/VectorMathTest.cpp and gpu/ShaderMathTest.cpp measure them. Results below the smallest
//        normal number may be zero. NaN, infinities and the sign of zero are as in C.

#ifndef NACRE_CODEGEN_FUNCTIONS_H
#define NACRE_CODEGEN_FUNCTIONS_H

#include "codegen/Term.h"
#include <optional>

namespace nacre::codegen {

/// Expands `op`, an operation of the math dialect on f32, to arithmetic on `operands`. Returns `nullopt` for operations
/// that are rare or that machines have as an instruction.
std::optional<mlir::Value> emitFunction(TermBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);

/// Returns e^x for x <= 0, as in softmax, with an error of 2 ulp. `added` is the number of results that are summed; the
/// largest of them is 1. A result is exactly zero if it, or its quotient by the sum, would be subnormal.
Term expOfNonPositive(Term x, int64_t added = 1);

/// Returns base^exponent in wrapping integer arithmetic. A negative exponent gives 0, except for the bases 1 and -1.
Term integerPower(Term base, Term exponent);

/// Returns the value of all lanes of `value` if it is a constant splat.
std::optional<double> splatOf(mlir::Value value);

// These functions represent a bf16 by its bits in an i16.
Term roundToBf16(Term value); ///< Rounds an f32 to the bits of a bf16.
Term extendBf16(Term bits);   ///< Converts the bits of a bf16 to f32.

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FUNCTIONS_H
