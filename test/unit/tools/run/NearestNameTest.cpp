// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/NearestName.h"
#include "gtest/gtest.h"

using nacre::tools::didYouMean;
using nacre::tools::nearestName;
using nacre::tools::typingDistance;

TEST(NearestName, CountsSlipsOfTheHand) {
  EXPECT_EQ(typingDistance("threads", "threads"), 0U);
  EXPECT_EQ(typingDistance("treads", "threads"), 1U);
  EXPECT_EQ(typingDistance("tthreads", "threads"), 1U);
  EXPECT_EQ(typingDistance("thraeds", "threads"), 1U); // two letters swapped
  EXPECT_EQ(typingDistance("", "threads"), 7U);
}

TEST(NearestName, SuggestsOnlyWhatResembles) {
  const std::vector<std::string> names = {"input", "output", "threads"};
  EXPECT_EQ(nearestName("inptu", names), "input");
  EXPECT_EQ(nearestName("oupt", names), "");
  EXPECT_EQ(nearestName("frobnicate", names), "");
  EXPECT_EQ(nearestName("", names), "");
}

TEST(NearestName, AsksOrSaysNothing) {
  const std::vector<std::string> names = {"phone", "board"};
  EXPECT_EQ(didYouMean("phne", names), "; did you mean 'phone'?");
  EXPECT_EQ(didYouMean("fridge", names), "");
  EXPECT_EQ(didYouMean(std::string(1000, 'p'), names), "");
}
