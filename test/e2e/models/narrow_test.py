#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of 8, 4 and 2 bits: as inputs and outputs, converted, moved, and as other elements of the same bits.

Why:  kernels compute conversions of narrow floats from the bits of an f32, the folder in double; apps hold several elements in
      a byte. All codes are tried, and what numbers of f16 and the ends of f32 become.
How:  as folding_test.py: compiled and folded must agree. What conversions give is also compared with formulas of this file.
"""
import bisect
import itertools
import math
import os
import random
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from element_types import BOOL, F32, TYPES, ElementType, floats
from folding_comparison import Comparison, Family

FORMULAS = {"f8e4m3fn": (3, 7), "f8e4m3fnuz": (3, 8), "f8e5m2": (2, 15), "f8e5m2fnuz": (2, 16), "f4e2m1": (1, 1)}


class Narrow(ElementType):
    """Elements are their codes."""

    is_float = is_integer = False

    def __init__(self, name, onnx, bits):
        super().__init__(name, onnx, "", bits)

    @property
    def codes(self):
        return list(range(1 << self.bits))

    def pack(self, values):
        per_byte = 8 // self.bits
        values = list(values) + [0] * (-len(values) % per_byte)
        return bytes(sum(code << place * self.bits for place, code in enumerate(values[i:i + per_byte])) for i in range(0, len(values), per_byte))

    def unpack(self, data):
        codes = [byte >> place & (1 << self.bits) - 1 for byte in data for place in range(0, 8, self.bits)]
        return ["nan" if self.name.startswith("f") and math.isnan(self.value(code)) else code for code in codes]

    def value(self, code):
        if self.name == "f8e8m0":
            return math.nan if code == 255 else math.ldexp(1.0, code - 127)
        if self.name in ("i4", "i2"):
            return code - (1 << self.bits) if code >> self.bits - 1 else code
        if self.name in ("u4", "u2"):
            return code
        digits, bias = FORMULAS[self.name]
        sign, magnitude = code >> self.bits - 1, code & (1 << self.bits - 1) - 1
        special = {"f8e4m3fn": [0x7f, 0xff], "f8e5m2": [0x7d, 0x7e, 0x7f, 0xfd, 0xfe, 0xff]}.get(self.name, [0x80] if "fnuz" in self.name else [])
        if code in special:
            return math.nan
        if self.name == "f8e5m2" and magnitude == 0x7c:
            return -math.inf if sign else math.inf
        exponent, mantissa = magnitude >> digits, magnitude % (1 << digits)
        value = math.ldexp(mantissa + (1 << digits), exponent - bias - digits) if exponent else math.ldexp(mantissa, 1 - bias - digits)
        return -value if sign else value

    def encoded(self, x, saturates=True):
        """What ONNX's tables say that the number `x` becomes."""
        if not self.name.startswith("f"):
            if math.isnan(x):
                return 0
            return int(max(-2**31, min(2**31 - 1, round(x) if math.isfinite(x) else math.copysign(2**40, x)))) % (1 << self.bits)
        if self.name == "f8e8m0":
            if math.isnan(x):
                return "nan"
            if x < 2.0**-127:
                return 0 if saturates else "nan"
            code = 1000 if math.isinf(x) else math.frexp(x)[1] + 126 + (math.frexp(x)[0] > 0.5)
            return code if code < 255 else 254 if saturates else "nan"
        sign = (1 << self.bits - 1) if math.copysign(1, x) < 0 else 0
        if math.isnan(x):
            return 8 if self.name == "f4e2m1" else "nan"
        magnitudes = [v for v in map(self.value, range(1 << self.bits - 1)) if math.isfinite(v)]
        greatest = len(magnitudes) - 1
        magnitudes.append(2 * magnitudes[-1] - magnitudes[-2])
        code = greatest + 1
        if abs(x) < magnitudes[-1]:
            above = bisect.bisect_right(magnitudes, abs(x))
            down, up = abs(x) - magnitudes[above - 1], magnitudes[above] - abs(x)
            code = above - 1 if down < up or (down == up and above % 2) else above
        if code > greatest:
            code = greatest if saturates or self.name == "f4e2m1" else 0x7c if self.name == "f8e5m2" else "nan"
        return code if code == "nan" or (code == 0 and "fnuz" in self.name) else code | sign


NARROW = [Narrow("f8e4m3fn", 17, 8), Narrow("f8e4m3fnuz", 18, 8), Narrow("f8e5m2", 19, 8), Narrow("f8e5m2fnuz", 20, 8), Narrow("u4", 21, 4),
          Narrow("i4", 22, 4), Narrow("f4e2m1", 23, 4), Narrow("f8e8m0", 24, 8), Narrow("u2", 25, 2), Narrow("i2", 26, 2)]
