// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the emitter of nests: maps, broadcasts, casts, reductions, windows, each with its epilogue and halo.
// Why:   one canonical form of loops and strides makes all of them fast without a case for any.
// How:   1. units of the cut axis, and within them blocks of indices whose loops are static;
//        2. in a block, tiles of a few vectors: loads, then the stages' bodies, then stores;
//        3. a reduction in a tile keeps its accumulators in registers, or
//        4. where the contiguous loop reduces, folds lanes at the end.

#include "codegen/cpu/Combiner.h"
#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/Halo.h"
#include "codegen/cpu/NestStages.h"
#include "codegen/cpu/Units.h"
#include "codegen/cpu/VectorBody.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

/// Bodies of this cost keep few vectors in flight; of the second, one.
constexpr unsigned kTranscendental = 20, kHeavy = 100;
/// Reductions of so few turns in all are unrolled.
constexpr int64_t kUnrolledTurns = 16;
constexpr size_t kMaxRegions = 49;

/// Part of a register tile: a piece of the vector loop, in turn `row` of the loop around it.
struct Cell {
  int64_t row = 0;
  Piece piece;
};

class NestEmitter {
public:
  NestEmitter(const KernelForm &form, NestStages &collected, KernelFunction &function)
      : form(form), stages(collected.stages), whole(collected.nest), cut(collected.cut), cutAxes(collected.cutAxes),
        function(function), builder(function) {}

  LogicalResult run();

private:
  using LoopBody = llvm::function_ref<SmallVector<Value>(ValueRange)>;

  // 1. Units and blocks
  LogicalResult analyze();
  double estimateIndexCost() const;
  int64_t divideIndex(int64_t wanted);
  SmallVector<int64_t> chooseBlocks(const Nest &region) const;
  void emitHalos(Value low, Value high);
  void emitRegion(const NestRegion &region, Value low, Value high);
  void emitBlock(Nest block, Value index);

  // 2. Tiles
  void emitParallelLoops(unsigned loop, llvm::function_ref<void()> inner);
  void emitRowLoop(int64_t rows, llvm::function_ref<void(int64_t)> inner);
  void emitTiles();
  void emitTile(ArrayRef<Cell> cells);
  Value address(const NestOperand &operand, const Cell &cell);
  int64_t vectorStride(const NestOperand &operand) const;
  Value load(unsigned index, const Cell &cell);
  SmallVector<Value> gatherInputs(const Stage &stage, const Cell &cell, unsigned cellIndex);
  void evaluateStages(ArrayRef<Cell> cells, unsigned first);
  void storeStages(ArrayRef<Cell> cells);

  // 3. and 4. Reductions
  SmallVector<Value> emitReducingLoops(unsigned loop, ValueRange carried, LoopBody inner);
  SmallVector<Value> emitStep(ArrayRef<Cell> cells, ValueRange accumulators);
  void reduceVertically(ArrayRef<Cell> cells);
  void emitHorizontally();
  void reduceRows(int64_t rows);

  const KernelForm &form;
  const ArrayRef<Stage> stages;
  const Nest whole;
  const std::optional<unsigned> cut;
  const ArrayRef<unsigned> cutAxes;
  KernelFunction &function;
  VectorBuilder builder;
  SmallVector<NestRegion> regions;
  SmallVector<Combiner> combiners; ///< Of the first stage's results, where it reduces.

  unsigned width = 1;            ///< Lanes of a vector.
  unsigned vectors = 4;          ///< In a tile.
  unsigned cost = 1;             ///< Of all bodies, per element.
  bool masks = false;            ///< Tails may be masked vectors.
  std::optional<unsigned> split; ///< The loop whose turns are divided among the parts of an index.
  Value part;                    ///< Which of them.

  // The block being emitted.
  Nest nest;
  VectorChoice choice;
  std::optional<unsigned> rowLoop; ///< The loop that rows of cells are turns of.
  int64_t chains = 1;              ///< Accumulators of a row whose lanes are folded.
  Value cutIndex;
  SmallVector<Position> at;                            ///< Per loop of `nest`.
  SmallVector<SmallVector<SmallVector<Value>>> values; ///< Per stage, result and cell.
  /// In the tile: by operand and row, offset and lanes.
  llvm::DenseMap<std::pair<std::pair<int64_t, int64_t>, std::pair<int64_t, int64_t>>, Value> loaded;
};

