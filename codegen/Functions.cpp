// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. exponentials; 2. logarithms; 3. the table of operations; 4. bf16. The other functions are in
//        AngleFunctions.cpp and Powers.cpp.

#include "codegen/Functions.h"

#include "codegen/FunctionParts.h"
#include "codegen/IntegerTerms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace nacre::codegen {

namespace {

//===----------------------------------------------------------------------===//
// 1. Exponentials
//===----------------------------------------------------------------------===//

/// The parts of x = n * ln 2 + r with |r| <= ln(2) / 2.
struct Reduced {
  Term r, bits; ///< The low bits hold n plus the argument `bias` of reduceByLn2().
};

Reduced reduceByLn2(Term x, int64_t bias = 0) {
  Rounded n = roundSum(x, [&](Term rounder) { return fma(x, kLog2E, rounder); }, bias);
  Term r = fma(n.whole, -0.693145751953125, x);
  return {fma(n.whole, -1.42860677e-06, r), n.bits};
}

constexpr double kExpLow = -87.33654, kExpHigh = 88.72283;
/// Coefficients of e^r for |r| <= ln(2) / 2. They also serve 2^r', with r = r' ln 2.
constexpr double kExpCoefficients[] = {
    1.381432045e-03, 8.368851216e-03, 4.166840110e-02, 1.666651952e-01, 4.999999337e-01, 1, 1};

} // namespace

Term scale(Term p, Term bits) {
  Term exponent = bits.op<arith::ShLIOp>(bits.value, bits.integer(23).value);
  return p.op<arith::AddIOp>(p.bits().value, exponent.value).f32();
}

Term exp(Term x) {
  Reduced reduced = reduceByLn2(atMost(atLeast(x, kExpLow), kExpHigh));
  Term y = scale(polynomial(reduced.r, kExpCoefficients), reduced.bits);
  y = (x < kExpLow).select(x.constant(0), y);
  // Unlike !(x <= high), this comparison is also true for NaN, and NaN plus infinity stays NaN.
  Term beyond = x.compare(arith::CmpFPredicate::UGT, x.constant(kExpHigh));
  return beyond.select(x + kInfinity, y);
}

Term halfOfExp(Term x) {
  constexpr double high = 89.415985;
  Reduced reduced = reduceByLn2(atMost(x, high));
  auto halves = llvm::map_to_vector(kExpCoefficients, [](double coefficient) { return coefficient / 2; });
  Term y = scale(polynomial(reduced.r, halves), reduced.bits);
  return x.compare(arith::CmpFPredicate::UGT, x.constant(high)).select(x + kInfinity, y);
}

namespace {

Term exp2(Term x) {
  Term clamped = atMost(atLeast(x, -126), 127.99999);
  Rounded n = roundSum(x, [&](Term rounder) { return clamped + rounder; });
  Term r = (clamped - n.whole) * kLn2;
  Term y = (x < -126).select(x.constant(0), scale(polynomial(r, kExpCoefficients), n.bits));
  Term beyond = x.compare(arith::CmpFPredicate::UGE, x.constant(128));
  return beyond.select(x + kInfinity, y);
}

} // namespace

/// Returns factor * expm1(x). With x = n ln 2 + r, expm1(x) is 2^n * expm1(r) + (2^n - 1). Computes half of this and
/// doubles it at the end, so that 2^n does not overflow before the result does.
Term expm1Times(double factor, Term x) {
  Reduced reduced = reduceByLn2(atMost(atLeast(x, -25), 89.5));
  Term r = reduced.r;
  Term q = polynomial(r, ArrayRef(kExpCoefficients).drop_back(2));
  Term p = fma(r * r, q, r);
  Term half = scale(x.constant(factor / 2), reduced.bits);
  return fma(half, p, half - factor / 2) * 2;
}

/// Returns x itself if |x| is tiny or x is NaN, which keeps the sign of zero.
Term expm1(Term x) { return (abs(x) > 1e-30).select(expm1Times(1, x), x); }

