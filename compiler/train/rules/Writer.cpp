// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Writer.h.

#include "compiler/train/rules/Writer.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/Permutation.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace nacre::train {

int64_t countOf(Dims sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

Ints axisRange(int64_t begin, int64_t end) { return llvm::to_vector(llvm::seq(begin, end)); }

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value Writer::constant(TypedAttr value) { return nn::ConstantOp::create(builder, loc, cast<ElementsAttr>(value)); }

static Attribute numberAttr(Type elementType, double value) {
  if (isa<FloatType>(elementType))
    return FloatAttr::get(elementType, value);
  return IntegerAttr::get(elementType, int64_t(value));
}

Value Writer::number(Value like, double value) {
  Type elementType = typeOf(like).getElementType();
  return constant(DenseElementsAttr::get(RankedTensorType::get({}, elementType), numberAttr(elementType, value)));
}

Value Writer::zeros(RankedTensorType type) {
  return constant(DenseElementsAttr::get(type, numberAttr(type.getElementType(), 0)));
}

Value Writer::floats(Dims shape, Type elementType, ArrayRef<double> values) {
  nn::ConstantBuilder made(RankedTensorType::get(shape, elementType));
  made.write(0, values);
  return nn::ConstantOp::create(builder, loc, std::move(made).take());
}

Value Writer::integers(Dims shape, Type elementType, ArrayRef<int64_t> values) {
  nn::ConstantBuilder made(RankedTensorType::get(shape, elementType));
  made.write(0, values);
  return nn::ConstantOp::create(builder, loc, std::move(made).take());
}

Value Writer::counting(int64_t count, int64_t axis, int64_t rank, Type elementType) {
  Ints shape(rank, 1);
  shape[axis] = count;
  return integers(shape, elementType, axisRange(0, count));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Value Writer::unary(nn::UnaryKind kind, Value x, double alpha) {
  return nn::UnaryOp::create(builder, loc, kind, x, APFloat(alpha));
}

Value Writer::binary(nn::BinaryKind kind, Value a, Value b) { return nn::BinaryOp::create(builder, loc, kind, a, b); }

Value Writer::mul(Value a, double b) { return b == 1 ? a : binary(nn::BinaryKind::Mul, a, b); }

Value Writer::select(Value condition, Value onTrue, Value onFalse) {
  return nn::SelectOp::create(builder, loc, condition, onTrue, onFalse);
}

Value Writer::convert(Value x, Type elementType) {
  if (typeOf(x).getElementType() == elementType)
    return x;
  return nn::CastOp::create(builder, loc, typeOf(x).clone(elementType), x, /*overflows=*/false, nn::ScaleRounding::Up);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value Writer::reshape(Value x, Dims shape) {
  return shapeOf(x) == shape ? x : nn::ReshapeOp::create(builder, loc, typeOf(x).clone(shape), x);
}

Value Writer::broadcast(Value x, Dims shape) {
  return shapeOf(x) == shape ? x : nn::BroadcastOp::create(builder, loc, typeOf(x).clone(shape), x);
}

Value Writer::transpose(Value x, Dims permutation) {
  if (nn::movesOnlyUnits(shapeOf(x), permutation))
    return reshape(x, applyPermutation(shapeOf(x), permutation));
  return nn::TransposeOp::create(builder, loc, x, permutation);
}

Value Writer::slice(Value x, Dims starts, Dims sizes, Dims steps) {
  auto isStep = [](int64_t step) { return step == 1; };
  if (sizes == shapeOf(x) && llvm::all_of(steps, isStep))
    return x;
  return nn::SliceOp::create(builder, loc, x, starts, sizes, steps);
}

Value Writer::slice(Value x, int64_t axis, int64_t start, int64_t size) {
  Ints starts(rankOf(x), 0), sizes(shapeOf(x)), steps(rankOf(x), 1);
  starts[axis] = start;
  sizes[axis] = size;
  return slice(x, starts, sizes, steps);
}

Value Writer::concat(ValueRange parts, int64_t axis) {
  return parts.size() == 1 ? parts.front() : nn::ConcatOp::create(builder, loc, parts, axis);
}

Value Writer::pad(Value x, Dims low, Dims high, double number) {
  auto isZero = [](int64_t amount) { return amount == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return x;
  auto value = cast<TypedAttr>(numberAttr(typeOf(x).getElementType(), number));
  return nn::PadOp::create(builder, loc, nn::PadMode::Constant, x, low, high, value);
}

Value Writer::pad(Value x, Dims low, Dims high) { return pad(x, low, high, 0); }

Value Writer::spread(Value x, int64_t axis, int64_t stride) {
  if (stride == 1)
    return x;
  Ints shape(shapeOf(x)), apart(shape);
  apart.insert(apart.begin() + axis + 1, 1);
  Ints low(apart.size(), 0), high(apart.size(), 0);
  high[axis + 1] = stride - 1;
  shape[axis] *= stride;
  return reshape(pad(reshape(x, apart), low, high), shape);
}

Value Writer::moveAxis(Value x, int64_t axis, int64_t position) {
  Ints order = axisRange(0, rankOf(x));
  order.erase(order.begin() + axis);
  order.insert(order.begin() + position, axis);
  return transpose(x, order);
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

Value Writer::reduce(nn::ReduceKind kind, Value x, Dims axes, bool keepDims) {
  return axes.empty() ? x : nn::ReduceOp::create(builder, loc, kind, x, axes, keepDims);
}

Value Writer::matmul(Value a, Value b) { return nn::MatMulOp::create(builder, loc, a, b); }

Value Writer::transposeLast(Value x) { return moveAxis(x, rankOf(x) - 2, rankOf(x) - 1); }

Value Writer::unbroadcast(Value x, Dims shape) {
  const int64_t added = rankOf(x) - int64_t(shape.size());
  Ints axes = axisRange(0, added);
  for (auto [axis, size] : llvm::enumerate(shape))
    if (size == 1 && shapeOf(x)[added + axis] != 1)
      axes.push_back(added + axis);
  return reshape(sum(x, axes), shape);
}

Value Writer::multiplyAxis(Value x, int64_t axis, Value matrix) {
  const int64_t last = rankOf(x) - 1;
  Value moved = moveAxis(x, axis, last);
  Ints shape(shapeOf(moved));
  const int64_t length = shape.back();
  moved = matmul(reshape(moved, {countOf(Dims(shape).drop_back()), length}), matrix);
  shape.back() = shapeOf(matrix)[1];
  return moveAxis(reshape(moved, shape), last, axis);
}

} // namespace nacre::train