/// The last of low, low + step, ... that is not above `high`; `low` where that is below it.
Value emitRoundDown(VectorBuilder &builder, Value low, Value high, int64_t step) {
  if (step == 1)
    return high;
  OpBuilder &ops = builder.ops;
  Value distance = emitMax(builder, arith::SubIOp::create(ops, builder.loc, high, low), builder.index(0));
  Value rest = arith::RemUIOp::create(ops, builder.loc, distance, builder.index(step));
  Value rounded = arith::SubIOp::create(ops, builder.loc, distance, rest);
  return arith::AddIOp::create(ops, builder.loc, low, rounded, arith::IntegerOverflowFlags::nsw);
}

//===----------------------------------------------------------------------===//
// 1. Units and blocks
//===----------------------------------------------------------------------===//

LogicalResult NestEmitter::analyze() {
  unsigned bits = 8;
  bool traps = false;
  cost = 0;
  for (auto [index, stage] : llvm::enumerate(stages)) {
    bits = std::max(bits, widestElementBits(*stage.body));
    traps |= mayTrap(*stage.body);
    cost += bodyCost(*stage.body);
    const bool walksReduced = llvm::any_of(llvm::zip_equal(whole.loops, stage.walks),
                                           [](auto pair) { return !std::get<0>(pair).parallel && std::get<1>(pair); });
    if (index > 0 && walksReduced)
      return failure();
    if (!stage.reduces)
      continue;
    for (unsigned result = 0; result < stage.results.size(); ++result) {
      std::optional<Combiner> combiner = Combiner::find(*stage.body, result);
      if (!combiner || !stage.results[result].start)
        return failure();
      combiners.push_back(*combiner);
    }
  }
  width = std::max(1u, builder.target.vectorBytes() * 8 / bits);
  masks = !traps && llvm::all_of(whole.operands, [&](const NestOperand &operand) {
    return hasMasks(builder.target, operand.bytes * 8);
  });
  const bool wide = builder.target.isa == Isa::Avx512;
  if (cost >= kTranscendental)
    vectors = cost >= kHeavy && !wide ? 1 : wide ? 4 : 2;
  else if (stages.front().reduces)
    vectors = builder.target.registers() / 2;
  else
    vectors = 4;

  std::optional<SmallVector<NestRegion>> divided = divideWindows(whole, cut);
  if (!divided || divided->size() > kMaxRegions)
    return failure();
  regions = std::move(*divided);
  return success();
}

/// Nanoseconds: arithmetic of two instructions a cycle, or bytes from a cache beyond the first.
double NestEmitter::estimateIndexCost() const {
  const double points = double(whole.countPoints(true)) * whole.countPoints(false);
  double bytes = 0;
  for (const NestOperand &operand : whole.operands) {
    double count = operand.bytes;
    for (auto [loop, stride] : llvm::zip_equal(whole.loops, operand.strides))
      if (stride != 0)
        count *= loop.size;
    bytes += count;
  }
  const double arithmetic = points * (cost + whole.operands.size()) / width / 2 / 3;
  return std::max(arithmetic, bytes / 15) / (cut ? form.cutExtent : 1);
}

/// Parts of about `wanted` that one index of the cut axis is divided into: turns of its outermost long loop.
int64_t NestEmitter::divideIndex(int64_t wanted) {
  if (wanted == 1)
    return 1;
  for (auto [index, loop] : llvm::enumerate(whole.loops)) {
    const bool isWindow = llvm::any_of(
        whole.windows, [index = index](const NestWindow &window) { return window.coefficients[index] != 0; });
    if (!loop.parallel || loop.size == 1 || index == cut || isWindow)
      continue;
    const bool contiguous = llvm::any_of(
        whole.operands, [index = index](const NestOperand &operand) { return operand.strides[index] == 1; });
    const int64_t step = contiguous ? width : 1;
    for (int64_t parts = std::min(wanted, loop.size / step); parts > 1; --parts)
      if (loop.size % (parts * step) == 0) {
        split = index;
        return parts;
      }
  }
  return 1;
}

