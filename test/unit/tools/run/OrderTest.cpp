// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of examples: each once in an epoch, another order in each, and always the same again.

#include "tools/run/training/Order.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

using namespace nacre::run;

TEST(Order, TakesEachExampleOnce) {
  for (uint32_t count : {1u, 2u, 7u, 1000u}) {
    std::vector<uint32_t> order = shuffled(count, 5, 3), all(count);
    std::sort(order.begin(), order.end());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order, all);
  }
}

TEST(Order, FollowsFromSeedAndEpoch) {
  EXPECT_EQ(shuffled(100, 1, 2), shuffled(100, 1, 2));
  EXPECT_NE(shuffled(100, 1, 2), shuffled(100, 1, 3));
  EXPECT_NE(shuffled(100, 1, 2), shuffled(100, 2, 2));
  EXPECT_NE(shuffled(100, 1, 2), shuffled(100, 2, 1));
}

TEST(Order, PutsEachExampleEverywhereEquallyOften) {
  constexpr uint32_t count = 10, epochs = 10000;
  uint32_t at[count][count] = {};
  for (uint64_t epoch = 0; epoch < epochs; ++epoch) {
    const std::vector<uint32_t> order = shuffled(count, 0, epoch);
    for (uint32_t i = 0; i < count; ++i)
      ++at[i][order[i]];
  }
  constexpr uint32_t expected = epochs / count; // 1000, with a deviation of 30
  for (const auto &row : at)
    for (uint32_t times : row)
      EXPECT_NEAR(times, expected, 150);
}
