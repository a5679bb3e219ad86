// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine models of GPUs: measured times are used if there are any. The estimate of other times is as good as it says.

#include "codegen/gpu/contraction/GpuMachines.h"
#include "gtest/gtest.h"

using namespace nacre::codegen::gpu;

namespace {

constexpr TileList kLists[] = {TileList::Shared, TileList::SharedOfFewSteps, TileList::Cooperative};

TEST(GpuMachines, WhatWasMeasuredComesFirst) {
  EXPECT_EQ(gpuMachines().front().family, NACRE_GPU_NVIDIA);
  bool estimates = false;
  uint32_t families = 0;
  for (const GpuMachine &machine : gpuMachines()) {
    EXPECT_FALSE(estimates && machine.isMeasured) << machine.device;
    estimates |= !machine.isMeasured;
    EXPECT_EQ(families & maskOf(machine.family), 0u) << "two rows of one family";
    families |= maskOf(machine.family);
  }
  EXPECT_TRUE(estimates);
}

// How far measured times lie from the estimate of the same device: a factor of two between the best and the worst of
// tiles of f32, and of what is read as f16. The tables compare times of one machine, so only such factors matter.
TEST(GpuMachines, TheEstimateIsNearWhatWasMeasured) {
  const GpuMachine &measured = gpuMachines().front();
  ASSERT_TRUE(measured.isMeasured);
  for (TileList list : kLists)
    for (size_t index = 0; index < tilesOf(list).size(); ++index) {
      const StepTime time = stepTimeOf(measured, list, index);
      const double factor = time.nanoseconds / double(time.perUnit) / estimateStep(measured, tilesOf(list)[index]);
      EXPECT_GT(factor, list == TileList::Cooperative ? 0.7 : 0.6) << int(list) << ", tile " << index;
      EXPECT_LT(factor, list == TileList::Cooperative ? 1.5 : 1.2) << int(list) << ", tile " << index;
    }
}

TEST(GpuMachines, NobodyElseHasTheMeasuredTimes) {
  for (const GpuMachine &machine : gpuMachines().drop_front())
    for (TileList list : kLists) {
      if (list == TileList::Cooperative && machine.matrixLanes == 0)
        continue;
      for (size_t index = 0; index < tilesOf(list).size(); ++index) {
        const StepTime time = stepTimeOf(machine, list, index);
        EXPECT_GT(time.nanoseconds, 0);
        EXPECT_EQ(time.nanoseconds, estimateStep(machine, tilesOf(list)[index])) << machine.device;
      }
    }
}

TEST(GpuMachines, TheEstimateGrowsWithTheWork) {
  for (const GpuMachine &machine : gpuMachines()) {
    const GpuTile small{sharedTile(4, 1, 8, 8, 16)};
    const GpuTile large{sharedTile(8, 2, 8, 8, 16)};
    EXPECT_GT(estimateStep(machine, large), 2 * estimateStep(machine, small)) << machine.device;
    EXPECT_LT(estimateStep(machine, large), 4 * estimateStep(machine, small)) << "what is loaded is used more often";
  }
}

TEST(GpuMachines, ListedTilesAreAsTheTemplatesWantThem) {
  for (TileList list : kLists)
    for (const GpuTile &tile : tilesOf(list)) {
      EXPECT_EQ(faultOf(tile), nullptr);
      EXPECT_LE(tile.sharedBytes(), 48 << 10);
    }
}

} // namespace
