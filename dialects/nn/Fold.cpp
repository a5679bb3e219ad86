// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  folds operators of `nn` that have no effect, or the same effect as another operator.
// Why:   exporters write many such operators, and they hide patterns that passes look for.
// How:   each operator has a folder. Operators that it does not fold go to the dialect's folder, which computes small
//        constants (Evaluate.h). `x + 0` folds to x although -0.0 + 0.0 is 0.0, because the sign of a zero does not
//        matter in a model's result.

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace nacre::nn {

namespace {

/// Returns the value of all elements of `attribute`; `nullopt` if it is not a splat.
std::optional<double> splatValue(Attribute attribute) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!constant || !constant.isSplat())
    return std::nullopt;
  FailureOr<ConstantView> view = ConstantView::get(constant);
  if (failed(view))
    return std::nullopt;
  double value;
  view->read(0, 0, 1, &value);
  return value;
}

bool isAll(ArrayRef<int64_t> values, int64_t value) {
  return llvm::all_of(values, [&](int64_t v) { return v == value; });
}

/// True if `kind` returns its left operand when its right operand is `value`.
bool isNeutralOnRight(BinaryKind kind, double value) {
  const BinaryFacts &facts = getFacts(kind);
  return (facts.is(FunctionFacts::neutralZero) && value == 0) || (facts.is(FunctionFacts::neutralOne) && value == 1);
}

} // namespace

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult UnaryOp::fold(FoldAdaptor) {
  auto inner = getOperand().getDefiningOp<UnaryOp>();
  if (!inner || inner.getKind() != getKind())
    return {};
  const UnaryFacts &facts = getFacts(getKind());
  if (facts.is(FunctionFacts::idempotent))
    return getOperand();
  return facts.is(FunctionFacts::involution) ? OpFoldResult(inner.getOperand()) : OpFoldResult();
}

OpFoldResult BinaryOp::fold(FoldAdaptor adaptor) {
  if (getLhs().getType() == getType())
    if (std::optional<double> value = splatValue(adaptor.getRhs()); value && isNeutralOnRight(getKind(), *value))
      return getLhs();
  if (getRhs().getType() == getType() && getFacts(getKind()).is(FunctionFacts::commutative))
    if (std::optional<double> value = splatValue(adaptor.getLhs()); value && isNeutralOnRight(getKind(), *value))
      return getRhs();
  return {};
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (std::optional<double> condition = splatValue(adaptor.getCondition())) {
    Value chosen = *condition != 0 ? getOnTrue() : getOnFalse();
    if (chosen.getType() == getType())
      return chosen;
  }
  if (getOnTrue() == getOnFalse() && getOnTrue().getType() == getType())
    return getOnTrue();
  return {};
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  return {};
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<BitcastOp>()) {
    if (inner.getOperand().getType() == getType())
      return inner.getOperand();
    if (keepsShape() && inner.keepsShape()) {
      getOperandMutable().assign(inner.getOperand());
      return getResult();
    }
  }
  // A constant of any size folds: its bytes are shared, not copied.
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(adaptor.getOperand()))
    return ElementsAttr(DenseResourceElementsAttr::get(getType(), resource.getRawHandle()));
  return {};
}

OpFoldResult PoolOp::fold(FoldAdaptor) {
  // A window of one element without padding returns every element unchanged.
  bool one = isAll(getKernel(), 1) && isAll(getStrides(), 1) && isAll(getPads(), 0) && isAll(getOverhang(), 0);
  return one ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  bool alone = llvm::all_of(getAxes(), [&](int64_t axis) { return getOperand().getType().getDimSize(axis) == 1; });
  if (alone && getOperand().getType() == getType())
    return getOperand();
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  // A constant of any size folds: its bytes are shared, not copied.
  if (auto constant = dyn_cast_or_null<ElementsAttr>(adaptor.getOperand()))
    if (FailureOr<ElementsAttr> value = reshapeConstant(constant, getType()); succeeded(value))
      return *value;
  return {};
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<BroadcastOp>()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  if (constant && constant.isSplat())
    return constant.resizeSplat(getType());
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (isIdentity(getPermutation()))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> both;
    for (int64_t axis : getPermutation())
      both.push_back(inner.getPermutation()[axis]);
    setPermutation(both);
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return {};
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getOperands().size() == 1)
    return getOperands().front();
  return {};
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  // Equal sizes on every axis and steps of one imply that all starts are 0.
  if (getOperand().getType() == getType() && isAll(getSteps(), 1))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<SliceOp>()) {
    SmallVector<int64_t> starts, steps;
    for (auto [start, step, innerStart, innerStep] :
         llvm::zip(getStarts(), getSteps(), inner.getStarts(), inner.getSteps())) {
      starts.push_back(innerStart + start * innerStep);
      steps.push_back(step * innerStep);
    }
    setStarts(starts);
    setSteps(steps);
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return {};
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  if (isAll(getLow(), 0) && isAll(getHigh(), 0))
    return getOperand();
  return {};
}

OpFoldResult ResampleOp::fold(FoldAdaptor) { return getAxes().empty() ? OpFoldResult(getOperand()) : OpFoldResult(); }

} // namespace nacre::nn
