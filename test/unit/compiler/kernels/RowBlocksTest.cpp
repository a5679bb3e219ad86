// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/cpu/RowBlocks.h"

#include "gtest/gtest.h"

using nacre::kernels::divideRows;
using nacre::kernels::RowBlock;

namespace {

TEST(RowBlocks, CoverAllRowsInOrderAndEvenly) {
  for (int64_t rows : {1, 48, 95, 96, 97, 128, 197, 4095, 4096})
    for (int64_t width : {1, 2, 3, 4, 16, 1000}) {
      const auto blocks = divideRows({rows, rows * 4, rows * 4 * width, rows * 4});
      int64_t next = 0;
      for (const RowBlock &block : blocks) {
        EXPECT_EQ(block.first, next);
        EXPECT_EQ(block.count, blocks.front().count);
        EXPECT_TRUE(block.count >= 48 || blocks.size() == 1);
        next += block.count;
      }
      EXPECT_EQ(next, rows);
    }
}

TEST(RowBlocks, HoldNoMoreThanWhatIsAround) {
  EXPECT_EQ(divideRows({128, 1, 2, 1}).size(), 1u);
  EXPECT_EQ(divideRows({128, 100, 400, 100}).size(), 2u);
  EXPECT_EQ(divideRows({1000, 100, 900, 100}).size(), 5u);
}

TEST(RowBlocks, AreMoreWhereFewerAreNotEqual) {
  EXPECT_EQ(divideRows({1024, 100, 900, 100}).size(), 8u);
  EXPECT_EQ(divideRows({147, 100, 400, 100}).size(), 3u);
  EXPECT_EQ(divideRows({197, 100, 400, 100}).size(), 1u);
}

TEST(RowBlocks, HaveRowsEnoughToReadTheMatricesAgain) {
  EXPECT_EQ(divideRows({95, 100, 400, 100}).size(), 1u);
  EXPECT_EQ(divideRows({96, 100, 400, 100}).size(), 2u);
  EXPECT_EQ(divideRows({150, 1, 1000, 1}).size(), 3u);
}

TEST(RowBlocks, HoldHalfOfWhatIsAroundIfMatricesAreBytes) {
  EXPECT_EQ(divideRows({128, 100, 100, 100, /*elementBytes=*/1}).size(), 1u);
  EXPECT_EQ(divideRows({128, 100, 400, 100, 1}).size(), 4u);
  EXPECT_EQ(divideRows({128, 1, 1000, 1, 1}).size(), 4u);
  EXPECT_EQ(divideRows({63, 1, 1000, 1, 1}).size(), 1u);
}

} // namespace
