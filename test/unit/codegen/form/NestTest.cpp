// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loops and strides: whatever is done to them, the same elements must meet.
// Why:   emitters believe what a nest says; an address that is wrong here is a wrong result everywhere.
// How:   every point of a nest, as the addresses of its operands, counted out before and after, on random nests too.

#include "codegen/form/Nest.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <vector>

using namespace nacre::codegen;

namespace {

constexpr int64_t kManyRegions = 1000;

/// The addresses of all operands at one iteration of all loops.
using Point = std::vector<int64_t>;
using Counters = std::vector<int64_t>;

/// Calls `visit` at every iteration, in the order in which the loops iterate.
void walk(const Nest &nest, const std::function<void(const Counters &)> &visit) {
  Counters at(nest.loops.size(), 0);
  std::function<void(size_t)> iterate = [&](size_t loop) {
    if (loop == nest.loops.size())
      return visit(at);
    for (at[loop] = 0; at[loop] < nest.loops[loop].size; ++at[loop])
      iterate(loop + 1);
  };
  iterate(0);
}

Point pointAt(const Nest &nest, const Counters &at, int64_t cutIndex = 0, int64_t part = 0) {
  Point point;
  for (const NestOperand &operand : nest.operands) {
    int64_t address = operand.offset + operand.cutStride * cutIndex + operand.partStride * part;
    for (size_t loop = 0; loop < at.size(); ++loop)
      address += operand.strides[loop] * at[loop];
    point.push_back(address);
  }
  return point;
}

std::vector<Point> pointsOf(const Nest &nest, int64_t cutIndex = 0, int64_t part = 0) {
  std::vector<Point> points;
  walk(nest, [&](const Counters &at) { points.push_back(pointAt(nest, at, cutIndex, part)); });
  return points;
}

/// Operands given as strides, walked by `loops`; reducing ones have negative sizes.
Nest makeNest(const std::vector<int64_t> &loops, const std::vector<std::vector<int64_t>> &strides) {
  Nest nest;
  for (int64_t size : loops)
    nest.loops.push_back({std::abs(size), size > 0});
  for (const std::vector<int64_t> &ofOperand : strides) {
    NestOperand operand;
    operand.argument = nest.operands.size();
    operand.strides.assign(ofOperand.begin(), ofOperand.end());
    nest.operands.push_back(operand);
  }
  nest.operands.back().written = true;
  return nest;
}

std::vector<int64_t> sizesOf(const Nest &nest) {
  std::vector<int64_t> sizes;
  for (const NestLoop &loop : nest.loops)
    sizes.push_back(loop.parallel ? loop.size : -loop.size);
  return sizes;
}

std::vector<int64_t> stridesOf(const NestOperand &operand) { return {operand.strides.begin(), operand.strides.end()}; }

/// Up to five loops and three operands, some dense, some broadcast, some with gaps.
Nest makeRandomNest(std::mt19937 &random) {
  auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::vector<int64_t> loops(pick(1, 5));
  for (int64_t &size : loops)
    size = pick(0, 3) == 0 ? 1 : pick(2, 4) * (pick(0, 2) == 0 ? -1 : 1);
  std::vector<std::vector<int64_t>> operands(3, std::vector<int64_t>(loops.size()));
  for (std::vector<int64_t> &strides : operands) {
    int64_t stride = 1;
    for (size_t loop = loops.size(); loop-- > 0;) {
      strides[loop] = pick(0, 4) == 0 ? 0 : stride;
      stride *= std::abs(loops[loop]);
      stride += pick(0, 4) == 0 ? 5 : 0;
    }
  }
  return makeNest(loops, operands);
}

} // namespace

//===----------------------------------------------------------------------===//
// Canonical form
//===----------------------------------------------------------------------===//

TEST(Nest, CountsPointsOfEachKind) {
  const Nest nest = makeNest({2, -3, 5, -7}, {{0, 0, 0, 0}});
  EXPECT_EQ(nest.countPoints(/*parallel=*/true), 10);
  EXPECT_EQ(nest.countPoints(/*parallel=*/false), 21);
}

TEST(Nest, PixelsAreOneLoopWhereABiasIsAdded) {
  // 1 x 4 x 5 pixels of 8 channels; the bias has 8 values.
  Nest nest = makeNest({1, 4, 5, 8}, {{160, 40, 8, 1}, {0, 0, 0, 1}, {160, 40, 8, 1}});
  canonicalize(nest);
  EXPECT_EQ(sizesOf(nest), (std::vector<int64_t>{20, 8}));
  EXPECT_EQ(stridesOf(nest.operands[0]), (std::vector<int64_t>{8, 1}));
  EXPECT_EQ(stridesOf(nest.operands[1]), (std::vector<int64_t>{0, 1}));
}

TEST(Nest, RowsWithAHaloBetweenThemStayApart) {
  Nest nest = makeNest({4, 5, 8}, {{40, 8, 1}, {56, 8, 1}});
  canonicalize(nest);
  EXPECT_EQ(sizesOf(nest), (std::vector<int64_t>{4, 40}));
}

