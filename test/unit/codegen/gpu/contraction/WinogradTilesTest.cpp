// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and gradients that a GPU computes by Winograd.

#include "test/unit/codegen/gpu/contraction/TileRequests.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <array>

using namespace nacre::codegen::gpu;

namespace {

/// A convolution of 3x3 by a phone.
TileRequest convolution(int64_t size, int64_t inputs, int64_t outputs) {
  TileRequest request = matmul(size * size, outputs, 9 * inputs);
  request.mayBePhone = true;
  request.winograd = nacre::codegen::WinogradShape{3, 1, size, size, 1, inputs, outputs};
  return request;
}

TEST(GpuWinogradTiles, PhonesComputeConvolutionsOfManyChannelsByWinograd) {
  for (auto [size, channels] : {std::pair<int64_t, int64_t>{224, 64}, {112, 128}, {56, 256}, {28, 512}}) {
    const auto tiles = chooseGpuTiles(convolution(size, channels, channels));
    const auto *winograd = llvm::find_if(tiles, [](const GpuTile &tile) { return tile.is<GpuTile::Winograd>(); });
    ASSERT_NE(winograd, tiles.end()) << size;
    EXPECT_EQ(winograd->as<GpuTile::Winograd>()->outputs, 4);
    EXPECT_EQ(winograd->families, maskOf(NACRE_GPU_ADRENO) | maskOf(NACRE_GPU_MALI));
    EXPECT_LE(winograd->sharedBytes(), 16 << 10);
    EXPECT_EQ(faultOf(*winograd), nullptr);
    EXPECT_TRUE(tiles.back().is<GpuTile::Direct>() || tiles.back().is<GpuTile::Split>())
        << "the last one runs anywhere";
  }
}

/// Counted by hand: of a 4x4 tile 36 products for 144, and half as many words for each of them.
TEST(GpuWinogradTiles, PhonesCountWhatWinogradSaves) {
  const TileRequest layer = convolution(56, 64, 64);
  const GpuTile direct = chooseGpuTiles(matmul(56 * 56, 64, 576)).back();
  ASSERT_TRUE(direct.is<GpuTile::Direct>());
  const auto tiles = chooseGpuTiles(layer);
  const auto *winograd = llvm::find_if(tiles, [](const GpuTile &tile) { return tile.is<GpuTile::Winograd>(); });
  ASSERT_NE(winograd, tiles.end());
  for (const PhoneGpu &phone : phoneGpus()) {
    const double gain = phoneCycles(layer, phone, direct) / phoneCycles(layer, phone, *winograd);
    EXPECT_GT(gain, 1.6) << phone.device;
    EXPECT_LT(gain, 2.8) << phone.device;
  }
}

/// Tiles are more than an image has pixels for, or their filters than they multiply.
TEST(GpuWinogradTiles, PhonesComputeSmallConvolutionsDirectly) {
  for (const TileRequest &request : {convolution(1, 512, 512), convolution(3, 64, 4), convolution(8, 3, 4)})
    for (const GpuTile &tile : chooseGpuTiles(request))
      EXPECT_FALSE(tile.is<GpuTile::Winograd>()) << request.rows;
  TileRequest elsewhere = convolution(56, 64, 64);
  elsewhere.winograd.reset();
  for (const GpuTile &tile : chooseGpuTiles(elsewhere))
    EXPECT_FALSE(tile.is<GpuTile::Winograd>());
}

/// Many images have blocks for all units; a single one has too few. Few channels spend the time on transforms.
TEST(GpuWinogradTiles, NvidiaComputesManyBlocksByWinograd) {
  auto familiesOfBlock = [](int64_t images, int64_t size, int64_t inputs, int64_t outputs) {
    TileRequest request = matmul(images * size * size, outputs, 9 * inputs);
    request.winograd = nacre::codegen::WinogradShape{3, images, size, size, 1, inputs, outputs};
    const auto tiles = chooseGpuTiles(request);
    const auto *block = llvm::find_if(tiles, [](const GpuTile &tile) { return tile.is<GpuTile::WinogradBlock>(); });
    if (block == tiles.end())
      return 0u;
    EXPECT_EQ(faultOf(*block), nullptr);
    EXPECT_LE(block->sharedBytes(), 48 << 10);
    for (const GpuTile &other : tiles)
      EXPECT_TRUE(&other == block || (other.families & block->families) == 0) << "it has a variant";
    return block->families;
  };
  for (auto [size, inputs, outputs] : {std::array<int64_t, 3>{16, 64, 64}, {16, 64, 128}, {8, 128, 256}, {8, 256, 128}})
    EXPECT_EQ(familiesOfBlock(128, size, inputs, outputs), maskOf(NACRE_GPU_NVIDIA)) << size << ' ' << inputs;
  for (auto [size, inputs, outputs] : {std::array<int64_t, 3>{56, 64, 64}, {14, 256, 256}, {32, 3, 64}, {32, 12, 64}})
    EXPECT_EQ(familiesOfBlock(1, size, inputs, outputs), 0u) << size << ' ' << inputs;
}

/// The gradients of the same layers' filters in parts of two images or more; images that a block does not divide are
/// computed directly.
TEST(GpuWinogradTiles, NvidiaComputesGradientsOfFiltersByWinograd) {
  auto familiesOfBlock = [](int64_t parts, int64_t images, int64_t size, int64_t inputs, int64_t outputs) {
    TileRequest request = matmul(9 * inputs, outputs, images * size * size);
    request.blocks = parts;
    request.gradient = nacre::codegen::WinogradShape{3, images, size, size, 1, inputs, outputs};
    const auto tiles = chooseGpuTiles(request);
    const auto *block = llvm::find_if(tiles, [](const GpuTile &tile) { return tile.is<GpuTile::WinogradGradient>(); });
    EXPECT_EQ(block == tiles.end() ? nullptr : faultOf(*block), nullptr);
    return block == tiles.end() ? 0u : block->families;
  };
  EXPECT_EQ(familiesOfBlock(64, 2, 16, 64, 64), maskOf(NACRE_GPU_NVIDIA));
  EXPECT_EQ(familiesOfBlock(32, 4, 16, 64, 128), maskOf(NACRE_GPU_NVIDIA));
  EXPECT_EQ(familiesOfBlock(8, 16, 8, 128, 256), maskOf(NACRE_GPU_NVIDIA));
  EXPECT_EQ(familiesOfBlock(32, 4, 15, 64, 128), 0u);
  EXPECT_EQ(familiesOfBlock(32, 4, 16, 48, 128), 0u);
  EXPECT_EQ(familiesOfBlock(32, 1, 2, 64, 128), 0u);
}

} // namespace
