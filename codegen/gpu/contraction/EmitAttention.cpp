// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the emitter of attention: a workgroup takes some rows of one batch (a head) from queries to the result.
// Why:   scores stay in shared memory; three launches and the barriers between them become one.
// How:   1. the rows of a workgroup, as many as have their scores in the shared memory of any device;
//        2. scores: an invocation has a key and some rows; 3. sweeps: a row's scores are shared by some invocations, each of which
//        keeps its own in registers from sweep to sweep; 4. the result: an invocation has a quad of columns and some rows.

#include "codegen/form/Reduction.h"
#include "codegen/gpu/Emitters.h"
#include "codegen/gpu/Halo.h"
#include "codegen/gpu/InlineBody.h"
#include "codegen/gpu/contraction/AttentionOperands.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

class AttentionEmitter {
public:
  AttentionEmitter(const AttentionForm &form, KernelFunction &function)
      : form(form), function(function), build(function), operands(form, build), type(build.ops.getF32Type()) {}

  LogicalResult emit() {
    if (!divide())
      return failure();
    placeWorkgroup();
    emitHalo(function, *form.written, form.kernel->cutAxis, low, high);
    scores = function.shared(rows * keys(), type);
    emitScores();
    keepScores();
    for (auto [number, sweep] : llvm::enumerate(form.sweeps))
      sweep.allParallel() ? emitMap(sweep) : emitReduction(number);
    storeWeights();
    emitResult();
    return success();
  }

private:
  using Index = AttentionForm::Index;

  int64_t keys() const { return form.keys.size; }
  Value index(int64_t value) { return build.index(value); }
  Value remainder(Value value, int64_t by) {
    return by == 1 ? index(0) : build.ops.createOrFold<arith::RemUIOp>(build.loc, value, index(by));
  }
  Value quotient(Value value, int64_t by) {
    return by == 1 ? value : build.ops.createOrFold<arith::DivUIOp>(build.loc, value, index(by));
  }
  Value least(Value a, Value b) { return build.ops.createOrFold<arith::MinUIOp>(build.loc, a, b); }
  Value loadScore(Value row, Value key) {
    return memref::LoadOp::create(build.ops, build.loc, scores, build.add(build.multiply(row, keys()), key));
  }
  void storeScore(Value value, Value row, Value key) {
    memref::StoreOp::create(build.ops, build.loc, value, scores, build.add(build.multiply(row, keys()), key));
  }
  Value multiplyAdd(Value a, Value b, Value sum) {
    if (isa<VectorType>(sum.getType()))
      return vector::FMAOp::create(build.ops, build.loc, a, b, sum);
    return math::FmaOp::create(build.ops, build.loc, a, b, sum);
  }
  Value zero(unsigned width) { return build.floatConstant(0, width == 1 ? type : VectorType::get({width}, type)); }

  //===--------------------------------------------------------------------===//
  // 1. Workgroups
  //===--------------------------------------------------------------------===//

  /// Whether all of what a workgroup needs fits the shared memory of any device.
  bool divide() {
    constexpr int64_t mostShared = 14 << 10, wantedRows = 8; // of 16 KiB: folds take the rest
    for (const Work &sweep : form.sweeps)
      if (!canInlineOnGpu(*sweep.body) || (!sweep.allParallel() && !findReduction(*sweep.body, 0)))
        return false;
    if (llvm::any_of(form.operands, [](const ContractionOperand &operand) { return operand.elementType.isBF16(); })) {
      function.declined = "shaders have no bf16";
      return false;
    }
    rows = std::min<int64_t>(wantedRows, llvm::PowerOf2Ceil(form.rows.size));
    const int64_t rowBytes = 4 * (keys() + form.depth.size); // with a query
    while (rows > 1 && rows * rowBytes > mostShared)
      rows /= 2;
    if (rows * rowBytes > mostShared) {
      function.declined = "a row of scores must fit into shared memory";
      return false;
    }
    const int64_t batches = form.numBatches();
    rowBlocks = llvm::divideCeil(form.rows.size, rows);
    function.workgroupSize = kInvocations;
    function.unitExtent = form.cutBatch ? 1 : rows;
    function.groups = form.cutBatch ? batches / form.batches[*form.cutBatch].size * rowBlocks : batches;
    function.flops = 2 * form.multiplyAdds();
    return true;
  }