/// How many indices of the cut axis a block takes, the largest first; the last is always one.
SmallVector<int64_t> NestEmitter::chooseBlocks(const Nest &region) const {
  // Blocks of so many elements make the loop around them free.
  constexpr int64_t kBlockElements = 1024, kSmallKernel = 4096;
  if (!cut)
    return {1};
  const Nest one = takeBlock(region, cut, 1), two = takeBlock(region, cut, 2);
  const int64_t extent = region.loops[*cut].size, rest = one.countPoints(true);
  const bool joins = two.loops.size() <= std::max<size_t>(one.loops.size(), 1);
  const bool vectorized = chooseVectorLoop(region).loop == cut;
  const int64_t tile = int64_t(vectors) * width;
  int64_t block = 1;
  if (joins || vectorized) {
    block = llvm::alignTo(llvm::divideCeil(kBlockElements, rest), tile / std::gcd(rest, tile));
    if (rest >= kBlockElements)
      block = 1;
    else if (extent * rest <= kSmallKernel)
      block = extent;
  } else if (rest < tile) {
    block = vectors;
  }
  SmallVector<int64_t> blocks = {std::min(block, extent)};
  const int64_t oneVector = llvm::divideCeil(width, rest);
  if (blocks.front() > oneVector && oneVector > 1)
    blocks.push_back(oneVector);
  if (blocks.back() > 1)
    blocks.push_back(1);
  return blocks;
}

LogicalResult NestEmitter::run() {
  if (failed(analyze()))
    return failure();
  const double indexCost = estimateIndexCost();
  const int64_t multiple = chooseBlocks(regions.front().nest).front();
  function.unitsPerBlock = divideIndex(divideIntoUnits(function, indexCost, form.cutExtent, multiple));
  function.unitCost /= function.unitsPerBlock;

  emitUnits(builder, function, [&](Value low, Value high, Value unitPart) {
    part = unitPart;
    for (const NestRegion &region : regions) {
      Value begin = region.cutBegin == 0 ? low : emitMax(builder, low, builder.index(region.cutBegin));
      const bool last = region.cutEnd == form.cutExtent;
      emitRegion(region, begin, last ? high : emitMin(builder, high, builder.index(region.cutEnd)));
    }
    // The first part of an index writes its halo.
    if (part)
      builder.loop(part, builder.index(1), 1, [&](Position) { emitHalos(low, high); });
    else
      emitHalos(low, high);
  });
  return success();
}

void NestEmitter::emitHalos(Value low, Value high) {
  for (auto [index, tensor] : llvm::enumerate(form.written)) {
    Value buffer = function.buffers[tensor.place.argument];
    if (cut)
      emitHalo(builder, buffer, tensor, cutAxes[index], low, high);
    else if (!tensor.place.shape.empty())
      emitHalo(builder, buffer, tensor, 0, builder.index(0), builder.index(tensor.place.shape[0]));
  }
}

void NestEmitter::emitRegion(const NestRegion &region, Value low, Value high) {
  Nest parted = region.nest;
  if (split)
    takePart(parted, *split, function.unitsPerBlock);
  if (!cut)
    return emitBlock(takeBlock(std::move(parted), cut, 1), Value());
  for (int64_t block : chooseBlocks(parted)) {
    Value end = emitRoundDown(builder, low, high, block);
    builder.loop(low, end, block, [&](Position index) { emitBlock(takeBlock(parted, cut, block), index.counter); });
    low = end;
  }
}

void NestEmitter::emitBlock(Nest block, Value index) {
  nest = std::move(block);
  cutIndex = index;
  at.assign(nest.loops.size(), Position());
  values.assign(stages.size(), {});
  loaded.clear();
  choice = chooseVectorLoop(nest);
  rowLoop.reset();
  for (auto [loop, described] : llvm::enumerate(nest.loops))
    if (described.parallel && loop != choice.loop)
      rowLoop = loop;
  if (choice.horizontal)
    emitHorizontally();
  else
    emitTiles();
}

//===----------------------------------------------------------------------===//
// 2. Tiles
//===----------------------------------------------------------------------===//

/// All parallel loops from `loop` on but the vector loop and the row loop.
void NestEmitter::emitParallelLoops(unsigned loop, llvm::function_ref<void()> inner) {
  if (loop == nest.loops.size())
    return inner();
  if (!nest.loops[loop].parallel || loop == choice.loop || loop == rowLoop)
    return emitParallelLoops(loop + 1, inner);
  builder.loop(0, nest.loops[loop].size, 1, [&](Position counter) {
    at[loop] = counter;
    emitParallelLoops(loop + 1, inner);
  });
}

