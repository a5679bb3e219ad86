// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See IntegerArithmetic.h. The parts of this file are the conversions of reals to integers and back, sums of products,
// and fixed-point arithmetic.

#include "compiler/import/compositions/IntegerArithmetic.h"

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/Movement.h"
#include "dialects/nn/ConstantData.h"

#include "llvm/ADT/APSInt.h"
#include <algorithm>
#include <limits>
#include <optional>

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;
using nn::PadMode;
using nn::ReduceKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Reals
//===----------------------------------------------------------------------===//

Value dequantize(NnBuilder &nn, const Quantized &x) {
  if (!x.values || !x.scale)
    return {};
  return nn.dequantize(x.values, x.scale, x.zero ? x.zero : nn.scalar(x.values, 0));
}

Value roundToIntegers(NnBuilder &nn, Value steps, Value zero, Type type) {
  Value rounded = nn.unary(UnaryKind::Round, steps);
  if (zero && rounded)
    rounded = nn.add(rounded, nn.cast(zero, getElementType(rounded)));
  const unsigned width = type.getIntOrFloatBitWidth();
  const bool isUnsigned = type.isUnsignedInteger();
  auto low = static_cast<double>(llvm::APSInt::getMinValue(width, isUnsigned).getExtValue());
  auto high = static_cast<double>(llvm::APSInt::getMaxValue(width, isUnsigned).getExtValue());
  return nn.cast(clamp(nn, rounded, low, high), type);
}

Value quantize(NnBuilder &nn, Value real, Value scale, Value zero, Type type) {
  return nn.quantize(real, scale, zero ? zero : nn.splat(RankedTensorType::get({}, type), 0));
}

Quantized quantizeDynamically(NnBuilder &nn, Value real) {
  if (!real)
    return {};
  SmallVector<int64_t> axes = axisRange(0, getRank(real));
  Value low = nn.binary(BinaryKind::Min, nn.reduce(ReduceKind::Min, real, axes, /*keepDims=*/false), 0.0);
  Value high = nn.binary(BinaryKind::Max, nn.reduce(ReduceKind::Max, real, axes, /*keepDims=*/false), 0.0);
  Value isPoint = nn.binary(BinaryKind::Equal, low, high);
  Value scale = nn.select(isPoint, nn.scalar(real, 1), nn.div(nn.sub(high, low), 255));
  Type byte = nn.types().getIntegerType(8, /*isSigned=*/false);
  Value zero = roundToIntegers(nn, nn.sub(nn.scalar(real, 0), nn.div(low, scale)), {}, byte);
  return {quantize(nn, real, scale, zero, byte), scale, zero};
}

//===----------------------------------------------------------------------===//
// 2. Sums of products
//===----------------------------------------------------------------------===//

/// Returns the integer that all elements of `value` have, or 0 if `value` is null. Returns `nullopt` if the elements
/// are not known or not equal.
static std::optional<int64_t> getKnown(Value value) {
  if (!value)
    return 0;
  ElementsAttr constant = getConstant(value);
  if (!constant || constant.getNumElements() == 0 || (!constant.isSplat() && constant.getNumElements() > 1))
    return std::nullopt;
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
  if (failed(view))
    return std::nullopt;
  int64_t number = 0;
  view->read(0, 0, 1, &number);
  return number;
}

/// Returns the sum along `axes` as integers of `type`. The size of these axes becomes 1.
static Value sumAlong(NnBuilder &nn, Value x, Ints axes, Type type) {
  return nn.reduce(ReduceKind::Sum, nn.cast(x, type), axes, /*keepDims=*/true);
}

/// Returns the smallest and the largest integer of a constant. `value` may also be a transpose, reshape or slice of a
/// constant.
static std::optional<std::pair<int64_t, int64_t>> getRange(Value value) {
  while (Operation *op = value.getDefiningOp())
    if (isa<nn::TransposeOp, nn::ReshapeOp, nn::SliceOp>(op))
      value = op->getOperand(0);
    else
      break;
  ElementsAttr constant = getConstant(value);
  FailureOr<nn::ConstantView> view =
      constant ? nn::ConstantView::get(constant) : FailureOr<nn::ConstantView>(failure());
  if (failed(view) || constant.getNumElements() == 0)
    return std::nullopt;
  constexpr int64_t chunk = 4096;
  const int64_t count = view->isSplat() ? 1 : constant.getNumElements();
  int64_t numbers[chunk], least = std::numeric_limits<int64_t>::max(), most = std::numeric_limits<int64_t>::min();
  for (int64_t begin = 0; begin < count; begin += chunk) {
    const int64_t size = std::min(chunk, count - begin);
    view->read(begin, 1, size, numbers);
    for (int64_t number : ArrayRef(numbers, size)) {
      least = std::min(least, number);
      most = std::max(most, number);
    }
  }
  return std::pair(least, most);
}