  void placeWorkgroup() {
    low = build.add(function.shareBegin, build.multiply(function.row, function.unitExtent));
    high = least(build.add(low, index(function.unitExtent)), function.shareEnd);
    Value group = function.group;
    SmallVector<Value> &batch = operands.batch;
    batch.assign(form.batches.size(), Value());
    for (unsigned number = form.batches.size(); number-- > 0;) {
      if (form.cutBatch == number) {
        batch[number] = low;
        continue;
      }
      batch[number] = remainder(group, form.batches[number].size);
      group = quotient(group, form.batches[number].size);
    }
    firstRow = form.cutBatch ? build.multiply(group, rows) : low;
    endRow = form.cutBatch ? least(build.add(firstRow, index(rows)), index(form.rows.size)) : high;
    lastRow = arith::SubIOp::create(build.ops, build.loc, endRow, index(1));
  }

  /// Of the workgroup's row of that number; beyond the last one, the last.
  Value rowAt(Value number) { return least(build.add(firstRow, number), lastRow); }

  //===--------------------------------------------------------------------===//
  // 2. Scores
  //===--------------------------------------------------------------------===//

  /// The workgroup's queries, for all of its invocations, where each reads all of them.
  void shareQueries(unsigned width) {
    const int64_t steps = form.depth.size / width, count = rows * steps;
    queries = function.shared(count, width == 1 ? type : VectorType::get({width}, type));
    for (int64_t from = 0; from < count; from += kInvocations) {
      Value number = build.add(function.invocation, index(from));
      build.onlyIf(from + kInvocations <= count ? Value() : build.below(number, index(count)), [&] {
        Value row = rowAt(quotient(number, steps)), step = remainder(number, steps);
        Value address = operands.addressOf(Index::Queries, {{&form.rows, row}, {&form.depth, step}}, width);
        memref::StoreOp::create(build.ops, build.loc, operands.load(Index::Queries, address, width), queries, number);
      });
    }
    build.barrier();
  }

  void emitScores() {
    constexpr int64_t together = 4; // loads that are on their way at once
    const unsigned width =
        operands.inQuads(Index::Queries, form.depth) && operands.inQuads(Index::Keys, form.depth) ? kQuad : 1;
    shareQueries(width);
    const int64_t across =
        std::max<int64_t>(std::min<int64_t>(kInvocations, llvm::PowerOf2Ceil(keys())), kInvocations / rows);
    const int64_t own = rows * across / kInvocations; // rows of an invocation
    Value column = remainder(function.invocation, across), first = quotient(function.invocation, across);
    SmallVector<Value> ofRow;
    for (int64_t i = 0; i < own; ++i)
      ofRow.push_back(build.add(build.multiply(first, own), index(i)));
    const int64_t steps = form.depth.size / width;
    auto block = [&](Value number) {
      Value key = build.add(build.multiply(number, across), column);
      Value inside = keys() % across == 0 ? Value() : build.below(key, index(keys()));
      Value clamped = inside ? least(key, index(keys() - 1)) : key;
      auto addUp = [&](Value from, int64_t count, ValueRange before) {
        SmallVector<Value> sums(before), ofKey;
        for (int64_t step = 0; step < count; ++step)
          ofKey.push_back(operands.load(
              Index::Keys,
              operands.addressOf(Index::Keys, {{&form.keys, clamped}, {&form.depth, build.add(from, index(step))}},
                                 width),
              width));
        for (int64_t step = 0; step < count; ++step)
          for (int64_t i = 0; i < own; ++i) {
            Value at = build.add(build.multiply(ofRow[i], steps), build.add(from, index(step)));
            Value query = memref::LoadOp::create(build.ops, build.loc, queries, at);
            sums[i] = multiplyAdd(query, ofKey[step], sums[i]);
          }
        return sums;
      };
      SmallVector<Value> sums = inTurns(steps, together, SmallVector<Value>(own, zero(width)), addUp);
      build.onlyIf(inside, [&] {
        for (auto [row, sum] : llvm::zip_equal(ofRow, sums))
          storeScore(foldLanes(sum), row, key);
      });
    };
    build.loop(llvm::divideCeil(keys(), across), block);
    build.barrier();
  }

