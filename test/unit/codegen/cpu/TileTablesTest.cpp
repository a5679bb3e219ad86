// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables' choices for shapes that matter, and rules that every choice must obey.

#include "codegen/cpu/tiles/TileTables.h"
#include "codegen/cpu/Units.h"

#include "test/unit/codegen/cpu/Machines.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace nacre::codegen;
using namespace nacre::codegen::cpu;
using namespace nacre::codegen::cpu::test;

namespace {

ContractionShape shape(int64_t rows, int64_t columns, int64_t depth, int64_t runs = 1) {
  return {runs, rows, columns, depth, 4 * depth};
}

int64_t rowsOf(const RunSplit &split) {
  return std::accumulate(split.tail.begin(), split.tail.end(), split.rows * split.count);
}

} // namespace

/// A stream is a load of several registers. A row whose other loads bring one register has no stream if those do not
/// fit.
TEST(TileTables, NoStreamIsOfOneRegister) {
  for (const MachineRow &row : machineRows())
    for (int64_t rows = 1; rows <= row.geometry.highestTile; ++rows)
      for (int64_t vectors = 1; vectors <= 8; ++vectors)
        EXPECT_NE(registersPerStream(row, rows, vectors), 1)
            << row.step.instruction << ", " << rows << " by " << vectors;
}

TEST(TileTables, TilesFillTheRegisters) {
  EXPECT_TRUE(tileFits(kAvx2, 6, 2));  // 12 + 2 + 1 of 16
  EXPECT_TRUE(tileFits(kAvx2, 4, 3));  // 12 + 3 + 1
  EXPECT_FALSE(tileFits(kAvx2, 7, 2)); // 14 + 2 + 1
  EXPECT_TRUE(tileFits(kSse4, 6, 2));  // 12 + 2 + 1 and a product
  EXPECT_FALSE(tileFits(kSse4, 4, 3));
  EXPECT_TRUE(tileFits(kAvx512, 14, 2)); // 28 + 2 + 2 of 32
  EXPECT_TRUE(tileFits(kAvx512, 6, 4));
  EXPECT_FALSE(tileFits(kAvx512, 7, 4));
  EXPECT_TRUE(tileFits(kNeon, 8, 2)); // 16 + 8 rows + 2
  EXPECT_TRUE(tileFits(kNeon, 7, 3)); // 21 + 7 + 3
  EXPECT_FALSE(tileFits(kNeon, 12, 2));
  EXPECT_FALSE(tileFits(kNeon, 6, 4));
}

TEST(TileTables, LargeMatmulsTakeTheLargeTile) {
  EXPECT_EQ(choosePanelWidth(kAvx2, shape(512, 512, 512)), 16);
  EXPECT_EQ(splitRun(kAvx2, 510, 2, 512).rows, 6);
  EXPECT_EQ(choosePanelWidth(kAvx512, shape(512, 512, 512)), 32);
  // 4 x 4, of which eight steps load 4 pairs of rows' vectors and 8 times four of columns for 128 multiply-adds.
  EXPECT_EQ(choosePanelWidth(kNeon, shape(512, 480, 512)), 16);
  EXPECT_EQ(splitRun(kNeon, 512, 4, 512).rows, 4);
}

TEST(TileTables, PanelsOfFewZerosWhereTheyAreDear) {
  EXPECT_EQ(choosePanelWidth(kNeon, shape(784, 24, 192)), 24); // 32 would be too many
  EXPECT_EQ(choosePanelWidth(kNeon, shape(49, 1280, 320)), 16);
  EXPECT_GT(choosePanelWidth(kNeon, shape(64, 50, 500)), 4);
}

TEST(TileTables, PartsShareTheRegisters) {
  auto parted = [](ContractionShape whole) {
    whole.parts = 4;
    return whole;
  };
  EXPECT_EQ(choosePanelWidth(kAvx512, parted(shape(64, 512, 518))), 16);
  EXPECT_EQ(choosePanelWidth(kNeon, parted(shape(64, 512, 518))), 4);
  EXPECT_EQ(choosePanelWidth(kAvx512, parted(shape(1, 512, 512))), 64);
  EXPECT_EQ(choosePanelWidth(kNeon, parted(shape(1, 512, 512))), 8);
}

