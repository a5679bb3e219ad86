// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iteration axes of operators that move elements to other indices, which shapes and attributes decide.

#include "dialects/TensorTypes.h"
#include "dialects/nn/Counts.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/axes/ListAxes.h"

using namespace mlir;

namespace nacre::nn {

static AxisKind reorderedIf(bool isReordered) { return isReordered ? AxisKind::Reordered : AxisKind::Parallel; }

Axes TransposeOp::getIterationAxes() {
  AxisList list(*this);
  for (auto [axis, from] : llvm::enumerate(getPermutation()))
    list.addParallel({{0, from}}, {{0, int64_t(axis)}});
  return list.take();
}

/// Returns the axis of `to` with the size of axis `axis` of `from` and as many elements before it. Among axes of size 1
/// there may be several; then it returns `nullopt`.
static std::optional<int64_t> findSameAxis(Dims from, Dims to, int64_t axis) {
  std::optional<int64_t> found;
  int64_t before = 1;
  for (int64_t size : from.take_front(axis))
    before *= size;
  int64_t beforeOther = 1;
  for (auto [other, size] : llvm::enumerate(to)) {
    if (beforeOther == before && size == from[axis]) {
      if (found)
        return std::nullopt;
      found = int64_t(other);
    }
    beforeOther *= size;
  }
  return found;
}

/// An axis stays the same axis if its size and the number of elements before it stay the same. All other axes are split
/// or merged.
Axes ReshapeOp::getIterationAxes() {
  const Dims from = getOperand().getType().getShape(), to = getType().getShape();
  AxisList list(*this);
  SmallVector<bool> isKept(to.size(), false);
  for (int64_t axis = 0; axis < int64_t(from.size()); ++axis) {
    const std::optional<int64_t> same = findSameAxis(from, to, axis);
    if (same && findSameAxis(to, from, *same) == axis) {
      list.addParallel({{0, axis}}, {{0, *same}});
      isKept[*same] = true;
    } else {
      list.add(AxisKind::Reordered, {{0, axis}}, {});
    }
  }
  for (auto [axis, kept] : llvm::enumerate(isKept))
    if (!kept)
      list.add(AxisKind::Reordered, {}, {{0, int64_t(axis)}});
  return list.take();
}

/// Passes the count of either of two axes of size 1 to the one that is not dropped.
std::optional<AxisCounts> ReshapeOp::transferCounts(ArrayRef<AxisCounts> operands) {
  const Dims from = getOperand().getType().getShape(), to = getType().getShape();
  AxisCounts result(to.size());
  for (auto [axis, count] : llvm::enumerate(operands[0])) {
    if (!count)
      continue;
    const std::optional<int64_t> same = findSameAxis(from, to, int64_t(axis));
    if (!same || result[*same])
      return std::nullopt;
    result[*same] = count;
  }
  return result;
}

/// Elements of another width are split along a new last axis, or joined along the last axis.
Axes BitcastOp::getIterationAxes() {
  const int64_t from = getOperand().getType().getRank(), to = getType().getRank();
  AxisList list(*this);
  for (int64_t axis = 0; axis < std::min(from, to); ++axis)
    list.addParallel({{0, axis}}, {{0, axis}});
  if (from > to)
    list.add(AxisKind::Windowed, {{0, to}}, {});
  if (to > from)
    list.add(AxisKind::Windowed, {}, {{0, from}});
  return list.take();
}

Axes ConcatOp::getIterationAxes() {
  return sameAxes(*this, [&](int64_t axis) { return reorderedIf(axis == int64_t(getAxis())); });
}

Axes InterleaveOp::getIterationAxes() {
  return sameAxes(*this, [&](int64_t axis) { return reorderedIf(getStrides()[axis] != 1); });
}

Axes SliceOp::getIterationAxes() {
  const ArrayRef<int64_t> shape = getOperand().getType().getShape();
  return sameAxes(*this, [&](int64_t axis) {
    return reorderedIf(getSizes()[axis] != shape[axis] || (getSteps()[axis] != 1 && shape[axis] > 1));
  });
}

Axes PadOp::getIterationAxes() {
  return sameAxes(*this, [&](int64_t axis) { return reorderedIf(getLow()[axis] != 0 || getHigh()[axis] != 0); });
}

Axes ResampleOp::getIterationAxes() {
  return sameAxes(*this, [&](int64_t axis) {
    const auto *known = llvm::find(getAxes(), axis);
    if (known == getAxes().end())
      return AxisKind::Parallel;
    return isMove(known - getAxes().begin()) ? AxisKind::Reordered : AxisKind::Windowed;
  });
}

} // namespace nacre::nn
