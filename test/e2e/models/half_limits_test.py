#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that overflow or underflow in fp16, with --cpu-precision=fp16 and --gpu-precision=fp16: no result becomes infinite, NaN or wrong.

Why:  fp16 ends at 65504, has 11 digits, and 6e-8 is its smallest number. Which values of a model are outside of it is decided when compiling, so
      each kind of them has a case here.
How:  all cases of a class are parts of one model, with inputs and outputs of their own. NumPy computes them in double precision. The model
      runs on arm64 under qemu, on cores with and without arithmetic of halves, and on the GPU. An error is relative to the largest
      element of its row.
"""
import json
import os
import shutil
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: needs numpy")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

BOUND = 0.02
ROWS, WIDTH = 8, 64
LOWEST = float(np.finfo(np.float32).min)
CORES = ("cortex-a76", "cortex-a72")  # with and without arithmetic of halves
BLIND = 3  # row of a mask that hides all of it


class Cases:
    """A model under construction, with what it is fed and what it must compute."""

    def __init__(self):
        self.graph = nacre.Graph("limits", opset=17)
        self.draw = np.random.default_rng(5)
        self.fed, self.wanted = {}, {}
        self.count = 0

    def name(self, word):
        self.count += 1
        return f"{word}_{self.count}"

    def input(self, array):
        name = self.name("x")
        self.fed[name] = np.asarray(array, np.float32)
        self.graph.input(name, list(array.shape))
        return name, self.fed[name].astype(np.float64)

    def normal(self, *shape):
        return self.draw.standard_normal(shape)

    def constant(self, array):
        array = np.asarray(array, np.float32)
        return self.graph.constant(self.name("c"), list(array.shape), array.ravel().tolist()), array.astype(np.float64)

    def node(self, operator, operands, name=None, **attributes):
        """Adds a node. An operand that is no name is a constant."""
        operands = [operand if isinstance(operand, str) else self.constant(operand)[0] for operand in operands]
        return self.graph.node(operator, operands, name=name or self.name(operator.lower()), **attributes)

    def product(self, scale=1.0):
        """A product of an input and weights: a value inside the network, about `scale`."""
        x, numbers = self.input(self.normal(ROWS, WIDTH))
        w, weights = self.constant(self.normal(WIDTH, WIDTH) * scale / np.sqrt(WIDTH))
        return self.node("MatMul", [x, w]), numbers @ weights

    def sum(self, x):
        return self.node("ReduceSum", [x, self.axes()], keepdims=1)

    def axes(self):
        return self.graph.integers(self.name("axes"), [-1])

    def output(self, name, x, wanted):
        self.graph.node("Identity", [x], output=name)
        self.graph.output(name, list(wanted.shape))
        self.wanted[name] = wanted


def mean(x):
    return x.mean(axis=-1, keepdims=True)


def total(x):
    return x.sum(axis=-1, keepdims=True)


def normalized(x, epsilon):
    return (x - mean(x)) / np.sqrt(mean((x - mean(x))**2) + epsilon)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / total(e)


class LimitsTest(nacre.NacreTest):
    def check(self, cases):
        """Runs the model everywhere, and returns the products that the report of the CPU's library says are fp32."""
        cases.graph.save(self.path("model.onnx"))
        arguments = []
        for name, array in cases.fed.items():
            np.save(self.path(name + ".npy"), array)
            arguments.append(f"--input={name}={self.path(name + '.npy')}")
        failures = []
        for engine, options in (("cpu", ["--target=linux-arm64"]), ("gpu", ["--place=gpu"])):
            library = self.path(f"lib{engine}.so")
            self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("model.onnx"), "-o", library, f"--{engine}-precision=fp16",
                      f"--report={self.path(engine + '.json')}", *options)
            if engine == "gpu":
                self.run_model(library, "--gpu", *arguments, f"--output={self.folder_of('gpu')}")
                failures += compare("gpu", self.path("gpu"), cases.wanted)
                continue
            for core in CORES if shutil.which("qemu-aarch64") else ():
                self.run_arm64(library, *arguments, f"--output={self.folder_of(core)}", cpu=core)
                failures += compare(core, self.path(core), cases.wanted)
        self.assertFalse(failures, "\n" + "\n".join(failures))
        with open(self.path("cpu.json"), encoding="utf-8") as file:
            return json.load(file)["fp32_products"]

    def folder_of(self, name):
        os.makedirs(self.path(name))
        return self.path(name)


