// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An arena drawn over its steps, and which part of a step of training a launch is of.

#include "compiler/report/ArenaChart.h"
#include "compiler/report/StepParts.h"
#include "gtest/gtest.h"

using namespace nacre;

namespace {

constexpr int64_t kMebibyte = 1 << 20;

TEST(ArenaChart, AColumnForEachStep) {
  EXPECT_EQ(drawArena({{kMebibyte, 'f'}, {4 * kMebibyte, 'f'}, {2 * kMebibyte, 'b'}, {0, 'u'}}, 64, 4, "  "),
            "  4.0 MiB | #\n"
            "          | #\n"
            "          | ##\n"
            "          |###\n"
            "           ffbu\n");
}

TEST(ArenaChart, SeveralStepsAreTheirLargest) {
  EXPECT_EQ(drawArena({{1, 'f'}, {2, 'f'}, {3, 'b'}, {1, 'b'}, {0, 'u'}, {0, 'u'}}, 3, 1, ""), "0.0 MiB |##\n"
                                                                                               "         fbu\n");
}

TEST(ArenaChart, WhatHasNoMarksHasNoLineOfThem) {
  EXPECT_EQ(drawArena({{kMebibyte, ' '}}, 64, 1, ""), "1.0 MiB |#\n");
  EXPECT_EQ(drawArena({{0, 'f'}}, 64, 3, ""), "") << "nothing is in use";
  EXPECT_EQ(drawArena({}, 64, 3, ""), "");
}

TEST(StepParts, FollowNames) {
  EXPECT_EQ(partOf("conv1"), StepPart::Forward);
  EXPECT_EQ(partOf(""), StepPart::Update) << "a copy into a state";
  EXPECT_EQ(partOf("conv1, conv1 dX"), StepPart::Backward);
  EXPECT_EQ(partOf("fc1 dW, fc1 update"), StepPart::Backward) << "made and used in one launch";
  EXPECT_EQ(partOf("fc1 update, clip update"), StepPart::Update);
  EXPECT_EQ(partOf("fc1, fc1 update"), StepPart::Forward);
  EXPECT_TRUE(makesWeightGradient("fc1 dX, fc1 dW"));
  EXPECT_FALSE(makesWeightGradient("fc1 dX, fc1 update"));
}

} // namespace