/// The row loop in steps of `rows`, then what is left of it.
void NestEmitter::emitRowLoop(int64_t rows, llvm::function_ref<void(int64_t)> inner) {
  if (!rowLoop)
    return inner(1);
  const int64_t size = nest.loops[*rowLoop].size, main = size / rows * rows;
  builder.loop(0, main, rows, [&](Position counter) {
    at[*rowLoop] = counter;
    inner(rows);
  });
  if (main == size)
    return;
  at[*rowLoop] = {Value(), main};
  inner(size - main);
}

void NestEmitter::emitTiles() {
  const int64_t count = choice.loop ? nest.loops[*choice.loop].size : 1;
  const int64_t inRow = llvm::divideCeil(count, width);
  const int64_t step = std::min<int64_t>(vectors, inRow) * width, main = count / step * step;
  // Short rows: several at once.
  const int64_t rows = rowLoop ? std::clamp<int64_t>(vectors / inRow, 1, nest.loops[*rowLoop].size) : 1;
  auto emitPieces = [&](int64_t rowCount, int64_t elements) {
    SmallVector<Cell> cells;
    for (int64_t row = 0; row < rowCount; ++row)
      for (const Piece &piece : cutIntoPieces(elements, width, masks))
        cells.push_back({row, piece});
    emitTile(cells);
  };
  emitParallelLoops(0, [&] {
    emitRowLoop(rows, [&](int64_t rowCount) {
      if (!choice.loop)
        return emitPieces(rowCount, 1);
      builder.loop(0, main, step, [&](Position counter) {
        at[*choice.loop] = counter;
        emitPieces(rowCount, step);
      });
      at[*choice.loop] = {Value(), main};
      if (main < count)
        emitPieces(rowCount, count - main);
    });
  });
}

void NestEmitter::emitTile(ArrayRef<Cell> cells) {
  loaded.clear();
  if (stages.front().reduces)
    reduceVertically(cells);
  evaluateStages(cells, stages.front().reduces ? 1 : 0);
  storeStages(cells);
  loaded.clear();
}

/// Of an operand's element for lane 0 of a cell.
Value NestEmitter::address(const NestOperand &operand, const Cell &cell) {
  SmallVector<Position> positions(at);
  SmallVector<int64_t> strides(operand.strides);
  if (rowLoop)
    positions[*rowLoop] = positions[*rowLoop] + cell.row;
  if (choice.loop)
    positions[*choice.loop] = positions[*choice.loop] + cell.piece.offset;
  positions.append({{cutIndex, 0}, {part, 0}});
  strides.append({operand.cutStride, operand.partStride});
  return builder.address(positions, strides, operand.offset);
}

int64_t NestEmitter::vectorStride(const NestOperand &operand) const {
  return choice.loop ? operand.strides[*choice.loop] : 0;
}

/// A vector, or a scalar that all lanes share.
Value NestEmitter::load(unsigned index, const Cell &cell) {
  const NestOperand &operand = nest.operands[index];
  const int64_t stride = vectorStride(operand);
  const int64_t row = rowLoop ? cell.row * operand.strides[*rowLoop] : 0;
  Value &value = loaded[{{int64_t(index), row}, {stride * cell.piece.offset, stride == 0 ? 0 : cell.piece.lanes}}];
  if (value)
    return value;
  Value buffer = function.buffers[operand.argument];
  if (stride == 0)
    return value = builder.loadScalar(buffer, address(operand, cell));
  if (stride == 1)
    return value = builder.load(buffer, address(operand, cell), cell.piece);
  return value = builder.loadStrided(buffer, address(operand, cell), stride, cell.piece);
}

/// What goes into the body of `stage` before the accumulators.
SmallVector<Value> NestEmitter::gatherInputs(const Stage &stage, const Cell &cell, unsigned cellIndex) {
  SmallVector<Value> arguments;
  for (const StageInput &input : stage.inputs) {
    if (input.operand)
      arguments.push_back(load(*input.operand, cell));
    else
      arguments.push_back(input.unread ? Value() : values[input.stage][input.result][cellIndex]);
  }
  return arguments;
}

