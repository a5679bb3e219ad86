// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits attention. A workgroup computes some rows of one batch (a head) from the queries to the result.
// Why:   scores stay in shared memory. Three launches, and the barriers between them, become one launch.
// How:   1. the rows of a workgroup: as many as have their scores in the shared memory of any device;
//        2. scores: an invocation has a key and some rows;
//        3. sweeps: some invocations share a row's scores. Each keeps its part in registers from sweep to sweep;
//        4. the result: an invocation has a quad of columns, some rows and some of the keys.
//
// If rows have bounds, the loops over keys in 2 and 4 skip the keys that no row of the workgroup sees. An invocation
// adds up the other keys in the same order as all keys. Scores that are not computed have undefined values, until the
// first sweep hides them.
//
// This variant runs on any device. Another variant precedes it: one with matrices, if they fit; otherwise, one with
// half the rows, for devices that can run more workgroups. In the latter, adjacent invocations share each key and read
// adjacent parts of it. If each invocation read another key, the cache would need one cycle per key.

#include "codegen/gpu/Emitters.h"
#include "codegen/gpu/attention/MatrixAttention.h"
#include "codegen/gpu/contraction/GpuMachines.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

constexpr int64_t kInvocations = 128;     ///< Invocations of a workgroup on any device.
constexpr int64_t kMostShared = 16 << 10; ///< Size in bytes of the shared memory that every device has.
/// Size in bytes of shared memory on devices with many units. Two workgroups share the memory of a unit.
constexpr int64_t kMostWithRoom = 24 << 10;
constexpr int64_t kRows = 8;    ///< Number of rows of a workgroup, if they fit into shared memory.
constexpr int64_t kSharers = 4; ///< Number of invocations that share a key on devices with many units.

class AttentionEmitter {
public:
  AttentionEmitter(AttentionRows &of, bool hasRoom)
      : of(of), form(of.form), function(of.function), build(of.build), operands(of.operands), type(of.type),
        wantedRows(hasRoom ? kRows / 2 : kRows), mostShared(hasRoom ? kMostWithRoom : kMostShared),
        depthWidth(operands.inQuads(Index::Queries, form.depth) && operands.inQuads(Index::Keys, form.depth) ? kQuad
                                                                                                             : 1),
        sharers(hasRoom && mayShareKeys() ? kSharers : 1) {}

  LogicalResult emit() {
    if (!divide())
      return failure();
    scores = function.shared(sharers * rows * keys(), type);
    visible = of.visibleKeys();
    emitScores();
    SmallVector<KeptScore> kept = keepScores();
    of.sweep(kept);
    storeWeights(kept);
    emitResult();
    return success();
  }

private:
  using Index = AttentionForm::Index;

  int64_t keys() const { return form.keys.size; }
  Value index(int64_t value) { return build.index(value); }
  Value remainder(Value value, int64_t by) { return of.remainder(value, by); }
  Value quotient(Value value, int64_t by) { return of.quotient(value, by); }
  Value least(Value a, Value b) { return of.least(a, b); }
  /// Returns the index of a sharer's row of partial scores. Parts follow one another. The weights later replace the
  /// rows of the first part.
  Value rowOfPart(Value part, Value row) { return build.add(build.multiply(part, rows), row); }
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

  /// Returns the shared memory of a row in bytes: its scores, once for each sharer, and its query.
  int64_t rowBytes(int64_t sharers) const { return 4 * (sharers * keys() + form.depth.size); }
  int64_t mostOfRows() const { return mostShared / 16 * 13; } // The folds and the parts need the rest.

  bool mayShareKeys() const {
    return form.depth.size / depthWidth % kSharers == 0 && wantedRows * rowBytes(kSharers) <= mostOfRows();
  }

  /// Chooses the number of rows of a workgroup. Returns false if shared memory cannot hold a single row.
  bool divide() {
    rows = std::min<int64_t>(wantedRows, llvm::PowerOf2Ceil(form.rows.size));
    while (rows > 1 && rows * rowBytes(sharers) > mostOfRows())
      rows /= 2;
    if (rows * rowBytes(sharers) > mostOfRows()) {
      function.declined = "a row of scores must fit into shared memory";
      return false;
    }
    of.divide(rows, kInvocations);
    return true;
  }

