// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for operators without regions. The batch must be along an axis whose elements are independent. Operators state
// which ones these are (dialects/nn/Axes.h). The parts of this file are:
// 1. Words for an operator that combines rows.
// 2. The rule of all operators, and those that also change an attribute or the order of axes.

#include "compiler/import/batch/Rules.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::importer::batch {

//===----------------------------------------------------------------------===//
// 1. Words
//===----------------------------------------------------------------------===//

static constexpr StringLiteral isElsewhere =
    "combines tensors with the batch at different axes, or with values that differ from row to row";

static StringRef reasonOf(nn::AxisKind kind) {
  switch (kind) {
  case nn::AxisKind::Parallel:
    return isElsewhere;
  case nn::AxisKind::Reduced:
    return "reduces along the batch";
  case nn::AxisKind::Windowed:
    return "combines neighbouring rows of the batch";
  case nn::AxisKind::Gathered:
    return "selects rows of the batch by number";
  case nn::AxisKind::Reordered:
    return "moves elements between rows of the batch";
  }
  llvm_unreachable("all kinds are listed");
}

/// Completes the error "this operator ...". Names what the operator does, if its own word says more than the kind of
/// the axis along which the rows are.
static StringRef reasonOf(Operation *op, const BatchRewriter &rewriter) {
  OpOperand *rows =
      llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) { return rewriter.hasRows(operand.get()); });
  const nn::Axes axes = rewriter.getStatedAxes(op);
  const nn::Axis *axis = nn::findAxisOfOperand(axes, rows->getOperandNumber(), rewriter.find(rows->get())->axis);
  if (axis->isParallel())
    return llvm::TypeSwitch<Operation *, StringRef>(op)
        .Case<nn::MatMulOp>([](auto) { return "multiplies rows of the batch by one another"; })
        .Case<nn::AttentionOp>([](auto) { return "attends to rows of the batch from one another"; })
        .Case<nn::ConvOp, nn::ConvTransposeOp>(
            [](auto) { return "has a filter that differs from row to row of the batch"; })
        .Case<nn::GatherOp, nn::GatherNdOp>([](auto) { return "mixes the rows of the batch"; })
        .Case<nn::QuantizeOp, nn::DequantizeOp>([](auto) { return "has scales for single rows of the batch"; })
        .Default([](Operation *) { return isElsewhere; });
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<nn::ConcatOp>([](auto) { return "joins tensors along the batch"; })
      .Case<nn::SliceOp>([](auto) { return "selects some rows of the batch, or reorders them"; })
      .Case<nn::PadOp>([](auto) { return "adds rows to the batch, or removes some"; })
      .Case<nn::SoftmaxOp>([](auto) { return "computes a softmax along the batch"; })
      .Case<nn::MatMulOp>([](auto) { return "sums along the batch"; })
      .Case<nn::ArgReduceOp>([](auto) { return "compares elements along the batch"; })
      .Case<nn::CumulateOp>([](auto) { return "accumulates along the batch"; })
      .Case<nn::TopKOp>([](auto) { return "sorts along the batch"; })
      .Case<nn::CompactOp, nn::UniqueOp>(
          [](auto) { return "selects elements, as many as there are in all rows together"; })
      .Default([&](Operation *) { return reasonOf(axis->kind); });
}

//===----------------------------------------------------------------------===//
// 2. Rules
//===----------------------------------------------------------------------===//

LogicalResult applyAlongAxes(Operation *op, BatchRewriter &rewriter) {
  if (!isa<nn::AxesInterface>(op))
    return rewriter.refuse(op, "combines rows of the batch");
  return rewriter.passRows(op, rewriter.getStatedAxes(op)) ? success() : rewriter.refuse(op, reasonOf(op, rewriter));
}

/// The slice must take all rows. Its attributes have their number.
LogicalResult apply(nn::SliceOp op, BatchRewriter &rewriter) {
  if (failed(applyAlongAxes(op, rewriter)))
    return failure();
  SmallVector<int64_t> sizes(op.getSizes()), steps(op.getSteps());
  const int64_t axis = rewriter.find(op.getResult())->axis;
  sizes[axis] = op.getType().getDimSize(axis);
  steps[axis] = 1;
  op.setSizes(sizes);
  op.setSteps(steps);
  return success();
}

/// A reshape may merge the batch with other axes.
LogicalResult apply(nn::ReshapeOp op, BatchRewriter &rewriter) {
  std::optional<BatchAxis> place = throughReshape(rewriter.getStatedShape(op.getOperand()), op.getType().getShape(),
                                                  *rewriter.find(op.getOperand()), rewriter.getStated());
  if (!place)
    return rewriter.refuse(op, "mixes the batch with other axes in a new shape");
  rewriter.set(op.getResult(), *place);
  return success();
}

} // namespace nacre::importer::batch
