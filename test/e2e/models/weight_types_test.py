#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights at half the bytes: an embedding, a recurrent layer and a dense layer of one row, as fp16 and as bf16.

How:  the same network with weights that were rounded here, compiled with fp32, must give every bit of what --weight-type gives:
      only the bytes differ, and each number is rounded once, to nearest. What computes longer than it reads keeps its own.
"""
import json
import os
import shutil
import struct
import sys
import unittest
from array import array

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import INT64, Graph, write_npy

WORDS, WIDTH, STEPS, UNITS, CLASSES = 300, 64, 40, 288, 100
BOUNDS = {"fp16": 2.0**-11, "bf16": 2.0**-8}


def to_fp16(x):
    return struct.unpack("e", struct.pack("e", x))[0]


def to_bf16(x):
    bits, = struct.unpack("I", struct.pack("f", x))
    bits += 0x7FFF + (bits >> 16 & 1)
    return struct.unpack("f", struct.pack("I", bits >> 16 << 16))[0]


ROUND = {"fp16": to_fp16, "bf16": to_bf16}


class Network(Graph):
    """Words to classes. `round` is what becomes of a weight that a launch waits for; the product of all steps with the LSTM's
    other matrix computes longer than it reads."""

    def __init__(self, rounds=lambda x: x, largest=0.0):
        super().__init__("words", seed=11)
        self.rounds = rounds
        table = self.narrow("table", [WORDS, WIDTH], largest)
        x = self.node("Gather", [table, self.input("ids", [STEPS], INT64)])
        x = self.node("Unsqueeze", [x, self.integers("batch", [1])])
        w = self.weight("w", [1, 4 * UNITS, WIDTH], -0.2, 0.2)
        r = self.narrow("r", [1, 4 * UNITS, UNITS])
        self.node("LSTM", [x, w, r], output=["", "hidden"], hidden_size=UNITS)
        x = self.node("Reshape", ["hidden", self.integers("row", [1, UNITS])])
        self.node("MatMul", [x, self.narrow("dense", [UNITS, CLASSES])], output="y")
        self.output("y", [1, CLASSES])

    def narrow(self, name, dims, largest=0.0):
        count = 1
        for size in dims:
            count *= size
        values = array("f", (self.random.uniform(-0.2, 0.2) for _ in range(count)))
        values[0] = largest or values[0]
        return self.constant(name, dims, map(self.rounds, values))


def save_ids(path):
    ids = [i * 37 % WORDS for i in range(STEPS)]
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({STEPS},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + array("q", ids).tobytes())


class WeightTypesTest(nacre.NacreTest):
    def build(self, network, library, *options):
        network.save(self.path("words.onnx"))
        path = self.path(library)
        self.said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("words.onnx"), "-o", path, *options)
        return path

    def arguments(self, expected):
        return [f"--input=ids={self.path('ids.npy')}", f"--expect=y={expected}"]

    def answer(self, run, network, *options):
        """What a library of fp32 gives."""
        library = self.build(network, "libwide.so", *options)
        run(library, f"--input=ids={self.path('ids.npy')}", f"--output={self.folder}")
        return self.path("y.npy")

    def check(self, run, weight_type, *options):
        expected = self.answer(run, Network(ROUND[weight_type]), *options)
        library = self.build(Network(), "libnarrow.so", f"--weight-type={weight_type}", *options)
        self.assertIn("agrees", run(library, *self.arguments(expected), "--rtol=0", "--atol=0"))
        return expected

    def test_every_bit_is_that_of_rounded_weights(self):
        save_ids(self.path("ids.npy"))
        for weight_type in BOUNDS:
            with self.subTest(type=weight_type):
                expected = self.check(self.run_model, weight_type)
                for place in ("gpu", "split:50"):
                    library = self.build(Network(), "libgpu.so", f"--weight-type={weight_type}", f"--place={place}")
                    self.assertIn("agrees", self.run_model(library, "--gpu", *self.arguments(expected)))
                self.check(self.run_model, weight_type, "--cpu=x86-64-v3")
            if shutil.which("qemu-aarch64"):
                with self.subTest(type=weight_type, target="linux-arm64"):
                    self.check(self.run_arm64, weight_type, "--target=linux-arm64")
        self.check(self.run_model, "bf16", "--cpu=x86-64-v2")

    def test_the_report_says_what_it_cost(self):
        report = self.path("report.json")
        for weight_type, bound in BOUNDS.items():
            self.build(Network(), "lib.so", f"--weight-type={weight_type}", f"--report={report}")
            with open(report, encoding="utf-8") as file:
                said = json.load(file)
            self.assertEqual(said["weight_type"], weight_type)
            rows = {row["nodes"]: row for row in said["narrow_weights"]}
            sizes = sorted(row["saved_bytes"] for row in rows.values())
            self.assertEqual(sizes, sorted(2 * size for size in (WORDS * WIDTH, 4 * UNITS * UNITS, UNITS * CLASSES)))
            for row in rows.values():
                self.assertLessEqual(row["largest_relative_error"], bound)
                self.assertGreater(row["largest_relative_error"], 0.9 * bound)
                self.assertLess(row["relative_error"], 0.7 * bound)
            self.assertIn(f"{weight_type}: 3 weights are ", self.said)

    def test_what_has_no_place_in_a_type_stays(self):
        save_ids(self.path("ids.npy"))
        expected = self.answer(self.run_model, Network(largest=70000.0))
        library = self.build(Network(largest=70000.0), "libnarrow.so", "--weight-type=fp16")
        self.assertIn("has a weight that must stay fp32, because 70000 is beyond the numbers of fp16", self.said)
        self.assertIn("fp16: 2 weights are ", self.said)
        self.assertIn("agrees", self.run_model(library, *self.arguments(expected), "--rtol=1e-3", "--atol=1e-3"))

    def test_refusals(self):
        said = self.compile("dense", "--weight-type=fp8", status=2)
        self.assertIn("--weight-type must be fp32, fp16 or bf16, but is 'fp8'", said)
        said = self.compile("dense", "--weight-type=bf16", "--accuracy=strict", status=2)
        self.assertIn("--accuracy=strict cannot be combined with --weight-type=", said)
        said = self.compile("dense", "--weight-type=fp16", "--cpu=x86-64-v2", status=2)
        self.assertIn("--weight-type=fp16 needs CPUs that convert fp16 in one instruction (F16C), but 'x86-64-v2' of target linux-x86_64 does not", said)


if __name__ == "__main__":
    unittest.main()