TEST(Nest, ParallelAndReducingLoopsNeverMerge) {
  Nest nest = makeNest({4, -5}, {{5, 1}, {5, 1}});
  canonicalize(nest);
  EXPECT_EQ(sizesOf(nest), (std::vector<int64_t>{4, -5}));
}

TEST(Nest, CanonicalFormMeetsTheSamePointsInTheSameOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const Nest nest = makeRandomNest(random);
    Nest canonical = nest;
    canonicalize(canonical);
    ASSERT_EQ(pointsOf(canonical), pointsOf(nest)) << "round " << round;
    ASSERT_EQ(canonical.countPoints(true), nest.countPoints(true));
    Nest again = canonical;
    canonicalize(again);
    ASSERT_EQ(sizesOf(again), sizesOf(canonical)) << "there was more to do";
    for (const NestLoop &loop : canonical.loops)
      ASSERT_GT(loop.size, 1);
  }
}

//===----------------------------------------------------------------------===//
// Blocks and parts
//===----------------------------------------------------------------------===//

TEST(Nest, BlocksOfTheCutMeetAllPoints) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    Nest nest = makeRandomNest(random);
    const unsigned cut = std::uniform_int_distribution<unsigned>(0, nest.loops.size() - 1)(random);
    nest.loops[cut].size = 6;
    std::vector<Point> met, all = pointsOf(nest);
    for (auto [begin, count] : {std::pair(0, 3), std::pair(3, 2), std::pair(5, 1)})
      for (const Point &point : pointsOf(takeBlock(nest, cut, count), /*cutIndex=*/begin))
        met.push_back(point);
    std::sort(met.begin(), met.end());
    std::sort(all.begin(), all.end());
    ASSERT_EQ(met, all) << "round " << round;
  }
}

TEST(Nest, WithoutACutABlockIsAll) {
  const Nest nest = makeNest({4, 5}, {{5, 1}, {5, 1}});
  EXPECT_EQ(pointsOf(takeBlock(nest, std::nullopt, 1)), pointsOf(nest));
}

