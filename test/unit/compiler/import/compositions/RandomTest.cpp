// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generator against published answers, and its numbers against their distributions.

#include "compiler/import/compositions/Random.h"
#include "gtest/gtest.h"

using namespace nacre::importer;
using Words = std::array<uint32_t, 4>;

namespace {

// Answers that the authors publish with their library, Random123 (kat_vectors, philox4x32 10).
TEST(Random, PhiloxGivesItsPublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The counter is the index divided by four, so an element's number can be had alone.
TEST(Random, AnElementsNumberIsAFunctionOfItsIndex) {
  EXPECT_EQ(uniformAt({0, 0}, 0), 0x6627e8 * 0x1p-24);
  EXPECT_EQ(uniformAt({0, 0}, 3), 0x9b00db * 0x1p-24);
  EXPECT_EQ(uniformAt({7, 9}, 4 * 5 + 2), (philox({5, 0, 0, 0}, {7, 9})[2] >> 8) * 0x1p-24);
  EXPECT_EQ(uniformAt({7, 9}, (int64_t(1) << 40) + 1), (philox({0, 1 << 6, 0, 0}, {7, 9})[1] >> 8) * 0x1p-24);
  EXPECT_NE(uniformAt({0, 0}, 0), uniformAt({0, 1}, 0));
}

TEST(Random, NumbersHaveTheMomentsOfTheirDistribution) {
  constexpr int64_t count = 100000;
  double sums[2] = {}, squares[2] = {};
  for (int64_t index = 0; index < count; ++index) {
    double numbers[] = {uniformAt({1, 2}, index), normalAt({1, 2}, index)};
    EXPECT_GE(numbers[0], 0);
    EXPECT_LT(numbers[0], 1);
    for (int kind : {0, 1}) {
      sums[kind] += numbers[kind] / count;
      squares[kind] += numbers[kind] * numbers[kind] / count;
    }
  }
  EXPECT_NEAR(sums[0], 0.5, 0.005);
  EXPECT_NEAR(squares[0], 1.0 / 3, 0.005);
  EXPECT_NEAR(sums[1], 0, 0.02);
  EXPECT_NEAR(squares[1], 1, 0.02);
}

} // namespace
