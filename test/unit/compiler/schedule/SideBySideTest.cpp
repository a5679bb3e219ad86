// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/SideBySide.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace nacre::schedule;

namespace {

bool conflict(const TouchingStep &a, const TouchingStep &b) {
  auto meets = [](llvm::ArrayRef<unsigned> one, llvm::ArrayRef<unsigned> other) {
    return llvm::any_of(one, [&](unsigned storage) { return llvm::is_contained(other, storage); });
  };
  return meets(a.writes, b.writes) || meets(a.writes, b.reads) || meets(a.reads, b.writes);
}

unsigned countGroups(llvm::ArrayRef<TouchingStep> steps, llvm::ArrayRef<unsigned> order) {
  std::vector<TouchingStep> inOrder;
  for (unsigned step : order)
    inOrder.push_back(steps[step]);
  return inOrder.empty() ? 0 : groupsOf(inOrder).back() + 1;
}

TEST(SideBySide, GradientsOfALayerComeTogether) {
  enum { Dy, Sums, Bias, Parts, Weight, Dx };
  // Sums for the bias and its update, parts of the filter's gradient and the update, the gradient of the input.
  const TouchingStep steps[] = {{{Dy}, {Sums}}, {{Sums}, {Bias}}, {{Dy}, {Parts}}, {{Parts}, {Weight}}, {{Dy}, {Dx}}};
  EXPECT_EQ(groupsOf(steps), (std::vector<unsigned>{0, 1, 1, 2, 2}));
  const std::vector<unsigned> order = orderSideBySide(steps);
  EXPECT_EQ(order, (std::vector<unsigned>{0, 2, 4, 1, 3}));
  EXPECT_EQ(countGroups(steps, order), 2u);
}

/// A launch that touches bytes of storages.
Step launchOf(llvm::ArrayRef<Touch> touches) {
  Step step;
  step.touches.append(touches.begin(), touches.end());
  return step;
}

TEST(SideBySide, PartsOfAStorageDoNotConflict) {
  const Step writers[] = {launchOf({{0, 0, 64, true}}), launchOf({{0, 64, 96, true}}),
                          launchOf({{0, 32, 64, false}, {1, 0, 8, true}}), launchOf({{0, 0, 96, false}})};
  const std::vector<TouchingStep> steps = touchedPieces(writers);
  EXPECT_FALSE(conflict(steps[0], steps[1]));
  EXPECT_TRUE(conflict(steps[0], steps[2]));
  EXPECT_FALSE(conflict(steps[1], steps[2]));
  EXPECT_TRUE(conflict(steps[0], steps[3]));
  EXPECT_TRUE(conflict(steps[1], steps[3]));
  EXPECT_FALSE(conflict(steps[2], steps[3]));
}

TEST(SideBySide, PiecesConflictWhereBytesDo) {
  std::mt19937 random(5);
  auto below = [&](unsigned limit) { return unsigned(random() % limit); };
  for (int program = 0; program < 100; ++program) {
    std::vector<Step> launches;
    for (unsigned launch = 0; launch < 12; ++launch) {
      const int64_t begin = below(16);
      launches.push_back(launchOf({{below(2), begin, begin + below(9), below(2) == 0}}));
    }
    const std::vector<TouchingStep> steps = touchedPieces(launches);
    for (size_t i = 0; i < launches.size(); ++i)
      for (size_t j = 0; j < launches.size(); ++j) {
        const Touch &a = launches[i].touches.front(), &b = launches[j].touches.front();
        const bool meet = a.storage == b.storage && std::max(a.begin, b.begin) < std::min(a.end, b.end);
        ASSERT_EQ(conflict(steps[i], steps[j]), meet && (a.writes || b.writes));
      }
  }
}

TEST(SideBySide, NothingOvertakesWhatItConflictsWith) {
  enum { A, B, W };
  // The weight is read before it is updated, by a step that waits.
  const TouchingStep steps[] = {{{}, {A}}, {{A, W}, {B}}, {{}, {W}}};
  EXPECT_EQ(orderSideBySide(steps), (std::vector<unsigned>{0, 1, 2}));
}

TEST(SideBySide, UpdatesComeTogether) {
  // More than are looked at; a copy of what the second one writes comes behind all of them.
  std::vector<TouchingStep> steps(20, {{0}, {}, /*isEnd=*/true});
  for (unsigned step = 0; step < steps.size(); ++step)
    steps[step].writes.push_back(step + 1);
  steps.insert(steps.begin() + 2, TouchingStep{{2}, {30}, /*isEnd=*/true});
  const std::vector<unsigned> order = orderSideBySide(steps);
  EXPECT_EQ(order.back(), 2u);
  EXPECT_EQ(countGroups(steps, order), 2u);
}

TEST(SideBySide, BeginsComeBeforeTheFirstThatReadsThem) {
  enum { X, A, B, C, W0, W1, W2 };
  // The weight of each layer is cast: the first one before everything, the others while the layer before is computed.
  std::vector<TouchingStep> steps = {{{}, {W0}},     {{}, {W1}},     {{}, {W2}},
                                     {{X, W0}, {A}}, {{A, W1}, {B}}, {{B, W2, W1}, {C}}};
  for (unsigned cast : {0, 1, 2})
    steps[cast].isBegin = true;
  EXPECT_EQ(orderSideBySide(steps), (std::vector<unsigned>{0, 3, 1, 4, 2, 5}));
  steps[1].isBegin = false;
  EXPECT_EQ(orderSideBySide(steps), (std::vector<unsigned>{0, 1, 3, 4, 2, 5}));
}

TEST(SideBySide, BeginsComeBeforeWhatIsWrittenOverTheirOperands) {
  enum { State, A, B, C };
  std::vector<TouchingStep> steps = {{{State}, {A}}, {{}, {B}}, {{B}, {State}}, {{A, State}, {C}}};
  steps[0].isBegin = true;
  EXPECT_EQ(orderSideBySide(steps), (std::vector<unsigned>{1, 0, 2, 3}));
}

TEST(SideBySide, ConflictsKeepTheirOrder) {
  std::mt19937 random(11);
  auto below = [&](unsigned limit) { return unsigned(random() % limit); };
  unsigned fewer = 0;
  for (int program = 0; program < 300; ++program) {
    const unsigned storages = 1 + below(20);
    std::vector<TouchingStep> steps(1 + below(40));
    for (TouchingStep &step : steps) {
      for (unsigned reads = below(3); reads > 0; --reads)
        step.reads.push_back(below(storages));
      step.writes.push_back(below(storages));
      step.isBegin = below(3) == 0;
    }
    std::vector<unsigned> asIs(steps.size());
    std::iota(asIs.begin(), asIs.end(), 0);
    const std::vector<unsigned> order = orderSideBySide(steps);
    ASSERT_TRUE(std::is_permutation(order.begin(), order.end(), asIs.begin()));
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t j = i + 1; j < order.size(); ++j)
        if (conflict(steps[order[i]], steps[order[j]])) {
          ASSERT_LT(order[i], order[j]);
        }
    ASSERT_LE(countGroups(steps, order), countGroups(steps, asIs));
    fewer += countGroups(steps, order) < countGroups(steps, asIs);
  }
  EXPECT_GT(fewer, 100u);
}

} // namespace
