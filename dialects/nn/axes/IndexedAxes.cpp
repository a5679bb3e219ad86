// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iteration axes of operators that read, write or select elements as values decide.

#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/axes/ListAxes.h"

using namespace mlir;

namespace nacre::nn {

/// The axes of the indices replace the gathered axis.
Axes GatherOp::getIterationAxes() {
  const int64_t gathered = getAxis(), indices = getIndices().getType().getRank();
  AxisList list(*this);
  list.add(AxisKind::Gathered, {{0, gathered}}, {});
  for (int64_t axis = 0; axis < indices; ++axis)
    list.addParallel({{1, axis}}, {{0, gathered + axis}});
  for (int64_t axis = 0; axis < getOperand().getType().getRank(); ++axis)
    if (axis != gathered)
      list.addParallel({{0, axis}}, {{0, axis < gathered ? axis : axis + indices - 1}});
  return list.take();
}

Axes GatherNdOp::getIterationAxes() {
  const int64_t shared = getBatchDims(), last = getIndices().getType().getRank() - 1;
  const int64_t firstOfSlice = shared + getIndices().getType().getDimSize(last);
  AxisList list(*this);
  for (int64_t axis = 0; axis < last; ++axis) {
    if (axis < shared)
      list.addParallel({{0, axis}, {1, axis}}, {{0, axis}});
    else
      list.addParallel({{1, axis}}, {{0, axis}});
  }
  list.add(AxisKind::Gathered, {{1, last}}, {});
  for (int64_t axis = shared; axis < getOperand().getType().getRank(); ++axis) {
    if (axis < firstOfSlice)
      list.add(AxisKind::Gathered, {{0, axis}}, {});
    else
      list.addParallel({{0, axis}}, {{0, axis - firstOfSlice + last}});
  }
  return list.take();
}

Axes ScatterNdOp::getIterationAxes() {
  const int64_t last = getIndices().getType().getRank() - 1, coordinates = getIndices().getType().getDimSize(last);
  AxisList list(*this);
  for (int64_t axis = 0; axis < last; ++axis)
    list.add(AxisKind::Gathered, {{1, axis}, {2, axis}}, {});
  list.add(AxisKind::Gathered, {{1, last}}, {});
  for (int64_t axis = 0; axis < getType().getRank(); ++axis) {
    if (axis < coordinates)
      list.add(AxisKind::Gathered, {{0, axis}}, {{0, axis}});
    else
      list.addParallel({{0, axis}, {2, axis - coordinates + last}}, {{0, axis}});
  }
  return list.take();
}

/// Returns the axes of an operator that reads or writes elements at indices along `gathered`. Along other axes the
/// indices may be shorter, so that the last elements of the operand are skipped.
static Axes axesOfElements(Operation *op, int64_t gathered) {
  const ArrayRef<int64_t> operand = shapeOf(op->getOperand(0)), indices = shapeOf(op->getOperand(1));
  return sameAxes(op, [&](int64_t axis) {
    if (axis == gathered)
      return AxisKind::Gathered;
    return operand[axis] == indices[axis] ? AxisKind::Parallel : AxisKind::Reordered;
  });
}

Axes GatherElementsOp::getIterationAxes() { return axesOfElements(*this, getAxis()); }

Axes ScatterElementsOp::getIterationAxes() { return axesOfElements(*this, getAxis()); }

/// Each row of positions belongs to an image: to the one with its index, or to the one that `images` selects.
Axes SampleOp::getIterationAxes() {
  const unsigned input = 0, positions = 1, images = 2;
  const int64_t points = getPositions().getType().getRank() - 1, channels = getInput().getType().getRank() - 1;
  AxisList list(*this);
  if (getImages()) {
    list.addParallel({{positions, 0}, {images, 0}}, {{0, 0}});
    list.add(AxisKind::Gathered, {{input, 0}}, {});
  } else {
    const bool isOfOne = getInput().getType().getDimSize(0) == getPositions().getType().getDimSize(0);
    list.add(isOfOne ? AxisKind::Parallel : AxisKind::Reordered, {{input, 0}, {positions, 0}}, {{0, 0}});
  }
  for (int64_t axis = 1; axis < points; ++axis)
    list.addParallel({{positions, axis}}, {{0, axis}});
  for (int64_t axis = 1; axis < channels; ++axis)
    list.add(AxisKind::Gathered, {{input, axis}}, {});
  list.add(AxisKind::Gathered, {{positions, points}}, {});
  list.addParallel({{input, channels}}, {{0, points}});
  return list.take();
}

Axes TopKOp::getIterationAxes() {
  return sameAxes(*this,
                  [&](int64_t axis) { return axis == int64_t(getAxis()) ? AxisKind::Gathered : AxisKind::Parallel; });
}

Axes CompactOp::getIterationAxes() {
  return sameAxes(*this, [](int64_t) { return AxisKind::Gathered; });
}

/// Rows are compared column by column, the first column first.
Axes UniqueOp::getIterationAxes() {
  AxisList list(*this);
  list.add(AxisKind::Gathered, {{0, 0}}, {{0, 0}, {1, 0}, {2, 0}});
  list.add(AxisKind::Windowed, {{0, 1}}, {});
  return list.take();
}

/// Images are independent, and so are classes, which share the boxes.
Axes NmsOp::getIterationAxes() {
  const unsigned boxes = 0, scores = 1, selected = 0, counts = 1;
  AxisList list(*this);
  list.addParallel({{boxes, 0}, {scores, 0}}, {{selected, 0}, {counts, 0}});
  list.addParallel({{scores, 1}}, {{selected, 1}, {counts, 1}});
  list.add(AxisKind::Gathered, {{boxes, 1}, {scores, 2}}, {{selected, 2}, {counts, 2}});
  list.add(AxisKind::Windowed, {{boxes, 2}}, {});
  return list.take();
}

} // namespace nacre::nn
