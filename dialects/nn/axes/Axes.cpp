// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Axes.h and ListAxes.h.

#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/axes/ListAxes.h"

using namespace mlir;

namespace nacre::nn {

Axes getIterationAxes(Operation *op) {
  auto stated = dyn_cast<AxesInterface>(op);
  return stated ? stated.getIterationAxes() : Axes();
}

const Axis *findAxisOfOperand(ArrayRef<Axis> axes, unsigned operand, int64_t axis) {
  const auto *found = llvm::find_if(axes, [&](const Axis &each) { return each.operands[operand] == axis; });
  return found == axes.end() ? nullptr : found;
}

const Axis *findAxisOfResult(ArrayRef<Axis> axes, unsigned result, int64_t axis) {
  const auto *found = llvm::find_if(axes, [&](const Axis &each) { return each.results[result] == axis; });
  return found == axes.end() ? nullptr : found;
}

void AxisList::add(AxisKind kind, ArrayRef<Place> operands, ArrayRef<Place> results) {
  Axis axis;
  axis.kind = kind;
  axis.operands.assign(op->getNumOperands(), Axis::absent);
  axis.results.assign(op->getNumResults(), Axis::absent);
  for (auto [operand, own] : operands)
    axis.operands[operand] = own;
  for (auto [result, own] : results)
    axis.results[result] = own;
  axes.push_back(std::move(axis));
}

void AxisList::addOfAll(AxisKind kind, int64_t axis) {
  Axis all;
  all.kind = kind;
  all.operands.assign(op->getNumOperands(), axis);
  all.results.assign(op->getNumResults(), axis);
  axes.push_back(std::move(all));
}

void AxisList::addAligned(AxisKind kind, int64_t axis) {
  const int64_t rank = rankOf(op->getResult(0));
  SmallVector<Place> operands;
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (const int64_t own = axis - rank + rankOf(operand); own >= 0)
      operands.push_back({unsigned(index), own});
  add(kind, operands, {{0, axis}});
  axes.back().broadcasts = true;
}

void AxisList::addBroadcast(AxisKind kind, ArrayRef<Place> operands, ArrayRef<Place> results) {
  add(kind, operands, results);
  axes.back().broadcasts = true;
}

Axes sameAxes(Operation *op, llvm::function_ref<AxisKind(int64_t)> kindOf) {
  AxisList list(op);
  for (int64_t axis = 0; axis < rankOf(op->getResult(0)); ++axis)
    list.addOfAll(kindOf(axis), axis);
  return list.take();
}

Axes axesOfBroadcast(Operation *op) {
  AxisList list(op);
  for (int64_t axis = 0; axis < rankOf(op->getResult(0)); ++axis)
    list.addAligned(AxisKind::Parallel, axis);
  return list.take();
}

Axes axesReducing(Operation *op, ArrayRef<int64_t> reduced) {
  return sameAxes(
      op, [&](int64_t axis) { return llvm::is_contained(reduced, axis) ? AxisKind::Reduced : AxisKind::Parallel; });
}

} // namespace nacre::nn
