// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which convolutions Winograd pays for, and how they are divided.

#include "codegen/cpu/contraction/WinogradTables.h"

#include "test/unit/codegen/cpu/Machines.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

using namespace nacre::codegen;
using namespace nacre::codegen::cpu;
using namespace nacre::codegen::cpu::test;

namespace {

WinogradShape image(int64_t size, int64_t inputs, int64_t outputs) {
  WinogradShape shape;
  shape.height = shape.width = size;
  shape.inputs = inputs;
  shape.outputs = outputs;
  return shape;
}

/// How many times as fast as a direct convolution.
double gain(const MachineRow &machine, const WinogradShape &shape, int64_t tile) {
  return directCycles(machine, shape) / winogradCycles(machine, shape, tile);
}

} // namespace

TEST(WinogradTables, LargeTilesPayForLayersOfImageNetworks) {
  for (const MachineRow &machine : {kAvx2, kAvx512, kNeon})
    for (WinogradShape shape : {image(224, 64, 64), image(112, 128, 128), image(56, 64, 64), image(56, 256, 256),
                                image(28, 512, 512), image(14, 256, 256)}) {
      EXPECT_GT(gain(machine, shape, 4), 2) << shape.width << " x " << shape.inputs;
      EXPECT_GT(gain(machine, shape, 4), gain(machine, shape, 2)) << shape.width << " x " << shape.inputs;
    }
}

/// What has few channels is all transforms; what has few pixels reads its weight and does little else.
TEST(WinogradTables, FewChannelsAndFewPixelsStayDirect) {
  for (const MachineRow &machine : {kAvx2, kAvx512, kNeon})
    for (int64_t tile : kWinogradTiles)
      for (WinogradShape shape : {image(224, 3, 64), image(2, 512, 512), image(1, 64, 64)})
        EXPECT_LT(gain(machine, shape, tile), 1.1) << shape.width << " x " << shape.inputs;
}

TEST(WinogradTables, SmallTilesPayForSmallImagesOfManyChannels) {
  EXPECT_GT(gain(kAvx512, image(7, 512, 512), 2), 1.4);
  EXPECT_LT(gain(kAvx512, image(7, 512, 512), 4), 1);
}

TEST(WinogradTables, UnitsCoverEveryTileAndPanelOnce) {
  for (int64_t tile : kWinogradTiles)
    for (int64_t images : {1, 3, 40})
      for (int64_t size : {1, 6, 7, 14, 28, 56, 113, 1000})
        for (int64_t panels : {1, 5, 16}) {
          WinogradShape shape = image(size, 64, 32 * panels);
          shape.images = images;
          shape.cutAmongImages = images > 1;
          const WinogradBlocks blocks = divideWinograd(shape, tile, panels);
          const int64_t across = llvm::divideCeil(size, tile);
          const int64_t tilesOfBlock =
              shape.cutAmongImages ? blocks.extent * across * across : llvm::divideCeil(blocks.extent, tile) * across;
          EXPECT_LE(tilesOfBlock, blocks.groups * blocks.tiles);
          EXPECT_GT(tilesOfBlock, (blocks.groups - 1) * blocks.tiles);
          EXPECT_LE(panels, blocks.columnParts * blocks.panelsPerPart);
          EXPECT_GT(panels, (blocks.columnParts - 1) * blocks.panelsPerPart);
          EXPECT_TRUE(shape.cutAmongImages || blocks.extent % tile == 0) << "rows of tiles are whole";
        }
}

/// Wide images and many channels never ask for more.
TEST(WinogradTables, ScratchIsBounded) {
  for (int64_t size : {7, 28, 224, 4000})
    for (int64_t channels : {64, 512, 4096}) {
      const WinogradBlocks blocks = divideWinograd(image(size, channels, channels), 4, channels / 32);
      EXPECT_LE(blocks.tiles, 56);
      EXPECT_LE(36 * blocks.tiles * channels * 2 * 4, 16 << 20) << size << " x " << channels;
    }
}