TEST(TileTables, RowsOfImagesAreCutWithoutARest) {
  EXPECT_EQ(splitRun(kAvx512, 56, 2, 576).rows, 14);
  EXPECT_TRUE(splitRun(kAvx512, 56, 2, 576).tail.empty());
  EXPECT_EQ(splitRun(kAvx512, 7, 2, 4608).rows, 7);
  EXPECT_EQ(splitRun(kNeon, 56, 4, 1152).rows, 4);
  EXPECT_TRUE(splitRun(kNeon, 56, 4, 1152).tail.empty());
}

TEST(TileTables, IterationsAreAsLongAsRegistersHold) {
  EXPECT_EQ(stepsPerIteration(kAvx512, 14, 2), 1);
  EXPECT_EQ(stepsPerIteration(kNeon, 4, 4), 8); // 16 + 2 x 4 + 2 x 4
  EXPECT_EQ(stepsPerIteration(kNeon, 6, 3), 4); // 18 + 2 x 6 would leave two for columns
  EXPECT_EQ(stepsPerIteration(kNeon, 7, 3), 4);
  EXPECT_EQ(stepsPerIteration(kNeon, 1, 8), 8);
}

TEST(TileTables, ColumnsStreamWhereTwoLoadsOfThemHaveRegisters) {
  EXPECT_EQ(registersPerStream(kNeon, 4, 4), 4);
  EXPECT_EQ(registersPerStream(kNeon, 6, 3), 4); // 18 + 6 + 2 x 4
  EXPECT_EQ(registersPerStream(kNeon, 1, 8), 4);
  EXPECT_EQ(registersPerStream(kNeon, 5, 4), 2); // 20 + 5 + 2 x 4 is one more than there are
  EXPECT_EQ(registersPerStream(kNeon, 7, 3), 2);
  EXPECT_EQ(registersPerStream(kNeon, 8, 3), 0) << "two of each fit no more";
  EXPECT_EQ(registersPerStream(kAvx512, 6, 4), 0) << "no such loads";
  const MachineRow &doubles =
      *bestRow(machineRows(), NACRE_CPU_NEED(NACRE_ARM64_NEON), {Number::F64, Number::F64, Number::F64});
  EXPECT_EQ(registersPerStream(doubles, 4, 4), 4);
  EXPECT_EQ(stepsPerIteration(doubles, 4, 5), 2);
  EXPECT_EQ(registersPerStream(doubles, 4, 5), 2) << "an iteration's ten are no multiple of four";
}

TEST(TileTables, InOrderTheNextStepIsOnItsWay) {
  const MachineRow &little = *bestRow(machineRows(), NACRE_CPU_NEED(NACRE_ARM64_NEON), {}, /*isSingleRow=*/false, true);
  EXPECT_TRUE(tileFits(little, 8, 2));  // 16 + 8 + 2 x 2 + 2
  EXPECT_TRUE(tileFits(little, 4, 4));  // 16 + 4 + 2 x 4 + 2
  EXPECT_FALSE(tileFits(little, 5, 4)); // 20 + 5 + 2 x 4
  EXPECT_FALSE(tileFits(little, 7, 3));
  // Loads of halves are free beside as many multiply-adds: 8 of rows and 3 for each register of columns, of two steps.
  EXPECT_EQ(stepsPerIteration(little, 8, 2), 8);
  // And an iteration costs the same, whatever it multiplies: 6 x 3 are the most that fit.
  EXPECT_EQ(choosePanelWidth(little, shape(196, 480, 512)), 12);
  EXPECT_EQ(splitRun(little, 192, 3, 512).rows, 6);
}

TEST(TileTables, ASmallRestIsShared) {
  // 8 x 6 and 4 + 4, not 9 x 6 and 2: two rows alone would wait for their own latency.
  RunSplit split = splitRun(kAvx2, 56, 2, 576);
  EXPECT_EQ(split.rows, 6);
  EXPECT_EQ(split.count, 8);
  EXPECT_EQ(split.tail, (llvm::SmallVector<int64_t, 2>{4, 4}));
}

