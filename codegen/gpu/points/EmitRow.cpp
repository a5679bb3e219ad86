// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits kernels of rows: softmax, normalizations, long sums, and the operators fused before and after them.
// Why:   the invocations of a workgroup share a row's columns. So even few long rows keep a GPU busy, and adjacent
//        invocations read adjacent elements.
// How:   1. find rows and columns, and the number of invocations that share a row (RowGrid.h);
//        2. for each reduction, in order: an invocation folds every perRow-th column (RowColumns.h), then all
//           invocations fold their results in shared memory. The result becomes a known value of the Evaluator;
//        3. a last sweep writes the results that have columns. The elements of short rows stay in registers from the
//           first sweep to the last.

#include "codegen/form/Reduction.h"
#include "codegen/gpu/Emitters.h"
#include "codegen/gpu/Halo.h"
#include "codegen/gpu/InlineBody.h"
#include "codegen/gpu/points/Evaluator.h"
#include "codegen/gpu/points/PointGrid.h"
#include "codegen/gpu/points/RowColumns.h"
#include "codegen/gpu/points/RowGrid.h"
#include "codegen/gpu/points/RowLoops.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {

namespace {

class RowEmitter {
public:
  RowEmitter(plan::KernelOp kernel, const KernelForm &form, const RowLoops &loops, KernelFunction &function)
      : kernel(kernel), form(form), loops(loops), function(function), build(function), evaluator(build, kernel, form),
        divided(loops.cutRow.has_value()) {}

  LogicalResult run();

private:
  // 1. Division
  LogicalResult findReductions();
  LogicalResult divide();

  // 2. Reductions
  Point pointOf(unsigned work, const Point &columns) const;
  void reduce(unsigned work);
  Value combine(Operation *op, Value a, Value b);
  Value foldThreads(Operation *op, Value value);

  // 3. Writing
  void emitRows(Value iteration);
  void write();

  plan::KernelOp kernel;
  const KernelForm &form;
  const RowLoops &loops;
  KernelFunction &function;
  PointBuilder build;
  Evaluator evaluator;
  const bool divided;

  SmallVector<SmallVector<Reduction>> reductions; ///< Reductions of each operation and result.
  RowGrid rowGrid;
  PointGrid grid;