  /// Returns the size in bytes of queries, scores and the folds of the sweeps.
  int64_t sharedBytes() const {
    const int64_t folds = llvm::count_if(form.sweeps, [](const Work &sweep) { return !sweep.allParallel(); });
    return rows * rowBytes(sharers) + 4 * folds * kInvocations;
  }

  //===--------------------------------------------------------------------===//
  // 2. Scores
  //===--------------------------------------------------------------------===//

  /// Copies the workgroup's queries to shared memory, because each invocation reads all queries.
  void shareQueries() {
    const unsigned width = depthWidth;
    const int64_t steps = form.depth.size / width, count = rows * steps;
    queries = function.shared(count, width == 1 ? type : VectorType::get({width}, type));
    for (int64_t from = 0; from < count; from += kInvocations) {
      Value number = build.add(function.invocation, index(from));
      build.onlyIf(from + kInvocations <= count ? Value() : build.below(number, index(count)), [&] {
        Value row = of.rowAt(quotient(number, steps)), step = remainder(number, steps);
        Value address = operands.addressOf(Index::Queries, {{&form.rows, row}, {&form.depth, step}}, width);
        memref::StoreOp::create(build.ops, build.loc, operands.load(Index::Queries, address, width), queries, number);
      });
    }
    build.barrier();
  }

