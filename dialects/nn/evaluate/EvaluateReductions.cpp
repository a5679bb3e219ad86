// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  evaluates operators of constants that combine elements: products of matrices, reductions, softmax.
// How:   totals are double, int64 or uint64, and are rounded once.

#include "dialects/nn/IndexedCopy.h"
#include "dialects/nn/evaluate/Evaluators.h"
#include "dialects/nn/evaluate/ScalarFunctions.h"

#include <cmath>

using namespace mlir;

namespace nacre::nn {

namespace {

bool isFloat(Type type) { return isa<FloatType>(type); }

template <typename T> ElementsAttr evaluateMatMul(MatMulOp op, Views views) {
  RankedTensorType type = op.getType();
  ConstantBuilder builder(type);
  ArrayRef<int64_t> shape = type.getShape();
  int64_t m = shape[shape.size() - 2], n = shape.back(), k = views[0].getShape().back();
  SmallVector<int64_t> leftStrides = broadcastStrides(views[0].getShape(), shape);
  SmallVector<int64_t> rightStrides = broadcastStrides(views[1].getShape(), shape);
  SmallVector<T, 0> left(k), right(k * n), row(n);
  int64_t result = 0;
  forEachIndex(shape.drop_back(2), [&](ArrayRef<int64_t> batch) {
    int64_t from = 0, other = 0;
    for (auto [i, a, b] : llvm::zip(batch, leftStrides, rightStrides)) {
      from += i * a;
      other += i * b;
    }
    views[1].read(other, 1, right.size(), right.data());
    for (int64_t i = 0; i < m; ++i, result += n) {
      views[0].read(from + i * k, 1, k, left.data());
      std::fill(row.begin(), row.end(), T(0));
      for (int64_t p = 0; p < k; ++p)
        for (int64_t j = 0; j < n; ++j)
          row[j] = add(row[j], multiply(left[p], right[p * n + j]));
      builder.write(result, ArrayRef<T>(row));
    }
  });
  return std::move(builder).take();
}

template <typename T> T startOf(ReduceKind kind, Type element) {
  TypedAttr identity = getIdentity(kind, element);
  if constexpr (std::is_floating_point_v<T>)
    return cast<FloatAttr>(identity).getValueAsDouble();
  APInt value = cast<IntegerAttr>(identity).getValue();
  return T(element.isUnsignedInteger() || element.isInteger(1) ? int64_t(value.getZExtValue()) : value.getSExtValue());
}

/// Wraps a sum to an integer of `width` bits.
template <typename T> T wrap(T value, unsigned width) {
  const unsigned beyond = 64 - width;
  return T(uint64_t(value) << beyond) >> beyond;
}

/// Evaluates a reduction with totals of type T: double, int64_t or uint64_t. Elements are read as `Read`, in which
/// unsigned values keep their bits.
template <typename T, typename Read> ElementsAttr evaluateReduce(ReduceOp op, Views views) {
  ArrayRef<int64_t> shape = views[0].getShape(), axes = op.getAxes();
  RankedTensorType type = op.getType();
  SmallVector<int64_t> kept(shape), strides;
  int64_t reduced = 1;
  for (int64_t axis : axes) {
    reduced *= shape[axis];
    kept[axis] = 1;
  }
  strides = rowMajorStrides(kept);
  for (int64_t axis : axes)
    strides[axis] = 0;

  ReduceKind kind = op.getKind();
  SmallVector<T, 0> totals(type.getNumElements(), startOf<T>(kind, type.getElementType()));
  int64_t step = strides.empty() ? 0 : strides.back();
  int64_t length = shape.empty() ? 1 : shape.back();
  int64_t source = 0;
  SmallVector<Read, 0> row(length);
  forEachIndex(shape.empty() ? shape : shape.drop_back(), [&](ArrayRef<int64_t> index) {
    int64_t to = 0;
    for (auto [i, stride] : llvm::zip(index, strides))
      to += i * stride;
    views[0].read(source, 1, length, row.data());
    source += length;
    for (Read value : row) {
      T &total = totals[to];
      T x = T(value);
      if (kind == ReduceKind::Max)
        total = x > total || x != x ? x : total;
      else if (kind == ReduceKind::Min)
        total = x < total || x != x ? x : total;
      else if (kind == ReduceKind::Prod)
        total = multiply(total, x);
      else
        total = add(total, x);
      to += step;
    }
  });
  if (kind == ReduceKind::Mean)
    for (T &total : totals) {
      if constexpr (std::is_floating_point_v<T>)
        total /= T(reduced);
      else
        total = reduced ? wrap(total, type.getElementTypeBitWidth()) / T(reduced) : 0;
    }
  ConstantBuilder builder(type);
  SmallVector<Read, 0> values(totals.begin(), totals.end());
  builder.write(0, ArrayRef<Read>(values));
  return std::move(builder).take();
}

/// Calls `body(base, line)` for every line of `shape` along `axis`. `base` is the offset of the line's first element,
/// `line` is the index of the line.
template <typename Body> void forEachLine(ArrayRef<int64_t> shape, int64_t axis, Body &&body) {
  SmallVector<int64_t> strides = rowMajorStrides(shape), others(shape);
  others[axis] = 1;
  int64_t line = 0;
  forEachIndex(others, [&](ArrayRef<int64_t> index) {
    int64_t base = 0;
    for (auto [i, stride] : llvm::zip(index, strides))
      base += i * stride;
    body(base, line++);
  });
}

} // namespace

ElementsAttr MatMulOp::evaluate(Views views) {
  return isFloat(views[0].getElementType()) ? evaluateMatMul<double>(*this, views)
                                            : evaluateMatMul<int64_t>(*this, views);
}

ElementsAttr ReduceOp::evaluate(Views views) {
  Type element = views[0].getElementType();
  if (isFloat(element))
    return evaluateReduce<double, double>(*this, views);
  return element.isUnsignedInteger() || element.isInteger(1) ? evaluateReduce<uint64_t, int64_t>(*this, views)
                                                             : evaluateReduce<int64_t, int64_t>(*this, views);
}

ElementsAttr ArgReduceOp::evaluate(Views views) {
  ArrayRef<int64_t> shape = views[0].getShape();
  int64_t axis = getAxis(), stride = rowMajorStrides(shape)[axis];
  ConstantBuilder builder(getType());
  // NaN compares as false, so it is never better.
  auto search = [&](auto start, auto &&better) {
    SmallVector<decltype(start), 0> values(shape[axis]);
    forEachLine(shape, axis, [&](int64_t base, int64_t line) {
      views[0].read(base, stride, shape[axis], values.data());
      int64_t best = 0;
      auto extreme = start;
      for (auto [i, value] : llvm::enumerate(values))
        if (better(value, extreme) || (getSelectLast() && value == extreme)) {
          best = int64_t(i);
          extreme = value;
        }
      builder.write(line, ArrayRef<int64_t>(best));
    });
  };
  Type element = views[0].getElementType();
  bool largest = getKind() == ArgKind::Max, isUnsigned = element.isUnsignedInteger();
  ReduceKind kind = largest ? ReduceKind::Max : ReduceKind::Min;
  if (isFloat(element))
    search(startOf<double>(kind, element), [&](double a, double b) { return largest ? a > b : a < b; });
  else
    search(startOf<int64_t>(kind, element), [&](int64_t a, int64_t b) {
      bool greater = isUnsigned ? uint64_t(a) > uint64_t(b) : a > b;
      return a != b && greater == largest;
    });
  return std::move(builder).take();
}

ElementsAttr SoftmaxOp::evaluate(Views views) {
  ArrayRef<int64_t> shape = views[0].getShape();
  int64_t axis = getAxis(), stride = rowMajorStrides(shape)[axis];
  ConstantBuilder builder(getType());
  SmallVector<double, 0> values(shape[axis]);
  forEachLine(shape, axis, [&](int64_t base, int64_t) {
    views[0].read(base, stride, shape[axis], values.data());
    double largest = *llvm::max_element(values), sum = 0;
    for (double value : values)
      sum += std::exp(value - largest);
    for (auto [i, value] : llvm::enumerate(values)) {
      double shifted = value - largest;
      builder.write(base + int64_t(i) * stride,
                    ArrayRef<double>(getLog() ? shifted - std::log(sum) : std::exp(shifted) / sum));
    }
  });
  return std::move(builder).take();
}

} // namespace nacre::nn
