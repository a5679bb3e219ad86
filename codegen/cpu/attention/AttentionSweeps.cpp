// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/attention/AttentionSweeps.h"

#include "codegen/cpu/Combiner.h"
#include "codegen/cpu/Units.h"
#include "codegen/cpu/VectorBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

class RowSweeper {
public:
  using Index = AttentionForm::Index;

  RowSweeper(VectorBuilder &build, const AttentionForm &form, ArrayRef<Value> buffers, const ScoreRows &rows,
             const QueryRow &row, Position inBlock)
      : build(build), form(form), buffers(buffers), rows(rows), row(row), lanes(build.target.vectors.bytes / 4),
        hasMasks(cpu::hasMasks(build.target, 32) && (!form.isOfCodes || cpu::hasMasks(build.target, 8))),
        at(build.address({inBlock}, {rows.pitch}, 0)), codesAt(build.address({inBlock}, {rows.codePitch}, 0)),
        place(build.address({inBlock}, {1}, 0)) {}

  void emit() {
    rowValues.assign(form.sweeps.size(), Value());
    if (form.sums[Index::Queries])
      querySum = sumQueries(*form.sums[Index::Queries]);
    for (const Pass &pass : passes()) {
      SmallVector<const Work *> reductions;
      for (unsigned number : pass.reductions)
        reductions.push_back(&form.sweeps[number]);
      SmallVector<Value> folded =
          reduce(reductions, form.keys.size, rows.keys,
                 [&](Position key, Piece piece, ValueRange carried) { return step(pass, key, piece, carried); });
      for (auto [number, value] : llvm::zip_equal(pass.reductions, folded)) {
        rowValues[number] = value;
        if (Value kept = rows.kept.lookup(number))
          build.storeScalar(value, kept, place);
      }
    }
  }

private:
  /// Pass over a row: the sweep that computes new scores, if there is one, and the sweeps that reduce these scores.
  struct Pass {
    const Work *map = nullptr;
    bool isFirst = false;             ///< True if the pass reads the sums of the first product
    SmallVector<unsigned> reductions; ///< Indices of sweeps
  };

  SmallVector<Pass> passes() const {
    SmallVector<Pass> result;
    for (auto [number, sweep] : llvm::enumerate(form.sweeps)) {
      if (sweep.allParallel() || result.empty())
        result.push_back({nullptr, result.empty(), {}});
      if (sweep.allParallel())
        result.back().map = &sweep;
      else
        result.back().reductions.push_back(number);
    }
    return result;
  }

  using Step = llvm::function_ref<SmallVector<Value>(Position, Piece, ValueRange)>;

  /// Returns one scalar for each of `works`, which reduces `count` elements. `step` reduces a vector of elements into
  /// the carried values. With a range, only its elements and those after the last whole vector are read.
  SmallVector<Value> reduce(ArrayRef<const Work *> works, int64_t count, const KeyRange &range, Step step) {
    SmallVector<Combiner> combiners;
    SmallVector<Value> carried;
    auto identity = [&](const Combiner &combiner, unsigned width) {
      return build.broadcast(build.constant(combiner.identity), width);
    };
    for (const Work *work : works) {
      combiners.push_back(*Combiner::find(*work->body, 0));
      combiners.back().nanReturns = isa<arith::MaximumFOp>(combiners.back().op); // A NaN appears again in every weight.
      carried.push_back(identity(combiners.back(), lanes));
    }
    const int64_t whole = count - count % lanes;
    auto ofVector = [&](Position at, ValueRange values) { return step(at, {0, lanes, lanes}, values); };
    SmallVector<Value> folded =
        range.low ? build.loop(build.scaled(range.low, range.chunk),
                               emitMin(build, build.scaled(range.high, range.chunk), build.index(whole)), lanes,
                               carried, ofVector)
                  : reduceInLoop(build, whole, lanes, /*timesPerIteration=*/1, carried, combiners, ofVector);
    for (const Piece &piece : cutIntoPieces(count - whole, lanes, hasMasks)) {
      SmallVector<Value> start;
      for (const Combiner &combiner : combiners)
        start.push_back(identity(combiner, piece.width));
      SmallVector<Value> last = step({Value(), whole + piece.offset}, {0, piece.lanes, piece.width}, start);
      for (auto [number, combiner] : llvm::enumerate(combiners))
        folded[number] =
            combiner.combine(build, folded[number], build.widen(last[number], piece, identity(combiner, lanes), lanes));
    }
    for (auto [work, combiner, value] : llvm::zip_equal(works, combiners, folded))
      value = combiner.foldLanes(build, value, work->results.front().start);
    return folded;
  }

  Value sumQueries(const Work &work) {
    Value buffer = buffers[form.operands[Index::Queries].argument];
    auto step = [&](Position depth, Piece piece, ValueRange carried) -> SmallVector<Value> {
      Value codes = build.load(buffer, build.address({{row.address, 0}, depth}, {1, 1}, 0), piece);
      return {
          build.broadcast(inlineBody(build, *work.body, {codes, carried.front()}, piece.width).front(), piece.width)};
    };
    return reduce(&work, form.depth.size, /*range=*/{}, step).front();
  }

