#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one quantized operand, to the bit, as TensorFlow Lite's reference kernels define them.

How:  all 256 integers of a byte are an input, and of 16 bits every 97th. Answers are computed here in Python's integers (gemmlowp.py),
      and in single precision where the definition uses floats (tables16.py).
"""
import itertools
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import gemmlowp
import nacre
import tflite_test
from gemmlowp import divide, quantized, rescaled
from tables16 import entries16, interpolate, rounded
from tflite_test import BYTES, RANGES, f32, middle, saturate
from tflite_writer import INT8, INT16


def logistic_table():
    sigmoid = lambda steps: 65536 / (1 + math.exp(-steps / 24))  # noqa: E731
    line = lambda index: sigmoid(index + 0.5) - (sigmoid(index) + sigmoid(index + 1)) / 2  # noqa: E731
    return [min(rounded(sigmoid(index) + line(index) / 2), 65535) for index in range(255)] + [65535]


class FunctionsTest(nacre.NacreTest):
    save, check = tflite_test.TfliteTest.save, tflite_test.TfliteTest.check

    def all_codes(self, model, element, scale, zero, name=""):
        """An input of every integer; of 16 bits of each 97th."""
        low, high_code = RANGES[element]
        codes = list(range(low, high_code + 1, 97 if element == INT16 else 1))
        x, _ = model.feed(f"x{element}{name}", [len(codes)], element, codes, scale=scale, zero=zero)
        return x, codes

    def want_all(self, model, code, element, name, function, source, result, **options):
        """An operator of one operand; `function` gives an integer before it is cut."""
        x, codes = self.all_codes(model, element, *source)
        model.want(code, [x], f"{name}{element}", [len(codes)], [saturate(function(c), *RANGES[element]) for c in codes], element,
                   scale=result[0], zero=result[1], **options)

    def fixed(self, function, source, bits, zero):
        scale, center = f32(source[0]), source[1]
        number = quantized(scale * 2**27)
        limit = gemmlowp.radius(4, number[1])

        def compute(code):
            x = code - center
            if abs(x) >= limit:
                return -999 if x < 0 else 999
            return divide(function(rescaled(x, number)), 31 - bits) + zero
        return compute

    def test_logistic_and_tanh(self):
        model = tflite_test.Model(1)
        for element, scale in itertools.product(BYTES, (0.06, 0.2)):
            source, low = (scale, middle(element) + 5), RANGES[element][0]
            x, codes = self.all_codes(model, element, *source, f"by{scale}")
            for code, name, function, bits, zero in ((14, "logistic", gemmlowp.logistic, 8, low), (28, "tanh", gemmlowp.tanh, 7, middle(element))):
                compute = self.fixed(function, source, bits, zero)
                model.want(code, [x], f"{name}{element}by{scale}", [256], [saturate(compute(c), *RANGES[element]) for c in codes], element,
                           scale=2.0**-bits, zero=zero)
        self.check(model)

    def test_logistic_and_tanh_of_16_bits(self):
        table = logistic_table()
        self.assertEqual(table[:6] + table[100:102], [32768, 33451, 34133, 34813, 35493, 36169, 64536, 64576])
        model = tflite_test.Model(2)
        for scale in (2**-12, 2**-11, 0.0003, 0.7):
            x, codes = self.all_codes(model, INT16, scale, 0, f"by{scale}")
            for code, name, bits in ((14, "logistic", 9), (28, "tanh", 8)):
                multiplier, shift = f32(scale) * 4096 * 3, 0
                if scale == 2**-12 or (scale == 2**-11 and name == "tanh"):
                    multiplier = 3 * scale * 4096
                else:
                    while multiplier <= 32767 / 2 and shift <= 30:
                        multiplier, shift = multiplier * 2, shift + 1
                wanted = []
                for c in codes:
                    place = (c * int(multiplier) + (1 << shift >> 1)) >> shift
                    index, offset = abs(place) >> bits, abs(place) & ((1 << bits) - 1)
                    y = (table[index] << bits) + offset * (table[index + 1] - table[index]) if index < 255 else None
                    if name == "logistic":
                        y = 0x7FFF << 10 if y is None else y
                        wanted.append((y + 512 if place >= 0 else (1 << 25) - y + 511) >> 10)
                    else:
                        y = 0xFFFF << 8 if y is None else y
                        wanted.append((y - (1 << 23) + 128 if place >= 0 else (1 << 23) - y + 127) >> 8)
                model.want(code, [x], f"{name}by{scale}", [len(codes)], wanted, INT16, scale=1 / 32768)
        self.check(model)

    def test_functions_of_reals(self):
        gelu = lambda real: f32(f32(0.5 * real) * f32(math.erfc(f32(real * f32(-math.sqrt(0.5))))))  # noqa: E731
        model = tflite_test.Model(3)
        for element in (INT8, INT16):
            source = (0.0009, 0) if element == INT16 else (0.03, -100)
            x, codes = self.all_codes(model, element, *source)
            low, most = RANGES[element]
            for code, name, function, scale, zero in (
                    (47, "exp", math.exp, 0.001 if element == INT16 else 0.05, 0),
                    (73, "log", lambda real: math.log(real) if real > 0 else -1e9, 0.0002 if element == INT16 else 0.02, 0),
                    (150, "gelu", gelu, 0.0009 if element == INT16 else 0.03, 0 if element == INT16 else -100)):
                limited = lambda real: max(function(real), (low - zero) * f32(scale)) if name == "log" else function(real)  # noqa: E731,B023
                if element == INT16:
                    entries = entries16(limited, f32(source[0]), source[1], f32(scale), zero)
                    wanted = [interpolate(entries, c) for c in codes]
                else:
                    wanted = [saturate(rounded(f32(f32(limited(f32(f32(source[0]) * (c - source[1])))) * f32(1 / f32(scale)))) + zero, low, most)
                              for c in codes]
                model.want(code, [x], f"{name}{element}", [len(codes)], wanted, element, scale=scale, zero=zero)
            scale = f32(0.0005 if element == INT16 else 0.02)
            reals = [max(f32(f32(source[0]) * (c - source[1])), 0.0) for c in codes]
            model.want(75, [x], f"sqrt{element}", [len(codes)], [saturate(int(f32(f32(math.sqrt(real)) / scale)) - 3, low, most) for real in reals],
                       element, scale=scale, zero=-3)
        self.check(model)

    def test_reciprocal_root(self):
        model = tflite_test.Model(4)
        source, scale = (0.03, -100), 0.05
        number = quantized(1 / f32(f32(math.sqrt(f32(source[0]))) * f32(scale)))

        def compute(code):
            x = code - source[1]
            if x <= 0:
                return 127
            root = gemmlowp.inverse_root(x)
            return rescaled(rescaled(1, (root[0], root[1] + 20)), (number[0], number[1] - 20)) + 7
        self.want_all(model, 76, INT8, "root", compute, source, (scale, 7))
        scale = f32(0.01)
        entries = entries16(lambda real: 1 / math.sqrt(real) if real > 0 else f32(32767 * scale), f32(0.002), 0, scale, 0)
        self.want_all(model, 76, INT16, "root", lambda code: interpolate(entries, code), (0.002, 0), (scale, 0))
        self.check(model)

    def test_absolute_and_limits(self):
        model = tflite_test.Model(5)
        for element in (INT8, INT16):
            zero = 0 if element == INT16 else -9
            ratio = quantized(f32(f32(0.06) / f32(0.04)))
            self.want_all(model, 101, element, "abs", lambda c: rescaled(abs(c - zero), ratio) + zero, (0.06, zero), (0.04, zero))  # noqa: B023
        ratio = quantized(f32(f32(0.06) / f32(0.011)))
        for element in BYTES:
            zero = middle(element) + 3
            x, codes = model.feed(f"r{element}", [256], element, list(range(RANGES[element][0], RANGES[element][1] + 1)), scale=0.06, zero=zero)
            model.want(152, [x], f"relu{element}", [256], [saturate(rescaled(c - zero, ratio) + zero, zero, zero + 91) for c in codes], element,
                       scale=0.011, zero=zero)
        self.check(model)


if __name__ == "__main__":
    unittest.main()
