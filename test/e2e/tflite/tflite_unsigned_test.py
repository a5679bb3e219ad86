#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of 8 bits without a sign, as they were first quantized: every operator to the bit, weights with a zero point of their own.

How:  as tflite_quantized_test.py. Ratios of scales have single precision where the kernels of these integers take it.
"""
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import tflite_test
from gemmlowp import divide, quantized, rescaled
from tflite_test import RANGES, at, f32, indices, saturate
from tflite_writer import BOOL, FLOAT32, INT8, INT16, INT32, INT64, UINT8


def cut(x):
    return saturate(x, 0, 255)


def high16(a, b):
    product = a * b
    nudged = product + (1 << 14 if product >= 0 else 1 - (1 << 14))
    return saturate(int(nudged / 2**15), *RANGES[INT16])


def multiplier16(real):
    number, shift = quantized(real)
    return min((number + (1 << 15)) >> 16, 32767), shift


class UnsignedTest(nacre.NacreTest):
    save, check = tflite_test.TfliteTest.save, tflite_test.TfliteTest.check

    def setUp(self):
        super().setUp()
        self.model, self.scale, self.zero, self.shape = tflite_test.Model(21), f32(0.0517), 120, [1, 5, 4, 3]
        self.x, self.codes = self.model.feed("x", self.shape, UINT8, scale=self.scale, zero=self.zero)

    def weights(self, name, shape, zero, scale):
        codes = [self.model.random.randint(0, 255) for _ in range(math.prod(shape))]
        return self.model.tensor(name, shape, UINT8, codes, scale=scale, zero=zero), codes

    def pixel(self, row, column, channel):
        code = at(self.shape, self.codes, (0, row, column, channel))
        return 0 if code is None else code - self.zero

    def finish(self, total, scale, result, zero):
        """`scale`: of the weights."""
        return cut(rescaled(total, quantized(f32(self.scale * f32(scale)) / f32(result))) + zero)

    def test_convolutions(self):
        w, codes = self.weights("w", [4, 3, 3, 3], 130, 0.011)
        bias = [300, -2000, 40, 0]
        b = self.model.tensor("b", [4], INT32, bias, scale=0.0005)
        wanted = []
        for _, r, c, o in indices([1, 3, 2, 4]):  # rows: a pad on each side; columns: one at the end
            total = bias[o] + sum(self.pixel(2 * r + i - 1, 2 * c + j, k) * (at([4, 3, 3, 3], codes, (o, i, j, k)) - 130) for i, j, k in indices([3, 3, 3]))
            wanted.append(saturate(self.finish(total, 0.011, 0.05, 7), 7, 127))
        self.model.want(3, [self.x, w, b], "conv", [1, 3, 2, 4], wanted, UINT8, kind=1, options={1: ("i", 2), 2: ("i", 2), 3: ("b", 3)}, scale=0.05, zero=7)
        w, codes = self.weights("d", [1, 3, 3, 6], 100, 0.013)
        wanted = [self.finish(sum(self.pixel(r + i, c + j, o // 2) * (at([3, 3, 6], codes, (i, j, o)) - 100) for i, j in indices([3, 3])), 0.013, 0.1, 128)
                  for _, r, c, o in indices([1, 3, 2, 6])]
        self.model.want(4, [self.x, w], "deep", [1, 3, 2, 6], wanted, UINT8, kind=2, options={0: ("b", 1), 1: ("i", 1), 2: ("i", 1), 3: ("i", 2)},
                        scale=0.1, zero=128)
        w, codes = self.weights("t", [2, 2, 3, 3], 90, 0.01)
        sums = [0] * (10 * 8 * 2)
        for r, c, k, o, i, j in indices([5, 4, 3, 2, 2, 3]):
            if 2 * c + j < 8:
                sums[((2 * r + i) * 8 + 2 * c + j) * 2 + o] += self.pixel(r, c, k) * (at([2, 2, 3, 3], codes, (o, i, j, k)) - 90)
        self.model.want(67, [self.model.list(1, 10, 8, 2), w, self.x], "wide", [1, 10, 8, 2], [self.finish(s, 0.01, 0.1, 100) for s in sums], UINT8,
                        kind=49, options={1: ("i", 2), 2: ("i", 2)}, scale=0.1, zero=100)
        w, codes = self.weights("f", [3, 60], 140, 0.01)
        b = self.model.tensor("g", [3], INT32, bias[:3], scale=0.0005)
        sums = [bias[o] + sum((p - self.zero) * (q - 140) for p, q in zip(self.codes, codes[60 * o:])) for o in range(3)]
        self.model.want(9, [self.x, w, b], "dense", [1, 3], [self.finish(s, 0.01, 0.3, 100) for s in sums], UINT8, kind=8, options={}, scale=0.3, zero=100)
        self.check(self.model)

    def test_pools_and_means(self):
        windows = []
        for r, c, k in indices([3, 2, 3]):
            cells = (at(self.shape, self.codes, (0, 2 * r + i - 1, 2 * c + j, k)) for i, j in indices([3, 3]))
            windows.append([cell for cell in cells if cell is not None])
        same = {"scale": self.scale, "zero": self.zero}
        options = {1: ("i", 2), 2: ("i", 2), 3: ("i", 3), 4: ("i", 3)}
        self.model.want(1, [self.x], "average", [1, 3, 2, 3], [(sum(w) + len(w) // 2) // len(w) for w in windows], UINT8, kind=5, options=options, **same)
        self.model.want(17, [self.x], "most", [1, 3, 2, 3], [max(w) for w in windows], UINT8, kind=5, options=options, **same)
        sums = [sum(self.codes[k::3]) - 20 * self.zero for k in range(3)]
        number, shift = quantized(self.scale / f32(0.0213))
        less = min(20 .bit_length() - 1, 31 + shift)
        axes = self.model.list(1, 2)
        self.model.want(40, [self.x, axes], "mean", [1, 3], [cut(rescaled(s, ((number << less) // 20, shift - less)) + 99) for s in sums], UINT8,
                        kind=27, options={}, scale=0.0213, zero=99)
        self.model.want(74, [self.x, axes], "sum", [1, 3], [cut(rescaled(s, quantized(self.scale / f32(0.9))) + 99) for s in sums], UINT8,
                        kind=27, options={}, scale=0.9, zero=99)
        self.model.want(82, [self.x, axes], "largest", [1, 3], [max(self.codes[k::3]) for k in range(3)], UINT8, kind=27, options={}, **same)
        self.model.want(56, [self.x, self.model.list(3, shape=[])], "place", [1, 5, 4],
                        [max(range(3), key=lambda k: self.codes[3 * n + k]) for n in range(20)], INT64)  # noqa: B023
        self.model.want(34, [self.x, self.model.list(0, 0, 0, 0, 0, 0, 1, 1, shape=[4, 2])], "padded", [1, 5, 4, 5],
                        sum(([self.zero, *self.codes[n:n + 3], self.zero] for n in range(0, 60, 3)), []), UINT8, **same)
        self.check(self.model)

    def test_elementwise(self):
        other, zero = f32(0.0331), 7
        y, codes = self.model.feed("y", self.shape, UINT8, scale=other, zero=zero)
        twice, result = 2 * max(self.scale, other), f32(0.09)
        for code, name, sign in ((0, "sum", 1), (41, "difference", -1)):
            wanted = []
            for p, q in zip(self.codes, codes):
                total = rescaled((p - self.zero) << 20, quantized(self.scale / twice)) + sign * rescaled((q - zero) << 20, quantized(other / twice))
                wanted.append(saturate(rescaled(total, quantized(twice / (2**20 * result))) + 100, 100, 255))
            self.model.want(code, [self.x, y], name, self.shape, wanted, UINT8, kind=11 if code == 0 else 28, options={0: ("b", 1)}, scale=result, zero=100)
        fine = [[rescaled((c - z) << 8, quantized(s)) for c in values] for values, s, z in ((self.codes, self.scale, self.zero), (codes, other, zero))]
        self.model.want(58, [self.x, y], "less", self.shape, [p < q for p, q in zip(*fine)], BOOL)
        alpha, same = f32(0.2), quantized(f32(self.scale / result))
        slope = quantized(f32(f32(self.scale * alpha) / result))
        self.model.want(98, [self.x], "leaky", self.shape, [cut(rescaled(c - self.zero, same if c >= self.zero else slope) + 9) for c in self.codes], UINT8,
                        kind=75, options={0: ("f", 0.2)}, scale=result, zero=9)
        self.model.want(117, [self.x], "swish", self.shape, [cut(self.hard_swish(c - self.zero, f32(0.04)) + 20) for c in self.codes], UINT8,
                        scale=0.04, zero=20)
        self.check(self.model)

    def hard_swish(self, x, result):
        fine = f32(f32(1 / 128) * self.scale)
        (ratio, shift), (gate_ratio, gate_shift) = multiplier16(f32(fine / result)), multiplier16(f32(fine / f32(3 / 32768)))
        gate = x * 128
        if gate_shift > 0:
            gate = saturate(gate << (gate_shift - 1), *RANGES[INT16])
        gate = high16(gate, gate_ratio)
        gate = saturate(gate << 1, *RANGES[INT16]) if gate_shift > 0 else divide(gate, -gate_shift)
        gate = (gate + (1 << 15)) >> 1
        return divide(int(gate * high16(x * 128, ratio) / 2**15), -shift)

    def test_other_integers(self):
        """To and from bytes with a sign, 16 bits and reals; products of matrices of 16 bits."""
        for element, scale, zero in ((INT8, 0.07, -9), (INT16, 0.0003, 0), (UINT8, 0.031, 77)):
            number = quantized(self.scale / f32(scale))
            self.model.want(114, [self.x], f"to{element}", self.shape, [saturate(rescaled(c - self.zero, number) + zero, *RANGES[element]) for c in self.codes],
                            element, scale=scale, zero=zero)
            y, codes = self.model.feed(f"y{element}", [40], element, scale=scale, zero=zero)
            number = quantized(f32(scale) / f32(0.09))
            self.model.want(114, [y], f"from{element}", [40], [cut(rescaled(c - zero, number) + 130) for c in codes], UINT8, scale=0.09, zero=130)
        self.model.want(6, [self.x], "real", self.shape, [f32(self.scale * (c - self.zero)) for c in self.codes], FLOAT32)
        a, left = self.model.feed("a", [2, 3, 4], INT16, scale=0.0003)
        b, right = self.model.feed("b", [2, 4, 5], INT16, scale=0.0002)
        number, shift = quantized(f32(f32(0.0003) * f32(0.0002)) / f32(0.004))
        number = (number + (1 << 15)) >> 16 if number < 0x7FFF0000 else 0x7FFF
        wanted = []
        for n, r, c in indices([2, 3, 5]):
            total = sum(at([2, 3, 4], left, (n, r, k)) * at([2, 4, 5], right, (n, k, c)) for k in range(4))
            wanted.append(saturate((total * number + (1 << (14 - shift))) >> (15 - shift), *RANGES[INT16]))
        self.model.want(126, [a, b], "matrices", [2, 3, 5], wanted, INT16, scale=0.004)
        self.check(self.model)


if __name__ == "__main__":
    unittest.main()
