// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/tiles/TileSteps.h"

#include "codegen/cpu/bytes/IntegerProducts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::cpu {

SmallVector<Value> TileSteps::multiplyAdd(ValueRange accumulators, Value rhs, int64_t steps,
                                          const RowElements::ElementOf &elementOf, ColumnStream *stream, Value ahead) {
  SmallVector<Value> sums(accumulators);
  if (!stream)
    prefetch.panelFrom(rhs, steps);
  auto columnsOf = [&](int64_t step, int64_t vector) -> SmallVector<Value, 2> {
    if (stream)
      return {stream->next()};
    return columns.load(build.add(rhs, step * columnStride), vector);
  };
  for (int64_t step = 0; step < steps; ++step) {
    if (machine.step.multiplyAddTwo && !stream && step + 1 < steps) {
      multiplyAddTwo(sums, step, elementOf, columnsOf);
      ++step;
      continue;
    }
    // LLVM moves no load across a prefetch. If the prefetch came first in an iteration, LLVM would move the loads of
    // all steps to the beginning. The sums would not fit in the remaining registers.
    if (step == steps / 2)
      prefetch.ahead(ahead, steps);
    multiplyAddStep(sums, step, elementOf, columnsOf);
  }
  return sums;
}

Value TileSteps::factorOf(int64_t group, int64_t step, const RowElements::ElementOf &elementOf) {
  SmallVector<Value, 2> ofRows;
  for (int64_t row = group * machine.step.rows; row < (group + 1) * machine.step.rows; ++row)
    ofRows.push_back(elementOf(std::min(row, rows - 1), step));
  if (ofRows.size() == 1)
    return ofRows.front();
  return vector::FromElementsOp::create(build.ops, build.loc, VectorType::get({machine.step.rows}, factor), ofRows);
}

void TileSteps::multiplyAddStep(MutableArrayRef<Value> sums, int64_t step, const RowElements::ElementOf &elementOf,
                                ColumnsOf columnsOf) {
  auto accumulate = [&](int64_t group, int64_t vector, Value a, Value b) {
    Value &sum = sums[group * vectors + vector];
    sum = machine.step.multiplyAdd(build, build.broadcast(a, columns.lanesOf(vector)), b, sum);
  };
  // Keep the operand that needs fewer registers. Load the parts of the other operand one by one.
  if (groups >= vectors) {
    SmallVector<Value> all;
    while (int64_t(all.size()) < vectors)
      llvm::append_range(all, columnsOf(step, all.size()));
    for (int64_t group = 0; group < groups; ++group) {
      Value a = factorOf(group, step, elementOf);
      for (int64_t vector = 0; vector < vectors; ++vector)
        accumulate(group, vector, a, all[vector]);
    }
    return;
  }
  SmallVector<Value> ofGroups;
  for (int64_t group = 0; group < groups; ++group)
    ofGroups.push_back(factorOf(group, step, elementOf));
  for (int64_t vector = 0; vector < vectors;) {
    for (Value b : columnsOf(step, vector)) {
      for (int64_t group = 0; group < groups; ++group)
        accumulate(group, vector, ofGroups[group], b);
      ++vector;
      // Without the fence, LLVM moves neighbouring loads together, and registers do not suffice.
      if (rows > 1 && !machine.geometry.multipliesByElement)
        build.fence();
    }
    if (hasFewRegisters)
      build.fence();
  }
}

void TileSteps::multiplyAddTwo(MutableArrayRef<Value> sums, int64_t step, const RowElements::ElementOf &elementOf,
                               ColumnsOf columnsOf) {
  const unsigned lanes = machine.step.lanes;
  SmallVector<std::pair<Value, Value>> ofRows;
  for (int64_t row = 0; row < rows; ++row) {
    Value first = build.broadcast(elementOf(row, step), lanes);
    ofRows.push_back({first, build.broadcast(elementOf(row, step + 1), lanes)});
  }
  // Take as many vectors as one load of a pair brings. Otherwise LLVM loads more, and registers do not suffice.
  for (int64_t begin = 0; begin < vectors; begin += machine.geometry.registersPerLoad) {
    const auto some = llvm::seq(begin, std::min(begin + machine.geometry.registersPerLoad, vectors));
    const auto loaded = llvm::map_to_vector<2>(some, [&](int64_t vector) {
      return std::pair(columnsOf(step, vector).front(), columnsOf(step + 1, vector).front());
    });
    for (auto [vector, column] : llvm::zip_equal(some, loaded))
      for (auto [row, factors] : llvm::enumerate(ofRows)) {
        Value &sum = sums[int64_t(row) * vectors + vector];
        sum = machine.step.multiplyAddTwo(build, {factors.first, column.first}, {factors.second, column.second}, sum);
      }
    build.fence();
  }
}

} // namespace nacre::codegen::cpu