def compare(where, folder, wanted):
    """Yields a text for each output that is wrong. Where infinity is wanted, any finite number is right."""
    for name, numbers in wanted.items():
        got = np.load(os.path.join(folder, name + ".npy")).astype(np.float64)
        allowed = np.broadcast_to(BOUND * np.abs(numbers).max(axis=-1, keepdims=True), numbers.shape)
        wrong = ~np.isfinite(got) | (np.isfinite(numbers) & ~(np.abs(got - numbers) <= allowed))
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0])
            yield f"{where}: {name}: {wrong.sum()} of {wrong.size} elements are wrong, at {at} {got[at]:.6g} for {numbers[at]:.6g}"


class SumsTest(LimitsTest):
    """Activations and sums beyond 65504."""

    def test_sums(self):
        cases = Cases()
        x, numbers = cases.product()
        w, weights = cases.constant(cases.normal(WIDTH, WIDTH) * 3e4)
        v, others = cases.constant(cases.normal(WIDTH, WIDTH) * 1e-6)
        y = cases.node("Relu", [cases.node("MatMul", [x, w], name="of_large_weights")])
        cases.output("large_weights", cases.node("MatMul", [y, v], name="of_small_weights"), np.maximum(numbers @ weights, 0) @ others)
        x, numbers = cases.product()
        y = cases.node("Mul", [x, 3e5])
        y = cases.node("Div", [y, cases.node("ReduceMax", [cases.node("Abs", [y])], axes=[-1])])
        cases.output("scaled", y, numbers / np.abs(numbers).max(axis=-1, keepdims=True))
        x, numbers = cases.product()
        y = cases.node("Pow", [cases.node("Mul", [x, 300.0]), 2.0])
        cases.output("powers", cases.node("Div", [y, cases.sum(y)]), numbers**2 / total(numbers**2))
        steps = 100000
        x, numbers = cases.input(cases.draw.uniform(0.5, 1.5, (2, steps)))
        y = cases.node("Sigmoid", [x])
        numbers = 1 / (1 + np.exp(-numbers))
        cases.output("sum", cases.sum(y), total(numbers))
        cases.output("length", cases.node("ReduceL2", [y], axes=[-1]), np.sqrt(total(numbers**2)))
        sums = cases.node("CumSum", [y, cases.graph.count("axis", 1)])
        cases.output("running_sum", cases.node("Gather", [sums, cases.graph.integers("last", [steps - 1])], axis=1), total(numbers))
        w, weights = cases.constant(cases.draw.uniform(0.5, 1.5, (steps, 2)))
        y = cases.node("MatMul", [y, w], name="of_one_sign")
        wanted = numbers @ weights
        cases.output("product", cases.node("Div", [y, cases.node("ReduceMax", [y], axes=[-1])]), wanted / wanted.max(axis=-1, keepdims=True))
        x, numbers = cases.input(cases.draw.uniform(0.5, 1.5, (1, 4, 160, 160)))
        y = cases.node("Relu", [cases.node("Conv", [x, np.ones((4, 1, 1, 1))], group=4)])
        cases.output("pool", cases.node("GlobalAveragePool", [y]), numbers.mean(axis=(2, 3), keepdims=True))
        products = self.check(cases)
        for name in ("of_large_weights", "of_small_weights", "of_one_sign"):
            self.assertIn([name], [product["nodes"] for product in products])


