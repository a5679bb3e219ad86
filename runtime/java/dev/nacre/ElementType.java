// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
package dev.nacre;

/** The element types of tensors. 4- and 2-bit elements are packed: the first is in a byte's lowest bits. */
public enum ElementType {
  F32(1, 32),
  U8(2, 8),
  I8(3, 8),
  U16(4, 16),
  I16(5, 16),
  I32(6, 32),
  I64(7, 64),
  /** A byte, 0 or 1. */
  BOOL(9, 8),
  F16(10, 16),
  F64(11, 64),
  U32(12, 32),
  U64(13, 64),
  BF16(16, 16),
  F8E4M3FN(17, 8),
  F8E4M3FNUZ(18, 8),
  F8E5M2(19, 8),
  F8E5M2FNUZ(20, 8),
  U4(21, 4),
  I4(22, 4),
  F4E2M1(23, 4),
  F8E8M0(24, 8),
  U2(25, 2),
  I2(26, 2),
  /** A type of a model newer than this library. */
  UNKNOWN(0, 8);

  private final int number;
  private final int bits;

  ElementType(int number, int bits) {
    this.number = number;
    this.bits = bits;
  }

  public int bits() { return bits; }

  static ElementType of(long number) {
    for (ElementType type : values())
      if (type.number == number)
        return type;
    return UNKNOWN;
  }
}
