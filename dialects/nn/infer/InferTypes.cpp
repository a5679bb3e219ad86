// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  infers the result types of the operators of `nn` that compute elements, windows, rows and reductions.
// Why:   importers need not compute shapes, and the verifier compares types with the results of these functions.

#include "dialects/nn/infer/InferTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using llvm::AddOverflow;

namespace nacre::nn {

/// Finishes an inference: adds a result of `shape`, or reports the error in `shape`.
LogicalResult finish(MaybeLocation location, llvm::Expected<Shape> shape, Type element, Types &types) {
  if (!shape)
    return emitOptionalError(location, llvm::toString(shape.takeError()));
  if (!countElements(*shape))
    return emitOptionalError(location, "the result must fit into memory, but has shape [", Dims(*shape), "]");
  types.push_back(RankedTensorType::get(*shape, element));
  return success();
}

LogicalResult rejected(MaybeLocation location, llvm::Error error) {
  return emitOptionalError(location, llvm::toString(std::move(error)));
}

namespace {

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

bool isDefinedFor(const FunctionFacts &facts, Type type) {
  unsigned group = isFloat(type)  ? FunctionFacts::floats
                   : isBool(type) ? FunctionFacts::booleans
                                  : FunctionFacts::integers;
  return (facts.types & group) != 0;
}

LogicalResult checkElement(MaybeLocation location, UnaryKind kind, Type type) {
  if (isDefinedFor(getFacts(kind), type))
    return success();
  return emitOptionalError(location, "'", stringifyUnaryKind(kind),
                           "' must have an operand of a supported type, but has ", type);
}

LogicalResult checkElements(MaybeLocation location, BinaryKind kind, Type lhs, Type rhs) {
  const BinaryFacts &facts = getFacts(kind);
  if (lhs != rhs && !facts.is(FunctionFacts::mixed))
    return emitOptionalError(location, "'", stringifyBinaryKind(kind),
                             "' must have operands of the same element type, but has ", lhs, " and ", rhs);
  if (isDefinedFor(facts, lhs) && isDefinedFor(facts, rhs))
    return success();
  return emitOptionalError(location, "'", stringifyBinaryKind(kind),
                           "' must have operands of a supported type, but has ", lhs);
}

Type getCodeType(MLIRContext *context) { return IntegerType::get(context, 8, IntegerType::Unsigned); }

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult infer(MaybeLocation location, ConstantOp::Adaptor op, Types &types) {
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!type)
    return emitOptionalError(location, "value must be a tensor, but is ", op.getValue().getType());
  types.push_back(type);
  return success();
}

LogicalResult infer(MaybeLocation location, UnaryOp::Adaptor op, Types &types) {
  Type element = elementTypeOf(op.getOperand());
  if (failed(checkElement(location, op.getKind(), element)))
    return failure();
  if (getFacts(op.getKind()).is(FunctionFacts::predicate))
    element = IntegerType::get(element.getContext(), 1);
  types.push_back(typeOf(op.getOperand()).clone(element));
  return success();
}

LogicalResult infer(MaybeLocation location, BinaryOp::Adaptor op, Types &types) {
  Type element = elementTypeOf(op.getLhs());
  if (failed(checkElements(location, op.getKind(), element, elementTypeOf(op.getRhs()))))
    return failure();
  if (getFacts(op.getKind()).is(FunctionFacts::predicate))
    element = IntegerType::get(element.getContext(), 1);
  return finish(location, broadcastShapes({shapeOf(op.getLhs()), shapeOf(op.getRhs())}), element, types);
}

LogicalResult infer(MaybeLocation location, SelectOp::Adaptor op, Types &types) {
  Type element = elementTypeOf(op.getOnTrue());
  if (element != elementTypeOf(op.getOnFalse()))
    return emitOptionalError(location, "both choices must have the same element type, but have ", element, " and ",
                             elementTypeOf(op.getOnFalse()));
  return finish(location,
                broadcastShapes({shapeOf(op.getCondition()), shapeOf(op.getOnTrue()), shapeOf(op.getOnFalse())}),
                element, types);
}

LogicalResult infer(MaybeLocation location, RequantizeOp::Adaptor op, Types &types) {
  return finish(location,
                broadcastShapes({shapeOf(op.getOperand()), shapeOf(op.getMultiplier()), shapeOf(op.getShift())}),
                elementTypeOf(op.getMultiplier()), types);
}

template <typename Adaptor> LogicalResult checkCodeParameters(MaybeLocation location, Adaptor op) {
  const auto axis = int64_t(op.getAxis()), block = int64_t(op.getBlock());
  for (auto [name, parameter] : {std::pair("scale", op.getScale()), std::pair("zero", op.getZero())})
    if (llvm::Error error = checkCodeParameter(name, shapeOf(op.getOperand()), shapeOf(parameter), axis, block))
      return rejected(location, std::move(error));
  return success();
}

LogicalResult infer(MaybeLocation location, QuantizeOp::Adaptor op, Types &types) {
  if (elementTypeOf(op.getOperand()) != elementTypeOf(op.getScale()))
    return emitOptionalError(location, "operand and scale must have the same element type, but have ",
                             elementTypeOf(op.getOperand()), " and ", elementTypeOf(op.getScale()));
  types.push_back(typeOf(op.getOperand()).clone(elementTypeOf(op.getZero())));
  return checkCodeParameters(location, op);
}

LogicalResult infer(MaybeLocation location, DequantizeOp::Adaptor op, Types &types) {
  Type code = elementTypeOf(op.getOperand()), zero = elementTypeOf(op.getZero());
  if (zero != code && !isFloat(zero))
    return emitOptionalError(location, "zero must have the operand's element type ", code, " or be a float, but has ",
                             zero);
  types.push_back(typeOf(op.getOperand()).clone(elementTypeOf(op.getScale())));
  return checkCodeParameters(location, op);
}

LogicalResult infer(MaybeLocation location, PoolOp::Adaptor op, Types &types) {
  Type element = elementTypeOf(op.getInput());
  if (isBool(element) || (op.getKind() == PoolKind::Average && !isFloat(element)))
    return emitOptionalError(location, "the input must have a type that can be pooled, but has ", element);
  Window window{op.getKernel(), op.getStrides(), op.getPads(), op.getDilations(), op.getOverhang()};
  return finish(location, poolShape(shapeOf(op.getInput()), window), element, types);
}

LogicalResult infer(MaybeLocation location, PoolCodeOp::Adaptor op, Types &types) {
  Type element = elementTypeOf(op.getInput());
  if (isBool(element) || element != elementTypeOf(op.getMaxima()))
    return emitOptionalError(location, "input and maxima must have the same type, which can be pooled, but have ",
                             element, " and ", elementTypeOf(op.getMaxima()));
  Window window{op.getKernel(), op.getStrides(), op.getPads(), op.getDilations(), op.getOverhang()};
  llvm::Expected<Shape> shape = poolShape(shapeOf(op.getInput()), window);
  if (shape && Dims(*shape) != shapeOf(op.getMaxima()))
    return emitOptionalError(location, "maxima must have shape [", Dims(*shape), "], but are ",
                             op.getMaxima().getType());
  if (shape)
    if (llvm::Error error = checkCodes(op.getKernel()))
      return rejected(location, std::move(error));
  return finish(location, std::move(shape), getCodeType(element.getContext()), types);
}

LogicalResult infer(MaybeLocation location, UnpoolOp::Adaptor op, Types &types) {
  Type element = elementTypeOf(op.getOperand());
  if (isBool(element) || elementTypeOf(op.getCode()) != getCodeType(element.getContext()) ||
      shapeOf(op.getOperand()) != shapeOf(op.getCode()))
    return emitOptionalError(location, "operand and codes (ui8) must have the same shape, but are ",
                             op.getOperand().getType(), " and ", op.getCode().getType());
  return finish(location,
                unpoolShape(shapeOf(op.getOperand()), {op.getKernel(), op.getStrides(), {}, op.getDilations()}),
                element, types);
}

LogicalResult infer(MaybeLocation location, ReduceOp::Adaptor op, Types &types) {
  return finish(location, reduceShape(shapeOf(op.getOperand()), op.getAxes(), op.getKeepDims()),
                elementTypeOf(op.getOperand()), types);
}

LogicalResult infer(MaybeLocation location, ArgReduceOp::Adaptor op, Types &types) {
  Dims shape = shapeOf(op.getOperand());
  int64_t axis = op.getAxis();
  if (llvm::Error error = checkAxis(axis, shape.size()))
    return rejected(location, std::move(error));
  if (shape[axis] == 0)
    return emitOptionalError(location, "axis ", axis, " must not be empty");
  return finish(location, reduceShape(shape, axis, op.getKeepDims()),
                IntegerType::get(op.getOperand().getContext(), 64), types);
}

/// Rules of the operators whose definition states the fact `keepsType`.
#define ROW(OP)                                                                                                        \
  LogicalResult infer(MaybeLocation location, OP::Adaptor op, Types &types) {                                          \
    if (llvm::Error error = checkAxis(op.getAxis(), shapeOf(op.getOperand()).size()))                                  \
      return rejected(location, std::move(error));                                                                     \
    types.push_back(op.getOperand().getType());                                                                        \
    return success();                                                                                                  \
  }
NN_KEPT_TYPE_ROWS(ROW)
#undef ROW

LogicalResult infer(MaybeLocation location, NormalizeOp::Adaptor op, Types &types) {
  if (op.getAxes().empty())
    return emitOptionalError(location, "axes must name at least one axis to normalize over");
  if (llvm::Error error = checkAxes(op.getAxes(), shapeOf(op.getOperand()).size()))
    return rejected(location, std::move(error));
  types.push_back(op.getOperand().getType());
  return success();
}

LogicalResult infer(MaybeLocation location, LrnOp::Adaptor op, Types &types) {
  int64_t size = op.getSize();
  Dims shape = shapeOf(op.getOperand());
  if (size < 1 || shape.empty())
    return emitOptionalError(location, "size must be 1 or more and the operand must have channels, but size is ", size,
                             " and the operand's type ", op.getOperand().getType());
  Shape padded(shape);
  if (AddOverflow(padded.back(), size - 1, padded.back()) || !countElements(padded))
    return emitOptionalError(location, "the channel-padded operand must fit into memory, but size is ", size);
  types.push_back(op.getOperand().getType());
  return success();
}

} // namespace

NN_INFER(ConstantOp)
NN_INFER(UnaryOp)
NN_INFER(BinaryOp)
NN_INFER(SelectOp)
NN_INFER(RequantizeOp)
NN_INFER(QuantizeOp)
NN_INFER(DequantizeOp)
NN_INFER(PoolOp)
NN_INFER(PoolCodeOp)
NN_INFER(UnpoolOp)
NN_INFER(ReduceOp)
NN_INFER(ArgReduceOp)
NN_INFER(NormalizeOp)
NN_INFER(LrnOp)
NN_KEPT_TYPE_ROWS(NN_INFER)

} // namespace nacre::nn
