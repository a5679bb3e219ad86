// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Learning rates over steps: the meaning of the words, and the rates at the ends.

#include "tools/run/session/Schedule.h"

#include <gtest/gtest.h>

using namespace nacre::run;

namespace {

double at(const char *text, uint64_t step, uint64_t stepsPerEpoch, uint64_t steps) {
  return factorAt(*parseSchedule(text), step, stepsPerEpoch, steps);
}

TEST(Schedule, ConstantStays) {
  EXPECT_EQ(at("constant", 0, 10, 30), 1);
  EXPECT_EQ(at("constant", 29, 10, 30), 1);
}

TEST(Schedule, WarmupGoesUpFromNothingToAll) {
  EXPECT_DOUBLE_EQ(at("constant:warmup=4", 0, 10, 30), 0.25);
  EXPECT_DOUBLE_EQ(at("constant:warmup=4", 3, 10, 30), 1);
  EXPECT_DOUBLE_EQ(at("constant:warmup=4", 4, 10, 30), 1);
}

TEST(Schedule, StepsFallBehindEpochs) {
  const char *text = "step:every=2,factor=0.5";
  EXPECT_DOUBLE_EQ(at(text, 19, 10, 60), 1);
  EXPECT_DOUBLE_EQ(at(text, 20, 10, 60), 0.5);
  EXPECT_DOUBLE_EQ(at(text, 59, 10, 60), 0.25);
}

TEST(Schedule, CosineEndsAtTheLeast) {
  const char *text = "cosine:warmup=5,least=0.1";
  EXPECT_DOUBLE_EQ(at(text, 4, 10, 26), 1);
  EXPECT_DOUBLE_EQ(at(text, 5, 10, 26), 1);
  EXPECT_NEAR(at(text, 15, 10, 26), 0.55, 1e-12); // the middle
  EXPECT_NEAR(at(text, 25, 10, 26), 0.1, 1e-12);
  EXPECT_EQ(at("cosine", 0, 1, 1), 1) << "a single step is a whole one";
}

TEST(Schedule, OtherWordsAreNone) {
  for (const char *text :
       {"", "linear", "constant:every=1", "step:every=0", "step:every=1.5", "step:factor=", "cosine:least=x",
        "cosine:least=-1", "constant:warmup=inf", "constant:warmup=2.5", "cosine:"})
    EXPECT_EQ(parseSchedule(text).has_value(), std::string_view(text) == "cosine:") << text;
}

} // namespace
