// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the emitter of attention: for some rows of queries, scores, their softmax, and the values weighted by it.
// Why:   scores of a few rows stay in the second-level cache, and no matrix of them is ever in memory.
// How:   1. a unit is some rows of one batch (a head);
//        2. it packs keys and values into panels, in scratch; 3. for a block of rows: the product of scores into scratch,
//        4. the sweeps over each row of them, in place, 5. the product with the values, from there into the result.

#include "codegen/cpu/Combiner.h"
#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/Halo.h"
#include "codegen/cpu/Units.h"
#include "codegen/cpu/VectorBody.h"
#include "codegen/cpu/contraction/PackColumns.h"
#include "codegen/cpu/contraction/PanelWalk.h"
#include "codegen/form/AttentionForm.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

class AttentionEmitter {
public:
  AttentionEmitter(KernelFunction &function, const AttentionForm &form)
      : function(function), build(function), form(form), type(build.ops.getF32Type()),
        machine(machineOf(build.target, productsOf(type))), lanes(machine.lanes) {}

  LogicalResult emit() {
    for (const Work &sweep : form.sweeps)
      if (!sweep.allParallel() && !Combiner::find(*sweep.body, 0))
        return failure();
    divide();
    build.loop(function.begin, function.end, 1, [&](Position unit) { emitUnit(unit.counter); });
    return success();
  }

private:
  using Index = AttentionForm::Index;

  Value scaled(Value value, int64_t by) { return build.address({{value, 0}}, {by}, 0); }
  Value sum(Value a, Value b) { return build.address({{a, 0}, {b, 0}}, {1, 1}, 0); }
  Value difference(Value a, Value b) {
    return arith::SubIOp::create(build.ops, build.loc, a, b, arith::IntegerOverflowFlags::nsw);
  }
  Value bufferOf(Index index) const { return function.buffers[form.operands[index].argument]; }

  //===--------------------------------------------------------------------===//
  // 1. Units
  //===--------------------------------------------------------------------===//

  void divide() {
    constexpr int64_t wantedUnits = 16, leastRows = 96; // fewer do not pay for the panels
    const int64_t most = std::max<int64_t>(1, form.rows.size / leastRows);
    const int64_t blocks = std::clamp<int64_t>(llvm::divideCeil(wantedUnits, form.numBatches()), 1, most);
    rowsOfUnit = llvm::divideCeil(form.rows.size, blocks);
    rowBlocks = llvm::divideCeil(form.rows.size, rowsOfUnit);
    function.unitExtent = form.cutBatch ? 1 : rowsOfUnit;
    function.unitsPerBlock = form.numBatches();
    if (form.cutBatch)
      function.unitsPerBlock = function.unitsPerBlock / form.batches[*form.cutBatch].size * rowBlocks;
    function.flops = 2 * form.multiplyAdds();
    function.unitCost = machine.nanosecondsOf(function.flops / double(form.numBatches() * rowBlocks));
    chooseBlock();
  }

  /// Rows whose scores fill a quarter of the second-level cache at most, and the distance between them there.
  void chooseBlock() {
    constexpr int64_t line = kLineBytes / 4, wantedRows = 32;
    pitch = (llvm::divideCeil(int64_t(llvm::alignTo(form.keys.size, machine.registers * lanes)), line) | 1) * line;
    const int64_t fitting = int64_t(build.target.model.l2Bytes / 4) / (pitch * 4);
    // However few rows there are, panels are those of many: wide ones, for a single row to stream, take longer to pack.
    ContractionShape shape;
    shape.rows = std::clamp<int64_t>(fitting, 1, wantedRows);
    shape.columns = form.keys.size;
    shape.depth = form.depth.size;
    keyWidth = choosePanelWidth(machine, shape);
    pitch = (llvm::divideCeil(int64_t(llvm::alignTo(form.keys.size, keyWidth)), line) | 1) * line;
    shape.rowBytes = pitch * 4;
    shape.columns = form.columns.size;
    shape.depth = form.keys.size;
    valueWidth = choosePanelWidth(machine, shape);
    const int64_t tile = splitRun(machine, shape.rows, valueWidth / lanes, shape.depth).rows;
    block = std::min(rowsOfUnit, std::max<int64_t>(1, shape.rows / tile) * tile);
  }

