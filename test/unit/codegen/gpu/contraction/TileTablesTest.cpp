// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of products by their sizes, on the GPUs that share memory.

#include "test/unit/codegen/gpu/contraction/TileRequests.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace nacre::codegen::gpu;

namespace {

TEST(GpuTileTables, TheLastVariantRunsAnywhere) {
  for (int64_t rows : {1, 3, 16, 49, 196, 3136, 50176})
    for (int64_t columns : {1, 3, 19, 64, 1000, 4096})
      for (int64_t depth : {1, 9, 147, 4608})
        for (bool depthwise : {false, true}) {
          TileRequest request = matmul(rows, columns, depth);
          request.depthwise = depthwise;
          request.halves = true;
          const GpuTile tile = chooseGpuTiles(request).back();
          EXPECT_LE(tile.invocations(), 128);
          EXPECT_TRUE(tile.is<GpuTile::Direct>() || tile.is<GpuTile::Split>());
          EXPECT_EQ(tile.families, 0u);
          // A part for each row that is finished, and 16 bytes for each sum.
          if (const auto *split = tile.as<GpuTile::Split>()) {
            EXPECT_LE(split->rows, split->parts);
            EXPECT_LE(split->invocations() * split->rows * 16, 16 << 10);
          }
        }
}

TEST(GpuTileTables, LargeProductsGetLargeTiles) {
  const GpuTile tile = chooseGpuTiles(matmul(4096, 4096, 4096)).front();
  EXPECT_TRUE(tile.is<GpuTile::Shared>());
  EXPECT_EQ(tile.tileRows(), 128);
  EXPECT_EQ(tile.tileColumns(), 128);
  const auto &shared = *tile.as<GpuTile::Shared>();
  EXPECT_EQ(shared.rows * 4 * shared.quads, 128); // Sums an invocation: what is loaded is used so often.
}

TEST(GpuTileTables, SmallProductsAreCutUntilTheyFillTheGpu) {
  // 1024 x 1024 is 64 tiles of 128, 256 of 64; a layer of 14 x 14 is 56 tiles of 32 x 32, one of 7 x 7 is 64 of 16.
  EXPECT_EQ(chooseGpuTiles(matmul(1024, 1024, 1024)).front().tileRows(), 64);
  EXPECT_EQ(chooseGpuTiles(matmul(196, 256, 2304)).front().tileRows(), 16);
  EXPECT_EQ(chooseGpuTiles(matmul(49, 512, 4608)).front().tileRows(), 8);
}

TEST(GpuTileTables, RoundsOfWorkgroupsAreFull) {
  // 28 x 28 x 128, batch 16: 131 tiles of 96 x 128 for 132 units, of 128 x 128 only 98. 14 x 14 x 256: 132 of 96 x 64.
  TileRequest request = matmul(12544, 128, 1152);
  for (bool halves : {false, true}) {
    request.halves = halves;
    EXPECT_EQ(chooseGpuTiles(request).front().tileRows(), 96);
    EXPECT_EQ(chooseGpuTiles(request).front().tileColumns(), 128);
  }
  request = matmul(3136, 256, 2304);
  for (bool halves : {false, true}) {
    request.halves = halves;
    EXPECT_EQ(chooseGpuTiles(request).front().tileRows(), 96);
    EXPECT_EQ(chooseGpuTiles(request).front().tileColumns(), 64);
  }
}

TEST(GpuTileTables, TilesAreNoWiderThanTheColumns) {
  // 56 x 56 x 64, batch 16: tiles of 128 columns would be half empty.
  EXPECT_EQ(chooseGpuTiles(matmul(50176, 64, 576)).front().tileColumns(), 64);
  EXPECT_EQ(chooseGpuTiles(matmul(12544, 128, 1152)).front().tileColumns(), 128);
}

TEST(GpuTileTables, PartsFillTheReductionWhereTheyCan) {
  // 2304 is eighteen parts of 128, 1088 seventeen of 64.
  TileRequest request = matmul(3136, 256, 2304);
  request.halves = true;
  EXPECT_EQ(chooseGpuTiles(request).front().staging()->depth, 128);
  request.depth = 1088;
  EXPECT_EQ(chooseGpuTiles(request).front().staging()->depth, 64);
}

TEST(GpuTileTables, LongReductionsOfFewTilesAreDivided) {
  EXPECT_EQ(chooseGpuTiles(matmul(196, 256, 2304)).front().staging()->parts, 8);
  EXPECT_EQ(chooseGpuTiles(matmul(196, 256, 64)).front().staging()->parts, 1);
  EXPECT_EQ(chooseGpuTiles(matmul(4096, 4096, 4096)).front().staging()->parts, 1);
}

TEST(GpuTileTables, FewRowsDivideTheReduction) {
  const llvm::SmallVector<GpuTile, 4> tiles = chooseGpuTiles(matmul(1, 1000, 2048));
  ASSERT_EQ(tiles.size(), 2u);
  for (const GpuTile &tile : tiles)
    EXPECT_TRUE(tile.is<GpuTile::Split>());
  // A phone has the smaller one.
  EXPECT_NE(tiles.front().families, 0u);
  EXPECT_EQ(tiles.front().families & (1u << NACRE_GPU_ADRENO | 1u << NACRE_GPU_MALI), 0u);
  EXPECT_EQ(tiles.front().invocations(), 512);
  EXPECT_EQ(tiles.back().families, 0u);
  EXPECT_EQ(tiles.back().invocations(), 128);
  // Eight rows have half as many invocations, which share memory; nine have none.
  TileRequest gradient = matmul(8, 512, 1600);
  gradient.mayBePlayed = false;
  EXPECT_TRUE(chooseGpuTiles(gradient).front().is<GpuTile::Split>());
  EXPECT_EQ(chooseGpuTiles(gradient).front().invocations(), 256);
  gradient.rows = 9;
  EXPECT_TRUE(chooseGpuTiles(gradient).front().is<GpuTile::Direct>());
  // 16384 quads of columns are invocations enough.
  EXPECT_TRUE(chooseGpuTiles(matmul(1, 65536, 2048)).front().is<GpuTile::Direct>());
}

TEST(GpuTileTables, WorkgroupsOfShortProductsHaveMoreInvocations) {
  // The gradient of the input of Mentee's first dense layer: 128 workgroups of 132 units.
  GpuTile tile = chooseGpuTiles(matmul(128, 4096, 512)).front();
  EXPECT_EQ(tile.tileRows() * tile.tileColumns(), 64 * 64);
  EXPECT_EQ(tile.invocations(), 256);
  EXPECT_EQ(tile.staging()->ahead, 2);
  // A part that is not full would ask of every step whether there is one.
  EXPECT_EQ(chooseGpuTiles(matmul(128, 4096, 520)).front().staging()->ahead, 1);
  // Its result, in 16 parts: two workgroups for each unit. One long product keeps the list's tile.
  TileRequest parts = matmul(128, 512, 256);
  parts.blocks = 16;
  EXPECT_EQ(chooseGpuTiles(parts).front().invocations(), 256);
  EXPECT_EQ(chooseGpuTiles(parts).front().staging()->ahead, 1);
  EXPECT_EQ(chooseGpuTiles(matmul(1024, 1024, 1024)).front().invocations(), 128);
}

TEST(GpuTileTables, GradientsOfWeightsHaveFewSteps) {
  TileRequest request = matmul(4096, 512, 128);
  request.turnsLeft = true;
  EXPECT_EQ(chooseGpuTiles(request).front().staging()->depth, 8);
  EXPECT_EQ(chooseGpuTiles(request).front().invocations(), 128);
  request.rows = 512;
  EXPECT_EQ(chooseGpuTiles(request).front().tileRows(), 32);
  EXPECT_EQ(chooseGpuTiles(request).front().invocations(), 256);
  for (const GpuTile &tile : chooseGpuTiles(request))
    EXPECT_EQ(faultOf(tile), nullptr);
}

TEST(GpuTileTables, MatricesOnlyWhereProductsMayBeHalves) {
  TileRequest request = matmul(4096, 4096, 4096);
  EXPECT_FALSE(chooseGpuTiles(request).front().is<GpuTile::Cooperative>());
  request.halves = true;
  const GpuTile tile = chooseGpuTiles(request).front();
  EXPECT_TRUE(tile.is<GpuTile::Cooperative>());
  EXPECT_EQ(tile.tileRows(), 128);
  EXPECT_EQ(tile.tileColumns(), 256);
  EXPECT_EQ(tile.invocations(), 256);
  request.depthwise = true;
  EXPECT_FALSE(chooseGpuTiles(request).front().is<GpuTile::Cooperative>());
}

/// Matrices of bytes have twice as many steps as those of f16, in the same memory and time.
TEST(GpuTileTables, MatricesOfBytesOnlyOnMeasuredDevices) {
  for (int64_t steps : {64, 576, 4608}) {
    TileRequest halves = matmul(784, 512, steps), words = matmul(784, 512, 2 * steps / 4);
    halves.halves = true;
    words.words = true;
    const GpuTile tile = tilesFor(NACRE_GPU_NVIDIA, words).front();
    ASSERT_TRUE(tile.is<GpuTile::Cooperative>());
    EXPECT_EQ(tile.tileRows(), tilesFor(NACRE_GPU_NVIDIA, halves).front().tileRows());
    EXPECT_EQ(tile.staging()->depth, tilesFor(NACRE_GPU_NVIDIA, halves).front().staging()->depth);
    EXPECT_EQ(faultOf(tile), nullptr);
    for (nacre_gpu_family family : {NACRE_GPU_AMD, NACRE_GPU_INTEL, NACRE_GPU_OTHER, NACRE_GPU_MALI, NACRE_GPU_CPU})
      for (const GpuTile &other : tilesFor(family, words))
        EXPECT_FALSE(other.is<GpuTile::Cooperative>());
  }
}

/// A first layer's window of 3 x 3 x 3 pixels is 27 steps of 64 that a tile takes at once.
TEST(GpuTileTables, NoMatricesAreMultipliedBeyondTheReduction) {
  TileRequest request = matmul(131072, 64, 27);
  request.halves = true;
  const GpuTile tile = tilesFor(NACRE_GPU_NVIDIA, request).front();
  EXPECT_TRUE(tile.is<GpuTile::Cooperative>());
  EXPECT_EQ(tile.staging()->depth, 32);
  EXPECT_EQ(faultOf(tile), nullptr);
  request.depth = 91;
  EXPECT_GE(tilesFor(NACRE_GPU_NVIDIA, request).front().staging()->depth, 64);
}

TEST(GpuTileTables, WhatIsChosenIsAsTheTemplatesWantIt) {
  for (int64_t size : {16, 64, 256, 1024, 4096})
    for (int64_t depth : {16, 64, 4096}) {
      TileRequest request = matmul(size, size, depth);
      request.halves = true;
      for (const GpuTile &tile : chooseGpuTiles(request)) {
        if (!tile.is<GpuTile::Shared>() && !tile.is<GpuTile::Cooperative>())
          continue;
        EXPECT_EQ(faultOf(tile), nullptr);
        EXPECT_LE(tile.sharedBytes(), 48 << 10);
        EXPECT_EQ(sharedRowQuads(tile.staging()->depth) % 2, 1);
      }
    }
}

/// A tile of any kind but these would add up the windows of each of its columns; the last one runs on any device.
TEST(GpuTileTables, WindowsAreAddedUpInSharedMemory) {
  for (int64_t rows : {1, 49, 12544})
    for (int64_t columns : {1, 24, 64, 96, 128, 1000}) {
      TileRequest request = matmul(rows, columns, 144);
      request.taps = 9;
      request.halves = true;
      const auto tiles = chooseGpuTiles(request);
      for (const GpuTile &tile : tiles) {
        EXPECT_TRUE(tile.is<GpuTile::Shared>() || tile.is<GpuTile::Cooperative>());
        EXPECT_EQ(faultOf(tile), nullptr);
        EXPECT_EQ(tile.staging()->ahead, 1);
      }
      EXPECT_EQ(tiles.back().families, 0u);
      EXPECT_TRUE(tiles.back().is<GpuTile::Shared>());
      EXPECT_LE(tiles.back().invocations(), 128);
      EXPECT_LE(tiles.back().sharedBytes(), 16 << 10);
      EXPECT_GE(tiles.back().tileColumns(), std::min<int64_t>(columns, 128));
    }
}

/// Each tile of a window adds up its taps by itself, so that tiles of many rows cost more.
TEST(GpuTileTables, WindowsMakeTilesOfFewerRows) {
  TileRequest request = matmul(196, 96, 576);
  const int64_t rows = chooseGpuTiles(request).front().tileRows();
  request.taps = 9;
  EXPECT_LT(chooseGpuTiles(request).front().tileRows(), rows);
}

} // namespace
