// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing lifetimes: what must never overlap, what must share, and how close to the bound a plan comes.

#include "compiler/schedule/ArenaPlanner.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <chrono>
#include <random>

using nacre::schedule::ArenaPlan;
using nacre::schedule::BufferDemand;
using nacre::schedule::peakBytes;
using nacre::schedule::planArena;

TEST(ArenaPlanner, NothingNeedsNothing) {
  EXPECT_EQ(planArena({}, 64).sizeInBytes, 0);
  EXPECT_EQ(peakBytes({}), 0);
}

TEST(ArenaPlanner, BuffersThatMeetAtOneStepAreDisjoint) {
  // The step 5 reads the first buffer and writes the second.
  ArenaPlan plan = planArena({{16, 0, 5}, {16, 5, 9}}, 64);
  EXPECT_NE(plan.offsetsInBytes[0], plan.offsetsInBytes[1]);
  EXPECT_EQ(plan.sizeInBytes, 64 + 16);
}

TEST(ArenaPlanner, BuffersThatOnlyFollowOneAnotherShare) {
  ArenaPlan plan = planArena({{16, 0, 4}, {16, 5, 9}}, 64);
  EXPECT_EQ(plan.offsetsInBytes[0], plan.offsetsInBytes[1]);
  EXPECT_EQ(plan.sizeInBytes, 16);
}

TEST(ArenaPlanner, FillsAGapThatFits) {
  // 0 all along; 1 early; 2 fits where 1 was.
  ArenaPlan plan = planArena({{100, 0, 9}, {100, 0, 3}, {50, 4, 9}}, 64);
  EXPECT_EQ(plan.sizeInBytes, 128 + 100);
}

TEST(ArenaPlanner, PeakIsTheFullestStep) {
  EXPECT_EQ(peakBytes({{100, 0, 9}, {30, 0, 3}, {50, 3, 4}, {70, 5, 5}}), 100 + 30 + 50);
}

namespace {

std::vector<BufferDemand> randomDemands(unsigned count, unsigned longestLife) {
  std::mt19937 random(count);
  std::vector<BufferDemand> demands;
  for (unsigned step = 0; step < count; ++step)
    demands.push_back({64 * int64_t(1 + random() % 1000), step, step + 1 + unsigned(random() % longestLife)});
  return demands;
}

void expectDisjoint(const std::vector<BufferDemand> &demands, const ArenaPlan &plan, int64_t alignment) {
  for (size_t a = 0; a < demands.size(); ++a) {
    EXPECT_EQ(plan.offsetsInBytes[a] % alignment, 0);
    EXPECT_LE(plan.offsetsInBytes[a] + demands[a].sizeInBytes, plan.sizeInBytes);
    for (size_t b = 0; b < a; ++b) {
      bool meet = demands[a].firstStep <= demands[b].lastStep && demands[b].firstStep <= demands[a].lastStep;
      bool overlap = plan.offsetsInBytes[a] < plan.offsetsInBytes[b] + demands[b].sizeInBytes &&
                     plan.offsetsInBytes[b] < plan.offsetsInBytes[a] + demands[a].sizeInBytes;
      ASSERT_FALSE(meet && overlap) << a << " and " << b;
    }
  }
}

} // namespace

TEST(ArenaPlanner, RandomLivesNeverOverlapAndStayNearTheBound) {
  for (unsigned longestLife : {1, 3, 20}) {
    std::vector<BufferDemand> demands = randomDemands(200, longestLife);
    ArenaPlan plan = planArena(demands, 64);
    expectDisjoint(demands, plan, 64);
    EXPECT_LE(double(plan.sizeInBytes), 1.15 * double(peakBytes(demands))) << "lives of up to " << longestLife;
  }
}

// A plan is part of a library, whose bytes are the same from every process, machine and compiler: what is equally good
// is taken in the order of the demands, never in that of addresses or hashes. So it can be written down. Here sizes and
// lives are equal as often as can be; who changes the planner on purpose writes the new plan down.
TEST(ArenaPlanner, EveryProcessFindsThisPlan) {
  std::vector<BufferDemand> demands;
  for (unsigned step = 0; step < 12; ++step)
    demands.push_back({step % 3 ? 64 : 128, step / 2, step / 2 + 1 + step % 2});
  ArenaPlan plan = planArena(demands, 64);
  expectDisjoint(demands, plan, 64);
  EXPECT_EQ(plan.offsetsInBytes, (llvm::SmallVector<int64_t>{0, 128, 192, 256, 0, 64, 128, 384, 0, 256, 64, 128}));
  // And many that no two of are alike: the sum of all offsets, each by its place.
  const ArenaPlan many = planArena(randomDemands(100, 8), 64);
  uint64_t sum = 0;
  for (auto [index, offset] : llvm::enumerate(many.offsetsInBytes))
    sum = sum * 31 + uint64_t(offset) + index;
  EXPECT_EQ(sum, 5174546226685223218u);
}

TEST(ArenaPlanner, LongLivesThatAllMeetArePlannedInSeconds) {
  // Each begins at a step of its own and lasts to the end; a planner that looks at them step by step takes minutes.
  std::vector<BufferDemand> demands;
  constexpr unsigned count = 3000;
  for (unsigned step = 0; step < count; ++step)
    demands.push_back({64, step, count});
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(planArena(demands, 64).sizeInBytes, 64 * count);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

// 20,000 lives of any length: 200 million pairs meet, which are not looked at.
TEST(ArenaPlanner, MillionsOfMeetingsAreNotCompared) {
  constexpr unsigned count = 20000;
  std::vector<BufferDemand> demands = randomDemands(count, count);
  const ArenaPlan plan = planArena(demands, 64);
  EXPECT_LE(double(plan.sizeInBytes), 1.15 * double(peakBytes(demands)));
  // What is alive at one step, in the order of offsets, lies apart.
  for (unsigned step = 0; step < count; step += 997) {
    std::vector<std::pair<int64_t, int64_t>> alive;
    for (auto [index, demand] : llvm::enumerate(demands))
      if (demand.firstStep <= step && step <= demand.lastStep)
        alive.push_back({plan.offsetsInBytes[index], plan.offsetsInBytes[index] + demand.sizeInBytes});
    llvm::sort(alive);
    for (size_t next = 1; next < alive.size(); ++next)
      ASSERT_LE(alive[next - 1].second, alive[next].first) << "at step " << step;
  }
}
