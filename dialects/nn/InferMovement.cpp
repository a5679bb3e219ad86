// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result types of the operators of `nn` that move, pick and repeat elements.

#include "dialects/nn/InferTypes.h"

using namespace mlir;

namespace nacre::nn {

namespace {

PadReach reachOf(PadMode mode) {
  switch (mode) {
  case PadMode::Constant:
    return PadReach::Any;
  case PadMode::Edge:
    return PadReach::Edge;
  case PadMode::Reflect:
    return PadReach::ExtentLessOne;
  case PadMode::Wrap:
    return PadReach::Extent;
  }
  llvm_unreachable("all pad modes are above");
}

LogicalResult infer(MaybeLocation location, TransposeOp::Adaptor op, Types &types) {
  return finish(location, transposeShape(shapeOf(op.getOperand()), op.getPermutation()), elementOf(op.getOperand()),
                types);
}

LogicalResult infer(MaybeLocation location, ConcatOp::Adaptor op, Types &types) {
  SmallVector<Dims> shapes(llvm::map_range(op.getOperands(), shapeOf));
  for (Value operand : op.getOperands())
    if (elementOf(operand) != elementOf(op.getOperands().front()))
      return emitOptionalError(location, "operands must have one element type, but have ",
                               elementOf(op.getOperands().front()), " and ", elementOf(operand));
  Type element = shapes.empty() ? Type() : elementOf(op.getOperands().front());
  return finish(location, concatShape(shapes, op.getAxis()), element, types);
}

LogicalResult infer(MaybeLocation location, InterleaveOp::Adaptor op, Types &types) {
  SmallVector<Dims> shapes(llvm::map_range(op.getOperands(), shapeOf));
  for (Value operand : op.getOperands())
    if (elementOf(operand) != elementOf(op.getOperands().front()))
      return emitOptionalError(location, "operands must have one element type, but have ",
                               elementOf(op.getOperands().front()), " and ", elementOf(operand));
  Type element = shapes.empty() ? Type() : elementOf(op.getOperands().front());
  return finish(location, interleaveShape(shapes, op.getStrides()), element, types);
}

LogicalResult infer(MaybeLocation location, SliceOp::Adaptor op, Types &types) {
  return finish(location, sliceShape(shapeOf(op.getOperand()), op.getStarts(), op.getSizes(), op.getSteps()),
                elementOf(op.getOperand()), types);
}

LogicalResult infer(MaybeLocation location, PadOp::Adaptor op, Types &types) {
  Type element = elementOf(op.getOperand());
  if (op.getValue().getType() != element)
    return emitOptionalError(location, "value must be a scalar of the operand's element type ", element, ", but is ",
                             op.getValue());
  return finish(location, padShape(shapeOf(op.getOperand()), op.getLow(), op.getHigh(), reachOf(op.getMode())), element,
                types);
}

LogicalResult infer(MaybeLocation location, GatherOp::Adaptor op, Types &types) {
  return finish(location, gatherShape(shapeOf(op.getOperand()), shapeOf(op.getIndices()), op.getAxis()),
                elementOf(op.getOperand()), types);
}

} // namespace

NN_INFER(TransposeOp)
NN_INFER(ConcatOp)
NN_INFER(InterleaveOp)
NN_INFER(SliceOp)
NN_INFER(PadOp)
NN_INFER(GatherOp)

} // namespace nacre::nn
