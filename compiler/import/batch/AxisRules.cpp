// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for operators whose operands have the result's axes, or broadcast to them. The batch must not be an axis along
// which elements are combined, moved or selected. It must not be merged with such an axis, either.

#include "compiler/import/batch/Rules.h"

using namespace mlir;

namespace nacre::importer::batch {

static constexpr StringLiteral isElsewhere =
    "combines tensors with the batch at different axes, or with values that differ from row to row";

LogicalResult applyBroadcast(Operation *op, BatchRewriter &rewriter) {
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<BatchRewriter::Aligned> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back({&operand, type.getRank() - cast<RankedTensorType>(operand.get().getType()).getRank(), true});
  std::optional<BatchAxis> place = rewriter.align(operands, type.getShape(), [](int64_t) { return true; });
  if (!place)
    return rewriter.refuse(op, isElsewhere);
  rewriter.set(op->getResult(0), *place);
  return success();
}

/// Applies the rule of an operator whose `operands` and results have the same axes. If `allows` rejects the axis of the
/// rows, `reason` completes the error.
static LogicalResult applySame(Operation *op, MutableArrayRef<OpOperand> operands, BatchRewriter &rewriter,
                               BatchRewriter::Axes allows, StringRef reason) {
  const auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<BatchAxis> place = rewriter.alignAll(operands, type.getShape(), allows);
  if (!place) {
    const bool isElsewhereAllowed = llvm::all_of(operands, [&](OpOperand &operand) {
      const BatchAxis *own = rewriter.find(operand.get());
      return !own || allows(own->axis);
    });
    return rewriter.refuse(op, isElsewhereAllowed ? StringRef(isElsewhere) : reason);
  }
  for (Value result : op->getResults())
    rewriter.set(result, *place);
  return success();
}

LogicalResult apply(nn::ConcatOp op, BatchRewriter &rewriter) {
  auto allows = [&](int64_t axis) { return axis != int64_t(op.getAxis()); };
  return applySame(op, op->getOpOperands(), rewriter, allows, "joins tensors along the batch");
}

LogicalResult apply(nn::InterleaveOp op, BatchRewriter &rewriter) {
  auto allows = [&](int64_t axis) { return op.getStrides()[axis] == 1; };
  return applySame(op, op->getOpOperands(), rewriter, allows, "interleaves tensors along the batch");
}

LogicalResult apply(nn::SliceOp op, BatchRewriter &rewriter) {
  const SmallVector<int64_t> shape = rewriter.getStatedShape(op.getOperand());
  auto allows = [&](int64_t axis) {
    return op.getStarts()[axis] == 0 && op.getSizes()[axis] == shape[axis] &&
           (op.getSteps()[axis] == 1 || shape[axis] == 1);
  };
  if (failed(applySame(op, op->getOpOperands(), rewriter, allows, "selects some rows of the batch, or reorders them")))
    return failure();
  SmallVector<int64_t> sizes(op.getSizes()), steps(op.getSteps());
  const int64_t axis = rewriter.find(op.getResult())->axis;
  sizes[axis] = op.getType().getDimSize(axis);
  steps[axis] = 1;
  op.setSizes(sizes);
  op.setSteps(steps);
  return success();
}

LogicalResult apply(nn::PadOp op, BatchRewriter &rewriter) {
  auto allows = [&](int64_t axis) { return op.getLow()[axis] == 0 && op.getHigh()[axis] == 0; };
  return applySame(op, op->getOpOperands(), rewriter, allows, "adds rows to the batch, or removes some");
}

LogicalResult apply(nn::SoftmaxOp op, BatchRewriter &rewriter) {
  auto allows = [&](int64_t axis) { return axis != int64_t(op.getAxis()); };
  return applySame(op, op->getOpOperands(), rewriter, allows, "computes a softmax along the batch");
}

LogicalResult apply(nn::NormalizeOp op, BatchRewriter &rewriter) {
  auto allows = [&](int64_t axis) { return !llvm::is_contained(op.getAxes(), axis); };
  return applySame(op, op->getOpOperands(), rewriter, allows, "normalizes along the batch");
}

LogicalResult apply(nn::LrnOp op, BatchRewriter &rewriter) {
  auto allows = [&](int64_t axis) { return axis != op.getType().getRank() - 1; };
  return applySame(op, op->getOpOperands(), rewriter, allows, "normalizes along the batch");
}

LogicalResult apply(nn::CumulateOp op, BatchRewriter &rewriter) {
  auto allows = [&](int64_t axis) { return axis != int64_t(op.getAxis()); };
  return applySame(op, op->getOpOperands(), rewriter, allows, "accumulates along the batch");
}

LogicalResult apply(nn::ResampleOp op, BatchRewriter &rewriter) {
  auto allows = [&](int64_t axis) { return !llvm::is_contained(op.getAxes(), axis); };
  return applySame(op, op->getOpOperands(), rewriter, allows, "resamples along the batch");
}

LogicalResult apply(nn::TopKOp op, BatchRewriter &rewriter) {
  auto allows = [&](int64_t axis) { return axis != int64_t(op.getAxis()); };
  return applySame(op, op->getOpOperands(), rewriter, allows, "sorts along the batch");
}

LogicalResult apply(nn::GatherElementsOp op, BatchRewriter &rewriter) {
  auto allows = [&](int64_t axis) { return axis != int64_t(op.getAxis()); };
  return applySame(op, op->getOpOperands(), rewriter, allows, "selects elements along the batch");
}

LogicalResult apply(nn::ScatterElementsOp op, BatchRewriter &rewriter) {
  auto allows = [&](int64_t axis) { return axis != int64_t(op.getAxis()); };
  return applySame(op, op->getOpOperands(), rewriter, allows, "writes elements along the batch");
}

/// Applies the rule of operators that quantize or dequantize. Scales and zero points must be the same for all rows.
template <typename OpT> static LogicalResult applyCodes(OpT op, BatchRewriter &rewriter) {
  if (rewriter.hasRows(op.getScale()) || rewriter.hasRows(op.getZero()))
    return rewriter.refuse(op, isElsewhere);
  auto allows = [&](int64_t axis) { return op.isPerTensor() || (op.getBlock() == 0 && axis != int64_t(op.getAxis())); };
  return applySame(op, op->getOpOperands().take_front(), rewriter, allows, "has scales for single rows of the batch");
}

LogicalResult apply(nn::QuantizeOp op, BatchRewriter &rewriter) { return applyCodes(op, rewriter); }
LogicalResult apply(nn::DequantizeOp op, BatchRewriter &rewriter) { return applyCodes(op, rewriter); }

LogicalResult apply(nn::BitcastOp op, BatchRewriter &rewriter) {
  // If the new type is wider, the elements of the last axis are joined, and the result does not have that axis.
  auto allows = [&](int64_t axis) { return axis < op.getType().getRank(); };
  SmallVector<int64_t> shape(op.getType().getShape());
  std::optional<BatchAxis> place = rewriter.alignAll(op->getOpOperands(), shape, allows);
  if (!place)
    return rewriter.refuse(op, "joins the bits of several rows");
  rewriter.set(op.getResult(), *place);
  return success();
}

} // namespace nacre::importer::batch
