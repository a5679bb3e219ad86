// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are compositions of several `nn` operators, for the handlers of every format.

#include "compiler/import/compositions/Elementary.h"

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;
using nn::UnaryKind;

Value clamp(NnBuilder &nn, Value x, double low, double high) {
  return nn.binary(BinaryKind::Min, nn.binary(BinaryKind::Max, x, low), high);
}

Value hardSigmoid(NnBuilder &nn, Value x, double alpha, double beta) {
  return clamp(nn, nn.add(nn.mul(x, alpha), beta), 0, 1);
}

Value geluByTanh(NnBuilder &nn, Value x) {
  Value cubic = nn.add(x, nn.mul(nn.mul(nn.mul(x, x), x), 0.044715));
  Value curve = nn.add(nn.unary(UnaryKind::Tanh, nn.mul(cubic, 0.7978845608028654)), 1);
  return nn.mul(nn.mul(x, 0.5), curve);
}

Value swish(NnBuilder &nn, Value x, double alpha) {
  return nn.mul(x, nn.unary(UnaryKind::Sigmoid, alpha == 1 ? x : nn.mul(x, alpha)));
}

Value softsign(NnBuilder &nn, Value x) { return nn.div(x, nn.add(nn.unary(UnaryKind::Abs, x), 1)); }

Value selu(NnBuilder &nn, Value x) { return nn.mul(nn.unary(UnaryKind::Elu, x, seluAlpha), seluScale); }

Value logOnePlus(NnBuilder &nn, Value x) {
  // The factor x / (u - 1) corrects the rounding error of u = 1 + x. If u = 1, the result is x.
  Value u = nn.add(x, 1), logarithm = nn.unary(UnaryKind::Log, u);
  Value corrected = nn.div(nn.mul(logarithm, x), nn.sub(u, nn.scalar(x, 1)));
  Value result = nn.select(nn.binary(BinaryKind::Equal, u, x), logarithm, corrected);
  return nn.select(nn.binary(BinaryKind::Equal, u, 1.0), x, result);
}

Value expMinusOne(NnBuilder &nn, Value x) {
  // For negative x, elu is exact to all digits. For positive x, e^x - 1 = -e^x (e^-x - 1).
  Value above = nn.mul(nn.unary(UnaryKind::Exp, x), nn.unary(UnaryKind::Elu, nn.unary(UnaryKind::Neg, x), 1));
  Value isBelow = nn.binary(BinaryKind::Less, x, 0.0);
  return nn.select(isBelow, nn.unary(UnaryKind::Elu, x, 1), nn.unary(UnaryKind::Neg, above));
}

Value reciprocalRoot(NnBuilder &nn, Value x) { return nn.unary(UnaryKind::Reciprocal, nn.unary(UnaryKind::Sqrt, x)); }

Value square(NnBuilder &nn, Value x) { return nn.mul(x, x); }

Value squaredDifference(NnBuilder &nn, Value x, Value y) { return square(nn, nn.sub(x, y)); }

Value notEqual(NnBuilder &nn, Value x, Value y) { return nn.unary(UnaryKind::Not, nn.binary(BinaryKind::Equal, x, y)); }

Value reduceBooleans(NnBuilder &nn, nn::ReduceKind kind, Value x, Ints axes, bool keepDims) {
  return nn.cast(nn.reduce(kind, nn.cast(x, nn.types().getI8Type()), axes, keepDims), nn.types().getI1Type());
}

Value arcTangent(NnBuilder &nn, Value y, Value x) {
  constexpr double pi = 3.14159265358979323846;
  Value height = nn.unary(UnaryKind::Abs, y), width = nn.unary(UnaryKind::Abs, x);
  // 0 / 0 and infinity / infinity are NaN, so the angles in these cases are set directly.
  Value slope = nn.select(nn.binary(BinaryKind::Equal, height, width), nn.scalar(x, 1), nn.div(height, width));
  Value angle = nn.unary(UnaryKind::Atan, slope);
  angle = nn.select(nn.binary(BinaryKind::Equal, height, 0.0), nn.scalar(x, 0), angle);
  angle = nn.select(nn.binary(BinaryKind::Less, x, 0.0), nn.sub(nn.scalar(x, pi), angle), angle);
  return nn.select(nn.binary(BinaryKind::Less, y, 0.0), nn.unary(UnaryKind::Neg, angle), angle);
}

Value floorDivide(NnBuilder &nn, Value lhs, Value rhs) {
  Value quotient = nn.div(lhs, rhs);
  if (!quotient || isFloat(quotient))
    return nn.unary(UnaryKind::Floor, quotient);
  if (getElementType(quotient).isUnsignedInteger())
    return quotient;
  // If the remainder has the sign of the dividend, and the divisor has the other sign, the quotient was rounded up.
  Value isExact =
      nn.binary(BinaryKind::Equal, nn.binary(BinaryKind::Mod, lhs, rhs), nn.binary(BinaryKind::Fmod, lhs, rhs));
  return nn.select(isExact, quotient, nn.add(quotient, -1));
}

Value toMatrix(NnBuilder &nn, Value x, int64_t axis) {
  if (!x)
    return {};
  int64_t rows = 1, columns = 1;
  for (auto [index, dim] : llvm::enumerate(getShape(x)))
    (static_cast<int64_t>(index) < axis ? rows : columns) *= dim;
  return nn.reshape(x, {rows, columns});
}

} // namespace nacre::importer
