// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/points/RowColumns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {

/// Returns column `thread` + iteration * perRow. If it is beyond the row in the last iteration, the last column
/// replaces it.
RowColumns::Column RowColumns::columnOf(Value iteration, bool isLast) {
  Column column{build.add(thread, build.multiply(iteration, rowGrid.perRow)), Value()};
  if (isLast && rowGrid.columns % rowGrid.perRow != 0) {
    column.inside = build.below(column.number, build.index(rowGrid.columns));
    column.number = arith::MinUIOp::create(build.ops, build.loc, column.number, build.index(rowGrid.columns - 1));
  }
  return column;
}

/// Emits one iteration of a sweep. If there are no carried values, the body writes results.
SmallVector<Value> RowColumns::iterate(const Column &column, ValueRange carried, Body body) {
  SmallVector<int64_t> inVectors(sizes);
  if (rowGrid.lanes > 1)
    inVectors.back() /= rowGrid.lanes;
  Point at = splitCounter(column.number, inVectors);
  if (rowGrid.lanes > 1) {
    at.back().scale = rowGrid.lanes;
    at.back().lanes = rowGrid.lanes;
  }
  if (carried.empty()) {
    build.onlyIf(build.both(column.inside, isRow), [&] { evaluator.inScope([&] { body(at, carried); }); });
    return {};
  }
  SmallVector<Value> next = body(at, carried);
  for (auto [value, former] : llvm::zip_equal(next, carried))
    if (column.inside)
      value =
          arith::SelectOp::create(build.ops, build.loc, build.broadcast(column.inside, rowGrid.lanes), value, former);
  return next;
}

SmallVector<Value> RowColumns::sweep(ValueRange carried, Body body) {
  const int64_t iterations = llvm::divideCeil(rowGrid.columns, rowGrid.perRow);
  SmallVector<Value> values;
  for (int64_t sum = 0; sum < rowGrid.sums; ++sum)
    llvm::append_range(values, carried);
  auto iterateAt = [&](int64_t number, const Column &column, SmallVectorImpl<Value> &all) {
    auto *mine = all.begin() + number % rowGrid.sums * int64_t(carried.size());
    llvm::copy(iterate(column, ValueRange(ArrayRef(mine, carried.size())), body), mine);
  };
  if (rowGrid.inRegisters) {
    // Every sweep uses the same positions, so the Evaluator reuses the values of a column.
    for (int64_t number = 0; number < iterations; ++number) {
      if (number == int64_t(unrolled.size()))
        unrolled.push_back(columnOf(build.index(number), number + 1 == iterations));
      iterateAt(number, unrolled[number], values);
    }
    return values;
  }
  // The loads of several columns are in flight simultaneously.
  constexpr int64_t kTogether = 4;
  assert(kTogether % rowGrid.sums == 0 && "a column's sum is known when code is emitted");
  const int64_t loops = rowGrid.columns / rowGrid.perRow / kTogether;
  values = build.loop(loops, values, [&](Value number, ValueRange carriedIn) {
    SmallVector<Value> next(carriedIn);
    evaluator.inScope([&] {
      for (int64_t i = 0; i < kTogether; ++i)
        iterateAt(i, columnOf(build.add(build.multiply(number, kTogether), build.index(i)), /*isLast=*/false), next);
    });
    return next;
  });
  for (int64_t number = loops * kTogether; number < iterations; ++number)
    iterateAt(number, columnOf(build.index(number), number + 1 == iterations), values);
  return values;
}

} // namespace nacre::codegen::gpu
