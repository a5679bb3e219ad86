// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of f32 as floats of 16 bits: the result of each, and the warning for all.

#include "compiler/encode/WeightRounding.h"

#include "gtest/gtest.h"
#include <limits>
#include <vector>

using namespace nacre;
using namespace nacre::encode;

namespace {

std::vector<uint16_t> rounded(WeightRounding &rounding, const std::vector<float> &numbers) {
  std::vector<uint16_t> codes(numbers.size());
  rounding.round(numbers, codes);
  return codes;
}

/// Every exponent with digits that round down, up, and to even from both sides.
std::vector<float> numbersOfAllSizes() {
  std::vector<float> numbers = {0,
                                -0.0f,
                                std::numeric_limits<float>::denorm_min(),
                                std::numeric_limits<float>::max(),
                                std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN()};
  for (int exponent = -149; exponent < 128; ++exponent)
    for (double digits : {1.0, 1.0 + 0x1p-11, 1.0 + 0x3p-11, 1.0 + 0x1p-8, 1.0 + 0x3p-8, 1.2345678, 1.9999999})
      for (double sign : {1.0, -1.0})
        numbers.push_back(float(sign * std::ldexp(digits, exponent)));
  return numbers;
}

} // namespace

/// The fast way and the format's own function agree on every number.
TEST(WeightRounding, CodesAreTheFormats) {
  for (const nn::FloatFormat *format : {&nn::formatF16, &nn::formatBF16}) {
    WeightRounding rounding(*format);
    const std::vector<float> numbers = numbersOfAllSizes();
    const std::vector<uint16_t> codes = rounded(rounding, numbers);
    for (size_t i = 0; i < numbers.size(); ++i)
      EXPECT_EQ(codes[i], nn::encode(*format, numbers[i], /*saturates=*/false)) << numbers[i];
  }
}

TEST(WeightRounding, WhatTheTypeHasCostsNothing) {
  WeightRounding rounding(nn::formatF16);
  rounded(rounding, {1, -0.5f, 65504, 0, 0x1p-24f});
  EXPECT_EQ(rounding.largestRelativeError(), 0);
  EXPECT_EQ(rounding.relativeError(), 0);
  EXPECT_EQ(rounding.overflow(), 0);
  EXPECT_TRUE(rounding.keepsDigits());
}

TEST(WeightRounding, ErrorsAreRelative) {
  WeightRounding rounding(nn::formatF16);
  rounded(rounding, {3, 1 + 0x1p-11f});
  rounded(rounding, {4});
  const double error = 0x1p-11, number = 1 + 0x1p-11;
  EXPECT_DOUBLE_EQ(rounding.largestRelativeError(), error / number);
  EXPECT_DOUBLE_EQ(rounding.relativeError(), error / std::sqrt(9 + number * number + 16));
  EXPECT_TRUE(rounding.keepsDigits());
}

TEST(WeightRounding, TheFirstNumberBeyondIsNamed) {
  WeightRounding half(nn::formatF16), bfloat(nn::formatBF16);
  rounded(half, {65519, std::numeric_limits<float>::infinity()});
  EXPECT_EQ(half.overflow(), 0) << "rounds to the largest; an infinity stays one";
  rounded(half, {1, -65520, 70000});
  EXPECT_EQ(half.overflow(), -65520);
  rounded(bfloat, {1e38f});
  EXPECT_EQ(bfloat.overflow(), 0);
  rounded(bfloat, {std::numeric_limits<float>::max()});
  EXPECT_EQ(bfloat.overflow(), std::numeric_limits<float>::max());
}

/// Few of many are of no account; where most are subnormal, digits are lost.
TEST(WeightRounding, SmallNumbersLoseDigits) {
  WeightRounding few(nn::formatF16), most(nn::formatF16), wide(nn::formatBF16);
  rounded(few, {1, 1.1e-7f});
  EXPECT_TRUE(few.keepsDigits());
  EXPECT_LT(few.largestRelativeError(), 0x1p-11) << "of normal numbers";
  rounded(most, {1.1e-7f, 2.3e-7f});
  EXPECT_FALSE(most.keepsDigits());
  rounded(wide, {1.1e-7f, 2.3e-7f});
  EXPECT_TRUE(wide.keepsDigits());
}
