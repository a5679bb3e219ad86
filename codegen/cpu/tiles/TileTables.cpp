// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. tests if tiles fit the registers; 2. the cost of a tile; 3. division of a run; 4. width of panels; 5.
//        division of the reduction, for the cache and for the precision of sums; 6. division of a cut axis; 7. narrow
//        weights.

#include "codegen/cpu/tiles/TileTables.h"

#include "codegen/cpu/Units.h"
#include "codegen/cpu/tiles/MatrixTile.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace nacre::codegen::cpu {

//===----------------------------------------------------------------------===//
// 1. Registers
//===----------------------------------------------------------------------===//

/// True if sums and operands fit the registers. If instructions multiply by elements, each row has `ofRow` registers of
/// elements, and `onTheirWay` registers of columns are being loaded.
static bool registersFit(const MachineRow &machine, int64_t rows, int64_t vectors, int64_t ofRow, int64_t onTheirWay) {
  const int64_t groups = machine.groupsOf(rows);
  const int64_t operands = machine.geometry.multipliesByElement
                               ? ofRow * rows + onTheirWay * machine.geometry.registersOfVector
                               : std::min(groups, vectors);
  const int64_t sums = groups * vectors;
  return sums + operands + machine.geometry.spareRegisters <= machine.geometry.registers &&
         sums <= machine.geometry.registers - machine.geometry.registersOfElements;
}

/// Returns the cycles of a step on matrices. A register of the left operand has one word of each of its rows.
static double stepCyclesOfMatrices(const MachineRow &machine, int64_t rows, int64_t vectors) {
  const double multiplyAdds = machine.stepCycles() * double(rows * vectors),
               loads = machine.memory.load * (double(rows) / kWordsOfMatrix + double(vectors));
  return std::max({multiplyAdds, loads, machine.costs.latency});
}

bool tileFits(const MachineRow &machine, int64_t rows, int64_t vectors) {
  if (machine.isOfMatrices())
    return matricesFit(rows, vectors);
  // An instruction for two steps needs words and columns of both. Cores that issue in order load the next step's
  // columns anyway.
  const int64_t steps = machine.step.multiplyAddTwo && !machine.costs.inOrder ? 2 : 1;
  const int64_t onTheirWay = machine.costs.inOrder ? 2 * vectors : steps * std::min<int64_t>(vectors, 3);
  return registersFit(machine, rows, vectors, /*ofRow=*/steps, onTheirWay) && rows <= machine.geometry.highestTile;
}

bool leavesFewRegisters(const MachineRow &machine, int64_t rows, int64_t vectors) {
  return machine.geometry.multipliesByElement &&
         machine.groupsOf(rows) * vectors + rows + 2 * vectors > machine.geometry.registers;
}

int64_t mostRows(const MachineRow &machine, int64_t rowBytes) {
  if (machine.isOfMatrices()) // A load takes a whole line of each row, which is not needed again.
    return machine.geometry.highestTile;
  const auto wayBytes = int64_t(machine.costs.model->l1WayBytes);
  const int64_t sets = wayBytes / std::gcd(std::max<int64_t>(rowBytes, 1), wayBytes);
  return std::min<int64_t>(16, machine.memory.waysOfRows * sets);
}

bool endsInHalf(const MachineRow &machine, int64_t columns) {
  const int64_t last = (columns - 1) % machine.step.lanes + 1;
  return machine.geometry.hasHalves && 2 * last <= machine.step.lanes;
}

int64_t mostRows(const MachineRow &machine, const ContractionShape &shape, int64_t columns) {
  const int64_t most = mostRows(machine, shape.rowBytes), vectors = llvm::divideCeil(columns, machine.step.lanes);
  if (shape.parts > 1 || vectors == 1 || !endsInHalf(machine, columns))
    return most;
  // LLVM lets the sums of the half overwrite a row's element, so that each row needs one more register.
  return std::clamp<int64_t>((machine.geometry.registers - machine.geometry.spareRegisters - vectors) / (vectors + 1),
                             1, most);
}

/// Returns the registers that streamed columns need: for one load that is complete, and for the next one.
static int64_t streamed(int64_t perLoad) { return 2 * perLoad; }

