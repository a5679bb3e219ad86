#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators whose kernels loop more than 65,535 times: Mesa's software GPUs leave the loops of a shader then, without a word.

How:  sums, searches and windows over 70,000 to 300,000 elements, of numbers whose results are exact in any order. On the CPU, the GPU, and both.
"""
import itertools
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import FLOAT, INT8, INT32, INT64, UINT8, Graph, write_npy

CODES = {FLOAT: "f", INT8: "b", UINT8: "B", INT32: "i", INT64: "q"}


def rows_of(values, count):
    size = len(values) // count
    return [values[row * size:(row + 1) * size] for row in range(count)]


def product(x, y, rows, columns):
    """x [rows, depth] times y [depth, columns]."""
    return [sum(a * b for a, b in zip(row, y[column::columns])) for row in rows_of(x, rows) for column in range(columns)]


class LongLoopsTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(5)
        self.graph = Graph("long_loops", opset=13)
        self.inputs, self.expected = [], []

    def input(self, name, dims, values, element_type=FLOAT):
        write_npy(self.path(f"{name}.npy"), dims, values, CODES[element_type])
        self.inputs.append(f"--input={self.graph.input(name, dims, element_type)}={self.path(name)}.npy")
        return name

    def expect(self, name, dims, values, element_type=FLOAT):
        self.graph.output(name, dims, element_type)
        write_npy(self.path(f"{name}_expected.npy"), dims, values, CODES[element_type])
        self.expected.append(f"--expect={name}={self.path(name)}_expected.npy")

    def draw(self, count, low=-2, high=2):
        return self.random.choices(range(low, high + 1), k=count)

    def check(self):
        self.graph.save(self.path("model.onnx"))
        self.call(os.path.join(nacre.BIN, "nacre-eval"), self.path("model.onnx"), *self.inputs, *self.expected)
        for place, cuts in (("cpu", [None]), ("gpu", [100, 50])):
            library = self.path(f"lib{place}.so")
            self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("model.onnx"), "-o", library, f"--place={place}")
            for cut in cuts:
                with self.subTest(f"on {place}, cut {cut}"):
                    options = [] if cut is None else [f"--gpu-cut={cut}"]
                    said = self.run_model(library, *options, *self.inputs, "--rtol=0", "--atol=0", *self.expected)
                    self.assertEqual(said.count("agrees"), len(self.expected), said)

    def test_products(self):
        for depth in (70_000, 300_000):
            x, y = self.draw(2 * depth), self.draw(3 * depth)
            for kind, left, right in (("", FLOAT, FLOAT), ("Integer", UINT8, INT8)):
                x = [abs(value) for value in x] if left == UINT8 else x
                name = f"product{kind}{depth}"
                self.graph.node(f"MatMul{kind}", [self.input(f"x{kind}{depth}", [2, depth], x, left),
                                                  self.input(f"y{kind}{depth}", [depth, 3], y, right)], output=name)
                self.expect(name, [2, 3], product(x, y, 2, 3), INT32 if kind else FLOAT)
        self.check()

    def test_convolutions(self):
        depth = 70_000
        x, w = self.draw(2 * depth, 0, 3), self.draw(3 * depth)
        self.graph.node("ConvInteger", [self.input("x", [1, depth, 2, 1], x, UINT8), self.input("w", [3, depth, 1, 1], w, INT8)], output="y")
        self.expect("y", [1, 3, 2, 1], [sum(a * b for a, b in zip(x[at::2], row)) for row in rows_of(w, 3) for at in range(2)], INT32)
        self.check()

    def test_running_sums(self):
        size = 70_000
        x = self.draw(2 * size)
        self.graph.node("CumSum", [self.input("x", [2, size], x, INT32), self.graph.count("axis", 1)], output="y")
        self.expect("y", [2, size], [value for row in rows_of(x, 2) for value in itertools.accumulate(row)], INT32)
        self.check()

    def test_selections(self):
        size, count = 70_000, 5
        x = self.random.sample(range(size), size)
        self.input("x", [1, size], x)
        self.graph.node("TopK", ["x", self.graph.integers("k", [count])], output=["values", "indices"], axis=1)
        self.expect("values", [1, count], list(range(size - 1, size - 1 - count, -1)))
        self.expect("indices", [1, count], [x.index(size - 1 - place) for place in range(count)], INT64)
        self.graph.node("ArgMin", ["x"], output="least", axis=1)
        self.expect("least", [1, 1], [x.index(0)], INT64)
        self.check()

    def test_reductions(self):
        rows, size = 3, 200_000
        x = self.draw(rows * size)
        self.input("x", [rows, size], x)
        self.graph.node("ReduceSum", ["x", self.graph.integers("columns", [1])], output="sums", keepdims=0)
        self.expect("sums", [rows], [sum(row) for row in rows_of(x, rows)])
        self.graph.node("ReduceSum", [self.graph.node("Transpose", ["x"], perm=[1, 0]), self.graph.integers("rows", [0])], output="turned", keepdims=0)
        self.expect("turned", [rows], [sum(row) for row in rows_of(x, rows)])
        self.check()

    def test_windows(self):
        side = 300
        x = self.draw(2 * side * side, 0, 1000)
        self.input("x", [1, 2, side, side], x)
        self.graph.node("MaxPool", ["x"], output="largest", kernel_shape=[side, side])
        self.expect("largest", [1, 2, 1, 1], [max(image) for image in rows_of(x, 2)])
        self.check()


if __name__ == "__main__":
    unittest.main()
