// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements FixedPointFunctions.h.

#include "compiler/import/tflite/quantized/FixedPointFunctions.h"

#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace nacre::importer::tflite_format {

using nn::divideByPower;

static int16_t saturate16(int64_t x) { return static_cast<int16_t>(std::clamp<int64_t>(x, INT16_MIN, INT16_MAX)); }

/// Returns a * b / 2^15, rounded to the nearest integer, and x.5 up.
static int16_t multiplyHigh(int16_t a, int16_t b) {
  const int32_t product = int32_t(a) * b, nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return saturate16((product + nudge) / (1 << 15));
}
static int32_t multiplyHigh(int32_t a, int32_t b) { return nn::multiplyHigh(a, b); }

namespace {

/// The functions for fixed-point numbers of the type `Raw`, with 32 or 16 bits. A number in Q(n) has bits - 1 - n bits
/// after the point.
template <typename Raw> struct FixedPointMath {
  static constexpr int bits = 8 * sizeof(Raw);
  static constexpr Raw one = std::numeric_limits<Raw>::max(); ///< nearest number to 1 in Q0

  static Raw add(Raw a, Raw b) { return static_cast<Raw>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b)); }

  /// Returns x * 2^exponent, saturated.
  static Raw shiftLeft(Raw x, int exponent) {
    return static_cast<Raw>(std::clamp<int64_t>(int64_t(x) * (int64_t(1) << exponent), -int64_t(one) - 1, one));
  }

  static Raw narrow(int32_t raw) { return static_cast<Raw>(divideByPower(raw, 32 - bits)); }
  /// Returns a real from [-1, 1] in Q0. It is rounded to 32 bits, and then to `Raw`.
  static Raw toRaw(double real) { return narrow(static_cast<int32_t>(std::round(real * 2147483648.0))); }

  /// Returns exp(x) in Q0 for x in [-1/4, 0), by the Taylor series around -1/8.
  static Raw expOfLastQuarter(Raw a) {
    const Raw constant = toRaw(std::exp(-0.125)), third = toRaw(1.0 / 3);
    const Raw x = add(a, Raw(1) << (bits - 4)), x2 = multiplyHigh(x, x), x3 = multiplyHigh(x2, x),
              x4 = multiplyHigh(x2, x2);
    const Raw quartic = static_cast<Raw>(divideByPower(x4, 2));
    const Raw rest = static_cast<Raw>(divideByPower(add(multiplyHigh(add(quartic, x3), third), x2), 1));
    const int64_t sum = int64_t(constant) + multiplyHigh(constant, add(x, rest));
    return static_cast<Raw>(std::min<int64_t>(sum, one));
  }

  static Raw expOfNegative(Raw x, int integerBits) {
    if (x == 0)
      return one;
    const int fractionalBits = bits - 1 - integerBits;
    const Raw quarter = static_cast<Raw>(1 << (fractionalBits - 2));
    // x is a multiple of -1/4 plus a rest in [-1/4, 0). The series computes exp of the rest. For each bit of the
    // multiple, the result is multiplied by the exponential of this power of two.
    const Raw last = static_cast<Raw>((x & (quarter - 1)) - quarter), multiple = static_cast<Raw>(last - x);
    Raw result = expOfLastQuarter(shiftLeft(last, integerBits));
    for (int exponent = -2; exponent < integerBits && exponent <= 4; ++exponent)
      if (multiple & (1 << (fractionalBits + exponent)))
        result = multiplyHigh(result, toRaw(std::exp(-std::ldexp(1.0, exponent))));
    // Values below the range of these powers of two have the exponential 0.
    constexpr int mostBits = 5;
    if (integerBits > mostBits && x < -(1 << (bits - 1 - integerBits + mostBits)))
      return 0;
    return result;
  }

  /// Returns 1 / (1 + x) in Q2, by Newton's iteration from the line 48/17 - 32/17 d.
  static Raw divideByOnePlus(Raw x) {
    const Raw start = narrow(1515870810), slope = narrow(-1010580540), oneOfQ2 = Raw(1) << (bits - 3);
    const Raw halfDenominator = static_cast<Raw>((int64_t(x) + one + 1) / 2);
    Raw quotient = add(start, multiplyHigh(halfDenominator, slope));
    for (int iteration = 0; iteration < 3; ++iteration) {
      const Raw rest = static_cast<Raw>(oneOfQ2 - multiplyHigh(halfDenominator, quotient));
      quotient = add(quotient, shiftLeft(multiplyHigh(quotient, rest), 2));
    }
    return quotient;
  }
  static Raw reciprocalOfOnePlus(Raw x) { return shiftLeft(divideByOnePlus(x), 1); }
  static Raw oneMinusOverOnePlus(Raw x) {
    return shiftLeft(static_cast<Raw>(divideByOnePlus(x) - (Raw(1) << (bits - 3))), 2);
  }

  static Raw logistic(Raw x, int integerBits) {
    if (x == 0)
      return Raw(1) << (bits - 2);
    const Raw ofPositive = reciprocalOfOnePlus(expOfNegative(x > 0 ? static_cast<Raw>(-x) : x, integerBits));
    return x > 0 ? ofPositive : static_cast<Raw>(one - ofPositive);
  }

  static Raw hyperbolicTangent(Raw x, int integerBits) {
    if (x == 0)
      return 0;
    // Computes exp(-2 |x|). The same bits mean twice the number if there is one more bit before the point.
    const Raw ofNegative = oneMinusOverOnePlus(expOfNegative(x > 0 ? static_cast<Raw>(-x) : x, integerBits + 1));
    return x < 0 ? static_cast<Raw>(-ofNegative) : ofNegative;
  }

  /// Returns 1 / sqrt(2 x) for x in [1/4, 1) in Q3, by Newton's iteration from 1.
  static Raw reciprocalRoot(Raw x) {
    const Raw half = static_cast<Raw>(divideByPower(x, 1)), threeHalves = static_cast<Raw>(3) << (bits - 5);
    Raw root = Raw(1) << (bits - 4);
    for (int iteration = 0; iteration < 5; ++iteration) {
      const Raw cube = shiftLeft(multiplyHigh(multiplyHigh(root, root), root), 6);
      root = shiftLeft(static_cast<Raw>(multiplyHigh(threeHalves, root) - multiplyHigh(half, cube)), 3);
    }
    return multiplyHigh(root, toRaw(std::sqrt(2.0) / 2));
  }
};

