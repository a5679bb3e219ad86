// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The line on a terminal while a model is compiled. The test sets the time.

#include "tools/compile/ProgressLine.h"
#include "gtest/gtest.h"

using namespace nacre;
using namespace nacre::tools;

namespace {

class ProgressLineTest : public testing::Test {
protected:
  std::string at(double seconds, Phase phase, unsigned done = 0, unsigned total = 0) {
    return line.describe(phase, done, total, after(seconds));
  }
  static ProgressLine::Time after(double seconds) {
    return ProgressLine::Time(std::chrono::milliseconds(int64_t(seconds * 1000)));
  }

  ProgressLine line{after(0)};
};

TEST_F(ProgressLineTest, ShortWorkHasNoTimes) {
  EXPECT_EQ(at(0, Phase::Import), "import");
  EXPECT_EQ(at(0.5, Phase::Codegen), "codegen");
  EXPECT_EQ(at(1.9, Phase::Codegen, 30, 60), "codegen 30/60");
}

TEST_F(ProgressLineTest, WhatIsDoneSaysHowLongTheRestTakes) {
  at(1, Phase::Codegen);
  EXPECT_EQ(at(2.5, Phase::Codegen, 10, 60), "codegen 10/60, 2 s");
  EXPECT_EQ(at(3, Phase::Codegen, 10, 60), "codegen 10/60, 3 s, about 10 s left");
  EXPECT_EQ(at(9, Phase::Codegen, 40, 60), "codegen 40/60, 9 s, about 4 s left");
  EXPECT_EQ(at(13, Phase::Codegen, 60, 60), "codegen 60/60, 13 s");
}

TEST_F(ProgressLineTest, OneKernelSaysNothingOfOthers) {
  at(0, Phase::Codegen);
  EXPECT_EQ(at(5, Phase::Codegen, 1, 60), "codegen 1/60, 5 s");
}

TEST_F(ProgressLineTest, LongWaitsAreRounded) {
  at(0, Phase::Codegen);
  EXPECT_EQ(at(10, Phase::Codegen, 10, 43), "codegen 10/43, 10 s, about 35 s left");
  EXPECT_EQ(at(10, Phase::Codegen, 10, 200), "codegen 10/200, 10 s, about 3 min left");
}

TEST_F(ProgressLineTest, EachPhaseBeginsAnew) {
  at(0, Phase::Place);
  at(8, Phase::Place, 4, 4);
  at(8, Phase::Codegen);
  EXPECT_EQ(at(9, Phase::Codegen, 2, 4), "codegen 2/4, 9 s") << "a second is too short to tell";
  EXPECT_EQ(at(11, Phase::Codegen, 3, 4), "codegen 3/4, 11 s, about 1 s left");
}

TEST_F(ProgressLineTest, WhatRunsAgainBeginsAnew) {
  at(0, Phase::Codegen);
  at(4, Phase::Codegen, 4, 4);
  at(4, Phase::Codegen);
  EXPECT_EQ(at(5, Phase::Codegen, 2, 4), "codegen 2/4, 5 s");
}

TEST_F(ProgressLineTest, LinesThatStayAreHalfAMinuteApart) {
  EXPECT_FALSE(line.isTimeForLine(after(29)));
  EXPECT_TRUE(line.isTimeForLine(after(31)));
  EXPECT_FALSE(line.isTimeForLine(after(60)));
  EXPECT_TRUE(line.isTimeForLine(after(61)));
}

} // namespace
