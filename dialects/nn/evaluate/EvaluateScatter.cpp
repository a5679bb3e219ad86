// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  evaluates operators of constants that read and write at positions given by an index tensor, and running
//        operators along an axis.
// Why:   exporters compute masks and positions with these operators.
// How:   1. indices; 2. gathers copy bytes; 3. scatters and running sums compute in double, int64 or uint64 and round
//        once.

#include "dialects/nn/IndexedCopy.h"
#include "dialects/nn/evaluate/Evaluators.h"
#include "dialects/nn/evaluate/ScalarFunctions.h"

#include <cstring>

using namespace mlir;

namespace nacre::nn {

namespace {

//===----------------------------------------------------------------------===//
// 1. Indices
//===----------------------------------------------------------------------===//

/// Returns the number of indices of axes with these sizes.
int64_t product(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

int64_t clampIndex(int64_t index, int64_t extent) {
  return std::clamp(index < 0 ? index + extent : index, int64_t(0), extent - 1);
}

/// Returns the index counted from the beginning of the axis; `nullopt` if it is out of range. A negative index counts
/// from the end.
std::optional<int64_t> checkIndex(int64_t index, int64_t extent) {
  index = index < 0 ? index + extent : index;
  return index >= 0 && index < extent ? std::optional(index) : std::nullopt;
}

/// Calls `body(position of the index, offset of the element with index 0, extent of the axis, its stride)` for every
/// index. Each element has one index along `axis`.
template <typename Body>
void forEachElement(ArrayRef<int64_t> operand, ArrayRef<int64_t> indices, int64_t axis, Body &&body) {
  SmallVector<int64_t> strides = rowMajorStrides(operand);
  int64_t number = 0;
  forEachIndex(indices, [&](ArrayRef<int64_t> at) {
    int64_t offset = 0;
    for (auto [dim, i] : llvm::enumerate(at))
      offset += int64_t(dim) == axis ? 0 : i * strides[dim];
    body(number++, offset, operand[axis], strides[axis]);
  });
}

//===----------------------------------------------------------------------===//
// Updates and running values
//===----------------------------------------------------------------------===//

template <typename T> T update(ScatterKind kind, T old, T value) {
  switch (kind) {
  case ScatterKind::Set:
    return value;
  case ScatterKind::Add:
    return add(old, value);
  case ScatterKind::Mul:
    return multiply(old, value);
  case ScatterKind::Max:
    return value > old || value != value ? value : old;
  case ScatterKind::Min:
    return value < old || value != value ? value : old;
  }
  llvm_unreachable("all kinds are above");
}

/// Evaluates a scatter. Elements are read as `Read`. T has the order of the element type. Calls `apply(change)`, which
/// must call `change(offset of an element, index of an update)` for every update, in order.
template <typename T, typename Read, typename Apply>
ElementsAttr evaluateScatter(RankedTensorType type, ScatterKind kind, Views views, Apply &&apply) {
  SmallVector<Read, 0> values(type.getNumElements()), updates(views[2].getType().getNumElements());
  views[0].read(0, 1, values.size(), values.data());
  views[2].read(0, 1, updates.size(), updates.data());
  apply([&](int64_t element, int64_t number) {
    values[element] = Read(update<T>(kind, T(values[element]), T(updates[number])));
  });
  ConstantBuilder builder(type);
  builder.write(0, ArrayRef<Read>(values));
  return std::move(builder).take();
}

template <typename Apply>
ElementsAttr evaluateScatter(RankedTensorType type, ScatterKind kind, Views views, Apply &&apply) {
  Type element = type.getElementType();
  if (isa<FloatType>(element))
    return evaluateScatter<double, double>(type, kind, views, apply);
  return element.isUnsignedInteger() ? evaluateScatter<uint64_t, int64_t>(type, kind, views, apply)
                                     : evaluateScatter<int64_t, int64_t>(type, kind, views, apply);
}

template <typename T> ElementsAttr evaluateCumulate(CumulateOp op, const ConstantView &view) {
  ArrayRef<int64_t> shape = view.getShape();
  const int64_t axis = op.getAxis(), extent = shape[axis], stride = rowMajorStrides(shape)[axis];
  const bool isSum = op.getKind() == CumulateKind::Sum;
  SmallVector<T, 0> values(view.getType().getNumElements());
  view.read(0, 1, values.size(), values.data());
  for (int64_t line = 0, lines = extent ? int64_t(values.size()) / extent : 0; line < lines; ++line) {
    const int64_t first = line / stride * stride * extent + line % stride;
    T total = isSum ? T(0) : T(1);
    for (int64_t iteration = 0; iteration < extent; ++iteration) {
      T &value = values[first + (op.getReverse() ? extent - 1 - iteration : iteration) * stride];
      const T next = isSum ? add(total, value) : multiply(total, value);
      value = op.getExclusive() ? total : next;
      total = next;
    }
  }
  ConstantBuilder builder(op.getType());
  builder.write(0, ArrayRef<T>(values));
  return std::move(builder).take();
}

} // namespace

//===----------------------------------------------------------------------===//
// 2. Gathers
//===----------------------------------------------------------------------===//

ElementsAttr GatherNdOp::evaluate(Views views) {
  ArrayRef<int64_t> shape = views[0].getShape();
  const int64_t batches = getBatchDims(), coordinates = views[1].getShape().back();
  SmallVector<int64_t> strides = rowMajorStrides(shape), indices = views[1].readIntegers();
  const int64_t slice = product(shape.drop_front(batches + coordinates));
  const int64_t perBatch = product(views[1].getShape().drop_front(batches).drop_back());
  const int64_t batchSize = product(shape.drop_front(batches));
  ConstantBuilder builder(getType());
  for (int64_t row = 0, rows = int64_t(indices.size()) / coordinates; row < rows; ++row) {
    int64_t from = row / perBatch * batchSize;
    for (int64_t i = 0; i < coordinates; ++i)
      from += clampIndex(indices[row * coordinates + i], shape[batches + i]) * strides[batches + i];
    for (int64_t i = 0; i < slice; ++i)
      std::memcpy(builder.at(row * slice + i), views[0].at(from + i), builder.getElementBytes());
  }
  return std::move(builder).take();
}

ElementsAttr GatherElementsOp::evaluate(Views views) {
  SmallVector<int64_t> indices = views[1].readIntegers();
  ConstantBuilder builder(getType());
  forEachElement(views[0].getShape(), views[1].getShape(), getAxis(),
                 [&](int64_t number, int64_t offset, int64_t extent, int64_t stride) {
                   const int64_t from = offset + clampIndex(indices[number], extent) * stride;
                   std::memcpy(builder.at(number), views[0].at(from), builder.getElementBytes());
                 });
  return std::move(builder).take();
}

//===----------------------------------------------------------------------===//
// 3. Scatters and running sums
//===----------------------------------------------------------------------===//

/// Counts indices and updates, because an element may have any number of updates.
static int64_t countUpdates(Value indices, Value updates) {
  return cast<RankedTensorType>(indices.getType()).getNumElements() +
         cast<RankedTensorType>(updates.getType()).getNumElements();
}

int64_t ScatterNdOp::countReducedElements() { return countUpdates(getIndices(), getUpdates()); }
int64_t ScatterElementsOp::countReducedElements() { return countUpdates(getIndices(), getUpdates()); }

ElementsAttr ScatterNdOp::evaluate(Views views) {
  ArrayRef<int64_t> shape = views[0].getShape();
  const int64_t coordinates = views[1].getShape().back(), slice = product(shape.drop_front(coordinates));
  SmallVector<int64_t> strides = rowMajorStrides(shape), indices = views[1].readIntegers();
  return evaluateScatter(getType(), getKind(), views, [&](auto &&change) {
    for (int64_t row = 0, rows = int64_t(indices.size()) / coordinates; row < rows; ++row) {
      std::optional<int64_t> to = 0;
      for (int64_t i = 0; i < coordinates; ++i) {
        std::optional<int64_t> index = checkIndex(indices[row * coordinates + i], shape[i]);
        to = to && index ? std::optional(*to + *index * strides[i]) : std::nullopt;
      }
      for (int64_t i = 0; to && i < slice; ++i)
        change(*to + i, row * slice + i);
    }
  });
}

ElementsAttr ScatterElementsOp::evaluate(Views views) {
  SmallVector<int64_t> indices = views[1].readIntegers();
  return evaluateScatter(getType(), getKind(), views, [&](auto &&change) {
    forEachElement(views[0].getShape(), views[1].getShape(), getAxis(),
                   [&](int64_t number, int64_t offset, int64_t extent, int64_t stride) {
                     if (std::optional<int64_t> index = checkIndex(indices[number], extent))
                       change(offset + *index * stride, number);
                   });
  });
}

ElementsAttr CumulateOp::evaluate(Views views) {
  return isa<FloatType>(views[0].getElementType()) ? evaluateCumulate<double>(*this, views[0])
                                                   : evaluateCumulate<int64_t>(*this, views[0]);
}

} // namespace nacre::nn
