// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file has one switch for floats and one for integers, followed by conversions and identities.

#include "dialects/nn/evaluate/ScalarFunctions.h"

#include "mlir/IR/Builders.h"
#include <algorithm>
#include <cmath>

namespace nacre::nn {

namespace {

/// Computes the integer operators whose result depends on signedness.
template <typename T> T divideOrCompare(BinaryKind kind, T a, T b) {
  if (kind == BinaryKind::Min)
    return std::min(a, b);
  if (kind == BinaryKind::Max)
    return std::max(a, b);
  // The smallest integer divided by -1 overflows. Its quotient wraps to itself, and its remainder is 0.
  if (b == 0 || (std::is_signed_v<T> && b == T(-1)))
    return kind == BinaryKind::Div && b != 0 ? T(0 - uint64_t(a)) : 0;
  if (kind == BinaryKind::Div)
    return a / b;
  T rest = a % b;
  return kind == BinaryKind::Mod && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

int64_t power(int64_t base, bool isBaseUnsigned, int64_t exponent, bool isExponentUnsigned) {
  if (exponent < 0 && !isExponentUnsigned)
    return base == 1 ? 1 : base == -1 && !isBaseUnsigned ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, factor = base;
  for (uint64_t bits = exponent; bits; bits >>= 1, factor *= factor)
    if (bits & 1)
      result *= factor;
  return result;
}

} // namespace

double apply(BinaryKind kind, double a, double b) {
  switch (kind) {
  case BinaryKind::Add:
    return a + b;
  case BinaryKind::Sub:
    return a - b;
  case BinaryKind::Mul:
    return a * b;
  case BinaryKind::Div:
    return a / b;
  case BinaryKind::Mod: {
    double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  case BinaryKind::Fmod:
    return std::fmod(a, b);
  case BinaryKind::Pow:
    return a == 1 || b == 0 ? 1 : std::pow(a, b); // Also covers signaling NaNs.
  case BinaryKind::Min:
    return std::isnan(a) || a < b ? a : b;
  case BinaryKind::Max:
    return std::isnan(a) || a > b ? a : b;
  default:
    llvm_unreachable("inference refuses other kinds for floats");
  }
}

int64_t apply(BinaryKind kind, int64_t a, int64_t b, bool isUnsigned, bool isExponentUnsigned) {
  uint64_t ua = a, ub = b;
  switch (kind) {
  case BinaryKind::Add:
    return ua + ub;
  case BinaryKind::Sub:
    return ua - ub;
  case BinaryKind::Mul:
    return ua * ub;
  case BinaryKind::Pow:
    return power(a, isUnsigned, b, isExponentUnsigned);
  case BinaryKind::And:
    return a & b;
  case BinaryKind::Or:
    return a | b;
  case BinaryKind::Xor:
    return a ^ b;
  case BinaryKind::ShiftLeft:
    return ub < 64 ? ua << ub : 0;
  case BinaryKind::ShiftRight:
    if (isUnsigned)
      return ub < 64 ? ua >> ub : 0;
    return a >> std::min<uint64_t>(ub, 63);
  default:
    return isUnsigned ? int64_t(divideOrCompare(kind, ua, ub)) : divideOrCompare(kind, a, b);
  }
}

double toFloat(int64_t x, bool isUnsigned, bool isDouble) {
  if (isDouble)
    return isUnsigned ? double(uint64_t(x)) : double(x);
  return isUnsigned ? float(uint64_t(x)) : float(x);
}

mlir::TypedAttr getIdentity(ReduceKind kind, mlir::Type type) {
  mlir::Builder builder(type.getContext());
  const bool isMax = kind == ReduceKind::Max, isMin = kind == ReduceKind::Min;
  if (mlir::isa<mlir::FloatType>(type))
    return builder.getFloatAttr(type, isMax ? -HUGE_VAL : isMin ? HUGE_VAL : kind == ReduceKind::Prod);
  const unsigned width = type.getIntOrFloatBitWidth();
  // For booleans, false < true.
  const bool isUnsigned = type.isUnsignedInteger() || width == 1;
  if (isMax)
    return builder.getIntegerAttr(type,
                                  isUnsigned ? llvm::APInt::getMinValue(width) : llvm::APInt::getSignedMinValue(width));
  if (isMin)
    return builder.getIntegerAttr(type,
                                  isUnsigned ? llvm::APInt::getMaxValue(width) : llvm::APInt::getSignedMaxValue(width));
  return builder.getIntegerAttr(type, kind == ReduceKind::Prod);
}

} // namespace nacre::nn
