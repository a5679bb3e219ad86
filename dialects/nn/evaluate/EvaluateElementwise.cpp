// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  evaluates elementwise operators of constants.
// How:   the elements of a part of the result's last axis are computed together. The operands' elements are converted
//        to double or int64, the scalar function is applied, and the results are rounded to the element type.

#include "dialects/nn/FixedPoint.h"
#include "dialects/nn/IndexedCopy.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/evaluate/Evaluators.h"
#include "dialects/nn/evaluate/ScalarFunctions.h"

using namespace mlir;

namespace nacre::nn {

namespace {

bool isFloat(Type type) { return isa<FloatType>(type); }

/// Calls `body(resultIndex, count, rows)` for parts of the result's last axis. `rows` has the elements of each operand,
/// converted to T.
template <typename T, typename Body> void forEachRow(ArrayRef<int64_t> shape, Views views, Body &&body) {
  constexpr int64_t longest = 1024;
  SmallVector<SmallVector<int64_t>> strides;
  for (const ConstantView &view : views)
    strides.push_back(broadcastStrides(view.getShape(), shape));
  int64_t length = shape.empty() ? 1 : shape.back();
  ArrayRef<int64_t> outer = shape.empty() ? shape : shape.drop_back();
  SmallVector<SmallVector<T, 0>> rows(views.size(), SmallVector<T, 0>(std::min(length, longest)));
  int64_t result = 0;
  forEachIndex(outer, [&](ArrayRef<int64_t> index) {
    for (int64_t begin = 0; begin < length; begin += longest) {
      int64_t count = std::min(longest, length - begin);
      for (auto [view, stride, row] : llvm::zip(views, strides, rows)) {
        int64_t step = stride.empty() ? 0 : stride.back();
        int64_t from = begin * step;
        for (auto [i, axisStride] : llvm::zip(index, stride))
          from += i * axisStride;
        view.read(from, step, count, row.data());
      }
      body(result, count, rows);
      result += count;
    }
  });
}

/// Returns a builder for `type`. It builds a splat if all operands are splats. Sets `shape` to the shape of the
/// elements to compute.
ConstantBuilder startElementwise(RankedTensorType type, Views views, SmallVectorImpl<int64_t> &shape) {
  bool splat =
      type.getNumElements() > 0 && llvm::all_of(views, [](const ConstantView &view) { return view.isSplat(); });
  shape.assign(type.getShape().begin(), type.getShape().end());
  if (splat)
    shape.assign(shape.size(), 1);
  return ConstantBuilder(type, splat);
}

/// Computes each element of the result as `function` of the operands' elements, which are converted to T.
template <typename T, typename Function>
ElementsAttr mapElements(RankedTensorType type, Views views, Function &&function) {
  SmallVector<int64_t> shape;
  ConstantBuilder builder = startElementwise(type, views, shape);
  using Result = decltype(function(std::declval<ArrayRef<SmallVector<T, 0>>>(), int64_t()));
  SmallVector<Result, 0> values;
  forEachRow<T>(shape, views, [&](int64_t index, int64_t count, ArrayRef<SmallVector<T, 0>> rows) {
    values.resize(count);
    for (int64_t i = 0; i < count; ++i)
      values[i] = function(rows, i);
    builder.write(index, ArrayRef<Result>(values));
  });
  return std::move(builder).take();
}

} // namespace

ElementsAttr UnaryOp::evaluate(Views views) {
  Type element = views[0].getElementType();
  const UnaryFacts &facts = getFacts(getKind());
  if (isFloat(element)) {
    double alpha = getAlpha().convertToDouble();
    return mapElements<double>(getType(), views,
                               [&](auto rows, int64_t i) { return facts.ofFloat(rows[0][i], alpha); });
  }
  bool isUnsigned = element.isUnsignedInteger();
  return mapElements<int64_t>(getType(), views,
                              [&](auto rows, int64_t i) { return facts.ofInteger(rows[0][i], isUnsigned); });
}

ElementsAttr BinaryOp::evaluate(Views views) {
  Type element = views[0].getElementType();
  BinaryKind kind = getKind();
  bool compares = getFacts(kind).is(FunctionFacts::predicate);
  bool isUnsigned = element.isUnsignedInteger(), isExponentUnsigned = views[1].getElementType().isUnsignedInteger();
  // A power may have an integer base and a float exponent.
  if (isFloat(element) || isFloat(views[1].getElementType())) {
    if (compares)
      return mapElements<double>(getType(), views,
                                 [&](auto rows, int64_t i) { return int64_t(compare(kind, rows[0][i], rows[1][i])); });
    return mapElements<double>(getType(), views, [&](auto rows, int64_t i) {
      const double right = rows[1][i];
      return apply(kind, rows[0][i], kind == BinaryKind::Pow ? toExponent(right, element) : right);
    });
  }
  if (compares)
    return mapElements<int64_t>(getType(), views, [&](auto rows, int64_t i) {
      int64_t a = rows[0][i], b = rows[1][i];
      return int64_t(isUnsigned ? compare(kind, uint64_t(a), uint64_t(b)) : compare(kind, a, b));
    });
  return mapElements<int64_t>(getType(), views, [&](auto rows, int64_t i) {
    return apply(kind, rows[0][i], rows[1][i], isUnsigned, isExponentUnsigned);
  });
}

/// Reads integers as int64, which keeps their bits. Only floats are converted to double, which holds every float type.
ElementsAttr SelectOp::evaluate(Views views) {
  auto choose = [](auto rows, int64_t i) { return rows[0][i] != 0 ? rows[1][i] : rows[2][i]; };
  if (isFloat(getType().getElementType()))
    return mapElements<double>(getType(), views, choose);
  return mapElements<int64_t>(getType(), views, choose);
}

/// Casts to a narrow float. This code encodes the result, because only a cast has rounding options for narrow floats.
static ElementsAttr castToNarrowFloat(CastOp op, Views views) {
  Type from = views[0].getElementType(), to = op.getType().getElementType();
  const FloatFormat *format = findFormat(to);
  const bool saturates = !op.getOverflows();
  auto code = [&](double x) {
    return uint8_t(format ? encode(*format, x, saturates) : encodeScale(x, op.getRounding(), saturates));
  };
  if (isFloat(from))
    return mapElements<double>(op.getType(), views, [&](auto rows, int64_t i) { return code(rows[0][i]); });
  return mapElements<int64_t>(op.getType(), views, [&](auto rows, int64_t i) {
    return code(toFloat(rows[0][i], from.isUnsignedInteger(), /*isDouble=*/false));
  });
}

ElementsAttr CastOp::evaluate(Views views) {
  auto same = [](auto rows, int64_t i) { return rows[0][i]; };
  Type from = views[0].getElementType(), to = getType().getElementType();
  if (isNarrow(to) && isFloat(to))
    return castToNarrowFloat(*this, views);
  if (isFloat(from))
    return mapElements<double>(getType(), views, same);
  if (isFloat(to))
    return mapElements<int64_t>(getType(), views, [&](auto rows, int64_t i) {
      return toFloat(rows[0][i], from.isUnsignedInteger(), to.isF64());
    });
  return mapElements<int64_t>(getType(), views, same);
}

ElementsAttr RequantizeOp::evaluate(Views views) {
  FixedPointRounding rounding = getRounding();
  return mapElements<int64_t>(getType(), views, [&](auto rows, int64_t i) {
    return int64_t(requantize(rounding, rows[0][i], {int32_t(rows[1][i]), int32_t(rows[2][i])}));
  });
}

SmallVector<int64_t> broadcastStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> result) {
  SmallVector<int64_t> strides(result.size(), 0), own = rowMajorStrides(shape);
  size_t missing = result.size() - shape.size();
  for (auto [axis, dim] : llvm::enumerate(shape))
    strides[missing + axis] = dim == 1 ? 0 : own[axis];
  return strides;
}

} // namespace nacre::nn
