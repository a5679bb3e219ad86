// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has five parts: 0. operations of f32; 1. factors of one tensor; 2. of two tensors; 3. of one tensor and
// constants; 4. averages. Operations of f32 are computed in double and then rounded. This gives the same bits, and
// prevents compilers from fusing them.

#include "compiler/graph/quantized/DefinedCodes.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::BinaryKind;

//===----------------------------------------------------------------------===//
// 0. Operations of f32
//===----------------------------------------------------------------------===//

// A double holds products of two floats exactly. For sums and quotients, double has enough more digits that the second
// rounding changes nothing.
float add(float a, float b) { return static_cast<float>(static_cast<double>(a) + static_cast<double>(b)); }
float multiply(float a, float b) { return static_cast<float>(static_cast<double>(a) * static_cast<double>(b)); }
float divide(float a, float b) { return static_cast<float>(static_cast<double>(a) / static_cast<double>(b)); }

/// Returns the float that is `ulps` floats further away from zero.
float moveBy(float number, int ulps) {
  const float end = ulps < 0 ? 0.0F : std::copysign(std::numeric_limits<float>::infinity(), number);
  for (int place = 0; place < std::abs(ulps); ++place)
    number = std::nextafter(number, end);
  return number;
}

/// Largest relative error of rounding to f32.
constexpr double roundingError = 0x1p-24;

double distanceToMiddle(double steps) { return std::fabs(steps - std::floor(steps) - 0.5); }

/// True if all values within `error` of `steps` get the smallest code, or all get the largest code.
bool isClamped(const Coder &coder, double steps, double error) {
  const double code = steps + coder.zero;
  return code + error < coder.bounds.low - 0.5 || code - error > coder.bounds.high + 0.5;
}

} // namespace

double Coder::round(float steps) const {
  // Clamping also handles infinities. For 8-bit and 16-bit codes, adding the zero point is exact.
  return std::clamp(std::nearbyint(static_cast<double>(steps)) + zero, bounds.low, bounds.high);
}

double Coder::code(float real) const { return round(divide(real, scale)); }

//===----------------------------------------------------------------------===//
// 1. One tensor
//===----------------------------------------------------------------------===//

