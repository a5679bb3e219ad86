// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MovedElements.h.

#include "dialects/nn/codes/MovedElements.h"

#include "dialects/TensorTypes.h"
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

/// Returns `own`, an axis of `to`, if it is as long as `axis` of `from`. An operand that broadcasts has fewer indices.
static std::optional<int64_t> ifSameSize(Value from, int64_t axis, Value to, int64_t own) {
  const bool isSame = own != Axis::absent && shapeOf(from)[axis] == shapeOf(to)[own];
  return isSame ? std::optional<int64_t>(own) : std::nullopt;
}

std::optional<int64_t> axisOfResult(Operation *op, int64_t axis) {
  const Axes axes = getIterationAxes(op);
  const Axis *found = findAxisOfOperand(axes, 0, axis);
  return found && found->isParallel() ? ifSameSize(op->getOperand(0), axis, op->getResult(0), found->results[0])
                                      : std::nullopt;
}

std::optional<int64_t> axisOfOperand(Operation *op, int64_t axis) {
  const Axes axes = getIterationAxes(op);
  const Axis *found = findAxisOfResult(axes, 0, axis);
  return found && found->isParallel() ? ifSameSize(op->getResult(0), axis, op->getOperand(0), found->operands[0])
                                      : std::nullopt;
}

} // namespace nacre::nn
