// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  prints a floating-point value for messages: 6, 0.5, 1e-12.
// Why:   LLVM's and MLIR's streams print 6.000000e+00, and std::to_string prints 0.000000 for 1e-12.
// How:   the text has the fewest digits that read back as the same value. The code uses only the standard library,
//        because nacre-run is linked without LLVM.

#ifndef NACRE_DIALECTS_NUMBERTEXT_H
#define NACRE_DIALECTS_NUMBERTEXT_H

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace nacre {

/// Returns the shortest text that reads back as the same value. A value that a float can hold is compared as a float.
/// Otherwise, a model's 0.1 would print as 0.10000000149011612 when widened to double.
inline std::string describeNumber(double value) {
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value < 0 ? "-infinity" : "infinity";
  const bool isFloat = std::abs(value) <= 3.4028234663852886e38 && double(float(value)) == value;
  char text[32]; // -d.dddddddddddddddde-ddd
  for (int digits = 0; digits <= 16; ++digits) {
    std::snprintf(text, sizeof text, "%.*e", digits, value);
    if (isFloat ? std::strtof(text, nullptr) == float(value) : std::strtod(text, nullptr) == value)
      break;
  }
  const std::string shortest = text;
  const size_t mark = shortest.find('e');
  const long exponent = std::strtol(shortest.c_str() + mark + 1, nullptr, 10);
  const std::string sign = shortest[0] == '-' ? "-" : "";
  std::string digits = shortest.substr(sign.size(), mark - sign.size());
  digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
  if (exponent < -4 || exponent > 15)
    return sign + digits.substr(0, 1) + (digits.size() > 1 ? "." + digits.substr(1) : "") + "e" +
           std::to_string(exponent);
  if (exponent < 0)
    return sign + "0" + std::string(".000", static_cast<size_t>(-exponent)) + digits;
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole)
    return sign + digits.append(whole - digits.size(), '0');
  return sign + digits.insert(whole, ".");
}

/// Returns `value` rounded to `digits` digits: 0.083721 with two digits is 0.084. For estimates, whose other digits are
/// meaningless.
inline std::string describeNumber(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
  return describeNumber(std::strtod(text, nullptr));
}

} // namespace nacre

#endif // NACRE_DIALECTS_NUMBERTEXT_H
