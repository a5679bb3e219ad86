// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits nests: maps, broadcasts, casts, reductions and windows, each with its epilogue and halo.
// Why:   one canonical form of loops and strides makes all these kernels fast without special cases.
// How:   1. units of the cut axis are divided into blocks of indices whose inner loops are static;
//        2. a block consists of tiles of a few vectors. A tile loads, computes the bodies of all stages, and stores;
//        3. a reduction in a tile keeps its accumulators in registers;
//        4. if the contiguous loop reduces, the lanes of a vector are combined at the end.

#include "codegen/cpu/Combiner.h"
#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/VectorBody.h"
#include "codegen/cpu/nest/NestLoops.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

/// Smallest cost of a body that keeps one vector in flight if there are few registers.
constexpr unsigned kHeavy = 100;
constexpr size_t kMaxRegions = 49;

class NestEmitter : private NestLoops {
public:
  NestEmitter(const KernelForm &form, const NestStages &collected, KernelFunction &function)
      : NestLoops(form, collected, function) {}

  LogicalResult run();

private:
  // 1. Units and blocks
  LogicalResult analyze();
  int64_t countVectors(const Nest &region) const;
  void chooseUnrolling(const NestRegion &largest);

  // 2. Tiles
  void emitTiles();
  void emitTile(ArrayRef<Cell> cells);
  SmallVector<Value> gatherInputs(const Stage &stage, const Cell &cell, unsigned cellIndex);
  void evaluateStages(ArrayRef<Cell> cells, unsigned first);
  void storeStages(ArrayRef<Cell> cells);

  // 3. and 4. Reductions
  SmallVector<Value> emitStep(unsigned stage, ArrayRef<Cell> cells, ValueRange accumulators);
  void reduceVertically(unsigned stage, ArrayRef<Cell> cells);
  void emitHorizontally();
  void reduceRows(int64_t rows);
  SmallVector<Combiner> combinersOf(unsigned stage, int64_t accumulators) const;

  SmallVector<NestRegion> regions;
  SmallVector<int64_t> iterationsOfRegions;            ///< Number of unrolled iterations of each region
  SmallVector<SmallVector<Combiner>> combiners;        ///< Combiners of each stage's results, if it reduces
  unsigned vectors = 4;                                ///< Number of vectors in a tile
  int64_t chains = 1;                                  ///< Number of accumulators of a row whose lanes are combined
  SmallVector<SmallVector<SmallVector<Value>>> values; ///< Values by stage, result and cell
};

//===----------------------------------------------------------------------===//
// 1. Units and blocks
//===----------------------------------------------------------------------===//

LogicalResult NestEmitter::analyze() {
  combiners.resize(stages.size());
  for (auto [index, stage] : llvm::enumerate(stages)) {
    const bool walksReduced = llvm::any_of(llvm::zip_equal(whole.loops, stage.walks),
                                           [](auto pair) { return !std::get<0>(pair).parallel && std::get<1>(pair); });
    // A later stage may reduce the windows of the first stage again, to find the codes of maxima.
    const bool isAgain = stage.reduces && stage.walks == stages.front().walks && stage.keeps == stages.front().keeps;
    if (index > 0 && walksReduced && !isAgain)
      return failure();
    for (unsigned result = 0; stage.reduces && result < stage.results.size(); ++result) {
      std::optional<Combiner> combiner = Combiner::find(*stage.body, result);
      if (!combiner || !stage.results[result].start)
        return failure();
      combiners[index].push_back(*combiner);
    }
  }
  const unsigned sideBySide = builder.target.vectors.sideBySide;
  if (cost >= kTranscendental)
    vectors = cost >= kHeavy && sideBySide <= 2 ? 1 : sideBySide;
  else if (stages.front().reduces)
    vectors = 8;
  vectors = std::max(1u, vectors / widenForBytes());
  if (vectors > 1)
    vectors /= widenForHalves();

  std::optional<SmallVector<NestRegion>> divided = divideWindows(whole, cut, kMaxRegions);
  if (!divided)
    return failure();
  regions = std::move(*divided);
  return failure(llvm::count_if(stages, [](const Stage &stage) { return stage.reduces; }) > 1 &&
                 llvm::any_of(regions, [&](const NestRegion &region) { return foldsLanes(region.nest, vectors); }));
}

