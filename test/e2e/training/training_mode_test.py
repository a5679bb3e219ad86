#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A batch normalization that was exported in training mode, whose mean and variance have names.

Why:  PyTorch's export in training mode names these results, although no node reads them.
How:  a step moves the statistics as ONNX says, or leaves them with --batch-norm=frozen; the entry `main` then normalizes by what is kept.
"""
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import Graph, write_npy


class TrainingModeTest(nacre.NacreTest):
    def compile_training(self, options):
        library = self.path("libnet.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("net.onnx"), "-o", library, "--train", *options)
        return library

    def test_statistics(self):
        """Their results have no reader, or one."""
        for opset, is_read in ((9, False), (17, False), (17, True)):
            with self.subTest(opset=opset, is_read=is_read):
                graph = Graph("net", opset=opset)
                x = graph.input("x", [4, 2])
                parameters = [graph.constant(name, [2], values) for name, values in
                              (("scale", [1.5, 0.5]), ("shift", [0.25, -1]), ("mean", [0.5, -0.5]), ("variance", [2, 3]))]
                outputs = ["y", "mean_out", "variance_out"] + (["saved_mean", "saved_variance"] if opset < 14 else [])
                graph.node("BatchNormalization", [x, *parameters], output=outputs, **({"training_mode": 1} if opset >= 14 else {}), momentum=0.75)
                graph.output("y", [4, 2])
                if is_read:
                    graph.node("Mul", ["mean_out", graph.constant("two", [2], [2, 2])], output="twice")
                    graph.output("twice", [2])
                graph.save(self.path("net.onnx"))
                for frozen in ([], ["--batch-norm=frozen"]):
                    self.check_statistics(is_read, frozen)

    def check_statistics(self, is_read, frozen):
        library = self.compile_training(["--loss=mean-squared-error:y", *frozen])
        rows = [[1.0, 2.0], [3.0, -1.0], [-2.0, 0.5], [0.0, 1.0]]
        write_npy(self.path("x.npy"), [4, 2], sum(rows, []))
        write_npy(self.path("label.npy"), [4, 2], [0.0] * 8)
        write_npy(self.path("rate.npy"), [], [0.0])
        means = [sum(column) / 4 for column in zip(*rows)]
        moved = [0.75 * old + 0.25 * new for old, new in zip((0.5, -0.5), means)]
        state = self.path("state.safetensors")
        arguments = [f"--input=x={self.path('x.npy')}", f"--input=label={self.path('label.npy')}", f"--input=learning_rate={self.path('rate.npy')}"]
        self.run_model(library, "--entry=train", *arguments, "--save=" + state)
        # The entry `main` normalizes by the statistics that the step has left.
        variances = [sum((v - m)**2 for v in column) / 4 for column, m in zip(zip(*rows), means)]
        spread = [0.75 * old + 0.25 * new for old, new in zip((2, 3), variances)]
        kept = list(zip((0.5, -0.5), (2, 3))) if frozen else list(zip(moved, spread))
        expected = [(v - m) / math.sqrt(s + 1e-5) * scale + shift for row in rows
                    for v, (m, s), scale, shift in zip(row, kept, (1.5, 0.5), (0.25, -1))]
        write_npy(self.path("y.npy"), [4, 2], expected)
        answers = [f"--expect=y={self.path('y.npy')}"]
        if is_read:
            write_npy(self.path("twice.npy"), [2], [2 * mean for mean, _ in kept])
            answers.append(f"--expect=twice={self.path('twice.npy')}")
        said = self.run_model(library, arguments[0], "--resume=" + state, *answers)
        self.assertEqual(said.count("agrees"), len(answers))


if __name__ == "__main__":
    unittest.main()