  /// `body` for `count` steps, so many at a time, and for those that are left.
  SmallVector<Value> inTurns(int64_t count, int64_t together, ValueRange carried,
                             llvm::function_ref<SmallVector<Value>(Value from, int64_t count, ValueRange)> body) {
    SmallVector<Value> values(carried);
    const int64_t turns = count / together;
    if (turns > 0)
      values = build.loop(turns, values, [&](Value turn, ValueRange before) {
        return body(build.multiply(turn, together), together, before);
      });
    return count % together == 0 ? values : body(index(turns * together), count % together, values);
  }

  Value foldLanes(Value value) {
    auto vector = dyn_cast<VectorType>(value.getType());
    Value sum = build.lane(value, 0);
    for (int64_t lane = 1; vector && lane < vector.getNumElements(); ++lane)
      sum = arith::AddFOp::create(build.ops, build.loc, sum, build.lane(value, lane));
    return sum;
  }

  //===--------------------------------------------------------------------===//
  // 3. Sweeps
  //===--------------------------------------------------------------------===//

  int64_t perRow() const { return kInvocations / rows; }
  Value sweptRow() { return quotient(function.invocation, perRow()); }

  /// A score that this invocation keeps from the first sweep to the last.
  struct Kept {
    Value key, inside; ///< The latter is null where it is one for certain.
    Value score;
  };

  /// Every so manyth key of its row.
  void keepScores() {
    Value lane = remainder(function.invocation, perRow());
    for (int64_t from = 0; from < keys(); from += perRow()) {
      Kept one;
      one.key = build.add(lane, index(from));
      if (from + perRow() > keys()) {
        one.inside = build.below(one.key, index(keys()));
        one.key = least(one.key, index(keys() - 1));
      }
      one.score = loadScore(sweptRow(), one.key);
      kept.push_back(one);
    }
  }

  void storeWeights() {
    for (const Kept &one : kept)
      build.onlyIf(one.inside, [&] { storeScore(one.score, sweptRow(), one.key); });
    build.barrier();
  }

  SmallVector<Value> inputsOf(const Work &sweep, const Kept &one) {
    SmallVector<Value> values;
    for (const Input &input : sweep.inputs) {
      if (input.source == Input::Source::Unread)
        values.push_back(Value());
      else if (input.source == Input::Source::Work)
        values.push_back(isOfRow(input) ? rowValues.lookup(input.work) : one.score);
      else
        values.push_back(loadMask(input.access, one.key));
    }
    return values;
  }

  Value loadMask(const Access &access, Value key) {
    const unsigned numBatches = form.batches.size();
    Value address = index(access.offset);
    auto move = [&](Value by, unsigned loop) {
      if (access.strides[loop] != 0)
        address = build.add(address, build.multiply(by, access.strides[loop]));
    };
    for (unsigned number = 0; number < numBatches; ++number)
      move(operands.batch[number], number);
    move(rowAt(sweptRow()), numBatches);
    move(key, numBatches + 1);
    return build.load(access.argument, address, 1);
  }

  void emitMap(const Work &sweep) {
    for (Kept &one : kept) {
      SmallVector<Value> arguments = inputsOf(sweep, one);
      arguments.push_back(Value()); // a map reads no accumulator
      one.score = inlineBody(build.ops, build.loc, *sweep.body, arguments, 1).front();
    }
  }

