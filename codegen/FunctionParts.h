// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the functions of codegen/Functions.h are made of, for its sources alone.

#ifndef NACRE_CODEGEN_FUNCTIONPARTS_H
#define NACRE_CODEGEN_FUNCTIONPARTS_H

#include "codegen/Term.h"
#include <limits>

namespace nacre::codegen {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kLog2E = 1.44269504088896341;
inline constexpr double kLn2 = 0.693147180559945309;
inline constexpr double kPi = 3.14159265358979323846;

/// A float without its fraction, and an i32 whose low bits are it.
struct Rounded {
  Term whole, bits;
};

/// `rough` rounded, a formula that ends in adding `rounder`, 1.5 * 2^23: its low bits then are the number. A driver may
/// undo that.
template <typename Formula> Rounded roundSum(Term x, Formula rough) {
  constexpr double kRounder = 12582912.0;
  if (!x.builder->isShader) {
    Term shifted = rough(x.constant(kRounder));
    return {shifted - kRounder, shifted.bits()};
  }
  Term whole = x.op<mlir::math::RoundEvenOp>(rough(x.constant(0)).value);
  return {whole, x.op<mlir::arith::FPToSIOp>(withElement(x.type(), x.builder->ops.getI32Type()), whole.value)};
}

Term exp(Term x);
Term expm1(Term x);
Term log(Term x);
Term log1p(Term x);

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