namespace {

/// Returns z p(z^2) / q(z^2). Both polynomials are scaled by 2^40, so that z p keeps its digits if z is tiny.
Term oddRational(Term z, std::initializer_list<double> p, std::initializer_list<double> q) {
  auto lifted = [](double coefficient) { return coefficient * 0x1p40; };
  Term y = z * z;
  return z * polynomial(y, llvm::map_to_vector(p, lifted)) / polynomial(y, llvm::map_to_vector(q, lifted));
}

/// Returns exactly -1 or 1 beyond +-`end`, with and without fused multiply-adds, so that 1 - tanh is 0 there.
Term tanh(Term x) {
  constexpr double end = 8.078094482421875;
  return oddRational(atMost(atLeast(x, -end), end),
                     {-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
                      1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03},
                     {1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03});
}

Term erf(Term x) {
  return oddRational(atMost(atLeast(x, -4), 4),
                     {-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
                      -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02},
                     {-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03,
                      -1.42647390514189e-02});
}

} // namespace

//===----------------------------------------------------------------------===//
// 2. Logarithms
//===----------------------------------------------------------------------===//

Split splitExponent(Term x) {
  constexpr int64_t kSqrtHalfBits = 0x3f3504f3;
  // The exponent field of subnormal numbers is 0, so they are scaled first.
  Term tiny = x < 1.17549435e-38;
  Term bits = tiny.select(x * 8388608.0, x).bits();
  Term above = bits.op<arith::SubIOp>(bits.value, bits.integer(kSqrtHalfBits).value);
  Term exponent = bits.op<arith::ShRSIOp>(above.value, bits.integer(23).value);
  Term shifted = bits.op<arith::ShLIOp>(exponent.value, bits.integer(23).value);
  Term m = bits.op<arith::SubIOp>(bits.value, shifted.value).f32();
  Term e = bits.op<arith::SIToFPOp>(x.type(), exponent.value);
  return {m, tiny.select(e - 23, e)};
}