  void emitUnit(Value unit) {
    Value low = sum(function.shareBegin, scaled(build.divide(unit, function.unitsPerBlock), function.unitExtent));
    Value high = emitMin(build, build.add(low, function.unitExtent), function.shareEnd);
    Value part = build.remainder(unit, function.unitsPerBlock);
    emitHaloOfFirst(build, part, bufferOf(Index::Result), *form.written, form.kernel->cutAxis, low, high);

    batch.assign(form.batches.size(), Value());
    for (unsigned number = form.batches.size(); number-- > 0;) {
      if (form.cutBatch == number) {
        batch[number] = low;
        continue;
      }
      batch[number] = build.remainder(part, form.batches[number].size);
      part = build.divide(part, form.batches[number].size);
    }
    Value firstRow = low, endRow = high;
    if (form.cutBatch) {
      firstRow = scaled(part, rowsOfUnit);
      endRow = emitMin(build, build.add(firstRow, rowsOfUnit), build.index(form.rows.size));
    }
    packedKeys = pack(Index::Keys, form.depth, form.keys, keyWidth);
    packedValues = pack(Index::Values, form.keys, form.columns, valueWidth);
    scores = allocateScratch(function, build, block * pitch, type);
    function.buffers.append({scores, packedKeys.buffer, packedValues.buffer});
    build.loop(firstRow, endRow, block, [&](Position row) {
      Value first = build.address({row}, {1}, 0);
      Value count = emitMin(build, difference(endRow, first), build.index(block));
      emitScores(first, count);
      build.loop(build.index(0), count, 1, [&](Position inBlock) { emitSweeps(first, inBlock); });
      emitResult(first, count);
    });
    function.buffers.pop_back_n(3);
  }

  /// Where `index` begins in the unit's batch.
  Value baseOf(Index index) {
    Value base = build.index(form.operands[index].offset);
    for (auto [number, loop] : llvm::enumerate(form.batches))
      base = build.address({{base, 0}, {batch[number], 0}}, {1, loop.strides[index]}, 0);
    return base;
  }

  //===--------------------------------------------------------------------===//
  // 2. Panels
  //===--------------------------------------------------------------------===//

  /// The unit's `index` in panels of `width`, of f32.
  PackedColumns pack(Index index, const ContractionLoop &depth, const ContractionLoop &columns, int64_t width) {
    return packColumns(function, build, {bufferOf(index), baseOf(index)}, {depth.size, depth.strides[index]},
                       {columns.size, columns.strides[index]}, width, type);
  }

  //===--------------------------------------------------------------------===//
  // 3. and 5. Products
  //===--------------------------------------------------------------------===//

  /// Of `count` rows with all panels of `packed`.
  void emitProduct(LoopedContraction &product, const PackedColumns &packed, int64_t columns, Addresses at,
                   Value count) {
    product.accumulatorType = type;
    product.columns = {columns, {0, 1, 1}};
    product.cut = LoopedContraction::Cut::Rows;
    product.cutExtent = block;
    PanelWalk walk;
    walk.panel = {packed.buffer, packed.width, {packed.width}};
    walk.cutLow = build.index(0);
    walk.cutHigh = count;
    walk.cutExtent = walk.cutMost = block;
    auto panel = [&](Position number, int64_t valid) {
      walk.columns = valid;
      Addresses there = at;
      there[Contraction::Rhs] = build.address({number}, {packed.stride}, 0);
      there[Contraction::Result] = build.address({{at[Contraction::Result], 0}, number}, {1, packed.width}, 0);
      emitPanelWalk(function, build, product, walk, there);
    };
    const int64_t whole = columns / packed.width;
    build.loop(0, whole, 1, [&](Position number) { panel(number, packed.width); });
    if (columns % packed.width != 0)
      panel({Value(), whole}, columns % packed.width);
  }

  ContractionOperand inScratch(unsigned fromEnd) const {
    return {unsigned(function.buffers.size() - fromEnd), 0, type};
  }

