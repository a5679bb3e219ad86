// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Quantization.h. The parts of this file are shapes of parameters, and the two directions of the conversion.

#include "compiler/import/compositions/Quantization.h"

#include "compiler/import/options/Limits.h"

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

/// Returns `parameter` in the form that nn.quantize needs: a scalar if it has one element for the whole tensor.
static Value asParameter(NnBuilder &nn, Value parameter, Granularity granularity) {
  return parameter && !granularity.block && getType(parameter).getNumElements() == 1 ? nn.reshape(parameter, {})
                                                                                     : parameter;
}

/// Returns a granularity without an axis if both the scale and the zero point are scalars. Otherwise, returns
/// `granularity`.
static Granularity granularityOf(Value scale, Value zero, Granularity granularity) {
  return scale && zero && getRank(scale) == 0 && getRank(zero) == 0 ? Granularity() : granularity;
}

/// Reports an error and returns true if `x` has too many axes for scales of blocks, which add an axis.
static bool hasTooManyAxes(NnBuilder &nn, Value x, Granularity granularity) {
  if (!granularity.block || getRank(x) < maxRank)
    return false;
  nn.error() << "what has scales of blocks must have fewer than " << maxRank << " axes, but has " << getRank(x)
             << "; merge some with a Reshape";
  return true;
}

//===----------------------------------------------------------------------===//
// 2. The two directions
//===----------------------------------------------------------------------===//

Value dequantize(NnBuilder &nn, Value x, Value scale, Value zero, Granularity granularity, Type real) {
  if (!x || !scale || hasTooManyAxes(nn, x, granularity))
    return {};
  // The result of the operator has the type of the scale.
  Type given = getElementType(scale);
  if (given != real)
    scale = nn.cast(scale, given.isF64() ? given : nn.types().getF32Type());
  scale = asParameter(nn, scale, granularity);
  zero = zero ? asParameter(nn, zero, granularity) : nn.scalar(x, 0);
  return nn.cast(nn.dequantize(x, scale, zero, granularityOf(scale, zero, granularity)), real);
}

Value quantize(NnBuilder &nn, Value x, Value scale, Value zero, Granularity granularity, Type precision, Type type,
               bool overflows) {
  if (!x || !scale || hasTooManyAxes(nn, x, granularity))
    return {};
  scale = asParameter(nn, nn.cast(scale, precision), granularity);
  zero = zero ? asParameter(nn, zero, granularity) : nn.splat(RankedTensorType::get({}, type), 0);
  return nn.quantize(nn.cast(x, precision), scale, zero, granularityOf(scale, zero, granularity), overflows);
}

Value roundAwayFromZero(NnBuilder &nn, Value x) {
  // The difference from the next smaller integer is exact. If one half were added instead, the largest value below one
  // half would be rounded up to one.
  Value magnitude = nn.unary(nn::UnaryKind::Abs, x);
  Value below = nn.unary(nn::UnaryKind::Floor, magnitude);
  Value isUp = nn.binary(nn::BinaryKind::GreaterEqual, nn.sub(magnitude, below), 0.5);
  return nn.mul(nn.unary(nn::UnaryKind::Sign, x), nn.select(isUp, nn.add(below, 1), below));
}

} // namespace nacre::importer
