// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes buffers share when threads have halves of them, and that this takes no byte more.

#include "compiler/schedule/AlignMiddles.h"

#include "gtest/gtest.h"
#include <random>

using nacre::schedule::alignMiddles;
using nacre::schedule::ArenaPlan;
using nacre::schedule::BufferDemand;
using nacre::schedule::planArena;

namespace {

constexpr int64_t kAlignment = 64;

ArenaPlan aligned(const std::vector<BufferDemand> &demands) {
  return alignMiddles(demands, planArena(demands, kAlignment), kAlignment);
}

int64_t middle(const std::vector<BufferDemand> &demands, const ArenaPlan &plan, unsigned index) {
  return plan.offsetsInBytes[index] + demands[index].sizeInBytes / 2;
}

TEST(AlignMiddles, NothingStaysNothing) { EXPECT_EQ(aligned({}).sizeInBytes, 0); }

TEST(AlignMiddles, ASmallerBufferLiesInTheMiddleOfALargerOne) {
  const std::vector<BufferDemand> demands = {{4096, 0, 1}, {1024, 1, 2}, {2048, 2, 3}, {1024, 3, 4}, {1024, 4, 5}};
  const ArenaPlan plan = aligned(demands);
  EXPECT_EQ(middle(demands, plan, 2), middle(demands, plan, 0));
  EXPECT_EQ(middle(demands, plan, 4), middle(demands, plan, 0));
  EXPECT_EQ(middle(demands, plan, 3), middle(demands, plan, 1));
  EXPECT_EQ(plan.sizeInBytes, planArena(demands, kAlignment).sizeInBytes);
}

TEST(AlignMiddles, ABufferBesideALargerOneIsAsNearAsItCanBe) {
  // The third lives with the second, which is in the middle of the first.
  const std::vector<BufferDemand> demands = {{4096, 0, 0}, {1024, 1, 2}, {1024, 2, 3}};
  const ArenaPlan plan = aligned(demands);
  EXPECT_EQ(plan.offsetsInBytes[1], 1536);
  EXPECT_TRUE(plan.offsetsInBytes[2] == 512 || plan.offsetsInBytes[2] == 2560);
}

TEST(AlignMiddles, OverlapsNothingAndTakesNoMore) {
  std::mt19937 random(7);
  for (unsigned count = 1; count < 60; ++count) {
    std::vector<BufferDemand> demands;
    for (unsigned step = 0; step < count; ++step)
      demands.push_back({int64_t(1 + random() % 5000), step, step + unsigned(random() % 4)});
    const ArenaPlan smallest = planArena(demands, kAlignment), plan = alignMiddles(demands, smallest, kAlignment);
    EXPECT_LE(plan.sizeInBytes, smallest.sizeInBytes);
    for (unsigned a = 0; a < count; ++a) {
      EXPECT_EQ(plan.offsetsInBytes[a] % kAlignment, 0);
      EXPECT_LE(plan.offsetsInBytes[a] + demands[a].sizeInBytes, plan.sizeInBytes);
      for (unsigned b = 0; b < a; ++b)
        EXPECT_TRUE(demands[a].lastStep < demands[b].firstStep || demands[b].lastStep < demands[a].firstStep ||
                    plan.offsetsInBytes[a] + demands[a].sizeInBytes <= plan.offsetsInBytes[b] ||
                    plan.offsetsInBytes[b] + demands[b].sizeInBytes <= plan.offsetsInBytes[a])
            << a << " and " << b << " of " << count;
    }
  }
}

} // namespace
