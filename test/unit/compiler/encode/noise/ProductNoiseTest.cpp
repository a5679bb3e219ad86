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
  const Moments sum = sumProducts({{1, 4, 0, 0.25, 1}, {3, 1, 0, 1, 1}}, weight, loopsOf(2), {}).front();
  EXPECT_DOUBLE_EQ(sum.mean, 2 * 1 - 3);
  EXPECT_DOUBLE_EQ(sum.variance, 4 * 4 + 1);
  EXPECT_DOUBLE_EQ(sum.noise, 4 * 0.25 + 1);
  EXPECT_EQ(sum.offset, 0);
}

TEST(ProductNoise, OffsetsOfAChannelCancelAsItsMeanDoes) {
  const WeightNumbers weight{{3, -3}, /*isRounded=*/false};
  ProductLoops taps = loopsOf(1);
  taps.taps = {0, 1};
  const Moments ofTaps = sumProducts({{1, 1, 0.5, 0.5, 1}}, weight, taps, {}).front();
  EXPECT_EQ(ofTaps.mean, 0);
  EXPECT_EQ(ofTaps.offset, 0);
  EXPECT_DOUBLE_EQ(ofTaps.noise, 18 * 0.5);
  // Different channels have different offsets.
  const Moments ofTerms = sumProducts({{1, 1, 0.5, 0, 1}, {1, 1, 0.5, 0, 1}}, weight, loopsOf(2), {}).front();
  EXPECT_DOUBLE_EQ(ofTerms.offset, 18 * 0.5);
}

TEST(ProductNoise, RoundedWeightsAddAnOffsetToMeansAndNoiseToTheRest) {
  const WeightNumbers weight{{2}, /*isRounded=*/true};
  const Moments sum = sumProducts({{3, 5, 0, 0, 1}}, weight, loopsOf(1), {}).front();
  EXPECT_DOUBLE_EQ(sum.offset, 4 * 9 * kHalfRounding);
  EXPECT_DOUBLE_EQ(sum.noise, 4 * 5 * kHalfRounding);
}

TEST(ProductNoise, RepeatsCountOffsetsTwice) {
  const WeightNumbers weight{{2}, /*isRounded=*/false};
  ProductLoops loops = loopsOf(1);
  loops.repeats = 10;
  const Moments sum = sumProducts({{1, 1, 0.5, 0.25, 1}}, weight, loops, {}).front();
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
  const Moments sum = sumProducts(left, right, loopsOf(1), {}).front();
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
  const Moments predicted = sumProducts(left, weight, loopsOf(depth), {std::min(depth, steps)}).front();
  const double decibels = 10 * std::log10((errors / power) / (predicted.noise / predicted.power()));
  EXPECT_LT(std::fabs(decibels), 1) << depth << " terms, " << steps << " steps";
}

TEST(ProductNoise, SumsOfHalvesFitASimulation) {
  expectNoiseOfSums(16, 16, 1);
  expectNoiseOfSums(128, 64, 1);
  expectNoiseOfSums(144, 144, 1);
  expectNoiseOfSums(128, 64, 0.5);
}

TEST(ProductNoise, LargeSumsOfHalvesHaveMoreNoise) {
  // The sums that a pool would choose: those above 1.5 standard deviations.
  constexpr int64_t depth = 64;
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  double errors = 0, squares = 0;
  int64_t count = 0;
  for (int sample = 0; sample < 20000; ++sample) {
    double exact = 0, sum = 0;
    for (int64_t step = 0; step < depth; ++step) {
      const double product = roundToHalf(normal(random)) * roundToHalf(normal(random));
      exact += product;
      sum = roundToHalf(sum + product);
    }
    if (exact < 1.5 * std::sqrt(double(depth)))
      continue;
    errors += (sum - exact) * (sum - exact);
    squares += exact * exact;
    ++count;
  }
  const WeightNumbers weight{std::vector<float>(depth, 1), /*isRounded=*/false};
  const Moments all =
      sumProducts(std::vector<Moments>(depth, {0, 1, 0, 0, 1}), weight, loopsOf(depth), {depth}).front();
  const double ofLarge = all.noise - all.scaled + all.scaled * (squares / double(count)) / all.power();
  EXPECT_GT(ofLarge, 1.5 * all.noise);
  EXPECT_LT(std::fabs(10 * std::log10(errors / double(count) / ofLarge)), 1);
}

