// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows over spatial axes or over channels.

#include "compiler/evaluate/Operators.h"
#include "compiler/evaluate/Walks.h"
#include "dialects/nn/evaluate/ScalarFunctions.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include <cmath>

using namespace mlir;

namespace nacre::evaluate {
namespace {

/// Calls `body` for the first channel of every cell of every window. Its arguments are the positions in the result and
/// in the input, and the index of the cell in its window. Two flags tell whether the cell is in the input, and whether
/// it is in the input or the padding.
template <typename Op, typename Body> void forEachCell(Op op, const Tensor &input, Dims result, Body &&body) {
  const Dims spatial = input.getShape().drop_front().drop_back(), places = result.drop_front().drop_back();
  const Shape strides = stridesOf(input.getShape());
  const size_t axes = spatial.size();
  int64_t to = 0;
  for (int64_t image = 0; image < result.front(); ++image)
    forEachIndex(places, [&](Dims place) {
      int64_t number = 0;
      forEachIndex(op.getKernel(), [&](Dims tap) {
        int64_t from = image * strides[0];
        bool isInside = true, isPadded = true;
        for (size_t axis = 0; axis < axes; ++axis) {
          const int64_t at =
              place[axis] * op.getStrides()[axis] + tap[axis] * op.getDilations()[axis] - op.getPads()[axis];
          isInside &= at >= 0 && at < spatial[axis];
          isPadded &= at < spatial[axis] + op.getPads()[axes + axis];
          from += at * strides[axis + 1];
        }
        body(to, from, number++, isInside, isPadded);
      });
      to += result.back();
    });
}

/// True if a is greater than b. NaN is greater than any other value.
bool isGreater(const Tensor &tensor, Cell a, Cell b) {
  if (tensor.isFloat())
    return a.number > b.number || std::isnan(a.number);
  return tensor.isUnsigned() ? uint64_t(a.integer) > uint64_t(b.integer) : a.integer > b.integer;
}

Cell leastOf(const Tensor &tensor) {
  Cell least{};
  TypedAttr identity = nn::getIdentity(nn::ReduceKind::Max, tensor.getElementType());
  if (tensor.isFloat())
    least.number = -HUGE_VAL;
  else
    least.integer = tensor.isUnsigned() ? 0 : cast<IntegerAttr>(identity).getValue().getSExtValue();
  return least;
}

} // namespace

Tensor evaluate(nn::PoolOp op, Operands operands) {
  const Tensor &input = operands[0];
  const int64_t channels = input.getShape().back();
  Tensor result(op.getType());
  Cell *to = result.write();
  if (op.getKind() == nn::PoolKind::Max) {
    std::fill(to, to + result.size(), leastOf(input));
    forEachCell(op, input, result.getShape(), [&](int64_t at, int64_t from, int64_t, bool isInside, bool) {
      for (int64_t c = 0; isInside && c < channels; ++c)
        if (isGreater(input, input[from + c], to[at + c]))
          to[at + c] = input[from + c];
    });
    return result;
  }
  std::vector<int64_t> counted(channels ? result.size() / channels : 0);
  forEachCell(op, input, result.getShape(), [&](int64_t at, int64_t from, int64_t, bool isInside, bool isPadded) {
    counted[at / channels] += op.getCountPadding() ? isPadded : isInside;
    for (int64_t c = 0; isInside && c < channels; ++c)
      to[at + c].number += input.number(from + c);
  });
  for (int64_t i = 0; i < result.size(); ++i)
    to[i].number /= double(counted[i / channels]);
  return result;
}

Tensor evaluate(nn::PoolCodeOp op, Operands operands) {
  const Tensor &input = operands[0], &maxima = operands[1];
  const int64_t channels = input.getShape().back();
  Tensor result(op.getType());
  Cell *to = result.write();
  for (int64_t i = 0; i < result.size(); ++i)
    to[i].integer = nn::codeOfNoCell;
  forEachCell(op, input, result.getShape(), [&](int64_t at, int64_t from, int64_t number, bool isInside, bool) {
    for (int64_t c = 0; isInside && c < channels; ++c) {
      const Cell cell = input[from + c], most = maxima[at + c];
      const bool isMost = input.isFloat() ? cell.number == most.number : cell.integer == most.integer;
      if (isMost && to[at + c].integer == nn::codeOfNoCell)
        to[at + c].integer = number;
    }
  });
  return result;
}

Tensor evaluate(nn::UnpoolOp op, Operands operands) {
  const Tensor &windows = operands[0], &code = operands[1];
  const Dims kernel = op.getKernel(), shape = windows.getShape();
  const int64_t channels = shape.back(), cells = product(kernel);
  Tensor result(op.getType());
  Cell *to = result.write();
  const Shape strides = stridesOf(result.getShape());
  int64_t from = 0;
  forEachIndex(shape, [&](Dims index) {
    const int64_t element = from++, number = code.integer(element);
    if (number >= cells)
      return;
    int64_t at = index.front() * strides.front() + element % channels;
    for (int64_t axis = int64_t(kernel.size()) - 1, rest = number; axis >= 0; rest /= kernel[axis], --axis) {
      const int64_t stride = op.getStrides()[axis];
      const int64_t place = index[axis + 1] * stride + rest % kernel[axis] * op.getDilations()[axis];
      at += place / stride * strides[1 + 2 * axis] + place % stride * strides[2 + 2 * axis];
    }
    if (windows.isFloat())
      to[at].number += windows.number(element);
    else
      to[at].integer = wrapTo(windows.getElementType(), nn::add(to[at].integer, windows.integer(element)));
  });
  return result;
}

Tensor evaluate(nn::LrnOp op, Operands operands) {
  const Tensor &x = operands[0];
  const int64_t channels = x.getShape().back(), size = int64_t(op.getSize());
  const double alpha = op.getAlpha().convertToDouble(), beta = op.getBeta().convertToDouble();
  const double bias = op.getBias().convertToDouble();
  Tensor result(op.getType());
  Cell *to = result.write();
  for (int64_t i = 0; i < result.size(); ++i) {
    const int64_t c = i % channels, first = i - c;
    double squares = 0;
    for (int64_t n = std::max<int64_t>(0, c - (size - 1) / 2); n <= std::min(channels - 1, c + size / 2); ++n)
      squares += x.number(first + n) * x.number(first + n);
    to[i].number = x.number(i) / std::pow(bias + alpha / double(size) * squares, beta);
  }
  return result;
}

} // namespace nacre::evaluate
