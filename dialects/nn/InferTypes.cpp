// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  infers the result types of the operators of `nn` that compute. InferMovement.cpp has those that move elements.
// Why:   importers need not compute shapes, and the verifier compares types with the results of these functions.

#include "dialects/nn/InferTypes.h"

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

/// Returns the type in which products of elements of types `lhs` and `rhs` are added up. Null if they cannot be
/// multiplied.
Type getSumType(Type lhs, Type rhs) {
  auto isNarrow = [](Type type) { return type.isInteger(8) || type.isInteger(16); };
  if (isNarrow(lhs) && isNarrow(rhs))
    return IntegerType::get(lhs.getContext(), lhs.isInteger(8) && rhs.isInteger(8) ? 32 : 64);
  return lhs == rhs && !isBool(lhs) ? lhs : Type();
}

bool holds(Type element, int64_t value) {
  if (isFloat(element))
    return value == 0;
  const unsigned width = element.getIntOrFloatBitWidth();
  return element.isUnsignedInteger() ? value >= 0 && llvm::isUIntN(width, uint64_t(value)) : llvm::isIntN(width, value);
}

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

LogicalResult infer(MaybeLocation location, MatMulOp::Adaptor op, Types &types) {
  Type sum = getSumType(elementTypeOf(op.getLhs()), elementTypeOf(op.getRhs()));
  if (!sum)
    return emitOptionalError(location, "operands must have the same numeric element type, but have ",
                             elementTypeOf(op.getLhs()), " and ", elementTypeOf(op.getRhs()));
  return finish(location, matMulShape(shapeOf(op.getLhs()), shapeOf(op.getRhs())), sum, types);
}

/// Returns the element type of an attention's result. Reports an error and returns null if the types of the operands do
/// not match.
Type inferAttention(MaybeLocation location, AttentionOp::Adaptor op) {
  const Type element = elementTypeOf(op.getQueries());
  auto reject = [&](const auto &...reason) {
    (void)emitOptionalError(location, reason...);
    return Type();
  };
  if (!op.getCodes()) {
    if (!isFloat(element))
      return reject("operands must be floats, or have codes, but are ", element);
    for (Value operand : op.getOperands())
      if (operand != op.getOffset() && elementTypeOf(operand) != element)
        return reject("operands must have the same element type, but have ", element, " and ", elementTypeOf(operand));
    if (op.getOffset() && !elementTypeOf(op.getOffset()).isInteger(32))
      return reject("the offset must be i32, but is ", elementTypeOf(op.getOffset()));
    for (std::optional<uint64_t> bound : {op.getBefore(), op.getBehind()})
      if (bound && static_cast<int64_t>(*bound) < 0)
        return reject("a bound must be a number of keys, but is ", static_cast<int64_t>(*bound));
    return element;
  }
  if (op.getCodes()->size() != 4)
    return reject("codes must be of queries, keys, weights and values");
  const Type types[] = {element, elementTypeOf(op.getKeys()), element, elementTypeOf(op.getValues())};
  for (auto [type, codes] : llvm::zip_equal(types, *op.getCodes())) {
    // Zero points may be out of range if the sign bit of keys or values was flipped.
    constexpr int64_t largest = 511;
    const int64_t zero = llvm::cast<CodesAttr>(codes).getZero();
    if (!type.isInteger(8) || std::abs(zero) > largest)
      return reject("codes must have 8 bits and a zero point near them, but there is ", zero, " of ", type);
  }
  if (op.getMask() && !elementTypeOf(op.getMask()).isF32())
    return reject("the mask of codes' scores must be f32, but is ", elementTypeOf(op.getMask()));
  if (op.getSink() || op.getOffset() || op.getSoftcap() || op.getBefore() || op.getBehind() || op.getHidesRows())
    return reject("attention of codes must have no bounds, sink or softcap");
  return IntegerType::get(element.getContext(), 32);
}

LogicalResult infer(MaybeLocation location, AttentionOp::Adaptor op, Types &types) {
  const Type element = inferAttention(location, op);
  if (!element)
    return failure();
  llvm::Expected<Shape> scores = matMulShape(shapeOf(op.getQueries()), shapeOf(op.getKeys()));
  if (!scores)
    return rejected(location, scores.takeError());
  Shape rows = *scores;
  rows.back() = 1;
  const std::tuple<Value, const Shape *, const char *> broadcast[] = {
      {op.getMask(), &*scores, "the mask must broadcast to the scores"},
      {op.getSink(), &rows, "the sink must broadcast to one number for each row of the scores"},
      {op.getOffset(), &rows, "the offset must broadcast to one number for each row of the scores"}};
  for (auto [operand, shape, message] : broadcast) {
    llvm::Expected<Shape> joined = broadcastShapes({*shape, operand ? shapeOf(operand) : ArrayRef<int64_t>()});
    if (!joined)
      return rejected(location, joined.takeError());
    if (*joined != *shape)
      return emitOptionalError(location, message);
  }
  return finish(location, matMulShape(*scores, shapeOf(op.getValues())), element, types);
}

