// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Advice about launches, and cases without advice: test/e2e/driver/advice_test.py has the models that lead to them.

#include "compiler/report/Advice.h"
#include "gtest/gtest.h"

using namespace nacre;

namespace {

/// One that nothing is wrong with.
LaunchReport launchOf(const std::string &node, double milliseconds, const std::string &kind = "nest") {
  LaunchReport launch;
  launch.entry = "main";
  launch.nodeList = {node};
  launch.kind = kind;
  launch.predictedMilliseconds = {milliseconds, std::nullopt};
  launch.placedMilliseconds = milliseconds;
  return launch;
}

TEST(Advice, SaysNothingOfWhatIsAsItShouldBe) {
  CompileReport report;
  report.launches = {launchOf("a", 1), launchOf("b", 2, "contraction"), launchOf("c", 1, "row")};
  EXPECT_TRUE(advise(report).empty());
  EXPECT_TRUE(advise(CompileReport()).empty());
}

TEST(Advice, AddsUpWhatIsAlikeAndNamesTheDearest) {
  CompileReport report;
  report.launches = {launchOf("small", 1), launchOf("large", 2), launchOf("rest", 17)};
  for (LaunchReport &launch : report.launches)
    launch.fallback = launch.nodeList.front() != "rest";
  report.launches[0].fallbackReason = "one", report.launches[1].fallbackReason = "another";
  const std::vector<Advice> said = advise(report);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].kind, "fallback");
  EXPECT_EQ(said[0].nodes, (std::vector<std::string>{"large", "small"}));
  EXPECT_EQ(said[0].launches, (std::vector<unsigned>{1, 0}));
  EXPECT_EQ(said[0].problem, "this falls back to plain loops (another)");
  EXPECT_EQ(said[0].remedy, "try other operators with the same result");
  EXPECT_DOUBLE_EQ(said[0].share, 0.15);
  EXPECT_EQ(said[0].text, "this falls back to plain loops (another); try other operators with the same result "
                          "(here and at another: 15 % of a run)");
}

TEST(Advice, SaysNothingOfTrifles) {
  CompileReport report;
  report.launches = {launchOf("slow", 4.9), launchOf("rest", 95.1)};
  report.launches[0].fallback = true;
  EXPECT_TRUE(advise(report).empty());
  report.launches[0].placedMilliseconds = 5.1;
  EXPECT_EQ(advise(report).size(), 1u);
}

TEST(Advice, HalvesAreNotHalvedAgain) {
  CompileReport report;
  report.launches = {launchOf("product", 1, "contraction")};
  report.launches[0].weightBytes = 4 << 20;
  EXPECT_TRUE(advise(report).empty());
  report.launches[0].singleWeightBytes = 4 << 20;
  ASSERT_EQ(advise(report).size(), 1u);
  EXPECT_EQ(advise(report)[0].kind, "weights");
}

TEST(Advice, WhatTheGpuComputesIsNotTheCpusToWasteTimeOn) {
  CompileReport report;
  report.launches = {launchOf("conv", 1, "contraction")};
  report.launches[0].columns = 17;
  report.launches[0].lanes = 16;
  ASSERT_EQ(advise(report).size(), 1u);
  EXPECT_EQ(advise(report)[0].kind, "padding");
  report.launches[0].gpuShare = 1;
  EXPECT_TRUE(advise(report).empty());
}

TEST(Advice, AReasonOfTheGpusCountsWhereItWasAskedFor) {
  CompileReport report;
  report.launches = {launchOf("exp", 1)};
  report.launches[0].gpuDeclined = "no code";
  EXPECT_TRUE(advise(report).empty());
  report.usesGpu = true;
  ASSERT_EQ(advise(report).size(), 1u);
  EXPECT_EQ(advise(report)[0].text,
            "the GPU has no code for this (no code); try another element type or operator (here: 100 % of a run)");
}

TEST(Advice, OfTheFirstEntryAlone) {
  CompileReport report;
  report.launches = {launchOf("a", 1), launchOf("b", 100)};
  report.launches[1].entry = "other";
  report.launches[1].fallback = true;
  EXPECT_TRUE(advise(report).empty());
}

TEST(Advice, WithoutADeviceEstimatesCount) {
  CompileReport report;
  report.launches = {launchOf("small", 0), launchOf("large", 0)};
  for (LaunchReport &launch : report.launches) {
    launch.predictedMilliseconds.reset();
    launch.inDoubles = launch.nodeList.front() == "large";
    launch.estimatedMilliseconds = launch.inDoubles ? 99 : 1;
  }
  ASSERT_EQ(advise(report).size(), 1u);
  EXPECT_NEAR(advise(report)[0].share, 0.495, 0.001);
}

} // namespace