  Value rowOf(Index index, Value row) {
    return build.address({{baseOf(index), 0}, {row, 0}}, {1, form.rows.strides[index]}, 0);
  }

  void emitScores(Value first, Value count) {
    LoopedContraction product;
    product.operands = {form.operands[Index::Queries], inScratch(2), inScratch(3)};
    product.rows = {{rowsOfUnit, {form.rows.strides[Index::Queries], 0, pitch}}};
    product.depth = {{form.depth.size, {form.depth.strides[Index::Queries], packedKeys.width, 0}}};
    emitProduct(product, packedKeys, form.keys.size, {rowOf(Index::Queries, first), Value(), build.index(0)}, count);
  }

  void emitResult(Value first, Value count) {
    LoopedContraction product;
    product.operands = {inScratch(3), inScratch(1), form.operands[Index::Result]};
    product.rows = {{rowsOfUnit, {pitch, 0, form.rows.strides[Index::Result]}}};
    product.depth = {{form.keys.size, {1, packedValues.width, 0}}};
    product.epilogue = form.epilogue;
    product.productInputs = {0};
    emitProduct(product, packedValues, form.columns.size, {build.index(0), Value(), rowOf(Index::Result, first)},
                count);
  }

  //===--------------------------------------------------------------------===//
  // 4. Sweeps
  //===--------------------------------------------------------------------===//

  /// A pass over a row: scores that are computed anew, if any, and what is reduced of them.
  struct Pass {
    const Work *map = nullptr;
    SmallVector<unsigned> reductions; ///< Numbers of sweeps.
  };

  SmallVector<Pass> passes() const {
    SmallVector<Pass> result;
    for (auto [number, sweep] : llvm::enumerate(form.sweeps)) {
      if (sweep.allParallel() || result.empty())
        result.push_back({});
      if (sweep.allParallel())
        result.back().map = &sweep;
      else
        result.back().reductions.push_back(number);
    }
    return result;
  }

  void emitSweeps(Value first, Position inBlock) {
    rowValues.assign(form.sweeps.size(), Value());
    Value row = build.address({{first, 0}, inBlock}, {1, 1}, 0), at = build.address({inBlock}, {pitch}, 0);
    for (const Pass &pass : passes()) {
      SmallVector<Combiner> combiners;
      SmallVector<Value> carried;
      for (unsigned number : pass.reductions) {
        combiners.push_back(*Combiner::find(*form.sweeps[number].body, 0));
        combiners.back().nanReturns = isa<arith::MaximumFOp>(combiners.back().op); // every weight meets the NaN again
        carried.push_back(build.broadcast(build.constant(combiners.back().identity), lanes));
      }
      const int64_t keys = form.keys.size, whole = keys - keys % lanes;
      SmallVector<Value> folded = reduceInLoop(
          build, whole, lanes, /*timesPerTurn=*/1, carried, combiners,
          [&](Position key, ValueRange values) { return step(pass, row, at, key, {0, lanes, lanes}, values); });
      for (const Piece &piece : cutIntoPieces(keys - whole, lanes, hasMasks(build.target, 32))) {
        SmallVector<Value> start;
        for (const Combiner &combiner : combiners)
          start.push_back(build.broadcast(build.constant(combiner.identity), piece.width));
        SmallVector<Value> last =
            step(pass, row, at, {Value(), whole + piece.offset}, {0, piece.lanes, piece.width}, start);
        for (auto [number, combiner] : llvm::enumerate(combiners)) {
          Value identity = build.broadcast(build.constant(combiner.identity), lanes);
          folded[number] = combiner.combine(build, folded[number], build.widen(last[number], piece, identity, lanes));
        }
      }
      for (auto [number, combiner, value] : llvm::zip_equal(pass.reductions, combiners, folded))
        rowValues[number] = combiner.foldLanes(build, value, form.sweeps[number].results.front().start);
    }
  }

