// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  verifies operators whose result type is stated (reshape, broadcast, cast, bitcast), and the recurrent layer,
//        whose operands constrain each other.
// Why:   all other operators are verified by comparing their result type with the inferred type (InferTypes.cpp).

#include "dialects/nn/NnDialect.h"
#include "dialects/nn/shapes/ShapeRules.h"

using namespace mlir;

namespace nacre::nn {

namespace {

/// Reports an error if a reshape or broadcast changes the element type.
template <typename OpT> LogicalResult verifySameElement(OpT op) {
  Type from = op.getOperand().getType().getElementType(), to = op.getType().getElementType();
  if (from == to)
    return success();
  return op.emitOpError("result must have the operand's element type ") << from << ", but has " << to;
}

} // namespace

LogicalResult CastOp::verify() {
  if (getOperand().getType().getShape() == getType().getShape())
    return success();
  return emitOpError("result must have the operand's shape, but they are ")
         << getType() << " and " << getOperand().getType();
}

LogicalResult BitcastOp::verify() {
  RankedTensorType wide = getOperand().getType(), narrow = getType();
  if (wide.getElementType().isInteger(1) || narrow.getElementType().isInteger(1))
    return emitOpError("must not be booleans, which have no defined bits, but they are ") << wide << " and " << narrow;
  if (wide.getElementTypeBitWidth() < narrow.getElementTypeBitWidth())
    std::swap(wide, narrow);
  Shape shape(wide.getShape());
  if (int64_t parts = wide.getElementTypeBitWidth() / narrow.getElementTypeBitWidth(); parts > 1)
    shape.push_back(parts);
  if (narrow.getShape() == Dims(shape) && countElements(shape))
    return success();
  return emitOpError("result must have the operand's bits, with a last axis that counts the parts of a wider element, "
                     "but they are ")
         << getType() << " and " << getOperand().getType();
}

LogicalResult ReshapeOp::verify() {
  std::optional<int64_t> from = countElements(getOperand().getType().getShape());
  std::optional<int64_t> to = countElements(getType().getShape());
  if (!from || !to || *from != *to)
    return emitOpError("result must have as many elements as the operand, but they are ")
           << getType() << " and " << getOperand().getType();
  return verifySameElement(*this);
}

LogicalResult BroadcastOp::verify() {
  llvm::Expected<Shape> shape = broadcastShapes({getOperand().getType().getShape(), getType().getShape()});
  if (!shape) {
    return emitOpError(llvm::toString(shape.takeError()));
  }
  if (Dims(*shape) != getType().getShape() || !countElements(*shape))
    return emitOpError("operand must broadcast to the result, but they are ")
           << getOperand().getType() << " and " << getType();
  return verifySameElement(*this);
}

LogicalResult RecurrentOp::verify() {
  Dims input = getInput().getType().getShape();
  int64_t batch = input[1], inputs = input[2];
  int64_t hidden = getRecurrence().getType().getShape()[0];
  int64_t gates = getKind() == CellKind::Lstm ? 4 : getKind() == CellKind::Gru ? 3 : 1;

  auto expectShape = [&](StringRef name, Value operand, Dims want) -> LogicalResult {
    if (!operand)
      return success();
    auto type = cast<RankedTensorType>(operand.getType());
    Type element = type.getElementType(), inputElement = getInput().getType().getElementType();
    if (isa<FloatType>(element) && element != inputElement)
      return emitOpError() << name << " must have the input's element type " << inputElement << ", but has " << element;
    if (type.getShape() == want)
      return success();
    return emitOpError() << name << " must have shape [" << want << "], but is " << type;
  };
  if (failed(expectShape("weights", getWeights(), {inputs, gates * hidden})) ||
      failed(expectShape("recurrence", getRecurrence(), {hidden, gates * hidden})) ||
      failed(expectShape("bias", getBias(), {2, gates * hidden})) ||
      failed(expectShape("lengths", getLengths(), {batch})) ||
      failed(expectShape("initial_h", getInitialH(), {batch, hidden})) ||
      failed(expectShape("initial_c", getInitialC(), {batch, hidden})) ||
      failed(expectShape("peepholes", getPeepholes(), {3, hidden})))
    return failure();

  size_t functions = getKind() == CellKind::Lstm ? 3 : getKind() == CellKind::Gru ? 2 : 1;
  if (getActivations().size() != functions)
    return emitOpError("must have ") << functions << " activations, but has " << getActivations().size();
  if (getKind() != CellKind::Lstm && (getInitialC() || getPeepholes() || getInputForget()))
    return emitOpError("must not have initial_c, peepholes or input_forget, which belong to 'lstm'");
  if (getKind() != CellKind::Gru && getLinearBeforeReset())
    return emitOpError("must not have linear_before_reset, which belongs to 'gru'");
  if (!(getClip().convertToDouble() >= 0))
    return emitOpError("clip must be 0 or more");
  return success();
}

} // namespace nacre::nn
