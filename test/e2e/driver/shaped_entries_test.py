#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entries for several shapes: --shape='x=1x{16,64}'.

How:  an attention layer over an open number of words, with positions that are sliced from a table, as exporters of texts write it. Each entry
      is compared with nacre-eval, which is given the same shape, on every engine.
"""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import every_engine
import nacre
from onnx_writer import FLOAT, INT64, Graph, write_npy

COMPILE, EVAL, DIFF = (os.path.join(nacre.BIN, name) for name in ("nacre-compile", "nacre-eval", "nacre-diff"))
SIZES = (4, 40, 65)
WIDTH, WORDS, MOST = 32, 50, 128
LISTS = [f"--shape={name}=1x{{{','.join(map(str, SIZES))}}}" for name in ("ids", "mask")]


def shape_of(size):
    return [f"--shape={name}=1x{size}" for name in ("ids", "mask")]


def encoder():
    graph = Graph("encoder", seed=7)
    ids, mask = (graph.input(name, [1, "words"], element_type) for name, element_type in (("ids", INT64), ("mask", FLOAT)))
    begin, end, axis = (graph.integers(name, [value]) for name, value in (("zero", 0), ("one", 1), ("axis", 1)))
    length = graph.node("Slice", [graph.node("Shape", [ids]), end, graph.integers("two", [2])])
    positions = graph.node("Slice", [graph.weight("positions", [1, MOST, WIDTH], -1, 1), begin, length, axis])
    x = graph.node("Add", [graph.node("Gather", [graph.weight("words", [WORDS, WIDTH], -1, 1), ids]), positions])
    query, key, value = (graph.node("MatMul", [x, graph.weight(name, [WIDTH, WIDTH], -0.3, 0.3)]) for name in ("q", "k", "v"))
    scores = graph.node("MatMul", [query, graph.node("Transpose", [key], perm=[0, 2, 1])])
    scores = graph.node("Add", [scores, graph.node("Unsqueeze", [mask, axis])])
    graph.node("MatMul", [graph.node("Softmax", [scores], axis=-1), value], output="y")
    graph.output("y", [1, "words", WIDTH])
    return graph


class ShapedEntriesTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        encoder().save(self.path("encoder.onnx"))
        self.library = self.path("libencoder.so")

    def build(self, *options, status=0):
        return self.call(COMPILE, self.path("encoder.onnx"), "-o", self.library, *options, status=status)

    def inputs(self, size, mask_size=None):
        """Options that give the inputs of one size."""
        write_npy(self.path(f"ids{size}.npy"), [1, size], [(7 * i + size) % WORDS for i in range(size)], "q")
        mask_size = mask_size or size
        write_npy(self.path(f"mask{mask_size}.npy"), [1, mask_size], [-9.0 if i % 5 == 4 else 0.0 for i in range(mask_size)], "f")
        return [f"--input=ids={self.path(f'ids{size}.npy')}", f"--input=mask={self.path(f'mask{mask_size}.npy')}"]

    def expected(self, size):
        """An option that compares with what the interpreter computes."""
        folder = self.path(f"expected{size}")
        if not os.path.exists(folder):
            os.mkdir(folder)
            self.call(EVAL, self.path("encoder.onnx"), *shape_of(size), *self.inputs(size), f"--output={folder}")
        return f"--expect=y={os.path.join(folder, 'y.npy')}"

    def check(self, run, *options):
        for size in SIZES:
            self.assertIn("agrees", run(self.library, *self.inputs(size), self.expected(size), *options), size)

    def test_each_entry_on_every_engine(self):
        for options, run, run_options in every_engine.EveryEngineTest.places(self):
            with self.subTest(options=options):
                self.build(*LISTS, *options)
                self.check(run, *run_options)

    def test_a_shell_writes_lists_as_several_options(self):
        self.build(*(option for size in SIZES for option in shape_of(size)))
        self.check(self.run_model)

    def test_entries_share_weights(self):
        """Also those that folding makes from the same nodes, and the positions of shorter texts."""
        reports = []
        for options in (LISTS, shape_of(max(SIZES))):
            self.build(*options, "--report=" + self.path("report.json"))
            with open(self.path("report.json"), encoding="utf-8") as file:
                reports.append(json.load(file))
        several, one = (report["weight_bytes"] for report in reports)
        self.assertLessEqual(several, one + 4 * WIDTH * SIZES[0], "only positions of less than 4 KiB may be stored again")

    def test_the_entry_is_chosen_by_shapes(self):
        self.build(*LISTS)
        info = self.run_model(self.library, "--info")
        self.assertIn("entry     encoder@4 (1 of 3)".replace("encoder", "main"), info)
        self.assertIn("main@65 (3 of 3)", self.run_model(self.library, "--info", *self.inputs(65)))
        self.assertIn("main@40 (2 of 3)", self.run_model(self.library, "--info", "--entry=main", *self.inputs(40)))
        self.assertIn("main@40 (2 of 3)", self.run_model(self.library, "--info", "--entry=main@40"))
        said = self.run_model(self.library, *self.inputs(7), status=2)
        self.assertIn("the inputs must have the shapes of an entry, but 'ids' is i64[1,7], 'mask' is f32[1,7]; the entries are main@4 (i64[1,4], "
                      "f32[1,4]), main@40 (i64[1,40], f32[1,40]), main@65 (i64[1,65], f32[1,65])", said)
        self.run_model(self.library, *self.inputs(40, mask_size=65), status=2)
        said = self.run_model(self.library, "--entry=main@4", *self.inputs(40), status=2)
        self.assertIn("input 'ids' must be i64[1,4]", said)
        said = self.run_model(self.library, "--entry=mai", status=2)
        self.assertIn("--entry must be one of 'main@4', 'main@40', 'main@65', but is 'mai'", said)

    def test_a_difference_is_of_the_entry_with_the_shape(self):
        self.build(*LISTS)
        for options in ([], ["--entry=main@40"]):
            self.assertIn("the tensor is within", self.call(DIFF, self.path("encoder.onnx"), self.library, *shape_of(40), *self.inputs(40), *options))

    def test_a_shape_that_the_model_refuses(self):
        """The error is about the entry with this shape."""
        said = self.build(f"--shape=ids=1x{{8,{MOST + 1}}}", f"--shape=mask=1x{{8,{MOST + 1}}}", status=1)
        self.assertIn(f"this is the entry for ids=1x{MOST + 1}, mask=1x{MOST + 1} of --shape", said)
        self.assertIn('"add_4": error: operands must broadcast', said)

    def test_what_is_refused(self):
        for options, message in (
                (LISTS[:1] + ["--shape=mask=1x{4,40}"], "--shape must give 'mask' one shape, or as many as 'ids', which has 3, but gives it 2"),
                (LISTS + ["--train", "--loss=mean-squared-error:y"], "--train requires one shape of each input, but --shape gives several")):
            self.assertIn(message, self.build(*options, status=2))
        said = self.call(EVAL, self.path("encoder.onnx"), *LISTS, status=2)
        self.assertIn("--shape must give each input one shape; only nacre-compile makes entries of several", said)

    def test_all_entries_are_checked(self):
        said = self.call(COMPILE, "--check", self.path("encoder.onnx"), "--shape=ids=1x8", f"--shape=ids=1x{MOST + 1}", "--shape=mask=1x8",
                         f"--shape=mask=1x{MOST + 1}", status=1)
        self.assertIn(f"(for ids=1x{MOST + 1}, mask=1x{MOST + 1})", said)
        self.assertIn("13 of 14 nodes are supported", said)


class StateTest(nacre.NacreTest):
    """Entries share the state, whose shape does not depend on theirs."""

    def test_a_sum_over_calls_of_any_length(self):
        graph = Graph("sum")
        x, total = graph.input("x", ["steps", 3]), graph.input("total", [3])
        graph.node("Add", [total, graph.node("ReduceSum", [x, graph.integers("axes", [0])], keepdims=0)], output="next")
        graph.node("Mul", [x, "next"], output="y")
        graph.output("next", [3])
        graph.output("y", ["steps", 3])
        graph.save(self.path("sum.onnx"))
        library = self.path("libsum.so")
        self.call(COMPILE, self.path("sum.onnx"), "-o", library, "--shape=x={2,5}x3", "--state=total:next")
        state, total = [], 0
        for count in (5, 2, 2, 5):
            write_npy(self.path("x.npy"), [count, 3], [1.0] * (3 * count), "f")
            total += count
            write_npy(self.path("y.npy"), [count, 3], [float(total)] * (3 * count), "f")
            said = self.run_model(library, f"--input=x={self.path('x.npy')}", f"--expect=y={self.path('y.npy')}", *state,
                                  f"--save={self.path('state')}")
            self.assertIn("agrees", said)
            state = [f"--resume={self.path('state')}"]

    def test_a_state_of_several_shapes_is_refused(self):
        graph = Graph("sum")
        x, old = graph.input("x", ["n"]), graph.input("old", ["n"])
        graph.node("Add", [old, x], output="next")
        graph.node("Neg", ["next"], output="y")
        graph.output("next", ["n"])
        graph.output("y", ["n"])
        graph.save(self.path("sum.onnx"))
        said = self.call(COMPILE, self.path("sum.onnx"), "-o", self.path("libsum.so"), "--shape=x={2,5}", "--shape=old={2,5}", "--state=old:next",
                         status=1)
        self.assertIn("all entries share the state, but 'old' is float[2] in 'main@2' and float[5] in 'main@5'", said)


if __name__ == "__main__":
    unittest.main()
