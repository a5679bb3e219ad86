// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which convolutions Winograd pays for, and how they are divided.

#include "codegen/cpu/winograd/WinogradTables.h"

#include "codegen/cpu/tiles/TileTables.h"
#include "codegen/cpu/winograd/HalfTransforms.h"
#include "test/unit/codegen/cpu/Machines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <vector>

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

/// Second-level caches of cores: phones', desktops', servers'.
constexpr uint64_t kCaches[] = {256 << 10, 512 << 10, 1 << 20, 2 << 20};
constexpr uint64_t kCache = 1 << 20;

int64_t widthFor(const MachineRow &machine, const WinogradShape &shape, int64_t tile) {
  return choosePanelWidth(machine, productShape(shape, tile));
}

/// Returns how many times as fast as a direct convolution it is.
double gain(const MachineRow &machine, const WinogradShape &shape, int64_t tile, uint64_t cache = kCache) {
  return directCycles(machine, shape, cache) /
         winogradCycles(machine, shape, tile, widthFor(machine, shape, tile), cache);
}

/// A number that counts what is done with it.
struct Counted {
  int64_t *operations;

  Counted counted() const { return ++*operations, *this; }
  Counted operator+(Counted) const { return counted(); }
  Counted operator-(Counted) const { return counted(); }
  Counted operator*(double) const { return counted(); }
  friend Counted fma(Counted a, double, Counted) { return a.counted(); }
};

} // namespace

TEST(WinogradTables, AWeightComesFromMemoryAtTheMachinesRate) {
  const WinogradShape shape = image(7, 512, 512);
  const double bytes = 4.0 * 9 * 512 * 512;
  auto waits = [&](const MachineRow &machine) {
    return directCycles(machine, shape, 0) - directCycles(machine, shape, ~uint64_t(0));
  };
  const MachineRow &little = *bestRow(machineRows(), NACRE_CPU_NEED(NACRE_ARM64_NEON), {}, /*isSingleRow=*/false, true);
  EXPECT_NEAR(waits(kNeon), bytes / kBigArm64.memoryBytesPerCycle, 1);
  EXPECT_NEAR(waits(little), bytes / kLittleArm64.memoryBytesPerCycle, 1);
  EXPECT_GT(waits(little), 2 * waits(kNeon));
}

TEST(WinogradTables, LargeTilesPayForLayersOfImageNetworks) {
  for (const MachineRow &machine : {kAvx2, kAvx512, kNeon})
    for (WinogradShape shape : {image(224, 64, 64), image(112, 128, 128), image(56, 64, 64), image(56, 256, 256),
                                image(28, 512, 512), image(28, 128, 128)}) {
      EXPECT_GT(gain(machine, shape, 4), 1.9) << shape.width << " x " << shape.inputs;
      EXPECT_GE(chooseWinogradTile(machine, machine, shape, kCache), 4) << shape.width << " x " << shape.inputs;
    }
}

/// Their transforms cost more, and so does an image's edge; by sweeps they cost less.
TEST(WinogradTables, TheLargestTilesAreForLargeImages) {
  for (WinogradShape shape : {image(112, 128, 128), image(56, 256, 256), image(28, 512, 512)})
    EXPECT_EQ(chooseWinogradTile(kNeon, kNeon, shape, kCache), 6) << shape.width;
  EXPECT_EQ(chooseWinogradTile(kNeon, kNeon, image(14, 256, 256), kCache), 4);
  for (const MachineRow &machine : {kAvx2, kAvx512})
    for (WinogradShape shape : {image(56, 64, 64), image(28, 128, 128), image(14, 256, 256)})
      EXPECT_LT(chooseWinogradTile(machine, machine, shape, kCache), 6) << shape.width << " x " << shape.inputs;
}

/// A 4x4 tile of a 5x5 filter takes 64 products for 400, one of 2x2 takes 36 for 100: down to images of one tile.
TEST(WinogradTables, LargerFiltersGain) {
  for (const MachineRow &machine : {kAvx2, kAvx512, kNeon})
    for (WinogradShape shape : {image(28, 16, 32), image(16, 32, 32), image(8, 32, 64), image(14, 24, 64)}) {
      shape.taps = 5;
      if (shape.width > 8) // or of four tiles: where transforms of the input cost little, there are tiles of two, too
        EXPECT_EQ(chooseWinogradTile(machine, machine, shape, kCache), 4) << shape.width << " x " << shape.inputs;
      EXPECT_GT(gain(machine, shape, 4), 1.3) << shape.width << " x " << shape.inputs;
    }
}