namespace {

/// Returns y, but the exact result for x that have no finite logarithm: 0, negative numbers, infinity, NaN.
Term atEdgesOfLog(Term x, Term y) {
  y = (x == 0).select(x.constant(-kInfinity), y);
  y = (x == kInfinity).select(x, y);
  return x.compare(arith::CmpFPredicate::ULT, x.constant(0)).select(x.constant(kNaN), y);
}

/// Returns log(1 + f) + e * ln 2, for 1 + f in [sqrt(1/2), sqrt(2)).
Term logOfParts(Term f, Term e) {
  Term f2 = f * f;
  Term p = polynomial(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                          -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  Term y = fma(e, -2.12194440e-4, p * f2 * f);
  y = fma(f2, -0.5, y);
  return fma(e, 0.693359375, f + y);
}

} // namespace

Term log(Term x) {
  Split split = splitExponent(x);
  return atEdgesOfLog(x, logOfParts(split.m - 1, split.e));
}

/// Returns log(1 + x) = log(u) * x / (u - 1), where u is the rounded 1 + x. A driver may simplify u - 1 to x. So
/// shaders pass x itself to the logarithm's series near 1, where the rounding matters.
Term log1p(Term x) {
  Term u = x + 1;
  if (x.builder->isShader) {
    Split split = splitExponent(u);
    Term y = atEdgesOfLog(u, logOfParts((split.e == 0).select(x, split.m - 1), split.e));
    return (abs(x) < 1e-7).select(x, y);
  }
  Term y = log(u) * (x / (u - 1));
  Term exact = (u == 1).select(x, y);
  return (u == kInfinity).select(u, exact);
}

//===----------------------------------------------------------------------===//
// 3. The table
//===----------------------------------------------------------------------===//

namespace {

std::optional<Term> emitF32(TermBuilder &builder, Operation *op, ValueRange operands) {
  Term x{&builder, operands[0]};
  using Result = std::optional<Term>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<math::ExpOp>([&](auto) -> Result { return exp(x); })
      .Case<math::Exp2Op>([&](auto) -> Result { return exp2(x); })
      .Case<math::ExpM1Op>([&](auto) -> Result { return expm1(x); })
      .Case<math::LogOp>([&](auto) -> Result { return log(x); })
      .Case<math::Log2Op>([&](auto) -> Result { return log(x) * kLog2E; })
      .Case<math::Log10Op>([&](auto) -> Result { return log(x) * (kLog2E * 0.301029995663981195); })
      .Case<math::Log1pOp>([&](auto) -> Result { return log1p(x); })
      .Case<math::TanhOp>([&](auto) -> Result { return tanh(x); })
      .Case<math::ErfOp>([&](auto) -> Result { return erf(x); })
      .Case<math::ErfcOp>([&](auto) -> Result { return 1 - erf(x); })
      .Case<math::SinOp>([&](auto) -> Result { return sin(x); })
      .Case<math::CosOp>([&](auto) -> Result { return cos(x); })
      .Case<math::TanOp>([&](auto) -> Result { return tan(x); })
      .Case<math::AtanOp>([&](auto) -> Result { return atan(x); })
      .Case<math::AsinOp>([&](auto) -> Result { return asin(x); })
      .Case<math::AcosOp>([&](auto) -> Result { return acos(x); })
      .Case<math::SinhOp>([&](auto) -> Result { return sinh(x); })
      .Case<math::CoshOp>([&](auto) -> Result { return cosh(x); })
      .Case<math::AsinhOp>([&](auto) -> Result { return asinh(x); })
      .Case<math::AcoshOp>([&](auto) -> Result { return acosh(x); })
      .Case<math::AtanhOp>([&](auto) -> Result { return atanh(x); })
      .Case<math::RsqrtOp>([&](auto) -> Result { return 1 / sqrt(x); })
      .Case<math::PowFOp>([&](auto) -> Result {
        Term y{&builder, operands[1]};
        if (std::optional<double> constant = splatOf(y.value))
          if (Result simple = powOfConstant(x, *constant))
            return simple;
        return pow(x, y);
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace

std::optional<Value> emitFunction(TermBuilder &builder, Operation *op, ValueRange operands) {
  std::optional<Term> term = emitF32(builder, op, operands);
  return term ? std::optional<Value>(term->value) : std::nullopt;
}

Term expOfNonPositive(Term x, int64_t added) {
  // Below this bound the result is exactly zero. Otherwise, all masked values of attention would be subnormal, and
  // operations on them take a hundred times as long on some CPUs.
  constexpr double rounding = 1e-5;
  const double low = added > 1 ? kExpLow + std::log(double(added)) + rounding : kExpLow;
  constexpr int64_t exponentBias = 127; // With this bias, the bits of n are those of 2^n.
  Reduced reduced = reduceByLn2(atLeast(x, low), exponentBias);
  Term p = polynomial(reduced.r, {0.008289290592074394, 0.04189782217144966, 0.16667652130126953, 0.4999915063381195,
                                  0.9999997019767761, 1});
  // A product keeps NaN. n is at most 0, so 2^n is finite.
  Term power = reduced.bits.op<arith::ShLIOp>(reduced.bits.value, reduced.bits.integer(23).value).f32();
  return (x < low).select(x.constant(0), p * power);
}

std::optional<double> splatOf(Value value) {
  TypedAttr attribute;
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    attribute = constant.getValue();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(attribute))
    attribute = cast<TypedAttr>(splat.getSplatValue<Attribute>());
  if (auto number = dyn_cast_or_null<FloatAttr>(attribute))
    return number.getValueAsDouble();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// 4. bf16
//===----------------------------------------------------------------------===//

/// Returns the upper half of the bits, rounded to nearest even. NaN keeps its upper half and becomes quiet.
Term roundToBf16(Term value) {
  Term bits = value.bits();
  auto shiftRight = [&](Term term, int64_t count) {
    return term.op<arith::ShRUIOp>(term.value, term.integer(count).value);
  };
  auto add = [&](Term a, Term b) { return a.op<arith::AddIOp>(a.value, b.value); };
  Term lowest = shiftRight(bits, 16) & bits.integer(1);
  Term rounded = add(bits, add(lowest, bits.integer(0x7fff)));
  Term quiet = bits | bits.integer(0x400000);
  Term nan = isUnordered(value, value);
  Term upper = shiftRight(nan.select(quiet, rounded), 16);
  return upper.op<arith::TruncIOp>(withElement(value.type(), value.builder->ops.getI16Type()), upper.value);
}

Term extendBf16(Term bits) {
  Term wide = bits.op<arith::ExtUIOp>(withElement(bits.type(), bits.builder->ops.getI32Type()), bits.value);
  return wide.op<arith::ShLIOp>(wide.value, wide.integer(16).value).f32();
}

} // namespace nacre::codegen
