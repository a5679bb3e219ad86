#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalings, linear models and support vector machines of ai.onnx.ml, against their definition in NumPy."""
import os
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: needs numpy")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from engines import EnginesTest, Model

f32 = np.float32
ROWS, FEATURES = 9, 5


def numbers(array):
    return [float(f32(x)) for x in np.asarray(array).ravel()]


class ClassicalTest(EnginesTest):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(17)
        self.x = self.random.uniform(-2, 2, (ROWS, FEATURES)).astype(f32)

    def draw(self, *shape):
        return self.random.uniform(-1, 1, shape).astype(f32)

    def model(self):
        model = Model(classical=1)
        self.fed = model.feed(self.x)
        return model

    def refused(self, operator, answers, words, x=None, **attributes):
        model = Model(classical=1)
        model.node("ai.onnx.ml." + operator, [model.feed(self.x if x is None else x)], *answers, **attributes)
        self.save(model)
        self.assertIn("error: " + words, self.compiled(status=1)[1])


class ScalingsTest(ClassicalTest):
    def test_scaler(self):
        model, offset, scale = self.model(), self.draw(FEATURES), self.draw(FEATURES)
        exact = lambda x, offset, scale: ((x.astype(np.float64) - offset) * scale).astype(f32)  # noqa: E731
        model.node("ai.onnx.ml.Scaler", [self.fed], exact(self.x, offset, scale), offset=numbers(offset), scale=numbers(scale))
        model.node("ai.onnx.ml.Scaler", [self.fed], exact(self.x, f32(.3), f32(1.7)), offset=numbers(.3), scale=numbers(1.7))
        for element in (np.int32, np.int64):
            x = (self.x * 10).astype(element)
            model.node("ai.onnx.ml.Scaler", [model.feed(x)], exact(x, offset, scale), offset=numbers(offset), scale=numbers(scale))
        row, cube = self.x[0].copy(), self.draw(2, 3, 4)
        model.node("ai.onnx.ml.Scaler", [model.feed(row)], exact(row, offset, scale), offset=numbers(offset), scale=numbers(scale))
        model.node("ai.onnx.ml.Scaler", [model.feed(cube)], exact(cube, f32(.3), f32(1.7)), offset=numbers(.3), scale=numbers(1.7))
        self.check(model)

    def test_scaler_without_a_part(self):
        model = self.model()
        model.node("ai.onnx.ml.Scaler", [self.fed], self.x * f32(.25), scale=numbers(.25))
        model.node("ai.onnx.ml.Scaler", [self.fed], self.x - f32(.25), offset=numbers(.25))
        self.check(model, ort=False)  # which wants both

    def test_normalizer(self):
        self.x[3] = 0
        whole = np.array([[1, -2, 2], [0, 0, 0], [5, 3, -4]], np.int64)
        model = self.model()
        norms = {"MAX": lambda x: x.max(1), "L1": lambda x: np.abs(x).sum(1), "L2": lambda x: np.sqrt((x**2).sum(1))}
        for norm, measure in norms.items():
            for x in (self.x, whole, self.x[1].copy()):
                rows = np.atleast_2d(x.astype(np.float64))
                size = measure(rows)[:, None]
                answer = (rows / np.where(size == 0, 1, size)).astype(f32).reshape(x.shape)
                model.node("ai.onnx.ml.Normalizer", [model.feed(x)], answer, norm=norm)
        model.node("ai.onnx.ml.Normalizer", [self.fed], (self.x / np.where(self.x.max(1) == 0, 1, self.x.max(1))[:, None]).astype(f32))
        self.check(model)

    def test_doubles(self):
        """Features of 64 bits are computed in as many; the result has 32."""
        model, scale = Model(classical=1), self.draw(FEATURES)
        x = 1e7 + self.x.astype(np.float64)
        model.node("ai.onnx.ml.Scaler", [model.feed(x)], ((x - 1e7) * scale).astype(f32), offset=[1e7] * FEATURES, scale=numbers(scale))
        model.node("ai.onnx.ml.Normalizer", [model.feed(x)], (x / x.max(1)[:, None]).astype(f32))
        self.check(model, ort=False)

    def test_what_is_refused(self):
        self.refused("Scaler", [self.x], "attribute 'scale' must have 1 number, or one for each column of a matrix, but has 3 for float[9x5]", scale=[1.0] * 3)
        self.refused("Normalizer", [self.x], "attribute 'norm' must be MAX, L1 or L2, but is 'L3'", norm="L3")


if __name__ == "__main__":
    unittest.main()
