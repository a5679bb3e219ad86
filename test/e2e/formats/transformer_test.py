#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small transformer of which one token is read: answers are right on every engine, and what is planned is what is meant.

The CPU alone writes attention over its queries, and computes the wide products by blocks of rows; the last layer has one row.
"""
import math
import os
import random
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import write_npy

TOKENS, WIDTH, HEADS, INSIDE, WORDS, LAYERS = 100, 16, 2, 64, 11, 2
SIZE = WIDTH // HEADS
EPSILON = 1e-5
INT64 = 7


class Transformer:
    """Numbers, the model, and what it computes in double precision."""

    def __init__(self):
        self.draw = random.Random(4)
        self.weights = {}

    def matrix(self, name, rows, columns, most=0.4):
        self.weights[name] = [[self.draw.uniform(-most, most) for _ in range(columns)] for _ in range(rows)]
        return self.weights[name]

    def vector(self, name, size, around=0.0):
        self.weights[name] = [[around + self.draw.uniform(-0.3, 0.3) for _ in range(size)]]
        return self.weights[name]

    def make(self):
        self.matrix("words", WORDS, WIDTH, 1)
        self.matrix("types", 2, WIDTH, 1)
        self.matrix("positions", TOKENS, WIDTH, 1)
        for layer in range(LAYERS):
            for name, rows, columns in (("q", WIDTH, WIDTH), ("k", WIDTH, WIDTH), ("v", WIDTH, WIDTH), ("o", WIDTH, WIDTH),
                                        ("in", WIDTH, INSIDE), ("out", INSIDE, WIDTH)):
                self.matrix(f"{name}{layer}", rows, columns)
                self.vector(f"b{name}{layer}", columns)
            for name in ("first", "second"):
                self.vector(f"{name}{layer}", WIDTH, 1.0)
                self.vector(f"b{name}{layer}", WIDTH)

    # The model.

    def graph(self):
        graph = nacre.Graph("transformer", seed=1, opset=17)

        def constant(name):
            values = self.weights[name]
            dims = [len(values), len(values[0])] if len(values) > 1 else [len(values[0])]
            return graph.constant(name, dims, [x for row in values for x in row])

        def dense(x, name):
            return graph.node("Add", [graph.node("MatMul", [x, constant(name)]), constant("b" + name)])

        def normalize(x, name):
            return graph.node("LayerNormalization", [x, constant(name), constant("b" + name)], axis=-1, epsilon=EPSILON)

        ids, kinds = graph.input("ids", [1, TOKENS], INT64), graph.input("kinds", [1, TOKENS], INT64)
        heads = graph.integers("heads", [1, TOKENS, HEADS, SIZE])
        rows = graph.integers("rows", [1, TOKENS, WIDTH])
        x = graph.node("Add", [graph.node("Gather", [constant("words"), ids]), graph.node("Gather", [constant("types"), kinds])])
        x = graph.node("Add", [x, constant("positions")])
        for layer in range(LAYERS):
            def head(name, perm):
                return graph.node("Transpose", [graph.node("Reshape", [dense(x, f"{name}{layer}"), heads])], perm=perm)
            scores = graph.node("MatMul", [head("q", [0, 2, 1, 3]), head("k", [0, 2, 3, 1])])
            shares = graph.node("Softmax", [graph.node("Mul", [scores, graph.constant(f"scale{layer}", [], [SIZE**-0.5])])], axis=3)
            mixed = graph.node("Transpose", [graph.node("MatMul", [shares, head("v", [0, 2, 1, 3])])], perm=[0, 2, 1, 3])
            x = graph.node("Add", [dense(graph.node("Reshape", [mixed, rows]), f"o{layer}"), x])
            x = normalize(x, f"first{layer}")
            inside = graph.node("Relu", [dense(x, f"in{layer}")])
            x = normalize(graph.node("Add", [dense(inside, f"out{layer}"), x]), f"second{layer}")
        graph.node("Gather", [x, graph.integers("token", [0])], output="y", axis=1)
        graph.output("y", [1, 1, WIDTH])
        return graph

    # The same numbers.

    def multiply(self, rows, name):
        columns = list(zip(*self.weights[name]))
        bias = self.weights["b" + name][0]
        return [[b + sum(map(float.__mul__, row, column)) for column, b in zip(columns, bias)] for row in rows]

    def normalize(self, rows, name):
        result = []
        for row in rows:
            mean = sum(row) / len(row)
            scale = 1 / math.sqrt(sum((x - mean)**2 for x in row) / len(row) + EPSILON)
            result.append([(x - mean) * scale * g + b for x, g, b in zip(row, self.weights[name][0], self.weights["b" + name][0])])
        return result

    def attend(self, q, k, v):
        mixed = [[] for _ in q]
        for head in range(HEADS):
            part = slice(head * SIZE, (head + 1) * SIZE)
            keys, values = [row[part] for row in k], list(zip(*(row[part] for row in v)))
            for row, query in enumerate(q):
                scores = [SIZE**-0.5 * sum(map(float.__mul__, query[part], key)) for key in keys]
                powers = [math.exp(s - max(scores)) for s in scores]
                mixed[row] += [sum(map(float.__mul__, powers, column)) / sum(powers) for column in values]
        return mixed

    def compute(self, ids, kinds):
        add = lambda a, b: [list(map(float.__add__, x, y)) for x, y in zip(a, b)]  # noqa: E731
        words, types = self.weights["words"], self.weights["types"]
        x = add(add([words[i] for i in ids], [types[i] for i in kinds]), self.weights["positions"])
        for layer in range(LAYERS):
            mixed = self.attend(*(self.multiply(x, f"{name}{layer}") for name in "qkv"))
            x = self.normalize(add(self.multiply(mixed, f"o{layer}"), x), f"first{layer}")
            inside = [[max(0.0, value) for value in row] for row in self.multiply(x, f"in{layer}")]
            x = self.normalize(add(self.multiply(inside, f"out{layer}"), x), f"second{layer}")
        return x[0]


class TransformerTest(nacre.NacreTest):
    parts = 2

    def setUp(self):
        super().setUp()
        model = Transformer()
        model.make()
        ids, kinds = ([model.draw.randrange(most) for _ in range(TOKENS)] for most in (WORDS, 2))
        model.graph().save(self.path("model.onnx"))
        write_npy(self.path("ids.npy"), [1, TOKENS], ids, "q")
        write_npy(self.path("kinds.npy"), [1, TOKENS], kinds, "q")
        write_npy(self.path("y.npy"), [1, 1, WIDTH], model.compute(ids, kinds))

    def check(self, options=(), run=None, run_options=()):
        library = self.path("libmodel.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("model.onnx"), "-o", library, *options)
        for threads in (1, 3):
            said = (run or self.run_model)(library, f"--threads={threads}", f"--input=ids={self.path('ids.npy')}",
                                           f"--input=kinds={self.path('kinds.npy')}", f"--expect=y={self.path('y.npy')}",
                                           "--rtol=1e-4", "--atol=1e-5", *run_options)
            self.assertIn("agrees", said)

    def plan(self, *options):
        return self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("model.onnx"), "--compile-to=schedule", "-o", "-", *options)

    def test_answers(self):
        for cpu in ("native", "x86-64-v2"):
            with self.subTest(cpu=cpu):
                self.check([f"--cpu={cpu}"])

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_answers_on_arm64(self):
        self.check(["--target=linux-arm64"], self.run_arm64)

    def test_answers_with_gpu_code(self):
        for place in ("gpu", "split:50"):
            with self.subTest(place=place):
                self.check([f"--place={place}"], run_options=["--gpu"])

    def test_plan(self):
        """Two tables are one launch; of the CPU alone the queries' place is the result's, and the wide products are in blocks; products
        of a GPU alone normalize what they read."""
        alone, shared, gpu = self.plan(), self.plan("--place=split:50"), self.plan("--place=gpu")
        for plan in (alone, shared, gpu):
            self.assertEqual(len(re.findall(r"plan\.launch @gather", plan)), 1)
            self.assertEqual(len(re.findall(r"plan\.launch @attention", plan)), LAYERS)
        self.assertEqual(len(re.findall(r"plan\.launch @attention_0\((%\d+), .*\) into\(\1\)", alone)), 1)
        for plan in (shared, gpu):
            self.assertNotIn("plan.overwritten", plan)
        # A layer has six launches; the first one's wide products are in two blocks.
        self.assertEqual(alone.count("plan.launch") - shared.count("plan.launch"), 2)
        # Two normalizations a layer, of which no product reads the last one.
        self.assertEqual(shared.count("plan.launch") - gpu.count("plan.launch"), 2 * LAYERS - 1)
        arena = lambda plan: int(re.search(r"arena_bytes = (\d+)", plan).group(1))  # noqa: E731
        self.assertLess(arena(alone), arena(shared))


if __name__ == "__main__":
    unittest.main()