TEST(TileTables, SplitsCoverTheRun) {
  for (const MachineRow &machine : machineRows())
    for (int64_t vectors = 1; vectors <= 4; ++vectors)
      for (int64_t rows = 1; rows < 80; ++rows)
        for (bool greedy : {false, true}) {
          RunSplit split = splitRun(machine, rows, vectors, 64, 16, greedy);
          EXPECT_EQ(rowsOf(split), rows);
          EXPECT_TRUE(tileFits(machine, split.rows, vectors));
          for (int64_t rest : split.tail)
            EXPECT_TRUE(rest > 0 && tileFits(machine, rest, vectors));
        }
}

TEST(TileTables, RowsThatShareASetOfTheCacheAreFew) {
  EXPECT_EQ(mostRows(kAvx2, 4096), 6);
  EXPECT_EQ(mostRows(kAvx512, 8192), 10);
  EXPECT_EQ(mostRows(kAvx512, 2048), 16); // two sets
  EXPECT_EQ(mostRows(kAvx2, 64 * 4 + 64), 16);
  // 14 x 8 would take the fewest tiles, and wait for memory at each step.
  EXPECT_EQ(choosePanelWidth(kAvx2, {14, 14, 256, 1024, 4096}), 16);
}

/// Half a vector's sums take a register more for each row.
TEST(TileTables, TilesThatEndInHalfAVectorAreLower) {
  ContractionShape product;
  EXPECT_TRUE(endsInHalf(kAvx512, 24));
  EXPECT_FALSE(endsInHalf(kAvx512, 25));
  EXPECT_FALSE(endsInHalf(kAvx512, 32));
  EXPECT_FALSE(endsInHalf(kNeon, 2));
  EXPECT_EQ(mostRows(kAvx512, product, 24), 9);
  EXPECT_EQ(mostRows(kAvx512, product, 8), 16);
  EXPECT_EQ(mostRows(kAvx512, product, 32), 16);
  EXPECT_EQ(mostRows(kAvx512, product, 232), 1); // never none
  product.parts = 2;
  EXPECT_EQ(mostRows(kAvx512, product, 24), 16);
}

TEST(TileTables, PanelsAreNoWiderThanTheColumns) {
  EXPECT_EQ(choosePanelWidth(kAvx2, shape(100, 3, 27)), 8);
  EXPECT_EQ(choosePanelWidth(kNeon, shape(100, 3, 27)), 4);
  EXPECT_EQ(choosePanelWidth(kAvx2, shape(1, 10, 27)), 16);
}

TEST(TileTables, ASingleRowKeepsManyLoadsInFlight) {
  EXPECT_EQ(choosePanelWidth(kAvx2, shape(1, 1000, 4096)), 64);
  EXPECT_EQ(choosePanelWidth(kAvx512, shape(1, 1000, 4096)), 256);
  EXPECT_EQ(choosePanelWidth(kNeon, shape(1, 1000, 4096)), 32);
}

/// Elements of a row of halves are in half of the registers, and sums in the others. No tile has pairs of elements.
TEST(TileTables, SumsOfHalvesTakeHalfOfTheRegisters) {
  const uint64_t has = NACRE_CPU_NEED(NACRE_ARM64_NEON) | NACRE_CPU_NEED(NACRE_ARM64_FP16);
  const MachineRow &halves = *bestRow(machineRows(), has, halvesOf(64));
  EXPECT_EQ(halves.step.lanes, 8);
  EXPECT_TRUE(tileFits(halves, 8, 2));
  EXPECT_TRUE(tileFits(halves, 4, 4));
  EXPECT_FALSE(tileFits(halves, 6, 3)); // 18 sums
  EXPECT_EQ(stepsPerIteration(halves, 8, 2), 8);
  EXPECT_EQ(stepsPerIteration(halves, 2, 2), 8);
  EXPECT_EQ(registersPerStream(halves, 8, 2), 4);
  EXPECT_EQ(choosePanelWidth(halves, shape(512, 480, 512)), 16);
  EXPECT_EQ(splitRun(halves, 512, 2, 512).rows, 8);
  EXPECT_EQ(choosePanelWidth(halves, shape(1, 1000, 4096)), 64);
}

