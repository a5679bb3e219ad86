// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides the gradient of a filter into units, prices it, and decides if Winograd is faster than direct products.

#include "codegen/cpu/tiles/TileTables.h"
#include "codegen/cpu/winograd/WinogradTables.h"
#include "codegen/form/WinogradPlan.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace nacre::codegen::cpu {

namespace {

/// Returns the largest divisor of `size` that is at most `most` and consists of whole vectors; 0 if no such divisor
/// exists.
int64_t equalPart(int64_t size, int64_t most, int64_t lanes) {
  for (int64_t part = std::min(size, most) / lanes * lanes; part > 0; part -= lanes)
    if (size % part == 0)
      return part;
  return 0;
}

} // namespace

GradientBlocks divideGradient(const MachineRow &machine, const WinogradShape &shape, int64_t tile,
                              uint64_t cacheBytes) {
  // Sums take at most 3/5 of the second-level cache. The operands get the rest.
  constexpr int64_t most = 64, wantedUnits = 2, mostTiles = 32, leastTiles = 8;
  const WinogradPlan plan(shape, tile);
  const int64_t lanes = machine.step.lanes, numbers = plan.method.numbers();
  const int64_t room = int64_t(cacheBytes) / 4;
  GradientBlocks blocks;
  int64_t mostChannels = most, mostColumns = most;
  do {
    blocks.channels = equalPart(shape.inputs, mostChannels, lanes);
    blocks.columns = equalPart(shape.outputs, mostColumns, lanes);
    if (blocks.channels == 0 || blocks.columns == 0)
      return {};
    const int64_t units = shape.inputs / blocks.channels * (shape.outputs / blocks.columns);
    const bool fits = 5 * numbers * blocks.channels * blocks.columns <= 3 * room;
    if (fits && units >= wantedUnits)
      break;
    (mostChannels >= mostColumns ? mostChannels : mostColumns) /= 2;
  } while (mostChannels >= lanes && mostColumns >= lanes);
  const int64_t left = room - numbers * blocks.channels * blocks.columns;
  blocks.tiles = std::clamp(left / (numbers * (blocks.channels + blocks.columns)), leastTiles, mostTiles);
  blocks.tiles = std::min(blocks.tiles, plan.tiles());
  ContractionShape product;
  product.rows = blocks.channels;
  product.columns = blocks.columns;
  product.depth = blocks.tiles;
  blocks.width = equalPart(blocks.columns, choosePanelWidth(machine, product), lanes);
  return blocks;
}

double gradientCycles(const MachineRow &machine, const WinogradShape &shape, int64_t tile, uint64_t cacheBytes) {
  const GradientBlocks blocks = divideGradient(machine, shape, tile, cacheBytes);
  if (blocks.channels == 0)
    return std::numeric_limits<double>::infinity();
  const WinogradPlan plan(shape, tile);
  const TransformWork work = transformWork(machine, plan.method);
  const double tiles = double(plan.tiles()), numbers = double(plan.method.numbers());
  const int64_t channelBlocks = shape.inputs / blocks.channels, columnBlocks = shape.outputs / blocks.columns;
  const auto channelParts = double(channelBlocks), columnParts = double(columnBlocks);
  const double channels = double(shape.inputs) / machine.step.lanes,
               columns = double(shape.outputs) / machine.step.lanes;
  // Transforms of outputs and of inputs take about the same number of operations.
  const double transforms =
      tiles * machine.costs.transform * work.input * (channels * columnParts + columns * channelParts);
  const double back = double(shape.inputs) * columns * machine.costs.transform * work.products;
  ContractionShape product;
  product.rows = blocks.channels;
  product.columns = blocks.columns;
  product.depth = blocks.tiles;
  const double iterations = std::ceil(tiles / double(blocks.tiles)) * numbers;
  const double sums = iterations * double(shape.inputs) * columns;
  return transforms + back + sums + iterations * channelParts * columnParts * runCycles(machine, product, blocks.width);
}

int64_t chooseGradientTile(const MachineRow &machine, const WinogradShape &shape, uint64_t cacheBytes) {
  constexpr double worthwhile = 0.8;
  // The largest values of a tile determine the rounding errors of all taps' gradients, and Adam divides each gradient
  // by its own size. In small networks, this is visible in the loss, and they save little time.
  constexpr int64_t tile = 4, fewChannels = 32;
  if (!winograd::Method{tile, shape.taps}.exists() || std::min(shape.inputs, shape.outputs) < fewChannels)
    return 0;
  return gradientCycles(machine, shape, tile, cacheBytes) < worthwhile * directCycles(machine, shape, cacheBytes) ? tile
                                                                                                                  : 0;
}

} // namespace nacre::codegen::cpu
