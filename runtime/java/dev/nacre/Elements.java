// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

/** Numbers as elements of an input, with the bits of nacre/elements.hpp. */
final class Elements {
  private static final float BEYOND_CODES = 2e6f;

  private Elements() {}

  /** Whether a type holds integers of 8 or 16 bits, which quantized tensors have. */
  static boolean areCodes(ElementType type) {
    return type == ElementType.U8 || type == ElementType.I8 || type == ElementType.U16 || type == ElementType.I16;
  }

  /** Returns the bits of an element of type F32, F16, or integers of 8 or 16 bits. */
  static int bits(float value, ElementType type, float scale, int zeroPoint) {
    if (type == ElementType.F32)
      return Float.floatToRawIntBits(value);
    return type == ElementType.F16 ? half(value) : quantize(value, type, scale, zeroPoint);
  }

  /** Returns the bits of the nearest f16; of two, the even one. */
  static int half(float value) {
    int bits = Float.floatToRawIntBits(value);
    int sign = bits >>> 16 & 0x8000;
    int rest = bits & 0x7fffffff;
    if (rest > 0x7f800000)
      return 0x7e00; // NaN
    if (rest >= 0x477ff000) // 65520 and more become infinite
      return sign | 0x7c00;
    int exponent = rest >>> 23;
    if (exponent < 102) // at most half of the least f16
      return sign;
    boolean isSubnormal = exponent < 113;
    int dropped = isSubnormal ? 126 - exponent : 13;
    int whole = isSubnormal ? (rest & 0x7fffff) | 0x800000 : rest - (112 << 23);
    int kept = whole >>> dropped;
    int tail = whole & (1 << dropped) - 1;
    int half = 1 << dropped - 1;
    return sign | (kept + (tail > half || (tail == half && kept % 2 == 1) ? 1 : 0));
  }

  /** Returns the nearest integer to value / scale, of two the even one, plus the zero point, clamped to the type. */
  static int quantize(float value, ElementType type, float scale, int zeroPoint) {
    int codes = 1 << type.bits();
    int least = type == ElementType.I8 || type == ElementType.I16 ? -codes / 2 : 0;
    int most = least + codes - 1;
    float steps = value / scale;
    if (!(steps >= -BEYOND_CODES && steps <= BEYOND_CODES)) // beyond every code, whatever the zero point, or NaN
      return steps > 0 ? most : least;
    long shifted = (long)Math.rint(steps) + zeroPoint;
    return (int)Math.max(least, Math.min(most, shifted));
  }
}
