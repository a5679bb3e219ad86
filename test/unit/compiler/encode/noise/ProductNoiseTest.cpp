// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/noise/ProductNoise.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace nacre::encode;

namespace {

/// Returns the loops of one result with `terms` terms of one tap.
ProductLoops loopsOf(int64_t terms) {
  ProductLoops loops;
  loops.results = {{0, 0}};
  for (int64_t term = 0; term < terms; ++term)
    loops.terms.push_back({term, term});
  return loops;
}

double roundToHalf(double number) {
  llvm::APFloat half(number);
  bool losesInfo = false;
  half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  half.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return half.convertToDouble();
}

TEST(ProductNoise, SignalAndNoiseAreWeightedAlike) {
  const WeightNumbers weight{{2, -1}, /*isRounded=*/false};
  const Moments sum = sumProducts({{1, 4, 0, 0.25, 1}, {3, 1, 0, 1, 1}}, weight, loopsOf(2), 0).front();
  EXPECT_DOUBLE_EQ(sum.mean, 2 * 1 - 3);
  EXPECT_DOUBLE_EQ(sum.variance, 4 * 4 + 1);
  EXPECT_DOUBLE_EQ(sum.noise, 4 * 0.25 + 1);
  EXPECT_EQ(sum.offset, 0);
}

TEST(ProductNoise, OffsetsOfAChannelCancelAsItsMeanDoes) {
  const WeightNumbers weight{{3, -3}, /*isRounded=*/false};
  ProductLoops taps = loopsOf(1);
  taps.taps = {0, 1};
  const Moments ofTaps = sumProducts({{1, 1, 0.5, 0.5, 1}}, weight, taps, 0).front();
  EXPECT_EQ(ofTaps.mean, 0);
  EXPECT_EQ(ofTaps.offset, 0);
  EXPECT_DOUBLE_EQ(ofTaps.noise, 18 * 0.5);
  // Different channels have different offsets.
  const Moments ofTerms = sumProducts({{1, 1, 0.5, 0, 1}, {1, 1, 0.5, 0, 1}}, weight, loopsOf(2), 0).front();
  EXPECT_DOUBLE_EQ(ofTerms.offset, 18 * 0.5);
}

TEST(ProductNoise, RoundedWeightsAddAnOffsetToMeansAndNoiseToTheRest) {
  const WeightNumbers weight{{2}, /*isRounded=*/true};
  const Moments sum = sumProducts({{3, 5, 0, 0, 1}}, weight, loopsOf(1), 0).front();
  EXPECT_DOUBLE_EQ(sum.offset, 4 * 9 * kHalfRounding);
  EXPECT_DOUBLE_EQ(sum.noise, 4 * 5 * kHalfRounding);
}

TEST(ProductNoise, RepeatsCountOffsetsTwice) {
  const WeightNumbers weight{{2}, /*isRounded=*/false};
  ProductLoops loops = loopsOf(1);
  loops.repeats = 10;
  const Moments sum = sumProducts({{1, 1, 0.5, 0.25, 1}}, weight, loops, 0).front();
  EXPECT_DOUBLE_EQ(sum.mean, 20);
  EXPECT_DOUBLE_EQ(sum.noise, 10 * 4 * 0.25);
  EXPECT_DOUBLE_EQ(sum.offset, 20 * 20 * 0.5);
}

TEST(ProductNoise, MergedWeightsHaveTheirPower) {
  const Moments merged = WeightNumbers{{0, 2, 4, 2}, /*isRounded=*/true}.merged();
  EXPECT_DOUBLE_EQ(merged.mean, 2);
  EXPECT_DOUBLE_EQ(merged.power(), 6);
  EXPECT_DOUBLE_EQ(merged.noise, 6 * kHalfRounding);
  EXPECT_DOUBLE_EQ(merged.nonzero, 0.75);
}

TEST(ProductNoise, BothFactorsMayHaveNoise) {
  const std::vector<Moments> left = {{1, 2, 0, 0.5, 1}}, right = {{3, 4, 0, 0.25, 1}};
  const Moments sum = sumProducts(left, right, loopsOf(1), 0).front();
  EXPECT_DOUBLE_EQ(sum.power(), (1 + 2) * (9 + 4));
  EXPECT_DOUBLE_EQ(sum.noise, 0.5 * (9 + 4) + 0.25 * (1 + 2));
}

/// Sums of random products in fp16 have the predicted noise. `share` of the left factors is not 0.
void expectNoiseOfSums(int64_t depth, int64_t steps, double share) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  double errors = 0, power = 0;
  for (int sample = 0; sample < 1000; ++sample) {
    double exact = 0, sum = 0, part = 0;
    for (int64_t step = 0; step < depth; ++step) {
      const double left = uniform(random) < share ? roundToHalf(normal(random)) : 0;
      const double right = roundToHalf(normal(random));
      exact += left * right;
      part = roundToHalf(part + left * right);
      if ((step + 1) % steps == 0 || step + 1 == depth) {
        sum += part;
        part = 0;
      }
    }
    errors += (sum - exact) * (sum - exact);
    power += exact * exact;
  }
  const WeightNumbers weight{std::vector<float>(depth, 1), /*isRounded=*/false};
  const std::vector<Moments> left(depth, {0, share, 0, 0, share});
  const Moments predicted = sumProducts(left, weight, loopsOf(depth), std::min(depth, steps)).front();
  const double decibels = 10 * std::log10((errors / power) / (predicted.noise / predicted.power()));
  EXPECT_LT(std::fabs(decibels), 1) << depth << " terms, " << steps << " steps";
}

TEST(ProductNoise, SumsOfHalvesFitASimulation) {
  expectNoiseOfSums(16, 16, 1);
  expectNoiseOfSums(128, 64, 1);
  expectNoiseOfSums(144, 144, 1);
  expectNoiseOfSums(128, 64, 0.5);
}

} // namespace
