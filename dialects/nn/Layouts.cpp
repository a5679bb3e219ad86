// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. layouts by iteration axes; 2. operators with their own rule; 3. their attributes; 4. the entry points.

#include "dialects/nn/Layouts.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nacre::nn {

//===----------------------------------------------------------------------===//
// 1. Axes
//===----------------------------------------------------------------------===//

/// Returns the iteration axes of `op` in the order that `layout` gives to the axes of `value`.
static SmallVector<const Axis *> orderAxes(ArrayRef<Axis> axes, Operation *op, Value value, Dims layout) {
  const bool isResult = value == op->getResult(0);
  const auto operand = unsigned(llvm::find(op->getOperands(), value) - op->operand_begin());
  SmallVector<const Axis *> ordered;
  for (int64_t axis : layout)
    ordered.push_back(isResult ? findAxisOfResult(axes, 0, axis) : findAxisOfOperand(axes, operand, axis));
  return ordered;
}

std::optional<OpLayouts> transferByAxes(Operation *op, Value value, Dims layout) {
  const Axes axes = getIterationAxes(op);
  const SmallVector<const Axis *> ordered = orderAxes(axes, op, value, layout);
  auto layoutOf = [&](auto axisIn) {
    Permutation own;
    for (const Axis *axis : ordered)
      if (axisIn(*axis) != Axis::absent)
        own.push_back(axisIn(*axis));
    return own;
  };
  OpLayouts layouts;
  layouts.result = layoutOf([](const Axis &axis) { return axis.results[0]; });
  const int64_t rank = rankOf(op->getResult(0));
  // The layout of `value` does not determine where axes are that it lacks.
  if (int64_t(layouts.result.size()) != rank)
    return std::nullopt;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    std::optional<Permutation> &own = layouts.operands.emplace_back();
    if (rankOf(operand) < rank)
      continue;
    own = layoutOf([&, index = index](const Axis &axis) { return axis.operands[index]; });
    if (int64_t(own->size()) != rankOf(operand))
      return std::nullopt;
  }
  return layouts;
}

//===----------------------------------------------------------------------===//
// 2. Rules
//===----------------------------------------------------------------------===//

/// Axes that are split or merged move together.
std::optional<OpLayouts> ReshapeOp::transferLayout(Value value, Dims layout) {
  Dims from = getOperand().getType().getShape(), to = getType().getShape();
  bool forward = value == getOperand();
  std::optional<Permutation> other = forward ? throughReshape(from, to, layout) : throughReshape(to, from, layout);
  if (!other)
    return std::nullopt;
  if (forward)
    return OpLayouts{{Permutation(layout)}, *other};
  return OpLayouts{{other}, Permutation(layout)};
}

/// Elements of another width are split or joined along the last axis, which must stay the last one.
std::optional<OpLayouts> BitcastOp::transferLayout(Value value, Dims layout) {
  return keepsShape() ? transferByAxes(*this, value, layout) : std::nullopt;
}

/// Returns layouts only for indices of rank 1, which replace an axis by an axis.
std::optional<OpLayouts> GatherOp::transferLayout(Value value, Dims layout) {
  if (getIndices().getType().getRank() != 1 || value == getIndices())
    return std::nullopt;
  return OpLayouts{{Permutation(layout), std::nullopt}, Permutation(layout)};
}

//===----------------------------------------------------------------------===//
// 3. Attributes
//===----------------------------------------------------------------------===//

void ReduceOp::moveAttributes(const OpLayouts &layouts) { setAxes(moveAxes(getAxes(), *layouts.operands[0])); }

void ArgReduceOp::moveAttributes(const OpLayouts &layouts) { setAxis(moveAxis(getAxis(), *layouts.operands[0])); }

void ReshapeOp::moveAttributes(const OpLayouts &) {}

void QuantizeOp::moveAttributes(const OpLayouts &layouts) {
  if (!isPerTensor())
    setAxis(moveAxis(getAxis(), layouts.result));
}

void DequantizeOp::moveAttributes(const OpLayouts &layouts) {
  if (!isPerTensor())
    setAxis(moveAxis(getAxis(), layouts.result));
}

void BitcastOp::moveAttributes(const OpLayouts &) {}

void GatherOp::moveAttributes(const OpLayouts &layouts) { setAxis(moveAxis(getAxis(), layouts.result)); }

void PadOp::moveAttributes(const OpLayouts &layouts) {
  setLow(permute(getLow(), layouts.result));
  setHigh(permute(getHigh(), layouts.result));
}

void SliceOp::moveAttributes(const OpLayouts &layouts) {
  setStarts(permute(getStarts(), layouts.result));
  setSizes(permute(getSizes(), layouts.result));
  setSteps(permute(getSteps(), layouts.result));
}

/// Sorts the axes, and moves each table together with its axis.
void ResampleOp::moveAttributes(const OpLayouts &layouts) {
  SmallVector<int64_t> moved = moveAxes(getAxes(), layouts.result);
  SmallVector<Attribute> indices, weights;
  for (int64_t axis : moved) {
    const auto *from = llvm::find(getAxes(), layouts.result[axis]);
    indices.push_back(getIndices()[from - getAxes().begin()]);
    weights.push_back(getWeights()[from - getAxes().begin()]);
  }
  setAxes(moved);
  setIndicesAttr(ArrayAttr::get(getContext(), indices));
  setWeightsAttr(ArrayAttr::get(getContext(), weights));
}

//===----------------------------------------------------------------------===//
// 4. Entry points
//===----------------------------------------------------------------------===//

std::optional<OpLayouts> transferLayout(Operation *op, Value value, Dims layout) {
  auto follower = dyn_cast<LayoutInterface>(op);
  return follower ? follower.transferLayout(value, layout) : std::nullopt;
}

bool isAlignedOperand(Operation *op, unsigned index, const OpLayouts &layouts) {
  // A single element broadcasts in any layout.
  return !layouts.operands[index] && op->hasTrait<Broadcasts>() && typeOf(op->getOperand(index)).getNumElements() != 1;
}

Operation *rebuildInLayout(OpBuilder &builder, Operation *op, ValueRange stored, const OpLayouts &layouts) {
  IRMapping operands;
  Operation *rebuilt = builder.clone(*op, operands);
  rebuilt->setOperands(stored);
  auto type = typeOf(op->getResult(0));
  rebuilt->getResult(0).setType(RankedTensorType::get(permute(type.getShape(), layouts.result), type.getElementType()));
  cast<LayoutInterface>(rebuilt).moveAttributes(layouts);
  return rebuilt;
}

} // namespace nacre::nn