  /// Computes and reduces the scores in `piece`, from the key `key` of the row on.
  SmallVector<Value> step(const Pass &pass, Position key, Piece piece, ValueRange carried) {
    Value address = build.address({{at, 0}, key}, {1, 1}, 0);
    Value value = build.load(pass.isFirst && pass.map ? rows.sums : rows.scores, address, piece);
    if (pass.map) {
      SmallVector<Value> arguments = inputsOf(*pass.map, value, key, piece);
      arguments.push_back(Value()); // A map reads no accumulator.
      value = inlineBody(build, *pass.map->body, arguments, piece.width, hintsOf(*pass.map),
                         positionsOf(*pass.map, key, piece))
                  .front();
      value = build.broadcast(value, piece.width);
      if (pass.map->results.front().elementType.isF32())
        build.store(value, rows.scores, address, piece);
      else
        build.store(value, rows.codes, build.address({{codesAt, 0}, key}, {1, 1}, 0), piece);
    }
    SmallVector<Value> next;
    for (auto [number, accumulator] : llvm::zip_equal(pass.reductions, carried)) {
      const Work &sweep = form.sweeps[number];
      SmallVector<Value> arguments = inputsOf(sweep, value, key, piece);
      arguments.push_back(accumulator);
      BodyHints hints;
      hints.nanReturns = true;
      next.push_back(
          build.broadcast(inlineBody(build, *sweep.body, arguments, piece.width, hints).front(), piece.width));
    }
    return next;
  }

  /// Returns the indices of the row and of the keys in `piece`, if the body of `map` reads them.
  SmallVector<std::pair<Value, Value>> positionsOf(const Work &map, Position key, Piece piece) {
    if (map.body->getOps<linalg::IndexOp>().empty())
      return {};
    auto toWord = [&](Value index) -> Value {
      return arith::IndexCastOp::create(build.ops, build.loc, build.ops.getI32Type(), index);
    };
    SmallVector<int32_t> lanesOfPiece = llvm::to_vector(llvm::seq<int32_t>(0, int32_t(piece.width)));
    auto type = VectorType::get({int64_t(piece.width)}, build.ops.getI32Type());
    Value keys =
        arith::AddIOp::create(build.ops, build.loc, build.broadcast(toWord(build.address({key}, {1}, 0)), piece.width),
                              build.constant(DenseElementsAttr::get(type, ArrayRef(lanesOfPiece))));
    return form.givePositions(map, toWord(row.number), keys);
  }

  SmallVector<Value> inputsOf(const Work &sweep, Value score, Position key, Piece piece) {
    SmallVector<Value> values;
    for (const Input &input : sweep.inputs) {
      if (input.source == Input::Source::Unread)
        values.push_back(Value());
      else if (std::optional<Index> sum = form.sumOf(input))
        values.push_back(*sum == Index::Queries ? querySum
                                                : build.load(rows.keySums, build.address({key}, {1}, 0), piece));
      else if (std::optional<unsigned> reduced = form.sweepOf(input))
        values.push_back(rowValues[*reduced]);
      else if (input.source == Input::Source::Work)
        values.push_back(score);
      else
        values.push_back(loadMask(input.access, key, piece));
    }
    return values;
  }

  Value loadMask(const Access &access, Position key, Piece piece) {
    const unsigned rowLoop = form.batches.size();
    Value address = build.index(access.offset);
    for (unsigned number = 0; number < rowLoop; ++number)
      address = build.address({{address, 0}, {row.batch[number], 0}}, {1, access.strides[number]}, 0);
    const int64_t stride = access.strides[rowLoop + 1];
    address = build.address({{address, 0}, {row.number, 0}, key}, {1, access.strides[rowLoop], stride}, 0);
    Value buffer = buffers[access.argument];
    return stride == 0   ? build.loadScalar(buffer, address)
           : stride == 1 ? build.load(buffer, address, piece)
                         : build.loadStrided(buffer, address, stride, piece);
  }

  /// Returns hints for `map`. Exponentials of a softmax have operands of at most 0, because the largest score is
  /// subtracted.
  BodyHints hintsOf(const Work &map) const {
    BodyHints hints;
    hints.addedExponents = form.keys.size;
    hints.negativeExponents = hasNegativeExponents(*map.body, [&](unsigned input) {
      const std::optional<unsigned> sweep = input < map.inputs.size() ? form.sweepOf(map.inputs[input]) : std::nullopt;
      return sweep && isa<arith::MaximumFOp>(Combiner::find(*form.sweeps[*sweep].body, 0)->op);
    });
    return hints;
  }

  VectorBuilder &build;
  const AttentionForm &form;
  const ArrayRef<Value> buffers;
  const ScoreRows &rows;
  const QueryRow &row;
  const unsigned lanes;
  const bool hasMasks;
  const Value at, codesAt, place; ///< Offsets of the row's scores and codes, and of its results in `rows.kept`
  Value querySum;
  SmallVector<Value> rowValues; ///< Result of each reducing sweep for the row; null for the others
};

} // namespace

bool canEmitSweeps(const AttentionForm &form) {
  auto canReduce = [](const Work &work) { return work.allParallel() || Combiner::find(*work.body, 0); };
  return llvm::all_of(form.sweeps, canReduce) &&
         (!form.sums[AttentionForm::Queries] || canReduce(*form.sums[AttentionForm::Queries]));
}

void emitSweeps(VectorBuilder &build, const AttentionForm &form, ArrayRef<Value> buffers, const ScoreRows &rows,
                const QueryRow &row, Position inBlock) {
  RowSweeper(build, form, buffers, rows, row, inBlock).emit();
}

} // namespace nacre::codegen::cpu
