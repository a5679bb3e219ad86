// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Building blocks of the functions of codegen/Functions.h, only for its sources.

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

/// A float without its fraction, and an i32 with the same number in its low bits.
struct Rounded {
  Term whole, bits;
};

/// Rounds `rough`, a formula that ends by adding its argument. With 1.5 * 2^23 as the argument, the low bits of the sum
/// are the number, plus `bias`. Shaders round explicitly, because a driver may undo this addition.
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

/// x = quadrant * pi / 2 + r.
struct ReducedAngle {
  Term r, bits; ///< The low bits hold the quadrant.
};
/// Reduces |x| >= 1 in integers; r is exact to the last place. Returns NaN for infinities and NaN.
ReducedAngle reduceLargeAngle(Term x);

/// x = m * 2^e with m in [sqrt(1/2), sqrt(2)), for x > 0.
struct Split {
  Term m, e;
};
Split splitExponent(Term x);

/// Returns p * 2^n for an integer n by adding n to the exponent, so that 2^n may be infinite. If p is NaN, the result
/// may be a number.
Term scale(Term p, Term n);

Term exp(Term x);
/// Returns e^x / 2 for x >= 0, which overflows later than e^x.
Term halfOfExp(Term x);
/// Returns factor * (e^x - 1), except for the smallest numbers; NaN may become a number. The factor is a power of two.
Term expm1Times(double factor, Term x);
Term expm1(Term x);
Term log(Term x);
Term log1p(Term x);

// Powers.cpp
Term pow(Term x, Term y);
/// Returns x^y for the constants y that square roots and products can compute; `nullopt` for others. The base is
/// inverted before it is multiplied, because its square may overflow even if the result is representable.
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
