// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transforms against the sums that they stand for.

#include "codegen/form/Winograd.h"

#include "gtest/gtest.h"
#include <string>
#include <vector>

using namespace nacre::codegen;

namespace {

std::vector<winograd::Method> allMethods() {
  std::vector<winograd::Method> methods;
  for (int64_t taps = 1; taps < 12; ++taps)
    for (int64_t outputs = 1; outputs < 12; ++outputs)
      if (const winograd::Method method = {outputs, taps}; method.exists())
        methods.push_back(method);
  return methods;
}

std::string nameOf(const winograd::Method &method) {
  return "F(" + std::to_string(method.outputs) + ", " + std::to_string(method.taps) + ")";
}

/// The outputs of a tile, by the transforms.
llvm::SmallVector<double, 6> convolve(int64_t outputs, llvm::ArrayRef<double> d, llvm::ArrayRef<double> g,
                                      winograd::Pairs pairs = winograd::Pairs::MultiplyAdds) {
  const auto input = winograd::transformInput<double>(d, pairs);
  const auto filter = winograd::transformFilter<double>(d.size(), g, pairs);
  llvm::SmallVector<double> products;
  for (size_t i = 0; i < input.size(); ++i)
    products.push_back(input[i] * filter[i]);
  return winograd::transformProducts<double>(outputs, products, pairs);
}

} // namespace

/// Filters of 3, 5 and 7 taps.
TEST(Winograd, MethodsReadEightElementsAtMost) {
  std::string names;
  for (const winograd::Method &method : allMethods())
    names += nameOf(method) + " ";
  EXPECT_EQ(names, "F(2, 3) F(4, 3) F(6, 3) F(2, 5) F(4, 5) F(2, 7) ");
}

/// The algorithm is bilinear: what holds for every pair of unit vectors holds for all.
TEST(Winograd, EachTapMeetsItsElement) {
  for (winograd::Pairs pairs : {winograd::Pairs::MultiplyAdds, winograd::Pairs::Sums})
    for (const winograd::Method &method : allMethods())
      for (int64_t element = 0; element < method.inputs(); ++element)
        for (int64_t tap = 0; tap < method.taps; ++tap) {
          llvm::SmallVector<double> d(method.inputs(), 0);
          llvm::SmallVector<double> g(method.taps, 0);
          d[element] = g[tap] = 1;
          const auto y = convolve(method.outputs, d, g, pairs);
          ASSERT_EQ(int64_t(y.size()), method.outputs);
          for (int64_t output = 0; output < method.outputs; ++output)
            EXPECT_NEAR(y[output], output + tap == element ? 1 : 0, 1e-13)
                << nameOf(method) << ", element " << element << ", tap " << tap << ", output " << output;
        }
}

/// What an element adds to the gradient of a tap, where one output's is 1.
TEST(Winograd, EachElementReachesTheGradientOfItsTap) {
  for (const winograd::Method &method : allMethods())
    for (int64_t element = 0; element < method.inputs(); ++element)
      for (int64_t output = 0; output < method.outputs; ++output) {
        llvm::SmallVector<double> d(method.inputs(), 0), y(method.outputs, 0), products;
        d[element] = y[output] = 1;
        const auto input = winograd::transformInput<double>(d),
                   outputs = winograd::transformOutputs<double>(d.size(), y);
        for (size_t i = 0; i < input.size(); ++i)
          products.push_back(input[i] * outputs[i]);
        const auto taps = winograd::transformGradients<double>(method.taps, products);
        ASSERT_EQ(int64_t(taps.size()), method.taps);
        for (int64_t tap = 0; tap < method.taps; ++tap)
          EXPECT_NEAR(taps[tap], output + tap == element ? 1 : 0, 1e-13)
              << nameOf(method) << ", element " << element << ", tap " << tap << ", output " << output;
      }
}

/// Tiles of two have halves for coefficients: integers stay exact.
TEST(Winograd, IntegersAreExactInTilesOfTwo) {
  const auto y = convolve(2, {3, -7, 11, 5}, {2, 13, -4});
  EXPECT_EQ(y[0], 3 * 2 - 7 * 13 - 11 * 4);
  EXPECT_EQ(y[1], -7 * 2 + 11 * 13 - 5 * 4);
}

/// Every row of a transform is computed once, beside those that it shares operations with.
TEST(Winograd, GroupsHaveEveryRowOnce) {
  for (const winograd::Method &method : allMethods())
    for (int64_t columns : {method.inputs(), method.taps})
      for (int64_t registers : {16, 32}) {
        llvm::SmallVector<int64_t> times(method.inputs(), 0);
        for (llvm::ArrayRef<int64_t> group : winograd::rowsAtOnce(method.inputs(), columns, registers)) {
          EXPECT_LE(int64_t(group.size()) * columns, registers);
          for (int64_t row : group)
            ++times[row];
        }
        for (int64_t count : times)
          EXPECT_EQ(count, 1) << nameOf(method) << ", " << registers << " registers";
      }
}
