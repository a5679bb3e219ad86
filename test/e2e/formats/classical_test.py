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


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def softmax_of_nonzero(x):
    """Zeros stay zeros."""
    e = np.where(x == 0, 0, np.exp(x - x.max(1, keepdims=True)))
    return e / e.sum(1, keepdims=True)


def probit(x):
    """sqrt(2) times the inverse error function of 2 x - 1, by an approximation of Winitzki."""
    y = 2 * x - 1
    log = np.log((1 - y) * (1 + y))
    half = 2 / (np.pi * .147) + log / 2
    return np.sqrt(2) * np.sign(y) * np.sqrt(np.sqrt(half**2 - log / .147) - half)


TRANSFORMS = {"NONE": lambda x: x, "SOFTMAX": softmax, "LOGISTIC": sigmoid, "SOFTMAX_ZERO": softmax_of_nonzero}


class ClassicalTest(EnginesTest):
    parts = 3

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
        w = self.draw(2, FEATURES)
        y = (x - 1e7) @ w.T.astype(np.float64)
        model.node("ai.onnx.ml.LinearRegressor", [model.feed(x - 1e7)], y.astype(f32), coefficients=numbers(w), targets=2)
        model.node("ai.onnx.ml.LinearClassifier", [model.feed(x - 1e7)], y.argmax(1), y.astype(f32), coefficients=numbers(w), classlabels_ints=[0, 1])
        self.check(model, ort=False)

    def test_what_is_refused(self):
        self.refused("Scaler", [self.x], "attribute 'scale' must have 1 number, or one for each column of a matrix, but has 3 for float[9x5]", scale=[1.0] * 3)
        self.refused("Normalizer", [self.x], "attribute 'norm' must be MAX, L1 or L2, but is 'L3'", norm="L3")


