// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over an array that another one is moved into, as loops over that one: all small cases compared with the
// addresses themselves.

#include "compiler/encode/panels/StridedReads.h"

#include "gtest/gtest.h"

using namespace nacre::encode;

namespace {

/// Every element that `read` reads, in the order of its loops.
std::vector<int64_t> addressesOf(const StridedRead &read, size_t loop = 0, int64_t at = 0) {
  if (loop == read.loops.size())
    return {read.offset + at};
  std::vector<int64_t> all;
  for (int64_t i = 0; i < read.loops[loop].size; ++i)
    for (int64_t address : addressesOf(read, loop + 1, at + i * read.loops[loop].stride))
      all.push_back(address);
  return all;
}

/// Returns the element at each address after a movement.
std::vector<int64_t> contentsOf(const Movement &movement, int64_t elements) {
  StridedRead read{movement.offset, {}}, written{0, {}};
  for (const MovedLoop &loop : movement.loops) {
    read.loops.push_back({loop.size, loop.read});
    written.loops.push_back({loop.size, loop.written});
  }
  const std::vector<int64_t> from = addressesOf(read), to = addressesOf(written);
  std::vector<int64_t> contents(elements, -1);
  for (size_t i = 0; i < from.size(); ++i)
    contents[to[i]] = from[i];
  return contents;
}

void expectThrough(const StridedRead &reader, const Movement &movement, int64_t elements) {
  const std::vector<int64_t> contents = contentsOf(movement, elements);
  std::vector<int64_t> expected;
  for (int64_t address : addressesOf(reader))
    expected.push_back(contents[address]);
  std::optional<StridedRead> through = readThrough(reader, movement, elements);
  ASSERT_TRUE(through);
  EXPECT_EQ(addressesOf(*through), expected);
}

TEST(StridedReads, ATransposeIsReadAcross) {
  const Movement transpose{0, {{4, 1, 3}, {3, 4, 1}}}; // [3][4] becomes [4][3]
  expectThrough({0, {{4, 3}, {3, 1}}}, transpose, 12);
  expectThrough({0, {{3, 1}, {4, 3}}}, transpose, 12);
  expectThrough({3, {{3, 3}, {2, 1}}}, transpose, 12); // a part
  expectThrough({0, {{2, 6}, {3, 1}}}, transpose, 12); // every other row
}

TEST(StridedReads, TapsInReverseAreReadBackwards) {
  const Movement reversed{8 * 20, {{9, -20, 20}, {20, 1, 1}}}; // nine taps of twenty
  expectThrough({0, {{9, 20}, {4, 5}, {5, 1}}}, reversed, 180);
}

TEST(StridedReads, LoopsOfOneElementAreNone) { expectThrough({0, {{1, 77}, {3, 1}}}, {0, {{1, 5, 9}, {3, 2, 1}}}, 3); }

TEST(StridedReads, WhatCarriesIsRefused) {
  const Movement transpose{0, {{4, 1, 3}, {3, 4, 1}}};
  EXPECT_FALSE(readThrough({0, {{12, 1}}}, transpose, 12)) << "one loop over both axes";
  EXPECT_FALSE(readThrough({1, {{3, 1}}}, transpose, 12)) << "from one row into the next";
  EXPECT_FALSE(readThrough({0, {{4, 2}}}, transpose, 12)) << "a step that is none of either axis";
  EXPECT_FALSE(readThrough({0, {{3, 1}}}, transpose, 15)) << "not all is written";
  EXPECT_FALSE(readThrough({0, {{3, 1}}}, Movement{0, {{4, 1, 4}, {3, 4, 1}}}, 12)) << "with gaps";
}

TEST(StridedReads, AxesOfAnArray) {
  auto axes = byAxes({2 * 20 + 7, {{3, -20}, {5, 1}, {2, 60}}}, {2, 3, 20});
  ASSERT_TRUE(axes);
  ASSERT_EQ(axes->size(), 3u);
  EXPECT_EQ((*axes)[0].start, 0);
  EXPECT_EQ((*axes)[0].steps, (llvm::SmallVector<int64_t>{0, 0, 1}));
  EXPECT_EQ((*axes)[1].start, 2);
  EXPECT_EQ((*axes)[1].steps, (llvm::SmallVector<int64_t>{-1, 0, 0}));
  EXPECT_EQ((*axes)[2].start, 7);
  EXPECT_EQ((*axes)[2].steps, (llvm::SmallVector<int64_t>{0, 1, 0}));

  auto units = byAxes({0, {{4, 5}, {5, 1}}}, {4, 1, 5});
  ASSERT_TRUE(units);
  EXPECT_EQ((*units)[1].steps, (llvm::SmallVector<int64_t>{0, 0}));
  EXPECT_FALSE(byAxes({0, {{21, 1}}}, {2, 20}));
  EXPECT_FALSE(byAxes({19, {{2, -20}}}, {2, 20}));
}

} // namespace
