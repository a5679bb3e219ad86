// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. layouts by traits; 2. operators with their own rule; 3. their attributes; 4. the entry points.

#include "dialects/nn/Layouts.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nacre::nn {

//===----------------------------------------------------------------------===//
// 1. Facts
//===----------------------------------------------------------------------===//

OpLayouts sameForAll(Operation *op, Dims layout) {
  return {SmallVector<std::optional<Permutation>>(op->getNumOperands(), Permutation(layout)), Permutation(layout)};
}

std::optional<OpLayouts> transferBroadcast(Operation *op, Value value, Dims layout) {
  int64_t rank = typeOf(op->getResult(0)).getRank();
  // The layout of an operand of lower rank does not determine where the result's other axes are.
  if (typeOf(value).getRank() != rank)
    return std::nullopt;
  OpLayouts layouts = sameForAll(op, layout);
  layouts.broadcasts = true;
  for (auto [operand, operandLayout] : llvm::zip(op->getOperands(), layouts.operands))
    if (typeOf(operand).getRank() != rank)
      operandLayout.reset();
  return layouts;
}

//===----------------------------------------------------------------------===//
// 2. Rules
//===----------------------------------------------------------------------===//

/// Returns the layouts of a reduction. If the reduction drops its axes, the result's layout does not determine the
/// operand's.
static std::optional<OpLayouts> transferReduced(Operation *op, Value value, Dims layout, Dims axes, bool keepsAxes) {
  if (keepsAxes)
    return sameForAll(op, layout);
  if (value != op->getOperand(0))
    return std::nullopt;
  return OpLayouts{{Permutation(layout)}, dropAxes(layout, axes)};
}

std::optional<OpLayouts> ReduceOp::transferLayout(Value value, Dims layout) {
  return transferReduced(*this, value, layout, getAxes(), getKeepDims());
}

std::optional<OpLayouts> ArgReduceOp::transferLayout(Value value, Dims layout) {
  return transferReduced(*this, value, layout, int64_t(getAxis()), getKeepDims());
}

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

std::optional<OpLayouts> BitcastOp::transferLayout(Value, Dims layout) {
  return keepsShape() ? std::optional(sameForAll(*this, layout)) : std::nullopt;
}

/// Returns layouts only for indices of rank 1, which replace an axis by an axis.
std::optional<OpLayouts> GatherOp::transferLayout(Value value, Dims layout) {
  if (getIndices().getType().getRank() != 1 || value == getIndices())
    return std::nullopt;
  return OpLayouts{{Permutation(layout), std::nullopt}, Permutation(layout)};
}

/// Returns the layouts of a quantization. Scales and zero points have the operand's axes only if they are per block.
template <typename OpT> static std::optional<OpLayouts> transferCodes(OpT op, Value value, Dims layout) {
  OpLayouts layouts = sameForAll(op, layout);
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (index > 0 && (op.getBlock() == 0 || typeOf(operand).getRank() == 0)) {
      if (operand == value)
        return std::nullopt;
      layouts.operands[index].reset();
    }
  return layouts;
}

std::optional<OpLayouts> QuantizeOp::transferLayout(Value value, Dims layout) {
  return transferCodes(*this, value, layout);
}

std::optional<OpLayouts> DequantizeOp::transferLayout(Value value, Dims layout) {
  return transferCodes(*this, value, layout);
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
  return !layouts.operands[index] && layouts.broadcasts && typeOf(op->getOperand(index)).getNumElements() != 1;
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
