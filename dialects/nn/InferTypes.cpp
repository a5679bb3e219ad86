// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the result types of every operator of `nn`.
// Why:   an importer never computes a shape, and the verifier compares what it finds with what these functions say.
// How:   1. operands and attributes are there and well-formed, which a parser of text does not yet know here,
//        2. element types obey the operator, 3. the shape comes from ShapeRules.h.

#include "dialects/nn/NnDialect.h"
#include "dialects/nn/ShapeRules.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using llvm::AddOverflow;

namespace nacre::nn {

namespace {

//===----------------------------------------------------------------------===//
// 1. Well-formed
//===----------------------------------------------------------------------===//

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
Dims shapeOf(Value value) { return typeOf(value).getShape(); }
Type elementOf(Value value) { return typeOf(value).getElementType(); }

/// The properties of an operator to be made. A parser of text hands attributes over as a dictionary still.
template <typename OpT>
FailureOr<typename OpT::Properties> readProperties(Location location, DictionaryAttr attributes,
                                                   OpaqueProperties given) {
  typename OpT::Properties properties;
  if (given)
    properties = *given.as<typename OpT::Properties *>();
  if (attributes && failed(OpT::setPropertiesFromAttr(properties, attributes, [&] { return emitError(location); })))
    return failure();
  return properties;
}

template <typename Adaptor> LogicalResult checkWellFormed(Location location, ValueRange operands, Adaptor adaptor) {
  for (Value operand : operands) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
      return emitError(location, "operands must be tensors of static shape, but one is ") << operand.getType();
  }
  return adaptor.verify(location);
}

//===----------------------------------------------------------------------===//
// 2. Element types
//===----------------------------------------------------------------------===//

bool isFloat(Type type) { return isa<FloatType>(type); }
bool isBool(Type type) { return type.isSignlessInteger(1); }

bool isDefinedFor(const FunctionFacts &facts, Type type) {
  unsigned group = isFloat(type)  ? FunctionFacts::floats
                   : isBool(type) ? FunctionFacts::booleans
                                  : FunctionFacts::integers;
  return (facts.types & group) != 0;
}

LogicalResult checkElement(std::optional<Location> location, UnaryKind kind, Type type) {
  if (isDefinedFor(getFacts(kind), type))
    return success();
  return emitOptionalError(location, "'", stringifyUnaryKind(kind),
                           "' must have an operand of a type it is defined for, but has ", type);
}

LogicalResult checkElements(std::optional<Location> location, BinaryKind kind, Type lhs, Type rhs) {
  const BinaryFacts &facts = getFacts(kind);
  if (lhs != rhs && !facts.is(FunctionFacts::mixed))
    return emitOptionalError(location, "'", stringifyBinaryKind(kind),
                             "' must have operands of one element type, but has ", lhs, " and ", rhs);
  if (isDefinedFor(facts, lhs) && isDefinedFor(facts, rhs))
    return success();
  return emitOptionalError(location, "'", stringifyBinaryKind(kind),
                           "' must have operands of a type it is defined for, but has ", lhs);
}

//===----------------------------------------------------------------------===//
// 3. Shapes
//===----------------------------------------------------------------------===//

/// Ends an inference: the one result has `shape`, or the rule's reason becomes the error.
LogicalResult finish(std::optional<Location> location, llvm::Expected<Shape> shape, Type element,
                     SmallVectorImpl<Type> &types) {
  if (!shape)
    return emitOptionalError(location, llvm::toString(shape.takeError()));
  if (!countElements(*shape))
    return emitOptionalError(location, "the result must fit into memory, but has shape [", Dims(*shape), "]");
  types.push_back(RankedTensorType::get(*shape, element));
  return success();
}

LogicalResult rejected(std::optional<Location> location, llvm::Error error) {
  return emitOptionalError(location, llvm::toString(std::move(error)));
}

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

using Types = SmallVectorImpl<Type>;
using MaybeLocation = std::optional<Location>;

LogicalResult infer(MaybeLocation location, ConstantOp::Adaptor op, Types &types) {
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!type)
    return emitOptionalError(location, "value must be a tensor, but is ", op.getValue().getType());
  types.push_back(type);
  return success();
}