/// However the loops are, no sum of halves has more steps than it may have.
TEST(TileTables, ShortSumsAreAsShortAsTheyMust) {
  auto stepsOf = [](llvm::ArrayRef<int64_t> loops, const SumBlocks &blocks) {
    return std::accumulate(loops.begin() + blocks.level + 1, loops.end(), blocks.steps, std::multiplies<>());
  };
  for (int64_t most : {16, 20, 32, 64, 100, 128})
    for (int64_t unroll : {1, 8, 16})
      for (int64_t inner : {1, 3, 8, 9, 15, 16, 17, 48, 63, 64, 65, 100, 129, 576, 4608})
        for (int64_t outer : {1, 3, 5}) {
          const int64_t loops[] = {outer, outer, inner};
          const SumBlocks blocks = chooseSumBlocks(loops, unroll, most, most);
          EXPECT_EQ(blocks.divided, outer * outer * inner > most);
          EXPECT_LE(stepsOf(loops, blocks), most) << outer << " " << inner << " in steps of " << unroll;
          EXPECT_GT(stepsOf(loops, blocks), 0);
          if (blocks.divided && blocks.level == 2)
            EXPECT_TRUE(blocks.steps % unroll == 0 || blocks.steps == inner);
        }
  const int64_t pixels[] = {3, 192}, few[] = {3, 48}, exact[] = {576};
  EXPECT_EQ(stepsOf(pixels, chooseSumBlocks(pixels, 16, 64, 64)), 64);
  EXPECT_EQ(stepsOf(few, chooseSumBlocks(few, 16, 64, 64)), 48);
  EXPECT_EQ(stepsOf(exact, chooseSumBlocks(exact, 16, 64, 64)), 64);
}

TEST(TileTables, BlocksStayInTheCacheAndLeaveWorkForThreads) {
  // 1024 rows of 4 KiB, 64 panels: half of 512 KiB holds 64 rows, rounded up to whole tiles.
  EXPECT_EQ(chooseBlock({1024, 1, 4096, 64}, 6, 512 << 10), 66);
  // A single panel: the rows must make the units, but not fewer than four tiles each.
  EXPECT_EQ(chooseBlock({13, 56, 15 << 10, 1}, 6, 512 << 10), 1);
  EXPECT_EQ(chooseBlock({7, 1, 64, 1}, 6, 512 << 10), 7);
}

TEST(TileTables, HalfTheBlocksAreHalfTheRows) {
  // All 14 image rows fit, and 16 panels are enough units; two threads share the rows.
  EXPECT_EQ(chooseBlock({14, 14, 16 << 10, 16}, 6, 512 << 10), 7);
  // Blocks of four rows would be fourteen: four threads would share them unevenly.
  EXPECT_EQ(chooseBlock({56, 56, 15 << 10, 1}, 6, 512 << 10), 2);
  // Weights outside the cache allow only a few parts.
  EXPECT_EQ(chooseBlock({56, 56, 14 << 10, 8}, 14, 1 << 20), 28);
  // Two threads cannot share seven rows evenly, but they can share many panels.
  EXPECT_EQ(chooseBlock({7, 7, 4480, 30}, 14, 1 << 20), 7);
  EXPECT_EQ(chooseBlock({7, 7, 26880, 5}, 14, 1 << 20), 4);
  EXPECT_EQ(chooseBlock({4, 4, 4480, 5}, 14, 1 << 20), 4) << "a half is not a tile";
}