/// Returns the number of vectors that are emitted for `region`. It counts the vectors of a tile, of its tails and of
/// remaining rows, for each block and each unrolled iteration.
int64_t NestEmitter::countVectors(const Nest &region) const {
  int64_t total = 0;
  if (region.countPoints(true) == 0)
    return total;
  for (int64_t block : chooseBlocks(region, vectors)) {
    const Nest taken = takeBlock(region, cut, block);
    const VectorChoice vectorLoop = chooseVectorLoop(taken);
    const int64_t count = vectorLoop.loop ? std::max<int64_t>(1, taken.loops[*vectorLoop.loop].size) : 1;
    const int64_t inRow = llvm::divideCeil(count, width), tile = std::min<int64_t>(vectors, inRow);
    const int64_t written = tile + cutIntoPieces(count % (tile * width), width, masks).size();
    const int64_t rows = std::max<int64_t>(1, vectors / inRow);
    total += written * (rows > 1 ? 2 * rows - 1 : 1) * countUnrolled(taken, vectorLoop);
  }
  return total;
}

/// Chooses how many iterations are unrolled. If a pool's windows may leave the image in every direction, the pool has
/// many regions, each with separate code. The small regions at the borders unroll one row of a window at a time.
void NestEmitter::chooseUnrolling(const NestRegion &largest) {
  constexpr int64_t kMostVectors = 200; // About 12 KiB; no pool was faster with more.
  constexpr int64_t kIterationsOfBorders = 4;
  auto unroll = [&](int64_t most) {
    int64_t total = 0;
    iterationsOfRegions.clear();
    for (const NestRegion &region : regions) {
      unrolledIterations = &region == &largest ? most : std::min(most, kIterationsOfBorders);
      iterationsOfRegions.push_back(unrolledIterations);
      total += countVectors(withoutParts(region.nest));
    }
    return total;
  };
  for (int64_t most = unrolledIterations; unroll(most) > kMostVectors && most > 1;)
    most /= 2;
}

LogicalResult NestEmitter::run() {
  if (failed(analyze()))
    return failure();
  const NestRegion &largest = *llvm::max_element(regions, [](const NestRegion &a, const NestRegion &b) {
    return a.nest.countPoints(true) < b.nest.countPoints(true);
  });
  divideIntoUnits(estimateIndexCost(/*sweeps=*/1), chooseBlocks(largest.nest, vectors).front());
  chooseUnrolling(largest);
  emitUnits([&](Value low, Value high) {
    for (auto [region, iterations] : llvm::zip_equal(regions, iterationsOfRegions)) {
      unrolledIterations = iterations;
      Value begin = region.cutBegin == 0 ? low : emitMax(builder, low, builder.index(region.cutBegin));
      const bool last = !cut || region.cutEnd == form.cutExtent;
      Value end = last ? high : emitMin(builder, high, builder.index(region.cutEnd));
      emitBlocks(region.nest, chooseBlocks(withoutParts(region.nest), vectors), begin, end, [&] {
        values.assign(stages.size(), {});
        if (choice.horizontal)
          emitHorizontally();
        else
          emitTiles();
      });
    }
  });
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Tiles
//===----------------------------------------------------------------------===//

void NestEmitter::emitTiles() {
  const int64_t count = choice.loop ? nest.loops[*choice.loop].size : 1;
  const int64_t inRow = llvm::divideCeil(count, width);
  const int64_t step = std::min<int64_t>(vectors, inRow) * width, main = count / step * step;
  // If rows are short, a tile has several rows.
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
  evaluateStages(cells, 0);
  storeStages(cells);
  loaded.clear();
}

/// Returns the arguments of the body of `stage` except the accumulators.
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
    if (stage.reduces) {
      reduceVertically(index, cells);
      continue;
    }
    // Emit all loads before all arithmetic.
    SmallVector<SmallVector<Value>> arguments;
    for (auto [cellIndex, cell] : llvm::enumerate(cells))
      arguments.push_back(gatherInputs(stage, cell, cellIndex));
    values[index].assign(stage.results.size(), {});
    for (auto [cellIndex, cell] : llvm::enumerate(cells)) {
      SmallVector<Value> results = computeMap(stage, std::move(arguments[cellIndex]), cell.piece.width);
      for (auto [result, value] : llvm::enumerate(results))
        values[index][result].push_back(value);
    }
  }
}

