// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The incomplete gamma and beta functions.
//
// Why:  their series and continued fractions need up to the square root of a parameter as the number of terms. A sum
// over fixed points needs no loop, and is equally exact for all parameters.
// How:  the smaller side of x is integrated. There the integrand is largest at x and falls from there. As a function of
// y, the logarithm of the distance from x, it falls like an exponential:
//         gamma   t = x e^-y or x e^y     x^a e^-x e^f(y)            f(y) = -a y - x (e^-y - 1) or a y - x (e^y - 1)
//         beta    t = x e^-y              x^a (1-x)^(b-1) e^f(y)     f(y) = -a y + (b-1) log(1 + x / (1-x) (1 - e^-y))
// For a small `a`, the lower side has a long tail. One step of the recurrence in `a` makes that tail a separate
// summand.

#include "compiler/import/compositions/special/Integrals.h"

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/Tables.h"
#include "compiler/import/compositions/special/Columns.h"
#include "compiler/import/compositions/special/Gamma.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace nacre::importer {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr double halfLogOfTwoPi = 0.91893853320467274178;

Value subtractFrom(NnBuilder &nn, double number, Value x) { return nn.add(nn.unary(UnaryKind::Neg, x), number); }

/// Returns 1 - e^-y with all digits. It uses the hyperbolic tangent of y / 2, which is exact near 0.
Value fall(NnBuilder &nn, Value y) {
  Value tangent = nn.unary(UnaryKind::Tanh, nn.mul(y, 0.5));
  return nn.div(nn.mul(tangent, 2), nn.add(tangent, 1));
}

/// Returns the integral over y > 0 of e^f(y). f decreases from f(0) = 0, and is about -1 at y = 1 / `rate`. The
/// operands of f are columns.
Value integrate(NnBuilder &nn, Value rate, llvm::function_ref<Value(Value)> f) {
  // Trapezoidal rule along v, where y = e^(v - e^-v) / rate. The error decreases exponentially with the number of
  // points; 96 points give at least 11 digits. Less than 1e-15 of the integral lies outside of the range.
  constexpr int64_t count = 96;
  constexpr double first = -3.4, last = 3.6, width = (last - first) / (count - 1);
  if (!rate)
    return {};
  auto placeOf = [=](int64_t index) {
    const double v = first + width * static_cast<double>(index);
    return std::exp(v - std::exp(-v));
  };
  auto weightOf = [=](int64_t index) {
    return width * placeOf(index) * (1 + std::exp(-(first + width * static_cast<double>(index))));
  };
  auto type = RankedTensorType::get({count}, getElementType(rate));
  Value places = makeTable<double>(nn, type, placeOf), weights = makeTable<double>(nn, type, weightOf);
  Value scale = nn.unary(UnaryKind::Reciprocal, rate);
  Value values = nn.unary(UnaryKind::Exp, f(nn.mul(toColumn(nn, scale), places)));
  return nn.mul(sumRows(nn, nn.mul(values, weights)), scale);
}

/// Returns a (log(ratio) - change), where `change` is ratio - 1. If the change is small, the result is much smaller
/// than its terms.
Value distance(NnBuilder &nn, Value a, Value ratio, Value change) {
  Value isSmall = nn.binary(BinaryKind::Less, ratio, 0.5);
  Value logarithm = nn.select(isSmall, nn.unary(UnaryKind::Log, ratio), logOnePlus(nn, change));
  return nn.mul(a, nn.sub(logarithm, change));
}

//===----------------------------------------------------------------------===//
// Gamma
//===----------------------------------------------------------------------===//

/// Returns x^a e^-x / gamma(a).
Value heightOfGamma(NnBuilder &nn, Value a, Value x) {
  Value exponent = distance(nn, a, nn.div(x, a), nn.div(nn.sub(x, a), a));
  exponent = nn.add(exponent, nn.mul(nn.unary(UnaryKind::Log, a), 0.5));
  return nn.unary(UnaryKind::Exp, nn.sub(nn.add(exponent, -halfLogOfTwoPi), stirlingError(nn, a)));
}

/// Share of the integral on one side of x. It is the lower side if `isLower` is true.
struct Side {
  Value isLower, share;
};

Side integrateGamma(NnBuilder &nn, Value a, Value x) {
  Value isLower =
      nn.binary(BinaryKind::Or, nn.binary(BinaryKind::Less, x, 1.0), nn.binary(BinaryKind::LessEqual, x, a));
  Value power = nn.select(isLower, nn.add(a, 1), a);
  Value rate = nn.add(nn.unary(UnaryKind::Abs, nn.sub(power, x)), nn.unary(UnaryKind::Sqrt, x));
  rate = nn.select(isLower, nn.binary(BinaryKind::Min, rate, power), rate);
  Value integral = integrate(nn, rate, [&](Value y) {
    Value linear = nn.mul(y, toColumn(nn, power)), curve = nn.mul(fall(nn, y), toColumn(nn, x));
    Value above = nn.sub(linear, nn.mul(curve, nn.unary(UnaryKind::Exp, y)));
    return nn.select(toColumn(nn, isLower), nn.sub(curve, linear), above);
  });
  integral = nn.select(isLower, nn.div(nn.add(nn.mul(x, integral), 1), a), integral);
  Value isEmpty = nn.binary(BinaryKind::Or, nn.unary(UnaryKind::IsInf, a), nn.unary(UnaryKind::IsInf, x));
  // For a > 1e30 and x = a, y has no valid digits.
  Value share = nn.binary(BinaryKind::Min, nn.mul(heightOfGamma(nn, a, x), integral), 1.0);
  return {isLower, nn.select(isEmpty, nn.scalar(x, 0), share)};
}

