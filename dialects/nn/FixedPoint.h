// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  products of integers and fixed-point values, in the three roundings of integer networks.
// Why:   results that must be bit-exact need an exact definition. Folding uses these functions, and tests compare
//        kernels with them.
// How:   the functions follow TensorFlow Lite's reference kernels (gemmlowp's arithmetic), but are defined for all
//        inputs. Values out of range wrap or saturate.

#ifndef NACRE_DIALECTS_NN_FIXEDPOINT_H
#define NACRE_DIALECTS_NN_FIXEDPOINT_H

#include "dialects/nn/NnDialect.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace nacre::nn {

/// The value multiplier / 2^31 * 2^shift.
struct FixedPoint {
  int32_t multiplier = 0;
  int32_t shift = 0;
};

/// Returns the FixedPoint nearest to `real`, which must be finite. Its multiplier has 31 bits, or is 0 if `real` is
/// below 2^-32.
inline FixedPoint toFixedPoint(double real) {
  constexpr double one = 2147483648.0;
  int shift = 0;
  double multiplier = std::round(std::frexp(real, &shift) * one); // Rounds halves away from zero.
  if (std::fabs(multiplier) == one) {
    multiplier /= 2;
    ++shift;
  }
  if (multiplier == 0 || shift < -31)
    return {};
  return {static_cast<int32_t>(multiplier), shift};
}

/// Returns a * b / 2^31, with halves rounded up, but at most 2^31 - 1. gemmlowp calls it
/// SaturatingRoundingDoublingHighMul.
inline int32_t multiplyHigh(int32_t a, int32_t b) {
  if (a == b && a == INT32_MIN)
    return INT32_MAX;
  const int64_t product = int64_t(a) * b, nudge = product >= 0 ? int64_t(1) << 30 : 1 - (int64_t(1) << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t(1) << 31));
}

/// Returns x / 2^exponent, with halves rounded away from zero. `exponent` is 0 to 31. gemmlowp calls it
/// RoundingDivideByPOT.
inline int32_t divideByPower(int32_t x, int exponent) {
  const auto mask = static_cast<int32_t>((uint32_t(1) << exponent) - 1);
  const int32_t rest = x & mask, threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (rest > threshold ? 1 : 0);
}

/// Returns x * multiplier / 2^bits, with halves rounded up. Overflow wraps.
inline int32_t multiplyOnce(int64_t x, int64_t multiplier, int bits) {
  const uint64_t product = uint64_t(x) * uint64_t(multiplier) + (uint64_t(1) << (bits - 1));
  return static_cast<int32_t>(static_cast<int64_t>(product) >> bits);
}

/// Rounds a multiplier of 31 bits to 15 bits.
inline int32_t toMultiplier16(int32_t multiplier) {
  return multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
}

/// Returns the largest shift that leaves one fractional bit for rounding.
inline int getMaxShift(FixedPointRounding rounding) { return rounding == FixedPointRounding::Mult16 ? 14 : 30; }

/// Returns x * scale with the given rounding, as nn.requantize does.
inline int32_t requantize(FixedPointRounding rounding, int64_t x, FixedPoint scale) {
  const int shift = std::clamp(scale.shift, -31, getMaxShift(rounding));
  switch (rounding) {
  case FixedPointRounding::Double: {
    const auto shifted = static_cast<int32_t>(uint64_t(x) << std::max(shift, 0));
    return divideByPower(multiplyHigh(shifted, scale.multiplier), std::max(-shift, 0));
  }
  case FixedPointRounding::Single:
    return multiplyOnce(x, scale.multiplier, 31 - shift);
  case FixedPointRounding::Mult16:
    return multiplyOnce(x, toMultiplier16(scale.multiplier), 15 - shift);
  }
  llvm_unreachable("all ways of rounding are above");
}

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_FIXEDPOINT_H