/// Makes the bytes of the right operand signed, because dot product instructions need signed bytes. If the range of a
/// constant operand allows it, the zero point becomes 0, which saves the sums of rows.
static void centre(NnBuilder &nn, Value &weights, Value &zero) {
  constexpr double halfRange = 128;
  Type type = getElementType(weights), wide = nn.types().getIntegerType(16), byte = nn.types().getI8Type();
  if (!type.isInteger(8))
    return;
  std::optional<std::pair<int64_t, int64_t>> range = getRange(weights), zeros = std::pair<int64_t, int64_t>();
  if (zero)
    zeros = getRange(zero);
  const bool isUnsigned = type.isUnsignedInteger();
  if (range && zeros && range->first - zeros->second >= -halfRange && range->second - zeros->first < halfRange) {
    if (zeros->first != 0 || zeros->second != 0)
      weights = nn.cast(nn.sub(nn.cast(weights, wide), nn.cast(zero, wide)), byte);
    else if (isUnsigned)
      weights = nn.cast(weights, byte);
    zero = {};
  } else if (isUnsigned) {
    weights = nn.bitcast(nn.binary(BinaryKind::Xor, weights, halfRange), byte);
    zero = zero ? nn.binary(BinaryKind::Sub, nn.cast(zero, wide), halfRange)
                : nn.splat(RankedTensorType::get({}, wide), -halfRange);
  }
}

Value integerMatMul(NnBuilder &nn, Value lhs, Value lhsZero, Value rhs, Value rhsZero) {
  if (!lhs || !rhs)
    return {};
  centre(nn, rhs, rhsZero);
  Value sums = nn.matmul(lhs, rhs);
  if (!sums)
    return {};
  Type type = getElementType(sums);
  int64_t lhsDepth = getRank(lhs) - 1, rhsDepth = getRank(rhs) - 2;
  const bool centresLhs = getKnown(lhsZero) != 0, centresRhs = getKnown(rhsZero) != 0;
  Value left = centresLhs ? nn.cast(lhsZero, type) : Value();
  if (centresRhs) {
    Value rows = sumAlong(nn, lhs, lhsDepth, type);
    if (centresLhs)
      rows = nn.sub(rows, nn.mul(left, static_cast<double>(getShape(lhs)[lhsDepth])));
    sums = nn.sub(sums, nn.mul(rows, nn.cast(rhsZero, type)));
  }
  if (centresLhs)
    sums = nn.sub(sums, nn.mul(left, sumAlong(nn, rhs, rhsDepth, type)));
  return sums;
}

/// Pads the spatial axes of `input` with `value`, which is known only at run time.
static Value padWith(NnBuilder &nn, Value input, Ints pads, Value value) {
  const size_t spatial = pads.size() / 2;
  SmallVector<int64_t> low(spatial + 2, 0), high(spatial + 2, 0), inside(getShape(input));
  llvm::copy(pads.take_front(spatial), low.begin() + 1);
  llvm::copy(pads.drop_front(spatial), high.begin() + 1);
  inside.front() = inside.back() = 1;
  Value isInside = nn.splat(RankedTensorType::get(inside, nn.types().getI1Type()), 1);
  isInside = nn.pad(PadMode::Constant, isInside, low, high, 0);
  return nn.select(isInside, nn.pad(PadMode::Constant, input, low, high, 0), value);
}

