// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  converts between floats of 16, 8 and 4 bits and their codes.
// Why:   folding, kernels and tools must agree on every code, NaN included.
// How:   a struct of integers describes a signed float format: OCP's 8-bit and MX formats, and ONNX's FNUZ formats. The
//        functions compute with double, which can hold the values of all these formats.

#ifndef NACRE_DIALECTS_NN_FLOATFORMATS_H
#define NACRE_DIALECTS_NN_FLOATFORMATS_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace nacre::nn {

struct FloatFormat {
  int mantissaBits;
  int bias;             ///< Bias of the exponent field.
  unsigned sign;        ///< Code with only the sign bit. The lower bits are the magnitude.
  unsigned greatest;    ///< Magnitude of the largest finite value.
  unsigned overflow;    ///< Magnitude of larger values if they do not saturate: infinity or NaN.
  unsigned nan;         ///< Code for NaN.
  bool hasInfinity;     ///< True if `overflow` is infinity.
  bool hasNegativeZero; ///< False if the code with only the sign is NaN.
  bool alwaysSaturates; ///< True if the format has neither infinity nor NaN. NaN then becomes -0.
};

inline constexpr FloatFormat formatF16 = {10, 15, 0x8000, 0x7bff, 0x7c00, 0x7e00, true, true, false};
inline constexpr FloatFormat formatBF16 = {7, 127, 0x8000, 0x7f7f, 0x7f80, 0x7fc0, true, true, false};
inline constexpr FloatFormat formatE4M3FN = {3, 7, 0x80, 0x7e, 0x7f, 0x7f, false, true, false};
inline constexpr FloatFormat formatE4M3FNUZ = {3, 8, 0x80, 0x7f, 0x80, 0x80, false, false, false};
inline constexpr FloatFormat formatE5M2 = {2, 15, 0x80, 0x7b, 0x7c, 0x7e, true, true, false};
inline constexpr FloatFormat formatE5M2FNUZ = {2, 16, 0x80, 0x7f, 0x80, 0x80, false, false, false};
inline constexpr FloatFormat formatE2M1 = {1, 1, 0x8, 0x7, 0x7, 0x8, false, true, true};

inline double decode(const FloatFormat &format, unsigned code) {
  const unsigned magnitude = code & (format.sign - 1);
  const int exponent = int(magnitude >> format.mantissaBits);
  const unsigned mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  double value =
      exponent ? std::ldexp(double(mantissa | 1u << format.mantissaBits), exponent - format.bias - format.mantissaBits)
               : std::ldexp(double(mantissa), 1 - format.bias - format.mantissaBits);
  if (magnitude > format.greatest)
    value = format.hasInfinity && magnitude == format.overflow ? std::numeric_limits<double>::infinity()
                                                               : std::numeric_limits<double>::quiet_NaN();
  if (!format.hasNegativeZero && code == format.sign)
    return std::numeric_limits<double>::quiet_NaN();
  return code & format.sign ? -value : value;
}

/// Returns the code of `value`, rounded to nearest with halves to even. There is only one rounding step.
inline unsigned encode(const FloatFormat &format, double value, bool saturates) {
  const unsigned sign = std::signbit(value) ? format.sign : 0;
  if (std::isnan(value))
    return format.nan | sign;
  saturates |= format.alwaysSaturates;
  const double magnitude = std::fabs(value);
  unsigned code = format.greatest + 1;
  if (magnitude == 0) { // Zero has no exponent.
    code = 0;
  } else if (std::isfinite(magnitude)) {
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    // Subnormal numbers share the smallest exponent, so all of them are rounded to one step.
    exponent = std::max(exponent - 1, 1 - format.bias);
    const double steps = std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));
    // A carry out of the mantissa correctly increments the exponent. All codes above the greatest one are treated
    // alike.
    const uint64_t exact = (uint64_t(exponent + format.bias - 1) << format.mantissaBits) + uint64_t(steps);
    code = unsigned(std::min<uint64_t>(exact, format.greatest + 1));
  }
  if (code > format.greatest)
    code = saturates ? format.greatest : format.overflow;
  return code == 0 && !format.hasNegativeZero ? 0 : code | sign;
}

// f8E8M0FNU has only powers of two and one NaN.
inline constexpr int scaleBias = 127;
inline constexpr unsigned greatestScale = 254, scaleNaN = 255;

inline double decodeScale(unsigned code) {
  return code == scaleNaN ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, int(code) - scaleBias);
}

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_FLOATFORMATS_H