void NestEmitter::storeStages(ArrayRef<Cell> cells) {
  for (auto [index, stage] : llvm::enumerate(stages))
    for (auto [result, described] : llvm::enumerate(stage.results))
      if (described.operand)
        for (auto [cell, value] : llvm::zip_equal(cells, values[index][result]))
          store(*described.operand, cell, value);
}

//===----------------------------------------------------------------------===//
// 3. Accumulators in registers
//===----------------------------------------------------------------------===//

/// Emits one step of a stage in every cell. `accumulators` are ordered by cell, then by result.
SmallVector<Value> NestEmitter::emitStep(unsigned number, ArrayRef<Cell> cells, ValueRange accumulators) {
  const Stage &stage = stages[number];
  const size_t results = combiners[number].size();
  loaded.clear();
  SmallVector<SmallVector<Value>> arguments;
  for (auto [index, cell] : llvm::enumerate(cells))
    arguments.push_back(gatherInputs(stage, cell, index));
  SmallVector<Value> stepped;
  for (auto [index, cell] : llvm::enumerate(cells)) {
    llvm::append_range(arguments[index], accumulators.slice(index * results, results));
    for (Value value : inlineBody(builder, *stage.body, arguments[index], cell.piece.width))
      stepped.push_back(builder.broadcast(value, cell.piece.width));
  }
  return stepped;
}

/// Returns the combiners of all results of `stage`, repeated for each of `accumulators` accumulators.
SmallVector<Combiner> NestEmitter::combinersOf(unsigned stage, int64_t accumulators) const {
  SmallVector<Combiner> all;
  for (int64_t i = 0; i < accumulators; ++i)
    llvm::append_range(all, combiners[stage]);
  return all;
}

void NestEmitter::reduceVertically(unsigned number, ArrayRef<Cell> cells) {
  const Stage &stage = stages[number];
  SmallVector<Value> accumulators;
  for (const Cell &cell : cells)
    for (const StageResult &result : stage.results)
      accumulators.push_back(builder.broadcast(builder.constant(result.start), cell.piece.width));
  accumulators = emitReducingLoops(0, accumulators, combinersOf(number, cells.size()), /*times=*/1,
                                   [&](ValueRange carried) { return emitStep(number, cells, carried); });
  values[number].assign(stage.results.size(), {});
  for (auto [index, value] : llvm::enumerate(accumulators))
    values[number][index % stage.results.size()].push_back(value);
  loaded.clear();
}

//===----------------------------------------------------------------------===//
// 4. Lanes that are folded
//===----------------------------------------------------------------------===//

void NestEmitter::emitHorizontally() {
  const llvm::SaveAndRestore narrowed(width, sumWidth);
  // Use enough accumulators to hide the latency of an addition. If rows are short, the accumulators of several rows
  // count.
  const int64_t accumulators = cost >= kTranscendental ? 2 : 8;
  const int64_t inRow = std::max<int64_t>(1, nest.loops[*choice.loop].size / width);
  chains = std::min<int64_t>({4, accumulators, inRow});
  const int64_t rows = rowLoop ? std::clamp<int64_t>(accumulators / chains, 1, nest.loops[*rowLoop].size) : 1;
  emitParallelLoops(0, [&] { emitRowLoop(rows, [&](int64_t count) { reduceRows(count); }); });
}

void NestEmitter::reduceRows(int64_t rows) {
  const SmallVector<Combiner> &combiners = this->combiners.front();
  const unsigned results = combiners.size();
  const SmallVector<Value> accumulators = reduceLines(
      rows, chains, combiners, [&](ArrayRef<Cell> cells, ValueRange carried) { return emitStep(0, cells, carried); });

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
      values.front()[result].push_back(combiner.foldLanes(builder, chain.front(), stage.results[result].start));
    }
  loaded.clear();
  SmallVector<Cell> cells;
  for (int64_t row = 0; row < rows; ++row)
    cells.push_back({row, {0, 1, 1}});
  evaluateStages(cells, 1);
  storeStages(cells);
}

} // namespace

LogicalResult emitNest(plan::KernelOp kernel, KernelFunction &function) {
  return emitStages<NestEmitter>(kernel, function);
}

} // namespace nacre::codegen::cpu
