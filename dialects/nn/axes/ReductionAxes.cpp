// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iteration axes of operators that combine elements of one tensor: reductions, windows, sums up to each element, and
// elements with their scales.

#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/axes/ListAxes.h"

using namespace mlir;

namespace nacre::nn {

/// Returns the axes of an operator that combines its operand along `reduced`. Removes these axes unless `keepsDims`.
static Axes axesOfReduction(Operation *op, ArrayRef<int64_t> reduced, bool keepsDims, AxisKind kind) {
  AxisList list(op);
  int64_t next = 0;
  for (int64_t axis = 0; axis < rankOf(op->getOperand(0)); ++axis) {
    const bool isReduced = llvm::is_contained(reduced, axis);
    if (isReduced && !keepsDims)
      list.add(kind, {{0, axis}}, {});
    else
      list.add(isReduced ? kind : AxisKind::Parallel, {{0, axis}}, {{0, next++}});
  }
  return list.take();
}

Axes ReduceOp::getIterationAxes() { return axesOfReduction(*this, getAxes(), getKeepDims(), AxisKind::Reduced); }

/// The result is an index, so the order of elements matters.
Axes ArgReduceOp::getIterationAxes() {
  return axesOfReduction(*this, int64_t(getAxis()), getKeepDims(), AxisKind::Windowed);
}

Axes CumulateOp::getIterationAxes() {
  return sameAxes(*this,
                  [&](int64_t axis) { return axis == int64_t(getAxis()) ? AxisKind::Windowed : AxisKind::Parallel; });
}

/// Channels are neighbours of one another.
Axes LrnOp::getIterationAxes() {
  return sameAxes(
      *this, [&](int64_t axis) { return axis + 1 == getType().getRank() ? AxisKind::Windowed : AxisKind::Parallel; });
}

/// Returns the axes of operators with windows along all axes between the first and the last.
static Axes axesOfWindows(Operation *op) {
  const int64_t last = rankOf(op->getResult(0)) - 1;
  return sameAxes(op,
                  [&](int64_t axis) { return axis == 0 || axis == last ? AxisKind::Parallel : AxisKind::Windowed; });
}

Axes PoolOp::getIterationAxes() { return axesOfWindows(*this); }

Axes PoolCodeOp::getIterationAxes() { return axesOfWindows(*this); }

/// The result has two axes for each axis of windows.
Axes UnpoolOp::getIterationAxes() {
  const int64_t last = getOperand().getType().getRank() - 1;
  AxisList list(*this);
  list.addParallel({{0, 0}, {1, 0}}, {{0, 0}});
  for (int64_t axis = 1; axis < last; ++axis) {
    list.add(AxisKind::Windowed, {{0, axis}, {1, axis}}, {{0, 2 * axis - 1}});
    list.add(AxisKind::Windowed, {}, {{0, 2 * axis}});
  }
  list.addParallel({{0, last}, {1, last}}, {{0, getType().getRank() - 1}});
  return list.take();
}

/// Returns the axes of elements with a scale and a zero point. Each of these is one number, has one element for each
/// index of `axis`, or has one for each `block` of indices.
static Axes axesOfCodes(Operation *op, int64_t axis, int64_t block) {
  AxisList list(op);
  for (int64_t own = 0; own < rankOf(op->getResult(0)); ++own) {
    SmallVector<AxisList::Place> operands = {{0, own}};
    for (unsigned parameter : {1U, 2U})
      if (const int64_t rank = rankOf(op->getOperand(parameter)); rank > 0 && (block > 0 || own == axis))
        operands.push_back({parameter, block > 0 ? own : 0});
    list.add(block > 0 && own == axis ? AxisKind::Windowed : AxisKind::Parallel, operands, {{0, own}});
  }
  return list.take();
}

Axes QuantizeOp::getIterationAxes() { return axesOfCodes(*this, getAxis(), getBlock()); }

Axes DequantizeOp::getIterationAxes() { return axesOfCodes(*this, getAxis(), getBlock()); }

} // namespace nacre::nn