LogicalResult infer(MaybeLocation location, ConvOp::Adaptor op, Types &types) {
  Type element = elementTypeOf(op.getInput()), sum = getSumType(element, elementTypeOf(op.getFilter()));
  if (!sum)
    return emitOptionalError(location, "input and filter must have the same numeric element type, but have ", element,
                             " and ", elementTypeOf(op.getFilter()));
  const auto padValue = static_cast<int64_t>(op.getPadValue());
  if (!holds(element, padValue))
    return emitOptionalError(location, "pad_value must be a number of the input's type, 0 for floats, but is ",
                             padValue);
  Window window{{}, op.getStrides(), op.getPads(), op.getDilations()};
  return finish(location, convShape(shapeOf(op.getInput()), shapeOf(op.getFilter()), window, op.getGroups()), sum,
                types);
}

LogicalResult infer(MaybeLocation location, ConvTransposeOp::Adaptor op, Types &types) {
  Type element = elementTypeOf(op.getInput());
  if (element != elementTypeOf(op.getFilter()))
    return emitOptionalError(location, "input and filter must have the same element type, but have ", element, " and ",
                             elementTypeOf(op.getFilter()));
  Window window{{}, op.getStrides(), op.getPads(), op.getDilations()};
  return finish(location, convTransposeShape(shapeOf(op.getInput()), shapeOf(op.getFilter()), window, op.getGroups()),
                element, types);
}

LogicalResult infer(MaybeLocation location, FilterGradientOp::Adaptor op, Types &types) {
  Type element = elementTypeOf(op.getInput());
  if (element != elementTypeOf(op.getGradient()))
    return emitOptionalError(location, "input and gradient must have the same element type, but have ", element,
                             " and ", elementTypeOf(op.getGradient()));
  Dims input = shapeOf(op.getInput()), gradient = shapeOf(op.getGradient());
  if (input.empty() || gradient.empty())
    return emitOptionalError(location, "input and gradient must have channels, but one is a scalar");
  Shape filter(op.getKernel());
  const Shape noPads(2 * filter.size(), 0);
  filter.append({input.back(), gradient.back()});
  llvm::Expected<Shape> made = convShape(input, filter, {{}, op.getStrides(), noPads, op.getDilations()}, /*groups=*/1);
  if (made && Dims(*made) != gradient)
    return emitOptionalError(location, "gradient must have the shape of the convolution's result, [", Dims(*made),
                             "], but has shape [", gradient, "]");
  if (!made)
    return finish(location, std::move(made), element, types);
  if (!op.getParts())
    return finish(location, filter, element, types);
  const Dims parts = *op.getParts();
  auto divides = [&](size_t axis) { return parts[axis] > 0 && gradient[axis] % parts[axis] == 0; };
  if (parts.size() != 2 || gradient.size() < 3 || !divides(0) || !divides(1))
    return emitOptionalError(location,
                             "parts must be two numbers that divide the images and the rows of a gradient of shape [",
                             gradient, "], but are [", parts, "]");
  Shape all(parts);
  all.append(filter);
  return finish(location, all, element, types);
}

LogicalResult infer(MaybeLocation location, RecurrentOp::Adaptor op, Types &types) {
  Dims input = shapeOf(op.getInput()), recurrence = shapeOf(op.getRecurrence());
  if (input.size() != 3 || recurrence.size() != 2)
    return emitOptionalError(location, "input must have rank 3 and recurrence rank 2, but they have ", input.size(),
                             " and ", recurrence.size());
  Type element = elementTypeOf(op.getInput());
  int64_t steps = input[0], batch = input[1], hidden = recurrence[0], gateColumns = recurrence[1];
  // The loop that replaces this operator has two tensors: the products of all steps, and the hidden states, of which
  // there is one more than steps.
  for (const Shape &inner : {Shape{steps, batch, gateColumns}, Shape{steps + 1, batch, hidden}})
    if (!countElements(inner))
      return emitOptionalError(
          location, "the products of all time steps and the hidden states must fit into memory, but have shape [",
          Dims(inner), "]");
  Type last = RankedTensorType::get({batch, hidden}, element);
  types.append({RankedTensorType::get({steps, batch, hidden}, element), last, last});
  return success();
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
NN_INFER(MatMulOp)
NN_INFER(AttentionOp)
NN_INFER(ConvOp)
NN_INFER(ConvTransposeOp)
NN_INFER(FilterGradientOp)
NN_INFER(RecurrentOp)
NN_INFER(PoolOp)
NN_INFER(PoolCodeOp)
NN_INFER(UnpoolOp)
NN_INFER(ReduceOp)
NN_INFER(ArgReduceOp)
NN_INFER(NormalizeOp)
NN_INFER(LrnOp)
NN_KEPT_TYPE_ROWS(NN_INFER)

} // namespace nacre::nn