LogicalResult infer(MaybeLocation location, UnaryOp::Adaptor op, Types &types) {
  Type element = elementOf(op.getOperand());
  if (failed(checkElement(location, op.getKind(), element)))
    return failure();
  if (getFacts(op.getKind()).is(FunctionFacts::predicate))
    element = IntegerType::get(element.getContext(), 1);
  types.push_back(typeOf(op.getOperand()).clone(element));
  return success();
}

LogicalResult infer(MaybeLocation location, BinaryOp::Adaptor op, Types &types) {
  Type element = elementOf(op.getLhs());
  if (failed(checkElements(location, op.getKind(), element, elementOf(op.getRhs()))))
    return failure();
  if (getFacts(op.getKind()).is(FunctionFacts::predicate))
    element = IntegerType::get(element.getContext(), 1);
  return finish(location, broadcastShapes({shapeOf(op.getLhs()), shapeOf(op.getRhs())}), element, types);
}

LogicalResult infer(MaybeLocation location, SelectOp::Adaptor op, Types &types) {
  Type element = elementOf(op.getOnTrue());
  if (element != elementOf(op.getOnFalse()))
    return emitOptionalError(location, "both choices must have one element type, but have ", element, " and ",
                             elementOf(op.getOnFalse()));
  return finish(location,
                broadcastShapes({shapeOf(op.getCondition()), shapeOf(op.getOnTrue()), shapeOf(op.getOnFalse())}),
                element, types);
}

LogicalResult infer(MaybeLocation location, MatMulOp::Adaptor op, Types &types) {
  Type element = elementOf(op.getLhs());
  if (element != elementOf(op.getRhs()) || isBool(element))
    return emitOptionalError(location, "operands must have one numeric element type, but have ", element, " and ",
                             elementOf(op.getRhs()));
  return finish(location, matMulShape(shapeOf(op.getLhs()), shapeOf(op.getRhs())), element, types);
}

LogicalResult infer(MaybeLocation location, ConvOp::Adaptor op, Types &types) {
  Type element = elementOf(op.getInput());
  if (element != elementOf(op.getFilter()))
    return emitOptionalError(location, "input and filter must have one element type, but have ", element, " and ",
                             elementOf(op.getFilter()));
  Window window{{}, op.getStrides(), op.getPads(), op.getDilations()};
  return finish(location, convShape(shapeOf(op.getInput()), shapeOf(op.getFilter()), window, op.getGroups()), element,
                types);
}

LogicalResult infer(MaybeLocation location, RecurrentOp::Adaptor op, Types &types) {
  Dims input = shapeOf(op.getInput()), recurrence = shapeOf(op.getRecurrence());
  if (input.size() != 3 || recurrence.size() != 2)
    return emitOptionalError(location, "input must have rank 3 and recurrence rank 2, but they have ", input.size(),
                             " and ", recurrence.size());
  Type element = elementOf(op.getInput());
  int64_t steps = input[0], batch = input[1], hidden = recurrence[0], gateColumns = recurrence[1];
  // The products of all steps, and a hidden state more than there are steps, are tensors of the loop that this becomes.
  for (Shape inner : {Shape{steps, batch, gateColumns}, Shape{steps + 1, batch, hidden}})
    if (!countElements(inner))
      return emitOptionalError(location,
                               "the products of all steps and the hidden states must fit into memory, but have shape [",
                               Dims(inner), "]");
  Type last = RankedTensorType::get({batch, hidden}, element);
  types.append({RankedTensorType::get({steps, batch, hidden}, element), last, last});
  return success();
}

LogicalResult infer(MaybeLocation location, PoolOp::Adaptor op, Types &types) {
  Type element = elementOf(op.getInput());
  if (isBool(element) || (op.getKind() == PoolKind::Average && !isFloat(element)))
    return emitOptionalError(location, "the input must have a type that can be pooled, but has ", element);
  Window window{op.getKernel(), op.getStrides(), op.getPads(), op.getDilations(), op.getOverhang()};
  return finish(location, poolShape(shapeOf(op.getInput()), window), element, types);
}