int64_t stepsPerIteration(const MachineRow &machine, int64_t rows, int64_t vectors) {
  if (!machine.geometry.multipliesByElement)
    return 1;
  // Rows load pairs of registers if these fit. Larger tiles have no pairs: they would need more code, more pointers to
  // rows than registers, or offsets beyond the range of a paired load.
  constexpr int64_t mostPairs = 6, mostProducts = 160, mostColumnBytes = 1024;
  const int64_t steps = 2 * machine.stepsOfRegister();
  if (steps * rows * vectors > mostProducts || steps * vectors * machine.registerBytes() > mostColumnBytes)
    return machine.stepsOfRegister();
  // Words that are divided after they are loaded need registers for both forms.
  if (machine.step.types.k == 8 && machine.step.rows == 1)
    return machine.stepsOfRegister();
  // Cores that issue in order load elements when they are needed. If few registers can hold elements, LLVM copies
  // pairs.
  const bool inPairs =
      machine.costs.inOrder || (machine.geometry.registersOfElements == 0 && rows <= mostPairs &&
                                registersFit(machine, rows, vectors, 2, streamed(machine.geometry.registersPerStream)));
  return inPairs ? steps : machine.stepsOfRegister();
}

int64_t registersPerStream(const MachineRow &machine, int64_t rows, int64_t vectors) {
  if (!machine.geometry.multipliesByElement || machine.geometry.registersPerStream <= machine.geometry.registersPerLoad)
    return 0;
  const int64_t unroll = stepsPerIteration(machine, rows, vectors);
  for (int64_t perLoad : {machine.geometry.registersPerStream, machine.geometry.registersPerLoad})
    if (perLoad > 1 && unroll * vectors % perLoad == 0 &&
        registersFit(machine, rows, vectors, unroll / machine.stepsOfRegister(), streamed(perLoad)))
      return perLoad;
  return 0;
}

int64_t stepsOfLargeTiles(const MachineRow &machine) {
  if (machine.isOfMatrices())
    return kWordsOfMatrix;
  return machine.geometry.multipliesByElement ? 2 * machine.stepsOfRegister() : 1;
}

//===----------------------------------------------------------------------===//
// 2. The cost of a tile
//===----------------------------------------------------------------------===//

/// Returns the cycles of one step of an instruction for a tile.
static double stepCycles(const MachineRow &machine, int64_t rows, int64_t vectors) {
  if (machine.isOfMatrices())
    return stepCyclesOfMatrices(machine, rows, vectors);
  constexpr double loopInstructions = 4;
  const double unroll = double(stepsPerIteration(machine, rows, vectors));
  const double rowLoads = double(rows) / (machine.geometry.multipliesByElement ? machine.stepsOfRegister() : 1);
  const double rowInstructions =
      rowLoads / (unroll > machine.stepsOfRegister() ? machine.geometry.registersPerLoad : 1);
  const double columnLoads = double(vectors) / machine.geometry.registersPerLoad;
  const int64_t perStream = registersPerStream(machine, rows, vectors);
  const double columnInstructions = perStream ? double(vectors) / perStream : columnLoads;
  const double multiplyAdds = (machine.stepCycles() * vectors + machine.step.rowCycles) * machine.groupsOf(rows) +
                              machine.step.columnCycles * vectors;
  // Cores that issue in order load halves of registers. Columns take two loads and the move that joins the halves, each
  // issued together with a multiply-add.
  const double loads =
      machine.memory.load * (machine.costs.inOrder ? 2 * rowLoads + 3.0 * vectors : rowLoads + columnLoads);
  // Words of bytes come from the first-level cache, because parts of the depth fit it.
  const double stream = double(vectors * machine.registerBytes()) /
                        (machine.costs.model->l2BytesPerCycle * (machine.step.types.k == 1 ? 1 : 2));
  return std::max({multiplyAdds, loads, stream, machine.costs.latency}) + machine.costs.iteration / unroll +
         machine.costs.issue * (rowInstructions + columnInstructions + loopInstructions / unroll);
}

/// Returns the cycles of a tile per step, including its share of the work that happens once: addresses, epilogue,
/// stores.
static double tileCycles(const MachineRow &machine, int64_t rows, int64_t vectors, int64_t steps) {
  return stepCycles(machine, rows, vectors) + (10.0 + 1.5 * rows * vectors) / steps;
}

//===----------------------------------------------------------------------===//
// 3. Runs
//===----------------------------------------------------------------------===//