class LinearTest(ClassicalTest):
    def test_regressor(self):
        model, w, b = self.model(), self.draw(3, FEATURES), self.draw(3)
        y = self.x.astype(np.float64) @ w.T.astype(np.float64)
        for name, function in TRANSFORMS.items():
            model.node("ai.onnx.ml.LinearRegressor", [self.fed], function(y + b).astype(f32), coefficients=numbers(w), intercepts=numbers(b), targets=3,
                       post_transform=name)
        model.node("ai.onnx.ml.LinearRegressor", [self.fed], y[:, 1:2].astype(f32), coefficients=numbers(w[1]))
        row = self.x[2].copy()
        model.node("ai.onnx.ml.LinearRegressor", [model.feed(row)], (y + b)[2:3].astype(f32), coefficients=numbers(w), intercepts=numbers(b), targets=3)
        self.check(model)

    def test_probit(self):
        model, w = self.model(), self.draw(2, FEATURES) / 20
        y = self.x.astype(np.float64) @ w.T.astype(np.float64) + .5
        model.node("ai.onnx.ml.LinearRegressor", [self.fed], probit(y).astype(f32), coefficients=numbers(w), intercepts=[.5, .5], targets=2,
                   post_transform="PROBIT")
        model.node("ai.onnx.ml.LinearRegressor", [self.fed], probit(y)[:, :1].astype(f32), coefficients=numbers(w[0]), intercepts=[.5], targets=1,
                   post_transform="PROBIT")
        self.check(model, tolerance=1e-3)  # floats cancel near a half

    def test_classifier(self):
        labels = np.array([7, -3, 11], np.int64)
        for element in (np.float32, np.int32, np.int64):
            self.x = (self.x * (1 if element == np.float32 else 3)).astype(element)
            model, w, b = self.model(), self.draw(3, FEATURES), self.draw(3)
            y = self.x.astype(np.float64) @ w.T.astype(np.float64) + b
            for name, function in TRANSFORMS.items():
                model.node("ai.onnx.ml.LinearClassifier", [self.fed], labels[y.argmax(1)], function(y).astype(f32), coefficients=numbers(w), intercepts=numbers(b),
                           classlabels_ints=labels.tolist(), post_transform=name, multi_class=int(name == "SOFTMAX"))
            with self.subTest(element=element.__name__):
                self.check(model)

    def test_two_classes(self):
        model, w, b = self.model(), self.draw(FEATURES), self.draw(1)
        y = (self.x.astype(np.float64) @ w.astype(np.float64) + b)[:, None]
        label = np.where(y[:, 0] > 0, 1, 0)
        both = np.concatenate([-y, y], 1)
        # As sklearn's logistic regression is converted: a row for each class.
        model.node("ai.onnx.ml.LinearClassifier", [self.fed], label, sigmoid(both).astype(f32), coefficients=numbers([-w, w]), intercepts=numbers([-b, b]),
                   classlabels_ints=[0, 1], post_transform="LOGISTIC")
        model.node("ai.onnx.ml.LinearClassifier", [self.fed], label, np.concatenate([1 - y, y], 1).astype(f32), coefficients=numbers(w), intercepts=numbers(b),
                   classlabels_ints=[0, 1])
        self.check(model)

    def test_a_pipeline_with_texts_as_labels(self):
        """A scaler, a classifier, a norm and maps, as sklearn's pipelines are converted; the labels are texts, so only scores are used."""
        model, w, b = self.model(), self.draw(3, FEATURES), self.draw(3)
        scaled = (self.x - f32(.5)) * f32(2)
        y = sigmoid(scaled.astype(np.float64) @ w.T.astype(np.float64) + b)
        names = ["low", "middle", "high"]
        x, = model.node("ai.onnx.ml.Scaler", [self.fed], offset=numbers(.5), scale=numbers(2))
        model.graph.node("ai.onnx.ml.LinearClassifier", [x], ["label", "scores"], coefficients=numbers(w), intercepts=numbers(b), classlabels_strings=names,
                         post_transform="LOGISTIC", name="classifier")
        normal, = model.node("ai.onnx.ml.Normalizer", ["scores"], norm="L1")
        model.graph.node("ai.onnx.ml.ZipMap", [normal], "maps", classlabels_strings=names)
        model.output("maps", (y / y.sum(1, keepdims=True)).astype(f32))
        self.check(model, ort=False)  # where maps are no tensor
        model.graph.output("label", [ROWS], 8)
        self.save(model)
        self.assertIn('"label": error: an output must hold numbers, but this one has element type \'string\'', self.compiled(status=1)[1])

    def test_what_is_refused(self):
        label, two, scores = np.zeros(ROWS, np.int64), [0, 1], np.zeros((ROWS, 2), f32)
        self.refused("LinearRegressor", [self.x], "attribute 'coefficients' must have numbers for each of the 5 features of a row, but has 7",
                     coefficients=[1.0] * 7)
        self.refused("LinearRegressor", [self.x], "attribute 'targets' must be 2, the number of rows of 'coefficients', but is 3",
                     coefficients=[1.0] * 10, targets=3)
        self.refused("LinearRegressor", [self.x], "attribute 'intercepts' must have 1 number, one for each row of 'coefficients', but has 2",
                     coefficients=[1.0] * 5, intercepts=[1.0] * 2)
        self.refused("LinearRegressor", [self.x], "attribute 'post_transform' must be NONE or PROBIT for one target, but is SOFTMAX",
                     coefficients=[1.0] * 5, post_transform="SOFTMAX")
        self.refused("LinearClassifier", [label, scores], "attribute 'coefficients' must have a row for each of the 2 labels, or one row for two labels, but has 3 rows",
                     coefficients=[1.0] * 15, classlabels_ints=two)
        self.refused("LinearClassifier", [label, scores], "attribute 'post_transform' must be NONE if only one of two classes is scored, but is LOGISTIC",
                     coefficients=[1.0] * 5, classlabels_ints=two, post_transform="LOGISTIC")
        self.refused("LinearClassifier", [label, scores], "attribute 'classlabels_ints' must have two labels or more, but has 0", coefficients=[1.0] * 5)


def kernel(name, x, vectors, gamma=0.0, offset=0.0, degree=0.0):
    if name == "RBF":
        return np.exp(-gamma * ((x[:, None] - vectors[None])**2).sum(2))
    product = x @ vectors.T
    return {"LINEAR": lambda: product, "POLY": lambda: (gamma * product + offset)**degree, "SIGMOID": lambda: np.tanh(gamma * product + offset)}[name]()


