// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strided slices with masks: the kinds of entries of the lists, and the elements that they take from an axis.

#include "compiler/import/operands/StridedSlices.h"

#include "gtest/gtest.h"

namespace nacre::importer {
namespace {

using Numbers = llvm::SmallVector<int64_t>;

/// "starts / sizes / steps / shape", or the error.
std::string describe(const StridedSlice &slice, const Numbers &shape) {
  llvm::Expected<SlicedPart> part = expandSlice(slice, shape);
  if (!part)
    return llvm::toString(part.takeError());
  std::string text;
  for (const Numbers *list : {&part->starts, &part->sizes, &part->steps, &part->shape}) {
    text += text.empty() ? "" : "/";
    for (int64_t number : *list)
      text += " " + std::to_string(number);
    text += " ";
  }
  return text;
}

StridedSlice make(Numbers begin, Numbers end, Numbers strides) {
  StridedSlice slice;
  slice.begin = std::move(begin);
  slice.end = std::move(end);
  slice.strides = std::move(strides);
  return slice;
}

TEST(StridedSlices, CutPositionsToTheAxis) {
  EXPECT_EQ(describe(make({1, -2}, {9, 9}, {2, 1}), {5, 4}), " 1 2 / 2 2 / 2 1 / 2 2 ");
  EXPECT_EQ(describe(make({9}, {-9}, {-2}), {5}), " 4 / 3 / -2 / 3 ");
  EXPECT_EQ(describe(make({3}, {3}, {1}), {5}), " 0 / 0 / 1 / 0 ");
  EXPECT_EQ(describe(make({-9}, {-99}, {-1}), {5}), " 0 / 0 / 1 / 0 ");
  EXPECT_EQ(describe(make({}, {}, {}), {5}), " 0 / 5 / 1 / 5 ");
}

TEST(StridedSlices, TakeEndsOfTheAxisByMask) {
  StridedSlice slice = make({3, 3}, {4, 4}, {1, -1});
  slice.beginMask = slice.endMask = 3;
  EXPECT_EQ(describe(slice, {5, 4}), " 0 3 / 5 4 / 1 -1 / 5 4 ");
}

TEST(StridedSlices, CountEntriesNotAxes) {
  // x[:, ..., new, 1] of [2, 3, 4, 5]
  StridedSlice slice = make({0, 0, 0, 1}, {0, 0, 0, 99}, {1, 1, 1, 7});
  slice.beginMask = slice.endMask = 1;
  slice.ellipsisMask = 2;
  slice.newAxisMask = 4;
  slice.shrinkMask = 8;
  EXPECT_EQ(describe(slice, {2, 3, 4, 5}), " 0 0 0 1 / 2 3 4 1 / 1 1 1 1 / 2 3 4 1 ");
}

TEST(StridedSlices, CountEndsFromBegins) {
  StridedSlice slice = make({1}, {2}, {1});
  slice.endIsOffset = true;
  EXPECT_EQ(describe(slice, {5}), " 1 / 2 / 1 / 2 ");
}

TEST(StridedSlices, RefuseWhatIsNoSlice) {
  EXPECT_EQ(describe(make({0}, {1}, {0}), {5}), "strides must not be 0, but one is");
  EXPECT_EQ(describe(make({0, 0}, {1, 1}, {1, 1}), {5}),
            "there must be at most one entry per axis and one ellipsis, but there are more");
  StridedSlice slice = make({5}, {6}, {1});
  slice.shrinkMask = 1;
  EXPECT_EQ(describe(slice, {5}), "the index into a removed axis must be smaller than its size, but is not");
}

} // namespace
} // namespace nacre::importer
