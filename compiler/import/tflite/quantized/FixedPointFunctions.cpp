// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exponentials and their kin in integers alone.

#include "compiler/import/tflite/quantized/FixedPointFunctions.h"

#include "dialects/nn/FixedPoint.h"

#include <algorithm>
#include <cmath>

namespace nacre::importer::tflite_format {

using nn::divideByPower;
using nn::multiplyHigh;

static constexpr int32_t one = INT32_MAX; ///< in Q0, as near as it gets

static int32_t add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

/// x * 2^exponent, saturated.
static int32_t shiftLeft(int32_t x, int exponent) {
  return static_cast<int32_t>(std::clamp<int64_t>(int64_t(x) * (int64_t(1) << exponent), INT32_MIN, INT32_MAX));
}

/// A real of [-1, 1] in Q0.
static int32_t toRaw(double real) { return static_cast<int32_t>(std::round(real * 2147483648.0)); }

/// Of x in [-1/4, 0), in Q0: the Taylor series around -1/8.
static int32_t expOfLastQuarter(int32_t a) {
  const int32_t constant = toRaw(std::exp(-0.125)), third = toRaw(1.0 / 3);
  const int32_t x = add(a, 1 << 28), x2 = multiplyHigh(x, x), x3 = multiplyHigh(x2, x), x4 = multiplyHigh(x2, x2);
  const int32_t quartic = divideByPower(x4, 2);
  const int32_t rest = divideByPower(add(multiplyHigh(add(quartic, x3), third), x2), 1);
  return add(constant, multiplyHigh(constant, add(x, rest)));
}

int32_t expOfNegative(int32_t x, int integerBits) {
  if (x == 0)
    return one;
  const int fractionalBits = 31 - integerBits;
  const int32_t quarter = 1 << (fractionalBits - 2);
  // Below a multiple of a quarter by the series; then, bit by bit, the exponentials of the powers of two in that multiple.
  const int32_t last = (x & (quarter - 1)) - quarter, multiple = last - x;
  int32_t result = expOfLastQuarter(shiftLeft(last, integerBits));
  for (int exponent = -2; exponent < integerBits && exponent <= 4; ++exponent)
    if (multiple & (1 << (fractionalBits + exponent)))
      result = multiplyHigh(result, toRaw(std::exp(-std::ldexp(1.0, exponent))));
  return result;
}

/// 2 / (1 + x) / 2 in Q2, by Newton's iteration from the line 48/17 - 32/17 d.
static int32_t divideByOnePlus(int32_t x) {
  constexpr int32_t start = 1515870810, slope = -1010580540, oneOfQ2 = 1 << 29;
  const int64_t sum = int64_t(x) + one;
  const auto halfDenominator = static_cast<int32_t>((sum + 1) / 2);
  int32_t quotient = add(start, multiplyHigh(halfDenominator, slope));
  for (int iteration = 0; iteration < 3; ++iteration) {
    const int32_t rest = oneOfQ2 - multiplyHigh(halfDenominator, quotient);
    quotient = add(quotient, shiftLeft(multiplyHigh(quotient, rest), 2));
  }
  return quotient;
}

int32_t reciprocalOfOnePlus(int32_t x) { return shiftLeft(divideByOnePlus(x), 1); }

int32_t oneMinusOverOnePlus(int32_t x) { return shiftLeft(divideByOnePlus(x) - (1 << 29), 2); }

int32_t logistic(int32_t x) {
  if (x == 0)
    return 1 << 30;
  const int32_t ofPositive = reciprocalOfOnePlus(expOfNegative(x > 0 ? -x : x, 4));
  return x > 0 ? ofPositive : one - ofPositive;
}

int32_t hyperbolicTangent(int32_t x) {
  if (x == 0)
    return 0;
  // exp(-2 |x|): the same bits are twice as much in Q5.
  const int32_t ofNegative = oneMinusOverOnePlus(expOfNegative(x > 0 ? -x : x, 5));
  return x < 0 ? -ofNegative : ofNegative;
}

//===----------------------------------------------------------------------===//
// Hard swish
//===----------------------------------------------------------------------===//

static int16_t saturate16(int64_t x) { return static_cast<int16_t>(std::clamp<int64_t>(x, INT16_MIN, INT16_MAX)); }

/// a * b / 2^15, halves up.
static int16_t multiplyHigh16(int16_t a, int16_t b) {
  const int32_t product = int32_t(a) * b, nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return saturate16((product + nudge) / (1 << 15));
}

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
  const int16_t value = multiplyHigh16(fine, resultMultiplier);
  // The gate: from -1 to 1, then to 0 to 1.
  int16_t gate = fine;
  if (gateShift > 0)
    gate = saturate16(int64_t(gate) * (int64_t(1) << (gateShift - 1)));
  gate = multiplyHigh16(gate, gateMultiplier);
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
