#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient operators of TensorFlow, against central differences and Nacre's own gradients of the operators that they belong to.

One graph holds 200 random shapes of an operator. For each, it computes the slope along a random direction twice: by the gradient
operator, and as (f(x + h u) - f(x - h u)) / 2h. nacre-eval computes both in double precision. A compiled library of a few shapes must
then agree with nacre-eval.

The gradients themselves must be those that the train phase computes for the sum of all forward(x) * dy, in double precision, too.
"""
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from tensorflow_gradient_cases import Cases, OPERATORS

SHAPES, COMPILED_SHAPES = 200, 4


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    begin, kind = 10 + struct.unpack_from("<H", data, 8)[0], "d" if b"<f8" in data[:80] else "f"
    return struct.unpack(f"<{(len(data) - begin) // struct.calcsize(kind)}{kind}", data[begin:])


class GradientTest(nacre.NacreTest):
    def draw(self, name, count, is_split=False):
        cases = Cases(name, is_split)
        for _ in range(count):
            cases.add(OPERATORS[name])
        return cases

    def write(self, name, count):
        self.draw(name, count).save(self.path("model.pb"), self.path("values.npy"))

    def evaluate(self):
        self.call(os.path.join(nacre.BIN, "nacre-eval"), self.path("model.pb"), f"--input=values={self.path('values.npy')}",
                  "--output=" + self.folder)
        return read_npy(self.path("y.npy"))


class Slopes(GradientTest):
    """All shapes, in double precision."""

    parts = 3

    def check(self, name):
        self.write(name, SHAPES)
        y = self.evaluate()
        self.assertGreaterEqual(len(y), 2 * SHAPES)
        for number, (given, expected) in enumerate(zip(y[::2], y[1::2])):
            self.assertLessEqual(abs(given - expected), 1e-4 * max(abs(expected), 1), f"slope {number} of {name}")


class OwnGradients(GradientTest):
    """All shapes: what the file's operators compute, and what the train phase makes of the forward operators."""

    parts = 3

    def compute(self, output, what):
        self.call(os.path.join(nacre.BIN, "e2e-own-gradient"), self.path("model.pb"), output, what, self.path("values"), self.path("result"))
        with open(self.path("result"), "rb") as file:
            return [value for value, in struct.iter_unpack("<d", file.read())]

    def check(self, name):
        cases = self.draw(name, SHAPES, is_split=True)
        cases.save_gradients(self.path("model.pb"), self.path("values"))
        self.assertEqual(len(cases.sums), SHAPES)
        given, own = self.compute("gradients", "value"), self.compute("sums", "gradients")
        begin = 0
        for gradient, place in cases.gradients:
            expected = own[place]
            end = begin + len(expected)
            bound = 1e-6 * max(max(map(abs, expected)), 1e-3)
            self.assertLessEqual(max(abs(a - b) for a, b in zip(given[begin:end], expected)), bound, gradient)
            begin = end
        self.assertEqual(begin, len(given))


class CompiledSlopes(GradientTest):
    """A few shapes, compiled."""

    parts = 10

    def check(self, name):
        self.write(name, COMPILED_SHAPES)
        expected = self.evaluate()[::2]
        library = self.path("libmodel.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("model.pb"), "-o", library, "--quiet")
        self.run_model(library, f"--input=values={self.path('values.npy')}", "--output=" + self.folder)
        for given, slope in zip(read_npy(self.path("y.npy"))[::2], expected):
            self.assertLessEqual(abs(given - slope), 1e-4 * max(abs(slope), 1), name)


for tested in OPERATORS:
    for test in (Slopes, OwnGradients, CompiledSlopes):
        setattr(test, "test_" + tested, lambda self, name=tested: self.check(name))
del test  # or its tests would run twice, by this name too

if __name__ == "__main__":
    unittest.main()
