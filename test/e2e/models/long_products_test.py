#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices with a long sum for each of few results, against that sum.

Why:  a GPU adds up parts of the sum in one launch and the parts in another, which reads them through views and transposes.
How:  both operands are inputs, each as it is or transposed; a bias and a rectifier follow. On the CPU, the GPU, and both.
"""
import operator
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import Graph, write_npy

# 1100 is 5 parts of 220; 9 to 15 rows, or few columns, have 25 parts of 44. A workgroup divides the sum of fewer rows.
SHAPES, DEPTH = ((40, 36), (12, 36), (36, 6), (6, 36)), 1100


def turned(matrix):
    return [list(line) for line in zip(*matrix)]


class LongProductsTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(7)
        self.graph = Graph("long_products", opset=13)
        self.inputs, self.expected = [], []

    def input(self, name, matrix):
        dims = [len(matrix), len(matrix[0])]
        write_npy(self.path(f"{name}.npy"), dims, sum(matrix, []))
        self.inputs.append(f"--input={self.graph.input(name, dims)}={self.path(name)}.npy")
        return name

    def operand(self, name, matrix, transpose):
        if not transpose:
            return self.input(name, matrix)
        return self.graph.node("Transpose", [self.input(name, turned(matrix))], perm=[1, 0])

    def matrix(self, rows, columns):
        return [[self.random.uniform(-1, 1) for _ in range(columns)] for _ in range(rows)]

    def product(self, name, rows, columns, transposed):
        """Adds a product of two matrices, its bias and its rectifier, and what is expected."""
        bias = self.random.choices((-2.0, 1.0, 3.0), k=columns)
        x, y = self.matrix(rows, DEPTH), self.matrix(DEPTH, columns)
        product = self.graph.node("MatMul", [self.operand(f"{name}_x", x, transposed & 1), self.operand(f"{name}_y", y, transposed & 2)])
        biased = self.graph.node("Add", [product, self.graph.constant(f"{name}_b", [columns], bias)])
        self.graph.node("Relu", [biased], output=name)
        self.graph.output(name, [rows, columns])
        turned_y = turned(y)
        z = [max(0.0, sum(map(operator.mul, row, column)) + b) for row in x for column, b in zip(turned_y, bias)]
        write_npy(self.path(f"{name}_expected.npy"), [rows, columns], z)
        self.expected.append(f"--expect={name}={self.path(name)}_expected.npy")

    def test_operands_in_any_order(self):
        for rows, columns in SHAPES:
            for transposed in range(4):
                self.product(f"z{rows}_{columns}_{transposed}", rows, columns, transposed)
        self.graph.save(self.path("products.onnx"))
        for place, cuts in (("cpu", [None]), ("gpu", [100, 50])):
            library = self.path(f"lib{place}.so")
            self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("products.onnx"), "-o", library, f"--place={place}")
            for cut in cuts:
                with self.subTest(f"on {place}, cut {cut}"):
                    options = [] if cut is None else [f"--gpu-cut={cut}"]
                    said = self.run_model(library, *options, *self.inputs, "--rtol=1e-4", "--atol=1e-4", *self.expected)
                    self.assertEqual(said.count("agrees"), len(self.expected), said)


if __name__ == "__main__":
    unittest.main()
