// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/points/RowGrid.h"
#include "gtest/gtest.h"

using namespace nacre::codegen::gpu;

namespace {

RowShape shapeOf(int64_t rows, int64_t columns) {
  RowShape shape;
  shape.rows = rows;
  shape.columns = columns;
  shape.columnsAdjoin = shape.quads = true;
  return shape;
}

} // namespace

TEST(RowGrid, ShortRowsShareAWorkgroup) {
  const RowGrid grid = *chooseRowGrid(shapeOf(128, 100), 0);
  EXPECT_EQ(grid.lanes, 4u);
  EXPECT_EQ(grid.columns, 25);
  EXPECT_EQ(grid.perRow, 32) << "the next power of two";
  EXPECT_EQ(grid.workgroup, 128) << "what any device has";
  EXPECT_EQ(grid.variants, 1u);
  EXPECT_TRUE(grid.inRegisters);
}

TEST(RowGrid, FewLongRowsHaveALargeWorkgroupWhereThereIsOne) {
  const RowShape shape = shapeOf(16, 8192);
  EXPECT_EQ(chooseRowGrid(shape, 0)->variants, 2u);
  EXPECT_EQ(chooseRowGrid(shape, 0)->workgroup, 512);
  EXPECT_TRUE(chooseRowGrid(shape, 0)->inRegisters);
  EXPECT_EQ(chooseRowGrid(shape, 1)->workgroup, 128);
  EXPECT_FALSE(chooseRowGrid(shape, 1)->inRegisters) << "2048 vectors are 16 for each of 128";
}

TEST(RowGrid, AllWorkgroupsHaveTheSamePartialSums) {
  RowShape apart = shapeOf(16, 8192);
  apart.columnsAdjoin = false;
  apart.rowsAdjoin = true;
  for (const RowShape &shape : {shapeOf(16, 8192), apart}) {
    const RowGrid large = *chooseRowGrid(shape, 0), any = *chooseRowGrid(shape, 1);
    EXPECT_EQ(large.sums, 1);
    EXPECT_EQ(any.sums, 4);
    EXPECT_EQ(any.perRow * any.sums, large.perRow);
  }
  EXPECT_EQ(chooseRowGrid(shapeOf(128, 100), 0)->sums, 1);
}

TEST(RowGrid, OfManyRowsEachInvocationTakesMore) {
  EXPECT_EQ(chooseRowGrid(shapeOf(16383, 256), 0)->perRow, 64);
  EXPECT_EQ(chooseRowGrid(shapeOf(16384, 256), 0)->perRow, 16);
}

TEST(RowGrid, NeighboursReadNeighbours) {
  RowShape shape = shapeOf(4096, 256);
  shape.columnsAdjoin = false;
  EXPECT_FALSE(chooseRowGrid(shape, 0)->rowsFirst);
  shape.rowsAdjoin = true;
  const RowGrid grid = *chooseRowGrid(shape, 0);
  EXPECT_TRUE(grid.rowsFirst);
  EXPECT_EQ(grid.lanes, 1u) << "vectors are of neighbours";
  EXPECT_EQ(grid.perRow, 16);
}

// Points read a nest with short rows, or with many of them, as well.
TEST(RowGrid, ANestIsRowsOnlyWhereThatPays) {
  EXPECT_TRUE(chooseRowGrid(shapeOf(4, 32), 0));
  EXPECT_FALSE(chooseRowGrid(shapeOf(4, 31), 0));
  RowShape far = shapeOf(16385, 64);
  EXPECT_TRUE(chooseRowGrid(far, 0));
  far.columnsAdjoin = false;
  EXPECT_FALSE(chooseRowGrid(far, 0));
  far.mustBeRows = true;
  EXPECT_TRUE(chooseRowGrid(far, 0));
}
