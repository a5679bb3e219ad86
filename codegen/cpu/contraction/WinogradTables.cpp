// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. units; 2. cycles, of it and of a direct convolution.

#include "codegen/cpu/contraction/WinogradTables.h"

#include "codegen/cpu/contraction/TileTables.h"
#include "codegen/encoding/WinogradGrowth.h"
#include "codegen/form/Winograd.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace nacre::codegen::cpu {

//===----------------------------------------------------------------------===//
// 1. Units
//===----------------------------------------------------------------------===//

WinogradBlocks divideWinograd(const WinogradShape &shape, int64_t tile, int64_t panels) {
  // What a unit transforms stays in the second-level cache; a weight that comes from memory wants more tiles to go by.
  constexpr double fewTilesBytes = 16 << 20;
  const double weightBytes =
      winogradGrowth(tile) * winograd::kTaps * winograd::kTaps * shape.inputs * shape.outputs * 4;
  // Of scratch, for a tile: what is multiplied, and the sums of a part of the columns.
  constexpr double mostScratchBytes = 8 << 20;
  const double tileBytes = 4.0 * winograd::inputsOf(tile) * winograd::inputsOf(tile) * (shape.inputs + shape.outputs);
  const int64_t wantedTiles =
      std::clamp<int64_t>(int64_t(mostScratchBytes / tileBytes), 8, weightBytes > fewTilesBytes ? 56 : 28);
  // Enough for eight threads. Fewer columns would not pay for the input's transform, which each part repeats.
  constexpr int64_t wantedUnits = 16, leastColumns = 64;
  const int64_t across = llvm::divideCeil(shape.width, tile), down = llvm::divideCeil(shape.height, tile);
  // The cut axis in steps that whole tiles stand for.
  const int64_t steps = shape.cutAmongImages ? shape.images : down;
  const int64_t tilesOfStep = shape.cutAmongImages ? down * across : across;
  const int64_t mostSteps = std::clamp<int64_t>(wantedTiles / tilesOfStep, 1, steps);
  const int64_t stepsOfBlock = llvm::divideCeil(steps, llvm::divideCeil(steps, mostSteps));
  WinogradBlocks blocks;
  blocks.extent = stepsOfBlock * (shape.cutAmongImages ? 1 : tile);
  const int64_t tilesOfBlock = stepsOfBlock * tilesOfStep;
  blocks.tiles = llvm::divideCeil(tilesOfBlock, llvm::divideCeil(tilesOfBlock, wantedTiles));
  blocks.groups = llvm::divideCeil(tilesOfBlock, blocks.tiles);

  const int64_t units = llvm::divideCeil(steps, stepsOfBlock) * blocks.groups;
  const int64_t mostParts = std::clamp<int64_t>(shape.outputs / leastColumns, 1, panels);
  blocks.columnParts = std::min<int64_t>(llvm::divideCeil(wantedUnits, units), mostParts);
  blocks.panelsPerPart = llvm::divideCeil(panels, blocks.columnParts);
  blocks.columnParts = llvm::divideCeil(panels, blocks.panelsPerPart);
  return blocks;
}

//===----------------------------------------------------------------------===//
// 2. Whether it pays
//===----------------------------------------------------------------------===//

ContractionShape productShape(const WinogradShape &shape, int64_t tile) {
  ContractionShape product;
  product.rows = divideWinograd(shape, tile, /*panels=*/1).tiles;
  product.columns = shape.outputs;
  product.depth = shape.inputs;
  return product;
}

double directCycles(const MachineRow &machine, const WinogradShape &shape) {
  ContractionShape product;
  product.rows = shape.width;
  product.columns = shape.outputs;
  product.depth = winograd::kTaps * winograd::kTaps * shape.inputs;
  return shape.images * shape.height * runCycles(machine, product);
}

double winogradCycles(const MachineRow &machine, const WinogradShape &shape, int64_t tile) {
  const ContractionShape product = productShape(shape, tile);
  const int64_t panels = llvm::divideCeil(shape.outputs, choosePanelWidth(machine, product));
  const WinogradBlocks blocks = divideWinograd(shape, tile, panels);
  const double tiles =
      double(shape.images) * llvm::divideCeil(shape.height, tile) * llvm::divideCeil(shape.width, tile);
  const double numbers = winograd::inputsOf(tile) * winograd::inputsOf(tile);
  const double there = machine.transform * blocks.columnParts * llvm::divideCeil(shape.inputs, machine.lanes);
  const double back = machine.transform * llvm::divideCeil(shape.outputs, machine.lanes);
  // The weight goes by all of a unit's tiles once; beyond the cache, from memory.
  constexpr double bytesPerCycle = 8, cacheBytes = 1 << 20;
  const double passes = std::max(1.0, tiles / blocks.tiles);
  const double weightBytes = numbers * shape.inputs * shape.outputs * 4;
  const double stream = weightBytes > cacheBytes ? passes * weightBytes / bytesPerCycle : 0;
  const double products = numbers * tiles / blocks.tiles * runCycles(machine, product);
  return std::max(products, stream) + numbers * tiles * (there + back);
}

} // namespace nacre::codegen::cpu
