// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  powers, for emitFunction(), and powers of integers.
// How:   1. 2^(y log2 |x|), in f64 on CPUs, and in pairs of f32 in shaders; 2. the edge cases of C's pow; 3. constant
//        exponents; 4. powers of integers.

#include "codegen/FunctionParts.h"
#include "codegen/Functions.h"
#include "codegen/IntegerTerms.h"

#include <cmath>

using namespace mlir;

namespace nacre::codegen {

//===----------------------------------------------------------------------===//
// 1. Magnitudes
//===----------------------------------------------------------------------===//

namespace {

Term floor(Term x) { return x.op<math::FloorOp>(x.value); }

/// Returns 2^(y log2 |x|), computed in f64 so that its rounding does not affect the result.
Term powerOfMagnitude(Term x, Term y) {
  TermBuilder &builder = *x.builder;
  Type doubles = withElement(x.type(), builder.ops.getF64Type());
  auto widened = [&](Term term) { return term.op<arith::ExtFOp>(doubles, term.value); };

  // The series of log2 m = 2 / ln 2 * atanh((m - 1) / (m + 1)) has odd powers only.
  Split split = splitExponent(abs(x));
  Term m = widened(split.m);
  Term s = (m - 1) / (m + 1);
  Term s2 = s * s;
  Term series = polynomial(s2, {1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1});
  Term log2 = fma(s * series, 2 * kLog2E, widened(split.e));
  Term power = log2 * widened(y);

  // Adding 1.5 * 2^52 rounds to an integer, like the addition in reduceByLn2().
  constexpr double kRounder = 6755399441055744.0;
  power = atMost(atLeast(power, -1000), 1000);
  Term shifted = power + kRounder;
  Term r = (power - (shifted - kRounder)) * kLn2;
  Term p = polynomial(r, {1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1});
  Term exponent = p.op<arith::ShLIOp>(shifted.bits().value, shifted.bits().integer(52).value);
  Term result = p.op<arith::AddIOp>(p.bits().value, exponent.value).f64();
  return p.op<arith::TruncFOp>(x.type(), result.value);
}

/// A value as the sum of two floats. `high` has half the digits, so that products of such values are exact, fused or
/// not. Its bit mask also prevents drivers from simplifying a difference to zero.
struct Halves {
  Term high, low;

