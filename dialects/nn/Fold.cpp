// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the folders of `nn`: identities always, constants while they are small.
// Why:   exporters' shape arithmetic must disappear as soon as it is built, while big weights are folded once, by the
//        pass that counts their bytes (nacre-fold-constants).
// How:   a folder first asks whether the operator does nothing, then whether a small constant says what it does. `x +
//        0` is x although -0.0 + 0.0 is 0.0: the sign of a zero is not part of a model's answer.

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/Evaluate.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;

namespace nacre::nn {

namespace {

/// Elements of the largest constant that a folder reads or makes.
constexpr int64_t maxFoldedElements = 64 * 1024;

bool isSmall(Type type) { return cast<ShapedType>(type).getNumElements() <= maxFoldedElements; }

/// Products, reductions and softmax that a folder computes read no more elements: a splat saves them no work.
constexpr int64_t maxFoldedSteps = 1024 * 1024;

/// The value of `op` if its operands are constants, and they and it are small or splats.
OpFoldResult foldSmall(Operation *op, ArrayRef<Attribute> operands) {
  SmallVector<ElementsAttr> constants;
  for (Attribute operand : operands) {
    auto constant = dyn_cast_or_null<ElementsAttr>(operand);
    if (!constant || !(constant.isSplat() || isSmall(constant.getType())))
      return {};
    constants.push_back(constant);
  }
  if (constants.empty() || !isSmall(op->getResult(0).getType()) || countReducedElements(op) > maxFoldedSteps)
    return {};
  FailureOr<ElementsAttr> value = evaluate(op, constants);
  if (failed(value))
    return {};
  return *value;
}

/// The one value of all elements of `attribute`, if it is a splat.
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

bool isIdentity(ArrayRef<int64_t> permutation) {
  for (auto [i, axis] : llvm::enumerate(permutation))
    if (int64_t(i) != axis)
      return false;
  return true;
}

bool isAll(ArrayRef<int64_t> values, int64_t value) {
  return llvm::all_of(values, [&](int64_t v) { return v == value; });
}

/// Whether `kind` with the constant `value` on its right gives its left operand back.
bool isNeutralOnRight(BinaryKind kind, double value) {
  switch (kind) {
  case BinaryKind::Add:
  case BinaryKind::Sub:
    return value == 0;
  case BinaryKind::Mul:
  case BinaryKind::Div:
  case BinaryKind::Pow:
    return value == 1;
  default:
    return false;
  }
}

bool isCommutative(BinaryKind kind) { return kind == BinaryKind::Add || kind == BinaryKind::Mul; }

} // namespace

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult UnaryOp::fold(FoldAdaptor adaptor) {
  auto inner = getOperand().getDefiningOp<UnaryOp>();
  UnaryKind kind = getKind();
  if (inner && inner.getKind() == kind) {
    if (kind == UnaryKind::Relu || kind == UnaryKind::Abs)
      return getOperand();
    if (kind == UnaryKind::Neg || kind == UnaryKind::Not || kind == UnaryKind::BitNot)
      return inner.getOperand();
  }
  return foldSmall(*this, adaptor.getOperands());
}

OpFoldResult BinaryOp::fold(FoldAdaptor adaptor) {
  if (getLhs().getType() == getType())
    if (std::optional<double> value = splatValue(adaptor.getRhs()); value && isNeutralOnRight(getKind(), *value))
      return getLhs();
  if (getRhs().getType() == getType() && isCommutative(getKind()))
    if (std::optional<double> value = splatValue(adaptor.getLhs()); value && isNeutralOnRight(getKind(), *value))
      return getRhs();
  return foldSmall(*this, adaptor.getOperands());
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (std::optional<double> condition = splatValue(adaptor.getCondition())) {
    Value chosen = *condition != 0 ? getOnTrue() : getOnFalse();
    if (chosen.getType() == getType())
      return chosen;
  }
  if (getOnTrue() == getOnFalse() && getOnTrue().getType() == getType())
    return getOnTrue();
  return foldSmall(*this, adaptor.getOperands());
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  return foldSmall(*this, adaptor.getOperands());
}

OpFoldResult MatMulOp::fold(FoldAdaptor adaptor) { return foldSmall(*this, adaptor.getOperands()); }

OpFoldResult ConvOp::fold(FoldAdaptor) { return {}; }

OpFoldResult PoolOp::fold(FoldAdaptor) {
  // A window of one element without padding takes every element as it is.
  bool one = isAll(getKernel(), 1) && isAll(getStrides(), 1) && isAll(getPads(), 0) && isAll(getOverhang(), 0);
  return one ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  bool alone = llvm::all_of(getAxes(), [&](int64_t axis) { return getOperand().getType().getDimSize(axis) == 1; });
  if (alone && getOperand().getType() == getType())
    return getOperand();
  return foldSmall(*this, adaptor.getOperands());
}

OpFoldResult ArgReduceOp::fold(FoldAdaptor adaptor) { return foldSmall(*this, adaptor.getOperands()); }

OpFoldResult SoftmaxOp::fold(FoldAdaptor adaptor) { return foldSmall(*this, adaptor.getOperands()); }

OpFoldResult NormalizeOp::fold(FoldAdaptor) { return {}; }

OpFoldResult LrnOp::fold(FoldAdaptor) { return {}; }

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
  return foldSmall(*this, adaptor.getOperands());
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
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
  return foldSmall(*this, adaptor.getOperands());
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getOperands().size() == 1)
    return getOperands().front();
  return foldSmall(*this, adaptor.getOperands());
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // The same size on every axis and steps of one leave no other start than zero.
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
  return foldSmall(*this, adaptor.getOperands());
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  if (isAll(getLow(), 0) && isAll(getHigh(), 0))
    return getOperand();
  return foldSmall(*this, adaptor.getOperands());
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) { return foldSmall(*this, adaptor.getOperands()); }

OpFoldResult ResizeOp::fold(FoldAdaptor) {
  // A scale of one maps every index to itself under every rule of coordinates.
  bool same = getOperand().getType() == getType() && llvm::all_of(getScales(), [](double scale) { return scale == 1; });
  return same ? OpFoldResult(getOperand()) : OpFoldResult();
}

} // namespace nacre::nn
