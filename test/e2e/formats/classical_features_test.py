#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of ai.onnx.ml that select, join, compare and replace features, against their definition in NumPy."""
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
from onnx_writer import tensor

f32 = np.float32
random = np.random.default_rng(5)


class FeaturesTest(EnginesTest):
    parts = 2

    def refused(self, operator, operands, words, answer=None, version=1, **attributes):
        model = Model(classical=version)
        model.node("ai.onnx.ml." + operator, [model.feed(x) for x in operands], operands[0] if answer is None else answer, **attributes)
        self.save(model)
        self.assertIn("error: " + words, self.compiled(status=1)[1])

    def test_selected_columns(self):
        model = Model(classical=1)
        for x in (random.uniform(-1, 1, (3, 5)).astype(f32), random.integers(-9, 9, (2, 3, 4)), random.uniform(-1, 1, 6).astype(f32)):
            columns = np.array([[2, 0, 3, 2]], np.int64)
            model.node("ai.onnx.ml.ArrayFeatureExtractor", [model.feed(x), model.feed(columns)], np.atleast_2d(x[..., columns[0]]))
            model.node("ai.onnx.ml.ArrayFeatureExtractor", [model.feed(x), np.array([1], np.int64)], np.atleast_2d(x[..., [1]]))
        self.check(model)

    def test_joined_columns(self):
        model = Model(classical=1)
        a, b, c = random.uniform(-1, 1, (3, 2)).astype(f32), random.integers(-9, 9, (3, 4)), random.integers(-9, 9, (3, 1)).astype(np.int32)
        fed = [model.feed(x) for x in (a, b, c)]
        model.node("ai.onnx.ml.FeatureVectorizer", fed, np.concatenate([a, b, c], 1).astype(f32), inputdimensions=[2, 4, 1])
        model.node("ai.onnx.ml.FeatureVectorizer", fed[:2], np.concatenate([a, np.zeros((3, 1)), b[:, :3]], 1).astype(f32), inputdimensions=[3, 3])
        self.check(model, ort=False)  # which wants operands of one type
        self.refused("FeatureVectorizer", [a], "attribute 'inputdimensions' must have 1 element, but has 2", inputdimensions=[2, 2])
        self.refused("FeatureVectorizer", [a, a[:2].copy()], "operand 1 ('X') must have 3 rows as operand 0, but is float[2x2]", inputdimensions=[2, 2])

    def test_binarizer(self):
        model, x = Model(classical=1), random.uniform(-1, 1, (3, 5)).astype(f32)
        model.node("ai.onnx.ml.Binarizer", [model.feed(x)], (x > f32(.25)).astype(f32), threshold=.25)
        model.node("ai.onnx.ml.Binarizer", [model.feed(x)], (x > 0).astype(f32))
        self.check(model)

    def test_imputer(self):
        model, x, whole = Model(classical=1), random.uniform(-1, 1, (4, 3)).astype(f32), random.integers(0, 3, (4, 3))
        x[0, 1] = x[2, 0] = x[3, 2] = np.nan
        zeros = np.where(np.isnan(x), 0, x).astype(f32)
        values = [.5, -1.0, 2.0]
        model.node("ai.onnx.ml.Imputer", [model.feed(x)], np.where(np.isnan(x), f32(values), x), imputed_value_floats=values, replaced_value_float=float("nan"))
        model.node("ai.onnx.ml.Imputer", [model.feed(zeros)], np.where(zeros == 0, f32(7.5), zeros), imputed_value_floats=[7.5], replaced_value_float=0.0)
        model.node("ai.onnx.ml.Imputer", [model.feed(whole)], np.where(whole == 1, [4, 5, 6], whole), imputed_value_int64s=[4, 5, 6], replaced_value_int64=1)
        large = np.array([2**60 + 1, 2**60, 3])
        model.node("ai.onnx.ml.Imputer", [model.feed(large)], np.array([2**61 + 1, 2**60, 3]), imputed_value_int64s=[2**61 + 1], replaced_value_int64=2**60 + 1)
        self.check(model)
        self.refused("Imputer", [x], "attribute 'imputed_value_floats' must have 1 number, or one for each column of a matrix, but has 2", imputed_value_floats=[1.0, 2.0])
        self.refused("Imputer", [whole], "attribute 'imputed_value_int64s' must have 1 number, or one for each column of a matrix, but has 0", imputed_value_floats=[1.0])

    def test_categories(self):
        model, whole, floats = Model(classical=1), random.integers(0, 5, (4, 3)), random.uniform(0, 5, 6).astype(f32)
        categories = np.array([3, 0, 4])
        for x in (whole, floats):
            model.node("ai.onnx.ml.OneHotEncoder", [model.feed(x)], (x.astype(np.int64)[..., None] == categories).astype(f32),
                       cats_int64s=categories.tolist(), zeros=1)
        self.check(model)
        self.refused("OneHotEncoder", [whole], "attribute 'cats_int64s' must have different numbers, but has 3 twice", answer=floats, cats_int64s=[3, 1, 3])
        self.refused("OneHotEncoder", [whole], "attribute 'cats_strings' is not supported", answer=floats, cats_strings=["a"])
        self.refused("OneHotEncoder", [whole], "attribute 'zeros' must be 1, but is 0", answer=floats, cats_int64s=[3], zeros=0)

    def test_tables(self):
        model, whole, floats = Model(classical=2), random.integers(0, 5, (4, 3)), (random.integers(0, 8, 9) / 4).astype(f32)
        floats[3] = np.nan
        keys, values = np.array([3, 0, 4]), np.array([1.5, -2.25, 8.0])
        found = lambda x, keys, values, missing: np.array(  # noqa: E731
            [next((v for k, v in zip(keys, values) if k == one or (k != k and one != one)), missing) for one in x.ravel()]).reshape(x.shape)
        model.node("ai.onnx.ml.LabelEncoder", [model.feed(whole)], found(whole, keys, values, -.5).astype(f32), keys_int64s=keys.tolist(),
                   values_floats=values.tolist(), default_float=-.5)
        some = [.25, 1.0, float("nan"), 1.75]
        model.node("ai.onnx.ml.LabelEncoder", [model.feed(floats)], found(floats, some, [9, 8, 7, 6], -1), keys_floats=some, values_int64s=[9, 8, 7, 6])
        self.check(model, ort=False)
        model = Model(classical=4)
        model.node("ai.onnx.ml.LabelEncoder", [model.feed(floats)], found(floats, [.5, 1.5], [2.0, 3.0], .125).astype(f32), keys_tensor=tensor([.5, 1.5]),
                   values_tensor=tensor([2.0, 3.0]), default_tensor=tensor([.125]))
        self.check(model, ort=False)
        self.refused("LabelEncoder", [whole], "operand 0 ('X') must have the type of the keys, float, but is int64[4x3]", version=2, keys_floats=[1.0], values_int64s=[2])
        self.refused("LabelEncoder", [whole], "keys and values must be as many, at least one, but are 1 and 2", version=2, keys_int64s=[1], values_int64s=[2, 3])
        self.refused("LabelEncoder", [whole], "attribute 'keys_floats' or 'keys_int64s' must be given, but neither is", version=2, values_int64s=[2])


if __name__ == "__main__":
    unittest.main()
