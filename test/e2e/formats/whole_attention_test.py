#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with bounds, groups, softcap and sinks is one launch on every engine, and its answers are those of the formula.

The model has a layer of each sort: causal after past keys, within a window, and with a score of one more key.
"""
import math
import os
import re
import shutil
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from formulas import INT32, Tensor, attend, floats, integers, join, split, table
from onnx_writer import Graph, _tensor

HEADS, GROUPS, WIDTH, QUERIES, PAST = 4, 2, 8, 19, 90
LAYERS = 4


def within(offset, before, behind):
    """A bias that hides keys by the positions of queries and keys."""
    return lambda b, h, i, j: 0.0 if i + offset - before <= j <= i + offset + behind else -math.inf


class Model:
    """Layers side by side over the same inputs, and their answers."""

    def __init__(self):
        self.inputs = {
            "q": floats(1, QUERIES, HEADS * WIDTH), "k": floats(1, QUERIES, GROUPS * WIDTH), "v": floats(1, QUERIES, GROUPS * WIDTH),
            "past_k": floats(1, GROUPS, PAST, WIDTH), "past_v": floats(1, GROUPS, PAST, WIDTH), "sink": floats(HEADS),
            "last": integers([PAST + QUERIES - 1])}
        self.graph, self.outputs = Graph("attention", opset=25), {}
        for name, tensor in self.inputs.items():
            self.graph.input(name, tensor.dims, tensor.element_type)
        # The length decides shapes, so it is a constant.
        self.graph.initializers.append(_tensor("length", INT32, [1], struct.pack("<i", PAST + QUERIES)))
        q, k, v = split(self.inputs["q"], HEADS), split(self.inputs["k"], GROUPS), split(self.inputs["v"], GROUPS)
        keys, values = join(self.inputs["past_k"], k), join(self.inputs["past_v"], v)

        grouped = dict(num_heads=HEADS, kv_num_heads=GROUPS)
        after_past = ["q", "k", "v", "past_k", "past_v", "last", "length"]
        self.add("com.microsoft.GroupQueryAttention", after_past, attend(q, keys, values, within(PAST, PAST + QUERIES, 0)), **grouped)
        self.add("com.microsoft.GroupQueryAttention", after_past + ["", "", "", "", "sink"],
                 attend(q, keys, values, within(PAST, 4, 0), softcap=1.5, sink=self.inputs["sink"]), local_window_size=5, softcap=1.5,
                 **grouped)
        standard = dict(q_num_heads=HEADS, kv_num_heads=GROUPS)
        self.add("Attention", ["q", "k", "v"], attend(q, k, v, within(0, 3, 2)), left_window_size=3, right_window_size=2, **standard)
        # The first queries see no key, and give 0.
        seen = within(-3, 2, 0)
        answer = attend(q, k, v, lambda b, h, i, j: seen(b, h, i, j) if i >= 3 else 0.0)
        self.add("Attention", ["q", "k", "v", "", "", "", "shorter"],
                 table(answer.dims, lambda b, t, c: answer[b, t, c] if t >= 3 else 0.0), is_causal=1, left_window_size=2, **standard)
        self.inputs["shorter"] = integers([QUERIES - 3])
        self.graph.input("shorter", [1], INT32)

    def add(self, operator, operands, expected, **attributes):
        name = f"y{len(self.outputs)}"
        self.graph.node(operator, operands, [name], **attributes)
        self.graph.output(name, expected.dims)
        self.outputs[name] = expected


class WholeAttentionTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        self.model = Model()
        self.model.graph.save(self.path("model.onnx"))
        for name, tensor in {**self.model.inputs, **self.model.outputs}.items():
            tensor.save(self.path(f"{name}.npy"))

    def check(self, options=(), run=None, run_options=(), rtol=1e-4, atol=1e-5):
        library = self.path("libmodel.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("model.onnx"), "-o", library, *options)
        given = [f"--input={name}={self.path(name + '.npy')}" for name in self.model.inputs]
        wanted = [f"--expect={name}={self.path(name + '.npy')}" for name in self.model.outputs]
        said = (run or self.run_model)(library, *given, *wanted, f"--rtol={rtol}", f"--atol={atol}", *run_options)
        self.assertEqual(said.count("agrees"), LAYERS, said)

    def test_answers(self):
        for cpu in ("native", "x86-64-v2"):
            with self.subTest(cpu=cpu):
                self.check([f"--cpu={cpu}"])

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_answers_on_arm64(self):
        self.check(["--target=linux-arm64"], self.run_arm64)

    def test_answers_with_gpu_code(self):
        self.check(["--place=gpu"], run_options=["--gpu"])

    def test_answers_in_halves(self):
        self.check(["--place=gpu", "--gpu-precision=fp16"], run_options=["--gpu"], rtol=2e-2, atol=5e-3)
        self.check(["--cpu-precision=fp16"], rtol=2e-2, atol=5e-3)

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_answers_in_halves_on_arm64(self):
        for cpu in ("max", "cortex-a72"):
            with self.subTest(cpu=cpu):
                self.check(["--target=linux-arm64", "--cpu-precision=fp16"], lambda *words, cpu=cpu: self.run_arm64(*words, cpu=cpu), rtol=2e-2, atol=5e-3)

    def test_plan(self):
        for options in ([], ["--place=gpu"]):
            plan = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("model.onnx"), "--compile-to=schedule", "-o", "-", *options)
            self.assertEqual(len(re.findall(r"plan\.launch @attention", plan)), LAYERS)


if __name__ == "__main__":
    unittest.main()