void NestEmitter::evaluateStages(ArrayRef<Cell> cells, unsigned first) {
  for (unsigned index = first; index < stages.size(); ++index) {
    const Stage &stage = stages[index];
    // All loads before all arithmetic.
    SmallVector<SmallVector<Value>> arguments;
    for (auto [cellIndex, cell] : llvm::enumerate(cells))
      arguments.push_back(gatherInputs(stage, cell, cellIndex));
    values[index].assign(stage.results.size(), {});
    for (auto [cellIndex, cell] : llvm::enumerate(cells)) {
      for (const StageResult &result : stage.results)
        arguments[cellIndex].push_back(result.start ? builder.constant(result.start) : Value());
      SmallVector<Value> results = inlineBody(builder, *stage.body, arguments[cellIndex], cell.piece.width);
      for (auto [result, value] : llvm::enumerate(results))
        values[index][result].push_back(value);
    }
  }
}

void NestEmitter::storeStages(ArrayRef<Cell> cells) {
  for (auto [index, stage] : llvm::enumerate(stages))
    for (auto [result, described] : llvm::enumerate(stage.results)) {
      if (!described.operand)
        continue;
      const NestOperand &operand = nest.operands[*described.operand];
      const int64_t stride = vectorStride(operand);
      Value buffer = function.buffers[operand.argument];
      for (auto [cell, value] : llvm::zip_equal(cells, values[index][result])) {
        if (cell.piece.width == 1 && !isa<VectorType>(value.getType())) {
          builder.storeScalar(value, buffer, address(operand, cell));
          continue;
        }
        Value vector = builder.broadcast(value, cell.piece.width);
        if (stride == 1 || cell.piece.lanes == 1)
          builder.store(vector, buffer, address(operand, cell), cell.piece);
        else
          builder.storeStrided(vector, buffer, address(operand, cell), stride, cell.piece);
      }
    }
}

//===----------------------------------------------------------------------===//
// 3. Accumulators in registers
//===----------------------------------------------------------------------===//

/// `inner` in every turn of the reducing loops from `loop` on but the vector loop. The last few turns are unrolled.
SmallVector<Value> NestEmitter::emitReducingLoops(unsigned loop, ValueRange carried, LoopBody inner) {
  int64_t turns = 1;
  for (unsigned i = loop; i < nest.loops.size(); ++i)
    if (!nest.loops[i].parallel && i != choice.loop)
      turns *= nest.loops[i].size;
  if (loop == nest.loops.size())
    return inner(carried);
  if (nest.loops[loop].parallel || loop == choice.loop)
    return emitReducingLoops(loop + 1, carried, inner);
  if (turns > kUnrolledTurns)
    return builder.loop(0, nest.loops[loop].size, 1, carried, [&](Position counter, ValueRange values) {
      at[loop] = counter;
      return emitReducingLoops(loop + 1, values, inner);
    });
  SmallVector<Value> current(carried);
  for (int64_t turn = 0; turn < nest.loops[loop].size; ++turn) {
    at[loop] = {Value(), turn};
    current = emitReducingLoops(loop + 1, current, inner);
  }
  return current;
}

/// One step of the first stage in every cell: `accumulators` are per cell, then per result.
SmallVector<Value> NestEmitter::emitStep(ArrayRef<Cell> cells, ValueRange accumulators) {
  const Stage &stage = stages.front();
  loaded.clear();
  SmallVector<SmallVector<Value>> arguments;
  for (auto [index, cell] : llvm::enumerate(cells))
    arguments.push_back(gatherInputs(stage, cell, index));
  SmallVector<Value> stepped;
  for (auto [index, cell] : llvm::enumerate(cells)) {
    llvm::append_range(arguments[index], accumulators.slice(index * combiners.size(), combiners.size()));
    for (Value value : inlineBody(builder, *stage.body, arguments[index], cell.piece.width))
      stepped.push_back(builder.broadcast(value, cell.piece.width));
  }
  return stepped;
}

void NestEmitter::reduceVertically(ArrayRef<Cell> cells) {
  const Stage &stage = stages.front();
  SmallVector<Value> accumulators;
  for (const Cell &cell : cells)
    for (const StageResult &result : stage.results)
      accumulators.push_back(builder.broadcast(builder.constant(result.start), cell.piece.width));
  accumulators = emitReducingLoops(0, accumulators, [&](ValueRange carried) { return emitStep(cells, carried); });
  values.front().assign(stage.results.size(), {});
  for (auto [index, value] : llvm::enumerate(accumulators))
    values.front()[index % combiners.size()].push_back(value);
  loaded.clear();
}