/// Transforms of halves divide the filter; the outputs are those of the convolution.
TEST(WinogradTables, DividedFiltersGiveTheSameOutputs) {
  const std::vector<double> g = {1, -0.75, 0.5};
  for (const std::vector<double> &d : {std::vector<double>{0.5, -1.25, 2, 3}, {0.5, -1.25, 2, 3, -0.5, 0.25}}) {
    const auto input = winograd::transformHalfInput<double>(d);
    const auto filter = winograd::transformHalfFilter<double>(int64_t(d.size()), g);
    std::vector<double> products;
    for (auto [a, b] : llvm::zip_equal(input, filter))
      products.push_back(a * b);
    const auto outputs = winograd::transformHalfProducts<double>(products);
    ASSERT_EQ(outputs.size(), d.size() - 2);
    for (size_t output = 0; output < outputs.size(); ++output)
      EXPECT_NEAR(outputs[output], d[output] * g[0] + d[output + 1] * g[1] + d[output + 2] * g[2], 1e-14);
  }
}

/// f16 has room for transformed inputs that are at most seven times as large as inputs.
TEST(WinogradTables, TransformsOfHalvesHardlyEnlargeInputs) {
  for (size_t inputs : {4, 6}) {
    std::vector<double> sizes(inputs, 0);
    for (size_t i = 0; i < inputs; ++i) {
      std::vector<double> unit(inputs, 0);
      unit[i] = 1;
      for (auto [size, value] : llvm::zip_equal(sizes, winograd::transformHalfInput<double>(unit)))
        size += std::abs(value);
    }
    EXPECT_LT(*std::max_element(sizes.begin(), sizes.end()), std::sqrt(7)) << inputs;
  }
}

/// Only CPUs that multiply halves transform them, and only for small tiles.
TEST(WinogradTables, HalvesAreTransformedWhereTheyAreMultiplied) {
  auto targetOf = [](const char *cpu) { return llvm::cantFail(parseTargets("linux-arm64", cpu)).front(); };
  for (const char *cpu : {"cortex-a76", "cortex-a55"}) {
    const MachineRow &row = *winogradRow(targetOf(cpu), /*isOfIntegers=*/false, /*halfSums=*/32);
    EXPECT_TRUE(isOfHalves(row)) << cpu;
    EXPECT_EQ(row.numbersOfRegister(), 2 * lanesOfSums(row)) << cpu;
    EXPECT_FALSE(isOfHalves(*winogradRow(targetOf(cpu), /*isOfIntegers=*/false))) << cpu;
    // Layers of small images, for which larger tiles in fp32 have too much to transform.
    EXPECT_EQ(chooseWinogradTile(row, machineOf(targetOf(cpu), halvesOf(256)), image(13, 64, 256), kCache, 2), 2)
        << cpu;
  }
  EXPECT_FALSE(isOfHalves(*winogradRow(targetOf("cortex-a72"), /*isOfIntegers=*/false, /*halfSums=*/32)));
  EXPECT_TRUE(fitsHalves({2, 3}));
  EXPECT_TRUE(fitsHalves({4, 3}));
  EXPECT_FALSE(fitsHalves({6, 3}));
  EXPECT_FALSE(fitsHalves({2, 5}));
}

/// A transform's work is what its text does.
TEST(WinogradTables, WorkIsCounted) {
  for (bool hasFreeCopies : {true, false})
    for (winograd::Method method : {winograd::Method{2, 3}, {4, 3}, {6, 3}, {2, 5}, {4, 5}, {2, 7}}) {
      MachineRow machine;
      machine.geometry.registers = 1000; // nothing is loaded twice, and nothing waits
      machine.geometry.hasFreeCopies = hasFreeCopies;
      const winograd::Pairs pairs = pairsOf(machine);
      int64_t input = 0, filter = 0, products = 0;
      const std::vector<Counted> d(method.inputs(), {&input}), g(method.taps, {&filter}),
          m(method.inputs(), {&products});
      winograd::transformInput<Counted>(d, pairs);
      winograd::transformFilter<Counted>(method.inputs(), g, pairs);
      winograd::transformProducts<Counted>(method.outputs, m, pairs);
      const TransformWork work = transformWork(machine, method);
      const int64_t n = method.inputs(), r = method.taps, o = method.outputs;
      EXPECT_EQ(work.input, 2 * n * input + 2 * n * n);
      EXPECT_EQ(work.filter, (n + r) * filter + r * r + n * n);
      EXPECT_EQ(work.products, (n + o) * products + n * n + o * o);
    }
}

