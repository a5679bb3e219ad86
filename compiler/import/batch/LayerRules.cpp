// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for operators with a fixed axis for the batch: products, convolutions, pools, recurrent layers and the like.

#include "compiler/import/batch/Rules.h"
#include "dialects/TensorTypes.h"

using namespace mlir;

namespace nacre::importer::batch {

/// The matrices of each row are multiplied separately if the batch is a leading axis. If only one operand has rows, the
/// batch may also be its axis that the product keeps.
LogicalResult apply(nn::MatMulOp op, BatchRewriter &rewriter) {
  const ArrayRef<int64_t> shape = op.getType().getShape();
  const int64_t rank = op.getType().getRank();
  const bool left = rewriter.hasRows(op.getLhs()), right = rewriter.hasRows(op.getRhs());
  auto aligned = [&](unsigned index) {
    OpOperand &operand = op->getOpOperand(index);
    return BatchRewriter::Aligned{&operand, rank - rankOf(operand.get()), true};
  };
  auto alignLeading = [&] {
    return rewriter.align({aligned(0), aligned(1)}, shape, [&](int64_t axis) { return axis < rank - 2; });
  };
  auto alignMatrix = [&]() -> std::optional<BatchAxis> {
    if (left && right)
      return std::nullopt;
    return rewriter.align({aligned(left ? 0 : 1)}, shape,
                          [&](int64_t axis) { return axis == (left ? rank - 2 : rank - 1); });
  };
  const BatchRewriter::Aligned first = aligned(left ? 0 : 1);
  const bool isLeading = rewriter.find(first.operand->get())->axis + first.shift < rank - 2;
  std::optional<BatchAxis> place = isLeading ? alignLeading() : alignMatrix();
  if (!place)
    place = isLeading ? alignMatrix() : alignLeading();
  if (!place)
    return rewriter.refuse(op, left && right ? "multiplies rows of the batch by one another" : "sums along the batch");
  rewriter.set(op.getResult(), *place);
  return success();
}

/// Rows of the batch attend separately if the batch is a leading axis of queries, keys and values.
LogicalResult apply(nn::AttentionOp op, BatchRewriter &rewriter) {
  const int64_t rank = op.getType().getRank();
  SmallVector<BatchRewriter::Aligned> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back({&operand, rank - rankOf(operand.get()), true});
  std::optional<BatchAxis> place =
      rewriter.align(operands, op.getType().getShape(), [&](int64_t axis) { return axis < rank - 2; });
  if (!place)
    return rewriter.refuse(op, "attends to rows of the batch from one another");
  rewriter.set(op.getResult(), *place);
  return success();
}

/// Applies the rule of operators with windows. The batch is axis 0 of the first operand. All other operands must be the
/// same for all rows.
static LogicalResult applyWindow(Operation *op, BatchRewriter &rewriter, StringRef reason) {
  for (Value other : llvm::drop_begin(op->getOperands()))
    if (rewriter.hasRows(other))
      return rewriter.refuse(op, "has a filter that differs from row to row of the batch");
  const ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  std::optional<BatchAxis> place =
      rewriter.alignAll(op->getOpOperands().take_front(1), shape, [](int64_t axis) { return axis == 0; });
  if (!place)
    return rewriter.refuse(op, reason);
  rewriter.set(op->getResult(0), *place);
  return success();
}

LogicalResult apply(nn::ConvOp op, BatchRewriter &rewriter) {
  return applyWindow(op, rewriter, "convolves along the batch");
}

LogicalResult apply(nn::ConvTransposeOp op, BatchRewriter &rewriter) {
  return applyWindow(op, rewriter, "convolves along the batch");
}

LogicalResult apply(nn::PoolOp op, BatchRewriter &rewriter) {
  return applyWindow(op, rewriter, "pools along the batch");
}

/// Moves the rows of each operand in `operands` to the axis that is paired with it. The rows of the results are at
/// `resultAxes`. Skips null operands.
static LogicalResult applyAt(Operation *op, BatchRewriter &rewriter, ArrayRef<std::pair<OpOperand *, int64_t>> operands,
                             ArrayRef<int64_t> resultAxes, StringRef reason) {
  // Rows that are merged with another axis stay merged: they are more images, or more sequences. A separate axis is
  // preferred.
  std::optional<BatchPlace> rows;
  for (auto [operand, axis] : operands)
    if (const BatchAxis *place = operand ? rewriter.find(operand->get()) : nullptr)
      for (const BatchPlace &choice : place->choices)
        if (choice.axis == axis && (!rows || choice.isAxisOfItsOwn()))
          rows = choice;
  if (!rows)
    return rewriter.refuse(op, reason);
  for (OpOperand &operand : op->getOpOperands())
    if (rewriter.hasRows(operand.get()) &&
        llvm::none_of(operands, [&](const auto &entry) { return entry.first == &operand; }))
      return rewriter.refuse(op, reason);
  for (auto [operand, axis] : operands)
    if (operand && failed(rewriter.conform(*operand, rows->at(axis))))
      return rewriter.refuse(op, reason);
  for (auto [result, axis] : llvm::zip_equal(op->getResults(), resultAxes))
    rewriter.set(result, BatchAxis(rows->at(axis)));
  return success();
}

LogicalResult apply(nn::RecurrentOp op, BatchRewriter &rewriter) {
  auto first = [](MutableOperandRange range) { return range.empty() ? nullptr : &*range.begin(); };
  return applyAt(op, rewriter,
                 {{&op.getInputMutable(), 1},
                  {first(op.getLengthsMutable()), 0},
                  {first(op.getInitialHMutable()), 0},
                  {first(op.getInitialCMutable()), 0}},
                 {1, 0, 0}, "is a recurrent layer whose weights or steps depend on the row of the batch");
}

LogicalResult apply(nn::SampleOp op, BatchRewriter &rewriter) {
  auto images = op.getImagesMutable();
  if (images.empty())
    return applyAt(op, rewriter, {{&op.getInputMutable(), 0}, {&op.getPositionsMutable(), 0}}, {0},
                   "samples images along the batch");
  // Each row of positions has the index of an image, which must be an index in the images of all rows.
  return applyAt(op, rewriter, {{&op.getPositionsMutable(), 0}, {&*images.begin(), 0}}, {0},
                 "samples images of the batch by their numbers");
}

LogicalResult apply(nn::NmsOp op, BatchRewriter &rewriter) {
  return applyAt(op, rewriter, {{&op.getBoxesMutable(), 0}, {&op.getScoresMutable(), 0}}, {0, 0},
                 "compares boxes of different rows, or has limits that depend on the row");
}

} // namespace nacre::importer::batch
