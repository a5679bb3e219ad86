#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of two inputs, whose right operand a launch of its own puts into panels, beside sums of whole numbers."""
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from nacre import Graph
from onnx_writer import write_npy

# More rows than half of a second-level cache holds; depth and columns that are multiples of nothing.
ROWS, DEPTH, COLUMNS = 323, 419, 37
SIDES = {"plain": (), "right": ("right",), "left": ("left",)}


def product_model(turned):
    graph = Graph("product")
    operands = []
    for name, dims in (("left", [ROWS, DEPTH]), ("right", [DEPTH, COLUMNS])):
        x = graph.input(name, dims[::-1] if name in turned else dims)
        operands.append(graph.node("Transpose", [x], perm=[1, 0]) if name in turned else x)
    graph.output(graph.node("MatMul", operands, output="y"), [ROWS, COLUMNS])
    return graph


def numbers(rows, columns, step):
    """Small whole numbers: sums of their products are exact."""
    return [[(step * (columns * row + column) + row) % 7 - 3 for column in range(columns)] for row in range(rows)]


class PackedTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        left, right = numbers(ROWS, DEPTH, 5), numbers(DEPTH, COLUMNS, 3)
        columns = list(zip(*right))
        self.write("y", [[sum(map(int.__mul__, row, column)) for column in columns] for row in left])
        for name, matrix in (("left", left), ("right", right)):
            self.write(name, matrix)
            self.write(name + "_turned", list(zip(*matrix)))

    def write(self, name, matrix):
        write_npy(self.path(name + ".npy"), [len(matrix), len(matrix[0])], (float(x) for row in matrix for x in row))

    def check(self, run, *options):
        for name, turned in SIDES.items():
            with self.subTest(name):
                product_model(turned).save(self.path(name + ".onnx"))
                library = self.compile(name, "--quiet", *options)
                inputs = [f"--input={side}={self.path(side + '_turned' * (side in turned) + '.npy')}" for side in ("left", "right")]
                run(library, *inputs, f"--expect=y={self.path('y.npy')}", "--rtol=0", "--atol=0")
                self.assertRegex(run(library, *inputs, "--profile", "--runs=1"), "permute +pack")

    def test_every_instruction_set_of_the_host(self):
        for cpu in ("native", "x86-64-v3", "x86-64-v2") if os.uname().machine == "x86_64" else ("native",):
            with self.subTest(cpu):
                self.check(self.run_model, f"--cpu={cpu}")

    @unittest.skipUnless(shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT), "needs qemu-aarch64 and an arm64 sysroot")
    def test_arm64(self):
        self.check(self.run_arm64, "--target=linux-arm64")


if __name__ == "__main__":
    unittest.main()