  void emitScores() {
    constexpr int64_t together = 4, mostLoads = 16; // Numbers of steps and loads in flight simultaneously.
    const unsigned width = depthWidth;
    shareQueries();
    const int64_t groups = kInvocations / sharers; // Number of groups of invocations; each group shares a key.
    const int64_t across = std::max<int64_t>(std::min<int64_t>(groups, llvm::PowerOf2Ceil(keys())), groups / rows);
    const int64_t own = rows * across / groups; // Number of rows of an invocation.
    Value part = remainder(function.invocation, sharers), group = quotient(function.invocation, sharers);
    Value column = remainder(group, across), first = quotient(group, across);
    SmallVector<Value> ofRow;
    for (int64_t i = 0; i < own; ++i)
      ofRow.push_back(build.add(build.multiply(first, own), index(i)));
    const int64_t allSteps = form.depth.size / width, steps = allSteps / sharers;
    const int64_t iterations = llvm::divideCeil(keys(), across);
    const int64_t blocks = llvm::divideCeil(iterations, sharers == 1 ? 1 : mostLoads / together);
    const int64_t atOnce = llvm::divideCeil(iterations, blocks); // Number of keys that an invocation computes together.
    auto block = [&](Value number) {
      SmallVector<Value> ownKeys, inside, clamped;
      for (int64_t i = 0; i < atOnce; ++i) {
        Value iteration = build.add(build.multiply(number, atOnce), index(i));
        Value key = build.add(build.multiply(iteration, across), column);
        const bool isFull = !visible.low && keys() == blocks * atOnce * across;
        ownKeys.push_back(visible.low ? build.add(visible.low, key) : key);
        inside.push_back(isFull ? Value() : build.below(ownKeys.back(), visible.low ? visible.high : index(keys())));
        clamped.push_back(isFull ? ownKeys.back() : least(ownKeys.back(), index(keys() - 1)));
      }
      auto addUp = [&](Value from, int64_t count, ValueRange before) {
        SmallVector<Value> sums(before), ofKey, at;
        for (int64_t step = 0; step < count; ++step)
          at.push_back(build.add(build.multiply(build.add(from, index(step)), sharers), part));
        for (Value key : clamped)
          for (Value step : at)
            ofKey.push_back(operands.load(
                Index::Keys, operands.addressOf(Index::Keys, {{&form.keys, key}, {&form.depth, step}}, width), width));
        for (int64_t step = 0; step < count; ++step)
          for (int64_t i = 0; i < own; ++i) {
            Value place = build.add(build.multiply(ofRow[i], allSteps), at[step]);
            Value query = memref::LoadOp::create(build.ops, build.loc, queries, place);
            for (int64_t key = 0; key < atOnce; ++key)
              sums[key * own + i] = multiplyAdd(query, ofKey[key * count + step], sums[key * own + i]);
          }
        return sums;
      };
      SmallVector<Value> sums =
          forSteps(build, steps, together, /*range=*/{}, SmallVector<Value>(atOnce * own, zero(width)), addUp);
      for (int64_t key = 0; key < atOnce; ++key)
        build.onlyIf(inside[key], [&] {
          for (int64_t i = 0; i < own; ++i)
            storeScore(foldLanes(sums[key * own + i]), rowOfPart(part, ofRow[i]), ownKeys[key]);
        });
    };
    if (visible.low) {
      // Subgroups whose first key is beyond the last one have an iteration less.
      const int64_t step = atOnce * across;
      Value keysOfFirst = build.subtract(build.add(build.subtract(visible.high, visible.low), index(step - 1)), column);
      build.loop(index(0), quotient(keysOfFirst, step), {}, [&](Value number, ValueRange) {
        block(number);
        return SmallVector<Value>();
      });
    } else {
      build.loop(blocks, block);
    }
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

  /// Returns the scores of every perRow-th key of the invocation's row.
  SmallVector<KeptScore> keepScores() {
    SmallVector<KeptScore> kept;
    Value lane = of.laneOfRow();
    for (int64_t from = 0; from < keys(); from += of.perRow()) {
      KeptScore one;
      one.key = build.add(lane, index(from));
      if (from + of.perRow() > keys()) {
        one.inside = build.below(one.key, index(keys()));
        one.key = least(one.key, index(keys() - 1));
      }
      one.score = loadScore(of.sweptRow(), one.key);
      for (int64_t part = 1; part < sharers; ++part)
        one.score = arith::AddFOp::create(build.ops, build.loc, one.score,
                                          loadScore(rowOfPart(index(part), of.sweptRow()), one.key));
      kept.push_back(one);
    }
    return kept;
  }

  void storeWeights(ArrayRef<KeptScore> kept) {
    for (const KeptScore &one : kept)
      build.onlyIf(one.inside, [&] { storeScore(one.score, of.sweptRow(), one.key); });
    build.barrier();
  }

  //===--------------------------------------------------------------------===//
  // 4. The result
  //===--------------------------------------------------------------------===//

  void emitResult() {
    constexpr int64_t together = 16; // Number of loads in flight simultaneously.
    constexpr int64_t mostOwn = 4, mostParts = 8;
    const unsigned width =
        operands.inQuads(Index::Values, form.columns) && operands.inQuads(Index::Result, form.columns) ? kQuad : 1;
    const int64_t units = form.columns.size / width;
    const int64_t across = std::min<int64_t>(kInvocations, llvm::PowerOf2Ceil(units));
    // Invocations also share the keys. A value is then read once for several rows, and dependency chains are short.
    int64_t own = std::max<int64_t>(1, rows * across / kInvocations);
    auto partsOf = [&](int64_t own) { return kInvocations / (across * (rows / own)); };
    while (own < std::min(rows, mostOwn) && partsOf(2 * own) <= mostParts &&
           sharedBytes() + (partsOf(2 * own) - 1) * rows * across * width * 4 <= mostShared)
      own *= 2;
    const int64_t parts = partsOf(own), steps = llvm::divideCeil(keys(), parts);
    Value column = remainder(function.invocation, across), place = quotient(function.invocation, across);
    Value first = remainder(place, rows / own), part = quotient(place, rows / own);
    SmallVector<Value> ofRow;
    for (int64_t i = 0; i < own; ++i)
      ofRow.push_back(build.add(build.multiply(first, own), index(i)));
    auto block = [&](Value number) {
      Value unit = build.add(build.multiply(number, across), column);
      Value inside = units % across == 0 ? Value() : build.below(unit, index(units));
      Value clamped = inside ? least(unit, index(units - 1)) : unit;
      auto addUp = [&](Value from, int64_t count, ValueRange before) {
        SmallVector<Value> next(before), values, ofKey;
        for (int64_t step = 0; step < count; ++step) {
          Value key = build.add(build.add(build.multiply(part, steps), from), index(step)), isOne;
          if (steps * parts != keys()) {
            isOne = build.below(key, index(keys()));
            key = least(key, index(keys() - 1));
          }
          ofKey.push_back(key);
          Value address = operands.addressOf(Index::Values, {{&form.keys, key}, {&form.columns, clamped}}, width);
          values.push_back(of.zeroUnless(isOne, operands.load(Index::Values, address, width)));
        }
        for (int64_t step = 0; step < count; ++step)
          for (int64_t i = 0; i < own; ++i)
            next[i] = multiplyAdd(build.broadcast(loadScore(ofRow[i], ofKey[step]), width), values[step], next[i]);
        return next;
      };
      KeyRange range;
      if (visible.low) {
        Value before = build.multiply(part, steps);
        range = {excess(build, visible.low, before), excess(build, visible.high, before)};
      }
      SmallVector<Value> sums = forSteps(build, steps, together, range, SmallVector<Value>(own, zero(width)), addUp);
      Value isFirst = parts == 1 ? Value() : build.below(part, index(1));
      if (parts > 1)
        sums = addedOverParts(sums, part, build.add(build.multiply(first, across), column), rows / own * across, parts);
      for (int64_t i = 0; i < own; ++i) {
        Value row = build.add(of.firstRow, ofRow[i]);
        build.onlyIf(build.both(isFirst, build.both(inside, build.below(row, of.endRow))), [&] {
          Value address = operands.addressOf(Index::Result, {{&form.rows, row}, {&form.columns, unit}}, width);
          build.store(of.finished(sums[i], width), form.operands[Index::Result].argument, address);
        });
      }
    };
    build.loop(llvm::divideCeil(units, across), block);
  }

  /// Adds the sums of all other parts at the same place to the sums of the first part, in the order of the parts.
  SmallVector<Value> addedOverParts(SmallVector<Value> sums, Value part, Value place, int64_t places, int64_t parts) {
    const int64_t perPart = places * sums.size();
    Value others = function.shared((parts - 1) * perPart, sums.front().getType());
    auto at = [&](Value number, int64_t sum) {
      return build.add(build.add(build.multiply(number, perPart), index(sum * places)), place);
    };
    build.onlyIf(build.below(index(0), part), [&] {
      Value number = arith::SubIOp::create(build.ops, build.loc, part, index(1));
      for (auto [i, sum] : llvm::enumerate(sums))
        memref::StoreOp::create(build.ops, build.loc, sum, others, at(number, i));
    });
    build.barrier();
    for (auto [i, sum] : llvm::enumerate(sums))
      for (int64_t other = 0; other < parts - 1; ++other)
        sum = arith::AddFOp::create(build.ops, build.loc, sum,
                                    memref::LoadOp::create(build.ops, build.loc, others, at(index(other), i)));
    return sums;
  }

  AttentionRows &of;
  const AttentionForm &form;
  KernelFunction &function;
  PointBuilder &build;
  AttentionOperands &operands;
  const Type type; ///< Type of scores and sums.
  const int64_t wantedRows, mostShared;
  const unsigned depthWidth; ///< Number of steps of the first product that are loaded together.
  const int64_t sharers;     ///< Number of invocations that share a key.
  int64_t rows = 1;
  Value queries, scores; ///< Arrays in shared memory: [rows][depth], [rows][keys].
  KeyRange visible;      ///< Keys of the workgroup.
};

/// Returns the GPU families that have more units than the kernel has workgroups.
uint32_t familiesWithRoom(const AttentionForm &form) {
  const int64_t workgroups = form.numBatches() * llvm::divideCeil(form.rows.size, kRows);
  uint32_t families = 0;
  for (const GpuMachine &machine : gpuMachines())
    if (machine.units > workgroups)
      families |= maskOf(machine.family);
  return families;
}

} // namespace

LogicalResult emitAttention(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<AttentionForm> form = parseAttention(kernel);
  if (failed(form) || form->isOfCodes)
    return failure();
  AttentionRows attention(*form, function);
  if (!attention.canSweep())
    return failure();
  const bool hasMatrices = fitsMatrices(attention);
  const uint32_t withRoom = hasMatrices || form->rows.size <= kRows / 2 ? 0 : familiesWithRoom(*form);
  function.variants = hasMatrices || withRoom ? 2 : 1;
  if (function.variant + 1 == function.variants)
    return AttentionEmitter(attention, /*hasRoom=*/false).emit();
  if (hasMatrices) {
    emitMatrixAttention(attention);
    return success();
  }
  function.families = withRoom;
  return AttentionEmitter(attention, /*hasRoom=*/true).emit();
}

} // namespace nacre::codegen::gpu