std::optional<float> findFactor(const Steps &x, const Coder &coder) {
  auto isRight = [&](float factor) {
    for (int64_t step = x.low; step <= x.high; ++step) {
      const auto number = static_cast<float>(step);
      if (coder.round(multiply(number, factor)) != coder.code(multiply(number, x.scale)))
        return false;
    }
    return true;
  };
  // The quotient of the scales has at most two rounding errors, so factors further away than `furthest` are not tried.
  constexpr int furthest = 4;
  const float quotient = divide(x.scale, coder.scale);
  for (int distance = 0; distance <= furthest; ++distance)
    for (int ulps : {distance, -distance})
      if (const float factor = moveBy(quotient, ulps); isRight(factor))
        return factor;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// 2. Two tensors
//===----------------------------------------------------------------------===//

namespace {

float apply(BinaryKind kind, float a, float b) {
  return kind == BinaryKind::Mul ? multiply(a, b) : add(a, kind == BinaryKind::Sub ? -b : b);
}

/// Two steps whose code depends on how their sum or product is rounded.
struct ClosePair {
  float a, b;
  double code;
};

class PairSearch {
public:
  PairSearch(BinaryKind kind, const Steps &a, const Steps &b, const Coder &coder)
      : kind(kind), a(a), b(b), coder(coder) {
    for (int64_t left = a.low; left <= a.high; ++left)
      for (int64_t right = b.low; right <= b.high; ++right)
        if (isClose(static_cast<double>(left), static_cast<double>(right)))
          close.push_back(readPair(left, right));
  }

  std::optional<FactorPair> find() const {
    // GPU drivers may fuse a product and a sum. First search for factors that are correct with and without fusing.
    for (bool ifFused : {true, false})
      for (int distance = 0; distance <= 2 * furthest; ++distance)
        for (int ofA = -std::min(distance, furthest); ofA <= std::min(distance, furthest); ++ofA)
          for (int sign : {1, -1}) {
            const int ofB = sign * (distance - std::abs(ofA));
            if (std::abs(ofB) > furthest || (ofB == 0 && sign < 0))
              continue;
            if (FactorPair factors = makeFactors(ofA, ofB); isRight(factors, ifFused))
              return factors;
          }
    return std::nullopt;
  }

private:
  /// Largest distance of a factor from the quotient of the scales, in units in the last place (ulps).
  static constexpr int furthest = 6;

  bool isClose(double left, double right) const {
    const double x = left * static_cast<double>(a.scale), y = right * static_cast<double>(b.scale);
    const bool multiplies = kind == BinaryKind::Mul;
    const double exact = (multiplies                ? x * y
                          : kind == BinaryKind::Sub ? x - y
                                                    : x + y) /
                         static_cast<double>(coder.scale);
    const double largest =
        (multiplies ? std::fabs(x * y) : std::fabs(x) + std::fabs(y)) / static_cast<double>(coder.scale);
    // One ulp is at most two rounding errors. Both factors may be `furthest` ulps away from the quotients. The two
    // computations round some more times.
    constexpr double errors = 2 * (2 * furthest) + 2 * 5;
    const double error = largest * errors * roundingError;
    return distanceToMiddle(exact) <= error && !isClamped(coder, exact, error);
  }

  ClosePair readPair(int64_t left, int64_t right) const {
    ClosePair pair{static_cast<float>(left), static_cast<float>(right), 0};
    pair.code = coder.code(apply(kind, multiply(pair.a, a.scale), multiply(pair.b, b.scale)));
    return pair;
  }

  FactorPair makeFactors(int ofA, int ofB) const {
    // For a product, only one of both factors includes the scale of the result.
    const float quotient = kind == BinaryKind::Mul ? b.scale : divide(b.scale, coder.scale);
    return {moveBy(divide(a.scale, coder.scale), ofA), moveBy(quotient, ofB)};
  }

  bool isRight(const FactorPair &factors, bool ifFused) const {
    return llvm::all_of(close, [&](const ClosePair &pair) {
      const float x = multiply(pair.a, factors.a), y = multiply(pair.b, factors.b);
      if (coder.round(apply(kind, x, y)) != pair.code)
        return false;
      if (!ifFused || kind == BinaryKind::Mul)
        return true;
      const float sign = kind == BinaryKind::Sub ? -1.0F : 1.0F;
      return coder.round(std::fma(pair.a, factors.a, sign * y)) == pair.code &&
             coder.round(std::fma(sign * pair.b, factors.b, x)) == pair.code;
    });
  }

  BinaryKind kind;
  Steps a, b;
  Coder coder;
  SmallVector<ClosePair, 0> close;
};

} // namespace

std::optional<FactorPair> findFactors(BinaryKind kind, const Steps &a, const Steps &b, const Coder &coder) {
  constexpr int64_t mostPairs = int64_t(1) << 16;
  if ((a.high - a.low + 1) * (b.high - b.low + 1) > mostPairs)
    return std::nullopt;
  return PairSearch(kind, a, b, coder).find();
}

//===----------------------------------------------------------------------===//
// 3. One tensor and constants
//===----------------------------------------------------------------------===//

namespace {

class ConstantSearch {
public:
  ConstantSearch(BinaryKind kind, const Steps &x, const Coder &coder) : kind(kind), x(x), coder(coder) {}

  /// Returns the replacement of `constant` if the factor of the steps is `factor`. Returns `nullopt` if no number
  /// works.
  std::optional<float> find(float factor, float constant) const {
    const float quotient = divide(constant, coder.scale);
    for (int distance = 0; distance <= furthest; ++distance)
      for (int ulps : {distance, -distance})
        if (const float moved = moveBy(quotient, ulps); isRight(factor, constant, moved))
          return moved;
    return std::nullopt;
  }

  static constexpr int furthest = 6;

private:
  bool isRight(float factor, float constant, float moved) const {
    for (int64_t step = x.low; step <= x.high; ++step) {
      const auto number = static_cast<float>(step);
      const double code = coder.code(apply(kind, multiply(number, x.scale), constant));
      if (coder.round(apply(kind, multiply(number, factor), moved)) != code)
        return false;
      const float addend = kind == BinaryKind::Sub ? -moved : moved;
      if (kind != BinaryKind::Mul && coder.round(std::fma(number, factor, addend)) != code)
        return false;
    }
    return true;
  }

  BinaryKind kind;
  Steps x;
  Coder coder;
};

} // namespace

std::optional<FactorOfConstants> findFactors(BinaryKind kind, const Steps &x, ArrayRef<float> constants,
                                             const Coder &coder) {
  // Larger constants are excluded, because sums and products could be infinite.
  constexpr float largest = 0x1p60F;
  constexpr size_t most = size_t(1) << 14;
  if (constants.size() > most || llvm::any_of(constants, [](float number) { return !(std::fabs(number) <= largest); }))
    return std::nullopt;
  const ConstantSearch search(kind, x, coder);
  // For a product, the constants include the scale of the result, and the factor of the steps is the scale of the
  // tensor.
  const float quotient = kind == BinaryKind::Mul ? x.scale : divide(x.scale, coder.scale);
  const int furthest = kind == BinaryKind::Mul ? 0 : ConstantSearch::furthest;
  for (int distance = 0; distance <= furthest; ++distance)
    for (int ulps : {distance, -distance}) {
      FactorOfConstants found{moveBy(quotient, ulps), {}};
      for (float constant : constants) {
        std::optional<float> moved = search.find(found.factor, constant);
        if (!moved)
          break;
        found.constants.push_back(*moved);
      }
      if (found.constants.size() == constants.size())
        return found;
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// 4. Averages
//===----------------------------------------------------------------------===//

bool isAverageFarFromMiddles(const Steps &x, int64_t count, const Coder &coder) {
  const auto cells = static_cast<double>(count);
  const double ofStep = static_cast<double>(x.scale) / (cells * static_cast<double>(coder.scale));
  const auto largest = static_cast<double>(std::max(std::abs(x.low), std::abs(x.high)));
  // Count the roundings: each product, each partial sum of 2 to `count` terms, the average, and its quotient. In the
  // other computation, the factor of the sums is rounded twice, and the product with it once.
  const double roundings = cells + cells * (cells + 1) / 2 + 2 * cells + 3 * cells;
  const double error = roundings * largest * ofStep * roundingError;
  for (int64_t sum = count * x.low; sum <= count * x.high; ++sum) {
    const double steps = static_cast<double>(sum) * ofStep;
    if (distanceToMiddle(steps) <= error && !isClamped(coder, steps, error))
      return false;
  }
  return true;
}

} // namespace nacre::graph