def couple(r):
    """libsvm's multiclass_probability, for one row."""
    k = len(r)
    q = -r.T * r
    np.fill_diagonal(q, (r**2).sum(0))
    p = np.full(k, 1 / k)
    for _ in range(100):
        products = q @ p
        total = p @ products
        if np.abs(products - total).max() < .005 / k:
            break
        for i in range(k):
            change = (total - products[i]) / q[i, i]
            p[i] += change
            total = (total + change * (change * q[i, i] + 2 * products[i])) / (1 + change)**2
            products = (products + change * q[i]) / (1 + change)
            p /= 1 + change
    return p


class SupportVectorsTest(ClassicalTest):
    KERNELS = [("LINEAR", .5, 0, 3), ("POLY", .4, .3, 2), ("POLY", .3, .2, 3), ("POLY", .2, 2.5, 4), ("RBF", .35, 0, 0), ("SIGMOID", .3, .1, 0)]

    def test_regressor(self):
        model, vectors, weights, rho = self.model(), self.draw(7, FEATURES), self.draw(7), self.draw(1)
        for name, *parameters in self.KERNELS:
            gamma, offset, degree = map(f32, parameters)
            y = kernel(name, self.x.astype(np.float64), vectors.astype(np.float64), gamma, offset, degree) @ weights + rho
            for one_class in (0, 1):
                answer = (np.where(y > 0, 1, -1) if one_class else y).astype(f32)[:, None]
                model.node("ai.onnx.ml.SVMRegressor", [self.fed], answer, coefficients=numbers(weights), kernel_params=numbers(parameters), kernel_type=name,
                           n_supports=7, rho=numbers(rho), support_vectors=numbers(vectors), one_class=one_class)
        y = (self.x.astype(np.float64) @ vectors[0] + rho).astype(f32)[:, None]
        model.node("ai.onnx.ml.SVMRegressor", [self.fed], y, coefficients=numbers(vectors[0]), kernel_params=[0.0, 0.0, 0.0], kernel_type="LINEAR", rho=numbers(rho))
        self.check(model)

    def machine(self, counts):
        """Vectors of each class, their coefficients for the other classes, the constants of the pairs."""
        total, pairs = sum(counts), len(counts) * (len(counts) - 1) // 2
        return self.draw(total, FEATURES), self.draw(len(counts) - 1, total), self.draw(pairs) / 2

    def score_pairs(self, k, counts, coefficients, rho):
        """Scores of pairs [rows, pairs] and votes [rows, classes]."""
        starts = np.cumsum([0, *counts])
        scores, votes = [], np.zeros((ROWS, len(counts)), int)
        for i in range(len(counts)):
            for j in range(i + 1, len(counts)):
                of_i, of_j = slice(starts[i], starts[i + 1]), slice(starts[j], starts[j + 1])
                score = k[:, of_i] @ coefficients[j - 1, of_i] + k[:, of_j] @ coefficients[i, of_j] + rho[len(scores)]
                votes[:, i] += score > 0
                votes[:, j] += score <= 0
                scores.append(score)
        return np.stack(scores, 1), votes

    def classify(self, model, counts, name, parameters, transform="NONE", coupled=False):
        labels = np.arange(len(counts), dtype=np.int64) * 3 - 1
        vectors, coefficients, rho = self.machine(counts)
        attributes = {"coefficients": numbers(coefficients), "support_vectors": numbers(vectors), "rho": numbers(rho), "kernel_type": name,
                      "kernel_params": numbers(parameters), "vectors_per_class": list(counts), "classlabels_ints": labels.tolist(), "post_transform": transform}
        k = kernel(name, self.x.astype(np.float64), vectors.astype(np.float64), *map(f32, parameters))
        scores, votes = self.score_pairs(k, counts, coefficients.astype(np.float64), rho)
        if coupled:
            a, b = -1 - np.abs(self.draw(len(rho))), self.draw(len(rho))
            attributes |= {"prob_a": numbers(a), "prob_b": numbers(b)}
            wins = np.clip(1 - sigmoid(scores * a + b), 1e-7, 1 - 1e-7)
            upper = np.triu_indices(len(counts), 1)
            r = np.zeros((ROWS, len(counts), len(counts)))
            for row in range(ROWS):
                r[row][upper] = wins[row]
                r[row].T[upper] = 1 - wins[row]
            scores = np.stack([couple(one) for one in r])
        elif len(counts) == 2:
            scores = np.concatenate([-scores, scores], 1)
        model.node("ai.onnx.ml.SVMClassifier", [self.fed], labels[votes.argmax(1)], TRANSFORMS[transform](scores).astype(f32), **attributes)

    def test_votes(self):
        model = self.model()
        for name, *parameters in self.KERNELS:
            self.classify(model, (3, 2, 4), name, parameters)
            self.classify(model, (4, 3), name, parameters)
        self.classify(model, (2, 3, 1, 4), "RBF", (.3, 0, 0), "SOFTMAX")
        self.classify(model, (2, 0, 3), "RBF", (.3, 0, 0), "LOGISTIC")
        self.check(model, tolerance=1e-4)

    def test_probabilities(self):
        model = self.model()
        self.classify(model, (3, 2), "RBF", (.3, 0, 0), coupled=True)
        self.classify(model, (3, 2, 4), "LINEAR", (.3, 0, 0), coupled=True)
        self.classify(model, (2, 3, 1, 2, 4), "RBF", (.5, 0, 0), coupled=True)
        self.classify(model, (3, 2, 2), "SIGMOID", (.3, .1, 0), "SOFTMAX", coupled=True)
        self.check(model, tolerance=1e-4)

    def test_linear_classes(self):
        model, w, rho = self.model(), self.draw(3, FEATURES), self.draw(1)
        labels = np.array([5, 6, 9], np.int64)
        y = self.x.astype(np.float64) @ w.T.astype(np.float64) + rho
        for name, function in TRANSFORMS.items():
            model.node("ai.onnx.ml.SVMClassifier", [self.fed], labels[y.argmax(1)], function(y).astype(f32), coefficients=numbers(w), rho=numbers(rho),
                       kernel_type="LINEAR", kernel_params=[0.0, 0.0, 0.0], classlabels_ints=labels.tolist(), post_transform=name)
        y = y[:, :2] - 1
        model.node("ai.onnx.ml.SVMClassifier", [self.fed], np.where(y.max(1) > 0, 1, y.argmax(1)), y.astype(f32), coefficients=numbers(w[:2]),
                   rho=numbers(rho - 1), kernel_type="LINEAR", kernel_params=[0.0, 0.0, 0.0], classlabels_ints=[0, 1])
        self.check(model)

    def test_what_is_refused(self):
        label, scores = np.zeros(ROWS, np.int64), np.zeros((ROWS, 2), f32)
        good = {"coefficients": [1.0] * 3, "rho": [0.5], "kernel_type": "RBF", "kernel_params": [.5, 0.0, 0.0], "support_vectors": [1.0] * 3 * FEATURES}
        classes = {**good, "vectors_per_class": [1, 2], "classlabels_ints": [0, 1]}
        for changes, words in (({"coefficients": [1.0] * 4}, "attribute 'coefficients' must have 3 numbers, one for each vector and other class, but has 4"),
                               ({"vectors_per_class": [1, 1, 1]}, "attribute 'vectors_per_class' must have one number for each of the 2 labels, but has 3"),
                               ({"vectors_per_class": [1, -2]}, "attribute 'vectors_per_class' must lie between 0 and 2147483647, but has -2"),
                               ({"vectors_per_class": [2**31 - 1] * 2}, "attribute 'vectors_per_class' must have a sum of at most 2147483647, but has 4294967294"),
                               ({"prob_a": [1.0]}, "attribute 'prob_b' must have 1 number, one for each pair of classes, but has 0"),
                               ({"post_transform": "LOGISTIC"}, "attribute 'post_transform' must be NONE for two classes without 'prob_a', but is LOGISTIC"),
                               ({"kernel_params": [1.0]}, "attribute 'kernel_params' must have 3 numbers, one for gamma, coef0 and degree each, but has 1"),
                               ({"support_vectors": [1.0]}, "attribute 'support_vectors' must have 15 numbers, one for each feature of each vector, but has 1")):
            self.refused("SVMClassifier", [label, scores], words, **{**classes, **changes})
        for changes, words in (({"n_supports": 2}, "attribute 'support_vectors' must have 10 numbers"),
                               ({"n_supports": -1}, "attribute 'n_supports' must lie between 0 and 2147483647, but is -1"),
                               ({"post_transform": "LOGISTIC"}, "attribute 'post_transform' must be NONE, but is LOGISTIC, which ONNX Runtime ignores")):
            self.refused("SVMRegressor", [label], words, **{"n_supports": 3, **good, **changes})


if __name__ == "__main__":
    unittest.main()
