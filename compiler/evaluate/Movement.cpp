// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that move elements, but compute nothing.

#include "compiler/evaluate/Operators.h"
#include "compiler/evaluate/Walks.h"

using namespace mlir;

namespace nacre::evaluate {
namespace {

/// Returns a tensor whose element at an index is element `start` plus index times `strides` of `x`.
Tensor readStrided(RankedTensorType type, const Tensor &x, int64_t start, const Shape &strides) {
  Tensor result(type);
  Cell *to = result.write();
  const Shape all[] = {strides};
  forEachElement(type.getShape(), all, [&](int64_t i, const int64_t *at) { to[i] = x[start + *at]; });
  return result;
}

/// Returns the element that is at position `i` of a padded axis, or -1 for the padding value. The axis has `extent`
/// elements.
int64_t sourceOf(nn::PadMode mode, int64_t i, int64_t extent) {
  const bool isBefore = i < 0, isBehind = i >= extent;
  switch (mode) {
  case nn::PadMode::Constant:
    return isBefore || isBehind ? -1 : i;
  case nn::PadMode::Edge:
    return isBefore ? 0 : isBehind ? extent - 1 : i;
  case nn::PadMode::Wrap:
    return isBefore ? i + extent : isBehind ? i - extent : i;
  case nn::PadMode::Reflect:
    return isBefore ? -i : isBehind ? 2 * (extent - 1) - i : i;
  case nn::PadMode::Symmetric:
    return isBefore ? -1 - i : isBehind ? 2 * extent - 1 - i : i;
  }
  llvm_unreachable("all modes are above");
}

} // namespace

Tensor evaluate(nn::ReshapeOp op, Operands operands) { return operands[0].withType(op.getType()); }

Tensor evaluate(nn::BroadcastOp op, Operands operands) {
  return readStrided(op.getType(), operands[0], 0, broadcastStridesOf(operands[0].getShape(), op.getType().getShape()));
}

Tensor evaluate(nn::TransposeOp op, Operands operands) {
  const Shape own = stridesOf(operands[0].getShape());
  Shape strides;
  for (int64_t axis : op.getPermutation())
    strides.push_back(own[axis]);
  return readStrided(op.getType(), operands[0], 0, strides);
}

Tensor evaluate(nn::SliceOp op, Operands operands) {
  const Shape own = stridesOf(operands[0].getShape());
  Shape strides;
  for (auto [step, stride] : llvm::zip(op.getSteps(), own))
    strides.push_back(step * stride);
  return readStrided(op.getType(), operands[0], positionOf(op.getStarts(), own), strides);
}

Tensor evaluate(nn::ConcatOp op, Operands operands) {
  Tensor result(op.getType());
  const auto axis = int64_t(op.getAxis());
  const Dims shape = result.getShape();
  const int64_t outer = product(shape.take_front(axis)), inner = product(shape.drop_front(axis + 1));
  int64_t begin = 0; // begin of an operand along the axis
  for (const Tensor &operand : operands) {
    const int64_t block = operand.getShape()[axis] * inner;
    for (int64_t o = 0; o < outer; ++o)
      std::copy_n(operand.begin() + o * block, block, result.write() + (o * shape[axis] + begin) * inner);
    begin += operand.getShape()[axis];
  }
  return result;
}

Tensor evaluate(nn::InterleaveOp op, Operands operands) {
  Tensor result(op.getType());
  Cell *to = result.write();
  const Shape own = stridesOf(result.getShape());
  Shape strides;
  for (auto [every, stride] : llvm::zip(op.getStrides(), own))
    strides.push_back(every * stride);
  size_t number = 0;
  forEachIndex(op.getStrides(), [&](Dims first) {
    const Tensor &operand = operands[number++];
    const int64_t start = positionOf(first, own);
    const Shape all[] = {strides};
    forEachElement(operand.getShape(), all, [&](int64_t i, const int64_t *at) { to[start + *at] = operand[i]; });
  });
  return result;
}

Tensor evaluate(nn::PadOp op, Operands operands) {
  const Tensor &x = operands[0];
  Cell filler{};
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    filler.number = number.getValueAsDouble();
  else
    filler.integer = wrapTo(x.getElementType(), cast<IntegerAttr>(op.getValue()).getValue().getSExtValue());
  const Shape strides = stridesOf(x.getShape());
  Tensor result(op.getType());
  Cell *to = result.write();
  forEachIndex(result.getShape(), [&](Dims index) {
    int64_t from = 0;
    bool isInside = true;
    for (size_t axis = 0; axis < index.size(); ++axis) {
      const int64_t source = sourceOf(op.getMode(), index[axis] - op.getLow()[axis], x.getShape()[axis]);
      isInside &= source >= 0;
      from += source * strides[axis];
    }
    *to++ = isInside ? x[from] : filler;
  });
  return result;
}

} // namespace nacre::evaluate
