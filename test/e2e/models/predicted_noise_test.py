#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The signal-to-noise ratio that the report predicts for --cpu-precision=fp16 is the measured one, within 3 dB.

Why:  users decide by it whether to use fp16.
How:  small networks have what changes noise in different ways: depthwise and residual layers, averages, a softmax. They run on arm64 under
      qemu with sums in fp16, and on this machine without. Inputs are normal numbers, as the prediction assumes. The signal is the answer of a
      library in fp32.
"""
import array
import json
import math
import os
import random
import re
import shutil
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import write_npy

COMPILE = os.path.join(nacre.BIN, "nacre-compile")
MARGIN = 3  # decibels
INPUTS = 6  # of each network
ARM_CORES = ("--target=linux-arm64", "--cpu=cortex-a76")


def residual():
    """Convolutions, a depthwise one, a residual sum, an average over positions and a dense layer."""
    graph = nacre.Graph("residual", seed=4)
    shape = [1, 3, 32, 32]
    x = graph.node("Conv", [graph.input("x", shape), graph.kernel("w_first", [32, 3, 3, 3])], strides=[2, 2], pads=[1, 1, 1, 1])
    x = skip = graph.node("Relu", [x])
    x = graph.node("Relu", [graph.node("Conv", [x, graph.kernel("w_wide", [128, 32, 1, 1]), graph.weight("b", [128], -0.2, 0.2)])])
    x = graph.node("Relu", [graph.node("Conv", [x, graph.kernel("w_depth", [128, 1, 3, 3])], group=128, pads=[1, 1, 1, 1])])
    x = graph.node("Add", [graph.node("Conv", [x, graph.kernel("w_narrow", [32, 128, 1, 1])]), skip])
    x = graph.node("Flatten", [graph.node("GlobalAveragePool", [graph.node("Relu", [x])])])
    graph.node("Gemm", [x, graph.kernel("w_dense", [32, 64])], output="y")
    graph.output("y", [1, 64])
    return graph, shape


def classes():
    """Dense layers and a softmax."""
    graph = nacre.Graph("classes", seed=5)
    x = graph.input("x", [8, 256])
    for number in range(3):
        x = graph.node("Relu", [graph.node("MatMul", [x, graph.kernel(f"w{number}", [256, 256])])])
    graph.node("Softmax", [graph.node("MatMul", [x, graph.weight("w_last", [256, 100], -0.08, 0.08)])], output="y", axis=-1)
    graph.output("y", [8, 100])
    return graph, [8, 256]


def stored():
    """Stored values, and sums of one term."""
    graph = nacre.Graph("stored")
    single = [0.7 if row == column else 0.0 for row in range(12) for column in range(12)]
    x = graph.node("Conv", [graph.input("x", [1, 12, 16, 16]), graph.constant("w", [12, 12, 1, 1], single)])
    graph.node("AveragePool", [graph.node("Relu", [x])], kernel_shape=[2, 2], strides=[2, 2], output="y")
    graph.output("y", [1, 12, 8, 8])
    return graph, [1, 12, 16, 16]


def read_floats(path):
    with open(path, "rb") as file:
        data = file.read()
    return array.array("f", data[10 + struct.unpack("<H", data[8:10])[0]:])


class PredictedNoiseTest(nacre.NacreTest):
    def compile_halves(self, name, *options):
        """The library and the predicted ratio, which the summary says, too."""
        library, report = self.path(f"lib{name}.so"), self.path("report.json")
        said = self.call(COMPILE, self.path("model.onnx"), "-o", library, "--cpu-precision=fp16", f"--report={report}", *options)
        with open(report, encoding="utf-8") as file:
            ports = json.load(file)["entries"][0]["ports"]
        predicted = {port["name"]: port["predicted_snr_db"] for port in ports if "predicted_snr_db" in port}
        self.assertEqual(list(predicted), ["y"])
        summary = re.search(r"predicted signal-to-noise ratio of 1 output in fp16: (\d+) dB", said)
        self.assertTrue(summary, said)
        self.assertLessEqual(abs(int(summary.group(1)) - predicted["y"]), 0.5)
        return library, predicted["y"]

    def check(self, network, options, run):
        graph, shape = network()
        graph.save(self.path("model.onnx"))
        library, predicted = self.compile_halves(network.__name__, *options)
        exact = self.path("libexact.so")
        self.call(COMPILE, self.path("model.onnx"), "-o", exact)
        draw = random.Random(6)
        signal = noise = 0
        for _ in range(INPUTS):
            write_npy(self.path("x.npy"), shape, [draw.gauss(0, 1) for _ in range(math.prod(shape))])
            answers = []
            for folder, start in (("wanted", lambda *more: self.run_model(exact, *more)), ("got", lambda *more: run(library, *more))):
                os.makedirs(self.path(folder), exist_ok=True)
                start(f"--input=x={self.path('x.npy')}", f"--output={self.path(folder)}")
                answers.append(read_floats(self.path(folder, "y.npy")))
            signal += sum(a * a for a in answers[0])
            noise += sum((a - b)**2 for a, b in zip(*answers, strict=True))
        measured = 10 * math.log10(signal / noise)
        self.assertLess(abs(predicted - measured), MARGIN, f"{network.__name__}: {predicted:.1f} dB predicted, {measured:.1f} dB measured")
        return predicted

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_sums_in_halves(self):
        for network in (residual, classes, stored):
            with self.subTest(network.__name__):
                self.check(network, ARM_CORES, lambda library, *options: self.run_arm64(library, *options, cpu="max"))

    def test_stored_halves(self):
        """Without sums in fp16, there is less noise."""
        for network in (residual, classes, stored):
            with self.subTest(network.__name__):
                here = self.check(network, (), self.run_model)
                _, on_arm = self.compile_halves("arm", *ARM_CORES)
                self.assertGreater(here, on_arm + (0 if network is stored else 3))

    def test_no_prediction_in_fp32(self):
        residual()[0].save(self.path("model.onnx"))
        said = self.call(COMPILE, self.path("model.onnx"), "-o", self.path("lib.so"), f"--report={self.path('report.json')}")
        self.assertNotIn("signal-to-noise", said)
        with open(self.path("report.json"), encoding="utf-8") as file:
            self.assertNotIn("predicted_snr_db", file.read())


if __name__ == "__main__":
    unittest.main()
