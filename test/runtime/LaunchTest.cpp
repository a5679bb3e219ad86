// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which units of a launch a thread computes, and in which order.
// Why:   a thread whose units are the same in each iteration finds their weights in its core's cache; a wrong order
//        loses units.
// How:   an executor that calls thread by thread as a test says, and a kernel that notes what it was called with.

#include "runtime/src/session.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace nacre::runtime {
namespace {

constexpr uint64_t kStride = 64;
std::vector<int64_t> unitsOf[3]; // by thread
char scratch[3 * kStride];

void note(const nacre_kernel_args *args, int64_t begin, int64_t end) {
  const auto thread = static_cast<size_t>(static_cast<char *>(args->scratch) - scratch) / kStride;
  for (int64_t unit = begin; unit < end; ++unit)
    unitsOf[thread].push_back(unit);
}

struct Order {
  nacre_executor executor; // first
  std::vector<uint32_t> threads;

  static void run(nacre_executor *executor, nacre_task task, void *context, int64_t units, int64_t grain) {
    const auto &order = reinterpret_cast<Order *>(executor)->threads;
    for (int64_t i = 0; i * grain < units; ++i)
      task(context, order[static_cast<size_t>(i) % order.size()], i * grain, std::min(units, (i + 1) * grain));
  }
};

void runIteration(int64_t iteration, uint32_t threads, int64_t units, std::vector<uint32_t> tickets,
                  uint32_t nanoseconds = 10000) {
  Order order = {{sizeof(nacre_executor), threads, Order::run}, std::move(tickets)};
  auto session = std::make_unique<Session>();
  session->executor = &order.executor;
  session->scratch = scratch;
  session->scratch_stride = kStride;
  for (auto &list : unitsOf)
    list.clear();
  nacre_cpu_variant variant = {};
  variant.function = note;
  variant.unit_extent = variant.units_per_block = 1;
  variant.unit_nanoseconds = nanoseconds;
  run_launch(*session, Memory(), nacre_step(), prepare_launch(variant, 0, units, threads), iteration);
}

using Units = std::vector<int64_t>;

TEST(Launch, AThreadHasTheSameUnitsWhoeverComesFirst) {
  for (const std::vector<uint32_t> &tickets : {std::vector<uint32_t>{0, 1}, {1, 0}, {1, 1, 0, 0}}) {
    runIteration(0, 2, 8, tickets);
    EXPECT_EQ(unitsOf[0], (Units{0, 1, 2, 3}));
    EXPECT_EQ(unitsOf[1], (Units{4, 5, 6, 7}));
  }
}

TEST(Launch, StretchesAreEqualHoweverManyPartsThereAre) {
  for (int64_t units : {7, 13, 17, 27, 55, 100}) {
    runIteration(0, 2, units, {0, 1});
    EXPECT_EQ(unitsOf[0].size(), static_cast<size_t>((units + 1) / 2));
    EXPECT_EQ(unitsOf[0].back(), (units - 1) / 2);
    EXPECT_EQ(unitsOf[1].front(), (units + 1) / 2);
  }
}

TEST(Launch, EveryOtherIterationGoesBackwards) {
  for (int64_t iteration : {1, 3}) {
    runIteration(iteration, 2, 8, {0, 1});
    EXPECT_EQ(unitsOf[0], (Units{3, 2, 1, 0}));
    EXPECT_EQ(unitsOf[1], (Units{7, 6, 5, 4}));
  }
  runIteration(1, 1, 4, {0});
  EXPECT_EQ(unitsOf[0], (Units{3, 2, 1, 0}));
}

TEST(Launch, WhatASlowThreadLeavesOthersTake) {
  runIteration(0, 3, 9, {0, 0, 0, 0, 2});
  EXPECT_EQ(unitsOf[0], (Units{0, 1, 2, 3, 4, 5, 7, 8}));
  EXPECT_EQ(unitsOf[2], (Units{6}));
  runIteration(1, 3, 9, {1});
  EXPECT_EQ(unitsOf[1], (Units{5, 4, 3, 2, 1, 0, 8, 7, 6}));
}

/// Launches that are hardly long enough to share.
TEST(Launch, HoweverShortUnitsAreAllAreComputed) {
  for (uint32_t nanoseconds : {1, 7, 300, 960, 1999, 2001, 3999, 4001})
    for (int64_t units = 1; units < 20; ++units) {
      runIteration(0, 2, units, {0, 1}, nanoseconds);
      EXPECT_EQ(int64_t(unitsOf[0].size() + unitsOf[1].size()), units) << nanoseconds;
    }
}

TEST(Launch, EveryUnitIsComputedOnce) {
  for (uint32_t threads : {1, 2, 3})
    for (int64_t iteration : {0, 1})
      for (int64_t units : {1, 2, 5, 16, 17, 100, 1001}) {
        runIteration(iteration, threads, units,
                     threads == 3 ? std::vector<uint32_t>{2, 0, 1, 1} : std::vector<uint32_t>{0});
        std::vector<int> times(static_cast<size_t>(units));
        for (const auto &list : unitsOf)
          for (int64_t unit : list)
            ++times[static_cast<size_t>(unit)];
        for (int count : times)
          ASSERT_EQ(count, 1) << units << " units, " << threads << " threads, iteration " << iteration;
      }
}

} // namespace
} // namespace nacre::runtime