  Value thread;     ///< Index of the invocation among those of its row.
  Value localRow;   ///< Index of the row in the workgroup.
  Point row;        ///< Position of each loop over rows.
  Value isRow;      ///< True if the invocation has a row; null if every invocation has one.
  Value begin, end; ///< Range of the cut axis that the row of workgroups computes.
  RowColumns rowColumns{build, evaluator, loops.columns, rowGrid, thread, isRow};
};

//===----------------------------------------------------------------------===//
// 1. Division
//===----------------------------------------------------------------------===//

LogicalResult RowEmitter::findReductions() {
  for (const Work &work : form.work) {
    reductions.emplace_back();
    if (work.allParallel())
      continue;
    for (unsigned result = 0; result < work.results.size(); ++result) {
      std::optional<Reduction> reduction = findReduction(*work.body, result);
      const Type type = work.results[result].elementType;
      // Few devices support shared memory with narrower types.
      if (!reduction || !work.results[result].start || type.getIntOrFloatBitWidth() < 32)
        return failure();
      reductions.back().push_back(*reduction);
    }
  }
  return success();
}

LogicalResult RowEmitter::divide() {
  constexpr int64_t kLanes = 4;
  RowShape shape;
  for (int64_t size : loops.rows)
    shape.rows *= size;
  for (int64_t size : loops.columns)
    shape.columns *= size;
  shape.columnsAdjoin = loops.strideOf(form, {RowLoops::Role::Column, unsigned(loops.columns.size()) - 1}) == 1;
  shape.rowsAdjoin =
      !loops.rows.empty() && loops.strideOf(form, {RowLoops::Role::Row, unsigned(loops.rows.size()) - 1}) == 1;
  shape.quads = !loops.columns.empty() && loops.columns.back() % kLanes == 0 && evaluator.lanesFit(kLanes, {});
  shape.mustBeRows = kernel.getKind() == plan::KernelKind::Row;
  const std::optional<RowGrid> chosen = chooseRowGrid(shape, function.variant);
  if (!chosen)
    return failure();
  rowGrid = *chosen;
  function.variants = rowGrid.variants;
  function.workgroupSize = rowGrid.workgroup;

  const int64_t perGroup = rowGrid.workgroup / rowGrid.perRow;
  grid = choosePointGrid(divided ? form.cutExtent : 1, 1, divided ? shape.rows / form.cutExtent : shape.rows, perGroup);
  function.unitExtent = divided ? grid.unitExtent : form.cutExtent;
  function.groups = grid.groups;
  begin = build.index(0);
  if (divided) {
    begin = build.add(function.shareBegin, build.multiply(function.row, grid.unitExtent));
    end =
        arith::MinUIOp::create(build.ops, build.loc, build.add(begin, build.index(grid.unitExtent)), function.shareEnd);
  }
  auto part = [&](auto tag, int64_t by) -> Value {
    return decltype(tag)::create(build.ops, build.loc, function.invocation, build.index(by));
  };
  thread = rowGrid.rowsFirst ? part(arith::DivUIOp(), perGroup) : part(arith::RemUIOp(), rowGrid.perRow);
  localRow = rowGrid.rowsFirst ? part(arith::RemUIOp(), perGroup) : part(arith::DivUIOp(), rowGrid.perRow);
  function.flops = countFlops(form);
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Reductions
//===----------------------------------------------------------------------===//

/// Returns the positions of the loops of `work` in this invocation's row. `columns` has a position for each loop over
/// columns.
Point RowEmitter::pointOf(unsigned work, const Point &columns) const {
  Point at;
  for (const RowLoops::Role &role : loops.roles[work])
    at.push_back(role.kind == RowLoops::Role::Row                          ? row[role.number]
                 : role.kind == RowLoops::Role::Column && !columns.empty() ? columns[role.number]
                                                                           : Position());
  return at;
}

Value RowEmitter::combine(Operation *op, Value a, Value b) {
  auto vector = dyn_cast<VectorType>(a.getType());
  return inlineOperation(build, op, {a, b}, vector ? vector.getNumElements() : 1);
}

/// Folds the `value` of every invocation of a row by `op`. All invocations of the row get the result.
Value RowEmitter::foldThreads(Operation *op, Value value) {
  if (rowGrid.perRow == 1)
    return value;
  const int64_t perGroup = function.workgroupSize / rowGrid.perRow;
  // The values of a row are contiguous, or interleaved with those of the other rows.
  const int64_t step = rowGrid.rowsFirst ? perGroup : 1;
  Value shared = function.shared(function.workgroupSize, value.getType());
  auto load = [&](Value at) -> Value { return memref::LoadOp::create(build.ops, build.loc, shared, at); };
  auto store = [&](Value is) { memref::StoreOp::create(build.ops, build.loc, is, shared, function.invocation); };
  store(value);
  for (int64_t half = rowGrid.perRow / 2; half > 0; half /= 2) {
    build.barrier();
    build.onlyIf(build.below(thread, build.index(half)), [&] {
      Value other = load(build.add(function.invocation, build.index(half * step)));
      store(combine(op, load(function.invocation), other));
    });
  }
  build.barrier();
  return load(rowGrid.rowsFirst ? localRow : build.multiply(localRow, rowGrid.perRow));
}

void RowEmitter::reduce(unsigned number) {
  const Work &work = form.work[number];
  const Point at = pointOf(number, {});
  evaluator.prepare(number, at);
  SmallVector<Value> carried;
  for (const Reduction &reduction : reductions[number])
    carried.push_back(build.broadcast(build.constant(reduction.identity), rowGrid.lanes));
  SmallVector<Value> partial = rowColumns.sweep(carried, [&](const Point &column, ValueRange values) {
    return evaluator.step(number, pointOf(number, column), values);
  });
  SmallVector<Value> results;
  for (auto [result, reduction] : llvm::enumerate(reductions[number])) {
    SmallVector<Value> sums;
    for (int64_t sum = 0; sum < rowGrid.sums; ++sum) {
      Value ofLanes = partial[sum * int64_t(carried.size()) + int64_t(result)];
      Value value = build.lane(ofLanes, 0);
      for (unsigned lane = 1; lane < rowGrid.lanes; ++lane)
        value = combine(reduction.op, value, build.lane(ofLanes, lane));
      sums.push_back(value);
    }
    // The order is the same as in foldThreads(), which folds the sums if each is in a separate invocation.
    for (size_t half = sums.size() / 2; half > 0; half /= 2)
      for (size_t sum = 0; sum < half; ++sum)
        sums[sum] = combine(reduction.op, sums[sum], sums[sum + half]);
    Value value = foldThreads(reduction.op, sums.front());
    if (work.results[result].start != reduction.identity)
      value = combine(reduction.op, build.constant(work.results[result].start), value);
    results.push_back(value);
  }
  evaluator.define(number, at, results);
}

//===----------------------------------------------------------------------===//
// 3. Writing
//===----------------------------------------------------------------------===//

void RowEmitter::write() {
  auto store = [&](unsigned number, const Point &columnsAt) {
    const Work &work = form.work[number];
    Point at = pointOf(number, columnsAt);
    for (auto [result, described] : llvm::enumerate(work.results))
      if (described.written) {
        Access access = *composeAccess(form.written[*described.written].slice, described.map, described.elementType);
        evaluator.store(evaluator.evaluate(number, result, at), access, at);
      }
  };
  SmallVector<unsigned> perColumn, perRowOnly;
  for (auto [number, work] : llvm::enumerate(form.work))
    if (llvm::any_of(work.results, [](const Result &result) { return result.written.has_value(); }))
      (work.allParallel() && loops.hasColumns(number) ? perColumn : perRowOnly).push_back(number);
  // Values per row are computed once, before the columns that read them.
  for (auto [number, work] : llvm::enumerate(form.work))
    if (work.allParallel() && !loops.hasColumns(number) && !perColumn.empty())
      evaluator.evaluate(number, 0, pointOf(number, {}));
  if (!perColumn.empty())
    rowColumns.sweep({}, [&](const Point &column, ValueRange) {
      for (unsigned number : perColumn)
        store(number, column);
      return SmallVector<Value>();
    });
  if (perRowOnly.empty())
    return;
  Value isFirst = arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::eq, thread, build.index(0));
  build.onlyIf(build.both(isRow, rowGrid.perRow > 1 ? isFirst : Value()), [&] {
    evaluator.inScope([&] {
      for (unsigned number : perRowOnly)
        store(number, {});
    });
  });
}

/// Emits the rows of one iteration. Invocations without a row repeat another row, because all must reach the barriers.
void RowEmitter::emitRows(Value iterationNumber) {
  const int64_t perGroup = function.workgroupSize / rowGrid.perRow;
  SmallVector<int64_t> sizes(loops.rows);
  if (divided)
    sizes[*loops.cutRow] = grid.unitExtent;
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  Value group = build.add(function.group, build.multiply(iterationNumber, grid.groups));
  Value number = build.add(build.multiply(group, perGroup), localRow);
  isRow = Value();
  if (count % (perGroup * grid.groups) != 0) {
    isRow = build.below(number, build.index(count));
    number = arith::MinUIOp::create(build.ops, build.loc, number, build.index(count - 1));
  }
  row = splitCounter(number, sizes);
  if (divided) {
    Value index = build.add(begin, build.value(row[*loops.cutRow]));
    isRow = build.both(isRow, build.below(index, end));
    row[*loops.cutRow] = Position();
    row[*loops.cutRow].base = arith::MinUIOp::create(build.ops, build.loc, index,
                                                     arith::SubIOp::create(build.ops, build.loc, end, build.index(1)));
  }
  rowColumns.beginRow();
  for (unsigned work = 0; work < form.work.size(); ++work)
    if (!form.work[work].allParallel())
      reduce(work);
  write();
}

LogicalResult RowEmitter::run() {
  if (!evaluator.accepts(function.declined))
    return failure();
  if (failed(findReductions()) || failed(divide())) {
    function.declined = "it has no rows that reductions over the same columns divide";
    return failure();
  }
  build.loop(grid.iterations, [&](Value iterationNumber) {
    // Invocations may still read shared memory for the previous iteration.
    if (grid.iterations > 1)
      build.barrier();
    evaluator.inScope([&] { emitRows(iterationNumber); });
  });
  for (auto [number, written] : llvm::enumerate(form.written))
    if (written.haloValue)
      emitHalo(function, written, loops.cutAxes[number], begin,
               divided ? end : build.index(written.slice.shape[loops.cutAxes[number]]));
  return success();
}

} // namespace

LogicalResult emitRow(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form)) {
    function.declined = "not one of the forms of docs/phases/kernels.md";
    return failure();
  }
  FailureOr<RowLoops> loops = findRowLoops(*form);
  if (failed(loops)) {
    function.declined = "it has no rows that reductions over the same columns divide";
    return failure();
  }
  return RowEmitter(kernel, *form, *loops, function).run();
}

} // namespace nacre::codegen::gpu