  void emitReduction(unsigned number) {
    const Work &sweep = form.sweeps[number];
    const Reduction reduction = *findReduction(*sweep.body, 0);
    Value own = build.constant(reduction.identity);
    for (const Kept &one : kept) {
      SmallVector<Value> arguments = inputsOf(sweep, one);
      arguments.push_back(own);
      Value next = inlineBody(build.ops, build.loc, *sweep.body, arguments, 1).front();
      own = one.inside ? arith::SelectOp::create(build.ops, build.loc, one.inside, next, own).getResult() : next;
    }
    // All invocations of a row fold all of its parts, in one order.
    Value parts = function.shared(kInvocations, type);
    memref::StoreOp::create(build.ops, build.loc, own, parts, function.invocation);
    build.barrier();
    Value first = build.multiply(sweptRow(), perRow()), folded = build.constant(sweep.results.front().start);
    for (int64_t i = 0; i < perRow(); ++i) {
      Value part = memref::LoadOp::create(build.ops, build.loc, parts, build.add(first, index(i)));
      folded = inlineOperation(build, reduction.op, {folded, part}, 1);
    }
    rowValues[number + 1] = folded;
  }

  //===--------------------------------------------------------------------===//
  // 4. The result
  //===--------------------------------------------------------------------===//

  void emitResult() {
    constexpr int64_t together = 16; // loads that are on their way at once
    const unsigned width =
        operands.inQuads(Index::Values, form.columns) && operands.inQuads(Index::Result, form.columns) ? kQuad : 1;
    const int64_t units = form.columns.size / width;
    const int64_t across =
        std::max<int64_t>(std::min<int64_t>(kInvocations, llvm::PowerOf2Ceil(units)), kInvocations / rows);
    const int64_t own = rows * across / kInvocations;
    Value column = remainder(function.invocation, across), first = quotient(function.invocation, across);
    SmallVector<Value> ofRow;
    for (int64_t i = 0; i < own; ++i)
      ofRow.push_back(build.add(build.multiply(first, own), index(i)));
    auto block = [&](Value number) {
      Value unit = build.add(build.multiply(number, across), column);
      Value inside = units % across == 0 ? Value() : build.below(unit, index(units));
      Value clamped = inside ? least(unit, index(units - 1)) : unit;
      auto addUp = [&](Value from, int64_t count, ValueRange before) {
        SmallVector<Value> next(before), values;
        for (int64_t step = 0; step < count; ++step)
          values.push_back(operands.load(
              Index::Values,
              operands.addressOf(Index::Values, {{&form.keys, build.add(from, index(step))}, {&form.columns, clamped}},
                                 width),
              width));
        for (int64_t step = 0; step < count; ++step)
          for (int64_t i = 0; i < own; ++i) {
            Value weight = loadScore(ofRow[i], build.add(from, index(step)));
            next[i] = multiplyAdd(build.broadcast(weight, width), values[step], next[i]);
          }
        return next;
      };
      SmallVector<Value> sums = inTurns(keys(), together, SmallVector<Value>(own, zero(width)), addUp);
      for (int64_t i = 0; i < own; ++i) {
        Value row = build.add(firstRow, ofRow[i]);
        build.onlyIf(build.both(inside, build.below(row, endRow)), [&] {
          Value address = operands.addressOf(Index::Result, {{&form.rows, row}, {&form.columns, unit}}, width);
          build.store(finished(sums[i], width), form.operands[Index::Result].argument, address);
        });
      }
    };
    build.loop(llvm::divideCeil(units, across), block);
  }

  Value finished(Value sum, unsigned width) {
    if (!form.epilogue)
      return sum;
    return inlineBody(build.ops, build.loc, *form.epilogue->body, {sum, Value()}, width).front();
  }

  static constexpr int64_t kInvocations = 128; ///< Of a workgroup.

  const AttentionForm &form;
  KernelFunction &function;
  PointBuilder build;
  AttentionOperands operands;
  const Type type; ///< Of scores and sums.
  int64_t rows = 1, rowBlocks = 1;

  Value low, high;                 ///< What the row of workgroups computes of the cut axis.
  Value firstRow, endRow, lastRow; ///< Of the workgroup.
  Value queries, scores;           ///< Shared: [rows][depth], [rows][keys].
  SmallVector<Kept> kept;
  DenseMap<unsigned, Value> rowValues; ///< By work, of this invocation's swept row.
};

} // namespace

LogicalResult emitAttention(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<AttentionForm> form = parseAttention(kernel);
  if (failed(form))
    return failure();
  return AttentionEmitter(*form, function).emit();
}

} // namespace nacre::codegen::gpu
