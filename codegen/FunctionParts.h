// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  building blocks of the functions of codegen/Functions.h. Only the sources of these functions include this
//        file.

#ifndef NACRE_CODEGEN_FUNCTIONPARTS_H
#define NACRE_CODEGEN_FUNCTIONPARTS_H

#include "codegen/Term.h"
#include <limits>
#include <optional>

namespace nacre::codegen {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kLog2E = 1.44269504088896341;
inline constexpr double kLn2 = 0.693147180559945309;
inline constexpr double kPi = 3.14159265358979323846;

/// A rounded float, and an i32 whose low bits hold the same integer.
struct Rounded {
  Term whole, bits;
};

/// Rounds `rough(c)`, a formula that ends by adding its argument c. With c = 1.5 * 2^23, the low bits of the sum are
/// the rounded integer plus `bias`. Shaders round explicitly, because a driver may undo this addition.
template <typename Formula> Rounded roundSum(Term x, Formula rough, int64_t bias = 0) {
  const double rounder = 12582912.0 + double(bias);
  if (!x.builder->isShader) {
    Term shifted = rough(x.constant(rounder));
    return {shifted - rounder, shifted.bits()};
  }
  Term whole = x.op<mlir::math::RoundEvenOp>(rough(x.constant(0)).value);
  Term bits = x.op<mlir::arith::FPToSIOp>(withElement(x.type(), x.builder->ops.getI32Type()), whole.value);
  return {whole, bias ? bits.op<mlir::arith::AddIOp>(bits.value, bits.integer(bias).value) : bits};
}

/// The parts of x = quadrant * pi / 2 + r.
struct ReducedAngle {
  Term r, bits; ///< The low bits hold the quadrant.
};
/// Reduces |x| >= 1 in integer arithmetic. r is exact to the last place. Returns NaN for infinities and NaN.
ReducedAngle reduceLargeAngle(Term x);

/// The parts of x = m * 2^e with m in [sqrt(1/2), sqrt(2)), for x > 0.
struct Split {
  Term m, e;
};
Split splitExponent(Term x);

/// Returns p * 2^n for an integer n. Adds n to the exponent of p, so 2^n itself may overflow. If p is NaN, the result
/// is unspecified and need not be NaN.
Term scale(Term p, Term n);

Term exp(Term x);
/// Returns e^x / 2 for x >= 0, which overflows later than e^x.
Term halfOfExp(Term x);
/// Returns factor * (e^x - 1). `factor` must be a power of two. Callers handle |x| below 1e-30 and NaN, for which the
/// result may be wrong.
Term expm1Times(double factor, Term x);
Term expm1(Term x);
Term log(Term x);
Term log1p(Term x);

// Powers.cpp
Term pow(Term x, Term y);
/// Returns x^y if square roots and products can compute it for the constant y; otherwise, returns `nullopt`. For
/// negative y, inverts the base first, because its square may overflow even if the result is representable.
std::optional<Term> powOfConstant(Term x, double y);

// AngleFunctions.cpp
Term sin(Term x);
Term cos(Term x);
Term tan(Term x);
Term atan(Term x);
Term asin(Term x);
Term acos(Term x);
Term sinh(Term x);
Term cosh(Term x);
Term asinh(Term x);
Term acosh(Term x);
Term atanh(Term x);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FUNCTIONPARTS_H
