// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/diff/Difference.h"

#include <cmath>
#include <limits>

namespace nacre::diff {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How far apart the numbers of a type are near `x`. Integers: 1.
double spacingAt(nacre_element_type type, double x) {
  int mantissaBits = 0, leastExponent = 0;
  switch (type) {
  case NACRE_F64:
    mantissaBits = 52, leastExponent = -1022;
    break;
  case NACRE_F32:
    mantissaBits = 23, leastExponent = -126;
    break;
  case NACRE_BF16:
    mantissaBits = 7, leastExponent = -126;
    break;
  case NACRE_F16:
    mantissaBits = 10, leastExponent = -14;
    break;
  default:
    return 1;
  }
  int exponent = leastExponent + 1;
  if (x != 0 && std::isfinite(x))
    std::frexp(x, &exponent);
  return std::ldexp(1.0, std::max(exponent - 1, leastExponent) - mantissaBits);
}

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  const double difference = std::fabs(a - b);
  return std::isnan(difference) ? infinity : difference;
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
      signal += b * b;
    }
    noise += error * error;
    if (error > result.largest) {
      result.largest = error;
      result.worst = i;
    }
    if (b != 0 && error > 0)
      result.relative = std::fmax(result.relative, std::isfinite(b) ? error / std::fabs(b) : infinity);
    result.ulps = std::fmax(result.ulps, error / spacingAt(type, b));
  }
  if (result.largest > 0)
    result.ofLargest = result.scale > 0 ? result.largest / result.scale : infinity;
  result.signalToNoise = noise == 0 ? infinity : 10 * std::log10(signal / noise);
  return result;
}

} // namespace nacre::diff
