// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits rows: softmax, normalizations, and the operators fused before and after them.
// Why:   a row stays in the first-level cache between sweeps, so that each sweep costs only arithmetic.
// How:   1. units of rows, which are processed in the sweeps that RowSweeps.h plans;
//        2. a tile is a few rows whose columns are vectors. If the columns are strided, a tile is a few vectors of
//           rows;
//        3. a sweep goes over the columns, with the accumulators of its reductions in registers;
//        4. between sweeps, stages with one value for each row are computed.

#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/VectorBody.h"
#include "codegen/cpu/nest/NestLoops.h"
#include "codegen/cpu/nest/RowSweeps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

/// Cell of a step, and the line (a row, or a vector of rows) to which its reductions belong.
struct LineCell {
  unsigned line;
  Cell cell;
};

class RowEmitter : private NestLoops {
public:
  RowEmitter(const KernelForm &form, const NestStages &collected, KernelFunction &function)
      : NestLoops(form, collected, function) {}

  LogicalResult run();

private:
  // 2. Tiles
  void emitTiles();
  void emitTile(ArrayRef<Cell> lines);

  // 3. A sweep
  void emitSweep(unsigned sweep, ArrayRef<Cell> lines);
  SmallVector<Value> emitStep(unsigned sweep, ArrayRef<LineCell> cells, ArrayRef<unsigned> reductions,
                              ValueRange accumulators);
  Value evaluate(unsigned stage, unsigned result, const LineCell &cell);
  SmallVector<Value> gatherInputs(const Stage &stage, const LineCell &cell);
  Value scratchAddress(const RowRole &role, const LineCell &cell);
  unsigned vectorsInFlight(unsigned sweep) const;

  // 4. Between sweeps
  void finishReductions(ArrayRef<unsigned> reductions, unsigned lines, int64_t chains, ValueRange accumulators);
  void evaluateRowValues(unsigned sweep, ArrayRef<Cell> lines);

  RowSweeps sweeps;
  int64_t columns = 1;
  llvm::DenseMap<Type, Value> memory; ///< Scratch as elements of 32 bits, by element type
  int64_t lineElements = 0;           ///< Number of elements of a scratch array for each line
  unsigned maxLines = 1;

  // The current tile.
  unsigned current = 0;                                        ///< Index of the current sweep
  SmallVector<SmallVector<SmallVector<Value>>> rowValues;      ///< Values by stage, result and line
  llvm::DenseMap<std::pair<unsigned, unsigned>, Value> atCell; ///< Values by stage and result, in the current cell
};

//===----------------------------------------------------------------------===//
// 1. Units
//===----------------------------------------------------------------------===//

