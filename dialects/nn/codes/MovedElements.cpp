// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MovedElements.h.

#include "dialects/nn/codes/MovedElements.h"

#include "dialects/nn/Layouts.h"
#include "dialects/nn/NnDialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::nn {

OperandRange movedOperands(Operation *op) {
  auto all = [&](Operation *) { return op->getOperands(); };
  return llvm::TypeSwitch<Operation *, OperandRange>(op)
      .Case<ReshapeOp, TransposeOp, BroadcastOp, SliceOp, ConcatOp, InterleaveOp, PadOp>(all)
      .Case([&](GatherOp) { return op->getOperands().take_front(); })
      .Case([&](PoolOp pool) { return op->getOperands().take_front(pool.getKind() == PoolKind::Max); })
      .Case([&](ResampleOp resample) { return op->getOperands().take_front(resample.keepsSplats()); })
      .Default([&](Operation *) { return op->getOperands().take_front(0); });
}

static int64_t countBefore(Dims shape, int64_t axis) {
  int64_t count = 1;
  for (int64_t size : shape.take_front(axis))
    count *= size;
  return count;
}

/// Returns the axis of `to` that has the same size as `axis` of `from`, and the same number of elements before it.
static std::optional<int64_t> throughShape(Dims from, Dims to, int64_t axis) {
  for (int64_t other = 0; other < int64_t(to.size()); ++other)
    if (to[other] == from[axis] && countBefore(to, other) == countBefore(from, axis))
      return other;
  return std::nullopt;
}

static Dims shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// True if `op` leaves `axis` unchanged. The operands of `op` must have the axes of its result.
static bool keepsAxis(Operation *op, int64_t axis) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](SliceOp slice) {
        return slice.getSteps()[axis] == 1 && slice.getSizes()[axis] == shapeOf(slice.getOperand())[axis];
      })
      .Case([&](ConcatOp concat) { return int64_t(concat.getAxis()) != axis; })
      .Case([&](PadOp pad) { return pad.getLow()[axis] == 0 && pad.getHigh()[axis] == 0; })
      // Windows of a pool move along the axes between the first and the last.
      .Case([&](PoolOp pool) { return axis == 0 || axis + 1 == cast<RankedTensorType>(pool.getType()).getRank(); })
      .Default([](Operation *) { return false; });
}

std::optional<int64_t> axisOfResult(Operation *op, int64_t axis) {
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return moveAxis(axis, transpose.getPermutation());
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return throughShape(shapeOf(reshape.getOperand()), shapeOf(reshape.getResult()), axis);
  return keepsAxis(op, axis) ? std::optional<int64_t>(axis) : std::nullopt;
}

std::optional<int64_t> axisOfOperand(Operation *op, int64_t axis) {
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return transpose.getPermutation()[axis];
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return throughShape(shapeOf(reshape.getResult()), shapeOf(reshape.getOperand()), axis);
  return keepsAxis(op, axis) ? std::optional<int64_t>(axis) : std::nullopt;
}

} // namespace nacre::nn
