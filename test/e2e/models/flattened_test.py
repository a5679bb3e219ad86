#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dense layers of flattened images, and products that become images again, against their sums.

Why:  images have their channels first in the file and last in kernels; a GPU multiplies them as they are, position by position.
How:  pools make the images and read them; matrices are inputs. On the CPU, the GPU, and both.
"""
import operator
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import Graph, write_npy

IMAGES, CHANNELS, HEIGHT, WIDTH, COLUMNS = 40, 180, 2, 3, 36
FEATURES = CHANNELS * HEIGHT * WIDTH  # 1080: as a sum, in parts


class FlattenedTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(3)
        self.graph = Graph("flattened", opset=13)
        self.inputs, self.expected = [], []

    def input(self, name, dims, values):
        write_npy(self.path(f"{name}.npy"), dims, values)
        self.inputs.append(f"--input={self.graph.input(name, dims)}={self.path(name)}.npy")
        return name

    def output(self, name, dims, values):
        self.graph.output(name, dims)
        write_npy(self.path(f"{name}_expected.npy"), dims, values)
        self.expected.append(f"--expect={name}={self.path(name)}_expected.npy")

    def numbers(self, count):
        return [self.random.uniform(-1, 1) for _ in range(count)]

    def add_layer(self):
        """x, pooled and flattened, times a matrix. Each window has its maximum in a corner of its own."""
        maxima = self.numbers(IMAGES * FEATURES)
        dims = [IMAGES, CHANNELS, 2 * HEIGHT, 2 * WIDTH]
        x = [0.0] * (4 * len(maxima))
        for plane in range(IMAGES * CHANNELS):
            for h in range(HEIGHT):
                for w in range(WIDTH):
                    value, corner = maxima[(plane * HEIGHT + h) * WIDTH + w], self.random.randrange(4)
                    for cell in range(4):
                        at = (plane * 2 * HEIGHT + 2 * h + cell // 2) * 2 * WIDTH + 2 * w + cell % 2
                        x[at] = value if cell == corner else value - 1
        matrix = self.numbers(FEATURES * COLUMNS)
        pooled = self.graph.node("MaxPool", [self.input("x", dims, x)], kernel_shape=[2, 2], strides=[2, 2])
        self.graph.node("MatMul", [self.graph.node("Flatten", [pooled]), self.input("w", [FEATURES, COLUMNS], matrix)], output="y")
        columns = [matrix[c::COLUMNS] for c in range(COLUMNS)]
        rows = [maxima[n * FEATURES:(n + 1) * FEATURES] for n in range(IMAGES)]
        self.output("y", [IMAGES, COLUMNS], [sum(map(operator.mul, row, column)) for row in rows for column in columns])

    def add_images(self):
        """A product with a transposed matrix, as images that a pool reads."""
        dy, matrix = self.numbers(IMAGES * COLUMNS), self.numbers(FEATURES * COLUMNS)
        turned = self.graph.node("Transpose", [self.input("v", [FEATURES, COLUMNS], matrix)], perm=[1, 0])
        flat = self.graph.node("MatMul", [self.input("dy", [IMAGES, COLUMNS], dy), turned])
        shape = self.graph.integers("shape", [IMAGES, CHANNELS, HEIGHT, WIDTH])
        self.graph.node("MaxPool", [self.graph.node("Reshape", [flat, shape])], output="z", kernel_shape=[HEIGHT, WIDTH])
        size, z = HEIGHT * WIDTH, []
        for n in range(IMAGES):
            row = dy[n * COLUMNS:(n + 1) * COLUMNS]
            products = [sum(map(operator.mul, row, matrix[f * COLUMNS:(f + 1) * COLUMNS])) for f in range(FEATURES)]
            z += [max(products[c * size:(c + 1) * size]) for c in range(CHANNELS)]
        self.output("z", [IMAGES, CHANNELS, 1, 1], z)

    def test_every_engine_has_the_sums(self):
        self.add_layer()
        self.add_images()
        self.graph.save(self.path("flattened.onnx"))
        for place, cuts in (("cpu", [None]), ("gpu", [100, 50])):
            library = self.path(f"lib{place}.so")
            said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("flattened.onnx"), "-o", library, f"--place={place}")
            for cut in cuts:
                with self.subTest(f"on {place}, cut {cut}"):
                    options = [] if cut is None else [f"--gpu-cut={cut}"]
                    said = self.run_model(library, *options, *self.inputs, "--rtol=1e-4", "--atol=1e-4", *self.expected)
                    self.assertEqual(said.count("agrees"), len(self.expected), said)
        plan = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("flattened.onnx"), "--place=gpu", "--compile-to=kernels")
        # The input's images are turned once; nothing else is.
        self.assertEqual(plan.count("plan.launch @transpose"), 1, plan)


if __name__ == "__main__":
    unittest.main()
