// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  evaluates quantization of constants, and dequantization of constant codes.
// How:   each step is rounded like the operators that nacre-expand-quantization creates.

#include "dialects/nn/IndexedCopy.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/evaluate/Evaluators.h"
#include "dialects/nn/evaluate/ScalarFunctions.h"

#include "llvm/ADT/APSInt.h"
#include <cmath>

using namespace mlir;

namespace nacre::nn {

namespace {

/// Maps an element to the index of its value in a scale or a zero point.
class ParameterPosition {
public:
  ParameterPosition(ArrayRef<int64_t> shape, int64_t axis, int64_t block)
      : isScalar(shape.empty()), axis(axis), block(block), strides(rowMajorStrides(shape)) {}

  int64_t of(ArrayRef<int64_t> index) const {
    if (isScalar || block == 0)
      return isScalar ? 0 : index[axis];
    int64_t position = 0;
    for (auto [at, stride] : llvm::enumerate(strides))
      position += (int64_t(at) == axis ? index[at] / block : index[at]) * stride;
    return position;
  }

private:
  bool isScalar;
  int64_t axis, block;
  SmallVector<int64_t> strides;
};

/// Calls `body(builder, element, position in the scale, position in the zero point)` for every element of the result.
/// If all operands are splats, the result is one.
template <typename OpT, typename Body> ElementsAttr mapCodes(OpT op, Views views, Body &&body) {
  RankedTensorType type = op.getType();
  const bool isSplat = llvm::all_of(views, [](const ConstantView &view) { return view.isSplat(); });
  ConstantBuilder builder(type, isSplat);
  const ParameterPosition scale(views[1].getShape(), op.getAxis(), op.getBlock()),
      zero(views[2].getShape(), op.getAxis(), op.getBlock());
  const SmallVector<int64_t> shape =
      isSplat ? SmallVector<int64_t>(type.getRank(), 1) : SmallVector<int64_t>(type.getShape());
  int64_t element = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    body(builder, element, scale.of(index), zero.of(index));
    ++element;
  });
  return std::move(builder).take();
}

double roundToReal(Type type, double value) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return double(float(value));
  APFloat number(value);
  bool loses = false;
  number.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

/// Returns an element converted to f64 or f32, as nn.cast converts it.
double readElement(const ConstantView &view, int64_t at, bool isDouble) {
  if (auto integer = dyn_cast<IntegerType>(view.getElementType())) {
    int64_t code = 0;
    view.read(at, 0, 1, &code);
    return toFloat(code, integer.isUnsigned(), isDouble);
  }
  double number = 0;
  view.read(at, 0, 1, &number);
  return isDouble ? number : double(float(number));
}

} // namespace

ElementsAttr QuantizeOp::evaluate(Views views) {
  const Type real = views[0].getElementType(), code = getType().getElementType();
  const bool isDouble = real.isF64();
  auto round = [&](double x) { return isDouble ? x : double(float(x)); };
  const auto integer = dyn_cast<IntegerType>(code);
  double low = 0, high = 0;
  if (integer) {
    low = double(llvm::APSInt::getMinValue(integer.getWidth(), integer.isUnsigned()).getExtValue());
    high = double(llvm::APSInt::getMaxValue(integer.getWidth(), integer.isUnsigned()).getExtValue());
  }
  return mapCodes(*this, views, [&](ConstantBuilder &builder, int64_t at, int64_t scaleAt, int64_t zeroAt) {
    double x = 0, scale = 0;
    views[0].read(at, 0, 1, &x);
    views[1].read(scaleAt, 0, 1, &scale);
    const double zero = readElement(views[2], zeroAt, isDouble), quotient = roundToReal(real, x / scale);
    if (integer)
      builder.write(at, ArrayRef<double>(std::clamp(round(std::nearbyint(quotient) + zero), low, high)));
    else
      builder.write(at, ArrayRef<uint8_t>(
                            uint8_t(encode(*findFormat(code), round(quotient + zero), /*saturates=*/!getOverflows()))));
  });
}

ElementsAttr DequantizeOp::evaluate(Views views) {
  const bool isDouble = getType().getElementType().isF64();
  auto round = [&](double x) { return isDouble ? x : double(float(x)); };
  return mapCodes(*this, views, [&](ConstantBuilder &builder, int64_t at, int64_t scaleAt, int64_t zeroAt) {
    const double centred = round(readElement(views[0], at, isDouble) - readElement(views[2], zeroAt, isDouble));
    double scale = 0;
    views[1].read(scaleAt, 0, 1, &scale);
    builder.write(at, ArrayRef<double>(round(centred * scale)));
  });
}

} // namespace nacre::nn