LogicalResult RowEmitter::run() {
  FailureOr<RowSweeps> planned = planSweeps(whole, stages);
  if (failed(planned))
    return failure();
  sweeps = std::move(*planned);
  columns = whole.countPoints(false);
  maxLines = builder.target.vectors.sideBySide;
  // Blocks of the cut axis: rows that make a tile, or single rows. If columns are strided, vectors of rows.
  SmallVector<int64_t> blocks;
  if (cut) {
    const int64_t extent = whole.loops[*cut].size;
    const bool vectorized = chooseVectorLoop(withoutParts(whole)).loop == cut;
    const int64_t rest = takeBlock(whole, cut, 1).countPoints(true);
    if (vectorized)
      blocks = {std::min<int64_t>(maxLines * width, extent), std::min<int64_t>(width, extent)};
    else if (rest < maxLines)
      blocks = {std::min<int64_t>(maxLines, extent)};
    if (blocks.empty() || blocks.back() != 1)
      blocks.push_back(1);
    if (blocks.size() > 1 && blocks[0] == blocks[1])
      blocks.erase(blocks.begin());
  }
  divideIntoUnits(estimateIndexCost(sweeps.last + 1), blocks.empty() ? 1 : blocks.front());
  emitUnits([&](Value low, Value high) { emitBlocks(whole, blocks, low, high, [&] { emitTiles(); }); });
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Tiles
//===----------------------------------------------------------------------===//

void RowEmitter::emitTiles() {
  if (sweeps.arrays > 0) {
    // Rows of scratch begin on a cache line.
    lineElements = llvm::alignTo(columns * (choice.horizontal ? 1 : width), 16);
    const int64_t elements = sweeps.arrays * maxLines * lineElements;
    function.scratchBytes = std::max<uint64_t>(function.scratchBytes, elements * sizeof(float));
    for (auto [stage, role] : llvm::zip_equal(stages, sweeps.roles))
      if (auto type = MemRefType::get({elements}, stage.results[0].elementType); role.keptFrom)
        memory[type.getElementType()] =
            memref::ViewOp::create(builder.ops, builder.loc, type, function.scratch, builder.index(0), ValueRange());
  }
  if (choice.horizontal || !choice.loop) {
    const int64_t rows = rowLoop ? std::min<int64_t>(maxLines, nest.loops[*rowLoop].size) : 1;
    emitParallelLoops(0, [&] {
      emitRowLoop(rows, [&](int64_t count) {
        SmallVector<Cell> lines;
        for (int64_t row = 0; row < count; ++row)
          lines.push_back({row, {0, 1, 1}});
        emitTile(lines);
      });
    });
    return;
  }
  // Lines are vectors along the loop, so that cells need no rows.
  rowLoop.reset();
  const int64_t size = nest.loops[*choice.loop].size,
                step = std::min<int64_t>(maxLines * width, llvm::alignTo(size, width));
  const int64_t main = size / step * step;
  auto emitPieces = [&](int64_t elements) {
    SmallVector<Cell> lines;
    for (const Piece &piece : cutIntoPieces(elements, width, masks)) {
      lines.push_back({0, piece});
      if (lines.size() == maxLines) {
        emitTile(lines);
        lines.clear();
      }
    }
    if (!lines.empty())
      emitTile(lines);
  };
  emitParallelLoops(0, [&] {
    builder.loop(0, main, step, [&](Position counter) {
      at[*choice.loop] = counter;
      emitPieces(step);
    });
    at[*choice.loop] = {Value(), main};
    emitPieces(size - main);
  });
}

void RowEmitter::emitTile(ArrayRef<Cell> lines) {
  rowValues.assign(stages.size(), {});
  loaded.clear();
  for (unsigned sweep = 0; sweep <= sweeps.last; ++sweep) {
    evaluateRowValues(sweep, lines);
    emitSweep(sweep, lines);
  }
  for (auto [index, stage] : llvm::enumerate(stages))
    for (auto [result, described] : llvm::enumerate(stage.results))
      if (described.operand && sweeps.roles[index].perRow)
        for (auto [cell, value] : llvm::zip_equal(lines, rowValues[index][result]))
          store(*described.operand, cell, value);
  loaded.clear();
}

//===----------------------------------------------------------------------===//
// 3. A sweep
//===----------------------------------------------------------------------===//

unsigned RowEmitter::vectorsInFlight(unsigned sweep) const {
  return builder.target.vectors.sideBySide * (computesTranscendentals(sweeps, stages, sweep) ? 1 : 4);
}

void RowEmitter::emitSweep(unsigned sweep, ArrayRef<Cell> lines) {
  current = sweep;
  SmallVector<unsigned> reductions;
  for (auto [index, stage] : llvm::enumerate(stages))
    if (stage.reduces && sweeps.roles[index].sweep == sweep)
      reductions.push_back(index);
  const bool writes = sweep == sweeps.last && llvm::any_of(llvm::zip_equal(stages, sweeps.roles), [](auto pair) {
                        return !std::get<1>(pair).perRow && std::get<0>(pair).isWritten();
                      });
  if (reductions.empty() && !writes)
    return;

  // If columns are strided, each column is one step of all lines.
  if (!choice.horizontal) {
    SmallVector<LineCell> cells;
    SmallVector<Value> accumulators;
    for (auto [line, cell] : llvm::enumerate(lines)) {
      cells.push_back({unsigned(line), cell});
      for (unsigned stage : reductions)
        for (const StageResult &result : stages[stage].results)
          accumulators.push_back(builder.broadcast(builder.constant(result.start), cell.piece.width));
    }
    accumulators = emitReducingLoops(0, accumulators, sweeps.combinersOf(reductions, lines.size()), /*times=*/1,
                                     [&](ValueRange carried) { return emitStep(sweep, cells, reductions, carried); });
    finishReductions(reductions, lines.size(), 1, accumulators);
    return;
  }

  const unsigned lineCount = lines.size();
  const int64_t size = nest.loops[*choice.loop].size;
  // Each line has as many chains as in a tile of the most lines. The order of its sums then does not depend on the
  // division of the work.
  const int64_t mostLines = std::min<int64_t>(maxLines, whole.countPoints(true));
  const int64_t chains = std::max<int64_t>(1, std::min<int64_t>(vectorsInFlight(sweep) / mostLines, size / width));
  SmallVector<Value> accumulators =
      reduceLines(lineCount, chains, sweeps.combinersOf(reductions, 1), [&](ArrayRef<Cell> cells, ValueRange carried) {
        auto ofLines = llvm::map_to_vector(cells, [](const Cell &cell) { return LineCell{unsigned(cell.row), cell}; });
        return emitStep(sweep, ofLines, reductions, carried);
      });
  finishReductions(reductions, lineCount, chains, accumulators);
}

/// Emits one step. `accumulators` are ordered by cell, then by reduction and result.
SmallVector<Value> RowEmitter::emitStep(unsigned sweep, ArrayRef<LineCell> cells, ArrayRef<unsigned> reductions,
                                        ValueRange accumulators) {
  loaded.clear();
  SmallVector<Value> stepped;
  const unsigned perCell = cells.empty() ? 0 : accumulators.size() / cells.size();
  for (auto [index, cell] : llvm::enumerate(cells)) {
    atCell.clear();
    ValueRange own = accumulators.slice(index * perCell, perCell);
    const unsigned lanes = cell.cell.piece.width;
    for (unsigned stage : reductions) {
      SmallVector<Value> arguments = gatherInputs(stages[stage], cell);
      const unsigned results = stages[stage].results.size();
      llvm::append_range(arguments, own.take_front(results));
      own = own.drop_front(results);
      for (Value value : inlineBody(builder, *stages[stage].body, arguments, lanes, sweeps.roles[stage].hints))
        stepped.push_back(builder.broadcast(value, lanes));
    }
    if (sweep != sweeps.last)
      continue;
    for (auto [stageIndex, stage] : llvm::enumerate(stages))
      for (auto [result, described] : llvm::enumerate(stage.results))
        if (described.operand && !sweeps.roles[stageIndex].perRow)
          store(*described.operand, cell.cell, evaluate(stageIndex, result, cell));
  }
  return stepped;
}

SmallVector<Value> RowEmitter::gatherInputs(const Stage &stage, const LineCell &cell) {
  SmallVector<Value> arguments;
  for (const StageInput &input : stage.inputs) {
    if (input.operand)
      arguments.push_back(load(*input.operand, cell.cell));
    else
      arguments.push_back(input.unread ? Value() : evaluate(input.stage, input.result, cell));
  }
  return arguments;
}

Value RowEmitter::evaluate(unsigned index, unsigned result, const LineCell &cell) {
  const Stage &stage = stages[index];
  const RowRole &role = sweeps.roles[index];
  if (role.perRow)
    return rowValues[index][result][cell.line];
  if (Value known = atCell.lookup({index, result}))
    return known;
  const Piece piece = cell.cell.piece;
  Value scratch = memory.lookup(stage.results[0].elementType);
  if (role.keptFrom && *role.keptFrom < current)
    return atCell[{index, result}] = builder.load(scratch, scratchAddress(role, cell), piece);

  SmallVector<Value> results = computeMap(stage, gatherInputs(stage, cell), piece.width, role.hints);
  for (auto [position, value] : llvm::enumerate(results))
    atCell[{index, unsigned(position)}] = value;
  if (role.keptFrom)
    builder.store(builder.broadcast(results[0], piece.width), scratch, scratchAddress(role, cell), piece);
  return results[result];
}

/// Returns an address in a scratch array. The array is [line][column], or [line][column][lane] if lines are vectors.
Value RowEmitter::scratchAddress(const RowRole &role, const LineCell &cell) {
  SmallVector<Position> positions;
  SmallVector<int64_t> strides;
  int64_t stride = choice.horizontal ? 1 : width;
  for (unsigned loop = nest.loops.size(); loop-- > 0;)
    if (!nest.loops[loop].parallel) {
      positions.push_back(loop == choice.loop ? at[loop] + cell.cell.piece.offset : at[loop]);
      strides.push_back(stride);
      stride *= nest.loops[loop].size;
    }
  return builder.address(positions, strides, (role.scratch * maxLines + cell.line) * lineElements);
}

//===----------------------------------------------------------------------===//
// 4. Between sweeps
//===----------------------------------------------------------------------===//

/// Combines `accumulators`, which are ordered by line, chain, reduction and result.
void RowEmitter::finishReductions(ArrayRef<unsigned> reductions, unsigned lines, int64_t chains,
                                  ValueRange accumulators) {
  unsigned perChain = 0;
  for (unsigned stage : reductions)
    perChain += stages[stage].results.size();
  unsigned position = 0;
  for (unsigned stage : reductions) {
    rowValues[stage].assign(stages[stage].results.size(), {});
    for (auto [result, described] : llvm::enumerate(stages[stage].results)) {
      const Combiner &combiner = sweeps.combiners[stage][result];
      for (unsigned line = 0; line < lines; ++line) {
        Value value = accumulators[line * chains * perChain + position];
        for (int64_t chain = 1; chain < chains; ++chain)
          value = combiner.combine(builder, value, accumulators[(line * chains + chain) * perChain + position]);
        if (choice.horizontal)
          value = combiner.foldLanes(builder, value, described.start);
        rowValues[stage][result].push_back(value);
      }
      ++position;
    }
  }
}

/// Computes the maps of one value per row that `sweep` may need.
void RowEmitter::evaluateRowValues(unsigned sweep, ArrayRef<Cell> lines) {
  current = sweep;
  loaded.clear();
  for (auto [index, stage] : llvm::enumerate(stages)) {
    const RowRole &role = sweeps.roles[index];
    if (!role.perRow || stage.reduces || role.sweep != sweep)
      continue;
    rowValues[index].assign(stage.results.size(), {});
    for (auto [line, cell] : llvm::enumerate(lines)) {
      SmallVector<Value> arguments = gatherInputs(stage, {unsigned(line), cell});
      SmallVector<Value> results = computeMap(stage, std::move(arguments), cell.piece.width, role.hints);
      for (auto [result, value] : llvm::enumerate(results))
        rowValues[index][result].push_back(value);
    }
  }
}

} // namespace

LogicalResult emitRow(plan::KernelOp kernel, KernelFunction &function) {
  return emitStages<RowEmitter>(kernel, function);
}

} // namespace nacre::codegen::cpu