  /// The scores `piece` of a row from `key` on.
  SmallVector<Value> step(const Pass &pass, Value row, Value at, Position key, Piece piece, ValueRange carried) {
    Value address = build.address({{at, 0}, key}, {1, 1}, 0);
    Value value = build.load(scores, address, piece);
    if (pass.map) {
      SmallVector<Value> arguments = inputsOf(*pass.map, value, row, key, piece);
      arguments.push_back(Value()); // a map reads no accumulator
      value = inlineBody(build, *pass.map->body, arguments, piece.width, hintsOf(*pass.map)).front();
      value = build.broadcast(value, piece.width);
      build.store(value, scores, address, piece);
    }
    SmallVector<Value> next;
    for (auto [number, accumulator] : llvm::zip_equal(pass.reductions, carried)) {
      const Work &sweep = form.sweeps[number];
      SmallVector<Value> arguments = inputsOf(sweep, value, row, key, piece);
      arguments.push_back(accumulator);
      BodyHints hints;
      hints.nanReturns = true;
      next.push_back(
          build.broadcast(inlineBody(build, *sweep.body, arguments, piece.width, hints).front(), piece.width));
    }
    return next;
  }

  SmallVector<Value> inputsOf(const Work &sweep, Value score, Value row, Position key, Piece piece) {
    SmallVector<Value> values;
    for (const Input &input : sweep.inputs) {
      if (input.source == Input::Source::Unread)
        values.push_back(Value());
      else if (input.source == Input::Source::Work)
        values.push_back(isOfRow(input) ? rowValues[input.work - 1] : score);
      else
        values.push_back(loadMask(input.access, row, key, piece));
    }
    return values;
  }

  Value loadMask(const Access &access, Value row, Position key, Piece piece) {
    const unsigned rows = form.batches.size();
    Value address = build.index(access.offset);
    for (unsigned number = 0; number < rows; ++number)
      address = build.address({{address, 0}, {batch[number], 0}}, {1, access.strides[number]}, 0);
    const int64_t stride = access.strides[rows + 1];
    address = build.address({{address, 0}, {row, 0}, key}, {1, access.strides[rows], stride}, 0);
    Value buffer = function.buffers[access.argument];
    return stride == 0   ? build.loadScalar(buffer, address)
           : stride == 1 ? build.load(buffer, address, piece)
                         : build.loadStrided(buffer, address, stride, piece);
  }

  /// The exponentials of a softmax are of differences to the largest score.
  BodyHints hintsOf(const Work &map) const {
    auto isLargest = [&](Value value) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || argument.getArgNumber() >= map.inputs.size() || !isOfRow(map.inputs[argument.getArgNumber()]))
        return false;
      const Work &sweep = form.sweeps[map.inputs[argument.getArgNumber()].work - 1];
      return isa<arith::MaximumFOp>(Combiner::find(*sweep.body, 0)->op);
    };
    BodyHints hints;
    hints.addedExponents = form.keys.size;
    hints.negativeExponents = llvm::all_of(map.body->getOps<math::ExpOp>(), [&](math::ExpOp exp) {
      auto shifted = exp.getOperand().getDefiningOp<arith::SubFOp>();
      return shifted && isLargest(shifted.getRhs());
    });
    return hints;
  }

  KernelFunction &function;
  VectorBuilder build;
  const AttentionForm &form;
  const Type type; ///< Of scores and sums.
  const MachineRow &machine;
  const unsigned lanes;
  int64_t rowsOfUnit = 1, rowBlocks = 1;
  int64_t block = 1;                    ///< Rows whose scores are in scratch.
  int64_t pitch = 0;                    ///< Elements from one row of scores to the next.
  int64_t keyWidth = 0, valueWidth = 0; ///< Of panels.

  // Of the unit.
  SmallVector<Value> batch; ///< Its index of each loop.
  PackedColumns packedKeys, packedValues;
  Value scores;
  SmallVector<Value> rowValues; ///< By sweep, of the row being swept.
};

} // namespace

LogicalResult emitAttention(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<AttentionForm> form = parseAttention(kernel);
  if (failed(form))
    return failure();
  function.keepsOrder = keepsOrderOfTiles(function.target);
  return AttentionEmitter(function, *form).emit();
}

} // namespace nacre::codegen::cpu
