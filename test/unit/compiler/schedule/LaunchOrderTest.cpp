// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/LaunchOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace nacre::schedule;

namespace {

std::vector<unsigned> asTheyAre(size_t steps) {
  std::vector<unsigned> order(steps);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

bool conflict(const TouchingStep &a, const TouchingStep &b) {
  auto meets = [](llvm::ArrayRef<unsigned> one, llvm::ArrayRef<unsigned> other) {
    return llvm::any_of(one, [&](unsigned storage) { return llvm::is_contained(other, storage); });
  };
  return meets(a.writes, b.writes) || meets(a.writes, b.reads) || meets(a.reads, b.writes);
}

TEST(LaunchOrder, FreesEarlyWhatIsAskedOfLate) {
  // x is large; its code, a byte an element, is asked for behind three steps that make large things of their own.
  const int64_t bytes[] = {1000, 100, 1000, 1000, 10};
  enum { X, Y, A, B, Code };
  const TouchingStep steps[] = {{{}, {X}},  {{X}, {Y}},       {{Y}, {A}},   {{A}, {B}},
                                {{B}, {A}}, {{X, Y}, {Code}}, {{Code}, {B}}};
  EXPECT_EQ(peakOf(steps, bytes, asTheyAre(7)), 3100);
  const std::vector<unsigned> order = orderSteps(steps, bytes);
  EXPECT_EQ(order, (std::vector<unsigned>{0, 1, 5, 2, 3, 4, 6}));
  EXPECT_EQ(peakOf(steps, bytes, order), 2010);
}

TEST(LaunchOrder, MakesLateWhatIsReadLate) {
  const int64_t bytes[] = {10, 1000, 900, 10};
  enum { X, Copy, A, Y };
  const TouchingStep steps[] = {{{X}, {Copy}}, {{X}, {A}}, {{A}, {Y}}, {{Copy, Y}, {X}}};
  EXPECT_EQ(orderSteps(steps, bytes), (std::vector<unsigned>{1, 2, 0, 3}));
}

TEST(LaunchOrder, MovesWhatReadsTogetherWithWhatItReads) {
  // Panels are larger than what they are made of: made early they would live longer, and who reads them needs them
  // first.
  const int64_t bytes[] = {1000, 1200, 10, 1000, 1000};
  enum { X, Panels, Gradient, A, B };
  const TouchingStep steps[] = {{{}, {X}},           {{}, {A}}, {{A}, {B}}, {{X}, {Panels}}, {{Panels}, {Gradient}},
                                {{Gradient, B}, {A}}};
  EXPECT_EQ(peakOf(steps, bytes, asTheyAre(6)), 4200);
  const std::vector<unsigned> order = orderSteps(steps, bytes);
  EXPECT_EQ(order, (std::vector<unsigned>{0, 3, 4, 1, 2, 5}));
  EXPECT_EQ(peakOf(steps, bytes, order), 2200);
}

TEST(LaunchOrder, ShortensLivesWhereTheMostStays) {
  // The last two fill memory whatever happens; what is read late before that lives too long all the same.
  const int64_t bytes[] = {100, 10, 100, 1000, 1000};
  enum { X, Code, Y, Large, Larger };
  const TouchingStep steps[] = {{{}, {X}},          {{}, {Y}}, {{Y}, {Y}}, {{X}, {Code}}, {{Y, Code}, {Large}},
                                {{Large}, {Larger}}};
  EXPECT_EQ(orderSteps(steps, bytes), asTheyAre(6));
  EXPECT_EQ(orderSteps(steps, bytes, /*isShort=*/true), (std::vector<unsigned>{0, 3, 1, 2, 4, 5}));
}

TEST(LaunchOrder, KeepsAnOrderThatGainsLittle) {
  const int64_t bytes[] = {1000, 1000, 10};
  const TouchingStep steps[] = {{{}, {0}}, {{0}, {1}}, {{}, {2}}, {{1, 2}, {0}}};
  EXPECT_EQ(orderSteps(steps, bytes), asTheyAre(4));
}

TEST(LaunchOrder, KeepsTheOrderOfWhatConflicts) {
  std::mt19937 random(7);
  auto below = [&](unsigned limit) { return unsigned(random() % limit); };
  unsigned moved = 0;
  for (int program = 0; program < 300; ++program) {
    std::vector<int64_t> bytes(1 + below(12));
    for (int64_t &size : bytes)
      size = below(4) ? below(1000) : 0;
    std::vector<TouchingStep> steps(1 + below(30));
    for (TouchingStep &step : steps) {
      for (unsigned reads = below(4); reads > 0; --reads)
        step.reads.push_back(below(bytes.size()));
      for (unsigned writes = below(3); writes > 0; --writes)
        step.writes.push_back(below(bytes.size()));
    }
    const std::vector<unsigned> order = orderSteps(steps, bytes, /*isShort=*/program % 2 == 1);
    ASSERT_TRUE(std::is_permutation(order.begin(), order.end(), asTheyAre(steps.size()).begin()));
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t j = i + 1; j < order.size(); ++j)
        if (conflict(steps[order[i]], steps[order[j]]))
          ASSERT_LT(order[i], order[j]);
    ASSERT_LE(peakOf(steps, bytes, order), peakOf(steps, bytes, asTheyAre(steps.size())));
    moved += !llvm::is_sorted(order);
  }
  EXPECT_GT(moved, 10u);
}

} // namespace
