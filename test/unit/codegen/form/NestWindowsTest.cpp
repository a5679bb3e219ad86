// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/Nest.h"

#include "gtest/gtest.h"
#include <tuple>
#include <vector>

using namespace nacre::codegen;

namespace {

constexpr size_t kManyRegions = 1000;

/// One axis of a pooling: cells of `size`, `low` cells of padding before them.
Nest makePool(int64_t outputs, int64_t window, int64_t size, int64_t low, int64_t stride, int64_t dilation) {
  Nest nest;
  nest.loops = {{outputs, true}, {window, false}};
  NestOperand input;
  input.strides = {stride, dilation};
  input.offset = -low;
  nest.operands = {input};
  nest.windows = {{size, -low, {stride, dilation}}};
  return nest;
}

using Read = std::tuple<int64_t, int64_t>; // output, position

std::vector<Read> readsOfRegions(const Nest &nest) {
  std::vector<Read> reads;
  int64_t expected = 0;
  auto regions = divideWindows(nest, /*cut=*/0u, kManyRegions);
  EXPECT_TRUE(regions);
  for (const NestRegion &region : *regions) {
    EXPECT_EQ(region.cutBegin, expected) << "regions follow one another";
    EXPECT_LT(region.cutBegin, region.cutEnd);
    expected = region.cutEnd;
    const NestOperand &input = region.nest.operands.front();
    for (int64_t output = region.cutBegin; output < region.cutEnd; ++output)
      for (int64_t cell = 0; cell < region.nest.loops[1].size; ++cell)
        reads.push_back({output, input.offset + output * input.strides[0] + cell * input.strides[1]});
  }
  EXPECT_EQ(expected, nest.loops[0].size);
  return reads;
}

std::vector<Read> readsInside(const Nest &nest) {
  std::vector<Read> reads;
  const NestWindow &window = nest.windows.front();
  for (int64_t output = 0; output < nest.loops[0].size; ++output)
    for (int64_t cell = 0; cell < nest.loops[1].size; ++cell) {
      int64_t position = window.constant + output * window.coefficients[0] + cell * window.coefficients[1];
      if (position >= 0 && position < window.size)
        reads.push_back({output, position});
    }
  return reads;
}

TEST(DivideWindows, ReadsWhatLiesInsideAndNothingElse) {
  for (int64_t window : {1, 2, 3, 5})
    for (int64_t size : {1, 2, 7, 12})
      for (int64_t low : {0, 1, 4, 9})
        for (int64_t stride : {1, 2, 5})
          for (int64_t dilation : {1, 2, 3}) {
            SCOPED_TRACE(testing::Message() << "window " << window << " size " << size << " low " << low << " stride "
                                            << stride << " dilation " << dilation);
            Nest nest = makePool(/*outputs=*/16, window, size, low, stride, dilation);
            EXPECT_EQ(readsOfRegions(nest), readsInside(nest));
          }
}

TEST(DivideWindows, DividesOnceWhatTwoOperandsLeaveAlike) {
  Nest nest = makePool(/*outputs=*/8, /*window=*/3, /*size=*/6, /*low=*/2, 1, 1);
  nest.operands.push_back(nest.operands.front());
  nest.windows.push_back(nest.windows.front());
  EXPECT_EQ(readsOfRegions(nest), readsInside(nest));
  nest.windows.back().constant = -1;
  EXPECT_FALSE(divideWindows(nest, /*cut=*/0u, kManyRegions));
}

TEST(DivideWindows, AsksNoLongerForAxesOfBillions) {
  // A window of 3 with one cell of padding on each side: the first output, the last, and all others.
  constexpr int64_t outputs = int64_t(1) << 40;
  auto regions = divideWindows(makePool(outputs, 3, outputs, 1, 1, 1), /*cut=*/0u, kManyRegions);
  ASSERT_TRUE(regions);
  ASSERT_EQ(regions->size(), 3u);
  EXPECT_EQ((*regions)[1].cutEnd, outputs - 1);
}

TEST(DivideWindows, GivesUpOnMoreRegionsThanAllowed) {
  constexpr int64_t window = int64_t(1) << 30;
  EXPECT_FALSE(divideWindows(makePool(window, window, window, window, 1, 1), /*cut=*/0u, /*maxRegions=*/49));
}

} // namespace