class MeansTest(LimitsTest):
    """Differences of values around 3000, and products of values whose mean cancels."""

    def test_means(self):
        cases = Cases()

        def biased(mean=3000.0):
            """A product whose bias has a large mean."""
            x, numbers = cases.product()
            b, bias = cases.constant(mean + cases.normal(WIDTH))
            return cases.node("Add", [x, b]), numbers + bias

        x, numbers = biased()
        cases.output("layer_norm", cases.node("LayerNormalization", [x, np.ones(WIDTH)], axis=-1, epsilon=1e-5), normalized(numbers, 1e-5))
        x, numbers = cases.input(3000 + cases.normal(ROWS, WIDTH))
        cases.output("layer_norm_of_input", cases.node("LayerNormalization", [x, np.ones(WIDTH)], axis=-1, epsilon=1e-5), normalized(numbers, 1e-5))
        x, numbers = biased()
        d = cases.node("Sub", [x, cases.node("ReduceMean", [x], axes=[-1])])
        v = cases.node("ReduceMean", [cases.node("Mul", [d, d])], axes=[-1])
        cases.output("variance", v, mean((numbers - mean(numbers))**2))
        y = cases.node("Div", [d, cases.node("Sqrt", [cases.node("Add", [v, 1e-7])])])
        cases.output("decomposed", y, normalized(numbers, 1e-7))
        x, numbers = biased(100.0)
        v = cases.node("Sub", [cases.node("ReduceMean", [cases.node("Mul", [x, x])], axes=[-1]),
                               cases.node("Pow", [cases.node("ReduceMean", [x], axes=[-1]), 2.0])])
        cases.output("difference_of_squares", v, mean(numbers**2) - mean(numbers)**2)
        x, numbers = biased()
        m, means = cases.constant(3000 + cases.normal(WIDTH))
        y = cases.node("BatchNormalization", [cases.node("Relu", [x]), np.ones(WIDTH), np.zeros(WIDTH), m, np.full(WIDTH, 2.0)], epsilon=1e-5)
        cases.output("batch_norm", y, (numbers - means) / np.sqrt(2 + 1e-5))
        x, numbers = cases.input(cases.normal(1, 4, 24, 24))
        y = cases.node("Conv", [x, np.eye(4).reshape(4, 4, 1, 1), np.full(4, 3000.0)])
        y = cases.node("InstanceNormalization", [y, np.ones(4), np.zeros(4)], epsilon=1e-5)
        cases.output("instance_norm", y, normalized(numbers.reshape(1, 4, -1), 1e-5).reshape(numbers.shape))
        for size in (10, 40, 300):
            x, numbers = biased(size)
            weights = cases.normal(WIDTH, WIDTH) / np.sqrt(WIDTH)
            w, weights = cases.constant(weights - weights.mean(axis=0))
            cases.output(f"cancels_{size}", cases.node("MatMul", [x, w], name=f"of_mean_{size}"), numbers @ weights)
        products = [product["nodes"][0] for product in self.check(cases)]
        self.assertNotIn("of_mean_10", products)
        self.assertIn("of_mean_40", products)


class MasksTest(LimitsTest):
    """Masks of attention. A row that sees nothing has any weights that add up to 1."""

    def test_masks(self):
        cases = Cases()
        hidden = np.triu(np.ones((ROWS, ROWS)), 1)
        hidden[BLIND] = 1
        for word, number in (("half", -65504.0), ("infinity", -np.inf), ("lowest", LOWEST), ("billion", -1e9)):
            here = np.where(np.arange(ROWS)[:, None] == BLIND, 0, hidden) if np.isinf(number) else hidden
            for kind in ("constant", "input", "computed", "chosen"):
                if kind == "computed" and np.isinf(number):  # 0 * -inf
                    continue
                x, numbers = cases.product()
                k, keys = cases.product()
                v, values = cases.product()
                scores = cases.node("Mul", [cases.node("MatMul", [x, cases.node("Transpose", [k], perm=[1, 0])]), 0.125])
                if kind == "constant":
                    scores = cases.node("Add", [scores, np.where(here == 1, number, 0.0)])
                elif kind == "input":
                    scores = cases.node("Add", [scores, cases.input(np.where(here == 1, number, 0.0))[0]])
                elif kind == "computed":
                    scores = cases.node("Add", [scores, cases.node("Mul", [cases.node("Sub", [1.0, cases.input(1 - here)[0]]), number])])
                else:
                    scores = cases.node("Where", [cases.node("Greater", [cases.input(1 - here)[0], 0.5]), scores, number])
                blind = here.all(axis=-1, keepdims=True)
                weights = softmax(np.where((here == 1) & ~blind, -np.inf, numbers @ keys.T * 0.125))
                rows = np.where(blind, np.inf, weights @ values)  # any finite number
                cases.output(f"{kind}_{word}", cases.node("MatMul", [cases.node("Softmax", [scores], axis=-1), v]), rows)
        self.check(cases)