Value integerConv(NnBuilder &nn, Value input, Value inputZero, Value filter, Value filterZero, const Window &window,
                  int64_t groups) {
  if (!input || !filter)
    return {};
  centre(nn, filter, filterZero);
  std::optional<int64_t> padValue = getKnown(inputZero);
  const bool centresInput = padValue != 0, centresFilter = getKnown(filterZero) != 0;
  SmallVector<int64_t> pads = window.pads;
  const bool isPadded = llvm::any_of(pads, [](int64_t pad) { return pad != 0; });
  if (isPadded && !padValue) {
    input = padWith(nn, input, pads, nn.reshape(inputZero, {}));
    llvm::fill(pads, 0);
  }
  auto convolve = [&](Value by) {
    return nn.conv(input, by, window.strides, pads, window.dilations, groups, isPadded ? padValue.value_or(0) : 0);
  };
  Value sums = convolve(filter);
  if (!sums)
    return {};

  Type type = getElementType(sums);
  Ints shape = getShape(filter);
  Value zero = centresInput ? nn.reshape(nn.cast(inputZero, type), {}) : Value();
  if (centresFilter) {
    SmallVector<int64_t> ones(shape);
    ones.back() = groups == 1 ? 1 : shape.back();
    Value inWindow = convolve(nn.splat(RankedTensorType::get(ones, getElementType(filter)), 1));
    double taps = 1;
    for (int64_t size : shape.drop_back())
      taps *= static_cast<double>(size);
    if (centresInput)
      inWindow = nn.sub(inWindow, nn.mul(zero, taps));
    sums = nn.sub(sums, nn.mul(inWindow, nn.cast(filterZero, type)));
  }
  if (centresInput) {
    Value columns = sumAlong(nn, filter, axisRange(0, static_cast<int64_t>(shape.size()) - 1), type);
    sums = nn.sub(sums, nn.mul(zero, nn.reshape(columns, {shape.back()})));
  }
  return sums;
}

/// Inserts stride - 1 elements after each element of the spatial axes. The new elements represent 0.
static Value spread(NnBuilder &nn, Value input, Ints strides, int64_t zero) {
  SmallVector<int64_t> shape(getShape(input)), split{shape.front()}, high{0}, merged{shape.front()},
      sizes{shape.front()};
  for (auto [axis, stride] : llvm::enumerate(strides)) {
    const int64_t extent = shape[axis + 1];
    split.append({extent, 1});
    high.append({0, stride - 1});
    merged.push_back(extent * stride);
    sizes.push_back((extent - 1) * stride + 1);
  }
  for (auto *list : {&split, &merged, &sizes})
    list->push_back(shape.back());
  high.push_back(0);
  Value apart = nn.pad(PadMode::Constant, nn.reshape(input, split), SmallVector<int64_t>(split.size(), 0), high,
                       static_cast<double>(zero));
  SmallVector<int64_t> begin(shape.size(), 0), steps(shape.size(), 1);
  return nn.slice(nn.reshape(apart, merged), begin, sizes, steps);
}

Value integerConvTranspose(NnBuilder &nn, Value input, Value inputZero, Value filter, Value filterZero,
                           const Window &window) {
  if (!input || !filter)
    return {};
  const size_t axes = window.kernel.size();
  std::optional<int64_t> zero = getKnown(inputZero);
  assert(zero && "what stands for 0 is known when a model is compiled");
  // Convolves the spread input with the reversed filter. The padding then excludes the border that the transposed
  // convolution removes.
  Window inner = window;
  inner.strides.assign(axes, 1);
  for (size_t axis = 0; axis < axes; ++axis)
    for (size_t end : {axis, axes + axis})
      inner.pads[end] = window.kernel[axis] - 1 - window.pads[end];
  Value turned = reverse(nn, filter, axisRange(0, static_cast<int64_t>(axes)));
  return integerConv(nn, spread(nn, input, window.strides, *zero), inputZero, turned, filterZero, inner, /*groups=*/1);
}

//===----------------------------------------------------------------------===//
// 3. Fixed point
//===----------------------------------------------------------------------===//

Value requantize(NnBuilder &nn, nn::FixedPointRounding rounding, Value sums, Value multiplier, Value shift,
                 int64_t zero, int64_t low, int64_t high, Type type) {
  Value scaled = nn.add(nn.requantize(rounding, sums, multiplier, shift), static_cast<double>(zero));
  return nn.cast(clamp(nn, scaled, static_cast<double>(low), static_cast<double>(high)), type);
}

} // namespace nacre::importer
