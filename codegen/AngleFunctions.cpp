// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. trigonometry; 2. hyperbolic functions.

#include "codegen/FunctionParts.h"

using namespace mlir;

namespace nacre::codegen {

//===----------------------------------------------------------------------===//
// 1. Trigonometry
//===----------------------------------------------------------------------===//

namespace {

/// x = quadrant * pi / 2 + r.
struct Reduced {
  Term r, bits; ///< The low bits are the quadrant.
};

struct Angle {
  Term sine, cosine; ///< Of r.
  Term quadrant;     ///< i32
};

/// x = quadrant * pi / 2 + r with |r| <= pi / 4, reduced in f64: exact enough as far as f32 has a fraction at all.
Reduced reduceByHalfPi(Term x) {
  TermBuilder &builder = *x.builder;
  constexpr double kRounder = 6755399441055744.0;
  Term wide = x.op<arith::ExtFOp>(withElement(x.type(), builder.ops.getF64Type()), x.value);
  Term shifted = fma(wide, 2 / kPi, kRounder);
  Term n = shifted - kRounder;
  Term reduced = fma(n, -6.12323399573676588613e-17, fma(n, -1.57079632679489655800, wide));
  return {x.op<arith::TruncFOp>(x.type(), reduced.value),
          x.op<arith::TruncIOp>(withElement(x.type(), builder.ops.getI32Type()), shifted.bits().value)};
}

/// The same in f32, exact enough below 1e4: pi / 2 in three parts, the first of which have few digits.
Reduced reduceByHalfPiInSingle(Term x) {
  Rounded n = roundSum(x, [&](Term rounder) { return fma(x, 2 / kPi, rounder); });
  Term r = fma(n.whole, -1.5703125, x);
  r = fma(n.whole, -4.837512969970703125e-4, r);
  return {fma(n.whole, -7.54978995489188216e-8, r), n.bits};
}

Angle reduceAngle(Term x) {
  Reduced reduced = x.builder->isShader ? reduceByHalfPiInSingle(x) : reduceByHalfPi(x);
  // Where the quotient is not exact, far out, the clamp keeps results within -1 and 1.
  Term r = atMost(atLeast(reduced.r, -0.79), 0.79);
  Term r2 = r * r;
  Term sine = fma(r * r2, polynomial(r2, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1}), r);
  Term cosine = polynomial(r2, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
  cosine = fma(cosine, r2 * r2, fma(r2, -0.5, 1));
  return {sine, cosine, reduced.bits};
}

/// (asin z - z) / z for z^2 = `z2` up to 1/4.
Term asinTail(Term z2) {
  return z2 * polynomial(z2, {4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2, 1.6666752422e-1});
}

} // namespace

Term sin(Term x) {
  Angle angle = reduceAngle(x);
  Term y = hasBit(angle.quadrant, 1).select(angle.cosine, angle.sine);
  // Keeps the sign of zero.
  return (x == 0).select(x, hasBit(angle.quadrant, 2).select(negate(y), y));
}

Term cos(Term x) {
  Angle angle = reduceAngle(x);
  Term y = hasBit(angle.quadrant, 1).select(angle.sine, angle.cosine);
  // Negative in quadrants 1 and 2.
  Term next = angle.quadrant.op<arith::AddIOp>(angle.quadrant.value, angle.quadrant.integer(1).value);
  return hasBit(next, 2).select(negate(y), y);
}

Term tan(Term x) {
  Angle angle = reduceAngle(x);
  Term odd = hasBit(angle.quadrant, 1);
  Term y = odd.select(negate(angle.cosine), angle.sine) / odd.select(angle.sine, angle.cosine);
  return (x == 0).select(x, y);
}

/// Reduced by atan x = pi/2 - atan(1/x) and atan x = pi/4 + atan((x - 1) / (x + 1)).
Term atan(Term x) {
  Term a = abs(x);
  Term large = a > 2.414213562373095, middle = a > 0.4142135623730950;
  Term one = x.constant(1);
  Term numerator = large.select(negate(one), middle.select(a - 1, a));
  Term denominator = large.select(a, middle.select(a + 1, one));
  Term base = large.select(x.constant(kPi / 2), middle.select(x.constant(kPi / 4), x.constant(0)));
  Term z = numerator / denominator;
  Term z2 = z * z;
  Term p = polynomial(z2, {8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1});
  return copySign(base + fma(p * z2, z, z), x);
}

Term asin(Term x) {
  Term a = abs(x);
  Term outer = a > 0.5;
  Term z2 = outer.select((1 - a) * 0.5, a * a);
  Term z = outer.select(sqrt(z2), a);
  Term y = fma(z, asinTail(z2), z);
  return copySign(outer.select(fma(y, -2, x.constant(kPi / 2)), y), x);
}

Term acos(Term x) {
  Term a = abs(x);
  Term outer = a > 0.5;
  Term z2 = outer.select((1 - a) * 0.5, a * a);
  Term z = outer.select(sqrt(z2), x);
  Term y = fma(z, asinTail(z2), z);
  Term near = (x < 0).select(fma(y, -2, x.constant(kPi)), y * 2);
  return outer.select(near, x.constant(kPi / 2) - y);
}

//===----------------------------------------------------------------------===//
// 2. Hyperbolic functions
//===----------------------------------------------------------------------===//

Term sinh(Term x) {
  Term u = expm1(abs(x));
  Term y = (u + u / (u + 1)) * 0.5;
  return copySign((u == kInfinity).select(u, y), x);
}

Term cosh(Term x) {
  Term e = exp(abs(x));
  return fma(e, 0.5, 0.5 / e);
}

Term asinh(Term x) {
  Term a = abs(x);
  Term a2 = a * a;
  Term y = log1p(a + a2 / (sqrt(a2 + 1) + 1));
  return copySign((a > 1e9).select(log(a) + kLn2, y), x);
}

Term acosh(Term x) {
  Term t = x - 1;
  Term y = log1p(t + sqrt(fma(t, t, t * 2)));
  return (x > 1e9).select(log(x) + kLn2, y);
}

Term atanh(Term x) {
  Term a = abs(x);
  return copySign(log1p(a * 2 / (1 - a)) * 0.5, x);
}

} // namespace nacre::codegen
