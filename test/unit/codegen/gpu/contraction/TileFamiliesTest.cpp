// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles by the family of the GPU: phones, few units, and CPUs that emulate a GPU.

#include "test/unit/codegen/gpu/contraction/TileRequests.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace nacre::codegen::gpu;

namespace {

TEST(GpuTileFamilies, PhonesAreNotGivenSharedTiles) {
  TileRequest request = matmul(3136, 64, 576);
  request.halves = true;
  ASSERT_TRUE(tilesFor(NACRE_GPU_NVIDIA, request)[0].is<GpuTile::Cooperative>());
  ASSERT_TRUE(tilesFor(NACRE_GPU_NVIDIA, request)[1].is<GpuTile::Shared>());
  for (nacre_gpu_family family : {NACRE_GPU_ADRENO, NACRE_GPU_MALI, NACRE_GPU_POWERVR, NACRE_GPU_CPU}) {
    const llvm::SmallVector<GpuTile, 4> tiles = tilesFor(family, request);
    ASSERT_FALSE(tiles.empty());
    for (const GpuTile &tile : tiles)
      EXPECT_TRUE(tile.is<GpuTile::Direct>()) << family;
  }
}

TEST(GpuTileFamilies, FewUnitsGetLargeTiles) {
  // 49 x 512 is 112 tiles of 8 x 32, one round of 132 units and fourteen of 8; and eight tiles of 64 x 64.
  const TileRequest request = matmul(49, 512, 147);
  EXPECT_EQ(tilesFor(NACRE_GPU_NVIDIA, request).front().tileRows(), 8);
  const GpuTile tile = tilesFor(NACRE_GPU_INTEL, request).front();
  EXPECT_TRUE(tile.is<GpuTile::Shared>());
  EXPECT_EQ(tile.families, 1u << NACRE_GPU_INTEL | 1u << NACRE_GPU_OTHER);
  EXPECT_EQ(tile.tileRows(), 64);
  EXPECT_EQ(tile.tileColumns(), 64);
}

TEST(GpuTileFamilies, FamiliesShareATileThatServesThemAll) {
  const TileRequest request = matmul(4096, 4096, 4096);
  const llvm::SmallVector<GpuTile, 4> tiles = chooseGpuTiles(request);
  EXPECT_EQ(llvm::count_if(tiles, [](const GpuTile &tile) { return tile.is<GpuTile::Shared>(); }), 1);
  EXPECT_EQ(tiles.front().families,
            1u << NACRE_GPU_NVIDIA | 1u << NACRE_GPU_AMD | 1u << NACRE_GPU_INTEL | 1u << NACRE_GPU_OTHER);
}

TEST(GpuTileFamilies, NoFamilyHasTwoTilesOfAKind) {
  for (int64_t rows : {16, 49, 196, 784, 3136, 50176})
    for (int64_t columns : {16, 64, 256, 1000, 4096})
      for (int64_t depth : {16, 64, 576, 4608}) {
        TileRequest request = matmul(rows, columns, depth);
        request.halves = true;
        uint32_t shared = 0, cooperative = 0;
        for (const GpuTile &tile : chooseGpuTiles(request)) {
          uint32_t &seen = tile.is<GpuTile::Shared>() ? shared : cooperative;
          if (!tile.is<GpuTile::Shared>() && !tile.is<GpuTile::Cooperative>())
            continue;
          EXPECT_NE(tile.families, 0u);
          EXPECT_EQ(seen & tile.families, 0u);
          seen |= tile.families;
        }
        EXPECT_EQ(shared, 1u << NACRE_GPU_NVIDIA | 1u << NACRE_GPU_AMD | 1u << NACRE_GPU_INTEL | 1u << NACRE_GPU_OTHER);
        // Intel's matrices are of other sizes.
        EXPECT_EQ(cooperative, 1u << NACRE_GPU_NVIDIA | 1u << NACRE_GPU_AMD | 1u << NACRE_GPU_OTHER);
      }
}

TEST(GpuTileFamilies, CpusThatPlayAGpuGetTallTiles) {
  auto tallOf = [](const TileRequest &request) {
    for (const GpuTile &tile : chooseGpuTiles(request))
      if (tile.families == 1u << NACRE_GPU_CPU)
        return *tile.as<GpuTile::Direct>();
    return GpuTile::Direct{0, 0};
  };
  EXPECT_EQ(tallOf(matmul(512, 512, 512)).rows, 16);
  EXPECT_EQ(tallOf(matmul(512, 512, 512)).quads, 4);
  // One subgroup of lavapipe, which has no use for more.
  EXPECT_EQ(tallOf(matmul(512, 512, 512)).invocations(), 8);
  // No wider and no taller than the work.
  EXPECT_LE(tallOf(matmul(512, 24, 512)).tileColumns(), 32);
  EXPECT_LE(tallOf(matmul(20, 512, 512)).tileRows(), 20);
  // Nothing to use again, or too little work for it.
  TileRequest depthwise = matmul(3136, 64, 64);
  depthwise.depthwise = true;
  EXPECT_EQ(tallOf(depthwise).rows, 0);
  EXPECT_EQ(tallOf(matmul(3136, 64, 9)).rows, 0);
  EXPECT_EQ(tallOf(matmul(1, 1000, 2048)).rows, 0);
  // No phone is played.
  TileRequest phone = matmul(512, 512, 512);
  phone.mayBePlayed = false;
  EXPECT_EQ(tallOf(phone).rows, 0);
}

} // namespace
