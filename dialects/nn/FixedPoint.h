// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  products of integers with a fixed-point number, in the three ways in which integer networks round them.
// Why:   whose answers are promised to the bit must be computed as they are defined; these are the definitions, which
//        folding uses and kernels are compared with.
// How:   as TensorFlow Lite's reference kernels have them (gemmlowp's arithmetic), made total: what is out of their
//        range wraps or becomes the end of the range.

#ifndef NACRE_DIALECTS_NN_FIXEDPOINT_H
#define NACRE_DIALECTS_NN_FIXEDPOINT_H

#include "dialects/nn/NnDialect.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace nacre::nn {

/// multiplier / 2^31 * 2^shift
struct FixedPoint {
  int32_t multiplier = 0;
  int32_t shift = 0;
};

/// The nearest such number to `real`, which is finite: its multiplier is 0 or has 31 bits. Below 2^-32 it is 0.
inline FixedPoint toFixedPoint(double real) {
  constexpr double one = 2147483648.0;
  int shift = 0;
  double multiplier = std::round(std::frexp(real, &shift) * one); // halves away from zero
  if (std::fabs(multiplier) == one) {
    multiplier /= 2;
    ++shift;
  }
  if (multiplier == 0 || shift < -31)
    return {};
  return {static_cast<int32_t>(multiplier), shift};
}

/// a * b / 2^31, halves up, at most 2^31 - 1 (SaturatingRoundingDoublingHighMul).
inline int32_t multiplyHigh(int32_t a, int32_t b) {
  if (a == b && a == INT32_MIN)
    return INT32_MAX;
  const int64_t product = int64_t(a) * b, nudge = product >= 0 ? int64_t(1) << 30 : 1 - (int64_t(1) << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t(1) << 31));
}

/// x / 2^exponent, halves away from zero, for exponents of 0 to 31 (RoundingDivideByPOT).
inline int32_t divideByPower(int32_t x, int exponent) {
  const auto mask = static_cast<int32_t>((uint32_t(1) << exponent) - 1);
  const int32_t rest = x & mask, threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (rest > threshold ? 1 : 0);
}

/// (x * multiplier) / 2^bits, halves up, wrapped.
inline int32_t multiplyOnce(int64_t x, int64_t multiplier, int bits) {
  const uint64_t product = uint64_t(x) * uint64_t(multiplier) + (uint64_t(1) << (bits - 1));
  return static_cast<int32_t>(static_cast<int64_t>(product) >> bits);
}

/// A multiplier of 31 bits as one of 15.
inline int32_t toMultiplier16(int32_t multiplier) {
  return multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
}

/// The largest shift: one place behind the point is left to round at.
inline int getMaxShift(FixedPointRounding rounding) { return rounding == FixedPointRounding::Mult16 ? 14 : 30; }

/// x * scale (nn.requantize).
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
