#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on rows and windows between DequantizeLinear and QuantizeLinear: one launch each, which reads bytes and writes bytes.

How:  the right answers are computed here in double precision. What lies half-way between two steps may fall to either side.
"""
import json
import math
import os
import shutil
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from quantized_test import FLOAT, UINT8, Network, f32

ZERO, SCALE = 131, 0.02
CHANNELS, SIDE = 24, 9


class Rows(Network):
    def __init__(self):
        super().__init__("quantized_rows", seed=21)
        self.scale("s", SCALE), self.scalar("z", UINT8, ZERO)

    def coded(self, name, dims):
        """An input of bytes, what they stand for, and the node that says so."""
        codes = self.values[self.bytes(name, UINT8, dims, fed=True)][1]
        self.node("DequantizeLinear", [name, "s", "z"], output=name + "r")
        return name + "r", [(code - ZERO) * f32(SCALE) for code in codes]

    def quantized(self, name, dims, reals, step, zero):
        step = f32(step)
        self.scale(name + "s", step), self.scalar(name + "z", UINT8, zero)
        values = [min(max(round(real / step) + zero, 0), 255) for real in reals]
        self.result("QuantizeLinear", [name + "r", name + "s", name + "z"], [(name, UINT8, dims, values)])

    def lrn(self):
        x, reals = self.coded("a", [1, CHANNELS, 2, 3])
        self.node("LRN", [x], output="lr", size=5, alpha=0.3, beta=0.75, bias=1.0)
        squares = [sum(v * v for v in reals[index % 6::6][max(index // 6 - 2, 0):index // 6 + 3]) for index in range(6 * CHANNELS)]
        self.quantized("l", [1, CHANNELS, 2, 3], [real / (1 + 0.06 * total) ** 0.75 for real, total in zip(reals, squares)], 0.017, 120)

    def average(self):
        x, reals = self.coded("b", [1, 2, SIDE, SIDE])
        self.node("AveragePool", [x], output="pr", kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
        inside = range(SIDE)
        wanted = [sum(reals[(channel * SIDE + y) * SIDE + x] for y in range(row - 1, row + 2) if y in inside
                      for x in range(column - 1, column + 2) if x in inside) / 9
                  for channel in range(2) for row in inside for column in inside]
        self.quantized("p", [1, 2, SIDE, SIDE], wanted, 0.01, 128)

    def softmax(self):
        x, reals = self.coded("c", [5, 37])
        self.node("Softmax", [x], output="mr", axis=1)
        wanted = []
        for row in range(5):
            terms = [math.exp(real) for real in reals[row * 37:(row + 1) * 37]]
            wanted += [term / sum(terms) for term in terms]
        self.quantized("m", [5, 37], wanted, 1 / 512, 0)

    def norm(self):
        x, reals = self.coded("d", [4, 50])
        ones = self.known("ones", FLOAT, [50], [1.0] * 50)
        self.node("LayerNormalization", [x, ones], output="nr", axis=1, epsilon=1e-5)
        wanted = []
        for row in range(4):
            values = reals[row * 50:(row + 1) * 50]
            mean = sum(values) / 50
            variance = sum((v - mean) ** 2 for v in values) / 50
            wanted += [(v - mean) / math.sqrt(variance + 1e-5) for v in values]
        self.quantized("n", [4, 50], wanted, 0.02, 128)


class QuantizedRowsTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        self.net = Rows()
        for part in (self.net.lrn, self.net.average, self.net.softmax, self.net.norm):
            part()
        self.net.save(self.path("rows.onnx"))
        for name, tensor in self.net.fed.items():
            with open(self.path(name + ".pb"), "wb") as file:
                file.write(tensor)

    def compiled(self, *options):
        library = self.path("librows.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("rows.onnx"), "-o", library, "--quiet", *options)
        return library

    def check(self, run, library):
        folder = self.path("out")
        os.mkdir(folder)
        run(library, f"--output={folder}", *(f"--input={name}={self.path(name + '.pb')}" for name in self.net.fed))
        for name, (_, wanted) in self.net.wanted.items():
            with open(os.path.join(folder, name + ".npy"), "rb") as file:
                data = file.read()
            got = struct.unpack(f"<{len(wanted)}B", data[10 + struct.unpack("<H", data[8:10])[0]:])
            off = [abs(a - b) for a, b in zip(got, wanted)]
            self.assertLessEqual(max(off), 1, name)
            self.assertLessEqual(sum(off), len(off) // 50, name)

    def test_bytes_in_and_out(self):
        report = self.path("report.json")
        library = self.compiled(f"--report={report}")
        with open(report, encoding="utf-8") as file:
            launches = json.load(file)["launches"]
        kinds = sorted((launch["kind"], launch["fallback"]) for launch in launches if launch["kind"] != "permute")
        # An average of a window is a sum of bytes, as a depthwise convolution has it.
        self.assertEqual(kinds, [("contraction", False), ("nest", False)] + [("row", False)] * 2)
        for launch in launches:
            read, written = launch["read_bytes"], launch["written_bytes"]
            if launch["kind"] in ("nest", "row"):
                self.assertEqual(read, written, launch["kernel"])
            else:  # Windows are padded, and a convolution reads its weights; floats would be four times as many bytes.
                self.assertLess(max(read, written), 2 * min(read, written), launch["kernel"])
        self.check(self.run_model, library)

    @unittest.skipUnless(shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT), "needs qemu-aarch64 and an arm64 sysroot")
    def test_arm64(self):
        self.check(self.run_arm64, self.compiled("--target=linux-arm64"))


if __name__ == "__main__":
    unittest.main()