//===----------------------------------------------------------------------===//
// 4. Lanes that are folded
//===----------------------------------------------------------------------===//

void NestEmitter::emitHorizontally() {
  // Accumulators enough to hide the latency of an addition: of one row, or of several where rows are short.
  const int64_t accumulators = cost >= kTranscendental ? 2 : 8;
  const int64_t inRow = std::max<int64_t>(1, nest.loops[*choice.loop].size / width);
  chains = std::min<int64_t>({4, accumulators, inRow});
  const int64_t rows = rowLoop ? std::clamp<int64_t>(accumulators / chains, 1, nest.loops[*rowLoop].size) : 1;
  emitParallelLoops(0, [&] { emitRowLoop(rows, [&](int64_t count) { reduceRows(count); }); });
}

void NestEmitter::reduceRows(int64_t rows) {
  const unsigned results = combiners.size();
  const int64_t size = nest.loops[*choice.loop].size, step = chains * width, main = size / step * step;

  // Per row, chain and result.
  SmallVector<Value> identities;
  for (const Combiner &combiner : combiners)
    identities.push_back(builder.broadcast(builder.constant(combiner.identity), width));
  SmallVector<Value> accumulators;
  for (int64_t i = 0; i < rows * chains; ++i)
    llvm::append_range(accumulators, identities);
  auto cellsOf = [&](const Piece &piece) {
    SmallVector<Cell> cells;
    for (int64_t row = 0; row < rows; ++row)
      cells.push_back({row, piece});
    return cells;
  };

  accumulators = emitReducingLoops(0, accumulators, [&](ValueRange carried) {
    SmallVector<Value> current = builder.loop(0, main, step, carried, [&](Position counter, ValueRange values) {
      at[*choice.loop] = counter;
      SmallVector<Cell> cells;
      for (int64_t row = 0; row < rows; ++row)
        for (const Piece &piece : cutIntoPieces(step, width, false))
          cells.push_back({row, piece});
      return emitStep(cells, values);
    });
    at[*choice.loop] = {Value(), main};
    for (auto [index, piece] : llvm::enumerate(cutIntoPieces(size - main, width, masks))) {
      // A short piece starts from the identity and is folded into a chain.
      SmallVector<Cell> cells = cellsOf(piece);
      SmallVector<Value> start;
      for (int64_t row = 0; row < rows; ++row)
        for (const Combiner &combiner : combiners)
          start.push_back(builder.broadcast(builder.constant(combiner.identity), piece.width));
      SmallVector<Value> folded = emitStep(cells, start);
      for (auto [i, value] : llvm::enumerate(folded)) {
        const unsigned row = i / results, result = i % results;
        Value &chain = current[(row * chains + index % chains) * results + result];
        chain = combiners[result].combine(builder, chain, builder.widen(value, piece, identities[result], width));
      }
    }
    return current;
  });

  const Stage &stage = stages.front();
  values.front().assign(results, {});
  for (int64_t row = 0; row < rows; ++row)
    for (unsigned result = 0; result < results; ++result) {
      const Combiner &combiner = combiners[result];
      SmallVector<Value> chain;
      for (int64_t i = 0; i < chains; ++i)
        chain.push_back(accumulators[(row * chains + i) * results + result]);
      for (; chain.size() > 1; chain.pop_back())
        chain[chain.size() - 2] = combiner.combine(builder, chain[chain.size() - 2], chain.back());
      Value value = combiner.combineLanes(builder, chain.front());
      if (stage.results[result].start != combiner.identity)
        value = combiner.combine(builder, builder.constant(stage.results[result].start), value);
      values.front()[result].push_back(value);
    }
  loaded.clear();
  const SmallVector<Cell> cells = cellsOf({0, 1, 1});
  evaluateStages(cells, 1);
  storeStages(cells);
}

} // namespace

LogicalResult emitNest(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form))
    return failure();
  FailureOr<NestStages> collected = collectStages(*form);
  if (failed(collected))
    return failure();
  return NestEmitter(*form, *collected, function).run();
}

} // namespace nacre::codegen::cpu
