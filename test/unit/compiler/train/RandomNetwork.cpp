// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RandomNetwork.h.

#include "RandomNetwork.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/evaluate/Evaluate.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace nacre::train {

using nn::BinaryKind;
using nn::UnaryKind;

RandomNetwork::RandomNetwork(MLIRContext &context, unsigned seed)
    : random(seed), builder(&context), module(ModuleOp::create(UnknownLoc::get(&context))),
      write(builder, UnknownLoc::get(&context)) {
  Type f64 = builder.getF64Type();
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types{RankedTensorType::get({2, 3}, f64), RankedTensorType::get({3}, f64)};
  function = func::FuncOp::create(builder, write.getLoc(), "network", builder.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  for (BlockArgument argument : body->getArguments()) {
    pool.push_back(argument);
    std::vector<double> &elements = weights.emplace_back();
    for (int64_t index = 0; index < countOf(shapeOf(argument)); ++index)
      elements.push_back(uniform());
  }
  pool.push_back(table({2, 3}));
}

Value RandomNetwork::table(Dims shape) {
  SmallVector<double> values;
  for (int64_t index = 0; index < countOf(shape); ++index)
    values.push_back(uniform());
  return write.floats(shape, builder.getF64Type(), values);
}

/// Draws indices; a few are outside the range.
Value RandomNetwork::indices(Dims shape, int64_t size) {
  Ints values;
  for (int64_t index = 0; index < countOf(shape); ++index)
    values.push_back(int64_t(below(2 * size + 2)) - size - 1);
  return write.integers(shape, builder.getI64Type(), values);
}

Value RandomNetwork::drawFunction(Value x) {
  const UnaryKind anywhere[] = {UnaryKind::Tanh, UnaryKind::Sigmoid,  UnaryKind::Sin,  UnaryKind::Cos,
                                UnaryKind::Erf,  UnaryKind::Gelu,     UnaryKind::Atan, UnaryKind::Asinh,
                                UnaryKind::Abs,  UnaryKind::Relu,     UnaryKind::Neg,  UnaryKind::LeakyRelu,
                                UnaryKind::Elu,  UnaryKind::Softplus, UnaryKind::Round};
  const UnaryKind positive[] = {UnaryKind::Log, UnaryKind::Sqrt, UnaryKind::Reciprocal};
  const UnaryKind inside[] = {UnaryKind::Asin, UnaryKind::Acos, UnaryKind::Atanh, UnaryKind::Tan,
                              UnaryKind::Sinh, UnaryKind::Cosh, UnaryKind::Exp};
  switch (below(4)) {
  case 0:
    return write.unary(positive[below(std::size(positive))], write.add(write.square(x), 0.5));
  case 1:
    return write.unary(inside[below(std::size(inside))], write.mul(write.unary(UnaryKind::Tanh, x), 0.9));
  case 2:
    return write.unary(UnaryKind::Acosh, write.add(write.square(x), 1.5));
  default:
    return write.unary(anywhere[below(std::size(anywhere))], x, 0.3);
  }
}

Value RandomNetwork::drawPair(Value x) {
  // Another value of the shape, or one that broadcasts to it.
  Value y = pick();
  if (shapeOf(y) != shapeOf(x) || below(3) == 0) {
    y = table(shapeOf(x));
    if (rankOf(x) > 0 && below(2))
      y = write.reduce(nn::ReduceKind::Mean, x, {int64_t(below(rankOf(x)))}, /*keepDims=*/true);
  }
  if (below(2))
    std::swap(x, y);
  const BinaryKind kinds[] = {BinaryKind::Add, BinaryKind::Sub, BinaryKind::Mul, BinaryKind::Min, BinaryKind::Max};
  switch (below(5)) {
  case 0:
    return write.div(x, write.add(write.square(y), 0.5));
  case 1:
    return write.binary(BinaryKind::Pow, write.add(write.square(x), 0.5), write.unary(UnaryKind::Tanh, y));
  case 2:
    return write.select(write.greater(x, 0.1), y, write.mul(x, 2));
  default:
    return write.binary(kinds[below(std::size(kinds))], x, y);
  }
}

Value RandomNetwork::drawAlongAxis(Value x) {
  if (rankOf(x) == 0)
    return x;
  const int64_t axis = below(rankOf(x));
  switch (below(4)) {
  case 0:
    return nn::SoftmaxOp::create(builder, write.getLoc(), x, axis, /*log=*/below(2) == 0);
  case 1:
    return nn::CumulateOp::create(builder, write.getLoc(), nn::CumulateKind::Sum, x, axis, below(2) == 0,
                                  below(2) == 0);
  case 2: {
    Ints axes{axis};
    if (rankOf(x) > 1 && below(2))
      axes = axisRange(0, rankOf(x));
    return write.reduce(nn::ReduceKind(below(5)), x, axes, below(2) == 0);
  }
  default: { // products of the batch, and of all of it with one matrix
    if (rankOf(x) < 2)
      return x;
    Ints shape(shapeOf(x));
    shape[rankOf(x) - 2] = shape.back();
    shape.back() = 2;
    Value other = below(2) ? table(shape) : table(Dims(shape).take_back(2));
    return below(2) ? write.matmul(x, other) : write.matmul(x, write.transposeLast(x));
  }
  }
}

Value RandomNetwork::drawMovement(Value x) {
  const int64_t rank = rankOf(x);
  if (rank == 0)
    return write.broadcast(x, {2, 3});
  const int64_t axis = below(rank), size = shapeOf(x)[axis];
  Ints low(rank, 0), high(rank, 0);
  switch (below(7)) {
  case 0:
    return write.moveAxis(x, axis, below(rank));
  case 1:
    return write.reshape(x, {countOf(shapeOf(x))});
  case 2: {
    Ints starts(rank, 0), sizes(shapeOf(x)), steps(rank, 1);
    steps[axis] = below(2) ? 2 : -2;
    sizes[axis] = (size + 1) / 2;
    starts[axis] = steps[axis] < 0 ? size - 1 : 0;
    return write.slice(x, starts, sizes, steps);
  }
  case 3: {
    low[axis] = below(2);
    high[axis] = size > 1 ? int64_t(below(3)) - 1 : 1;
    const auto mode = size > 1 ? nn::PadMode(below(5)) : nn::PadMode::Edge;
    if (mode != nn::PadMode::Constant)
      high[axis] = std::abs(high[axis]);
    return nn::PadOp::create(builder, write.getLoc(), mode, x, low, high, builder.getF64FloatAttr(0.5));
  }
  case 4:
    return write.concat({x, x}, axis);
  case 5: {
    Ints wide(shapeOf(x));
    wide.insert(wide.begin(), 2);
    return write.broadcast(x, wide);
  }
  default: { // halfway between neighbours
    SmallVector<int32_t> cells;
    SmallVector<float> shares;
    for (int64_t position = 0; position < 2 * size; ++position) {
      cells.append({int32_t(position / 2), int32_t(std::min(position / 2 + position % 2, size - 1))});
      shares.append({0.5f, 0.5f});
    }
    auto tableOf = [&](Type type) { return RankedTensorType::get({2 * size, 2}, type); };
    Attribute indices = DenseIntElementsAttr::get(tableOf(builder.getI32Type()), cells);
    Attribute weights = DenseFPElementsAttr::get(tableOf(builder.getF32Type()), shares);
    return nn::ResampleOp::create(builder, write.getLoc(), x, Ints{axis}, builder.getArrayAttr(indices),
                                  builder.getArrayAttr(weights));
  }
  }
}

Value RandomNetwork::drawIndexed(Value x) {
  const int64_t rank = rankOf(x);
  if (rank == 0)
    return x;
  const int64_t axis = below(rank), size = shapeOf(x)[axis];
  Location loc = write.getLoc();
  const auto kind = below(2) ? nn::ScatterKind::Add : nn::ScatterKind::Set;
  switch (below(5)) {
  case 0:
    return nn::GatherOp::create(builder, loc, x, indices({2, 2}, size), axis);
  case 1:
    return nn::GatherNdOp::create(builder, loc, x, indices({3, 1}, shapeOf(x)[0]), /*batchDims=*/0);
  case 2:
    return nn::GatherElementsOp::create(builder, loc, x, indices(shapeOf(x), size), axis);
  case 3: {
    Ints updates(shapeOf(x));
    updates[0] = 2;
    Value from = below(2) ? table(updates) : write.broadcast(write.mean(x, {0}, /*keepDims=*/true), updates);
    return nn::ScatterNdOp::create(builder, loc, kind, x, indices({2, 1}, shapeOf(x)[0]), from);
  }
  default:
    return nn::ScatterElementsOp::create(builder, loc, kind, x, indices(shapeOf(x), size), write.square(x), axis);
  }
}

Value RandomNetwork::draw(unsigned operators) {
  constexpr int64_t mostElements = 200;
  for (unsigned index = 0; index < operators; ++index) {
    Value x = below(2) ? pool.back() : pick(), y;
    switch (below(6)) {
    case 0:
    case 1:
      y = drawFunction(x);
      break;
    case 2:
      y = drawPair(x);
      break;
    case 3:
      y = drawAlongAxis(x);
      break;
    case 4:
      y = drawMovement(x);
      break;
    default:
      y = drawIndexed(x);
    }
    // Nothing grows without end.
    if (countOf(shapeOf(y)) > mostElements || rankOf(y) > 5)
      continue;
    pool.push_back(below(2) ? write.unary(UnaryKind::Tanh, y) : y);
  }
  // All weights, and what was drawn last.
  Value loss = write.sumOfAll(write.mul(pool.back(), table(shapeOf(pool.back()))));
  for (BlockArgument weight : getBody().getArguments())
    loss = write.add(loss, write.sumOfAll(write.mul(weight, table(shapeOf(weight)))));
  return loss;
}

std::vector<double> RandomNetwork::evaluate(Value value, unsigned index, ArrayRef<double> elements,
                                            std::string &failed) {
  llvm::DenseMap<Value, Attribute> known;
  for (auto [number, argument] : llvm::enumerate(getBody().getArguments())) {
    nn::ConstantBuilder made(typeOf(argument));
    made.write(0, number == index ? elements : ArrayRef<double>(weights[number]));
    known[argument] = std::move(made).take();
  }
  for (Operation &op : getBody()) {
    SmallVector<Attribute> operands;
    SmallVector<OpFoldResult> folded;
    LogicalResult isFolded = failure();
    do { // a folder may change the operator where it stands
      operands = llvm::map_to_vector(op.getOperands(), [&](Value operand) { return known.lookup(operand); });
      isFolded = op.fold(operands, folded);
    } while (succeeded(isFolded) && folded.empty());
    if (succeeded(isFolded)) {
      auto attribute = dyn_cast<Attribute>(folded[0]);
      known[op.getResult(0)] = attribute ? attribute : known.lookup(cast<Value>(folded[0]));
      continue;
    }
    SmallVector<ElementsAttr> attributes;
    for (Attribute operand : operands)
      attributes.push_back(cast<ElementsAttr>(operand));
    FailureOr<ElementsAttr> result = nn::evaluate(&op, attributes);
    if (mlir::failed(result)) {
      failed = op.getName().getStringRef().str();
      return {};
    }
    known[op.getResult(0)] = *result;
  }
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(cast<ElementsAttr>(known.lookup(value)));
  std::vector<double> numbers(countOf(shapeOf(value)));
  for (size_t element = 0; element < numbers.size(); ++element)
    view->read(element, 1, 1, &numbers[element]);
  return numbers;
}

} // namespace nacre::train
