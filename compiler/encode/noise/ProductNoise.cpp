// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/noise/ProductNoise.h"

using namespace llvm;

namespace nacre::encode {

Moments WeightNumbers::merged() const {
  Moments all;
  all.nonzero = 0;
  double squares = 0;
  const double share = 1 / double(std::max<size_t>(1, numbers.size()));
  for (double number : numbers) {
    all.mean += share * number;
    squares += share * number * number;
    all.nonzero += number != 0 ? share : 0;
  }
  all.variance = std::max(0.0, squares - all.mean * all.mean);
  all.noise = isRounded ? kHalfRounding * squares : 0;
  return all;
}

namespace {

/// Sums over the taps of a term, of the right operand.
struct TapSums {
  double mean = 0, power = 0, variance = 0, offset = 0, noise = 0, nonzero = 0;
};

} // namespace

/// Adds the noise of sums in fp16 to their moments. A result is a sum of `blocks` sums in fp16. The mean squares of its
/// terms add up to `power`; those of means of channels, over all taps, to `means`.
static void addNoiseOfSums(Moments &moments, const HalfSum &half, double nonzero, double power, double means,
                           double blocks) {
  const double noise = kHalfRounding * nonzero;
  if (half.tile > 0) {
    // Transforms are differences of neighbors, of which most have no part of the mean of a channel. So the large
    // factors of transforms amplify only the noise of what differs from it.
    constexpr double roundingsOfMean = 8;
    const double ofMeans = std::min(means, power);
    moments.noise += noise / 2 * double(equalStepsOfWinograd(half.tile, half.steps)) * (power - ofMeans);
    moments.noise += noise / 2 * (double(half.steps) + roundingsOfMean) * ofMeans;
    moments.offset += kHalfRounding * ofMeans; // Transformed weights are rounded once more.
    return;
  }
  // Partial sums lead from 0 to the sum x of a block. The mean square of a partial sum is x^2/3 on average, plus a
  // sixth of the variance of x, because a path that leads to x need not be straight. The sum of a block is a share of
  // the result, plus a part that other blocks compensate.
  const double squares = moments.power();
  const double scaled = noise * double(half.steps) * squares / (3 * blocks);
  moments.scaled += scaled;
  moments.noise += scaled + noise * double(half.steps) * power * (1.0 / 6 + (1 - 1 / blocks) / 3);
}

template <typename RightAt>
static std::vector<Moments> sumProductsOf(ArrayRef<Moments> left, RightAt rightAt, const ProductLoops &loops,
                                          const HalfSum &half) {
  std::vector<Moments> results(loops.results.size());
  std::vector<double> powers(results.size()), means(results.size()), nonzeros(results.size());
  std::vector<TapSums> sums(results.size());
  const double repeats = loops.repeats;
  for (const ProductLoops::Step &term : loops.terms) {
    sums.assign(results.size(), {});
    // The results are the inner loop, because the numbers of a weight are mostly contiguous along them.
    for (int64_t tap : loops.taps)
      for (size_t result = 0; result < results.size(); ++result) {
        const Moments right = rightAt(term.right + tap + loops.results[result].right);
        TapSums &sum = sums[result];
        sum.mean += right.mean;
        sum.power += right.mean * right.mean;
        sum.variance += right.variance;
        sum.offset += right.offset;
        sum.noise += right.noise;
        sum.nonzero += right.nonzero;
      }
    for (size_t result = 0; result < results.size(); ++result) {
      const Moments &factor = left[term.left + loops.results[result].left];
      const TapSums &sum = sums[result];
      const double power = factor.power(), squares = sum.power + sum.variance;
      Moments &moments = results[result];
      moments.mean += repeats * factor.mean * sum.mean;
      moments.variance += repeats * (factor.variance * squares + factor.mean * factor.mean * sum.variance);
      moments.offset += factor.offset * (repeats * sum.mean) * (repeats * sum.mean) +
                        repeats * repeats * factor.mean * factor.mean * sum.offset;
      moments.noise += repeats * (factor.noise * squares + factor.offset * sum.variance + power * sum.noise +
                                  factor.variance * sum.offset);
      powers[result] += repeats * power * squares;
      const double mean = repeats * factor.mean * sum.mean;
      means[result] += mean * mean;
      nonzeros[result] += factor.nonzero * sum.nonzero;
    }
  }
  // A product with 0 rounds nothing.
  const double products = double(loops.terms.size() * loops.taps.size());
  const double blocks = std::max(1.0, products * repeats / double(std::max<int64_t>(1, half.steps)));
  for (size_t result = 0; half.steps > 0 && result < results.size(); ++result)
    addNoiseOfSums(results[result], half, nonzeros[result] / products, powers[result], means[result], blocks);
  return results;
}

std::vector<Moments> sumProducts(ArrayRef<Moments> left, ArrayRef<Moments> right, const ProductLoops &loops,
                                 const HalfSum &half) {
  return sumProductsOf(left, [&](int64_t place) { return right[place]; }, loops, half);
}

std::vector<Moments> sumProducts(ArrayRef<Moments> left, const WeightNumbers &right, const ProductLoops &loops,
                                 const HalfSum &half) {
  return sumProductsOf(left, [&](int64_t place) { return right.at(place); }, loops, half);
}

int64_t equalStepsOfWinograd(int64_t tile, int64_t steps) {
  // Measured on random convolutions of 16 to 512 channels. Tiles of two outputs: errors of 0.8e-3 to 1.2e-3 with 16
  // steps, 0.9e-3 to 1.5e-3 with 32, and 0.9e-3 to 2e-3 with 64. Tiles of four outputs: 3.5e-3, 4.5e-3 and 6e-3.
  constexpr int64_t ofTransforms = 80, ofLargeTransforms = 430;
  return tile > 2 ? ofLargeTransforms + 37 * steps : ofTransforms + 7 * steps / 2;
}

} // namespace nacre::encode