NARROW_FLOATS = [t for t in NARROW if t.name.startswith("f")]
U8, I8, F16 = TYPES["u8"], TYPES["i8"], TYPES["f16"]


class NarrowFamily(Family):
    """With what some outputs must be."""

    def __init__(self, name):
        super().__init__(name)
        self.graph = type(self.graph)(name, opset=26)
        self.expected = {}

    def cast(self, source, values, target, expected=None, **attributes):
        self.output("Cast", [self.input(source, values)], target, [len(values)], to=target.onnx, **attributes)
        if expected is not None:
            self.expected[f"y{len(self.outputs) - 1}"] = expected


class NarrowTest(Comparison):
    parts = 3

    def run_compiled(self, library, family, *options):
        outputs = super().run_compiled(library, family, *options)
        for name, expected in family.expected.items():
            operator, element, _, _, inputs = family.outputs[name]
            for i, (got, want) in enumerate(zip(outputs[name], expected)):
                same = math.isnan(got) if isinstance(want, float) and math.isnan(want) else got == want
                self.assertTrue(same, f"{operator}({family.inputs[inputs[0]][0].name}) -> {element.name} at {i}, {name}: {got} for {want}")
        return outputs

    def test_codes_are_numbers(self):
        family = NarrowFamily("from_narrow")
        for source in NARROW:
            family.cast(source, source.codes, F32, [source.value(code) for code in source.codes])
            for target in self.each(TYPES.values()):
                if target is not F32:
                    family.cast(source, source.codes, target)
        self.check(family)

    def test_numbers_become_codes(self):
        generator = random.Random(5)
        family = NarrowFamily("to_narrow")
        middles = [(a + b) / 2 for t in NARROW_FLOATS[:3] for a, b in zip(map(t.value, range(0, 126)), map(t.value, range(1, 127)))
                   if math.isfinite(a + b)]
        numbers = floats(F32, middles + [-m for m in middles] + [2.0**-127, 2.0**-128, 1.5 * 2.0**-127, 2.0**127, 1.5 * 2.0**127, 448, 464, 480, 57344, 61440]
                         + [math.ldexp(generator.uniform(-1, 1), generator.randint(-20, 20)) for _ in range(200)])
        numbers += [0.0] * (-len(numbers) % 4)
        for target in NARROW:
            family.cast(F32, numbers, target, [target.encoded(x) for x in numbers])
            for source in self.each(TYPES.values()):
                if source is not F32:
                    values = [False, True] * 2 if source is BOOL else floats(source, [0.1 * i for i in range(-40, 40)]) if source.is_float else \
                        [v for v in (-129, -128, -9, -8, -3, -2, -1, 0, 1, 2, 3, 4, 7, 8, 15, 16, 100, 255, 1000, 60000) if source.ends[0] <= v <= source.ends[1]]
                    family.cast(source, values + [values[0]] * (-len(values) % 4), target)
        for target in NARROW_FLOATS:
            family.cast(F32, numbers, target, [target.encoded(x, saturates=False) for x in numbers], saturate=0)
            for mode in ("down", "nearest"):
                family.cast(F32, numbers, target, round_mode=mode)
        for source, target in itertools.permutations(NARROW, 2):
            family.cast(source, source.codes, target)
        self.check(family)

    def test_halves_become_codes(self):
        if "f16" in self.lacks:
            self.skipTest("has no f16")
        family = NarrowFamily("halves")
        halves = F16.unpack(b"".join(bits.to_bytes(2, "little") for bits in range(65536)))
        for target in NARROW_FLOATS:
            for saturate in (0, 1):
                family.cast(F16, halves, target, saturate=saturate)
        self.check(family)

    def test_bits(self):
        family = NarrowFamily("bits")
        types = NARROW + self.each(t for t in TYPES.values() if t is not BOOL)
        for source, target in itertools.permutations(types, 2):
            if source.bits == target.bits:
                generator = random.Random(source.bits)
                data = bytes(generator.randrange(256) for _ in range(256))
                if source.bits == 8:
                    data = bytes(range(256))
                values = source.codes if isinstance(source, Narrow) else source.unpack(data)
                family.output("BitCast", [family.input(source, values)], target, [len(values)], to=target.onnx)
        self.check(family)

    def test_movement(self):
        """Rows that begin in the middle of a byte."""
        family = NarrowFamily("movement")
        for name, values in {"begins": [1, -1], "ends": [3, -100], "steps": [1, -2], "axes": [0, 1], "pads": [1, 0, 0, 2], "flat": [5, 3], "wide": [2, 3, 5],
                             "picks": [-1, 0, 2, 2]}.items():
            family.graph.integers(name, values)
        for element in NARROW:
            x = family.input(element, (element.codes * 15)[:15], [3, 5])
            family.output("Identity", [x], element, [3, 5])
            family.output("Transpose", [x], element, [5, 3], perm=[1, 0])
            family.output("Reshape", [x, "flat"], element, [5, 3])
            family.output("Concat", [x, x], element, [3, 10], axis=1)
            family.output("Slice", [x, "begins", "ends", "axes", "steps"], element, [2, 3])
            family.output("Expand", [x, "wide"], element, [2, 3, 5])
            family.output("Gather", [x, "picks"], element, [4, 5], axis=0)
            family.output("Pad", [x, "pads"], element, [4, 7], mode="edge")
            if element.name != "f8e8m0":
                family.output("Pad", [x, "pads"], element, [4, 7])
        self.check(family)


    def test_blocks(self):
        """Weights whose blocks of 16 share a scale; all sums are exact."""
        generator = random.Random(7)
        family = NarrowFamily("blocks")
        rows, outputs, depth, block, blocks = 2, 3, 20, 16, 2
        x = [generator.randint(-8, 8) for _ in range(rows * depth)]
        scales = [generator.choice((0.5, 1.0, 2.0)) for _ in range(outputs * blocks)]
        operands = [family.input(F32, [float(v) for v in x], [rows, depth])]
        for codes_type, middle in ((TYPES["u8"], 128), (NARROW[4], 8), (NARROW[8], 2)):
            bits = codes_type.bits
            codes = [generator.randrange(1 << bits) for _ in range(outputs * blocks * block)]
            zeros = [[generator.randrange(1 << bits) for _ in range(blocks)] for _ in range(outputs)]
            size = block * bits // 8
            weight = family.input(U8, list(codes_type.pack(codes)), [outputs, blocks, size])
            packed = b"".join(codes_type.pack(row) for row in zeros)
            for given in (False, True):
                numbers = [[(codes[n * blocks * block + k] - (zeros[n][k // block] if given else middle)) * scales[n * blocks + k // block]
                            for k in range(depth)] for n in range(outputs)]
                expected = [float(sum(x[m * depth + k] * numbers[n][k] for k in range(depth))) for m in range(rows) for n in range(outputs)]
                inputs = operands + [weight, family.input(F32, scales, [outputs * blocks])]
                inputs += [family.input(U8, list(packed), [len(packed)])] if given else []
                family.output("com.microsoft.MatMulNBits", inputs, F32, [rows, outputs], N=outputs, K=depth, bits=bits, block_size=block)
                family.expected[f"y{len(family.outputs) - 1}"] = expected
        for codes_type in NARROW[4:6]:
            codes = [generator.randrange(16) for _ in range(3 * 32)]
            scale = family.input(F32, scales, [3, 2])
            numbers = [codes_type.value(code) * scales[i // block] for i, code in enumerate(codes)]
            data = family.input(codes_type, codes, [3, 32])
            family.output("DequantizeLinear", [data, scale], F32, [3, 32], block_size=block)
            family.expected[f"y{len(family.outputs) - 1}"] = numbers
            family.output("com.microsoft.GatherBlockQuantized", [data, family.input(TYPES["i64"], [2, 0], [2]), scale], F32, [2, 32], block_size=block)
            family.expected[f"y{len(family.outputs) - 1}"] = numbers[64:] + numbers[:32]
            reals = family.input(F32, numbers, [3, 32])
            family.output("QuantizeLinear", [reals, scale], codes_type, [3, 32], block_size=block, output_dtype=codes_type.onnx)
            family.expected[f"y{len(family.outputs) - 1}"] = codes
        self.check(family)


class Sse4NarrowTest(NarrowTest):
    options = ("--cpu=nehalem",)
    lacks = ("f16",)


@unittest.skipUnless(shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT), "needs qemu-aarch64 and an arm64 sysroot")
class Arm64NarrowTest(NarrowTest):
    options = ("--target=linux-arm64",)

    def run_library(self, library, *options):
        self.run_arm64(library, *options)


class GpuNarrowTest(NarrowTest):
    """On lavapipe where there is no other."""

    options = ("--place=gpu",)

    def run_library(self, library, *options):
        self.run_model(library, *(("--gpu",) if "compiled" in library else ()), *options)


if __name__ == "__main__":
    unittest.main()
