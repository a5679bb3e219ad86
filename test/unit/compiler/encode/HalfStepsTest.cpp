// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/HalfSteps.h"

#include "gtest/gtest.h"

#include <cmath>
#include <vector>

using namespace nacre::encode;

namespace {

/// Returns a chain of launches, each of which reads the result of the one before it and computes a product.
std::vector<HalfLaunch> chainOf(unsigned products) {
  std::vector<HalfLaunch> launches;
  for (unsigned product = 0; product < products; ++product)
    launches.push_back({{product}, {product + 1}, product});
  return launches;
}

HalfProduct productOf(double multiplyAdds, int64_t depth) { return {multiplyAdds, depth, depth, /*isWhole=*/false}; }

double noiseOf(const HalfProduct &product, int64_t steps) { return noiseOfHalfSum(product, {0, steps}); }

TEST(HalfSteps, NoiseGrowsWithStepsUpToTheDepth) {
  EXPECT_LT(noiseOf(productOf(1, 576), 16), noiseOf(productOf(1, 576), 64));
  EXPECT_EQ(noiseOf(productOf(1, 96), 96), noiseOf(productOf(1, 96), 256));
  // Measured: the root mean square of a sum's error is 9e-4 with 64 steps.
  EXPECT_NEAR(std::sqrt(noiseOf(productOf(1, 2304), 64)), 9e-4, 1e-4);
}

/// Transforms add noise of their own, so shorter sums gain less.
TEST(HalfSteps, WinogradAddsMoreNoise) {
  const HalfProduct product = productOf(1, 576);
  auto transformed = [&](int64_t tile, int64_t steps) { return noiseOfHalfSum(product, {tile, steps}); };
  EXPECT_GT(transformed(2, 16), 4 * noiseOf(product, 16));
  EXPECT_LT(transformed(2, 32), 2 * transformed(2, 16));
  // Measured: 1.4e-3 of a result for 64 channels and 32 steps, besides its rounding; 4.5e-3 by tiles of four outputs.
  EXPECT_NEAR(std::sqrt(transformed(2, 32)), 1.5e-3, 2e-4);
  EXPECT_NEAR(std::sqrt(transformed(4, 32)), 4.5e-3, 2e-4);
  // Values that widen to fp32 have no noise but that of the stored result.
  EXPECT_LT(transformed(4, 0), noiseOf(product, 16) / 4);
}

TEST(HalfSteps, NoiseAddsUpAlongAChainOnly) {
  const std::vector<HalfProduct> products(2, productOf(1e6, 512));
  const std::vector<HalfOption> options = {{0, 64}, {0, 64}};
  const double one = noiseOf(productOf(1e6, 512), 64);
  EXPECT_DOUBLE_EQ(noiseOfNetwork(products, chainOf(2), options), 2 * one);
  // Two branches of one value, and a launch that joins them.
  const std::vector<HalfLaunch> branches = {{{0}, {1}, 0}, {{0}, {2}, 1}, {{1, 2}, {3}, std::nullopt}};
  EXPECT_DOUBLE_EQ(noiseOfNetwork(products, branches, options), one);
}

TEST(HalfSteps, AShallowSumHasNoFlush) {
  EXPECT_EQ(chooseHalfSteps({productOf(1e6, 96)}, chainOf(1)).front().steps, 96);
  EXPECT_EQ(chooseHalfSteps({productOf(1e6, 3)}, chainOf(1)).front().steps, 16);
  EXPECT_EQ(chooseHalfSteps({productOf(1e6, 4096)}, chainOf(1)).front().steps, 256);
}

TEST(HalfSteps, LargeProductsTakeMoreStepsThanSmallOnes) {
  std::vector<HalfProduct> products(40, productOf(1e6, 512));
  products[7].multiplyAdds = 1e8;
  const std::vector<HalfLaunch> launches = chainOf(40);
  const auto options = chooseHalfSteps(products, launches);
  EXPECT_GT(options[7].steps, options[0].steps);
  EXPECT_LE(noiseOfNetwork(products, launches, options), kHalfNoise);
  // The limit is used: no product could take twice as many steps for all of its launches.
  EXPECT_GT(noiseOfNetwork(products, launches, options), kHalfNoise / 2);
}

/// Convolutions take the fastest tiles while noise allows it: first the largest ones, of which the network has few.
TEST(HalfSteps, TilesOfWinogradFollowFromNoise) {
  HalfProduct convolution = productOf(1e6, 576);
  convolution.winograd = {{4, 32, 0.35}, {2, 32, 0.55}, {4, 0, 0.7}};
  EXPECT_EQ(chooseHalfSteps({convolution}, chainOf(1)).front().tile, 4);
  std::vector<HalfProduct> products(12, convolution);
  products[3].multiplyAdds = 1e8;
  const auto options = chooseHalfSteps(products, chainOf(12));
  EXPECT_EQ(options[3].tile, 4);
  EXPECT_EQ(options[3].steps, 32);
  EXPECT_EQ(options[0].tile, 2);
  // A very deep network widens.
  for (const HalfOption &option : chooseHalfSteps(std::vector<HalfProduct>(1000, convolution), chainOf(1000)))
    EXPECT_EQ(option.steps, 0);
  // Sums of transformed values are larger, so the weights of this one allow only direct products.
  convolution.mostSteps = 64;
  EXPECT_EQ(chooseHalfSteps({convolution}, chainOf(1)).front().steps, 0);
}

TEST(HalfSteps, ADeepNetworkHasFewStepsAndNoNetworkHasFewerThan16) {
  std::vector<HalfProduct> products(1000, productOf(1e6, 512));
  for (const HalfOption &option : chooseHalfSteps(products, chainOf(1000)))
    EXPECT_EQ(option.steps, 16);
}

TEST(HalfSteps, LargeWeightsLimitSteps) {
  HalfProduct product = productOf(1e6, 4096);
  product.mostSteps = 64;
  EXPECT_EQ(chooseHalfSteps({product}, chainOf(1)).front().steps, 64);
}

TEST(HalfSteps, ASumThatMustBeWholeHasAllSteps) {
  HalfProduct depthwise = productOf(1e3, 49);
  depthwise.isWhole = true;
  std::vector<HalfProduct> products(200, productOf(1e6, 512));
  products.push_back(depthwise);
  EXPECT_EQ(chooseHalfSteps(products, chainOf(201)).back().steps, 49);
}

TEST(HalfSteps, ANetworkWithoutProductsHasNone) { EXPECT_TRUE(chooseHalfSteps({}, {}).empty()); }

} // namespace
