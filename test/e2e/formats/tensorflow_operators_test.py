#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of TensorFlow for which nobody recorded answers, against what their definitions say, computed here."""
import cmath
import math
import os
import random
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import tensorflow_writer as tf
from onnx_writer import write_npy

FLOAT, INT32, COMPLEX64 = tf.Type(tf.FLOAT), tf.Type(tf.INT32), tf.Type(8)
DOUBLE, COMPLEX128 = tf.Type(2), tf.Type(18)
QINT8, QUINT8, QINT32, QINT16, QUINT16 = (tf.Type(number) for number in (11, 12, 13, 15, 16))
# Of each quantized type, how struct packs it.
CODES = {QINT8: "b", QUINT8: "B", QINT32: "i", QINT16: "h", QUINT16: "H"}


def spectrum(samples, points):
    """The first half of the transform of `points` samples: those that there are, or zeros."""
    samples = (samples + [0.0] * points)[:points]
    return [sum(x * cmath.exp(-2j * math.pi * k * t / points) for t, x in enumerate(samples)) for k in range(points // 2 + 1)]


def signal(bins, points):
    """The real signal whose spectrum begins with `bins`."""
    half = points // 2 + 1
    bins = (bins + [0j] * half)[:half]
    full = bins + [bins[points - k].conjugate() for k in range(half, points)]
    # What a real signal cannot have is dropped.
    full[0] = full[0].real
    if points % 2 == 0:
        full[points // 2] = full[points // 2].real
    return [sum(x * cmath.exp(2j * math.pi * k * t / points) for k, x in enumerate(full)).real / points for t in range(points)]


def round_away(x):
    return math.copysign(math.floor(abs(x) + 0.5), x)


def dequantize(integer, kind, mode, low, high, is_narrow=False):
    width = 8 * struct.calcsize(CODES[kind])
    least, most = (0, 2**width - 1) if CODES[kind].isupper() else (-2**(width - 1), 2**(width - 1) - 1)
    if mode == "SCALED":
        return integer * (high / most if least == 0 else max(low / (least + is_narrow), high / most))
    step = (high - low) / (most - least)
    if mode == "MIN_COMBINED":
        return (integer - least) * step + low
    return integer * step + (round_away(low / step) * step - least * step)


class TensorFlowOperatorsTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        self.draw = random.Random(3)

    def numbers(self, count):
        return list(struct.unpack(f"{count}f", struct.pack(f"{count}f", *(self.draw.uniform(-2, 2) for _ in range(count)))))

    def check(self, nodes, inputs, outputs, tolerance="2e-5"):
        """`inputs` and `outputs`: {name: (shape, values)}."""
        placeholders = [tf.node(name, "Placeholder", dtype=FLOAT, shape=tf.Shape(shape)) for name, (shape, _) in inputs.items()]
        with open(self.path("graph.pb"), "wb") as file:
            file.write(tf.graph([*placeholders, *nodes]))
        library = self.path("libgraph.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("graph.pb"), "-o", library, *(f"--output={name}" for name in outputs))
        for name, (shape, values) in {**inputs, **outputs}.items():
            write_npy(self.path(name + ".npy"), shape, values)
        said = self.run_model(library, f"--rtol={tolerance}", f"--atol={tolerance}",
                              *(f"--input={name}={self.path(name + '.npy')}" for name in inputs),
                              *(f"--expect={name}={self.path(name + '.npy')}" for name in outputs))
        self.assertEqual(said.count("agrees"), len(outputs), said)

    def test_cross(self):
        a, b = self.numbers(12), self.numbers(12)
        expected = []
        for i in range(0, 12, 3):
            (x, y, z), (u, v, w) = a[i:i + 3], b[i:i + 3]
            expected += [y * w - z * v, z * u - x * w, x * v - y * u]
        self.check([tf.node("y", "Cross", ["a", "b"], T=FLOAT)], {"a": ([2, 2, 3], a), "b": ([2, 2, 3], b)}, {"y": ([2, 2, 3], expected)})

    def test_dequantize(self):
        nodes, outputs = [], {}
        ranges = {"MIN_COMBINED": (-1.5, 2.25), "MIN_FIRST": (-0.7, 3.1), "SCALED": (-0.9, 2.0)}
        for kind, code in CODES.items():
            width = 8 * struct.calcsize(code)
            least = 0 if code.isupper() else -2**(width - 1)
            integers = [least, least + 1, 0, 1, 77, least + 2**width - 1]
            for mode, (low, high) in ranges.items():
                name = f"{mode}_{kind}"
                nodes += [tf.node("x" + name, "Const", dtype=kind, value=tf.Tensor(kind, [6], struct.pack(f"<6{code}", *integers))),
                          *(tf.node(end + name, "Const", dtype=FLOAT, value=tf.floats([], [bound])) for end, bound in (("low", low), ("high", high))),
                          tf.node("y" + name, "Dequantize", ["x" + name, "low" + name, "high" + name], T=kind, mode=mode)]
                outputs["y" + name] = [6], [dequantize(integer, kind, mode, low, high) for integer in integers]
        self.check(nodes, {}, outputs)

    def test_dequantize_along_an_axis(self):
        integers, lows, highs = [-128, -127, 5, 127, -3, 60], [-1.0, -2.0, -0.5], [1.5, 1.0, 3.0]
        nodes, outputs = [tf.node("x", "Const", dtype=QINT8, value=tf.Tensor(QINT8, [2, 3], struct.pack("<6b", *integers)))], {}
        # Ranges that come when the model runs.
        for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
            for is_narrow in (False, True):
                name = f"{mode}_{is_narrow}"
                nodes.append(tf.node(name, "Dequantize", ["x", "low", "high"], T=QINT8, mode=mode, axis=1, narrow_range=is_narrow))
                outputs[name] = [2, 3], [dequantize(integer, QINT8, mode, lows[i % 3], highs[i % 3], is_narrow) for i, integer in enumerate(integers)]
        self.check(nodes, {"low": ([3], lows), "high": ([3], highs)}, outputs)

    @staticmethod
    def length(name, points):
        return tf.node(name, "Const", dtype=INT32, value=tf.integers([1], [points]))

    def test_spectra(self):
        x = self.numbers(24)
        for points in (12, 9, 16, 1):  # as it is, cut, filled up, and of one point
            with self.subTest(points):
                bins = points // 2 + 1
                spectra = [spectrum(x[row:row + 12], points) for row in (0, 12)]
                part = lambda f: ([2, 1, bins], [f(value) for row in spectra for value in row])  # noqa: E731
                self.check([self.length("n", points), tf.node("s", "RFFT", ["x", "n"], Treal=FLOAT, Tcomplex=COMPLEX64),
                            tf.node("kept", "Identity", ["s"], T=COMPLEX64), tf.node("conj", "Conj", ["kept"], T=COMPLEX64),
                            tf.node("re", "Real", ["s"], T=COMPLEX64, Tout=FLOAT), tf.node("im", "Imag", ["conj"], T=COMPLEX64, Tout=FLOAT),
                            tf.node("size", "ComplexAbs", ["kept"], T=COMPLEX64, Tout=FLOAT)],
                           {"x": ([2, 1, 12], x)},
                           {"re": part(lambda v: v.real), "im": part(lambda v: -v.imag), "size": part(abs)}, "1e-4")

    def test_signals(self):
        # Magnitudes and angles of ten bins, back to samples.
        sizes, angles = [abs(size) + 0.1 for size in self.numbers(10)], self.numbers(10)
        real = [size * math.cos(angle) for size, angle in zip(sizes, angles)]
        imaginary = [size * math.sin(angle) for size, angle in zip(sizes, angles)]
        for points in (8, 9, 12, 2):  # all bins of a row, one point more, filled up, cut
            with self.subTest(points):
                rows = [[complex(*pair) for pair in zip(real[row:row + 5], imaginary[row:row + 5])] for row in (0, 5)]
                self.check([self.length("n", points), tf.node("c", "Complex", ["re", "im"], T=FLOAT, Tout=COMPLEX64),
                            tf.node("angle", "Angle", ["c"], T=COMPLEX64, Tout=FLOAT),
                            tf.node("y", "IRFFT", ["c", "n"], Treal=FLOAT, Tcomplex=COMPLEX64)],
                           {"re": ([2, 5], real), "im": ([2, 5], imaginary)},
                           {"y": ([2, points], [y for row in rows for y in signal(row, points)]), "angle": ([2, 5], angles)}, "1e-4")

    def test_casts_of_complex_numbers(self):
        re, im = self.numbers(6), self.numbers(6)
        cast = lambda name, operand, source, target: tf.node(name, "Cast", [operand], SrcT=source, DstT=target)  # noqa: E731
        part = lambda name, op, operand, source=COMPLEX64, target=FLOAT: tf.node(name, op, [operand], T=source, Tout=target)  # noqa: E731
        nodes = [
            # From real numbers, also integers, of which the spectrum of a signal may consist.
            cast("z", "re", FLOAT, COMPLEX64), part("z_re", "Real", "z"), part("z_im", "Imag", "z"), part("z_size", "ComplexAbs", "z"),
            cast("whole", "re", FLOAT, INT32), cast("w", "whole", INT32, COMPLEX64), part("w_re", "Real", "w"), part("w_im", "Imag", "w"),
            self.length("n", 10), tf.node("signal", "IRFFT", ["z", "n"], Treal=FLOAT, Tcomplex=COMPLEX64),
            # Between complex types, and back to real ones.
            tf.node("c", "Complex", ["re", "im"], T=FLOAT, Tout=COMPLEX64), cast("wide", "c", COMPLEX64, COMPLEX128),
            tf.node("kept", "Identity", ["wide"], T=COMPLEX128), part("wide_im", "Imag", "kept", COMPLEX128, DOUBLE), cast("c_im", "wide_im", DOUBLE, FLOAT),
            cast("c_re", "c", COMPLEX64, FLOAT), cast("c_whole", "kept", COMPLEX128, INT32), cast("c_round", "c_whole", INT32, FLOAT)]
        rounded = [float(int(x)) for x in re]
        self.check(nodes, {"re": ([1, 6], re), "im": ([1, 6], im)}, {
            "z_re": ([1, 6], re), "z_im": ([1, 6], [0.0] * 6), "z_size": ([1, 6], [abs(x) for x in re]), "w_re": ([1, 6], rounded), "w_im": ([1, 6], [0.0] * 6),
            "signal": ([1, 10], signal([complex(x) for x in re], 10)), "c_im": ([1, 6], im), "c_re": ([1, 6], re), "c_round": ([1, 6], rounded)})

    def test_sizes_whose_squares_leave_the_range(self):
        """Each alone: a tolerance counts from the largest number."""
        for real, imaginary, size in ((3e19, 4e19, 5e19), (3e-23, -4e-23, 5e-23), (0.0, 0.0, 0.0), (-math.inf, 1.0, math.inf), (0.0, -7.5, 7.5)):
            with self.subTest(size):
                self.check([tf.node("c", "Complex", ["re", "im"], T=FLOAT, Tout=COMPLEX64),
                            tf.node("y", "ComplexAbs", ["c"], T=COMPLEX64, Tout=FLOAT)],
                           {"re": ([1], [real]), "im": ([1], [imaginary])}, {"y": ([1], [size])}, "1e-6")

    def test_a_hue_that_is_turned_to_nearly_nothing(self):
        """A byte image's colours whose hue becomes zero but for rounding, from either side: red stays."""
        for byte in (51, 102, 119, 204, 238):
            with self.subTest(byte):
                delta = -byte / 255 / 6
                self.check([tf.node("d", "Const", dtype=FLOAT, value=tf.floats([], [delta])),
                            tf.node("y", "AdjustHue", ["x", "d"], T=FLOAT)],
                           {"x": ([1, 1, 3], [1.0, byte / 255, 0.0])}, {"y": ([1, 1, 3], [1.0, 0.0, 0.0])}, "1e-5")

    def test_what_is_refused(self):
        for nodes, words in (
                ([self.length("n", 4), tf.node("y", "RFFT", ["x", "n"], Treal=FLOAT)],
                 "an output must be a tensor of real numbers, but this one holds complex numbers; apply Real, Imag or ComplexAbs first"),
                ([self.length("n", 4), tf.node("s", "RFFT", ["x", "n"], Treal=FLOAT), tf.node("y", "Neg", ["s"], T=COMPLEX64)],
                 "operand 0 ('x') must be a tensor of real numbers, but holds complex numbers; apply Real, Imag or ComplexAbs first"),
                # Cast makes complex numbers, but no strings; Neg takes none of them.
                ([tf.node("s", "Cast", ["x"], SrcT=FLOAT, DstT=COMPLEX64), tf.node("y", "Neg", ["s"], T=COMPLEX64)],
                 "operand 0 ('x') must be a tensor of real numbers, but holds complex numbers; apply Real, Imag or ComplexAbs first"),
                ([tf.node("y", "Cast", ["x"], SrcT=FLOAT, DstT=tf.Type(7))], "attribute 'DstT' must be a type of numbers, but is 'string'"),
                # Not one of TensorFlow's assignments.
                ([tf.node("y", "AssignNothing", ["x"], T=FLOAT)], "unsupported operator 'AssignNothing'\n"),
                ([tf.node("y", "AssignSub", ["x", "x"], T=FLOAT)], "unsupported operator 'AssignSub', which updates a variable during training; exclude it by naming the outputs you need with --output"),
                ([tf.node("y", "Cross", ["v", "w"], T=FLOAT), *(tf.node(name, "Const", dtype=FLOAT, value=tf.floats([size], [0.5] * size))
                                                                for name, size in (("v", 3), ("w", 1)))],
                 "operand 1 ('b') must have the shape 3, the shape of 'a', but is float[1]"),
                ([self.length("n", 0), tf.node("y", "RFFT", ["x", "n"], Treal=FLOAT)], "operand 1 ('fft_length') must be 1 or more"),
                ([self.length("n", 4), tf.node("y", "IRFFT", ["x", "n"], Treal=FLOAT)], "operand 0 ('input') must"),
                ([tf.node("y", "Cross", ["x", "x"], T=FLOAT)], "operand 0 ('a') must have 3 elements along its last axis, but is float[4]"),
                ([tf.node("y", "Dequantize", ["x", "x", "x"], T=FLOAT)], "operand 0 ('input') must")):
            with open(self.path("graph.pb"), "wb") as file:
                file.write(tf.graph([tf.node("x", "Placeholder", dtype=FLOAT, shape=tf.Shape([4])), *nodes]))
            said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("graph.pb"), "-o", self.path("l.so"), "--output=y", status=1)
            self.assertIn('"y": error: ' + words, said)


if __name__ == "__main__":
    unittest.main()