/// Returns one of the two shares. `finish` selects it and handles operands outside of the domain.
template <typename Finish> Value incompleteGamma(NnBuilder &nn, Value a, Value x, Finish finish) {
  if (!a || !x)
    return {};
  Type type = getElementType(x), f64 = nn.types().getF64Type();
  a = nn.cast(a, f64);
  x = nn.cast(x, f64);
  const Side side = integrateGamma(nn, a, x);
  Value isDefined =
      nn.binary(BinaryKind::And, nn.binary(BinaryKind::Greater, a, 0.0), nn.binary(BinaryKind::GreaterEqual, x, 0.0));
  return nn.cast(finish(x, side, isDefined), type);
}

} // namespace

Value lowerGamma(NnBuilder &nn, Value a, Value x) {
  return incompleteGamma(nn, a, x, [&](Value x, const Side &side, Value isDefined) {
    Value share = nn.select(side.isLower, side.share, subtractFrom(nn, 1, side.share));
    return nn.select(nn.binary(BinaryKind::Equal, x, 0.0), x, nn.select(isDefined, share, nn.scalar(x, nan)));
  });
}

Value upperGamma(NnBuilder &nn, Value a, Value x) {
  return incompleteGamma(nn, a, x, [&](Value x, const Side &side, Value isDefined) {
    Value share = nn.select(side.isLower, subtractFrom(nn, 1, side.share), side.share);
    share = nn.select(nn.binary(BinaryKind::Equal, x, infinity), nn.scalar(x, 0), share);
    return nn.select(isDefined, share, nn.scalar(x, nan));
  });
}

//===----------------------------------------------------------------------===//
// Beta
//===----------------------------------------------------------------------===//

/// Returns x^a (1-x)^b gamma(a+b) / (gamma(a) gamma(b)), where `rest` is 1 - x.
static Value heightOfBeta(NnBuilder &nn, Value a, Value b, Value x, Value rest) {
  Value sum = nn.add(a, b), excess = nn.sub(nn.mul(x, b), nn.mul(rest, a));
  Value lower = distance(nn, a, nn.mul(x, nn.div(sum, a)), nn.div(excess, a));
  Value upper = distance(nn, b, nn.mul(rest, nn.div(sum, b)), nn.div(nn.unary(UnaryKind::Neg, excess), b));
  Value errors = nn.sub(stirlingError(nn, sum), nn.add(stirlingError(nn, a), stirlingError(nn, b)));
  Value root = nn.mul(nn.unary(UnaryKind::Log, nn.mul(nn.div(a, sum), b)), 0.5);
  return nn.unary(UnaryKind::Exp, nn.add(nn.add(nn.add(lower, upper), nn.add(root, -halfLogOfTwoPi)), errors));
}

Value lowerBeta(NnBuilder &nn, Value a, Value b, Value x) {
  if (!a || !b || !x)
    return {};
  Type type = getElementType(x), f64 = nn.types().getF64Type();
  a = nn.cast(a, f64);
  b = nn.cast(b, f64);
  x = nn.cast(x, f64);
  Value rest = subtractFrom(nn, 1, x), sum = nn.add(a, b), isUpper = nn.binary(BinaryKind::Greater, nn.mul(x, sum), a);
  // The upper side for a, b and x is the lower side for b, a and 1 - x.
  Value own = nn.select(isUpper, b, a), other = nn.select(isUpper, a, b);
  Value near = nn.select(isUpper, rest, x), far = nn.select(isUpper, x, rest);
  Value power = nn.add(own, 1), bend = nn.add(other, -1), odds = nn.div(near, far);
  Value pull = nn.binary(BinaryKind::Max, nn.mul(bend, odds), 0.0);
  Value rate = nn.add(nn.unary(UnaryKind::Abs, nn.sub(power, pull)), nn.unary(UnaryKind::Sqrt, nn.div(pull, far)));
  Value integral = integrate(nn, nn.binary(BinaryKind::Min, rate, power), [&](Value y) {
    Value growth = logOnePlus(nn, nn.mul(fall(nn, y), toColumn(nn, odds)));
    return nn.sub(nn.mul(growth, toColumn(nn, bend)), nn.mul(y, toColumn(nn, power)));
  });
  Value share = nn.div(nn.add(nn.mul(nn.mul(odds, sum), integral), 1), own);
  share = nn.mul(heightOfBeta(nn, a, b, x, rest), share);
  share = nn.select(isUpper, subtractFrom(nn, 1, share), share);

  Value isInside =
      nn.binary(BinaryKind::And, nn.binary(BinaryKind::Greater, x, 0.0), nn.binary(BinaryKind::Less, x, 1.0));
  Value isEnd = nn.binary(BinaryKind::Or, nn.binary(BinaryKind::Equal, x, 0.0), nn.binary(BinaryKind::Equal, x, 1.0));
  Value isOutside =
      nn.binary(BinaryKind::Or, nn.binary(BinaryKind::LessEqual, a, 0.0), nn.binary(BinaryKind::LessEqual, b, 0.0));
  share = nn.select(isEnd, x, nn.select(isInside, share, nn.scalar(x, nan)));
  return nn.cast(nn.select(isOutside, nn.scalar(x, nan), share), type);
}

} // namespace nacre::importer
