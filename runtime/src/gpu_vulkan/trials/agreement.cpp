// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements agreement.h. Floats are widened to double; other types are compared directly.

#include "runtime/src/gpu_vulkan/trials/agreement.h"
#include "runtime/src/text.h"

namespace nacre::runtime::gpu {
namespace {

template <typename T> T read(const char *at) {
  T value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

/// Widens an f16 value by integer arithmetic, because the compiler's conversion would call a library on some CPUs.
double widen_half(uint16_t bits) {
  const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  const uint32_t wide = exponent == 31 ? 0x7f800000 | fraction << 13 : (exponent + 112) << 23 | fraction << 13;
  float value = read<float>(reinterpret_cast<const char *>(&wide));
  if (exponent == 0)
    value = float(fraction) * 0x1p-24f;
  return bits >> 15 ? -double(value) : double(value);
}

double read_float(const char *at, uint32_t type) {
  switch (type) {
  case NACRE_F16:
    return widen_half(read<uint16_t>(at));
  case NACRE_BF16: {
    const uint32_t wide = uint32_t(read<uint16_t>(at)) << 16;
    return double(read<float>(reinterpret_cast<const char *>(&wide)));
  }
  case NACRE_F32:
    return double(read<float>(at));
  default:
    return read<double>(at);
  }
}

double magnitude(double value) { return value < 0 ? -value : value; }
bool is_finite(double value) { return magnitude(value) <= __DBL_MAX__; }

bool agree_as_floats(const char *actual, const char *expected, uint64_t bytes, uint32_t type, uint64_t width,
                     double tolerance) {
  double largest = 0;
  for (uint64_t at = 0; at < bytes; at += width) {
    const double size = magnitude(read_float(expected + at, type));
    if (is_finite(size) && size > largest)
      largest = size;
  }
  for (uint64_t at = 0; at < bytes; at += width) {
    const double wanted = read_float(expected + at, type);
    if (is_finite(wanted) && !(magnitude(read_float(actual + at, type) - wanted) <= tolerance * largest))
      return false;
  }
  return true;
}

} // namespace

bool agree(const void *actual, const void *expected, uint64_t bytes, uint32_t element_type, double tolerance) {
  auto *a = static_cast<const char *>(actual);
  auto *b = static_cast<const char *>(expected);
  switch (element_type) {
  case NACRE_F16:
  case NACRE_BF16:
    return agree_as_floats(a, b, bytes, element_type, 2, tolerance > kTolerance16 ? tolerance : kTolerance16);
  case NACRE_F32:
    return agree_as_floats(a, b, bytes, element_type, 4, tolerance);
  case NACRE_F64:
    return agree_as_floats(a, b, bytes, element_type, 8, tolerance);
  case NACRE_I8:
  case NACRE_U8:
    for (uint64_t at = 0; at < bytes; ++at) {
      const int difference =
          element_type == NACRE_I8 ? int(int8_t(a[at])) - int8_t(b[at]) : int(uint8_t(a[at])) - uint8_t(b[at]);
      if (difference < -1 || difference > 1)
        return false;
    }
    return true;
  default:
    return equal_bytes(a, b, bytes);
  }
}

} // namespace nacre::runtime::gpu