TEST(Units, ThreadsHaveTheSameRowsOfEveryLaunch) {
  EXPECT_EQ(evenExtent(112, 19, 1, 19), 14);
  EXPECT_EQ(evenExtent(28, 4, 1, 4), 2);
  EXPECT_EQ(evenExtent(14, 5, 4, 14), 7) << "a little more where no less does";
  EXPECT_EQ(evenExtent(14, 4, 1, 4), 1);
  EXPECT_EQ(evenExtent(27, 9, 1, 9), 7) << "the last unit is one row shorter";
  EXPECT_EQ(evenExtent(1, 1, 1, 1), 1);
  EXPECT_EQ(evenExtent(100, 24, 1, 24, 8), 24) << "no multiple of eight halves it";
  EXPECT_EQ(evenExtent(int64_t(1) << 60, int64_t(1) << 55, 1, int64_t(1) << 55), int64_t(1) << 55);
}

TEST(TileTables, DeepPanelsAreReadInParts) {
  const uint64_t l1 = 32 << 10;
  // 16 floats a step: 256 steps are half of the cache, and less than two such parts are not divided.
  EXPECT_EQ(splitDepth({512}, 64, l1).count, 1);
  DepthSplit matmul = splitDepth({1024}, 64, l1);
  EXPECT_EQ(matmul.steps, 256);
  EXPECT_EQ(matmul.count, 4);
  // 1000 steps: four parts, the last one no longer than the others.
  EXPECT_EQ(splitDepth({1000}, 64, l1).steps, 252);
  // A 3x3 convolution of 256 channels, whose loops kw and ic are merged. Each part is one tap.
  DepthSplit taps = splitDepth({3, 768}, 64, l1);
  EXPECT_EQ(taps.level, 1u);
  EXPECT_EQ(taps.steps, 256);
  EXPECT_EQ(taps.count, 9);
  // Of 320 channels: 160 at a time. Parts of an inner loop are of one length.
  EXPECT_EQ(splitDepth({3, 3, 320}, 64, l1).steps, 160);
  EXPECT_EQ(splitDepth({3, 3, 320}, 64, l1).count, 18);
  // 97 steps cannot be divided: as many whole taps as fit.
  EXPECT_EQ(splitDepth({5, 5, 97}, 64, l1).level, 1u);
}

TEST(TileTables, PartsCoverTheReduction) {
  for (int64_t outer : {1, 3, 5})
    for (int64_t inner : {1, 7, 97, 250, 257, 509, 768, 1000, 1024, 25088}) {
      llvm::SmallVector<int64_t> loops = {outer, inner};
      DepthSplit split = splitDepth(loops, 64, 32 << 10);
      int64_t parts = llvm::divideCeil(loops[split.level], split.steps);
      for (unsigned level = 0; level < split.level; ++level)
        parts *= loops[level];
      EXPECT_EQ(split.count, parts);
      // Only the very last part may be shorter.
      if (split.level > 0) {
        EXPECT_EQ(loops[split.level] % split.steps, 0);
      }
    }
}

/// A row by a matrix waits for memory; thirty rows do not. Data in the second-level cache comes four times
/// as fast, and widening fp16 costs NEON as much as that saves.
TEST(TileTables, WeightsThatAreWaitedForAreBetterHalfAsLarge) {
  const uint64_t l2 = 512 << 10;
  auto gains = [&](const MachineRow &machine, double rows, double elements, Number narrow, bool repeats = false) {
    return gainsByFewerBytes(machine, {rows * elements, elements, repeats}, narrow, l2);
  };
  constexpr double kLarge = 1 << 20, kSmall = 1 << 15;
  for (Number narrow : {Number::F16, Number::BF16}) {
    for (const MachineRow *machine : {&kAvx512, &kAvx2, &kNeon}) {
      EXPECT_TRUE(gains(*machine, 1, kLarge, narrow)) << machine->step.instruction;
      EXPECT_FALSE(gains(*machine, 30, kLarge, narrow)) << machine->step.instruction;
    }
    EXPECT_TRUE(gains(kNeon, 1, kLarge, narrow, /*repeats=*/true)) << "is not in the cache from step to step";
    EXPECT_FALSE(gains(kNeon, 1, kSmall, narrow, /*repeats=*/true));
    EXPECT_TRUE(gains(kNeon, 1, kSmall, narrow)) << "other weights come between";
  }
}
