#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of TensorFlow Lite compute what their operators are defined to compute; integers to the bit.

How:  a model of each family, made by tflite_writer.py; every result is an output, and its answer is computed here, element by
      element. Answers of integers follow the rounding that the reference kernels define, in Python's integers.
"""
import itertools
import math
import os
import random
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from tflite_writer import BOOL, FLOAT32, INT8, INT16, INT32, INT64, LETTERS, UINT8, Net

DESCRIPTORS = {FLOAT32: "<f4", INT32: "<i4", INT64: "<i8", BOOL: "|b1", INT16: "<i2", INT8: "|i1", UINT8: "|u1"}
RANGES = {INT8: (-128, 127), UINT8: (0, 255), INT16: (-32768, 32767)}
BYTES = (INT8, UINT8)


def middle(element):
    return 128 if element == UINT8 else 0


def indices(shape):
    return itertools.product(*(range(size) for size in shape))


def at(shape, values, index):
    """The element of a tensor; 0 outside of it."""
    if any(not 0 <= i < size for i, size in zip(index, shape)):
        return None
    place = 0
    for i, size in zip(index, shape):
        place = place * size + i
    return values[place]


def multiplier(real):
    fraction, shift = math.frexp(real)
    number = math.floor(fraction * 2**31 + 0.5)
    return (number // 2, shift + 1) if number == 2**31 else (number, shift)


def rescale(x, real):
    """Both roundings: of the product, halves up; of the shift, halves away from zero."""
    number, shift = multiplier(real)
    x <<= max(shift, 0)
    product = x * number
    high = (product + (1 << 30) if product >= 0 else product + 1 - (1 << 30))
    high = high // 2**31 if high >= 0 else -(-high // 2**31)
    right = max(-shift, 0)
    if not right:
        return high
    sign = 1 if high >= 0 else -1
    return sign * ((abs(high) + (1 << (right - 1))) >> right)


def saturate(x, low=-128, high=127):
    return max(low, min(high, x))


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Model(Net):
    """A net and the answers to it."""

    def __init__(self, seed):
        super().__init__()
        self.random, self.fed, self.wanted = random.Random(seed), {}, {}

    def feed(self, name, shape, element=FLOAT32, values=None, **facts):
        """An input and its values, drawn if none are given."""
        count = math.prod(shape)
        if values is None:
            values = [self.random.randint(*RANGES[element]) if element in RANGES else f32(self.random.uniform(-2, 2)) for _ in range(count)]
        self.fed[name] = (element, shape, values)
        return self.input(name, shape, element, **facts), values

    def want(self, code, operands, name, shape, values, element=FLOAT32, kind=0, options=None, **facts):
        """An operator whose result is an output."""
        result = self.output(name, shape, element, **facts)
        self.op(code, operands, [result], kind, options)
        self.wanted[name] = (element, shape, list(values))
        return result

    def list(self, *numbers, shape=None):
        return self.tensor(f"list{len(self.tensors)}", [len(numbers)] if shape is None else shape, INT32, numbers)


class TfliteTest(nacre.NacreTest):
    def save(self, name, element, shape, values):
        path = self.path(name + ".npy")
        head = f"{{'descr': '{DESCRIPTORS[element]}', 'fortran_order': False, 'shape': ({''.join(f'{d}, ' for d in shape)}), }}"
        head += " " * (-(len(head) + 11) % 64) + "\n"
        with open(path, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}{LETTERS[element]}", *values))
        return path

    def check(self, model, steps=0, options=(), on_arm64=False):
        """Codes may be `steps` off."""
        path, library = self.path("model.tflite"), self.path("libmodel.so")
        model.save(path)
        self.call(f"{nacre.BIN}/nacre-compile", path, "-o", library, *(["--target=linux-arm64"] if on_arm64 else []))
        run = self.run_arm64 if on_arm64 else self.run_model
        options = [*options, *(f"--input={name}={self.save('in_' + name, *fed)}" for name, fed in model.fed.items())]
        floats = [f"--expect={name}={self.save(name, *wanted)}" for name, wanted in model.wanted.items() if wanted[0] == FLOAT32]
        exact = [f"--expect={name}={self.save(name, *wanted)}" for name, wanted in model.wanted.items() if wanted[0] != FLOAT32]
        if floats:
            run(library, *options, *floats, "--rtol=1e-5", "--atol=1e-6")
        if exact:
            run(library, *options, *exact, "--rtol=0", f"--atol={steps / 127}")

    def test_elementwise(self):
        model = Model(1)
        x, a = model.feed("x", [2, 3])
        y, b = model.feed("y", [3])
        b2 = b * 2
        model.want(0, [x, y], "relu6", [2, 3], [min(max(p + q, 0), 6) for p, q in zip(a, b2)], kind=11, options={0: ("b", 3)})
        model.want(41, [x, y], "tanh", [2, 3], [math.tanh(p - q) for p, q in zip(a, b2)], kind=28, options={0: ("b", 4)})
        model.want(42, [x, y], "div", [2, 3], [p / q for p, q in zip(a, b2)], kind=29, options={})
        model.want(99, [x, y], "squared", [2, 3], [(p - q)**2 for p, q in zip(a, b2)])
        model.want(61, [x, y], "greater", [2, 3], [p > q for p, q in zip(a, b2)], BOOL)
        model.want(72, [x, y], "other", [2, 3], [p != q for p, q in zip(a, b2)], BOOL)
        model.want(98, [x], "leaky", [2, 3], [p if p > 0 else f32(0.2) * p for p in a], kind=75, options={0: ("f", 0.2)})
        model.want(117, [x], "hard_swish", [2, 3], [p * min(max(p / 6 + 0.5, 0), 1) for p in a])
        i, n = model.feed("i", [6], INT32, [7, -7, 7, -7, 6, -6])
        j, d = model.feed("j", [6], INT32, [2, 2, -2, -2, 3, 3])
        model.want(90, [i, j], "floor_div", [6], [p // q for p, q in zip(n, d)], INT32)
        model.want(95, [i, j], "floor_mod", [6], [p % q for p, q in zip(n, d)], INT32)
        model.want(156, [x, y], "angle", [2, 3], [math.atan2(p, q) for p, q in zip(a, b2)])
        model.want(159, [x], "bits", [2, 3], [struct.unpack("<i", struct.pack("<f", p))[0] for p in a], INT32)
        p, c = model.feed("p", [5], INT8, [-128, -5, 0, 60, 127], scale=0.5, zero=3)
        q, d = model.feed("q", [5], INT8, [-127, -3, 1, 30, 127], scale=0.25, zero=-2)
        # Eight bits more, then each by its own scale.
        fine = [[rescale((code - zero) << 8, scale) for code in codes] for codes, scale, zero in ((c, 0.5, 3), (d, 0.25, -2))]
        model.want(61, [p, q], "real_greater", [5], [r > t for r, t in zip(*fine)], BOOL)
        model.want(72, [p, q], "real_other", [5], [r != t for r, t in zip(*fine)], BOOL)
        rows = model.tensor("rows", [2], BOOL, [True, False])
        counted = model.tensor("counted", [2, 3], values=[1, 2, 3, 4, 5, 6])
        model.want(64, [rows, x, counted], "select", [2, 3], a[:3] + [4, 5, 6], kind=47, options={})
        self.check(model)

    def test_movement(self):
        model = Model(2)
        shape = [2, 3, 4]
        x, a = model.feed("x", shape)
        get = lambda *index: at(shape, a, index)  # noqa: E731
        model.want(45, [x, model.list(0, 0, 1), model.list(0, 0, 0), model.list(1, 1, 1)], "strided", [2, 3],
                   [get(b, r, 1) for b, r in indices([2, 3])], kind=32, options={2: ("i", 2), 0: ("i", 1), 1: ("i", 1), 4: ("i", 4)})
        model.want(45, [x, model.list(5, 2), model.list(-9, 0), model.list(-1, -2)], "backwards", [2, 1, 4],
                   [get(b, 2, c) for b, c in ((1, 0), (1, 1), (1, 2), (1, 3), (0, 0), (0, 1), (0, 2), (0, 3))], kind=32, options={})
        model.want(100, [x, model.list(0, 0, 1, 2, 0, 0, shape=[3, 2])], "reflect", [2, 6, 4],
                   [get(b, r, c) for b, r, c in itertools.product(range(2), (1, 0, 1, 2, 1, 0), range(4))], kind=77, options={})
        model.want(60, [x, model.list(0, 0, 1, 0, 0, 0, shape=[3, 2]), model.tensor("seven", [], values=[7])], "padded", [2, 4, 4],
                   [7 if r == 0 else get(b, r - 1, c) for b, r, c in indices([2, 4, 4])])
        model.want(36, [x, model.list(2, 0, 1, 1, shape=[2, 2])], "gathered", [2, 2, 4],
                   [get(b, [[2, 0], [1, 1]][b][k], c) for b, k, c in indices([2, 2, 4])], kind=23, options={0: ("i", 1), 1: ("i", 1)})
        model.want(107, [x, model.list(1, 2, 0, 0, shape=[2, 2])], "gathered_nd", [2, 4], a[20:24] + a[0:4])
        model.want(69, [x, model.list(1, 2, 1)], "tiled", [2, 6, 4], [get(b, r % 3, c) for b, r, c in indices([2, 6, 4])])
        model.want(105, [x, model.list(2, 0)], "reversed", shape, [get(1 - b, r, 3 - c) for b, r, c in indices(shape)])
        model.want(128, [x, model.list(1, shape=[])], "sums", shape, [sum(get(b, k, c) for k in range(r + 1, 3)) for b, r, c in indices(shape)],
                   kind=102, options={0: ("?", True), 1: ("?", True)})
        model.want(56, [x, model.list(1, shape=[])], "largest", [2, 4], [max(range(3), key=lambda r: get(b, r, c)) for b, c in indices([2, 4])], INT32)
        model.want(83, [x, x], "packed", [2, 2, 3, 4], [get(b, r, c) for b, _, r, c in indices([2, 2, 3, 4])], kind=59, options={0: ("i", 2), 1: ("i", 1)})
        model.want(122, [model.list(1, 3, 1, shape=[3, 1]), model.tensor("updates", [3], values=[1, 2, 4]), model.list(5)], "scattered", [5], [0, 5, 0, 2, 0])
        model.want(85, [model.list(1, -1, 2), model.list(3, shape=[]), model.tensor("on", [], values=[5]), model.tensor("off", [], values=[-1])], "hot", [3, 3],
                   [5 if (n, k) in ((0, 1), (2, 2)) else -1 for n, k in indices([3, 3])], kind=61, options={0: ("i", -1)})
        parts = [model.output(f"part{k}", [2, size, 4]) for k, size in enumerate((1, 2))]
        model.op(102, [x, model.list(-1, 2), model.list(1, shape=[])], parts, 79, {0: ("i", 2)})
        model.wanted["part0"] = (FLOAT32, [2, 1, 4], [get(b, 0, c) for b, c in indices([2, 4])])
        model.wanted["part1"] = (FLOAT32, [2, 2, 4], [get(b, r + 1, c) for b, r, c in indices([2, 2, 4])])
        best = [model.output("best", [2, 3, 2]), model.output("places", [2, 3, 2], INT32)]
        model.op(48, [x, model.list(2, shape=[])], best)
        order = [sorted(range(4), key=lambda c: -get(b, r, c))[:2] for b, r in indices([2, 3])]
        model.wanted["places"] = (INT32, [2, 3, 2], sum(order, []))
        model.wanted["best"] = (FLOAT32, [2, 3, 2], [get(b, r, c) for (b, r), cs in zip(indices([2, 3]), order) for c in cs])
        self.check(model)

    def test_blocks(self):
        model = Model(3)
        x, a = model.feed("x", [1, 3, 4, 2])
        blocks, ends = model.list(2, 2), model.list(1, 0, 0, 0, shape=[2, 2])
        spread = [at([1, 3, 4, 2], a, (0, 2 * r + b // 2 - 1, 2 * c + b % 2, k)) or 0 for b, r, c, k in indices([4, 2, 2, 2])]
        batches = model.want(38, [x, blocks, ends], "batches", [4, 2, 2, 2], spread)
        model.want(37, [batches, blocks, ends], "joined", [1, 3, 4, 2], a)
        y, b = model.feed("y", [1, 2, 4, 2])
        deep = model.want(26, [y], "deep", [1, 1, 2, 8], [at([1, 2, 4, 2], b, (0, i, 2 * c + j, k)) for c, i, j, k in indices([2, 2, 2, 2])],
                          kind=19, options={0: ("i", 2)})
        model.want(5, [deep], "wide", [1, 2, 4, 2], b, kind=94, options={0: ("i", 2)})
        self.check(model)

    @staticmethod
    def convolve(shape, values, kernel, filters, pads, strides, out, term):
        """Sums over windows; `term` gets an element, or None outside, and the place in the filter."""
        for _, r, c, o in indices(out):
            yield sum(term(at(shape, values, (0, r * strides[0] + i - pads[0], c * strides[1] + j - pads[1], k)), (o, i, j, k), filters)
                      for i, j, k in indices(kernel))

    def test_convolutions(self):
        model = Model(4)
        shape = [1, 5, 4, 2]
        x, a = model.feed("x", shape)
        weights = [f32(model.random.uniform(-1, 1)) for _ in range(3 * 2 * 3 * 2)]
        w = model.tensor("w", [3, 2, 3, 2], values=weights)
        bias = model.tensor("bias", [3], values=[0.5, -1, 0.25])
        # Rows: ceil(5 / 2) = 3 and one pad, which is high; columns: 4 and two pads.
        sums = self.convolve(shape, a, [2, 3, 2], weights, (0, 1), (2, 1), [1, 3, 4, 3],
                             lambda e, place, f: (e or 0) * at([3, 2, 3, 2], f, place))
        model.want(3, [x, w, bias], "same", [1, 3, 4, 3], [max(s + b, 0) for s, b in zip(sums, itertools.cycle([0.5, -1, 0.25]))],
                   kind=1, options={1: ("i", 1), 2: ("i", 2), 3: ("b", 1)})
        # Two results for each channel, the second after the first.
        deep = [f32(model.random.uniform(-1, 1)) for _ in range(2 * 2 * 4)]
        sums = self.convolve(shape, a, [2, 2, 2], deep, (0, 0), (1, 1), [1, 4, 3, 4],
                             lambda e, place, f: e * at([2, 2, 4], f, (place[1], place[2], place[0])) if place[0] // 2 == place[3] else 0)
        model.want(4, [x, model.tensor("deep", [1, 2, 2, 4], values=deep)], "by_channel", [1, 4, 3, 4], list(sums),
                   kind=2, options={0: ("b", 1), 1: ("i", 1), 2: ("i", 1), 3: ("i", 1)})
        # Transposed: [1, 5, 4, 2] to twice the rows; each element spreads over a window.
        answer = [0.0] * (10 * 4 * 3)
        for r, c, k, o, i, j in indices([5, 4, 2, 3, 2, 3]):
            row, column = 2 * r + i, c + j - 1
            if 0 <= column < 4:
                answer[(row * 4 + column) * 3 + o] += at(shape, a, (0, r, c, k)) * at([3, 2, 3, 2], weights, (o, i, j, k))
        model.want(67, [model.list(1, 10, 4, 3), w, x], "transposed", [1, 10, 4, 3], answer, kind=49, options={1: ("i", 1), 2: ("i", 2)})
        self.check(model)

    def test_integers(self):
        model = Model(5)
        shape, zero, scale = [1, 4, 4, 2], 3, 0.05
        x, a = model.feed("x", shape, INT8, scale=scale, zero=zero)
        scale = f32(scale)
        weights = [model.random.randint(-127, 127) for _ in range(3 * 3 * 3 * 2)]
        scales, bias, out = [0.01, 0.002, 0.03], [100, -2000, 30], f32(0.7)
        w = model.tensor("w", [3, 3, 3, 2], INT8, weights, scale=scales)
        b = model.tensor("b", [3], INT32, bias, scale=[scale * s for s in scales])
        sums = list(self.convolve(shape, a, [3, 3, 2], weights, (1, 1), (1, 1), shape[:3] + [3],
                                  lambda e, place, f: (e - zero if e is not None else 0) * at([3, 3, 3, 2], f, place)))
        model.want(3, [x, w, b], "conv", [1, 4, 4, 3],
                   [saturate(rescale(s + bias[n % 3], scale * f32(scales[n % 3]) / out) - 5) for n, s in enumerate(sums)], INT8,
                   kind=1, options={1: ("i", 1), 2: ("i", 1)}, scale=out, zero=-5)
        spread = [0] * (8 * 8 * 3)
        for r, c, k, o, i, j in indices([4, 4, 2, 3, 3, 3]):
            row, column = 2 * r + i, 2 * c + j
            if row < 8 and column < 8:
                spread[(row * 8 + column) * 3 + o] += (at(shape, a, (0, r, c, k)) - zero) * at([3, 3, 3, 2], weights, (o, i, j, k))
        model.want(67, [model.list(1, 8, 8, 3), w, x, b], "transposed", [1, 8, 8, 3],
                   [saturate(rescale(s + bias[n % 3], scale * f32(scales[n % 3]) / out) - 5) for n, s in enumerate(spread)], INT8,
                   kind=49, options={1: ("i", 2), 2: ("i", 2)}, scale=out, zero=-5)
        dense = [model.random.randint(-127, 127) for _ in range(2 * 32)]
        d = model.tensor("d", [2, 32], INT8, dense, scale=0.004, zero=2)
        real = f32(f32(scale * f32(0.004))) / f32(0.2)
        model.want(9, [x, d, -1], "dense", [1, 2],
                   [saturate(rescale(sum((e - zero) * (f - 2) for e, f in zip(a, dense[32 * o:])), real) + 7, 7) for o in range(2)], INT8,
                   kind=8, options={0: ("b", 1)}, scale=0.2, zero=7)
        y, c = model.feed("y", shape, INT8, scale=0.03, zero=-2)
        other, twice = f32(0.03), 2 * max(scale, f32(0.03))
        def joined(sign):
            for p, q in zip(a, c):
                total = rescale((p - zero) << 20, scale / twice) + sign * rescale((q + 2) << 20, other / twice)
                yield saturate(rescale(total, twice / (2**20 * f32(0.09))) + 1)
        model.want(0, [x, y], "sum", shape, joined(1), INT8, kind=11, options={}, scale=0.09, zero=1)
        model.want(41, [x, y], "difference", shape, joined(-1), INT8, kind=28, options={}, scale=0.09, zero=1)
        model.want(18, [x, y], "product", shape, [saturate(rescale((p - zero) * (q + 2), scale * other / f32(0.1))) for p, q in zip(a, c)], INT8,
                   kind=21, options={}, scale=0.1)
        pooled = []
        for r, column, k in indices([2, 2, 2]):
            cells = [at(shape, a, (0, 3 * r + i, 3 * column + j, k)) for i, j in indices([2, 2])]
            cells = [cell for cell in cells if cell is not None]
            total, count = sum(cells), len(cells)
            pooled.append((total + count // 2) // count if total > 0 else -((-total + count // 2) // count))
        model.want(1, [x], "pooled", [1, 2, 2, 2], pooled, INT8, kind=5,
                   options={1: ("i", 3), 2: ("i", 3), 3: ("i", 2), 4: ("i", 2)}, scale=scale, zero=zero)
        model.want(114, [x], "other_scale", shape, [saturate(rescale(p - zero, scale / f32(0.02)) + 10) for p in a], INT8, scale=0.02, zero=10)
        model.want(6, [x], "real", shape, [f32(scale * (p - zero)) for p in a])
        f, reals = model.feed("f", [6], FLOAT32, [0.25, -0.25, 0.75, -0.75, 1e9, 0.1])
        model.want(114, [f], "rounded", [6], [saturate(int(math.copysign(math.floor(abs(v / 0.5) + 0.5), v)) + 1) for v in reals], INT8, scale=0.5, zero=1)
        self.check(model)

    def test_functions_of_bytes(self):
        """Tables of all 256: the reference's own rounding is at most a step from the real number."""
        model = Model(6)
        x, codes = model.feed("x", [256], INT8, list(range(-128, 128)), scale=0.06, zero=4)
        reals = [f32(0.06) * (code - 4) for code in codes]
        def want(code, name, function, scale, zero, **options):
            model.want(code, [x], name, [256], [saturate(round(function(real) / scale) + zero) for real in reals], INT8, scale=scale, zero=zero, **options)
        want(14, "logistic", lambda real: 1 / (1 + math.exp(-real)), 1 / 256, -128)
        want(28, "tanh", math.tanh, 1 / 128, 0)
        want(117, "hard_swish", lambda real: real * min(max(real / 6 + 0.5, 0), 1), 0.05, -3)
        want(111, "elu", lambda real: math.expm1(real) if real < 0 else real, 0.05, -3)
        want(21, "relu6", lambda real: min(max(real, 0), 6), 0.05, -3)
        total = sum(math.exp(real) for real in reals)
        model.want(25, [x], "softmax", [256], [saturate(round(math.exp(real) / total * 256) - 128) for real in reals], INT8, kind=9,
                   options={0: ("f", 1)}, scale=1 / 256, zero=-128)
        self.check(model, steps=1)

    def test_prelu_of_bytes(self):
        model = Model(7)
        x, codes = model.feed("x", [2, 3], INT8, [-128, -5, 3, 4, 90, 127], scale=0.06, zero=4)
        slopes = model.tensor("slopes", [3], INT8, [-7, 1, 100], scale=0.01, zero=1)
        scale, slope, out = f32(0.06), f32(0.01), f32(0.05)
        model.want(54, [x, slopes], "y", [2, 3],
                   [saturate((rescale(c - 4, scale / out) if c >= 4 else rescale((c - 4) * (a - 1), scale * slope / out)) + 2)
                    for c, a in zip(codes, [-7, 1, 100] * 2)], INT8, scale=0.05, zero=2)
        self.check(model)

    def test_branches_and_loops(self):
        model = Model(31)
        x, a = model.feed("x", [4])
        places = {}
        for code in (101, 59):  # the size, and the negated
            places[code], branch = model.body()
            branch.op(code, [branch.input("v", [4])], [branch.output("r", [4])])
        for name, taken in (("yes", True), ("no", False)):
            condition, _ = model.feed(name, [], BOOL, [taken])
            model.want(118, [condition, x], f"{name}_chosen", [4], [abs(p) if taken else -p for p in a], kind=92,
                       options={0: ("i", places[101]), 1: ("i", places[59])})
        # As long as the count is below 3, twice as much.
        asked, condition = model.body()
        count, value = condition.input("i", [], INT32), condition.input("v", [4])
        condition.op(58, [count, condition.tensor("most", [], INT32, [3])], [condition.output("less", [], BOOL)])
        iterated, iteration = model.body()
        count, value = iteration.input("i", [], INT32), iteration.input("v", [4])
        iteration.op(0, [count, iteration.tensor("one", [], INT32, [1])], [iteration.output("next", [], INT32)], 11, {})
        iteration.op(0, [value, value], [iteration.output("twice", [4])], 11, {})
        i, _ = model.feed("i", [], INT32, [1])
        model.op(119, [i, x], [model.output("count", [], INT32), model.output("grown", [4])], 93, {0: ("i", asked), 1: ("i", iterated)})
        model.wanted.update({"count": (INT32, [], [3]), "grown": (FLOAT32, [4], [4 * p for p in a])})
        self.check(model)

    def test_open_sizes_and_signatures(self):
        model = Net()
        x = model.input("serving_x:0", [1, 4], signature=[-1, 4])
        y = model.output("StatefulCall:0", [1, 4], signature=[-1, 4])
        model.op(101, [x], [y])
        model.signature("serving_default", {"x": x}, {"x": y})
        path = self.path("model.tflite")
        model.save(path)
        program = f"{nacre.BIN}/nacre-compile"
        self.call(program, path, "-o", self.path("liba.so"))
        said = self.run_model(self.path("liba.so"), "--info")
        self.assertIn("  x f32[1,4]\noutputs\n  x#1 f32[1,4]", said)
        self.call(program, path, "-o", self.path("liba.so"), "--shape", "x=3x4")
        self.assertIn("  x f32[3,4]", self.run_model(self.path("liba.so"), "--info"))


if __name__ == "__main__":
    unittest.main()
