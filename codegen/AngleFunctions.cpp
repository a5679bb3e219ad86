// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. trigonometry; 2. hyperbolic functions.

#include "codegen/FunctionParts.h"
#include "codegen/IntegerTerms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen {

//===----------------------------------------------------------------------===//
// 1. Trigonometry
//===----------------------------------------------------------------------===//

namespace {

/// True if `condition` holds in any lane.
Value anyLane(Term condition) {
  TermBuilder &builder = *condition.builder;
  auto vector = dyn_cast<VectorType>(condition.type());
  if (!vector)
    return condition.value;
  if (!builder.isShader)
    return vector::ReductionOp::create(builder.ops, builder.loc, vector::CombiningKind::OR, condition.value);
  auto lane = [&](int64_t at) {
    return condition.make(vector::ExtractOp::create(builder.ops, builder.loc, condition.value, at));
  };
  Term any = lane(0);
  for (int64_t at = 1; at < vector.getNumElements(); ++at)
    any = any | lane(at);
  return any.value;
}

struct Angle {
  Term sine, cosine; ///< Sine and cosine of the reduced angle.
  Term quadrant;     ///< An i32, of which only the two lowest bits are used.
};

constexpr double kHalfPiHigh = 1.57079632679489655800, kHalfPiLow = 6.12323399573676588613e-17;
constexpr double kDoubleRounder = 6755399441055744.0; // 1.5 * 2^52

/// Narrows `r` from f64 to f32. Returns the low bits of `quadrants`, which is an integer plus kDoubleRounder, as an
/// i32.
ReducedAngle narrowed(Term r, Term quadrants, Type type) {
  return {r.op<arith::TruncFOp>(type, r.value),
          r.op<arith::TruncIOp>(withElement(type, r.builder->ops.getI32Type()), quadrants.bits().value)};
}

/// Returns `far()` in the lanes where `isFar` is true, and `near` in the others. Large x are rare, so `far()` is in one
/// branch, which is skipped if no lane needs it.
ReducedAngle replaceFar(ReducedAngle near, Term isFar, function_ref<ReducedAngle()> far) {
  OpBuilder &ops = isFar.builder->ops;
  const Location loc = isFar.builder->loc;
  auto branch = scf::IfOp::create(ops, loc, TypeRange{near.r.type(), near.bits.type()}, anyLane(isFar),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToStart(branch.thenBlock());
  const ReducedAngle reduced = far();
  scf::YieldOp::create(ops, loc,
                       ValueRange{isFar.select(reduced.r, near.r).value, isFar.select(reduced.bits, near.bits).value});
  ops.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(ops, loc, ValueRange{near.r.value, near.bits.value});
  return {near.r.make(branch.getResult(0)), near.r.make(branch.getResult(1))};
}

/// Reduces large x in f64: returns x * 2 / pi without full circles. 2 / pi is a sum of constants of 28 bits. The
/// products of these constants and an f32 are exact, and so are the fractions of the products.
ReducedAngle reduceFarByHalfPi(Term wide, Type type) {
  constexpr double twoOverPi[] = {0x1.45f306cp-1,   0x1.c9c882ap-29, 0x1.4fe13a8p-59, 0x1.f47d4dp-86,
                                  0x1.bb81b6cp-113, 0x1.4acc9ep-143, 0x1.0e4107cp-170};
  Term whole = wide.constant(0), rest = wide.constant(0);
  auto round = [](Term x) { return x.op<math::RoundEvenOp>(x.value); };
  for (double part : twoOverPi) {
    Term product = wide * part;
    Term turns = fma(round(product * 0.25), -4, product);
    Term nearest = round(turns);
    whole = whole + nearest;
    rest = rest + (turns - nearest);
  }
  Term nearest = round(rest);
  rest = rest - nearest;
  return narrowed(fma(rest, kHalfPiHigh, rest * kHalfPiLow), whole + nearest + kDoubleRounder, type);
}

/// Reduces x to quadrant * pi / 2 + r with |r| <= pi / 4, in f64. Up to 2^40, the quotient has enough bits to be
/// rounded. reduceFarByHalfPi() reduces larger angles.
ReducedAngle reduceByHalfPi(Term x) {
  Term wide = x.op<arith::ExtFOp>(withElement(x.type(), x.builder->ops.getF64Type()), x.value);
  Term shifted = fma(wide, 2 / kPi, kDoubleRounder);
  Term n = shifted - kDoubleRounder;
  ReducedAngle near = narrowed(fma(n, -kHalfPiLow, fma(n, -kHalfPiHigh, wide)), shifted, x.type());
  return replaceFar(near, abs(x) > 0x1p40, [&] { return reduceFarByHalfPi(wide, x.type()); });
}

/// Like reduceByHalfPi(), but in f32, and accurate only below 1e4. pi / 2 is a sum of four parts. The first parts have
/// few digits, so their products are exact with or without fused multiply-adds.
ReducedAngle reduceByHalfPiInSingle(Term x) {
  Rounded n = roundSum(x, [&](Term rounder) { return fma(x, 2 / kPi, rounder); });
  Term r = x;
  for (double part : {-0x1.92p+0, -0x1.fb4p-12, -0x1.444p-24, -2.563344151594519e-12})
    r = fma(n.whole, part, r);
  return {r, n.bits};
}

/// Reduces an angle without f64.
ReducedAngle reduceInShader(Term x) {
  constexpr int64_t kBitsOf1e4 = 0x461c4000;
  Term isFar = compare(arith::CmpIPredicate::uge, magnitudeBits(x), kBitsOf1e4);
  ReducedAngle reduced = replaceFar(reduceByHalfPiInSingle(x), isFar, [&] { return reduceLargeAngle(x); });
  // A driver may round differently. The clamp then keeps sines and cosines between -1 and 1.
  return {atMost(atLeast(reduced.r, -0.79), 0.79), reduced.bits};
}

Angle reduceAngle(Term x) {
  const ReducedAngle reduced = x.builder->isShader ? reduceInShader(x) : reduceByHalfPi(x);
  Term r = reduced.r, r2 = r * r;
  Term sine = fma(r * r2, polynomial(r2, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1}), r);
  Term cosine = polynomial(r2, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
  cosine = fma(cosine, r2 * r2, fma(r2, -0.5, 1));
  return {sine, cosine, reduced.bits};
}

/// Returns (asin z - z) / z, where z^2 = `z2` is at most 1/4.
Term asinTail(Term z2) {
  return z2 * polynomial(z2, {4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2, 1.6666752422e-1});
}

} // namespace

Term sin(Term x) {
  Angle angle = reduceAngle(x);
  Term y = hasBit(angle.quadrant, 1).select(angle.cosine, angle.sine);
  // The selection of x keeps the sign of zero.
  return (x == 0).select(x, hasBit(angle.quadrant, 2).select(negate(y), y));
}

Term cos(Term x) {
  Angle angle = reduceAngle(x);
  Term y = hasBit(angle.quadrant, 1).select(angle.sine, angle.cosine);
  // The cosine is negative in quadrants 1 and 2.
  Term next = angle.quadrant.op<arith::AddIOp>(angle.quadrant.value, angle.quadrant.integer(1).value);
  return hasBit(next, 2).select(negate(y), y);
}

Term tan(Term x) {
  Angle angle = reduceAngle(x);
  Term odd = hasBit(angle.quadrant, 1);
  Term y = odd.select(negate(angle.cosine), angle.sine) / odd.select(angle.sine, angle.cosine);
  return (x == 0).select(x, y);
}

/// Reduces the argument by atan x = pi/2 - atan(1/x) and atan x = pi/4 + atan((x - 1) / (x + 1)).
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

/// Returns (u + u / (u + 1)) / 2 with u = e^|x| - 1. Computes u / 2, which is finite if the result is finite.
Term sinh(Term x) {
  Term a = abs(x), half = expm1Times(0.5, a);
  Term y = half + half / fma(half, 2, 1);
  // The smallest numbers, infinity and NaN are returned unchanged.
  Term isBetween = (a > 1e-30) & (half < kInfinity);
  return copySign(isBetween.select(y, (a > 1e-30).select(half, a)), x);
}

Term cosh(Term x) {
  Term half = halfOfExp(abs(x));
  return half + 0.25 / half;
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
  y = (x < 1).select(x.constant(kNaN), y);
  return (x > 1e9).select(log(x) + kLn2, y);
}

Term atanh(Term x) {
  Term a = abs(x);
  return copySign(log1p(a * 2 / (1 - a)) * 0.5, x);
}

} // namespace nacre::codegen
