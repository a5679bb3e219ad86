// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the scores of attention that is computed, counted by hand.

#include "dialects/plan/KeyBounds.h"

#include "gtest/gtest.h"

using namespace nacre::plan;

namespace {

constexpr std::optional<int64_t> kNoLimit = std::nullopt;

/// Blocks of 32 rows see 32, 64, ... 256 keys. They are in 1, 1, 2, 2, 3, 3, 4 and 4 chunks of 64.
TEST(KeyBounds, CausalRowsComputeHalfOfTheKeysAndTheRestOfTheirChunks) {
  EXPECT_DOUBLE_EQ(computedPart({kNoLimit, 0, 0, kNoLimit}, 256, 256), 20. / 32);
  EXPECT_NEAR(computedPart({kNoLimit, 0, 0, kNoLimit}, 4096, 4096), 0.5, 0.01);
}

/// The first keys of the blocks are 0, 1, 33, 65, ... So every second block has keys in two chunks.
TEST(KeyBounds, AWindowComputesOneOrTwoChunks) {
  EXPECT_DOUBLE_EQ(computedPart({31, 0, 0, kNoLimit}, 256, 256), (64. + 64 + 128 + 64 + 128 + 64 + 128 + 64) / 8 / 256);
}

TEST(KeyBounds, BoundsThatHideNothingComputeAll) {
  EXPECT_DOUBLE_EQ(computedPart({kNoLimit, kNoLimit, 0, kNoLimit}, 100, 300), 1);
  EXPECT_DOUBLE_EQ(computedPart({1000, 1000, 5, kNoLimit}, 100, 300), 1);
  EXPECT_DOUBLE_EQ(computedPart({int64_t(1) << 62, int64_t(1) << 62, 0, kNoLimit}, 100, 300), 1);
  EXPECT_DOUBLE_EQ(computedPart({kNoLimit, 0, 0, kNoLimit}, 60, 60), 1) << "one chunk";
  EXPECT_DOUBLE_EQ(computedPart({kNoLimit, 0, 299, kNoLimit}, 1, 300), 1) << "one row after all keys";
}

TEST(KeyBounds, RowsWithoutKeysComputeAChunk) {
  EXPECT_DOUBLE_EQ(computedPart({3, 0, -1000, kNoLimit}, 32, 256), 0.25);
  EXPECT_DOUBLE_EQ(computedPart({3, 0, 1000, kNoLimit}, 32, 256), 0.25);
}

/// The offset is known at run time only. 32 rows with a window of 100 keys see 131 keys, in up to four chunks.
TEST(KeyBounds, AnUnknownOffsetHasAnUpperBound) {
  EXPECT_DOUBLE_EQ(computedPart({99, 0, 0, 2}, 32, 1024), 256. / 1024);
  EXPECT_DOUBLE_EQ(computedPart({kNoLimit, 0, 0, 2}, 32, 1024), 1);
}

} // namespace
