// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows and slices, in numbers.

#include "compiler/import/builder/Geometry.h"
#include "gtest/gtest.h"

using namespace nacre::importer;

namespace {

Window window(int64_t kernel, int64_t stride, int64_t dilation) {
  return {{kernel}, {stride}, {dilation}, {0, 0}, {0}};
}

// 7 cells in steps of 2 give 4 windows of 3, which cover 9: two pads. With 4 cells a window it is an odd number.
TEST(Geometry, SamePadsPutTheOddOneWhereTheyAreTold) {
  Window even = window(3, 2, 1), high = window(4, 2, 1), low = window(4, 2, 1);
  padToSame(even, {7}, /*oddAtEnd=*/true);
  padToSame(high, {7}, /*oddAtEnd=*/true);
  padToSame(low, {7}, /*oddAtEnd=*/false);
  EXPECT_EQ(even.pads, (llvm::SmallVector<int64_t>{1, 1}));
  EXPECT_EQ(high.pads, (llvm::SmallVector<int64_t>{1, 2}));
  EXPECT_EQ(low.pads, (llvm::SmallVector<int64_t>{2, 1}));
}

// A step larger than the window leaves cells out, but never asks for negative pads.
TEST(Geometry, SamePadsAreNeverNegative) {
  Window wide = window(1, 3, 1);
  padToSame(wide, {7}, true);
  EXPECT_EQ(wide.pads, (llvm::SmallVector<int64_t>{0, 0}));
}

// Transposed, 4 cells of a window of 3 in steps of 2 reach 9. Of an odd number to cut off one end loses more.
TEST(Geometry, TransposedPadsFollowFromTheOutput) {
  Window high = window(3, 2, 1), low = window(3, 2, 1), larger = window(3, 2, 1);
  llvm::SmallVector<int64_t> reach = *getReach(high, {4});
  EXPECT_EQ(reach, (llvm::SmallVector<int64_t>{9}));
  padToOutput(high, reach, {8}, /*oddAtEnd=*/true);
  padToOutput(low, reach, {8}, /*oddAtEnd=*/false);
  padToOutput(larger, reach, {11}, /*oddAtEnd=*/false);
  EXPECT_EQ(high.pads, (llvm::SmallVector<int64_t>{0, 1}));
  EXPECT_EQ(low.pads, (llvm::SmallVector<int64_t>{1, 0}));
  EXPECT_EQ(larger.pads, (llvm::SmallVector<int64_t>{0, -2}));
}

TEST(Geometry, WhatReachesTooFarIsNotCounted) {
  EXPECT_FALSE(getReach(window(1, INT64_MAX, 1), {3}));
  EXPECT_FALSE(getReach(window(1, int64_t(1) << 40, 1), {int64_t(1) << 10}));
}

// 6 cells hold two windows of 3 in steps of 2, and a third that hangs over by one cell.
TEST(Geometry, RoundingUpLetsTheLastWindowHangOver) {
  Window last = window(3, 2, 1);
  roundUp(last, {6});
  EXPECT_EQ(last.overhang[0], 1);
}

// A window that would begin behind the input, in the high pads, is not counted.
TEST(Geometry, NoWindowBeginsInTheHighPads) {
  Window last = window(1, 3, 1);
  last.pads = {0, 2};
  roundUp(last, {3});
  EXPECT_EQ(last.overhang[0], 0);
}

// One place of a window that is larger than the padded input: it needs no more cells than there are.
TEST(Geometry, RoundingUpCutsAWindowThatCoversAll) {
  Window large = window(5, 5, 1), apart = window(3, 4, 3), padded = window(4, 2, 1);
  roundUp(large, {2});
  roundUp(apart, {5});
  padded.pads = {1, 0};
  roundUp(padded, {2});
  EXPECT_EQ(large.kernel[0], 2);
  EXPECT_EQ(large.overhang[0], 0);
  EXPECT_EQ(apart.kernel[0], 2); // cells 0 and 3
  EXPECT_EQ(padded.kernel[0], 3);
}

// Rounded up to no place at all, it stays as it is.
TEST(Geometry, RoundingUpLeavesAWindowWithoutAPlace) {
  Window far = window(5, 3, 1), empty = window(2, 3, 1);
  roundUp(far, {2});
  roundUp(empty, {0});
  EXPECT_EQ(far.kernel[0], 5);
  EXPECT_EQ(far.overhang[0], 0);
  EXPECT_EQ(empty.kernel[0], 2);
}

TEST(Geometry, RangesAreCutToTheAxis) {
  auto expect = [](SliceRange range, int64_t start, int64_t size) {
    EXPECT_EQ(range.start, start);
    EXPECT_EQ(range.size, size);
  };
  expect(clampRange(1, 4, 2, 5), 1, 2);
  expect(clampRange(-2, INT64_MAX, 1, 5), 3, 2);
  expect(clampRange(3, 1, 1, 5), 3, 0);
  expect(clampRange(-1, INT64_MIN, -1, 5), 4, 5);
  expect(clampRange(0, 5, 1, 0), 0, 0);
  expect(clampRange(4, 0, INT64_MIN, 5), 4, 1);
}

} // namespace
