// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. the rows of each invocation; 2. sums; 3. the values that are kept.

#include "codegen/gpu/contraction/RowStatistics.h"

#include "codegen/gpu/InlineBody.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {

using Argument = ContractionPrologue::Argument;

static SmallVector<Argument, 4> storedArguments(const ContractionPrologue &prologue) {
  SmallVector<Argument, 4> stored;
  for (const ContractionPrologue::Statistic &statistic : prologue.statistics)
    for (const Argument &argument : statistic.arguments)
      if (!argument.statistic &&
          llvm::none_of(stored, [&](const Argument &other) { return other.operand == argument.operand; }))
        stored.push_back(argument);
  return stored;
}

//===----------------------------------------------------------------------===//
// 1. Rows of each invocation
//===----------------------------------------------------------------------===//

RowStatistics::RowStatistics(ContractionGrid &grid, const ContractionPrologue &prologue, int64_t tileRows,
                             int64_t invocations)
    : grid(grid), build(grid.build), prologue(prologue), stored(storedArguments(prologue)), operands(grid, stored),
      tileRows(tileRows), invocations(invocations) {
  constexpr int64_t mostPerRow = 32; // Each invocation adds up the sums of all invocations of its row.
  while (perRow < mostPerRow && 2 * perRow * tileRows <= invocations && invocations % (2 * perRow) == 0)
    perRow *= 2;
  iterations = llvm::divideCeil(tileRows, invocations / perRow);
  quadsAtOnce = operands.leastQuads();
  groups = llvm::divideCeil(grid.contraction.depthSize(), 4 * quadsAtOnce * perRow);
  slot = build.divide(grid.function.invocation, perRow);
  lane = build.remainder(grid.function.invocation, perRow);
  findKept();
  Type number = build.ops.getF32Type();
  sums = grid.function.shared(int64_t(prologue.statistics.size()) * invocations, number);
  results = grid.function.shared(tileRows * int64_t(kept.size()), number);
}

/// Finds the values that depend only on statistics and that operations on elements need. A needed statistic is such a
/// value, too.
void RowStatistics::findKept() {
  llvm::DenseSet<Value> ofRow;
  Block &body = *prologue.map->body;
  for (auto [argument, value] : llvm::zip(prologue.arguments, body.getArguments()))
    if (argument.statistic)
      ofRow.insert(value);
  auto isConstant = [](Value value) { return matchPattern(value, m_Constant()); };
  auto need = [&](Value value) {
    if (ofRow.contains(value) && !llvm::is_contained(kept, value))
      kept.push_back(value);
  };
  for (Operation &op : body.without_terminator()) {
    const bool isOfRow =
        op.getNumResults() == 1 && op.getResult(0).getType().isF32() && !isConstant(op.getResult(0)) &&
        llvm::all_of(op.getOperands(), [&](Value value) { return ofRow.contains(value) || isConstant(value); });
    if (isOfRow)
      ofRow.insert(op.getResult(0));
    else
      llvm::for_each(op.getOperands(), need);
  }
  llvm::for_each(body.getTerminator()->getOperands(), need);
}

Value RowStatistics::stepOf(Value group) const {
  return build.multiply(build.add(build.multiply(group, perRow), lane), 4 * quadsAtOnce);
}

void RowStatistics::compute() {
  for (int64_t iteration = 0; iteration < iterations; ++iteration) {
    if (iteration > 0 && prologue.statistics.size() == 1)
      mlir::gpu::BarrierOp::create(build.ops, build.loc);
    Value row = build.add(slot, iteration * (invocations / perRow));
    computeRow(tileRows % (invocations / perRow) == 0 ? row : build.least(row, build.constant(tileRows - 1)));
  }
  mlir::gpu::BarrierOp::create(build.ops, build.loc);
}

//===----------------------------------------------------------------------===//
// 2. Sums
//===----------------------------------------------------------------------===//

void RowStatistics::load(ValueRange row, Value group, SmallVectorImpl<Quad> &quads) const {
  Value step = stepOf(group), inside = build.isBelow(step, build.constant(grid.contraction.depthSize()));
  Value first = arith::SelectOp::create(build.ops, build.loc, inside, step, build.constant(0));
  const Values shared = operands.loadShared(first, quadsAtOnce), own = operands.load(row, first, quadsAtOnce);
  for (int64_t number = 0; number < quadsAtOnce; ++number)
    quads.push_back({build.add(step, 4 * number), operands.takeQuad(row, shared, own, number, quadsAtOnce)});
}

void RowStatistics::computeRow(Value row) {
  constexpr int64_t mostInRegisters = 16;
  const Values fixed = operands.row(row, 0);
  SmallVector<Quad> quads;
  if (groups * quadsAtOnce <= mostInRegisters)
    for (int64_t group = 0; group < groups; ++group)
      load(fixed, build.constant(group), quads);
  SmallVector<Value, 2> totals;
  for (size_t number = 0; number < prologue.statistics.size(); ++number)
    totals.push_back(addTogether(number, addRow(number, fixed, quads, totals)));
  build.onlyIf(build.isEqual(lane, build.constant(0)), [&] { keep(row, totals); });
}

