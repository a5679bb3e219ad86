// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Infers the result types of the operators of `nn` that add up products: matrix products, convolutions, attention and
// recurrences.

#include "dialects/nn/infer/InferTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::nn {

namespace {

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

} // namespace

NN_INFER(MatMulOp)
NN_INFER(AttentionOp)
NN_INFER(ConvOp)
NN_INFER(ConvTransposeOp)
NN_INFER(FilterGradientOp)
NN_INFER(RecurrentOp)

} // namespace nacre::nn
