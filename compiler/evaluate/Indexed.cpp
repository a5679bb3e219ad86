// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that read and write at the positions of an index tensor.

#include "compiler/evaluate/Operators.h"
#include "compiler/evaluate/Walks.h"
#include "dialects/nn/evaluate/ScalarFunctions.h"

using namespace mlir;

namespace nacre::evaluate {

Tensor evaluate(nn::GatherOp op, Operands operands) {
  const Tensor &x = operands[0], &indices = operands[1];
  const auto axis = int64_t(op.getAxis());
  const Dims shape = x.getShape();
  const int64_t outer = product(shape.take_front(axis)), inner = product(shape.drop_front(axis + 1)),
                extent = shape[axis];
  Tensor result(op.getType());
  Cell *to = result.write();
  for (int64_t o = 0; o < outer && result.size() > 0; ++o)
    for (int64_t i = 0; i < indices.size(); ++i, to += inner)
      std::copy_n(x.begin() + (o * extent + clampIndex(indices.integer(i), extent)) * inner, inner, to);
  return result;
}

Tensor evaluate(nn::GatherNdOp op, Operands operands) {
  const Tensor &x = operands[0], &indices = operands[1];
  const Dims shape = x.getShape();
  const auto batches = int64_t(op.getBatchDims());
  const int64_t coordinates = indices.getShape().back(), slice = product(shape.drop_front(batches + coordinates));
  const int64_t batchCount = product(shape.take_front(batches)), batchSize = product(shape.drop_front(batches));
  const Shape strides = stridesOf(shape);
  Tensor result(op.getType());
  Cell *to = result.write();
  const int64_t rows = product(indices.getShape().drop_back()), perBatch = batchCount ? rows / batchCount : 0;
  for (int64_t row = 0; row < rows && result.size() > 0; ++row, to += slice) {
    int64_t from = row / perBatch * batchSize;
    for (int64_t i = 0; i < coordinates; ++i)
      from += clampIndex(indices.integer(row * coordinates + i), shape[batches + i]) * strides[batches + i];
    std::copy_n(x.begin() + from, slice, to);
  }
  return result;
}

Tensor evaluate(nn::GatherElementsOp op, Operands operands) {
  const Tensor &x = operands[0], &indices = operands[1];
  const auto axis = int64_t(op.getAxis());
  Tensor result(op.getType());
  Cell *to = result.write();
  const Shape strides = stridesOf(x.getShape());
  int64_t number = 0;
  forEachIndex(indices.getShape(), [&](Dims at) {
    Shape from(at);
    from[axis] = clampIndex(indices.integer(number), x.getShape()[axis]);
    to[number++] = x[positionOf(from, strides)];
  });
  return result;
}

namespace {

template <typename T> T change(nn::ScatterKind kind, T old, T value) {
  switch (kind) {
  case nn::ScatterKind::Set:
    return value;
  case nn::ScatterKind::Add:
    return nn::add(old, value);
  case nn::ScatterKind::Mul:
    return nn::multiply(old, value);
  case nn::ScatterKind::Max:
    return value > old || value != value ? value : old;
  case nn::ScatterKind::Min:
    return value < old || value != value ? value : old;
  }
  llvm_unreachable("all kinds are above");
}

/// Combines one element with `update`.
void change(nn::ScatterKind kind, const Tensor &type, Cell &element, Cell update) {
  if (type.isFloat())
    element.number = change(kind, element.number, update.number);
  else if (type.isUnsigned())
    element.integer =
        wrapTo(type.getElementType(), int64_t(change(kind, uint64_t(element.integer), uint64_t(update.integer))));
  else
    element.integer = wrapTo(type.getElementType(), change(kind, element.integer, update.integer));
}

/// Makes a negative `index` count from the front. True if the index is less than `extent`.
bool settle(int64_t &index, int64_t extent) {
  index += index < 0 ? extent : 0;
  return index >= 0 && index < extent;
}

Tensor copyOf(const Tensor &x) {
  Tensor result(x.getType());
  std::copy_n(x.begin(), x.size(), result.write());
  return result;
}

} // namespace

Tensor evaluate(nn::ScatterNdOp op, Operands operands) {
  const Tensor &indices = operands[1], &updates = operands[2];
  Tensor result = copyOf(operands[0]);
  Cell *to = result.write();
  const Dims shape = result.getShape();
  const int64_t coordinates = indices.getShape().back(), slice = product(shape.drop_front(coordinates));
  const Shape strides = stridesOf(shape);
  for (int64_t row = 0, rows = product(indices.getShape().drop_back()); row < rows; ++row) {
    int64_t at = 0;
    bool isInside = true;
    for (int64_t i = 0; i < coordinates; ++i) {
      int64_t index = indices.integer(row * coordinates + i);
      isInside &= settle(index, shape[i]);
      at += index * strides[i];
    }
    for (int64_t i = 0; isInside && i < slice; ++i)
      change(op.getKind(), result, to[at + i], updates[row * slice + i]);
  }
  return result;
}

Tensor evaluate(nn::ScatterElementsOp op, Operands operands) {
  const Tensor &indices = operands[1], &updates = operands[2];
  Tensor result = copyOf(operands[0]);
  Cell *to = result.write();
  const auto axis = int64_t(op.getAxis());
  const Shape strides = stridesOf(result.getShape());
  int64_t number = 0;
  forEachIndex(indices.getShape(), [&](Dims index) {
    Shape at(index);
    at[axis] = indices.integer(number);
    if (settle(at[axis], result.getShape()[axis]))
      change(op.getKind(), result, to[positionOf(at, strides)], updates[number]);
    ++number;
  });
  return result;
}

} // namespace nacre::evaluate
