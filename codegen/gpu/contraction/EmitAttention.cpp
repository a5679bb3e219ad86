// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the emitter of attention: a workgroup takes some rows of one batch (a head) from queries to the result.
// Why:   scores stay in shared memory; three launches and the barriers between them become one.
// How:   1. the rows of a workgroup, as many as have their scores in the shared memory of any device;
//        2. scores: an invocation has a key and some rows; 3. sweeps: a row's scores are shared by some invocations, each of which
//        keeps its own from sweep to sweep; 4. the result: an invocation has a quad of columns and some rows.

#include "codegen/form/AttentionForm.h"
#include "codegen/form/Reduction.h"
#include "codegen/gpu/Emitters.h"
#include "codegen/gpu/Halo.h"
#include "codegen/gpu/InlineBody.h"
#include "codegen/gpu/points/PointBuilder.h"
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
      : form(form), function(function), build(function), type(build.ops.getF32Type()) {}

  LogicalResult emit() {
    if (!divide())
      return failure();
    placeWorkgroup();
    emitHalo(function, *form.written, form.kernel->cutAxis, low, high);
    scores = function.shared(rows * keys(), type);
    emitScores();
    for (auto [number, sweep] : llvm::enumerate(form.sweeps))
      sweep.allParallel() ? emitMap(sweep) : emitReduction(number);
    build.barrier();
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
    constexpr int64_t mostScores = 3072, wantedRows = 8; // 12 of 16 KiB: folds take the rest
    for (const Work &sweep : form.sweeps)
      if (!canInlineOnGpu(*sweep.body) || (!sweep.allParallel() && !findReduction(*sweep.body, 0)))
        return false;
    if (llvm::any_of(form.operands, [](const ContractionOperand &operand) { return operand.elementType.isBF16(); })) {
      function.declined = "shaders have no bf16";
      return false;
    }
    rows = std::min<int64_t>(wantedRows, llvm::PowerOf2Ceil(form.rows.size));
    while (rows > 1 && rows * keys() > mostScores)
      rows /= 2;
    if (rows * keys() > mostScores) {
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
  // Operands
  //===--------------------------------------------------------------------===//

  /// Whether `operand` can be read or written by fours along `along`.
  bool inQuads(Index operand, const ContractionLoop &along) const {
    auto isFour = [&](const ContractionLoop &loop) { return loop.size == 1 || loop.strides[operand] % kQuad == 0; };
    bool fits = along.strides[operand] == 1 && along.size % kQuad == 0 && form.operands[operand].offset % kQuad == 0 &&
                function.liesInVectors(form.operands[operand].argument, kQuad) && llvm::all_of(form.batches, isFour);
    for (const ContractionLoop *loop : {&form.rows, &form.keys, &form.depth, &form.columns})
      fits &= loop == &along || isFour(*loop);
    return fits;
  }

  /// The address of `operand` in the workgroup's batch, `at` steps along some loops.
  Value addressOf(Index operand, ArrayRef<std::pair<const ContractionLoop *, Value>> at, unsigned width) {
    const auto unit = int64_t(width);
    Value address = index(form.operands[operand].offset / unit);
    auto move = [&](const ContractionLoop &loop, Value by) {
      const int64_t stride = loop.strides[operand];
      if (loop.size > 1 && stride != 0)
        address = build.add(address, build.multiply(by, stride == 1 ? 1 : stride / unit));
    };
    for (auto [loop, by] : llvm::zip_equal(form.batches, batch))
      move(loop, by);
    for (auto [loop, by] : at)
      move(*loop, by);
    return address;
  }

  /// In f32.
  Value load(Index operand, Value address, unsigned width) {
    Value value = build.load(form.operands[operand].argument, address, width);
    const Type wide = withElement(value.getType(), type);
    return value.getType() == wide ? value : arith::ExtFOp::create(build.ops, build.loc, wide, value);
  }

  //===--------------------------------------------------------------------===//
  // 2. Scores
  //===--------------------------------------------------------------------===//

  void emitScores() {
    const unsigned width = inQuads(Index::Queries, form.depth) && inQuads(Index::Keys, form.depth) ? kQuad : 1;
    const int64_t across =
        std::max<int64_t>(std::min<int64_t>(kInvocations, llvm::PowerOf2Ceil(keys())), kInvocations / rows);
    const int64_t own = rows * across / kInvocations; // rows of an invocation
    Value column = remainder(function.invocation, across), first = quotient(function.invocation, across);
    SmallVector<Value> ofRow;
    for (int64_t i = 0; i < own; ++i)
      ofRow.push_back(build.add(build.multiply(first, own), index(i)));
    auto block = [&](Value number) {
      Value key = build.add(build.multiply(number, across), column);
      Value inside = keys() % across == 0 ? Value() : build.below(key, index(keys()));
      Value clamped = inside ? least(key, index(keys() - 1)) : key;
      SmallVector<Value> sums(own, zero(width));
      sums = build.loop(form.depth.size / width, sums, [&](Value step, ValueRange carried) {
        const auto unit = std::pair(&form.depth, step);
        Value ofKey = load(Index::Keys, addressOf(Index::Keys, {{&form.keys, clamped}, unit}, width), width);
        SmallVector<Value> next;
        for (auto [row, sum] : llvm::zip_equal(ofRow, carried)) {
          Value query = load(Index::Queries, addressOf(Index::Queries, {{&form.rows, rowAt(row)}, unit}, width), width);
          next.push_back(multiplyAdd(query, ofKey, sum));
        }
        return next;
      });
      build.onlyIf(inside, [&] {
        for (auto [row, sum] : llvm::zip_equal(ofRow, sums))
          storeScore(foldLanes(sum), row, key);
      });
    };
    build.loop(llvm::divideCeil(keys(), across), block);
    build.barrier();
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

  /// Every so manyth key of its row.
  SmallVector<Value> sweepKeys(ValueRange carried,
                               llvm::function_ref<SmallVector<Value>(Value key, Value inside, ValueRange)> body) {
    Value lane = remainder(function.invocation, perRow());
    return build.loop(llvm::divideCeil(keys(), perRow()), carried, [&](Value turn, ValueRange values) {
      Value key = build.add(build.multiply(turn, perRow()), lane);
      Value inside = keys() % perRow() == 0 ? Value() : build.below(key, index(keys()));
      return body(inside ? least(key, index(keys() - 1)) : key, inside, values);
    });
  }

  SmallVector<Value> inputsOf(const Work &sweep, Value key) {
    SmallVector<Value> values;
    for (const Input &input : sweep.inputs) {
      if (input.source == Input::Source::Unread)
        values.push_back(Value());
      else if (input.source == Input::Source::Work)
        values.push_back(isOfRow(input) ? rowValues.lookup(input.work) : loadScore(sweptRow(), key));
      else
        values.push_back(loadMask(input.access, key));
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
      move(batch[number], number);
    move(rowAt(sweptRow()), numBatches);
    move(key, numBatches + 1);
    return build.load(access.argument, address, 1);
  }

  void emitMap(const Work &sweep) {
    sweepKeys({}, [&](Value key, Value inside, ValueRange) {
      build.onlyIf(inside, [&] {
        SmallVector<Value> arguments = inputsOf(sweep, key);
        arguments.push_back(Value()); // a map reads no accumulator
        storeScore(inlineBody(build.ops, build.loc, *sweep.body, arguments, 1).front(), sweptRow(), key);
      });
      return SmallVector<Value>();
    });
  }

  void emitReduction(unsigned number) {
    const Work &sweep = form.sweeps[number];
    const Reduction reduction = *findReduction(*sweep.body, 0);
    Value own = sweepKeys({build.constant(reduction.identity)}, [&](Value key, Value inside, ValueRange carried) {
                  SmallVector<Value> arguments = inputsOf(sweep, key);
                  arguments.push_back(carried[0]);
                  Value next = inlineBody(build.ops, build.loc, *sweep.body, arguments, 1).front();
                  if (inside)
                    next = arith::SelectOp::create(build.ops, build.loc, inside, next, carried[0]);
                  return SmallVector<Value>{next};
                }).front();
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
    const unsigned width = inQuads(Index::Values, form.columns) && inQuads(Index::Result, form.columns) ? kQuad : 1;
    const int64_t units = form.columns.size / width;
    const int64_t across =
        std::max<int64_t>(std::min<int64_t>(kInvocations, llvm::PowerOf2Ceil(units)), kInvocations / rows);
    const int64_t own = rows * across / kInvocations;
    Value column = remainder(function.invocation, across), first = quotient(function.invocation, across);
    SmallVector<Value> ofRow;
    for (int64_t i = 0; i < own; ++i)
      ofRow.push_back(build.add(build.multiply(first, own), index(i)));
    const int64_t steps = keys() % kQuad == 0 ? kQuad : 1;
    auto block = [&](Value number) {
      Value unit = build.add(build.multiply(number, across), column);
      Value inside = units % across == 0 ? Value() : build.below(unit, index(units));
      Value clamped = inside ? least(unit, index(units - 1)) : unit;
      SmallVector<Value> sums =
          build.loop(keys() / steps, SmallVector<Value>(own, zero(width)), [&](Value turn, ValueRange carried) {
            SmallVector<Value> next(carried);
            for (int64_t step = 0; step < steps; ++step) {
              Value key = build.add(build.multiply(turn, steps), index(step));
              Value value = load(Index::Values,
                                 addressOf(Index::Values, {{&form.keys, key}, {&form.columns, clamped}}, width), width);
              for (auto [row, sum] : llvm::zip_equal(ofRow, next)) {
                sum = multiplyAdd(build.broadcast(loadScore(row, key), width), value, sum);
              }
            }
            return next;
          });
      for (int64_t i = 0; i < own; ++i) {
        Value row = build.add(firstRow, ofRow[i]);
        build.onlyIf(build.both(inside, build.below(row, endRow)), [&] {
          Value address = addressOf(Index::Result, {{&form.rows, row}, {&form.columns, unit}}, width);
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
  static constexpr int64_t kQuad = 4;

  const AttentionForm &form;
  KernelFunction &function;
  PointBuilder build;
  const Type type; ///< Of scores and sums.
  int64_t rows = 1, rowBlocks = 1;

  Value low, high;                     ///< What the row of workgroups computes of the cut axis.
  Value firstRow, endRow, lastRow;     ///< Of the workgroup.
  SmallVector<Value> batch;            ///< Its index of each loop.
  Value scores;                        ///< [rows][keys].
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