TEST(Nest, PartsAreEqualAndMeetAllPoints) {
  Nest nest = makeNest({3, 8, 2}, {{16, 2, 1}, {0, 1, 0}});
  std::vector<Point> met, all = pointsOf(nest);
  takePart(nest, 1, 4);
  EXPECT_EQ(sizesOf(nest), (std::vector<int64_t>{3, 2, 2}));
  for (int64_t part = 0; part < 4; ++part)
    for (const Point &point : pointsOf(nest, 0, part))
      met.push_back(point);
  std::sort(met.begin(), met.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(met, all);
}

//===----------------------------------------------------------------------===//
// The vector loop
//===----------------------------------------------------------------------===//

TEST(Nest, VectorsRunAlongTheContiguousLoop) {
  // A transposition writes along the inner loop; where both are strided somewhere, reading in lanes is cheaper.
  EXPECT_EQ(chooseVectorLoop(makeNest({64, 64}, {{64, 1}, {64, 1}})).loop, 1u);
  EXPECT_EQ(chooseVectorLoop(makeNest({64, 64}, {{1, 64}, {1, 64}})).loop, 0u);
  EXPECT_EQ(chooseVectorLoop(makeNest({64, 64}, {{1, 64}, {64, 1}})).loop, 1u);
}

TEST(Nest, ABroadcastIsAsGoodAsContiguous) {
  EXPECT_EQ(chooseVectorLoop(makeNest({64, 64}, {{64, 1}, {1, 0}, {64, 1}})).loop, 1u);
  // Of equals the innermost, whose iterations follow one another.
  EXPECT_EQ(chooseVectorLoop(makeNest({64, 64}, {{1, 0}, {0, 1}})).loop, 1u);
}

TEST(Nest, RowsAreFoldedAndColumnsAreNot) {
  const VectorChoice rows = chooseVectorLoop(makeNest({64, -64}, {{64, 1}, {1, 0}}));
  EXPECT_EQ(rows.loop, 1u);
  EXPECT_TRUE(rows.horizontal);
  const VectorChoice columns = chooseVectorLoop(makeNest({-64, 64}, {{64, 1}, {0, 1}}));
  EXPECT_EQ(columns.loop, 1u);
  EXPECT_FALSE(columns.horizontal);
}

TEST(Nest, ALoopThatFillsNoRegisterIsALastResort) {
  EXPECT_EQ(chooseVectorLoop(makeNest({64, 3}, {{0, 0}, {3, 1}})).loop, 1u);
  EXPECT_EQ(chooseVectorLoop(makeNest({64, 3}, {{1, 0}, {1, 64}})).loop, 0u);
  EXPECT_EQ(chooseVectorLoop(makeNest({1, 1}, {{1, 1}})).loop, std::nullopt);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {

/// A window of `taps` over an axis of `size`, moved by `step` and spread by `dilation`, `pad` before its start; and
/// a loop of channels.
Nest makeWindow(int64_t iterations, int64_t taps, int64_t size, int64_t step, int64_t dilation, int64_t pad) {
  Nest nest = makeNest({iterations, -taps, 3}, {{step * 3, dilation * 3, 1}, {3, 0, 1}});
  nest.operands[0].offset = -pad * 3;
  nest.windows.push_back({size, -pad, {step, dilation, 0}});
  return nest;
}

/// The points of `nest` at which no window leaves memory.
std::vector<Point> pointsInside(const Nest &nest) {
  std::vector<Point> points;
  walk(nest, [&](const Counters &at) {
    const bool inside = std::all_of(nest.windows.begin(), nest.windows.end(), [&](const NestWindow &window) {
      int64_t index = window.constant;
      for (size_t loop = 0; loop < at.size(); ++loop)
        index += window.coefficients[loop] * at[loop];
      return index >= 0 && index < window.size;
    });
    if (inside)
      points.push_back(pointAt(nest, at));
  });
  std::sort(points.begin(), points.end());
  return points;
}

/// Returns how often each element of the last operand is written: once at each iteration of the parallel loops.
void countWritten(Nest nest, std::map<int64_t, int> &times) {
  for (NestLoop &loop : nest.loops)
    if (!loop.parallel)
      loop.size = 1;
  for (const Point &point : pointsOf(nest))
    ++times[point.back()];
}

/// The regions of `nest` must have exactly its points inside memory. They must write the elements that it writes, even
/// if nothing of a window is inside, exactly once.
void checkRegions(const Nest &nest, std::optional<unsigned> cut) {
  auto regions = divideWindows(nest, cut, kManyRegions);
  ASSERT_TRUE(regions.has_value());
  std::vector<Point> met;
  std::map<int64_t, int> written, wanted;
  for (NestRegion region : *regions) {
    EXPECT_TRUE(region.nest.windows.empty());
    if (cut) { // The loop of the cut is left whole; what of it belongs to the region, cutBegin and cutEnd say.
      region.nest.loops[*cut].size = region.cutEnd - region.cutBegin;
      for (NestOperand &operand : region.nest.operands)
        operand.offset += operand.strides[*cut] * region.cutBegin;
    }
    countWritten(region.nest, written);
    for (const Point &point : pointsOf(region.nest))
      met.push_back(point);
  }
  std::sort(met.begin(), met.end());
  EXPECT_EQ(met, pointsInside(nest));
  countWritten(nest, wanted);
  EXPECT_EQ(written, wanted);
}

} // namespace

TEST(Nest, RegionsOfWindowsStayInsideAndMissNothing) {
  for (int64_t taps : {1, 2, 3, 5})
    for (int64_t step : {1, 2, 3})
      for (int64_t dilation : {1, 2})
        for (int64_t pad : {0, 1, 2, 7})
          for (int64_t size : {1, 4, 9})
            for (std::optional<unsigned> cut : {std::optional<unsigned>(), std::optional<unsigned>(0)}) {
              SCOPED_TRACE(testing::Message() << taps << " taps, step " << step << ", dilation " << dilation << ", pad "
                                              << pad << ", size " << size << (cut ? ", cut" : ""));
              checkRegions(makeWindow(/*iterations=*/6, taps, size, step, dilation, pad), cut);
            }
}

TEST(Nest, IterationsWithTheSameClippingShareARegion) {
  // Three taps, padded by one: the first iteration, those in the middle, the last.
  auto regions = divideWindows(makeWindow(9, 3, 9, 1, 1, 1), std::nullopt, kManyRegions);
  ASSERT_TRUE(regions.has_value());
  ASSERT_EQ(regions->size(), 3u);
  EXPECT_EQ(sizesOf((*regions)[0].nest), (std::vector<int64_t>{1, -2, 3}));
  EXPECT_EQ(sizesOf((*regions)[1].nest), (std::vector<int64_t>{7, -3, 3}));
  EXPECT_EQ(sizesOf((*regions)[2].nest), (std::vector<int64_t>{1, -2, 3}));
}

TEST(Nest, TwoAxesMakeAGridOfRegions) {
  // Rows and columns of an image of 5 x 4, three taps each way, padded by one.
  Nest nest = makeNest({5, 4, -3, -3}, {{4, 1, 4, 1}, {4, 1, 0, 0}});
  nest.operands[0].offset = -5;
  nest.windows.push_back({5, -1, {1, 0, 1, 0}});
  nest.windows.push_back({4, -1, {0, 1, 0, 1}});
  auto regions = divideWindows(nest, std::nullopt, kManyRegions);
  ASSERT_TRUE(regions.has_value());
  EXPECT_EQ(regions->size(), 9u);
  for (std::optional<unsigned> cut :
       {std::optional<unsigned>(), std::optional<unsigned>(0), std::optional<unsigned>(1)})
    checkRegions(nest, cut);
}

TEST(Nest, OtherWindowsAreLeftToOthers) {
  Nest backwards = makeWindow(6, 3, 6, 1, 1, 1), still = backwards, twice = backwards;
  backwards.windows[0].coefficients[1] = -1;
  still.windows[0].coefficients[1] = 0;
  twice.windows[0].coefficients[2] = 1;
  for (const Nest &nest : {backwards, still, twice})
    EXPECT_FALSE(divideWindows(nest, std::nullopt, kManyRegions).has_value());
}
