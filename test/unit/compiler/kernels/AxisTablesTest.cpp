// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/bodies/AxisTables.h"
#include "gtest/gtest.h"

using namespace nacre;
using namespace nacre::kernels;

namespace {

std::vector<int> ints(const llvm::SmallVectorImpl<int32_t> &values) { return {values.begin(), values.end()}; }

} // namespace

TEST(AxisTables, PadsReflectWithoutTheEdgeRepeatItOrWrap) {
  EXPECT_EQ(ints(makePadTable(3, 2, 2, nn::PadMode::Reflect)), (std::vector<int>{2, 1, 0, 1, 2, 1, 0}));
  EXPECT_EQ(ints(makePadTable(3, 2, 2, nn::PadMode::Edge)), (std::vector<int>{0, 0, 0, 1, 2, 2, 2}));
  EXPECT_EQ(ints(makePadTable(3, 3, 2, nn::PadMode::Symmetric)), (std::vector<int>{2, 1, 0, 0, 1, 2, 2, 1}));
  EXPECT_EQ(ints(makePadTable(3, 2, 2, nn::PadMode::Wrap)), (std::vector<int>{1, 2, 0, 1, 2, 0, 1}));
}

TEST(AxisTables, NegativePadsCrop) {
  EXPECT_EQ(ints(makePadTable(5, -1, -2, nn::PadMode::Edge)), (std::vector<int>{1, 2}));
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
  EXPECT_EQ(ints(makePadTable(1, 2, 1, nn::PadMode::Reflect)), (std::vector<int>{0, 0, 0, 0}));
}
