// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transforms against the sums that they stand for.

#include "codegen/form/Winograd.h"

#include "gtest/gtest.h"

using namespace nacre::codegen;

namespace {

/// The outputs of a tile, by the transforms.
llvm::SmallVector<double, 6> convolve(int64_t outputs, llvm::ArrayRef<double> d, llvm::ArrayRef<double> g) {
  const auto input = winograd::transformInput<double>(outputs, d);
  const auto filter = winograd::transformFilter<double>(outputs, g);
  llvm::SmallVector<double> products;
  for (size_t i = 0; i < input.size(); ++i)
    products.push_back(input[i] * filter[i]);
  return winograd::transformProducts<double>(outputs, products);
}

} // namespace

/// The algorithm is bilinear: what holds for every pair of unit vectors holds for all.
TEST(Winograd, EachTapMeetsItsElement) {
  for (int64_t outputs : {2, 4, 6})
    for (int64_t element = 0; element < winograd::inputsOf(outputs); ++element)
      for (int64_t tap = 0; tap < winograd::kTaps; ++tap) {
        llvm::SmallVector<double> d(winograd::inputsOf(outputs), 0);
        llvm::SmallVector<double> g(winograd::kTaps, 0);
        d[element] = g[tap] = 1;
        const auto y = convolve(outputs, d, g);
        ASSERT_EQ(int64_t(y.size()), outputs);
        for (int64_t output = 0; output < outputs; ++output)
          EXPECT_NEAR(y[output], output + tap == element ? 1 : 0, 1e-13)
              << "tiles of " << outputs << ", element " << element << ", tap " << tap << ", output " << output;
      }
}

/// Tiles of two have halves for coefficients: integers stay exact.
TEST(Winograd, IntegersAreExactInTilesOfTwo) {
  const auto y = convolve(2, {3, -7, 11, 5}, {2, 13, -4});
  EXPECT_EQ(y[0], 3 * 2 - 7 * 13 - 11 * 4);
  EXPECT_EQ(y[1], -7 * 2 + 11 * 13 - 5 * 4);
}

/// Every row of the input's transform is computed once, beside those that it shares operations with.
TEST(Winograd, GroupsHaveEveryRowOnce) {
  for (int64_t outputs : {2, 4, 6})
    for (int64_t registers : {16, 32}) {
      llvm::SmallVector<int64_t> times(winograd::inputsOf(outputs), 0);
      for (llvm::ArrayRef<int64_t> group : winograd::rowsAtOnce(outputs, registers)) {
        EXPECT_LE(int64_t(group.size()) * winograd::inputsOf(outputs), registers);
        for (int64_t row : group)
          ++times[row];
      }
      for (int64_t count : times)
        EXPECT_EQ(count, 1) << "tiles of " << outputs << ", " << registers << " registers";
    }
}
