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

TEST(HalfSteps, NoiseGrowsWithStepsUpToTheDepth) {
  EXPECT_LT(noiseOfHalfSum(productOf(1, 576), 16), noiseOfHalfSum(productOf(1, 576), 64));
  EXPECT_EQ(noiseOfHalfSum(productOf(1, 96), 96), noiseOfHalfSum(productOf(1, 96), 256));
  // Measured: the root mean square of a sum's error is 9e-4 with 64 steps.
  EXPECT_NEAR(std::sqrt(noiseOfHalfSum(productOf(1, 2304), 64)), 9e-4, 1e-4);
}

/// Transforms add noise of their own, so shorter sums gain less.
TEST(HalfSteps, WinogradAddsMoreNoise) {
  HalfProduct transformed = productOf(1, 64);
  transformed.isWinograd = true;
  EXPECT_GT(noiseOfHalfSum(transformed, 16), 4 * noiseOfHalfSum(productOf(1, 64), 16));
  EXPECT_LT(noiseOfHalfSum(transformed, 32), 2 * noiseOfHalfSum(transformed, 16));
  // Measured: 1.4e-3 of a result for 64 channels and 32 steps, besides its rounding.
  EXPECT_NEAR(std::sqrt(noiseOfHalfSum(transformed, 32)), 1.5e-3, 2e-4);
}

TEST(HalfSteps, NoiseAddsUpAlongAChainOnly) {
  const std::vector<HalfProduct> products(2, productOf(1e6, 512));
  const std::vector<int64_t> steps = {64, 64};
  const double one = noiseOfHalfSum(productOf(1e6, 512), 64);
  EXPECT_DOUBLE_EQ(noiseOfNetwork(products, chainOf(2), steps), 2 * one);
  // Two branches of one value, and a launch that joins them.
  const std::vector<HalfLaunch> branches = {{{0}, {1}, 0}, {{0}, {2}, 1}, {{1, 2}, {3}, std::nullopt}};
  EXPECT_DOUBLE_EQ(noiseOfNetwork(products, branches, steps), one);
}

TEST(HalfSteps, AShallowSumHasNoFlush) {
  EXPECT_EQ(chooseHalfSteps({productOf(1e6, 96)}, chainOf(1)).front(), 96);
  EXPECT_EQ(chooseHalfSteps({productOf(1e6, 3)}, chainOf(1)).front(), 16);
  EXPECT_EQ(chooseHalfSteps({productOf(1e6, 4096)}, chainOf(1)).front(), 256);
}

TEST(HalfSteps, LargeProductsTakeMoreStepsThanSmallOnes) {
  std::vector<HalfProduct> products(40, productOf(1e6, 512));
  products[7].multiplyAdds = 1e8;
  const std::vector<HalfLaunch> launches = chainOf(40);
  const auto steps = chooseHalfSteps(products, launches);
  EXPECT_GT(steps[7], steps[0]);
  EXPECT_LE(noiseOfNetwork(products, launches, steps), kHalfNoise);
  // The limit is used: no product could take twice as many steps for all of its launches.
  EXPECT_GT(noiseOfNetwork(products, launches, steps), kHalfNoise / 2);
}

TEST(HalfSteps, ADeepNetworkHasFewStepsAndNoNetworkHasFewerThan16) {
  std::vector<HalfProduct> products(1000, productOf(1e6, 512));
  for (int64_t steps : chooseHalfSteps(products, chainOf(1000)))
    EXPECT_EQ(steps, 16);
}

TEST(HalfSteps, LargeWeightsLimitSteps) {
  HalfProduct product = productOf(1e6, 4096);
  product.mostSteps = 64;
  EXPECT_EQ(chooseHalfSteps({product}, chainOf(1)).front(), 64);
}

TEST(HalfSteps, ASumThatMustBeWholeHasAllSteps) {
  HalfProduct depthwise = productOf(1e3, 49);
  depthwise.isWhole = true;
  std::vector<HalfProduct> products(200, productOf(1e6, 512));
  products.push_back(depthwise);
  EXPECT_EQ(chooseHalfSteps(products, chainOf(201)).back(), 49);
}

TEST(HalfSteps, ANetworkWithoutProductsHasNone) { EXPECT_TRUE(chooseHalfSteps({}, {}).empty()); }

} // namespace
