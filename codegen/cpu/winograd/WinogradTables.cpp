// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. tiles, columns and channels of a unit; 2. the cost of a division; 3. the search for the cheapest division;
//        4. the comparison with a direct convolution.

#include "codegen/cpu/winograd/WinogradTables.h"

#include "codegen/cpu/tiles/TileTables.h"
#include "codegen/cpu/winograd/WinogradSweeps.h"
#include "codegen/form/WinogradPlan.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>
#include <utility>

namespace nacre::codegen::cpu {
namespace {

//===----------------------------------------------------------------------===//
// 1. Units
//===----------------------------------------------------------------------===//

/// Returns how many times a transform of `columns` columns loads its input: once for each group of rows.
double timesLoaded(const MachineRow &machine, int64_t inputs, int64_t columns) {
  return double(winograd::rowsAtOnce(inputs, columns, machine.geometry.registers).size());
}

/// Returns blocks of the cut axis, and groups of their tiles with about `wanted` tiles each.
WinogradBlocks divideTiles(const WinogradShape &shape, int64_t tile, int64_t wanted) {
  const WinogradPlan plan(shape, tile);
  const int64_t mostSteps = std::clamp<int64_t>(wanted / plan.tilesOfStep(), 1, plan.steps());
  const int64_t stepsOfBlock = llvm::divideCeil(plan.steps(), llvm::divideCeil(plan.steps(), mostSteps));
  WinogradBlocks blocks;
  blocks.extent = stepsOfBlock * (shape.cutAmongImages ? 1 : tile);
  const int64_t tilesOfBlock = stepsOfBlock * plan.tilesOfStep();
  blocks.tiles = llvm::divideCeil(tilesOfBlock, llvm::divideCeil(tilesOfBlock, wanted));
  blocks.groups = llvm::divideCeil(tilesOfBlock, blocks.tiles);
  return blocks;
}

/// Returns the number of groups of tiles in all blocks. All filters are read and transformed once for each.
int64_t passesOf(const WinogradShape &shape, const WinogradBlocks &blocks) {
  const int64_t extent = shape.cutAmongImages ? shape.images : shape.height;
  return llvm::divideCeil(extent, blocks.extent) * blocks.groups;
}

//===----------------------------------------------------------------------===//
// 2. Costs
//===----------------------------------------------------------------------===//

bool isOfIntegers(const MachineRow &machine) { return machine.step.types.sum == Number::S32; }

/// Returns the size of the weight in bytes. Each element of an integer weight has one byte.
int64_t weightBytes(const MachineRow &machine, const WinogradShape &shape) {
  const int64_t each = isOfIntegers(machine) ? 1 : bytesOf(machine.step.types.rhs);
  return each * shape.groups * shape.taps * shape.taps * shape.inputs * shape.outputs;
}

/// Returns the cycles that a run waits for a weight that does not stay in the cache until the next run.
double memoryCycles(const MachineRow &machine, const WinogradShape &shape, uint64_t cacheBytes) {
  const double bytes = double(weightBytes(machine, shape));
  return bytes > double(cacheBytes) ? bytes / machine.costs.model->memoryBytesPerCycle : 0;
}

/// Returns the number of instructions that load or store `numbers` values of a transform.
double movements(const MachineRow &machine, double numbers) {
  return numbers / double(machine.geometry.registersPerLoad);
}

/// Returns the cycles to flush a register of sums of halves during `channels` steps. One flush for each 64 steps is
/// subtracted, because the price of a step contains it (halvesRow() in MachineRows.cpp). After few steps, a flush also
/// waits for the last products.
double flushCycles(const MachineRow &machine, int64_t channels, int64_t halfSteps) {
  constexpr double pricedSteps = 64, waiting = 1.6;
  if (!isOfHalves(machine))
    return 0;
  const double flush = (machine.step.multiplyAdds - 1) * pricedSteps * machine.costs.multiplyAdd;
  const double flushes = channels > halfSteps ? llvm::divideCeil(channels, halfSteps) : 0;
  return flush * (waiting * flushes - double(channels) / pricedSteps);
}

/// Returns the cycles of all units of a group if `partsAtOnce` parts of the columns are computed together.
double cyclesOf(const MachineRow &machine, const WinogradShape &shape, int64_t tile, int64_t width, uint64_t cacheBytes,
                const WinogradBlocks &blocks, int64_t partsAtOnce) {
  const WinogradPlan plan(shape, tile);
  const winograd::Method &method = plan.method;
  const double tiles = double(plan.tiles()), numbers = method.numbers();
  const double passes = passesOf(shape, blocks), panels = llvm::divideCeil(shape.outputs, width);
  const double reductions = llvm::divideCeil(shape.inputs, blocks.channels);
  const double columns = panels * llvm::divideCeil(width, machine.step.lanes); // Number of vectors of columns
  const TransformWork work = transformWork(machine, method);
  const double there = tiles * machine.costs.transform * work.input * blocks.columnParts / partsAtOnce *
                       llvm::divideCeil(shape.inputs, machine.numbersOfRegister());
  // The filters of a block are written to a cache and read immediately. The second-level cache is slower.
  constexpr double farFilters = 1.25;
  const WinogradScratch scratch = scratchOf(blocks, method, width);
  const auto numberBytes = double(bytesOf(machine.step.types.lhs)), sumsBytes = double(bytesOf(machine.step.types.sum));
  const bool isFar = numberBytes * scratch.filters > double(cacheBytes) / 4;
  const double filter = machine.costs.transform * work.filter + machine.memory.storeFilter * numbers;
  const double filters = passes * filter * (isFar ? farFilters : 1) * shape.inputs * columns * machine.step.lanes /
                         machine.numbersOfRegister();
  // Number of vectors of sums for each vector of columns.
  const double ofSums = double(machine.step.lanes) / double(lanesOfSums(machine));
  const double back = tiles * machine.costs.transform * work.products * columns * ofSums;

  ContractionShape product;
  product.rows = blocks.tiles;
  product.columns = shape.outputs;
  product.depth = blocks.channels;
  // Sums are stored to scratch. They are added to earlier sums, unless there is only one block.
  const double sums = reductions > 1 ? machine.memory.addSums * reductions * tiles * columns * ofSums : 0;
  const double products = passes * reductions * runCycles(machine, product, width);

  // Data that exceed the cache come from the next level each time that they are read.
  const double operandBytes = numberBytes * (scratch.inputs + scratch.filters);
  const double sumBytes = sumsBytes * scratch.sums / blocks.partsAtOnce;
  const double units = passes * blocks.columnParts;
  double stream = 0;
  if (operandBytes > double(cacheBytes))
    stream += units * reductions * blocks.panelsPerPart * numberBytes * scratch.inputs;
  if (reductions > 1 && operandBytes + partsAtOnce * sumBytes > double(cacheBytes))
    stream += units * reductions * 2 * sumBytes;
  return there + filters + back + numbers * (products + sums) +
         stream / machine.costs.model->farBytesPerCycleOfProducts;
}

} // namespace

const MachineRow *winogradRow(const Target &target, bool isOfIntegers, int64_t halfSums) {
  auto rowOf = [&](const ProductTypes &types) {
    return bestRow(machineRows(), target.needs, types, /*isSingleRow=*/false, target.inOrder);
  };
  if (halfSums > 0)
    if (const MachineRow *row = rowOf(halvesOf(halfSums)); row && row->hasShortSums())
      return row;
  if (!isOfIntegers)
    return rowOf(kWinogradTypes);
  for (int64_t k : {2, 1})
    if (const MachineRow *row = rowOf({Number::S16, Number::S16, Number::S32, k}))
      return row;
  return nullptr;
}

const MachineRow *winogradRow(const Target &target, const WinogradConvolution &convolution) {
  const bool mayBeHalves = fitsHalves(convolution.method);
  return winogradRow(target, convolution.isOfIntegers(), mayBeHalves ? convolution.halfSums : 0);
}

winograd::Pairs pairsOf(const MachineRow &machine) {
  if (isOfIntegers(machine))
    return winograd::Pairs::Integers;
  return machine.geometry.hasFreeCopies ? winograd::Pairs::MultiplyAdds : winograd::Pairs::Sums;
}

TransformWork transformWork(const MachineRow &machine, const winograd::Method &method) {
  const double inputs = double(method.inputs()), taps = double(method.taps), outputs = double(method.outputs);
  // Except for 0 and infinity, each pair of points shares two rows of each matrix. In one dimension, the two rows of
  // B^T take two operations, and operations for the even and the odd terms of both. The two rows of G take one
  // operation for each tap. A row of A^T has a term for each pair. With Pairs::Sums, terms with a factor other than 1
  // begin with a product.
  const llvm::ArrayRef<double> squares = winograd::squaresOf(method.inputs(), pairsOf(machine));
  const double pairs = double(squares.size());
  const double carried = pairsOf(machine) == winograd::Pairs::Sums ? pairs - double(llvm::count(squares, 1.0)) : 0;
  // Transforms of halves divide the filter: by one operation for each pair, and for 0 and infinity in larger tiles.
  const double divisions = !isOfHalves(machine) ? 0 : pairs > 1 ? pairs + 2 : pairs;
  const double ofInput = 2 * pairs * (pairs + 1) + carried, ofFilter = pairs * taps + carried + divisions;
  const double ofProducts = pairs * (outputs + 2), numbers = inputs * inputs;
  // Instructions of a sweep's loop for each line of values. An iteration processes two vectors.
  constexpr double ofLine = 2.5;
  // For integers, adding a multiple takes two operations. Most terms need both.
  const double ofMultiple = isOfIntegers(machine) ? 1.6 : 1;
  TransformWork work = {2 * inputs * ofInput * ofMultiple, (inputs + taps) * ofFilter * ofMultiple,
                        (inputs + outputs) * ofProducts * ofMultiple};
  if (WinogradSweeps::suit(machine)) {
    // Sweeps load and store each value twice.
    const double left = outputs * inputs;
    work.input += movements(machine, 4 * numbers) + 2 * inputs * ofLine;
    work.products += movements(machine, numbers + 2 * left + outputs * outputs) + (inputs + outputs) * ofLine;
  } else {
    work.input += numbers * timesLoaded(machine, method.inputs(), method.inputs()) + numbers;
    // Values that do not fit in registers are spilled.
    const double waiting = std::max(0.0, inputs * outputs - 0.75 * double(machine.geometry.registers));
    work.products += numbers + 2 * waiting + outputs * outputs;
  }
  if (WinogradSweeps::takesFilters(machine, method))
    work.filter += movements(machine, taps * taps * inputs / 2 + numbers) + inputs / 2 * ofLine;
  else
    work.filter += taps * taps * timesLoaded(machine, method.inputs(), method.taps) + numbers;
  return work;
}

WinogradScratch scratchOf(const WinogradBlocks &blocks, const winograd::Method &method, int64_t width) {
  const int64_t numbers = method.numbers();
  return {numbers * blocks.tiles * blocks.channels, numbers * blocks.channels * width,
          numbers * blocks.tiles * blocks.partsAtOnce * blocks.panelsPerPart * width};
}

//===----------------------------------------------------------------------===//
// 3. The search
//===----------------------------------------------------------------------===//

namespace {

/// Returns the weighted mean of the cycles with 1, 2, 4 and 8 threads; one thread has the largest weight. A run takes
/// as long as the thread with the most units. Only a single thread computes parts of the columns together: its cycles
/// are `alone`, and `parted` otherwise.
double meanCycles(int64_t units, double alone, double parted) {
  constexpr std::pair<int64_t, double> shares[] = {{1, 0.4}, {2, 0.2}, {4, 0.2}, {8, 0.2}};
  double sum = 0;
  for (const auto &[threads, share] : shares)
    sum += share * (threads == 1 ? alone : parted) * double(llvm::divideCeil(units, threads) * threads) / units;
  return sum;
}

/// Returns the number of channels in a block: about `wanted`, in whole vectors, and such that all blocks are equal if
/// possible.
int64_t blockOfChannels(int64_t channels, int64_t wanted, int64_t lanes) {
  int64_t count = llvm::divideCeil(channels, wanted);
  for (int64_t more = count; more <= 2 * count; ++more)
    if (channels % (more * lanes) == 0)
      return channels / more;
  return std::min<int64_t>(channels, llvm::alignTo(llvm::divideCeil(channels, count), lanes));
}

} // namespace

WinogradBlocks divideWinograd(const MachineRow &machine, const WinogradShape &shape, int64_t tile, int64_t width,
                              uint64_t cacheBytes) {
  // Limit of scratch in bytes. Units that are computed together need more scratch than single ones. They may have at
  // most the size of the layer's weight, so that small models need little memory.
  constexpr int64_t mostScratch = 3 << 20;
  const int64_t mostShared = std::min(mostScratch, weightBytes(machine, shape));
  const int64_t panels = llvm::divideCeil(shape.outputs, width);
  WinogradBlocks best;
  double bestCycles = std::numeric_limits<double>::infinity();
  for (int64_t wantedTiles : {8, 14, 20, 28, 40, 56, 84, 112, 168})
    for (int64_t parts = 1; parts <= panels; parts = parts < panels ? std::min(2 * parts, panels) : parts + 1)
      for (int64_t wantedChannels : {16, 32, 48, 64, 96, 128, 256}) {
        WinogradBlocks blocks = divideTiles(shape, tile, wantedTiles);
        blocks.panelsPerPart = llvm::divideCeil(panels, parts);
        blocks.columnParts = llvm::divideCeil(panels, blocks.panelsPerPart);
        blocks.channels = blockOfChannels(shape.inputs, wantedChannels, machine.numbersOfRegister());
        const double parted = cyclesOf(machine, shape, tile, width, cacheBytes, blocks, 1);
        for (int64_t atOnce = 1; blocks.columnParts % atOnce == 0; atOnce *= 2) {
          blocks.partsAtOnce = atOnce;
          const bool isLeast = wantedTiles == 8 && wantedChannels == 16 && parts == panels && atOnce == 1;
          const int64_t most = atOnce > 1 ? mostShared : mostScratch;
          if (scratchOf(blocks, {tile, shape.taps}, width).bytes(machine) > most && !isLeast)
            continue;
          const double cycles = meanCycles(shape.groups * passesOf(shape, blocks) * blocks.columnParts,
                                           cyclesOf(machine, shape, tile, width, cacheBytes, blocks, atOnce), parted);
          if (cycles >= bestCycles)
            continue;
          best = blocks;
          bestCycles = cycles;
        }
      }
  return best;
}

//===----------------------------------------------------------------------===//
// 4. Whether it pays
//===----------------------------------------------------------------------===//

ContractionShape productShape(const WinogradShape &shape, int64_t tile) {
  // Size of a unit that has enough tiles, and whose sums and panels fit the first-level cache together.
  constexpr int64_t wantedTiles = 28, wantedChannels = 64;
  ContractionShape product;
  product.rows = divideTiles(shape, tile, wantedTiles).tiles;
  product.columns = shape.outputs;
  product.depth = std::min(shape.inputs, wantedChannels);
  return product;
}

double directCycles(const MachineRow &machine, const WinogradShape &shape, uint64_t cacheBytes) {
  ContractionShape product;
  product.rows = shape.width;
  product.columns = shape.outputs;
  product.depth = shape.taps * shape.taps * shape.inputs;
  const double products = shape.groups * shape.images * shape.height * runCycles(machine, product);
  const double memory = memoryCycles(machine, shape, cacheBytes);
  // If there is only one tile of rows, it prefetches the next columns while it multiplies. With more tiles, the later
  // ones find the panel in the cache.
  constexpr int64_t tileRows = 16;
  return shape.images * shape.height * shape.width <= tileRows ? std::max(products, memory) : products + memory;
}

double winogradCycles(const MachineRow &machine, const WinogradShape &shape, int64_t tile, int64_t width,
                      uint64_t cacheBytes, int64_t halfSteps) {
  // Direct products wait for memory. Transforms of filters are limited by their stores, and wait for a small part of
  // that time.
  constexpr double waiting = 0.25;
  const WinogradBlocks blocks = divideWinograd(machine, shape, tile, width, cacheBytes);
  const WinogradPlan plan(shape, tile);
  const double registers =
      double(plan.method.numbers() * plan.tiles() * llvm::divideCeil(shape.outputs, width) * width) /
      machine.step.lanes;
  return shape.groups * (cyclesOf(machine, shape, tile, width, cacheBytes, blocks, blocks.partsAtOnce) +
                         registers * flushCycles(machine, shape.inputs, halfSteps)) +
         waiting * memoryCycles(machine, shape, cacheBytes);
}

int64_t chooseWinogradTile(const MachineRow &machine, const MachineRow &direct, const WinogradShape &shape,
                           uint64_t cacheBytes, int64_t largest) {
  // A tile that is hardly faster than smaller tiles or direct products does not justify its rounding errors.
  constexpr double worthwhile = 0.95;
  // If the values of a tile do not fit in registers, tiles of 6x6 have delays that the costs ignore. So only large
  // images use such tiles.
  constexpr int64_t largestTile = 6, largeImage = 96;
  const bool isLarge = WinogradSweeps::suit(machine) || std::min(shape.height, shape.width) >= largeImage;
  int64_t best = 0;
  double bestCycles = directCycles(direct, shape, cacheBytes);
  for (int64_t tile : kWinogradTiles) {
    if (tile > largest)
      break;
    if (!winograd::Method{tile, shape.taps}.exists() || (tile == largestTile && !isLarge))
      continue;
    const int64_t width = choosePanelWidth(machine, productShape(shape, tile));
    if (const double cycles = winogradCycles(machine, shape, tile, width, cacheBytes);
        cycles < bestCycles * (tile == largestTile ? 1 : worthwhile)) {
      bestCycles = cycles;
      best = tile;
    }
  }
  return best;
}

} // namespace nacre::codegen::cpu
