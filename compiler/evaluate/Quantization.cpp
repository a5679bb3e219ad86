// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers and floats of few bits, and the reals that they represent.

#include "compiler/evaluate/Operators.h"
#include "compiler/evaluate/Walks.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/evaluate/ScalarFunctions.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace nacre::evaluate {
namespace {

/// Returns the position in `parameter`, a scale or a zero point, for the element at `index`.
int64_t parameterAt(const Tensor &parameter, Dims index, int64_t axis, int64_t block) {
  if (parameter.getRank() == 0)
    return 0;
  if (block == 0)
    return index[size_t(axis)];
  Shape own(index);
  own[size_t(axis)] /= block;
  return positionOf(own, stridesOf(parameter.getShape()));
}

/// Returns an element as a float. Integers are converted to f32, or to f64 if `isDouble`.
double numberOf(const Tensor &tensor, int64_t at, bool isDouble) {
  return tensor.isFloat() ? tensor.number(at) : nn::toFloat(tensor.integer(at), tensor.isUnsigned(), isDouble);
}

} // namespace

/// The quotient is rounded to its type first, because the conversion to integers is discontinuous.
Tensor evaluate(nn::QuantizeOp op, Operands operands) {
  const Tensor &x = operands[0], &scale = operands[1], &zero = operands[2];
  const auto axis = int64_t(op.getAxis()), block = int64_t(op.getBlock());
  const Type real = x.getElementType(), code = op.getType().getElementType(),
             wide = real.isF64() ? real : Type(Float32Type::get(op.getContext()));
  const nn::FloatFormat *format = nn::findFormat(code);
  const unsigned width = code.getIntOrFloatBitWidth();
  const double low = format || code.isUnsignedInteger() ? 0 : -std::ldexp(1.0, int(width) - 1);
  const double high = std::ldexp(1.0, int(code.isUnsignedInteger() ? width : width - 1)) - 1;
  Tensor result(op.getType());
  Cell *to = result.write();
  int64_t at = 0;
  forEachIndex(x.getShape(), [&](Dims index) {
    const double quotient = roundTo(real, x.number(at) / scale.number(parameterAt(scale, index, axis, block)));
    const double shift = numberOf(zero, parameterAt(zero, index, axis, block), real.isF64());
    const double sum = roundTo(wide, (format ? quotient : std::nearbyint(quotient)) + shift);
    if (format)
      to[at].number = nn::decode(*format, nn::encode(*format, sum, /*saturates=*/!op.getOverflows()));
    else
      to[at].integer = std::isnan(sum) ? 0 : int64_t(std::clamp(sum, low, high));
    ++at;
  });
  return result;
}

Tensor evaluate(nn::DequantizeOp op, Operands operands) {
  const Tensor &codes = operands[0], &scale = operands[1], &zero = operands[2];
  const auto axis = int64_t(op.getAxis()), block = int64_t(op.getBlock());
  const bool isDouble = op.getType().getElementType().isF64();
  Tensor result(op.getType());
  Cell *to = result.write();
  int64_t at = 0;
  forEachIndex(codes.getShape(), [&](Dims index) {
    const double centred =
        numberOf(codes, at, isDouble) - numberOf(zero, parameterAt(zero, index, axis, block), isDouble);
    to[at++].number = centred * scale.number(parameterAt(scale, index, axis, block));
  });
  return result;
}

} // namespace nacre::evaluate
