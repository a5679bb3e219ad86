#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Long sums of halves: an average pool, a mean and a layer normalization of fp16 keep them in fp32, and round once at the end.

Added up in halves, a window of thousands would be wrong in the second digit: a sum of 2,048 no longer sees what is added to it.
"""
import os
import random
import shutil
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import write_npy

FLOAT, HALF = 1, 10
SIDE, WIDTH, ROWS = 64, 4096, 3
STEP = 2.0**-11  # of halves, relative to a number: half a unit in the last place


def half(x):
    return struct.unpack("e", struct.pack("e", x))[0]


def of_halves(operator, shape, result, **attributes):
    graph = nacre.Graph(operator, opset=17)
    x = graph.node("Cast", [graph.input("x", shape)], to=HALF)
    inputs = [x] + ([graph.node("Cast", [graph.constant("scale", [WIDTH], [1.0] * WIDTH)], to=HALF)] if operator == "LayerNormalization" else [])
    y = graph.node(operator, inputs, **attributes)
    graph.node("Cast", [y], output="y", to=FLOAT)
    graph.output("y", result)
    return graph


class HalvesTest(nacre.NacreTest):
    def check(self, graph, shape, x, result, y, atol):
        graph.save(self.path("model.onnx"))
        write_npy(self.path("x.npy"), shape, x)
        write_npy(self.path("y.npy"), result, y)
        arguments = [f"--input=x={self.path('x.npy')}", f"--expect=y={self.path('y.npy')}", f"--rtol={1.1 * STEP}", f"--atol={atol}"]
        for place, run in (("cpu", ()), ("gpu", ("--gpu",))):
            with self.subTest(place=place):
                library = self.path(f"lib{place}.so")
                self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("model.onnx"), "-o", library, f"--place={place}")
                self.assertIn("agrees", self.run_model(library, *run, *arguments))
        if shutil.which("qemu-aarch64"):
            library = self.path("libarm64.so")
            self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("model.onnx"), "-o", library, "--target=linux-arm64")
            self.assertIn("agrees", self.run_arm64(library, *arguments))

    def test_an_average_pool(self):
        draw = random.Random(1)
        x = [half(draw.uniform(0.5, 1.5)) for _ in range(8 * SIDE * SIDE)]
        y = [sum(x[c * SIDE * SIDE:][:SIDE * SIDE]) / SIDE**2 for c in range(8)]
        shape = [1, 8, SIDE, SIDE]
        self.check(of_halves("AveragePool", shape, [1, 8, 1, 1], kernel_shape=[SIDE, SIDE]), shape, x, [1, 8, 1, 1], y, 0)

    def test_a_mean(self):
        draw = random.Random(2)
        x = [half(draw.uniform(0.5, 1.5)) for _ in range(ROWS * WIDTH)]
        y = [sum(x[r * WIDTH:][:WIDTH]) / WIDTH for r in range(ROWS)]
        self.check(of_halves("ReduceMean", [ROWS, WIDTH], [ROWS, 1], axes=[1]), [ROWS, WIDTH], x, [ROWS, 1], y, 0)

    def test_a_layer_normalization(self):
        draw = random.Random(3)
        x = [half(draw.uniform(0, 2)) for _ in range(ROWS * WIDTH)]
        y = []
        for r in range(ROWS):
            row = x[r * WIDTH:][:WIDTH]
            mean = sum(row) / WIDTH
            deviation = (sum((v - mean)**2 for v in row) / WIDTH + 1e-5)**0.5
            y += [(v - mean) / deviation for v in row]
        shape = [ROWS, WIDTH]
        self.check(of_halves("LayerNormalization", shape, shape, axis=-1), shape, x, shape, y, 1e-5)


if __name__ == "__main__":
    unittest.main()