/// Returns the noise of F(2, 3) convolutions of one row whose transformed values, products and results are halves,
/// relative to the signal. Inputs are `mean`, which differs by channel, plus normal numbers times `rest`.
double noiseOfTransformedSums(double mean, double rest) {
  constexpr int channels = 16;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  double errors = 0, power = 0;
  for (int sample = 0; sample < 2000; ++sample) {
    double sums[4] = {}, exact[2] = {};
    for (int channel = 0; channel < channels; ++channel) {
      const double level = mean * normal(random);
      double x[4], w[3];
      for (double &number : x)
        number = roundToHalf(level + rest * normal(random));
      for (double &number : w)
        number = roundToHalf(normal(random));
      for (int output = 0; output < 2; ++output)
        for (int tap = 0; tap < 3; ++tap)
          exact[output] += x[output + tap] * w[tap];
      const double inputs[] = {x[0] - x[2], x[1] + x[2], x[2] - x[1], x[1] - x[3]};
      const double weights[] = {w[0], (w[0] + w[1] + w[2]) / 2, (w[0] - w[1] + w[2]) / 2, w[2]};
      for (int term = 0; term < 4; ++term)
        sums[term] = roundToHalf(sums[term] + roundToHalf(inputs[term]) * roundToHalf(weights[term]));
    }
    const double results[] = {roundToHalf(roundToHalf(sums[0] + sums[1]) + sums[2]),
                              roundToHalf(roundToHalf(sums[1] - sums[2]) - sums[3])};
    for (int output = 0; output < 2; ++output) {
      errors += (results[output] - exact[output]) * (results[output] - exact[output]);
      power += exact[output] * exact[output];
    }
  }
  return errors / power;
}

TEST(ProductNoise, TransformsDoNotAmplifyNoiseOfMeans) {
  // Nine taps of each of 16 channels. Six of nine weights are positive, so they add up to 3, as random ones do.
  constexpr int64_t channels = 16, taps = 9;
  WeightNumbers weight{std::vector<float>(channels * taps, 1), /*isRounded=*/false};
  for (int64_t place = 0; place < channels * taps; place += 3)
    weight.numbers[place] = -1;
  ProductLoops loops;
  loops.results = {{0, 0}};
  for (int64_t channel = 0; channel < channels; ++channel)
    loops.terms.push_back({channel, taps * channel});
  loops.taps.clear();
  for (int64_t tap = 0; tap < taps; ++tap)
    loops.taps.push_back(tap);
  auto predict = [&](double mean, double variance, int64_t tile) {
    std::vector<Moments> left;
    for (int64_t channel = 0; channel < channels; ++channel)
      left.push_back({channel % 2 ? mean : -mean, variance, 0, 0, 1});
    return sumProducts(left, weight, loops, {channels, tile}).front().noisePower() / double(channels * taps);
  };
  // Numbers without a mean have the noise that was measured for random images.
  EXPECT_NEAR(predict(0, 1, 2), kHalfStepNoise * double(equalStepsOfWinograd(2, channels)), 1e-12);
  EXPECT_NEAR(predict(0, 1, 4), kHalfStepNoise * double(equalStepsOfWinograd(4, channels)), 1e-12);
  // The noise of a mean does not depend on the tile. A simulation of one dimension has as much.
  EXPECT_EQ(predict(1, 0, 2), predict(1, 0, 4));
  const double simulated = noiseOfTransformedSums(1, 0), predicted = predict(1, 0, 2);
  EXPECT_LT(std::fabs(10 * std::log10(simulated / predicted)), 2) << simulated << " " << predicted;
  EXPECT_LT(simulated, noiseOfTransformedSums(0, 1));
}

} // namespace