RunSplit splitRun(const MachineRow &machine, int64_t rows, int64_t vectors, int64_t depth, int64_t most, bool greedy) {
  const int64_t steps = llvm::divideCeil(depth, machine.step.types.k);
  RunSplit best;
  best.cycles = std::numeric_limits<double>::infinity();
  auto price = [&](int64_t tile, int64_t count, llvm::ArrayRef<int64_t> tail) {
    double cycles = count * tileCycles(machine, tile, vectors, steps);
    for (int64_t rest : tail)
      cycles += tileCycles(machine, rest, vectors, steps);
    if (cycles < best.cycles)
      best = {tile, count, llvm::SmallVector<int64_t, 2>(tail), cycles};
  };
  for (int64_t tile = std::min(rows, most); tile >= 1; --tile) {
    // A panel may have a width chosen for another CPU. Then even a tile of one row may spill.
    if (tile > 1 && !tileFits(machine, tile, vectors))
      continue;
    const int64_t count = rows / tile, rest = rows % tile;
    if (rest == 0) {
      price(tile, count, {});
      continue;
    }
    price(tile, count, {rest});
    // A tile of few rows is limited by the latency of its multiply-adds: divide the remainder and the last whole tile
    // evenly.
    const int64_t shared = tile + rest;
    if (count > 1 && !greedy)
      price(tile, count - 1, {shared - shared / 2, shared / 2});
    // The last tile includes the remainder if the registers hold its sums and elements.
    if (count > 1 && greedy && machine.geometry.multipliesByElement && shared <= most &&
        tileFits(machine, shared, vectors))
      price(tile, count - 1, {shared});
  }
  return best;
}

//===----------------------------------------------------------------------===//
// 4. Panels
//===----------------------------------------------------------------------===//

/// Returns the cycles of one of the shape's runs for one step of an instruction, in panels of `vectors` vectors.
static double stepCyclesOfRun(const MachineRow &machine, const ContractionShape &shape, int64_t vectors, int64_t most) {
  const int64_t width = vectors * machine.step.lanes, full = shape.columns / width, rest = shape.columns % width;
  double cycles = full * splitRun(machine, shape.rows, shape.parts * vectors, shape.depth, most).cycles;
  if (rest)
    cycles += splitRun(machine, shape.rows, shape.parts * llvm::divideCeil(rest, machine.step.lanes), shape.depth, most)
                  .cycles;
  return cycles;
}

int64_t choosePanelWidth(const MachineRow &machine, const ContractionShape &shape) {
  const int64_t needed = llvm::divideCeil(shape.columns, machine.step.lanes);
  // A single row reads every weight once. Wide panels keep many loads in flight.
  if (shape.isSingleRow())
    return machine.step.lanes *
           std::clamp<int64_t>(machine.memory.vectorsOfSingleRow / shape.parts, 1, std::max<int64_t>(needed, 1));

  const int64_t most = mostRows(machine, shape.rowBytes);
  int64_t best = 1;
  double bestCycles = std::numeric_limits<double>::infinity();
  for (int64_t vectors = 1; vectors <= needed && tileFits(machine, 1, shape.parts * vectors); ++vectors) {
    const double zeros = double(llvm::alignTo(needed, vectors) - needed) / double(needed);
    const double cycles = stepCyclesOfRun(machine, shape, vectors, most) * (1 + machine.memory.padding * zeros);
    // Among nearly equal widths, take the smallest: its panel stays in the first-level cache for longer.
    if (cycles < bestCycles * (1 - machine.costs.nearlyEqual)) {
      bestCycles = cycles;
      best = vectors;
    }
  }
  return best * machine.step.lanes;
}

int64_t sliceOfPanel(const MachineRow &machine, const ContractionShape &shape, int64_t width) {
  // An epilogue needs whole registers of columns.
  const int64_t unit = machine.step.lanes * (machine.hasMixedSums() ? 2 : 1), wanted = choosePanelWidth(machine, shape);
  for (int64_t slice = std::min(width, wanted) / unit * unit; slice > 0; slice -= unit)
    if (width % slice == 0)
      return slice;
  return width;
}

double runCycles(const MachineRow &machine, const ContractionShape &shape, int64_t width) {
  return stepCyclesOfRun(machine, shape, llvm::divideCeil(width, machine.step.lanes),
                         mostRows(machine, shape.rowBytes)) *
         llvm::divideCeil(shape.depth, machine.step.types.k);
}

double runCycles(const MachineRow &machine, const ContractionShape &shape) {
  return runCycles(machine, shape, choosePanelWidth(machine, shape));
}

//===----------------------------------------------------------------------===//
// 5. Parts of the reduction
//===----------------------------------------------------------------------===//

