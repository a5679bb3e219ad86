// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/PlanSearch.h"

#include <gtest/gtest.h>
#include <vector>

using namespace nacre;

namespace {

constexpr int64_t batch = 12, wholeBytes = 1200;

PlanSearch::Settings limited(int64_t mostBytes) {
  PlanSearch::Settings settings;
  settings.mostBytes = mostBytes;
  return settings;
}

/// A model whose session takes 100 bytes for each example of a part, and whose steps take longer in smaller parts.
Trial trialOf(const Choice &choice) {
  const int64_t part = choice.part ? choice.part : batch, parts = batch / part;
  Trial trial;
  trial.sessionBytes = 100 * part;
  trial.nanoseconds = 1000.0 + 10.0 * double(parts);
  return trial;
}

/// Runs a search whose kernels need so much scratch memory. Returns the parts that it tried.
std::vector<int64_t> runSearch(PlanSearch &search, int64_t scratchBytes = 0,
                               Trial (*measure)(const Choice &) = trialOf) {
  std::vector<int64_t> parts;
  while (const std::optional<Choice> choice = search.next()) {
    parts.push_back(choice->part);
    EXPECT_LT(parts.size(), 50U) << "the search must end";
    if (parts.size() == 50)
      break;
    search.allowParts(batch);
    search.record(measure(*choice));
    if (search.isSettled())
      search.recordScratch(scratchBytes);
  }
  return parts;
}

TEST(PlanSearch, TriesOnePlanWithoutALimit) {
  PlanSearch search({});
  EXPECT_FALSE(search.mayTryAgain());
  EXPECT_EQ(runSearch(search, /*scratchBytes=*/1 << 20), std::vector<int64_t>({0}));
  EXPECT_EQ(search.getBest().part, 0);
  EXPECT_FALSE(search.getMissing());
}

TEST(PlanSearch, TakesThePlanThatFits) {
  PlanSearch search(limited(wholeBytes));
  EXPECT_TRUE(search.mayTryAgain());
  EXPECT_EQ(runSearch(search), std::vector<int64_t>({0}));
}

TEST(PlanSearch, TriesSmallerPartsUntilOneFits) {
  PlanSearch search(limited(450));
  EXPECT_EQ(runSearch(search), std::vector<int64_t>({0, 6, 4})) << "divisors of the batch only";
  EXPECT_EQ(search.getBest().part, 4);
}

TEST(PlanSearch, BeginsWithThePartThatTheUserNames) {
  PlanSearch::Settings settings = limited(450);
  settings.part = 6;
  PlanSearch search(settings);
  EXPECT_EQ(runSearch(search), std::vector<int64_t>({6, 4}));
}

TEST(PlanSearch, GoesOnWhileValuesAreComputedAgain) {
  // Parts of six fit, but compute values again; parts of four do not and are faster; parts of three are slower.
  auto measure = [](const Choice &choice) {
    Trial trial = trialOf(choice);
    trial.runsAgain = choice.part > 3;
    trial.nanoseconds = choice.part == 6 ? 2000 : choice.part == 4 ? 1500 : 1700;
    return trial;
  };
  PlanSearch search(limited(650));
  EXPECT_EQ(runSearch(search, 0, measure), std::vector<int64_t>({0, 6, 4, 3}));
  EXPECT_EQ(search.getBest().part, 4) << "the fastest plan that fits";
}

TEST(PlanSearch, KeepsTheBestPlanOnly) {
  PlanSearch search(limited(650));
  search.allowParts(batch);
  EXPECT_FALSE(search.record({0, 1200, 10, false, false})) << "it does not fit";
  EXPECT_FALSE(search.mayFail()) << "nothing fits so far";
  EXPECT_TRUE(search.record({0, 600, 20, false, true}));
  EXPECT_TRUE(search.mayFail()) << "parts of six fit";
  search.recordFailure();
  EXPECT_TRUE(search.isSettled());
  EXPECT_EQ(search.getBest().part, 6);
  EXPECT_EQ(search.getMostScratch(), 50);
}

TEST(PlanSearch, StartsAgainWithTheScratchMemoryOfKernels) {
  PlanSearch search(limited(650));
  const std::vector<int64_t> parts = runSearch(search, /*scratchBytes=*/100);
  EXPECT_EQ(parts, std::vector<int64_t>({0, 6, 0, 6, 4})) << "parts of six need 700 bytes with their kernels";
  EXPECT_EQ(search.getBest().part, 4);
}

TEST(PlanSearch, SaysTheLeastMemoryWithScratch) {
  PlanSearch search(limited(50));
  runSearch(search, /*scratchBytes=*/30);
  ASSERT_TRUE(search.getMissing());
  EXPECT_EQ(search.getMissing()->sessionBytes, 100);
  EXPECT_EQ(search.getMissingBytes(), 130) << "kernels were compiled to know it";
}

TEST(PlanSearch, SaysTheLeastMemoryOfSchedules) {
  PlanSearch::Settings settings = limited(50);
  settings.compilesKernels = false;
  PlanSearch search(settings);
  EXPECT_EQ(runSearch(search), std::vector<int64_t>({0, 6, 4, 3, 2, 1}));
  EXPECT_EQ(search.getMissingBytes(), 100);
}

TEST(PlanSearch, CompilesTheLeastPlanAgainIfItWasNotTheLast) {
  // Sums of gradients may take more than smaller parts save.
  auto measure = [](const Choice &choice) {
    Trial trial = trialOf(choice);
    trial.sessionBytes = choice.part == 4 ? 400 : 500;
    return trial;
  };
  PlanSearch search(limited(50));
  const std::vector<int64_t> parts = runSearch(search, /*scratchBytes=*/10, measure);
  EXPECT_EQ(parts[6], 4) << "after all parts, the least one again, for its kernels";
  EXPECT_EQ(search.getMissingBytes(), 410);
}

TEST(PlanSearch, LeavesScaledStepsToTheCpuIfNoGpuTakesThem) {
  PlanSearch::Settings settings;
  settings.scalesLoss = true;
  PlanSearch search(settings);
  ASSERT_TRUE(search.next()->scalesLoss);
  EXPECT_FALSE(search.record(Trial())) << "no GPU has a share";
  ASSERT_TRUE(search.next());
  EXPECT_FALSE(search.next()->scalesLoss);
  EXPECT_TRUE(search.next()->isCpuOnly);
  EXPECT_TRUE(search.record(Trial()));
  EXPECT_TRUE(search.isSettled());

  PlanSearch onGpu(settings);
  Trial withGpu;
  withGpu.usesGpu = true;
  EXPECT_TRUE(onGpu.record(withGpu));
  EXPECT_TRUE(onGpu.getBest().scalesLoss);
}

} // namespace