  Term sum() const { return high + low; }
};

Term upperHalf(Term x) { return (x.bits() & x.bits().integer(int32_t(0xfffff000))).f32(); }

/// Returns x in parts again, where `sum` is its rounded sum. The new high part has half the digits.
Halves halve(const Halves &x, Term sum) {
  Term high = upperHalf(sum);
  return {high, x.low - (high - x.high)};
}

/// Returns a + x. |a| must be at least |x|, and `a` must have few digits.
Halves add(Term a, const Halves &x) {
  Term high = upperHalf(a + x.sum());
  return {high, x.low - ((high - a) - x.high)};
}

Halves multiply(const Halves &a, Term sumOfA, const Halves &b) {
  return {a.high * b.high, a.low * b.high + b.low * sumOfA};
}

/// Returns log2 x for x > 0, accurate to 32 binary digits, by a series in odd powers of s = (m - 1) / (m + 1).
Halves log2InHalves(Term x) {
  Split split = splitExponent(x);
  Term numerator = split.m - 1, denominator = split.m + 1, inverse = 1 / denominator;
  Term highOfDenominator = upperHalf(denominator), lowOfDenominator = split.m - (highOfDenominator - 1);
  Term s = numerator * inverse, high = upperHalf(s);
  Halves halves{high, (numerator - high * highOfDenominator - high * lowOfDenominator) * inverse};

  // Three times the series, divided by s: 3 + s^2 + 3/5 s^4 + ...
  Term s2 = s * s;
  Term tail = s2 * s2 * polynomial(s2, {3.0 / 11, 3.0 / 9, 3.0 / 7, 3.0 / 5}) + halves.low * (high + s);
  Halves product = multiply(halves, s, add(x.constant(3), {high * high, tail}));
  constexpr double kFactor = 2 * kLog2E / 3, kHighOfFactor = 0x1.ec6p-1;
  const Halves factor{x.constant(kHighOfFactor), x.constant(kFactor - kHighOfFactor)};
  return add(split.e, multiply(factor, x.constant(kFactor), halve(product, product.sum())));
}

/// Like powerOfMagnitude(), but in f32, with pairs for the logarithm and for its product with y. The error is 1.3 ulp.
/// Results below the smallest normal number are zero.
Term powerOfMagnitudeInSingle(Term x, Term y) {
  Term high = upperHalf(y);
  Halves product = multiply({high, y - high}, y, log2InHalves(abs(x)));
  Term power = product.sum();
  Rounded n = roundSum(x, [&](Term rounder) { return atMost(atLeast(power, -127), 128) + rounder; });
  Term r = (product.high - n.whole + product.low) * kLn2;
  Term p = polynomial(r, {1.381432045e-03, 8.368851216e-03, 4.166840110e-02, 1.666651952e-01, 4.999999337e-01, 1, 1});
  Term result = scale(p, n.bits), bits = result.bits();
  using Predicate = arith::CmpIPredicate;
  Term vanishes = (power < -127) | compare(Predicate::slt, bits, 0x800000);
  Term overflows = (power > 128.5) | compare(Predicate::sge, bits, 0x7f800000);
  return overflows.select(x.constant(kInfinity), vanishes.select(x.constant(0), result));
}

} // namespace

//===----------------------------------------------------------------------===//
// 2. Edges
//===----------------------------------------------------------------------===//

Term pow(Term x, Term y) {
  Term magnitude = x.builder->isShader ? powerOfMagnitudeInSingle(x, y) : powerOfMagnitude(x, y);

  // These selections are the edge cases of C's pow. A later selection overrides earlier ones.
  Term ax = abs(x), ay = abs(y);
  Term zero = x.constant(0), one = x.constant(1), infinity = x.constant(kInfinity);
  Term grows = y > 0;
  magnitude = (ax == 0).select(grows.select(zero, infinity), magnitude);
  magnitude = (ax == kInfinity).select(grows.select(infinity, zero), magnitude);
  magnitude = (ay == kInfinity).select(((ax > 1) ^ grows).select(zero, infinity), magnitude);
  Term whole = floor(y) == y;
  Term half = y * 0.5;
  Term odd = whole & (ay < kInfinity) & !(floor(half) == half);
  Term hasNoRoot = (x < 0) & (ax < kInfinity) & !whole;
  magnitude = hasNoRoot.select(x.constant(kNaN), magnitude);
  Term y0 = odd.select(copySign(magnitude, x), magnitude);
  y0 = isUnordered(x, y).select(x + y, y0);
  y0 = ((ax == 1) & (ay == kInfinity)).select(one, y0);
  return ((x == 1) | (y == 0)).select(one, y0);
}

//===----------------------------------------------------------------------===//
// 3. Constant exponents
//===----------------------------------------------------------------------===//

/// Returns x^(1/2). Unlike a square root, it gives infinity for -inf, and 0 for -0. CPUs add 0 to clear the sign of -0.
/// Drivers drop this addition, so shaders select.
static Term powOfHalf(Term x) {
  Term withoutSign = x.builder->isShader ? (x == 0).select(x.constant(0), x) : x + 0;
  return (x == -kInfinity).select(x.constant(kInfinity), sqrt(withoutSign));
}

std::optional<Term> powOfConstant(Term x, double y) {
  const double magnitude = std::abs(y);
  const bool isWhole = magnitude == 1 || magnitude == 2 || magnitude == 3 || magnitude == 4;
  Term base = isWhole ? x : powOfHalf(x);
  if (magnitude == 0.25)
    base = sqrt(base);
  else if (magnitude == 0.75)
    base = base * sqrt(base);
  else if (magnitude != 0.5 && !isWhole)
    return std::nullopt;
  if (y < 0)
    base = 1 / base;
  Term square = base * base;
  return magnitude == 4 ? square * square : magnitude == 3 ? square * base : magnitude == 2 ? square : base;
}

//===----------------------------------------------------------------------===//
// 4. Integers
//===----------------------------------------------------------------------===//

/// Computes the power by repeated squaring. All bits of the exponent count, because products wrap. A negative exponent
/// gives 0, except for the bases 1 and -1.
Term integerPower(Term base, Term exponent) {
  Term square = base, bits = exponent;
  const unsigned width = getElementTypeOrSelf(base.type()).getIntOrFloatBitWidth();
  Term one = square.integer(1), power = one;
  for (unsigned bit = 0; bit < width; ++bit) {
    Term product = power.op<arith::MulIOp>(power.value, square.value);
    power = hasBit(bits, 1).select(product, power);
    square = square.op<arith::MulIOp>(square.value, square.value);
    bits = bits.op<arith::ShRUIOp>(bits.value, one.value);
  }
  auto compare = [&](arith::CmpIPredicate predicate, Value a, int64_t b) {
    return power.op<arith::CmpIOp>(predicate, a, power.integer(b).value);
  };
  Term isUnit = compare(arith::CmpIPredicate::eq, base.value, 1) | compare(arith::CmpIPredicate::eq, base.value, -1);
  Term vanishes = compare(arith::CmpIPredicate::slt, exponent.value, 0) & !isUnit;
  return vanishes.select(power.integer(0), power);
}

} // namespace nacre::codegen
