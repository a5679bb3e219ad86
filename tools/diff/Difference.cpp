// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/diff/Difference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace nacre::diff {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The properties of a binary floating-point type that determine its representable values.
struct Format {
  int mantissaBits;                   ///< number of bits of the mantissa, without the leading 1
  int leastExponent, largestExponent; ///< exponents of normal numbers
};

std::optional<Format> formatOf(nacre_element_type type) {
  switch (type) {
  case NACRE_F32:
    return Format{23, -126, 127};
  case NACRE_BF16:
    return Format{7, -126, 127};
  case NACRE_F16:
    return Format{10, -14, 15};
  case NACRE_F8E5M2:
    return Format{2, -14, 15};
  case NACRE_F8E5M2FNUZ:
    return Format{2, -15, 15};
  case NACRE_F8E4M3FN:
    return Format{3, -6, 8};
  case NACRE_F8E4M3FNUZ:
    return Format{3, -7, 7};
  case NACRE_F4E2M1:
    return Format{1, 0, 2};
  case NACRE_F8E8M0:
    return Format{0, -127, 127};
  default:
    return std::nullopt;
  }
}

/// Returns the number of representable values from 0 to `x`, without 0; negative if x is negative. Interpolates between
/// two representable values, because a reference is not rounded to the type.
double countToZero(const Format &format, double x) {
  const double size = std::fmin(std::fabs(x), std::ldexp(1.0, format.largestExponent + 1)); // infinity counts as the
                                                                                            // next power of two
  int exponent = format.leastExponent;
  if (size >= std::ldexp(1.0, format.leastExponent))
    exponent = std::ilogb(size);
  const double inBinade = std::ldexp(size, format.mantissaBits - exponent);
  return std::copysign(inBinade + std::ldexp(exponent - format.leastExponent, format.mantissaBits), x);
}

/// Converts a number to an integer, so that integers are in the same order as numbers; 0 and -0 are equal.
uint64_t toOrdered(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  constexpr uint64_t zero = uint64_t(1) << 63;
  return bits & zero ? 2 * zero - bits : zero + bits; // modulo 2^64
}

/// Returns the number of representable values from `a` to `b`, including one of them. For integers, returns the
/// distance.
double ulpsBetween(nacre_element_type type, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return infinity;
  if (type == NACRE_F64) {
    const uint64_t x = toOrdered(a), y = toOrdered(b);
    return static_cast<double>(std::max(x, y) - std::min(x, y));
  }
  const std::optional<Format> format = formatOf(type);
  return format ? std::fabs(countToZero(*format, a) - countToZero(*format, b)) : std::fabs(a - b);
}

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  const double difference = std::fabs(a - b);
  return std::isnan(difference) ? infinity : difference;
}

/// True if f16 rounds `b` to infinity or to 0, and `a` has an error of this size.
bool isLostInHalves(double a, double b) {
  constexpr double infinite = 65520, zero = 0x1p-25, largestRounding = 0.02;
  const double size = std::fabs(b);
  return (size >= infinite || (size != 0 && size <= zero)) && !(distance(a, b) <= largestRounding * size);
}

} // namespace

Difference measure(nacre_element_type type, const std::vector<double> &actual, const std::vector<double> &expected) {
  Difference result;
  double signal = 0, noise = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double a = actual[i], b = expected[i], error = distance(a, b);
    if (std::isfinite(b)) {
      result.scale = std::fmax(result.scale, std::fabs(b));
      result.nans += std::isnan(a);
      result.infinities += std::isinf(a);
      result.beyondHalves += isLostInHalves(a, b);
      signal += b * b;
    }
    noise += error * error;
    if (error > result.largest) {
      result.largest = error;
      result.worst = i;
    }
    if (b != 0 && error > 0)
      result.relative = std::fmax(result.relative, std::isfinite(b) ? error / std::fabs(b) : infinity);
    if (error > 0)
      result.ulps = std::fmax(result.ulps, ulpsBetween(type, a, b));
  }
  if (result.largest > 0)
    result.ofLargest = result.scale > 0 ? result.largest / result.scale : infinity;
  result.signalToNoise = noise == 0 ? infinity : 10 * std::log10(signal / noise);
  return result;
}

} // namespace nacre::diff
