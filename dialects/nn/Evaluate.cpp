// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides what may be evaluated and hands each operator to its family.

#include "dialects/nn/Evaluate.h"
#include "dialects/nn/Evaluators.h"

#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;

namespace nacre::nn {

namespace {

/// Multiplications or elements read, above which the work is left to the compiled model: about a tenth of a second of
/// this interpreter. A splat of any size is a constant, so its bytes are no limit.
constexpr int64_t maxSteps = int64_t(1) << 26;

} // namespace

int64_t countReducedElements(Operation *op) {
  if (auto product = dyn_cast<MatMulOp>(op)) {
    int64_t elements = product.getType().getNumElements(), depth = product.getLhs().getType().getShape().back(), steps;
    return llvm::MulOverflow(elements, depth, steps) ? std::numeric_limits<int64_t>::max() : steps;
  }
  if (isa<ReduceOp, ArgReduceOp, SoftmaxOp>(op))
    return cast<RankedTensorType>(op->getOperand(0).getType()).getNumElements();
  return 0;
}

bool canEvaluate(Operation *op) {
  if (isa<MatMulOp, ReduceOp, ArgReduceOp, SoftmaxOp>(op))
    return countReducedElements(op) <= maxSteps;
  return isa<UnaryOp, BinaryOp, SelectOp, CastOp, ReshapeOp, BroadcastOp, TransposeOp, ConcatOp, SliceOp, PadOp,
             GatherOp>(op);
}

FailureOr<ElementsAttr> evaluate(Operation *op, ArrayRef<ElementsAttr> operands) {
  if (!canEvaluate(op))
    return failure();
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return reshapeConstant(operands.front(), reshape.getType());
  SmallVector<ConstantView> views;
  for (ElementsAttr operand : operands) {
    FailureOr<ConstantView> view = ConstantView::get(operand);
    if (failed(view))
      return failure();
    views.push_back(std::move(*view));
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getNumElements() == 0)
    return ConstantBuilder(type).take();
  if (isa<UnaryOp, BinaryOp, SelectOp, CastOp>(op))
    return evaluateElementwise(op, views);
  if (isa<MatMulOp, ReduceOp, ArgReduceOp, SoftmaxOp>(op))
    return evaluateReduction(op, views);
  return evaluateMovement(op, views);
}

} // namespace nacre::nn