DepthSplit splitDepth(llvm::ArrayRef<int64_t> loops, int64_t stepBytes, uint64_t cacheBytes, int64_t unroll) {
  DepthSplit whole;
  whole.steps = loops.front();
  // Rows and sums need the other half of the cache.
  const int64_t wanted = std::max<int64_t>(1, int64_t(cacheBytes / 2) / stepBytes);
  const int64_t depth = std::accumulate(loops.begin(), loops.end(), int64_t(1), std::multiplies<>());
  // Storing and loading sums costs as much as a dozen steps, so short parts are slower than no division.
  if (depth <= 2 * wanted)
    return whole;

  DepthSplit split;
  split.level = loops.size() - 1;
  int64_t inner = 1;
  while (split.level > 0 && inner * loops[split.level] <= wanted)
    inner *= loops[split.level--];
  const int64_t size = loops[split.level], most = std::max<int64_t>(1, wanted / inner);
  int64_t parts = llvm::divideCeil(size, most);
  // The loops around this one repeat its last part, so all parts get the same length.
  while (split.level > 0 && size % parts != 0)
    ++parts;
  split.steps = llvm::divideCeil(size, parts);
  if (split.level == 0 && inner == 1)
    split.steps = std::min(size, int64_t(llvm::alignTo(split.steps, unroll)));
  split.count = llvm::divideCeil(size, split.steps);
  for (int64_t loop : loops.take_front(split.level))
    split.count *= loop;
  const int64_t steps = split.steps * inner;
  return split.count > 1 && steps * 4 >= wanted ? split : whole;
}

SumBlocks chooseSumBlocks(llvm::ArrayRef<int64_t> loops, int64_t unroll, int64_t serial, int64_t most) {
  const int64_t depth = std::accumulate(loops.begin(), loops.end(), int64_t(1), std::multiplies<>());
  if (depth <= serial)
    return {0, loops.front(), false};
  SumBlocks blocks{unsigned(loops.size() - 1), 1, true};
  int64_t inner = 1;
  while (blocks.level > 0 && inner * loops[blocks.level] <= most)
    inner *= loops[blocks.level--];
  // Only the innermost loop is unrolled.
  const int64_t multiple = inner == 1 ? unroll : 1, longest = most / inner / multiple * multiple;
  assert(longest > 0 && "a block has an iteration");
  const int64_t size = loops[blocks.level], least = llvm::divideCeil(size, longest);
  blocks.steps = llvm::alignTo(llvm::divideCeil(size, least), multiple);
  // Take a few more blocks if that makes them equal: a shorter last block needs separate code.
  for (int64_t count = least; count <= 2 * least; ++count)
    if (size % (count * multiple) == 0) {
      blocks.steps = size / count;
      break;
    }
  return blocks;
}

//===----------------------------------------------------------------------===//
// 6. Blocks of units
//===----------------------------------------------------------------------===//

int64_t chooseBlock(const CutShape &cut, int64_t rows, uint64_t cacheBytes) {
  constexpr int64_t wantedUnits = 16;
  const int64_t fits = std::max<int64_t>(1, int64_t(cacheBytes / 2) / std::max<int64_t>(1, cut.bytesPerIndex));
  const int64_t least = std::max<int64_t>(1, 4 * rows / cut.rowsPerIndex);
  int64_t blocks = llvm::divideCeil(cut.extent, std::max(least, fits));
  const int64_t wantedBlocks = llvm::divideCeil(wantedUnits, cut.parts);
  blocks = std::max(blocks, std::min(wantedBlocks, std::max<int64_t>(1, cut.extent / least)));
  const int64_t block = llvm::divideCeil(cut.extent, blocks);
  if (cut.rowsPerIndex == 1)
    return block < cut.extent ? llvm::alignTo(block, rows) : block;
  if (cut.extent < kFewIndices) {
    // Threads share the parts of an index. If there are few parts, they also share halves of the axis.
    const int64_t half = llvm::divideCeil(cut.extent, 2);
    return cut.parts < wantedUnits && half * cut.rowsPerIndex >= 2 * rows ? std::min(block, half) : block;
  }
  // If the cache does not hold all rows, each block reads all panels, so blocks should not be small.
  const int64_t smallest = fits < cut.extent ? std::max(least, 2 * block / 3) : least;
  return evenExtent(cut.extent, block, smallest, std::max(block, fits));
}

//===----------------------------------------------------------------------===//
// 7. Weights
//===----------------------------------------------------------------------===//

bool gainsByFewerBytes(const MachineRow &machine, const WeightReading &reading, Number narrow, uint64_t cacheBytes) {
  // A small speedup does not justify rounding the weights.
  constexpr double worthwhile = 0.85;
  auto streaming = [&](double bytes) {
    return bytes / (reading.repeats && bytes <= double(cacheBytes) ? machine.costs.model->l2BytesPerCycle
                                                                   : machine.costs.model->memoryBytesPerCycle);
  };
  const double bytes = reading.elements * bytesOf(Number::F32), fewer = reading.elements * bytesOf(narrow);
  const double arithmetic = reading.multiplyAdds / machine.productsPerCycle();
  const double widening = reading.elements / double(machine.step.lanes) * machine.widenCycles(narrow);
  return std::max(streaming(fewer), arithmetic + widening) < worthwhile * std::max(streaming(bytes), arithmetic);
}

} // namespace nacre::codegen::cpu
