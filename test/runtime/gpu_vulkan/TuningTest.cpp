// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the choice of engines by measured times of launches.
// Why:   kernel by kernel the fastest engine is not the fastest run.
// How:   cases that one can think through; then random ones against every possible placement.

#include "runtime/src/gpu_vulkan/trials/tuning.h"
#include "runtime/src/allocator.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace nacre::test {
namespace {

using namespace runtime;
using namespace runtime::gpu;

Costs costs(uint64_t cpu, uint64_t gpu, uint64_t half, uint64_t meeting) {
  return {{cpu, gpu, kImpossible, half, kImpossible, kImpossible}, meeting, 0};
}

std::vector<Placement> placed(const std::vector<Costs> &of, uint64_t *sum = nullptr) {
  MemoryPool pool(allocator_or_libc(nullptr));
  std::vector<Placement> placements(of.size());
  const uint64_t least = place(of.data(), uint32_t(of.size()), pool, placements.data());
  if (sum)
    *sum = least;
  pool.release();
  return placements;
}

using Placements = std::vector<Placement>;

TEST(Tuning, StaysOnAnEngineWhereMeetingCostsMore) {
  const Costs fastOnGpu = costs(30, 10, kImpossible, 15), fastOnCpu = costs(10, 14, kImpossible, 15);
  EXPECT_EQ(placed({fastOnGpu, fastOnCpu, fastOnGpu}), (Placements{OnGpu, OnGpu, OnGpu}));
  EXPECT_EQ(placed({fastOnCpu, costs(30, 20, kImpossible, 15), fastOnCpu}), (Placements{OnCpu, OnCpu, OnCpu}));
}

TEST(Tuning, ChangesTheEngineWhereItPays) {
  EXPECT_EQ(placed({costs(100, 10, kImpossible, 15), costs(10, 100, kImpossible, 15)}), (Placements{OnGpu, OnCpu}));
}

TEST(Tuning, CutsWhereItPays) {
  EXPECT_EQ(placed({costs(100, 90, 60, 15), costs(5, 4, 20, 15)}), (Placements{Cut50, OnCpu}));
}

TEST(Tuning, CountsCopiesBothWays) {
  Costs first = costs(20, 10, kImpossible, 0), second = costs(10, 15, kImpossible, 0);
  EXPECT_EQ(placed({first, second}), (Placements{OnGpu, OnCpu}));
  second.to_cpu = 6;
  EXPECT_EQ(placed({first, second}), (Placements{OnGpu, OnGpu}));
}

TEST(Tuning, FindsTheLeastOfAll) {
  std::mt19937 random(1);
  auto below = [&random](unsigned limit) { return uint64_t(random() % limit); };
  for (int iteration = 0; iteration < 300; ++iteration) {
    std::vector<Costs> all(1 + below(5));
    for (Costs &one : all) {
      for (uint64_t &cost : one.of)
        cost = below(3) ? below(40) : kImpossible;
      one.of[below(kPlacements)] = below(40);
      one.to_gpu = below(20);
      one.to_cpu = below(20);
    }
    uint64_t least = kImpossible;
    for (uint64_t code = 0, end = uint64_t(std::pow(kPlacements, all.size())); code < end; ++code) {
      uint64_t sum = 0, rest = code;
      uint32_t before = OnCpu;
      bool possible = true;
      for (const Costs &one : all) {
        const uint32_t now = uint32_t(rest % kPlacements);
        rest /= kPlacements;
        possible = possible && one.of[now] != kImpossible;
        if (!possible)
          break;
        sum += one.of[now] + (now == OnGpu && before != OnGpu   ? one.to_gpu
                              : now != OnGpu && before == OnGpu ? one.to_cpu
                                                                : 0);
        before = now;
      }
      if (possible)
        least = std::min(least, sum);
    }
    uint64_t found = 0;
    const Placements placements = placed(all, &found);
    ASSERT_EQ(found, least) << "iteration " << iteration;
    for (size_t i = 0; i < all.size(); ++i)
      EXPECT_NE(all[i].of[placements[i]], kImpossible);
  }
}

} // namespace
} // namespace nacre::test
