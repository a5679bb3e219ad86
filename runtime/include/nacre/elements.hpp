// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Numbers as elements of an input, for C++17: floats of 16 bits, and quantized integers. nacre/image.hpp includes this.
 *
 *   int8_t *codes = session.input<int8_t>(0u);
 *   for (size_t i = 0; i < samples.size(); ++i)
 *     codes[i] = static_cast<int8_t>(nacre::element_bits(samples[i], info.type, info.scale, info.zero_point));
 *
 * Memory:  Nothing is allocated or kept.
 * Threads: Any thread may call these functions.
 * Errors:  None: a number that a type cannot hold becomes the nearest one that it can; NaN becomes the least code.
 */
#ifndef NACRE_ELEMENTS_HPP
#define NACRE_ELEMENTS_HPP

#include "info.h"

#include <string.h>

namespace nacre {

/// Returns whether a type holds integers of 8 or 16 bits, which quantized tensors have.
constexpr bool is_small_integer(nacre_element_type type) {
  return type == NACRE_U8 || type == NACRE_I8 || type == NACRE_U16 || type == NACRE_I16;
}

/// Returns the bits of a float.
inline uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Returns the bits of the nearest f16; of two, the even one.
inline uint32_t half_bits(float value) {
  const uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
  if (rest > 0x7f800000)
    return 0x7e00;        // NaN
  if (rest >= 0x477ff000) // 65520 and more become infinite
    return sign | 0x7c00;
  const uint32_t exponent = rest >> 23;
  if (exponent < 102) // at most half of the least f16
    return sign;
  const uint32_t dropped = exponent < 113 ? 126 - exponent : 13;
  const uint32_t whole = exponent < 113 ? (rest & 0x7fffff) | 0x800000 : rest - (112u << 23);
  const uint32_t kept = whole >> dropped, tail = whole & ((1u << dropped) - 1), half = 1u << (dropped - 1);
  return sign | (kept + (tail > half || (tail == half && kept % 2 == 1)));
}

/// Returns the code of a number: the nearest integer to value / scale, of two the even one, plus the zero point, clamped.
inline uint32_t quantize(float value, nacre_element_type type, float scale, int32_t zero_point) {
  const bool is_signed = type == NACRE_I8 || type == NACRE_I16;
  const int32_t codes = type == NACRE_U8 || type == NACRE_I8 ? 256 : 65536;
  const int32_t least = is_signed ? -codes / 2 : 0, most = least + codes - 1;
  const float steps = value / scale;
  if (!(steps >= -2e6f && steps <= 2e6f)) // beyond every code, whatever the zero point, or NaN
    return static_cast<uint32_t>(steps > 0 ? most : least);
  int32_t code = static_cast<int32_t>(steps); // rounds towards zero
  code -= steps < static_cast<float>(code);
  const float above = steps - static_cast<float>(code);
  code += above > 0.5f || (above == 0.5f && code % 2 != 0);
  const int64_t shifted = int64_t(code) + zero_point;
  return static_cast<uint32_t>(shifted < least ? least : shifted > most ? most : static_cast<int32_t>(shifted));
}

/// Returns the bits of an element of type f32, f16, or integers of 8 or 16 bits. Only integers use the scale and zero point.
inline uint32_t element_bits(float value, nacre_element_type type, float scale, int32_t zero_point) {
  return type == NACRE_F32   ? float_bits(value)
         : type == NACRE_F16 ? half_bits(value)
                             : quantize(value, type, scale, zero_point);
}

} // namespace nacre

#endif // NACRE_ELEMENTS_HPP
