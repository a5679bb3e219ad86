// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/forms/AxisTables.h"
#include "gtest/gtest.h"

using namespace nacre;
using namespace nacre::kernels;

namespace {

std::vector<int> ints(const llvm::SmallVectorImpl<int32_t> &values) { return {values.begin(), values.end()}; }

} // namespace

TEST(AxisTables, NearestDoublingRepeatsEveryElement) {
  AxisTable table = makeNearestTable(3, 6, 2, nn::Coordinates::Asymmetric, nn::Rounding::Floor);
  EXPECT_EQ(ints(table.low), (std::vector<int>{0, 0, 1, 1, 2, 2}));
  EXPECT_TRUE(table.high.empty());
}

TEST(AxisTables, RoundingDecidesWhatLiesHalfway) {
  // Index 1 of 3 stands for coordinate 0.5.
  auto at = [](nn::Rounding rounding) {
    return makeNearestTable(2, 3, 2, nn::Coordinates::Asymmetric, rounding).low[1];
  };
  EXPECT_EQ(at(nn::Rounding::RoundPreferFloor), 0);
  EXPECT_EQ(at(nn::Rounding::RoundPreferCeil), 1);
  EXPECT_EQ(at(nn::Rounding::Floor), 0);
  EXPECT_EQ(at(nn::Rounding::Ceil), 1);
}

TEST(AxisTables, LinearDoublingAtHalfPixelsIsClampedAtTheEnds) {
  AxisTable table = makeLinearTable(2, 4, 2, nn::Coordinates::HalfPixel);
  EXPECT_EQ(ints(table.low), (std::vector<int>{0, 0, 0, 1}));
  EXPECT_EQ(ints(table.high), (std::vector<int>{1, 1, 1, 1}));
  EXPECT_FLOAT_EQ(table.weights[0], 0);
  EXPECT_FLOAT_EQ(table.weights[1], 0.25);
  EXPECT_FLOAT_EQ(table.weights[2], 0.75);
  EXPECT_FLOAT_EQ(table.weights[3], 0);
}

TEST(AxisTables, AlignedCornersMeetBothEnds) {
  AxisTable table = makeLinearTable(3, 5, 5.0 / 3, nn::Coordinates::AlignCorners);
  EXPECT_EQ(ints(table.low), (std::vector<int>{0, 0, 1, 1, 2}));
  EXPECT_FLOAT_EQ(table.weights[1], 0.5);
  EXPECT_FLOAT_EQ(table.weights[4], 0);
}

TEST(AxisTables, OneOutputOfAlignedCornersIsTheFirst) {
  EXPECT_EQ(makeLinearTable(5, 1, 0.2, nn::Coordinates::AlignCorners).low[0], 0);
}

TEST(AxisTables, AnEmptyAxisHasTablesToo) {
  EXPECT_EQ(ints(makeNearestTable(0, 2, 1, nn::Coordinates::HalfPixel, nn::Rounding::Floor).low),
            (std::vector<int>{0, 0}));
  EXPECT_EQ(ints(makeLinearTable(0, 1, 1, nn::Coordinates::HalfPixel).high), (std::vector<int>{0}));
}

TEST(AxisTables, PadsReflectWithoutTheEdgeRepeatItOrWrap) {
  EXPECT_EQ(ints(makePadTable(3, 2, 2, nn::PadMode::Reflect).low), (std::vector<int>{2, 1, 0, 1, 2, 1, 0}));
  EXPECT_EQ(ints(makePadTable(3, 2, 2, nn::PadMode::Edge).low), (std::vector<int>{0, 0, 0, 1, 2, 2, 2}));
  EXPECT_EQ(ints(makePadTable(3, 2, 2, nn::PadMode::Wrap).low), (std::vector<int>{1, 2, 0, 1, 2, 0, 1}));
}

TEST(AxisTables, NegativePadsCrop) {
  EXPECT_EQ(ints(makePadTable(5, -1, -2, nn::PadMode::Edge).low), (std::vector<int>{1, 2}));
}

TEST(AxisTables, WindowsCountCellsOfTheAxisAlone) {
  using Counts = llvm::SmallVector<double>;
  // 3 wide over 5 cells, one cell before the axis and two behind it.
  EXPECT_EQ(countWindowCells(6, 5, 1, 3, 1, 1), (Counts{2, 3, 3, 3, 2, 1}));
  // Cells -2 0 2, 1 3 5, 4 6 8: with steps of 3 and cells 2 apart.
  EXPECT_EQ(countWindowCells(3, 5, 2, 3, 3, 2), (Counts{2, 2, 1}));
  EXPECT_EQ(countWindowCells(1, 7, 3, int64_t(1) << 40, 1, 1), Counts{7});
}

TEST(AxisTables, OneElementReflectsItself) {
  EXPECT_EQ(ints(makePadTable(1, 2, 1, nn::PadMode::Reflect).low), (std::vector<int>{0, 0, 0, 0}));
}
