# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of tensors: how their values are stored, rounded, and where their ranges end."""
import math
import struct


class ElementType:
    def __init__(self, name, onnx, code, bits):
        self.name, self.onnx, self.code, self.bits = name, onnx, code, bits

    @property
    def is_float(self):
        return self.code in ("e", "bf16", "f", "d")

    @property
    def is_integer(self):
        return self.code in "bhiqBHIQ"

    @property
    def is_signed(self):
        return self.code.islower()

    def pack(self, values):
        if self.name == "bf16":  # struct has no such type
            return b"".join(struct.pack("<f", v)[2:] for v in values)
        return struct.pack(f"<{len(values)}{self.code}", *values)

    def unpack(self, data):
        if self.name == "bf16":
            return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]
        return list(struct.unpack(f"<{len(data) // (max(8, self.bits) // 8)}{self.code}", data))

    def rounded(self, value):
        """The value as this type has it, or None."""
        try:
            return self.unpack(self.pack([value]))[0]
        except (OverflowError, struct.error):
            return None

    @property
    def digits(self):
        return {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}[self.name]

    @property
    def smallest(self):
        """Of the normal numbers."""
        return math.ldexp(1.0, -14 if self.name == "f16" else -1022 if self.name == "f64" else -126)

    @property
    def largest(self):
        exponent = 16 if self.name == "f16" else 1024 if self.name == "f64" else 128
        return math.ldexp(2.0 - math.ldexp(1.0, 1 - self.digits), exponent - 1)

    @property
    def ends(self):
        return (-(1 << self.bits - 1), (1 << self.bits - 1) - 1) if self.is_signed else (0, (1 << self.bits) - 1)


TYPES = {t.name: t for t in (
    ElementType("f16", 10, "e", 16), ElementType("bf16", 16, "bf16", 16), ElementType("f32", 1, "f", 32), ElementType("f64", 11, "d", 64),
    ElementType("bool", 9, "?", 1),
    ElementType("i8", 3, "b", 8), ElementType("i16", 5, "h", 16), ElementType("i32", 6, "i", 32), ElementType("i64", 7, "q", 64),
    ElementType("u8", 2, "B", 8), ElementType("u16", 4, "H", 16), ElementType("u32", 12, "I", 32), ElementType("u64", 13, "Q", 64))}
FLOATS = [t for t in TYPES.values() if t.is_float]
INTEGERS = [t for t in TYPES.values() if t.is_integer]
NUMBERS = FLOATS + INTEGERS
BOOL, I64, F32 = TYPES["bool"], TYPES["i64"], TYPES["f32"]

def floats(element, extra=()):
    """Zeros, small numbers and halves, the ends of what integers hold, the type's own ends, what is no number."""
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -3.0, 7.0, 100.0, -100.7, 255.0, 255.9, 256.0, 300.0, -128.9, -129.0,
              element.smallest, -element.smallest, element.largest, -element.largest, math.inf, -math.inf, math.nan, *extra]
    return [v for v in map(element.rounded, values) if v is not None]


def integers(element):
    low, high = element.ends
    values = {low, low + 1, low // 2, -3, -2, -1, 0, 1, 2, 3, 7, 8, 31, 32, 63, 64, element.bits - 1, element.bits, element.bits + 1,
              high // 2, high - 1, high}
    return sorted(v for v in values if low <= v <= high)


def edges(element):
    if element is BOOL:
        return [False, True]
    return floats(element) if element.is_float else integers(element)
