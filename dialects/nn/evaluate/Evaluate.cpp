// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which operators may be evaluated, and folds small constants.

#include "dialects/nn/evaluate/Evaluate.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/Interfaces/FoldInterfaces.h"

using namespace mlir;

namespace nacre::nn {

namespace {

/// Limit of an evaluation's multiplications, or of the elements that it reads. They take about a tenth of a second. The
/// compiled model does larger work. A limit of the result's size would not help, because splats have any size.
constexpr int64_t maxSteps = int64_t(1) << 26;

/// Number of elements of the largest constant that a folder reads or creates.
constexpr int64_t maxFoldedElements = 64 * 1024;

/// Limit of the elements that products, reductions and softmax read in a folder. Splats do not reduce their work.
constexpr int64_t maxFoldedSteps = 1024 * 1024;

bool isSmall(Type type) { return cast<ShapedType>(type).getNumElements() <= maxFoldedElements; }

} // namespace

int64_t countReducedElements(Operation *op) {
  auto evaluated = dyn_cast<EvaluateInterface>(op);
  return evaluated ? evaluated.countReducedElements() : 0;
}

bool keepsSplats(Operation *op) {
  auto evaluated = dyn_cast<EvaluateInterface>(op);
  return !evaluated || evaluated.keepsSplats();
}

bool canEvaluate(Operation *op) {
  return isa<ReshapeOp>(op) || (isa<EvaluateInterface>(op) && countReducedElements(op) <= maxSteps);
}

bool keepsCodes(Operation *op) {
  auto dequantize = dyn_cast<DequantizeOp>(op);
  return dequantize && dequantize.getType().getNumElements() > 1;
}

FailureOr<ElementsAttr> evaluate(Operation *op, ArrayRef<ElementsAttr> operands) {
  if (!canEvaluate(op))
    return failure();
  if (auto reshape = dyn_cast<ReshapeOp>(op)) // A reshape has the data of its operand.
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
  return cast<EvaluateInterface>(op).evaluate(views);
}

FailureOr<ElementsAttr> evaluateSmall(Operation *op, ArrayRef<Attribute> operands) {
  if (op->getNumResults() == 0 || keepsCodes(op)) // A terminator has no results.
    return failure();
  SmallVector<ElementsAttr> constants;
  for (Attribute operand : operands) {
    auto constant = dyn_cast_or_null<ElementsAttr>(operand);
    if (!constant || !(constant.isSplat() || isSmall(constant.getType())))
      return failure();
    constants.push_back(constant);
  }
  if (constants.empty() || !isSmall(op->getResult(0).getType()) || countReducedElements(op) > maxFoldedSteps)
    return failure();
  return evaluate(op, constants);
}

namespace {

/// Folds every operator that has a value and that its own folder does not fold.
struct FoldSmallConstants : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  LogicalResult fold(Operation *op, ArrayRef<Attribute> operands,
                     SmallVectorImpl<OpFoldResult> &results) const override {
    FailureOr<ElementsAttr> value = evaluateSmall(op, operands);
    if (failed(value))
      return failure();
    results.push_back(*value);
    return success();
  }
};

} // namespace

void NnDialect::addFolding() { addInterfaces<FoldSmallConstants>(); }

} // namespace nacre::nn
