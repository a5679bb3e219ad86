// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The logarithm of the gamma function, and its derivatives.
//
// Both functions are computed for positive arguments. A reflection extends them to negative arguments: gamma(x) gamma(1
// - x) = pi / sin(pi x).

#include "compiler/import/compositions/special/Gamma.h"

#include <limits>

using namespace mlir;

namespace nacre::importer {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

constexpr double pi = 3.14159265358979323846, infinity = std::numeric_limits<double>::infinity();

/// Return `number` - x, or `number` / x.
Value subtractFrom(NnBuilder &nn, double number, Value x) { return nn.add(nn.unary(UnaryKind::Neg, x), number); }
Value divide(NnBuilder &nn, double number, Value x) { return nn.mul(nn.unary(UnaryKind::Reciprocal, x), number); }

/// Returns pi times the difference of x and the next smaller integer.
Value phaseOf(NnBuilder &nn, Value x) { return nn.mul(nn.sub(x, nn.unary(UnaryKind::Floor, x)), pi); }

/// Computes log gamma(x) for x >= 0.5 by Lanczos' sum for g = 7, which has 15 digits for these x.
Value logGammaOfRight(NnBuilder &nn, Value x) {
  constexpr double first = 0.99999999999980993227684700473478;
  constexpr double terms[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                              771.3234287776530788486528258894,   -176.61502916214059906584551354,
                              12.507343278686904814458936853,     -0.13857109526572011689554707,
                              9.984369578019570859563e-6,         1.50563273514931155834e-7};
  constexpr double halfLogOfTwoPi = 0.91893853320467274178;
  Value sum;
  for (auto [index, term] : llvm::enumerate(terms)) {
    Value share = divide(nn, term, nn.add(x, static_cast<double>(index)));
    sum = sum ? nn.add(sum, share) : nn.add(share, first);
  }
  Value shifted = nn.add(x, 6.5), logarithm = nn.unary(UnaryKind::Log, shifted);
  Value power = nn.sub(nn.mul(nn.add(x, -0.5), logarithm), shifted);
  return nn.add(nn.add(power, halfLogOfTwoPi), nn.unary(UnaryKind::Log, sum));
}

/// Computes digamma by its recurrence up to x + 10, and by a series in 1 / x^2 from there.
Value digammaOfRight(NnBuilder &nn, Value x) {
  constexpr int steps = 10;
  constexpr double series[] = {1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132, -691. / 32760, 1. / 12};
  Value sum;
  for (int step = 0; step < steps; ++step) {
    Value share = divide(nn, 1, nn.add(x, step));
    sum = sum ? nn.add(sum, share) : share;
  }
  Value far = nn.add(x, steps), inverse = divide(nn, 1, far), squared = nn.mul(inverse, inverse), rest;
  for (double term : llvm::reverse(series))
    rest = nn.mul(rest ? nn.add(rest, term) : nn.scalar(squared, term), squared);
  rest = nn.add(rest, nn.mul(inverse, 0.5));
  return nn.sub(nn.sub(nn.unary(UnaryKind::Log, far), rest), sum);
}

} // namespace

Value logGamma(NnBuilder &nn, Value x) {
  if (!x)
    return {};
  Value wide = nn.cast(x, nn.types().getF64Type()), isLeft = nn.binary(BinaryKind::Less, wide, 0.5);
  Value right = logGammaOfRight(nn, nn.select(isLeft, subtractFrom(nn, 1, wide), wide));
  Value height = nn.unary(UnaryKind::Log, divide(nn, pi, nn.unary(UnaryKind::Sin, phaseOf(nn, wide))));
  Value result = nn.select(isLeft, nn.sub(height, right), right);
  Value isInfinite = nn.unary(UnaryKind::IsInf, wide);
  return nn.cast(nn.select(isInfinite, nn.scalar(wide, infinity), result), getElementType(x));
}

Value digamma(NnBuilder &nn, Value x) {
  if (!x)
    return {};
  Value wide = nn.cast(x, nn.types().getF64Type()), isLeft = nn.binary(BinaryKind::LessEqual, wide, 0.0);
  Value right = digammaOfRight(nn, nn.select(isLeft, subtractFrom(nn, 1, wide), wide));
  Value phase = phaseOf(nn, wide);
  Value slope = nn.mul(nn.div(nn.unary(UnaryKind::Cos, phase), nn.unary(UnaryKind::Sin, phase)), pi);
  Value isPole = nn.binary(BinaryKind::Equal, phase, 0.0);
  Value left = nn.select(isPole, nn.scalar(wide, std::numeric_limits<double>::quiet_NaN()), nn.sub(right, slope));
  return nn.cast(nn.select(isLeft, left, right), getElementType(x));
}

Value stirlingError(NnBuilder &nn, Value x) {
  constexpr double halfLogOfTwoPi = 0.91893853320467274178;
  // From here on, the series is exact to all digits. For smaller x, the terms of the formula are small, so that their
  // difference is exact, too.
  constexpr double firstOfSeries = 10;
  constexpr double series[] = {1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156};
  Value inverse = divide(nn, 1, x), squared = nn.mul(inverse, inverse), sum;
  for (double term : llvm::reverse(series))
    sum = sum ? nn.add(nn.mul(sum, squared), term) : nn.scalar(x, term);
  Value formula = nn.sub(nn.mul(nn.add(x, -0.5), nn.unary(UnaryKind::Log, x)), nn.add(x, -halfLogOfTwoPi));
  Value isFar = nn.binary(BinaryKind::GreaterEqual, x, firstOfSeries);
  return nn.select(isFar, nn.mul(sum, inverse), nn.sub(logGamma(nn, x), formula));
}

} // namespace nacre::importer