/// One thread transforms the input once for many columns, and several still have units each.
TEST(WinogradTables, PartsOfTheColumnsGoTogether) {
  for (const MachineRow &machine : {kAvx2, kAvx512, kNeon})
    for (WinogradShape shape : {image(28, 512, 512), image(14, 512, 512), image(56, 256, 256), image(7, 512, 512)}) {
      const WinogradBlocks blocks = divideWinograd(machine, shape, 4, widthFor(machine, shape, 4), kCache);
      EXPECT_EQ(blocks.columnParts % blocks.partsAtOnce, 0) << "those at once have the same tiles";
    }
  const WinogradShape shape = image(14, 512, 512);
  EXPECT_GE(divideWinograd(kNeon, shape, 4, widthFor(kNeon, shape, 4), kCache).partsAtOnce, 4);
}

/// Most of the time goes into transforms of the input if there are few channels, and into those of filters if there are
/// few pixels.
TEST(WinogradTables, FewChannelsAndFewPixelsStayDirect) {
  for (const MachineRow &machine : {kAvx2, kAvx512, kNeon})
    for (WinogradShape shape : {image(224, 1, 64), image(2, 512, 512), image(1, 64, 64)})
      EXPECT_EQ(chooseWinogradTile(machine, machine, shape, kCache), 0) << shape.width << " x " << shape.inputs;
}

TEST(WinogradTables, ALargerCacheHardlyEverCosts) {
  for (const MachineRow &machine : {kAvx2, kAvx512, kNeon})
    for (WinogradShape shape : {image(112, 128, 128), image(28, 512, 512), image(14, 256, 256)}) {
      const int64_t width = widthFor(machine, shape, 4);
      double before = winogradCycles(machine, shape, 4, width, kCaches[0]);
      for (uint64_t cache : kCaches) {
        const double cycles = winogradCycles(machine, shape, 4, width, cache);
        EXPECT_LE(cycles, before * 1.05) << shape.width << " x " << shape.inputs;
        before = cycles;
      }
    }
}

/// Products wait for a weight that comes from memory; its transforms hardly do.
TEST(WinogradTables, SmallImagesOfManyChannelsGain) {
  for (const MachineRow &machine : {kAvx2, kAvx512, kNeon})
    EXPECT_NE(chooseWinogradTile(machine, machine, image(7, 512, 512), kCache), 0);
}

/// Filters are transformed for each unit: where there are tiles enough, for many of them.
TEST(WinogradTables, UnitsHaveManyTilesWhereThereAre) {
  for (const MachineRow &machine : {kAvx2, kAvx512, kNeon})
    for (uint64_t cache : kCaches) {
      const WinogradShape shape = image(56, 256, 256);
      EXPECT_GE(divideWinograd(machine, shape, 4, widthFor(machine, shape, 4), cache).tiles, 14);
    }
}

TEST(WinogradTables, UnitsCoverEveryTileAndPanelOnce) {
  for (int64_t tile : kWinogradTiles)
    for (int64_t images : {1, 3, 40})
      for (int64_t size : {1, 6, 7, 14, 28, 56, 113, 1000})
        for (int64_t panels : {1, 5, 16}) {
          WinogradShape shape = image(size, 64, 32 * panels);
          shape.images = images;
          shape.cutAmongImages = images > 1;
          const WinogradBlocks blocks = divideWinograd(kAvx512, shape, tile, 32, kCache);
          const int64_t across = llvm::divideCeil(size, tile);
          const int64_t tilesOfBlock =
              shape.cutAmongImages ? blocks.extent * across * across : llvm::divideCeil(blocks.extent, tile) * across;
          EXPECT_LE(tilesOfBlock, blocks.groups * blocks.tiles);
          EXPECT_GT(tilesOfBlock, (blocks.groups - 1) * blocks.tiles);
          EXPECT_LE(panels, blocks.columnParts * blocks.panelsPerPart);
          EXPECT_GT(panels, (blocks.columnParts - 1) * blocks.panelsPerPart);
          EXPECT_LE(blocks.channels, shape.inputs);
          EXPECT_TRUE(shape.cutAmongImages || blocks.extent % tile == 0) << "rows of tiles are whole";
        }
}

