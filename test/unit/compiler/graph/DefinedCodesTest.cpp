// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors instead of divisions give the codes that ONNX defines, for 10,000 pairs of scales, and are found for almost
// all random ones.

#include "compiler/graph/quantized/DefinedCodes.h"

#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace nacre;
using namespace nacre::graph;
using nn::BinaryKind;

namespace {

/// A float that no compiler fuses or keeps in more digits.
struct Single {
  volatile float value;
  explicit Single(float number) : value(number) {}
};

float times(float a, float b) { return Single(a * b).value; }

float combine(BinaryKind kind, float a, float b) {
  return Single(kind == BinaryKind::Add ? a + b : kind == BinaryKind::Sub ? a - b : a * b).value;
}

double codeOf(float steps, const Coder &coder) {
  return std::fmin(std::fmax(std::nearbyint(double(steps)) + coder.zero, coder.bounds.low), coder.bounds.high);
}

/// (code - zero) * scale, then x / scale: one operation of f32 after the other.
double definedCode(float real, const Coder &coder) { return codeOf(Single(real / coder.scale).value, coder); }

class Draw {
public:
  /// A scale as calibration finds it.
  float anyScale() { return std::uniform_real_distribution<float>(0.001F, 0.1F)(random); }
  /// A scale that makes simple ratios with others.
  float roundScale() { return float(1 + below(20)) * 0.01F; }
  int64_t below(int64_t end) { return std::uniform_int_distribution<int64_t>(0, end - 1)(random); }

  Steps steps(float scale) {
    const int64_t zero = below(256);
    return {-zero, 255 - zero, scale};
  }
  Coder coder(float scale) {
    constexpr double low = -128, high = 127;
    return {scale, double(below(256)) + low, {low, high}};
  }

private:
  std::mt19937 random{7};
};

int64_t countWrong(const Steps &x, const Coder &coder, float factor) {
  int64_t wrong = 0;
  for (int64_t step = x.low; step <= x.high; ++step)
    wrong += codeOf(times(float(step), factor), coder) != definedCode(times(float(step), x.scale), coder);
  return wrong;
}

int64_t countWrong(BinaryKind kind, const Steps &a, const Steps &b, const Coder &coder, FactorPair factors) {
  int64_t wrong = 0;
  for (int64_t left = a.low; left <= a.high; ++left)
    for (int64_t right = b.low; right <= b.high; ++right) {
      const float steps = combine(kind, times(float(left), factors.a), times(float(right), factors.b));
      const float real = combine(kind, times(float(left), a.scale), times(float(right), b.scale));
      wrong += codeOf(steps, coder) != definedCode(real, coder);
    }
  return wrong;
}

TEST(DefinedCodes, FactorsOfTenThousandPairsOfScalesAreRight) {
  Draw draw;
  constexpr int pairs = 10000;
  int found = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const bool isRound = pair % 2 == 0;
    const Steps x = draw.steps(isRound ? draw.roundScale() : draw.anyScale());
    const Coder coder = draw.coder(isRound ? draw.roundScale() : draw.anyScale());
    std::optional<float> factor = findFactor(x, coder);
    if (factor)
      ASSERT_EQ(countWrong(x, coder, *factor), 0) << x.scale << " to " << coder.scale;
    found += factor && !isRound;
  }
  EXPECT_GE(found, pairs / 2 - 5);
}

TEST(DefinedCodes, NoFactorHalvesAsFloatsDo) {
  const Steps x{-128, 127, 0.02F};
  const Coder coder{0.04F, 0, {-128, 127}};
  EXPECT_GT(countWrong(x, coder, 0.5F), 0); // halves go to even codes, but 0.02F * x / 0.04F is not always one
  EXPECT_FALSE(findFactor(x, coder));
  EXPECT_FALSE(findFactors(BinaryKind::Add, x, x, coder));
}

TEST(DefinedCodes, FactorsOfSumsDifferencesAndProductsAreRight) {
  Draw draw;
  constexpr int draws = 100;
  for (BinaryKind kind : {BinaryKind::Add, BinaryKind::Sub, BinaryKind::Mul}) {
    int found = 0;
    for (int number = 0; number < draws; ++number) {
      const Steps a = draw.steps(draw.anyScale()), b = draw.steps(draw.anyScale());
      const Coder coder =
          draw.coder(kind == BinaryKind::Mul ? a.scale * b.scale * 2000 * draw.anyScale() : a.scale + b.scale);
      std::optional<FactorPair> factors = findFactors(kind, a, b, coder);
      if (factors)
        ASSERT_EQ(countWrong(kind, a, b, coder, *factors), 0) << a.scale << " and " << b.scale << " to " << coder.scale;
      found += factors.has_value();
    }
    EXPECT_GE(found, draws * 9 / 10);
  }
}

TEST(DefinedCodes, SimpleSumsAreRightOrLeftToDivide) {
  Draw draw;
  for (int number = 0; number < 100; ++number) {
    const Steps a = draw.steps(draw.roundScale()), b = draw.steps(draw.roundScale());
    const Coder coder = draw.coder(draw.roundScale());
    if (std::optional<FactorPair> factors = findFactors(BinaryKind::Add, a, b, coder))
      ASSERT_EQ(countWrong(BinaryKind::Add, a, b, coder, *factors), 0)
          << a.scale << " and " << b.scale << " to " << coder.scale;
  }
}

TEST(DefinedCodes, TooManyPairsAreNotTried) {
  const Steps wide{-32768, 32767, 0.001F};
  EXPECT_FALSE(findFactors(BinaryKind::Add, wide, wide, {0.0015F, 0, {-32768, 32767}}));
}

/// The averages of many windows have one code, forwards, backwards and in pairs, where they are said to be far from the
/// middle.
TEST(DefinedCodes, AveragesFarFromMiddlesHaveOneCode) {
  Draw draw;
  int far = 0;
  for (int number = 0; number < 200; ++number) {
    const bool isRound = number % 4 == 0;
    const Steps x = draw.steps(isRound ? draw.roundScale() : draw.anyScale());
    const Coder coder = draw.coder(isRound ? x.scale : draw.anyScale());
    constexpr int64_t cells = 4;
    if (!isAverageFarFromMiddles(x, cells, coder))
      continue;
    ++far;
    for (int window = 0; window < 2000; ++window) {
      float real[cells];
      for (float &cell : real)
        cell = times(float(x.low + draw.below(x.high - x.low + 1)), x.scale);
      const float forwards = Single(Single(Single(real[0] + real[1]).value + real[2]).value + real[3]).value,
                  backwards = Single(Single(Single(real[3] + real[2]).value + real[1]).value + real[0]).value,
                  columns = Single(Single(real[0] + real[2]).value + Single(real[1] + real[3]).value).value;
      const double code = definedCode(Single(forwards / cells).value, coder);
      ASSERT_EQ(definedCode(Single(backwards / cells).value, coder), code);
      ASSERT_EQ(definedCode(Single(columns / cells).value, coder), code);
    }
  }
  EXPECT_GE(far, 50);
  EXPECT_FALSE(isAverageFarFromMiddles({-128, 127, 0.02F}, 4, {0.02F, 0, {-128, 127}}));
}

} // namespace