using Math32 = FixedPointMath<int32_t>;
using Math16 = FixedPointMath<int16_t>;

} // namespace

int32_t expOfNegative(int32_t x, int integerBits) { return Math32::expOfNegative(x, integerBits); }
int32_t reciprocalOfOnePlus(int32_t x) { return Math32::reciprocalOfOnePlus(x); }
int32_t oneMinusOverOnePlus(int32_t x) { return Math32::oneMinusOverOnePlus(x); }
int32_t logistic(int32_t x) { return Math32::logistic(x, 4); }
int32_t hyperbolicTangent(int32_t x) { return Math32::hyperbolicTangent(x, 4); }
int16_t logistic16(int16_t x, int integerBits) { return Math16::logistic(x, integerBits); }
int16_t hyperbolicTangent16(int16_t x, int integerBits) { return Math16::hyperbolicTangent(x, integerBits); }

nn::FixedPoint reciprocalRoot(int32_t x) {
  if (x <= 1)
    return {INT32_MAX, 0};
  // Scales x to [2^27, 2^29) by powers of four.
  int shift = 11;
  for (; x >= 1 << 29; x /= 4)
    ++shift;
  const int pairs = (llvm::countl_zero(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  shift -= pairs;
  const int32_t root = Math32::reciprocalRoot((x << (2 * pairs)) >> 1);
  return {root << std::max(-shift, 0), -std::max(shift, 0)};
}

nn::FixedPoint reciprocal(int32_t x) {
  const int headroom = llvm::countl_zero(static_cast<uint32_t>(x));
  // Without its leading bit, x is x / 2^power - 1 in Q0.
  const uint32_t rest = (static_cast<uint32_t>(x) << headroom) ^ 0x80000000U;
  return {reciprocalOfOnePlus(static_cast<int32_t>(rest)), headroom - 31};
}

//===----------------------------------------------------------------------===//
// Hard swish
//===----------------------------------------------------------------------===//

static int16_t toMultiplier16(int32_t multiplier) {
  return static_cast<int16_t>(std::min<int64_t>((int64_t(multiplier) + (1 << 15)) >> 16, INT16_MAX));
}

HardSwish::HardSwish(float inputScale, float resultScale) {
  const float fine = (1.0F / 128.0F) * inputScale, gateScale = 3.0F / 32768.0F, ratio = fine / resultScale,
              gateRatio = fine / gateScale;
  const nn::FixedPoint result = nn::toFixedPoint(static_cast<double>(ratio)),
                       gate = nn::toFixedPoint(static_cast<double>(gateRatio));
  resultMultiplier = toMultiplier16(result.multiplier);
  gateMultiplier = toMultiplier16(gate.multiplier);
  resultShift = result.shift;
  gateShift = gate.shift;
}

int32_t HardSwish::operator()(int32_t x) const {
  const auto fine = static_cast<int16_t>(x * (1 << 7));
  const int16_t value = multiplyHigh(fine, resultMultiplier);
  // The gate is computed in [-1, 1] first, and then converted to [0, 1].
  int16_t gate = fine;
  if (gateShift > 0)
    gate = saturate16(int64_t(gate) * (int64_t(1) << (gateShift - 1)));
  gate = multiplyHigh(gate, gateMultiplier);
  if (gateShift > 0)
    gate = saturate16(int64_t(gate) * 2);
  if (gateShift < 0)
    gate = static_cast<int16_t>(divideByPower(gate, -gateShift));
  gate = static_cast<int16_t>((gate + (1 << 15)) >> 1);
  const auto product = static_cast<int16_t>(int32_t(gate) * value / (1 << 15));
  return divideByPower(product, -resultShift);
}

int32_t getInputRadius(int integerBits, int leftShift) {
  const double largest = static_cast<double>((1 << integerBits) - 1) * std::ldexp(1.0, 31 - integerBits);
  return static_cast<int32_t>(std::clamp(std::floor(std::ldexp(largest, -leftShift)), 0.0, 2147483647.0));
}

} // namespace nacre::importer::tflite_format