TEST(WinogradTables, BlocksOfChannelsAreEqualWhereTheyCanBe) {
  for (int64_t channels : {32, 64, 96, 128, 192, 256, 512}) {
    const WinogradBlocks blocks = divideWinograd(kAvx512, image(28, channels, 128), 4, 32, kCache);
    EXPECT_EQ(channels % blocks.channels, 0) << channels;
    EXPECT_EQ(blocks.channels % kAvx512.step.lanes, 0) << channels;
  }
}

TEST(WinogradTables, ThreadsHaveUnits) {
  for (const MachineRow &machine : {kAvx2, kAvx512, kNeon})
    for (WinogradShape shape : {image(14, 256, 256), image(7, 512, 512), image(28, 512, 512)}) {
      const int64_t width = widthFor(machine, shape, 4), panels = llvm::divideCeil(shape.outputs, width);
      const WinogradBlocks blocks = divideWinograd(machine, shape, 4, width, kCache);
      const int64_t units = llvm::divideCeil(shape.height, blocks.extent) * blocks.groups * blocks.columnParts;
      EXPECT_GE(units, std::min<int64_t>(8, panels)) << shape.width << " x " << shape.inputs;
    }
}

/// Wide images and many channels never ask for more.
TEST(WinogradTables, ScratchIsBounded) {
  for (uint64_t cache : kCaches)
    for (int64_t size : {7, 28, 224, 4000})
      for (int64_t channels : {64, 512, 4096}) {
        const WinogradBlocks blocks = divideWinograd(kAvx512, image(size, channels, channels), 4, 32, cache);
        EXPECT_LE(scratchOf(blocks, {4, 3}, 32).bytes(kAvx512), 3 << 20) << size << " x " << channels;
      }
}

/// Cases with enough images or channels.
TEST(WinogradTables, GradientsOfFiltersGain) {
  for (const MachineRow &machine : {kAvx2, kAvx512, kNeon})
    for (WinogradShape shape : {image(16, 64, 128), image(8, 128, 256), image(32, 32, 64)}) {
      shape.images = 32;
      EXPECT_EQ(chooseGradientTile(machine, shape, kCache), 4) << shape.width << " x " << shape.inputs;
      EXPECT_LT(gradientCycles(machine, shape, 4, kCache), directCycles(machine, shape, kCache) * 0.7);
    }
  EXPECT_EQ(chooseGradientTile(kAvx512, image(4, 512, 512), kCache), 0) << "one image of a tile";
  EXPECT_EQ(chooseGradientTile(kAvx512, image(16, 3, 64), kCache), 0) << "no vectors of channels";
  WinogradShape small = image(4, 16, 32);
  small.images = 64;
  EXPECT_EQ(chooseGradientTile(kAvx512, small, kCache), 0) << "the error shows, not the gain";
}

TEST(WinogradTables, GradientsAreDividedIntoEqualUnits) {
  for (const MachineRow &machine : {kAvx2, kAvx512, kNeon})
    for (uint64_t cache : kCaches)
      for (int64_t inputs : {16, 48, 64, 96, 512})
        for (int64_t outputs : {16, 80, 128, 1024}) {
          WinogradShape shape = image(14, inputs, outputs);
          shape.images = 8;
          const GradientBlocks blocks = divideGradient(machine, shape, 4, cache);
          ASSERT_GT(blocks.channels * blocks.columns, 0) << inputs << " by " << outputs;
          EXPECT_EQ(inputs % blocks.channels, 0);
          EXPECT_EQ(outputs % blocks.columns, 0);
          EXPECT_EQ(blocks.channels % machine.step.lanes, 0);
          EXPECT_EQ(blocks.columns % blocks.width, 0);
          EXPECT_EQ(blocks.width % machine.step.lanes, 0);
          const int64_t scratch =
              36 * (blocks.channels * blocks.columns + blocks.tiles * (blocks.channels + blocks.columns)) * 4;
          EXPECT_LE(uint64_t(scratch), std::max<uint64_t>(cache, 512 << 10)) << inputs << " by " << outputs;
        }
}
