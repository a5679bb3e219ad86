#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What nacre-compile says would make a model faster: of each kind one model that has it and one that has not, and where it is said."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import advice_models as models
import nacre

COMPILE = os.path.join(nacre.BIN, "nacre-compile")
DEVICE = "--device=snapdragon-778g"
AVX512 = ("--target=linux-x86_64", "--cpu=x86-64-v4")
F32, F64 = 1, 11
# The kind, a model that has it and one that has not, options; the node, what is said before the share, and the least share.
CASES = (
    ("padding", models.convolutions(67), models.convolutions(64), AVX512, "conv_0",
     "67 output channels are padded to 80 to fill vectors; 80 channels would take little longer, and 64 less time (wasted here: ", 0.05),
    ("weights", models.dense(1), models.dense(64), (), "matmul_0", "this is limited by reading 4.0 MiB of weights; --weight-type=fp16 halves them (savings here: ", 0.4),
    ("transpose", models.turned(True), models.turned(False), (), "transpose_1",
     "this transposition is not fused with its neighbours; compute the operators before or after it in the other order of axes (here: ", 0.2),
    ("double", models.exponentials(F64), models.exponentials(F32), (), "softmax_2",
     "this is computed in f64; f32 takes at most half the time; cast its inputs to float (savings here and at 3 others: ", 0.4),
    ("gpu", models.exponentials(F64), models.exponentials(F32), ("--place=gpu",), "softmax_2",
     "the GPU has no code for this (row: no GPU code for math.exp in its types; points: no GPU code for math.exp in its types); try another "
     "element type or operator (here and at 3 others: ", 0.9),
    ("scale", models.normalized(False), models.normalized(True), (), "batchnormalization_3",
     "scaling channels by constants takes a separate pass here; place the normalization directly after a convolution, where it is fused with "
     "the operators that follow it (here: ", 0.05),
    ("serial", models.running(0), models.turned(False), (), "cumsum_0",
     "this is computed sequentially, in the order that its operator requires; reduce the steps, or compute it outside the model (here: ", 0.9),
)


class AdviceTest(nacre.NacreTest):
    parts = 2

    def advice_of(self, graph, *options):
        """What is printed, and what the report has."""
        graph.save(self.path("model.onnx"))
        said = self.call(COMPILE, self.path("model.onnx"), "-o", self.path("libmodel.so"), f"--report={self.path('report.json')}", *options)
        with open(self.path("report.json"), encoding="utf-8") as file:
            return [line for line in said.splitlines() if ": note: " in line], json.load(file)["advice"]

    def test_each_kind(self):
        for kind, with_it, without, options, node, text, least in CASES:
            for device in (), (DEVICE,):
                with self.subTest(kind=kind, device=device):
                    lines, advice = self.advice_of(with_it, *options, *device)
                    row = next(row for row in advice if row["kind"] == kind)
                    self.assertEqual(row["nodes"][0], node)
                    self.assertEqual(row["text"], f"{text}{100 * row['share']:.0f} % of a run)")
                    self.assertGreaterEqual(row["share"], least)
                    self.assertLessEqual(row["share"], 1.0001)
                    self.assertEqual(lines, [f"{self.path('model.onnx')}:\"{row['nodes'][0]}\": note: {row['text']}" for row in advice])
                    self.assertEqual([row["share"] for row in advice], sorted((row["share"] for row in advice), reverse=True))
                    self.assertNotIn(kind, [row["kind"] for row in self.advice_of(without, *options, *device)[1]])

    def test_what_is_as_it_should_be(self):
        for graph in models.convolutions(64), models.dense(64), models.turned(False), models.exponentials(F32), models.normalized(True), nacre.make_convnet():
            self.assertEqual(self.advice_of(graph, *AVX512), ([], []))

    def test_weights_that_are_halves_are_not_advised_to_be(self):
        self.assertEqual(self.advice_of(models.dense(1), "--weight-type=fp16"), ([], []))

    def test_silence(self):
        self.assertEqual(self.advice_of(models.dense(1), "--advice=off"), ([], []))
        lines, advice = self.advice_of(models.dense(1), "--quiet")
        self.assertEqual((lines, len(advice)), ([], 1), "the report has it all the same")

    def test_the_library_is_the_same(self):
        contents = []
        for choice in "on", "off":
            self.advice_of(models.dense(1), f"--advice={choice}")
            with open(self.path("libmodel.so"), "rb") as file:
                contents.append(file.read())
        self.assertEqual(*contents)

    def test_what_is_refused(self):
        said = self.compile("relu", "--advice=perhaps", status=2)
        self.assertEqual(said, "nacre-compile: --advice must be on or off, but is 'perhaps'\n")


if __name__ == "__main__":
    unittest.main()
