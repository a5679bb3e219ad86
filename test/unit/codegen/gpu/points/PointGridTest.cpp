// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/points/PointGrid.h"
#include "gtest/gtest.h"

using namespace nacre::codegen::gpu;

TEST(PointGrid, FewPointsAreOneWorkgroup) {
  const PointGrid grid = choosePointGrid(1, 1, 10, 64);
  EXPECT_EQ(grid.unitExtent, 1);
  EXPECT_EQ(grid.groups, 1);
  EXPECT_EQ(grid.iterations, 1);
}

TEST(PointGrid, IndicesAreTakenTogetherUntilFewInvocationsAreIdle) {
  // 27 points: one index leaves 37 of 64 idle, 7 of them 3 of 192.
  EXPECT_EQ(choosePointGrid(19, 1, 27, 64).unitExtent, 7);
  // 640 points are ten whole workgroups.
  EXPECT_EQ(choosePointGrid(19, 1, 640, 64).unitExtent, 1);
}

TEST(PointGrid, VectorsAlongTheCutAxisStayWhole) {
  EXPECT_EQ(choosePointGrid(1000, 4, 1, 64).unitExtent % 4, 0);
  EXPECT_EQ(choosePointGrid(3, 4, 1, 64).unitExtent, 4);
}

TEST(PointGrid, NeitherDirectionHasMoreWorkgroupsThanVulkanAllows) {
  const PointGrid rows = choosePointGrid(10'000'000, 1, 64, 64);
  EXPECT_LE((10'000'000 + rows.unitExtent - 1) / rows.unitExtent, kMostGroups);
  const PointGrid wide = choosePointGrid(1, 1, 100'000'000, 64);
  EXPECT_LE(wide.groups, kMostGroups);
  EXPECT_GE(wide.groups * wide.iterations * 64, 100'000'000);
  EXPECT_EQ(wide.threads, wide.groups * 64);
}
