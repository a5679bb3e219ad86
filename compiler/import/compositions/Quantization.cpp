// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. parameters over the elements that they belong to; 2. the two directions.

#include "compiler/import/compositions/Quantization.h"

#include "compiler/import/compositions/Elementary.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer {

//===----------------------------------------------------------------------===//
// 1. Parameters
//===----------------------------------------------------------------------===//

bool isParameterOf(Value x, Value parameter, Granularity granularity) {
  auto [axis, block] = granularity;
  if (!block && getType(parameter).getNumElements() == 1)
    return true;
  if (axis >= getRank(x))
    return false;
  if (!block)
    return getRank(parameter) == 1 && getShape(parameter)[0] == getShape(x)[axis];
  SmallVector<int64_t> shape(getShape(x));
  shape[axis] = static_cast<int64_t>(llvm::divideCeil(shape[axis], block));
  return getShape(parameter) == Ints(shape);
}

/// With `size` elements at `axis`, and a further axis of `block` behind it.
static SmallVector<int64_t> withBlocks(Ints shape, int64_t axis, int64_t size, int64_t block) {
  SmallVector<int64_t> result(shape);
  result[axis] = size;
  result.insert(result.begin() + axis + 1, block);
  return result;
}

/// A parameter of blocks, an element for each one of `x`.
static Value repeat(NnBuilder &nn, Value parameter, Value x, Granularity granularity) {
  if (!parameter)
    return {};
  auto [axis, block] = granularity;
  Ints shape = getShape(parameter);
  const int64_t blocks = shape[axis];
  parameter =
      nn.broadcast(nn.reshape(parameter, withBlocks(shape, axis, blocks, 1)), withBlocks(shape, axis, blocks, block));
  SmallVector<int64_t> whole(getShape(x));
  whole[axis] = blocks * block;
  return nn.slice(nn.reshape(parameter, whole), axis, 0, getShape(x)[axis]);
}

/// `compute(x, scale, zero)` with parameters that broadcast to x.
template <typename Compute>
static Value overElements(NnBuilder &nn, Value x, Value scale, Value zero, Granularity granularity, Compute compute) {
  auto [axis, block] = granularity;
  if (!block) {
    auto align = [&, axis = axis](Value parameter) {
      if (!parameter || getType(parameter).getNumElements() == 1)
        return parameter ? nn.reshape(parameter, {}) : Value();
      return nn.alignToAxis(parameter, axis, getRank(x));
    };
    return compute(x, align(scale), align(zero));
  }
  Ints shape = getShape(x);
  const int64_t blocks = getShape(scale)[axis];
  if (shape[axis] != blocks * block)
    return compute(x, repeat(nn, scale, x, granularity), repeat(nn, zero, x, granularity));
  SmallVector<int64_t> ofParameters = withBlocks(shape, axis, blocks, 1);
  Value y = compute(nn.reshape(x, withBlocks(shape, axis, blocks, block)), nn.reshape(scale, ofParameters),
                    nn.reshape(zero, ofParameters));
  return nn.reshape(y, shape);
}

//===----------------------------------------------------------------------===//
// 2. The two directions
//===----------------------------------------------------------------------===//

Value dequantize(NnBuilder &nn, Value x, Value scale, Value zero, Granularity granularity, Type real) {
  if (!x || !scale)
    return {};
  Type wide = getElementType(scale).isF64() ? getElementType(scale) : Type(nn.types().getF32Type());
  return overElements(nn, x, scale, zero, granularity, [&](Value codes, Value scales, Value zeros) {
    Value centred = nn.cast(codes, wide);
    if (zero)
      centred = nn.sub(centred, nn.cast(zeros, wide));
    return nn.cast(nn.mul(centred, nn.cast(scales, wide)), real);
  });
}

Value quantize(NnBuilder &nn, Value x, Value scale, Value zero, Granularity granularity, Type precision, Type type,
               bool overflows) {
  if (!x || !scale)
    return {};
  return overElements(nn, x, scale, zero, granularity, [&](Value reals, Value scales, Value zeros) {
    Value quotient = nn.div(nn.cast(reals, precision), nn.cast(scales, precision));
    // Zero points have more digits than a half has.
    Type wide = precision.getIntOrFloatBitWidth() < 32 ? Type(nn.types().getF32Type()) : precision;
    auto integer = dyn_cast<IntegerType>(type);
    if (integer)
      quotient = nn.unary(nn::UnaryKind::Round, quotient);
    quotient = nn.cast(quotient, wide);
    if (zero)
      quotient = nn.add(quotient, nn.cast(zeros, wide));
    if (!integer)
      return nn.cast(quotient, type, overflows);
    double low = APSInt::getMinValue(integer.getWidth(), integer.isUnsigned()).getExtValue();
    double high = APSInt::getMaxValue(integer.getWidth(), integer.isUnsigned()).getExtValue();
    return nn.cast(clamp(nn, quotient, low, high), type);
  });
}

Value roundAwayFromZero(NnBuilder &nn, Value x) {
  // What is above the integer is exact. Half added to the largest number below one half would be rounded up to one.
  Value magnitude = nn.unary(nn::UnaryKind::Abs, x);
  Value below = nn.unary(nn::UnaryKind::Floor, magnitude);
  Value isUp = nn.binary(nn::BinaryKind::GreaterEqual, nn.sub(magnitude, below), 0.5);
  return nn.mul(nn.unary(nn::UnaryKind::Sign, x), nn.select(isUp, nn.add(below, 1), below));
}

} // namespace nacre::importer