LogicalResult infer(MaybeLocation location, ReduceOp::Adaptor op, Types &types) {
  return finish(location, reduceShape(shapeOf(op.getOperand()), op.getAxes(), op.getKeepDims()),
                elementOf(op.getOperand()), types);
}

LogicalResult infer(MaybeLocation location, ArgReduceOp::Adaptor op, Types &types) {
  Dims shape = shapeOf(op.getOperand());
  int64_t axis = op.getAxis();
  if (llvm::Error error = checkAxis(axis, shape.size()))
    return rejected(location, std::move(error));
  if (shape[axis] == 0)
    return emitOptionalError(location, "axis ", axis, " must have elements to choose from, but has none");
  return finish(location, reduceShape(shape, axis, op.getKeepDims()),
                IntegerType::get(op.getOperand().getContext(), 64), types);
}

LogicalResult infer(MaybeLocation location, SoftmaxOp::Adaptor op, Types &types) {
  if (llvm::Error error = checkAxis(op.getAxis(), shapeOf(op.getOperand()).size()))
    return rejected(location, std::move(error));
  types.push_back(op.getOperand().getType());
  return success();
}

LogicalResult infer(MaybeLocation location, NormalizeOp::Adaptor op, Types &types) {
  if (op.getAxes().empty())
    return emitOptionalError(location, "axes must be those to normalize over, but there are none");
  if (llvm::Error error = checkAxes(op.getAxes(), shapeOf(op.getOperand()).size()))
    return rejected(location, std::move(error));
  types.push_back(op.getOperand().getType());
  return success();
}

LogicalResult infer(MaybeLocation location, LrnOp::Adaptor op, Types &types) {
  int64_t size = op.getSize();
  Dims shape = shapeOf(op.getOperand());
  if (size < 1 || shape.empty())
    return emitOptionalError(location, "size must be 1 or more and the operand have channels, but size is ", size,
                             " and the operand's type ", op.getOperand().getType());
  Shape padded(shape);
  if (AddOverflow(padded.back(), size - 1, padded.back()) || !countElements(padded))
    return emitOptionalError(location,
                             "the operand with the channels beyond its ends must fit into memory, but size is ", size);
  types.push_back(op.getOperand().getType());
  return success();
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

/// What MLIR calls: an operator that is not well-formed never reaches its rule.
template <typename OpT>
LogicalResult inferChecked(MLIRContext *context, MaybeLocation location, ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties given, RegionRange regions, Types &types) {
  Location where = location.value_or(UnknownLoc::get(context));
  FailureOr<typename OpT::Properties> properties = readProperties<OpT>(where, attributes, given);
  if (failed(properties))
    return failure();
  typename OpT::Adaptor op(operands, attributes, *properties, regions);
  if (failed(checkWellFormed(where, operands, op)))
    return failure();
  return infer(location, op, types);
}

} // namespace

#define NN_INFER(OP)                                                                                                   \
  LogicalResult OP::inferReturnTypes(MLIRContext *context, std::optional<Location> location, ValueRange operands,      \
                                     DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,      \
                                     SmallVectorImpl<Type> &types) {                                                   \
    return inferChecked<OP>(context, location, operands, attributes, properties, regions, types);                      \
  }
NN_INFER(ConstantOp)
NN_INFER(UnaryOp)
NN_INFER(BinaryOp)
NN_INFER(SelectOp)
NN_INFER(MatMulOp)
NN_INFER(ConvOp)
NN_INFER(RecurrentOp)
NN_INFER(PoolOp)
NN_INFER(ReduceOp)
NN_INFER(ArgReduceOp)
NN_INFER(SoftmaxOp)
NN_INFER(NormalizeOp)
NN_INFER(LrnOp)
NN_INFER(TransposeOp)
NN_INFER(ConcatOp)
NN_INFER(SliceOp)
NN_INFER(PadOp)
NN_INFER(GatherOp)
#undef NN_INFER

} // namespace nacre::nn
