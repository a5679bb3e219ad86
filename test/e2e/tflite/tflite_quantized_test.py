#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of quantized operands, to the bit, as TensorFlow Lite's reference kernels define them.

How:  answers are computed here in Python's integers (gemmlowp.py), and in single precision where the definition uses floats. Functions
      of one operand are in tflite_functions_test.py.
"""
import itertools
import math
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import gemmlowp
import nacre
import tflite_test
from gemmlowp import divide, high, quantized, rescaled
from tables16 import entries16, interpolate, rounded
from tflite_test import BYTES, RANGES, f32, indices, middle, saturate
from tflite_writer import INT8, INT16, INT32, LETTERS, UINT8


class QuantizedTest(nacre.NacreTest):
    save, check = tflite_test.TfliteTest.save, tflite_test.TfliteTest.check

    def test_parts_of_other_scales(self):
        """Of 8 bits without a sign, each part is brought to the scale of the whole in single precision."""
        model = tflite_test.Model(6)
        x, a = model.feed("x", [256], UINT8, list(range(256)), scale=0.05, zero=100)
        y, b = model.feed("y", [256], UINT8, list(range(256)), scale=0.013, zero=3)
        z, c = model.feed("z", [256], UINT8, list(range(256)), scale=0.02, zero=10)
        inverse = f32(1 / f32(0.02))

        def part(codes, scale, zero):
            ratio = f32(f32(scale) * inverse)
            bias = f32(-zero * ratio)
            return [saturate(rounded(f32(f32(code * ratio) + bias)) + 10, 0, 255) for code in codes]
        model.want(2, [x, y, z], "joined", [768], part(a, 0.05, 100) + part(b, 0.013, 3) + c, UINT8, kind=10, options={}, scale=0.02, zero=10)
        self.check(model)

    def test_products_without_a_sign(self):
        """Their ratios have single precision."""
        model = tflite_test.Model(7)
        s, t, r = f32(0.0517), f32(0.0331), f32(0.00713)
        x, a = model.feed("x", [64], UINT8, scale=s, zero=120)
        y, b = model.feed("y", [64], UINT8, scale=t, zero=7)
        ratio = quantized(f32(f32(s * t) / r))
        model.want(18, [x, y], "product", [64], [saturate(rescaled((p - 120) * (q - 7), ratio) + 9, 0, 255) for p, q in zip(a, b)], UINT8, kind=21,
                   options={}, scale=r, zero=9)
        slopes = model.tensor("slopes", [64], UINT8, b, scale=t, zero=7)
        above = quantized(f32(s / r))
        model.want(54, [x, slopes], "slope", [64],
                   [saturate((rescaled(p - 120, above) if p >= 120 else rescaled((p - 120) * (q - 7), ratio)) + 9, 0, 255) for p, q in zip(a, b)],
                   UINT8, scale=r, zero=9)
        self.check(model)

    def test_quotients(self):
        model = tflite_test.Model(8)
        for element in BYTES:
            zero = middle(element)
            x, a = model.feed(f"x{element}", [512], element, scale=0.05, zero=zero + 3)
            y, b = model.feed(f"y{element}", [512], element, scale=0.07, zero=zero - 6)
            number = quantized(f32(f32(0.05) / f32(f32(0.07) * f32(0.03))))
            wanted = []
            for p, q in zip(a, b):
                p, q = p - zero - 3, q - zero + 6
                if q < 0:
                    p, q = -p, -q
                inverse, over = gemmlowp.reciprocal(q, 31) if q else (0, 0)
                headroom = min(31 - (p if p >= 0 else ~p).bit_length(), 30)
                quotient = high(p << headroom, inverse)
                wanted.append(saturate(divide(high(quotient, number[0]), over + headroom - number[1]) + zero if q else zero, *RANGES[element]))
            model.want(42, [x, y], f"quotient{element}", [512], wanted, element, kind=29, options={}, scale=0.03, zero=zero)
        self.check(model)

    def test_squared_differences(self):
        model = tflite_test.Model(9)
        for element, shift in ((INT8, 7), (INT16, 0)):
            zeros = (4, -3, -100) if element == INT8 else (0, 0, 0)
            scales = (f32(0.05), f32(0.03), f32(0.2)) if element == INT8 else (f32(0.0005), f32(0.0003), f32(0.01))
            x, a = model.feed(f"x{element}", [256], element, scale=scales[0], zero=zeros[0])
            y, b = model.feed(f"y{element}", [256], element, scale=scales[1], zero=zeros[1])
            twice = 2 * max(scales[:2])
            aligned = [[rescaled((c - zero) << shift, quantized(scale / twice)) for c in codes] for codes, scale, zero in zip((a, b), scales, zeros)]
            number = quantized(twice * twice / (2**(2 * shift) * scales[2]))
            squares = [saturate(rescaled((p - q)**2, number) + zeros[2], *RANGES[element]) for p, q in zip(*aligned)]
            model.want(99, [x, y], f"squares{element}", [256], squares, element, scale=scales[2], zero=zeros[2])
        self.check(model)

    def test_sums_by_powers_of_two(self):
        model = tflite_test.Model(10)
        x, a = model.feed("x", [64], INT16, scale=2**-12)
        y, b = model.feed("y", [64], INT16, [1, -1, 3, -3, 4, -4, 12, -12] * 8, scale=2**-15)
        for code, name, sign in ((0, "sum", 1), (41, "difference", -1)):
            model.want(code, [x, y], name, [64], [saturate(p + sign * divide(q, 3), *RANGES[INT16]) for p, q in zip(a, b)], INT16,
                       kind=11 if code == 0 else 28, options={}, scale=2**-12)
        general = [[rescaled(c << 15, quantized(scale / 2**-11)) for c in codes] for codes, scale in ((a, 2**-12), (b, 2**-15))]
        model.want(0, [x, y], "general", [64],
                   [saturate(rescaled(p + q, quantized(2**-11 / 2**15 / 2**-12)), *RANGES[INT16]) for p, q in zip(*general)], INT16, kind=11,
                   options={1: ("?", False)}, scale=2**-12)
        self.check(model)

    def test_norms(self):
        model = tflite_test.Model(12)
        for element, depth in itertools.product(BYTES, (1, 40)):
            zero, center = middle(element) + 2, middle(element)
            x, codes = model.feed(f"x{element}of{depth}", [6, depth], element, scale=0.05, zero=zero)
            codes[:depth] = [zero] * depth
            codes[depth:2 * depth] = [zero + 1] + [zero] * (depth - 1)
            wanted = []
            for row in range(6):
                distances = [c - zero for c in codes[row * depth:(row + 1) * depth]]
                root, shift = gemmlowp.inverse_root(sum(d * d for d in distances))
                wanted += [rescaled(d, (root, shift + 7)) if element == INT8 else 128 + rescaled(128 * d, (root, shift)) for d in distances]
            model.want(11, [x], f"y{element}of{depth}", [6, depth], [saturate(y, *RANGES[element]) for y in wanted], element, kind=11, options={},
                       scale=1 / 128, zero=center)
        self.check(model)

    def test_svdf(self):
        batch, inputs, features, memory, rank = 2, 5, 6, 4, 2
        for element in (INT8, INT16):
            model = tflite_test.Model(15)
            draw = lambda count, most: [model.random.randint(-most, most) for _ in range(count)]  # noqa: E731,B023
            low, high_code = RANGES[element]
            x, a = model.feed("x", [batch, inputs], INT8, scale=0.05, zero=4)
            weights, times, bias = draw(features * inputs, 127), draw(features * memory, high_code // 9), draw(features // rank, 900)
            before = draw(batch * features * memory, high_code // 3)
            scales = [f32(s) for s in ((0.05, 0.02, 0.06, 0.03, 0.3) if element == INT8 else (0.05, 0.02, 0.0003, 0.0003, 0.3))]
            first, second = (quantized(f32(f32(p * q) / r)) for p, q, r in (scales[:3], scales[2:]))
            state, wanted = [], []
            for b, feature in indices([batch, features]):
                total = sum((a[b * inputs + n] - 4) * weights[feature * inputs + n] for n in range(inputs))
                at = (b * features + feature) * memory
                state += before[at + 1:at + memory] + [saturate(rescaled(total, first), low, high_code)]
            for b, unit in indices([batch, features // rank]):
                cells = range(unit * rank * memory, (unit + 1) * rank * memory)
                total = bias[unit] + sum(state[b * features * memory + n] * times[n] for n in cells)
                wanted.append(saturate(rescaled(total, second) - 3))
            operands = [x, model.tensor("w", [features, inputs], INT8, weights, scale=scales[1]),
                        model.tensor("t", [features, memory], element, times, scale=scales[3]),
                        model.tensor("b", [features // rank], INT32, bias, scale=scales[2] * scales[3]),
                        model.tensor("s", [batch, features * memory], element, scale=scales[2], more={5: ("?", True)})]
            model.want(27, operands, "y", [batch, features // rank], wanted, INT8, kind=6, options={0: ("i", rank)}, scale=scales[4], zero=-3)
            begin, folder = self.save("s", element, [batch, features * memory], before), self.path(f"behind{element}")
            os.mkdir(folder)
            self.check(model, options=[f"--state=s={begin}", f"--output={folder}"])
            with open(os.path.join(folder, "s.npy"), "rb") as file:
                code = "<" + LETTERS[element] * len(state)
                self.assertEqual(list(struct.unpack(code, file.read()[-struct.calcsize(code):])), state)

    def exponentials(self, scale, distances):
        number = quantized(min(f32(scale) * 2**26, 2.0**31 - 1))
        limit = gemmlowp.radius(5, number[1])
        return number, limit, [gemmlowp.exp_of_negative(rescaled(d, number), 5) if d >= -limit else 0 for d in distances]

    def test_softmax(self):
        model = tflite_test.Model(11)
        for element, scale in ((INT8, 0.4), (UINT8, 0.06)):
            low, most = RANGES[element]
            x, codes = model.feed(f"x{element}", [4, 33], element, scale=scale, zero=middle(element) + 1)
            soft, logs = [], []
            for row in range(4):
                values = codes[row * 33:(row + 1) * 33]
                distances = [c - max(values) for c in values]
                number, limit, terms = self.exponentials(scale, distances)
                total = sum(divide(term, 12) for term in terms)
                inverse, over = gemmlowp.reciprocal(total, 12)
                soft += [saturate(divide(high(inverse, term), over + 23) + low, low, most) for term in terms]
                log = gemmlowp.logarithm(total)
                reverse = quantized((1 << (31 - number[1])) / number[0])
                least = max(-limit - 1, rescaled(log - 2**31, reverse))
                logs += [saturate(divide(rescaled(d, number) - log, 22) + most, low, most) if d > least else low for d in distances]
            model.want(25, [x], f"soft{element}", [4, 33], soft, element, kind=9, options={0: ("f", 1)}, scale=1 / 256, zero=low)
            model.want(50, [x], f"logs{element}", [4, 33], logs, element, scale=1 / 16, zero=most)
        self.check(model)

    def test_softmax_of_16_bits(self):
        exponentials = entries16(math.exp, 10 / 65535, 32767, 2 / 65535, 0, single=False)
        reciprocals = entries16(lambda real: 1 / (1 + real), 1 / 65535, -32768, 2 / 65535, 0, single=False)
        model = tflite_test.Model(14)
        for depth, scale in ((1, 0.001), (7, 0.0002), (90, 0.00003)):
            x, codes = model.feed(f"x{depth}", [3, depth], INT16, scale=scale)
            number, wanted = quantized(f32(scale) * 0.5 / (10 / 65535)), []
            for row in range(3):
                values = codes[row * depth:(row + 1) * depth]
                terms = [interpolate(exponentials, saturate(rescaled(c - max(values), number) + 32767, *RANGES[INT16])) for c in values]
                headroom = gemmlowp.leading_zeros(sum(terms))
                rest = (((sum(terms) << (headroom - 1)) + (1 << 13)) >> 14) - (1 << 15) - (1 << 16)
                inverse, shift = interpolate(reciprocals, saturate(rest, *RANGES[INT16])), 31 - headroom
                wanted += [saturate((term * inverse + (1 << (shift - 1))) >> shift, 0, 32767) for term in terms]
            model.want(25, [x], f"y{depth}", [3, depth], wanted, INT16, kind=9, options={0: ("f", 0.5)}, scale=1 / 32768)
        self.check(model)

    def test_resized_images(self):
        rules = [{}, {2: ("?", True)}, {3: ("?", True)}]
        model, shape = tflite_test.Model(13), [1, 3, 4, 2]
        for element, (options, size) in itertools.product((INT8, INT16, UINT8), zip(rules, ((5, 9), (7, 2), (6, 5)))):
            name = f"{element}by{size[0]}"
            x, a = model.feed("x" + name, shape, element, scale=0.05)
            near = self.in_reals if element == UINT8 else self.in_integers
            rows, columns = (list(near(n, m, 2 in options, 3 in options)) for n, m in zip(shape[1:3], size))
            wanted = []
            for _, r, c, k in indices([1, *size, 2]):
                (y0, y1, v), (x0, x1, h) = rows[r], columns[c]
                corner = [tflite_test.at(shape, a, (0, y, x, k)) for x in (x0, x1) for y in (y0, y1)]  # noqa: B023
                if element == UINT8:
                    terms = [f32(f32(value * p) * q) for value, (q, p) in zip(corner, itertools.product((f32(1 - h), h), (f32(1 - v), v)))]
                    wanted.append(int(f32(f32(f32(f32(terms[0] + terms[1]) + terms[2]) + terms[3]) + 0.5)))
                else:
                    total = sum(value * p * q for value, (q, p) in zip(corner, itertools.product((1024 - h, h), (1024 - v, v))))
                    wanted.append(divide(total, 20))
            sizes = model.list(*size)
            model.want(23, [x, sizes], "y" + name, [1, *size, 2], wanted, element, kind=15, options=options, scale=0.05)
        self.check(model)

    @staticmethod
    def in_integers(size, wanted, aligned, halves):
        less = 1 if aligned and wanted > 1 else 0
        scale = (1024 * (size - less) + (wanted - less) // 2) // (wanted - less)
        for index in range(wanted):
            place = index * scale + (scale // 2 - 512 if halves else 0)
            below = max(int(place / 1024), 0)
            yield below, min(int((place + 1023) / 1024), size - 1), place - 1024 * below

    @staticmethod
    def in_reals(size, wanted, aligned, halves):
        less = 1 if aligned and wanted > 1 else 0
        scale = f32((size - less) / (wanted - less))
        for index in range(wanted):
            place = f32(f32(f32(index + 0.5) * scale) - 0.5) if halves else f32(index * scale)
            below = max(math.floor(place), 0)
            yield below, min(math.ceil(place), size - 1), f32(place - below)


if __name__ == "__main__":
    unittest.main()