/// Returns this invocation's part of the row's sum, in four lanes.
Value RowStatistics::addRow(size_t number, ValueRange row, ArrayRef<Quad> quads, ValueRange totals) {
  auto type = VectorType::get({4}, build.ops.getF32Type());
  Value sum = arith::ConstantOp::create(build.ops, build.loc, build.ops.getZeroAttr(type));
  for (const Quad &quad : quads)
    sum = addQuad(number, quad, totals, sum);
  if (!quads.empty())
    return sum;
  auto loop =
      scf::ForOp::create(build.ops, build.loc, build.constant(0), build.constant(groups), build.constant(1), sum);
  OpBuilder::InsertionGuard guard(build.ops);
  build.ops.setInsertionPointToStart(loop.getBody());
  SmallVector<Quad> loaded;
  load(row, loop.getInductionVar(), loaded);
  sum = loop.getRegionIterArg(0);
  for (const Quad &quad : loaded)
    sum = addQuad(number, quad, totals, sum);
  scf::YieldOp::create(build.ops, build.loc, sum);
  return loop.getResult(0);
}

Value RowStatistics::addQuad(size_t number, const Quad &quad, ValueRange totals, Value sum) {
  const ContractionPrologue::Statistic &statistic = prologue.statistics[number];
  SmallVector<Value> values;
  for (const Argument &argument : statistic.arguments) {
    auto isIt = [&](const Argument &other) { return other.operand == argument.operand; };
    values.push_back(argument.statistic ? totals[*argument.statistic]
                                        : quad.values[llvm::find_if(stored, isIt) - stored.begin()]);
  }
  values.push_back(sum);
  Value added = inlineBody(build.ops, build.loc, *statistic.work->body, values, 4).front();
  const int64_t size = grid.contraction.depthSize();
  if (size % (4 * quadsAtOnce * perRow) == 0)
    return added;
  SmallVector<Value, 4> inside;
  for (int64_t at = 0; at < 4; ++at)
    inside.push_back(build.isBelow(build.add(quad.step, at), build.constant(size)));
  Value mask =
      vector::FromElementsOp::create(build.ops, build.loc, VectorType::get({4}, build.ops.getI1Type()), inside);
  return arith::SelectOp::create(build.ops, build.loc, mask, added, sum);
}

Value RowStatistics::addTogether(size_t number, Value sum) {
  auto add = [&](Value a, Value b) -> Value { return arith::AddFOp::create(build.ops, build.loc, a, b); };
  auto element = [&](int64_t at) -> Value { return vector::ExtractOp::create(build.ops, build.loc, sum, at); };
  Value total = add(add(element(0), element(1)), add(element(2), element(3)));
  if (perRow == 1)
    return total;
  Value first = build.add(build.multiply(slot, perRow), int64_t(number) * invocations);
  memref::StoreOp::create(build.ops, build.loc, total, sums, ValueRange{build.add(first, lane)});
  mlir::gpu::BarrierOp::create(build.ops, build.loc);
  SmallVector<Value> shares;
  for (int64_t other = 0; other < perRow; ++other)
    shares.push_back(memref::LoadOp::create(build.ops, build.loc, sums, ValueRange{build.add(first, other)}));
  for (; shares.size() > 1; shares.truncate(shares.size() / 2))
    for (size_t pair = 0; pair < shares.size() / 2; ++pair)
      shares[pair] = add(shares[2 * pair], shares[2 * pair + 1]);
  return shares.front();
}

//===----------------------------------------------------------------------===//
// 3. Values that are kept
//===----------------------------------------------------------------------===//

void RowStatistics::keep(Value row, ValueRange totals) {
  IRMapping values;
  for (auto [argument, value] : llvm::zip(prologue.arguments, prologue.map->body->getArguments()))
    if (argument.statistic)
      values.map(value, totals[*argument.statistic]);
  const SmallVector<Value> made = inlineValues(build.ops, build.loc, kept, values, 1);
  for (auto [number, value] : llvm::enumerate(made))
    memref::StoreOp::create(build.ops, build.loc, value, results,
                            ValueRange{build.add(build.multiply(row, int64_t(kept.size())), int64_t(number))});
}

void RowStatistics::recall(Value row, IRMapping &values) const {
  for (auto [number, value] : llvm::enumerate(kept))
    values.map(value,
               memref::LoadOp::create(build.ops, build.loc, results,
                                      ValueRange{build.add(build.multiply(row, int64_t(kept.size())), int64_t(number))})
                   .getResult());
}

} // namespace nacre::codegen::gpu
