// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that others computed: layers of a network by TensorFlow Lite's reference kernels (SEANet's LeakyRelu layers,
// published with their answers), and the definitions at their edges.

#include "dialects/nn/FixedPoint.h"
#include "gtest/gtest.h"

using namespace nacre::nn;

namespace {

TEST(FixedPoint, MultipliersHaveThirtyOneBits) {
  auto expect = [](double real, int32_t multiplier, int32_t shift) {
    FixedPoint number = toFixedPoint(real);
    EXPECT_EQ(number.multiplier, multiplier) << real;
    EXPECT_EQ(number.shift, shift) << real;
  };
  expect(1, 1 << 30, 1);
  expect(0.5, 1 << 30, 0);
  expect(0.75, 1610612736, 0);
  expect(0.30000001192092896, 1288490240, -1);
  expect(-0.75, -1610612736, 0);
  expect(3e9, 1500000000, 32);
}

TEST(FixedPoint, WhatRoundsToTwoToThe31IsHalfOfItOneShiftHigher) {
  FixedPoint number = toFixedPoint(1 - std::ldexp(1.0, -40));
  EXPECT_EQ(number.multiplier, 1 << 30);
  EXPECT_EQ(number.shift, 1);
}

TEST(FixedPoint, WhatIsTooSmallIsZero) {
  EXPECT_EQ(toFixedPoint(0).multiplier, 0);
  EXPECT_EQ(toFixedPoint(std::ldexp(1.0, -32)).shift, -31);
  EXPECT_EQ(toFixedPoint(std::ldexp(1.0, -33)).multiplier, 0);
  EXPECT_EQ(toFixedPoint(std::ldexp(1.0, -33)).shift, 0);
}

TEST(FixedPoint, HighProductsRoundHalvesUpAndSaturate) {
  EXPECT_EQ(multiplyHigh(1 << 30, 1 << 30), 1 << 29);
  EXPECT_EQ(multiplyHigh(1, 1 << 30), 1);
  EXPECT_EQ(multiplyHigh(-1, 1 << 30), 0);
  EXPECT_EQ(multiplyHigh(-3, 1 << 30), -1);
  EXPECT_EQ(multiplyHigh(INT32_MIN, INT32_MIN), INT32_MAX);
  EXPECT_EQ(multiplyHigh(INT32_MIN, INT32_MAX), -INT32_MAX);
}

TEST(FixedPoint, DivisionsRoundHalvesAwayFromZero) {
  EXPECT_EQ(divideByPower(5, 1), 3);
  EXPECT_EQ(divideByPower(-5, 1), -3);
  EXPECT_EQ(divideByPower(-1, 1), -1);
  EXPECT_EQ(divideByPower(-6, 2), -2);
  EXPECT_EQ(divideByPower(-5, 2), -1);
  EXPECT_EQ(divideByPower(7, 0), 7);
  EXPECT_EQ(divideByPower(INT32_MIN, 31), -1);
  EXPECT_EQ(divideByPower(INT32_MAX, 31), 1);
}

struct Answer {
  int64_t x;
  FixedPoint scale;
  int32_t twice, once;
};

// Layers leaky_relu0, 1, 8 and 18: an input, the factor of its sign, the answer, and what one rounding would give.
constexpr Answer answers[] = {
    {-31618, {1288490240, -1}, -9486, -9485},   {-7561, {1288490240, -1}, -2269, -2268},
    {-15965, {1288490240, -1}, -4790, -4790},   {30935, {1073741824, 1}, 30935, 30935},
    {-29802, {1620052864, -1}, -11242, -11241}, {15093, {1350044032, 1}, 18977, 18977},
    {-12110, {1620052864, -1}, -4568, -4568},   {-11305, {2012545536, -1}, -5298, -5297},
    {8926, {1677121280, 1}, 13942, 13942},      {-15671, {1499827584, -1}, -5473, -5472},
};

TEST(FixedPoint, RoundsTwiceAsTheReferenceDoes) {
  for (const Answer &answer : answers) {
    EXPECT_EQ(requantize(FixedPointRounding::Double, answer.x, answer.scale), answer.twice) << answer.x;
    EXPECT_EQ(requantize(FixedPointRounding::Single, answer.x, answer.scale), answer.once) << answer.x;
  }
}

TEST(FixedPoint, SixteenBitsAreRoundedFromThirtyOne) {
  EXPECT_EQ(toMultiplier16(1288490240), 19661);
  EXPECT_EQ(toMultiplier16(0x7FFEFFFF), 0x7FFF);
  EXPECT_EQ(toMultiplier16(0x7FFF0000), 0x7FFF);
  EXPECT_EQ(toMultiplier16(INT32_MAX), 0x7FFF);
  // (x * 19661 + 2^15) >> 16, of sums that have more than 32 bits.
  const FixedPoint scale{1288490240, -1};
  EXPECT_EQ(requantize(FixedPointRounding::Mult16, -31618, scale), -9485);
  EXPECT_EQ(requantize(FixedPointRounding::Mult16, int64_t(1) << 40, {1288490240, -20}), 629152);
  EXPECT_EQ(requantize(FixedPointRounding::Mult16, -(int64_t(1) << 40), {1288490240, -20}), -629152);
}

TEST(FixedPoint, ShiftsBeyondTheBitsAreTheLastOnes) {
  for (auto rounding : {FixedPointRounding::Double, FixedPointRounding::Single, FixedPointRounding::Mult16}) {
    const int most = getMaxShift(rounding);
    EXPECT_EQ(requantize(rounding, 3, {1 << 30, 1000}), requantize(rounding, 3, {1 << 30, most}));
    EXPECT_EQ(requantize(rounding, INT32_MIN, {INT32_MAX, -1000}), requantize(rounding, INT32_MIN, {INT32_MAX, -31}));
    EXPECT_EQ(requantize(rounding, INT32_MIN, {INT32_MAX, -31}), -1);
  }
}

} // namespace