class SmallTest(LimitsTest):
    """Epsilons, norms that are almost 0, and probabilities."""

    def test_small(self):
        cases = Cases()

        def rows():
            """Inside of a network: a row of zeros, two tiny ones, and others."""
            x, numbers = cases.product()
            f, factors = cases.constant(np.array([[0.0], [1e-6], [1e-3]] + [[1.0]] * (ROWS - 3)))
            return cases.node("Mul", [x, f]), numbers * factors

        for epsilon, word in ((1e-7, "7"), (1e-12, "12")):
            x, numbers = rows()
            cases.output("layer_norm" + word, cases.node("LayerNormalization", [x, np.ones(WIDTH)], axis=-1, epsilon=epsilon), normalized(numbers, epsilon))
            x, numbers = rows()
            y = cases.node("Div", [x, cases.node("Sqrt", [cases.node("Add", [cases.node("ReduceMean", [cases.node("Mul", [x, x])], axes=[-1]), epsilon])])])
            cases.output("rms_norm" + word, y, numbers / np.sqrt(mean(numbers**2) + epsilon))
            x, numbers = rows()
            y = cases.node("Div", [x, cases.node("Max", [cases.node("ReduceL2", [x], axes=[-1]), epsilon])])
            cases.output("length" + word, y, numbers / np.maximum(np.sqrt(total(numbers**2)), epsilon))
            x, numbers = rows()
            y = cases.node("Log", [cases.node("Add", [cases.node("Softmax", [cases.node("Mul", [x, 20.0])], axis=-1), epsilon])])
            cases.output("log" + word, y, np.log(softmax(20 * numbers) + epsilon))
            x, numbers = rows()
            y = cases.node("Reciprocal", [cases.node("Add", [cases.node("Relu", [x]), epsilon])])
            cases.output("reciprocal" + word, cases.node("Mul", [y, epsilon]), epsilon / (np.maximum(numbers, 0) + epsilon))
        x, numbers = cases.product(scale=5)
        p, probabilities = cases.node("Softmax", [x], axis=-1), softmax(numbers)
        logarithms = cases.node("Log", [p])
        cases.output("logarithms", logarithms, np.log(probabilities))
        cases.output("entropy", cases.sum(cases.node("Mul", [p, logarithms])), total(probabilities * np.log(probabilities)))
        for factor, word in ((1e-5, "5"), (1e-8, "8")):
            x, numbers = cases.product()
            y = cases.node("Mul", [x, factor])
            cases.output("tiny" + word, cases.node("Div", [y, cases.node("ReduceL2", [y], axes=[-1])]), numbers / np.sqrt(total(numbers**2)))
            x, numbers = cases.product(scale=factor)
            cases.output("tiny_weights" + word, cases.node("Div", [x, cases.node("ReduceL2", [x], axes=[-1])]), numbers / np.sqrt(total(numbers**2)))
        self.check(cases)


class ExponentialsTest(LimitsTest):
    def test_exponentials(self):
        """Of numbers up to 16, which are 9e6."""
        cases = Cases()
        x, numbers = cases.product(scale=4)
        y, exponentials = cases.node("Exp", [x]), np.exp(numbers)
        cases.output("softmax", cases.node("Div", [y, cases.sum(y)]), softmax(numbers))
        cases.output("logarithm", cases.node("Log", [cases.sum(y)]), np.log(total(exponentials)))
        cases.output("running_sum", cases.node("Log", [cases.node("CumSum", [y, cases.graph.count("axis", 1)])]), np.log(np.cumsum(exponentials, axis=-1)))
        cases.output("product", cases.node("Log", [cases.node("MatMul", [y, np.eye(WIDTH)], name="of_exponentials")]), numbers)
        x, numbers = cases.product(scale=4)
        cases.output("log_sum_exp", cases.node("ReduceLogSumExp", [x], axes=[-1]), np.log(total(np.exp(numbers))))
        x, numbers = cases.product(scale=4)
        cases.output("softplus", cases.node("Log", [cases.node("Add", [cases.node("Exp", [x]), 1.0])]), np.log1p(np.exp(numbers)))
        x, numbers = cases.product(scale=4)
        a, b = cases.node("Exp", [x]), cases.node("Exp", [cases.node("Neg", [x])])
        cases.output("tanh", cases.node("Div", [cases.node("Sub", [a, b]), cases.node("Add", [a, b])]), np.tanh(numbers))
        self.assertIn(["of_exponentials"], [product["nodes"] for product in self.check(cases)])


if __name__ == "__main__":
    unittest.main()
