// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that combine elements along axes.

#include "compiler/evaluate/Operators.h"
#include "compiler/evaluate/Walks.h"
#include "dialects/nn/evaluate/ScalarFunctions.h"

#include <cmath>

using namespace mlir;

namespace nacre::evaluate {
namespace {

/// Returns the strides of a tensor without `axes`, for indices of `shape`. They are 0 along `axes`, so all elements
/// there have the same position.
Shape stridesWithout(Dims shape, Dims axes) {
  Shape kept(shape);
  for (int64_t axis : axes)
    kept[axis] = 1;
  Shape strides = stridesOf(kept);
  for (int64_t axis : axes)
    strides[axis] = 0;
  return strides;
}

/// Combines two elements. T has the order of the element type. If one element is NaN, the result is NaN.
template <typename T> T combine(nn::ReduceKind kind, T total, T x) {
  switch (kind) {
  case nn::ReduceKind::Sum:
  case nn::ReduceKind::Mean:
    return nn::add(total, x);
  case nn::ReduceKind::Prod:
    return nn::multiply(total, x);
  case nn::ReduceKind::Max:
    return x > total || x != x ? x : total;
  case nn::ReduceKind::Min:
    return x < total || x != x ? x : total;
  }
  llvm_unreachable("all kinds are above");
}

template <typename T> T identityOf(nn::ReduceKind kind, Type element) {
  TypedAttr identity = nn::getIdentity(kind, element);
  if constexpr (std::is_same_v<T, double>)
    return cast<FloatAttr>(identity).getValueAsDouble();
  else if constexpr (std::is_same_v<T, uint64_t>)
    return cast<IntegerAttr>(identity).getValue().getZExtValue();
  else
    return cast<IntegerAttr>(identity).getValue().getSExtValue();
}

template <typename T> Tensor reduce(nn::ReduceOp op, const Tensor &x) {
  Tensor result(op.getType());
  Cell *to = result.write();
  const Type element = x.getElementType();
  for (int64_t i = 0; i < result.size(); ++i)
    set(to[i], identityOf<T>(op.getKind(), element));
  const Shape strides[] = {stridesWithout(x.getShape(), op.getAxes())};
  forEachElement(x.getShape(), strides, [&](int64_t from, const int64_t *at) {
    set(to[*at], combine(op.getKind(), get<T>(to[*at]), get<T>(x[from])));
  });
  int64_t count = 1;
  for (int64_t axis : op.getAxes())
    count *= x.getShape()[axis];
  for (int64_t i = 0; i < result.size(); ++i) {
    if constexpr (std::is_same_v<T, double>) {
      to[i].number = op.getKind() == nn::ReduceKind::Mean ? to[i].number / double(count) : to[i].number;
    } else { // sums wrap in the type itself
      to[i].integer = wrapTo(element, to[i].integer);
      if (op.getKind() == nn::ReduceKind::Mean)
        set(to[i], count ? T(get<T>(to[i]) / T(count)) : T(0));
    }
  }
  return result;
}

} // namespace

Tensor evaluate(nn::ReduceOp op, Operands operands) {
  const Tensor &x = operands[0];
  return x.isFloat() ? reduce<double>(op, x) : x.isUnsigned() ? reduce<uint64_t>(op, x) : reduce<int64_t>(op, x);
}

Tensor evaluate(nn::ArgReduceOp op, Operands operands) {
  const Tensor x = operands[0].asStored();
  const auto axis = int64_t(op.getAxis());
  const bool isMax = op.getKind() == nn::ArgKind::Max;
  Tensor result(op.getType());
  Cell *to = result.write();
  // A -inf does not replace an earlier NaN in a maximum; the same is true for inf in a minimum.
  auto isPassedOver = [&](Cell cell) {
    return x.isFloat() &&
           (std::isnan(cell.number) || (!op.getSelectLast() && cell.number == (isMax ? -HUGE_VAL : HUGE_VAL)));
  };
  auto isLess = [&](Cell a, Cell b) {
    return x.isFloat()      ? a.number < b.number
           : x.isUnsigned() ? uint64_t(a.integer) < uint64_t(b.integer)
                            : a.integer < b.integer;
  };
  forEachLine(x.getShape(), axis, [&](int64_t first, int64_t stride) {
    int64_t best = -1;
    for (int64_t i = 0; i < x.getShape()[axis]; ++i) {
      const Cell cell = x[first + i * stride];
      if (isPassedOver(cell))
        continue;
      const Cell former = x[first + std::max<int64_t>(best, 0) * stride];
      const bool isBetter = best < 0 || (isMax ? isLess(former, cell) : isLess(cell, former));
      const bool isWorse = best >= 0 && (isMax ? isLess(cell, former) : isLess(former, cell));
      if (isBetter || (op.getSelectLast() && !isWorse))
        best = i;
    }
    (to++)->integer = std::max<int64_t>(best, 0);
  });
  return result;
}

Tensor evaluate(nn::SoftmaxOp op, Operands operands) {
  const Tensor &x = operands[0];
  const auto axis = int64_t(op.getAxis());
  const int64_t extent = x.getShape()[axis];
  Tensor result(op.getType());
  Cell *to = result.write();
  forEachLine(x.getShape(), axis, [&](int64_t first, int64_t stride) {
    double largest = -HUGE_VAL, sum = 0;
    for (int64_t i = 0; i < extent; ++i)
      largest = std::max(largest, x.number(first + i * stride));
    for (int64_t i = 0; i < extent; ++i)
      sum += std::exp(x.number(first + i * stride) - largest);
    for (int64_t i = 0; i < extent; ++i) {
      const double shifted = x.number(first + i * stride) - largest;
      to[first + i * stride].number = op.getLog() ? shifted - std::log(sum) : std::exp(shifted) / sum;
    }
  });
  return result;
}

Tensor evaluate(nn::NormalizeOp op, Operands operands) {
  const Tensor &x = operands[0];
  const double epsilon = op.getEpsilon().convertToDouble();
  const Shape strides[] = {stridesWithout(x.getShape(), op.getAxes())};
  double count = 1;
  for (int64_t axis : op.getAxes())
    count *= double(x.getShape()[axis]);
  std::vector<double> means(x.size()), variances(x.size()); // larger than necessary
  forEachElement(x.getShape(), strides, [&](int64_t i, const int64_t *at) { means[*at] += x.number(i); });
  for (double &mean : means) // divided at the end, so that the mean of equal values is exact
    mean /= count;
  forEachElement(x.getShape(), strides, [&](int64_t i, const int64_t *at) {
    variances[*at] += (x.number(i) - means[*at]) * (x.number(i) - means[*at]) / count;
  });
  Tensor result(op.getType());
  Cell *to = result.write();
  forEachElement(x.getShape(), strides, [&](int64_t i, const int64_t *at) {
    to[i].number = (x.number(i) - means[*at]) / std::sqrt(variances[*at] + epsilon);
  });
  return result;
}

namespace {

template <typename T> Tensor cumulate(nn::CumulateOp op, const Tensor &x) {
  const auto axis = int64_t(op.getAxis());
  const int64_t extent = x.getShape()[axis];
  const bool isSum = op.getKind() == nn::CumulateKind::Sum;
  Tensor result(op.getType());
  Cell *to = result.write();
  forEachLine(x.getShape(), axis, [&](int64_t first, int64_t stride) {
    T total = isSum ? 0 : 1;
    for (int64_t iteration = 0; iteration < extent; ++iteration) {
      const int64_t i = first + (op.getReverse() ? extent - 1 - iteration : iteration) * stride;
      const T next = isSum ? nn::add(total, get<T>(x[i])) : nn::multiply(total, get<T>(x[i]));
      set(to[i], op.getExclusive() ? total : next);
      total = next;
    }
  });
  for (int64_t i = 0; i < result.size() && !result.isFloat(); ++i)
    to[i].integer = wrapTo(result.getElementType(), to[i].integer);
  return result;
}

} // namespace

Tensor evaluate(nn::CumulateOp op, Operands operands) {
  return operands[0].isFloat() ? cumulate<double>(op, operands[0]) : cumulate<int64_t>(op, operands[0]);
}

} // namespace nacre::evaluate
