// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transforms against the sums that they stand for, and the tiles against the pixels that they cover.

#include "codegen/form/WinogradPlan.h"

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

/// The part of the gradient of a tap that an element adds if one output's is 1.
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

namespace {

/// A number whose coefficients must be whole, and which says how large it gets.
struct Whole {
  int64_t value = 0;
  int64_t least = 0, most = 0; ///< Range of a sum of elements, each of which lies in a range.
};
int64_t toInteger(double factor) {
  EXPECT_EQ(factor, std::floor(factor)) << "a fraction";
  return int64_t(factor);
}
Whole operator*(Whole a, double factor) {
  const int64_t by = toInteger(factor);
  return {a.value * by, std::min(a.least * by, a.most * by), std::max(a.least * by, a.most * by)};
}
Whole operator+(Whole a, Whole b) { return {a.value + b.value, a.least + b.least, a.most + b.most}; }
Whole operator-(Whole a, Whole b) { return a + b * -1; }
Whole fma(Whole a, double factor, Whole sum) { return sum + a * factor; }

constexpr winograd::Method kOfIntegers[] = {{2, 3}, {4, 3}};

} // namespace

TEST(Winograd, OfIntegersNothingIsAFraction) {
  for (const winograd::Method &method : kOfIntegers) {
    ASSERT_TRUE(method.fitsIntegers());
    const int64_t inputs = method.inputs();
    for (int64_t element = 0; element < inputs; ++element)
      for (int64_t tap = 0; tap < method.taps; ++tap) {
        llvm::SmallVector<Whole> d(inputs), g(method.taps), products;
        d[element].value = g[tap].value = 1;
        const auto input = winograd::transformInput<Whole>(d, winograd::Pairs::Integers),
                   filter = winograd::transformFilter<Whole>(inputs, g, winograd::Pairs::Integers);
        for (size_t i = 0; i < input.size(); ++i)
          products.push_back({input[i].value * filter[i].value});
        const auto y = winograd::transformProducts<Whole>(method.outputs, products, winograd::Pairs::Integers);
        for (int64_t output = 0; output < method.outputs; ++output)
          EXPECT_EQ(y[output].value, output + tap == element ? winograd::scaleOf(inputs) : 0)
              << nameOf(method) << ", element " << element << ", tap " << tap << ", output " << output;
      }
  }
}

/// Along both dimensions: the range after one is what goes into the other.
TEST(Winograd, IntegersOf8BitsFit16) {
  auto both = [](auto transform, int64_t size, Whole number) {
    for (int dimension : {0, 1}) {
      llvm::SmallVector<Whole> all(size, number);
      (void)dimension;
      for (const Whole &result : transform(llvm::ArrayRef<Whole>(all)))
        number = {0, std::min(number.least, result.least), std::max(number.most, result.most)};
    }
    return number;
  };
  for (const winograd::Method &method : kOfIntegers) {
    const int64_t inputs = method.inputs();
    auto input = [](llvm::ArrayRef<Whole> d) { return winograd::transformInput<Whole>(d, winograd::Pairs::Integers); };
    auto filter = [&](llvm::ArrayRef<Whole> g) {
      return winograd::transformFilter<Whole>(inputs, g, winograd::Pairs::Integers);
    };
    for (Whole element : {Whole{0, 0, 255}, Whole{0, -128, 127}}) {
      const Whole range = both(input, inputs, element);
      EXPECT_GE(range.least, -32768) << nameOf(method);
      EXPECT_LE(range.most, 32767) << nameOf(method);
    }
    const Whole range = both(filter, method.taps, {0, -128, 127});
    EXPECT_GE(range.least, -32768) << nameOf(method);
    EXPECT_LE(range.most, 32767) << nameOf(method);
  }
}

/// Every row of a transform is computed once, next to those that it shares operations with.
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

TEST(WinogradPlan, TilesCoverEachOutputOnce) {
  for (int64_t outputs : {2, 4, 6})
    for (int64_t size = 1; size < 20; ++size) {
      WinogradShape shape;
      shape.images = 3;
      shape.height = shape.width = size;
      const WinogradPlan plan(shape, outputs);
      // Every tile but the last is whole. The last one has the rest.
      const int64_t last = plan.rest(size) ? plan.rest(size) : outputs;
      EXPECT_EQ((plan.across() - 1) * outputs + last, size);
      EXPECT_EQ(plan.isWhole(), plan.across() * outputs == size);
      EXPECT_EQ(plan.tiles(), 3 * plan.across() * plan.down());
      // Outputs end at the image. Its input has two more elements, the border of a filter of three taps.
      EXPECT_EQ(plan.lastElement(size, outputs), size - 1);
      EXPECT_EQ(plan.lastElement(size, plan.method.inputs()), size + 1);
    }
}

TEST(WinogradPlan, StepsAreTilesOfTheCutAxis) {
  WinogradShape shape;
  shape.images = 5;
  shape.height = 9;
  shape.width = 6;
  for (bool cutAmongImages : {false, true}) {
    shape.cutAmongImages = cutAmongImages;
    const WinogradPlan plan(shape, 4);
    EXPECT_EQ(plan.steps(), cutAmongImages ? 5 : 3);
    EXPECT_EQ(plan.tilesOfStep(), cutAmongImages ? 6 : 2);
  }
}

TEST(WinogradPlan, CountsTheDirectProducts) {
  const WinogradPlan plan(
      {/*taps=*/5, /*images=*/2, /*height=*/3, /*width=*/7, /*groups=*/2, /*inputs=*/4, /*outputs=*/6}, 2);
  EXPECT_EQ(plan.multiplyAdds(), 25 * 2 * 3 * 7 * 2 * 4 * 6);
}
