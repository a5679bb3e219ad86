#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every kind of kernel with its cut at each place that is special: nothing for the GPU, one grain, half, all but a grain, all.

The engines then compute the two parts at the same time, into the same storage; the answer must be the CPU's.
"""
import os
import re
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

ROWS = 20  # of every cut axis, so that 5 % are one grain
FLOAT, INT64 = 1, 7
KINDS = {"contraction", "nest", "row", "permute", "indexed", "scan", "serial", "attention"}


def all_kinds():
    """Operators side by side, each of which stays a launch of its own."""
    graph = nacre.Graph("kinds", seed=7, opset=16)

    def add(operator, dims, result, *others, element_type=FLOAT, **attributes):
        name = f"{operator.lower()}_{len(graph.outputs)}"
        graph.node(operator, [graph.input(f"x_{name}", dims), *others], output=name, **attributes)
        graph.output(name, result, element_type)

    image = [1, 8, ROWS, 12]
    add("MatMul", [ROWS, 48], [ROWS, 36], graph.weight("matrix", [48, 36], -0.3, 0.3))
    add("MatMul", [1, 64], [1, 1270], graph.weight("wide", [64, 1270], -0.3, 0.3))  # cut by panels
    add("Conv", image, [1, 12, ROWS, 12], graph.kernel("filters", [12, 8, 3, 3]), kernel_shape=[3, 3], pads=[1] * 4)
    add("Conv", image, image, graph.kernel("depthwise", [8, 1, 3, 3]), kernel_shape=[3, 3], pads=[1] * 4, group=8)
    add("ConvTranspose", image, [1, 12, 2 * ROWS, 24], graph.weight("phases", [8, 12, 4, 4], -0.2, 0.2), strides=[2, 2], pads=[1] * 4)
    add("MaxPool", image, image, kernel_shape=[3, 3], pads=[1] * 4)
    add("Sigmoid", [ROWS, 33], [ROWS, 33])
    add("Softmax", [ROWS, 50], [ROWS, 50], axis=1)
    add("Transpose", [ROWS, 3, 7], [7, ROWS, 3], perm=[2, 0, 1])
    add("Gather", [9, 33], [ROWS, 33], graph.input("indices", [ROWS], INT64), axis=0)
    graph.integers("last", [1])
    add("CumSum", [ROWS, 15], [ROWS, 15], "last")
    add("ScatterND", [6, ROWS], [6, ROWS], graph.input("places", [9, 1], INT64), graph.input("updates", [9, ROWS]), reduction="add")
    add("ArgMax", [ROWS, 15], [ROWS, 1], element_type=INT64, axis=1)
    graph.node("MatMul", [graph.input("queries", [ROWS, 6, 8]), graph.input("keys", [ROWS, 8, 40])], output="scores")
    graph.node("Softmax", ["scores"], output="shares", axis=2)
    graph.node("MatMul", ["shares", graph.input("values", [ROWS, 40, 16])], output="attention")
    graph.output("attention", [ROWS, 6, 16])
    return graph


class CutsTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        reference = self.path("reference")
        os.mkdir(reference)
        all_kinds().save(self.path("kinds.onnx"))
        self.run_model(self.compile_kinds("libcpu.so", "--place=cpu"), f"--output={reference}")
        self.expected = [f"--expect={os.path.splitext(name)[0]}={reference}/{name}" for name in sorted(os.listdir(reference))]
        self.assertEqual(len(self.expected), len(all_kinds().outputs))

    def compile_kinds(self, name, *options):
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("kinds.onnx"), "-o", self.path(name), *options)
        return self.path(name)

    def test_halves_on_both_engines(self):
        library = self.compile_kinds("libhalf.so", "--place=gpu", "--gpu-precision=fp16")
        self.assertLess(os.path.getsize(library), os.path.getsize(self.compile_kinds("libgpu.so", "--place=gpu")))
        close = [e for e in self.expected if "argmax" not in e]  # the largest of a row may be another's once rounded
        for percent in (0, 50, 100):
            with self.subTest(f"{percent} % on the GPU"):
                said = self.run_model(library, f"--gpu-cut={percent}", "--rtol=2e-2", "--atol=2e-2", *close)
                self.assertEqual(said.count("agrees"), len(close), said)
                self.assertNotEqual(said.count("difference 0,"), len(close), "nothing was rounded")

    def test_every_kind_at_every_cut(self):
        library = self.compile_kinds("libgpu.so", "--place=gpu")
        for percent in (0, 5, 50, 95, 100):
            with self.subTest(f"{percent} % on the GPU"):
                said = self.run_model(library, f"--gpu-cut={percent}", "--profile", "--runs=1", *self.expected)
                self.assertEqual(said.count("agrees"), len(self.expected), said)
                kinds = set()
                for engine, gpu, extent, kind in re.findall(r"\d  (cpu|gpu)(?: (\d+)/(\d+))? +(\w+) ", said):
                    if percent in (0, 100):
                        self.assertEqual(engine, "gpu" if percent else "cpu", said)
                    elif extent and int(extent) % ROWS == 0:
                        self.assertEqual(int(gpu) * 100, int(extent) * percent, said)
                    else:
                        continue
                    kinds.add(kind)
                self.assertEqual(kinds, KINDS, said)

    def test_no_engine_writes_what_the_other_computes(self):
        """The CPU packs panels of columns itself if they are no weight, and writes whole panels; its part is computed last here."""
        columns, depth = 1270, 64
        graph = nacre.Graph("row", seed=7)
        graph.node("MatMul", [graph.input("x", [1, depth]), graph.input("right", [depth, columns])], output="y")
        graph.output("y", [1, columns])
        graph.save(self.path("row.onnx"))
        library = self.path("librow.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("row.onnx"), "-o", library, "--place=gpu")

        def run(percent):
            said = self.run_model(library, f"--gpu-cut={percent}", "--gpu-sequential", "--profile", "--runs=1", f"--output={self.folder}")
            with open(self.path("y.npy"), "rb") as file:
                data = file.read()
            return said, struct.unpack(f"<{columns}f", data[-4 * columns:])

        (_, cpu), (said, both), (_, gpu) = (run(percent) for percent in (0, 60, 100))
        shared = re.search(rf" gpu (\d+)/{columns} ", said)
        self.assertIsNotNone(shared, said)
        begin = int(shared[1])
        self.assertEqual(both, gpu[:begin] + cpu[begin:])
        for part in (slice(0, begin), slice(begin, columns)):
            self.assertNotEqual(gpu[part], cpu[part], "engines add up in different orders")


if __name__ == "__main__":
    unittest.main()
