// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Count.h"
#include "gtest/gtest.h"

using nacre::describeCount;

TEST(Count, OnlyOneIsSingular) {
  EXPECT_EQ(describeCount(0, "thread"), "0 threads");
  EXPECT_EQ(describeCount(1, "thread"), "1 thread");
  EXPECT_EQ(describeCount(2, "thread"), "2 threads");
}

TEST(Count, FormsPluralsByRule) {
  EXPECT_EQ(describeCount(3, "launch"), "3 launches");
  EXPECT_EQ(describeCount(3, "epoch"), "3 epochs");
  EXPECT_EQ(describeCount(3, "axis"), "3 axes");
  EXPECT_EQ(describeCount(3, "class"), "3 classes");
  EXPECT_EQ(describeCount(3, "synchronization point"), "3 synchronization points");
}
