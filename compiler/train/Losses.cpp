// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Losses.h. No exponential here can overflow, for any output of a network.

#include "compiler/train/Losses.h"

using namespace mlir;

namespace nacre::train {

LossOperand findOperand(const Loss &loss, Value tensor) {
  LossOperand operand{tensor};
  if (loss.kind == Loss::Kind::SoftmaxCrossEntropy) {
    // The default is the last axis. For images it is axis 1, because models have the channels after the batch.
    operand.classes = loss.axis.value_or(rankOf(tensor) > 3 ? 1 : rankOf(tensor) - 1);
    if (auto softmax = tensor.getDefiningOp<nn::SoftmaxOp>())
      operand = {softmax.getOperand(), int64_t(softmax.getAxis()), true};
  }
  if (loss.kind == Loss::Kind::BinaryCrossEntropy)
    if (auto unary = tensor.getDefiningOp<nn::UnaryOp>(); unary && unary.getKind() == nn::UnaryKind::Sigmoid)
      operand = {unary.getOperand(), -1, true};
  return operand;
}

RankedTensorType labelTypeOf(const Loss &loss, const LossOperand &operand) {
  RankedTensorType type = typeOf(operand.value);
  if (loss.kind == Loss::Kind::Model)
    return {};
  if (loss.labelType == Loss::LabelType::F32)
    return type;
  Ints shape(type.getShape());
  shape.erase(shape.begin() + operand.classes);
  return RankedTensorType::get(shape,
                               IntegerType::get(type.getContext(), loss.labelType == Loss::LabelType::I64 ? 64 : 32));
}

/// Returns the mean of -log(probability of the right class).
static Value writeSoftmaxCrossEntropy(Writer &w, const Loss &loss, const LossOperand &operand, Value label) {
  const int64_t axis = operand.classes, rank = rankOf(operand.value);
  Value shares = nn::SoftmaxOp::create(w.getBuilder(), w.getLoc(), operand.value, axis, /*log=*/true);
  const int64_t rows = countOf(shapeOf(shares)) / std::max<int64_t>(shapeOf(shares)[axis], 1);
  if (loss.labelType == Loss::LabelType::F32)
    return w.mul(w.sumOfAll(w.mul(shares, label)), -1.0 / double(rows));
  Ints shape(shapeOf(shares));
  shape[axis] = 1;
  Value classes = w.counting(shapeOf(shares)[axis], axis, rank, typeOf(label).getElementType());
  Value isRight = w.equal(classes, w.reshape(label, shape));
  if (!loss.ignore)
    return w.mul(w.sumOfAll(w.where(isRight, shares)), -1.0 / double(rows));
  Value isCounted =
      w.unary(nn::UnaryKind::Not, w.equal(w.reshape(label, shape), w.number(label, double(*loss.ignore))));
  Value number = w.sumOfAll(w.convert(isCounted, typeOf(shares).getElementType()));
  return w.neg(w.div(w.sumOfAll(w.where(w.binary(nn::BinaryKind::And, isRight, isCounted), shares)), number));
}

Value writeLoss(Writer &w, const Loss &loss, const LossOperand &operand, Value label) {
  Value x = operand.value;
  switch (loss.kind) {
  case Loss::Kind::SoftmaxCrossEntropy:
    return writeSoftmaxCrossEntropy(w, loss, operand, label);
  case Loss::Kind::BinaryCrossEntropy:
    return w.meanOfAll(w.sub(w.unary(nn::UnaryKind::Softplus, x), w.mul(x, label)));
  case Loss::Kind::MeanSquaredError:
    return w.meanOfAll(w.square(w.sub(x, label)));
  case Loss::Kind::MeanAbsoluteError:
    return w.meanOfAll(w.unary(nn::UnaryKind::Abs, w.sub(x, label)));
  case Loss::Kind::Huber: {
    Value distance = w.unary(nn::UnaryKind::Abs, w.sub(x, label));
    Value isNear = w.binary(nn::BinaryKind::LessEqual, distance, loss.delta);
    Value linear = w.mul(w.add(distance, -loss.delta / 2), loss.delta);
    return w.meanOfAll(w.select(isNear, w.mul(w.square(distance), 0.5), linear));
  }
  case Loss::Kind::Model:
    return w.reshape(x, {});
  }
  llvm_unreachable("every loss has a formula");
}

} // namespace nacre::train
