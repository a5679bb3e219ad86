#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models full of numbers too small for an exponent: such are zero to kernels, whoever computes, and answers stay right.

Without that each product with one of them may take 150 cycles: attention under a mask, or a state that decays, would be many times slower.
"""
import array
import math
import os
import random
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import write_npy

TINY = 2.0**-126  # the smallest number with an exponent of its own
STEPS, INPUTS, HIDDEN = 60, 8, 40
HEADS, TOKENS, WIDTH = 2, 40, 16


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def decaying_model(weights):
    """An LSTM whose state is set in the first step, and then forgotten: 0.05 of it is left after each step."""
    graph = nacre.Graph("decaying", seed=9)
    forgets, gates = -3.0, 4 * HIDDEN  # in order: input, output, forget, cell
    bias = [0.0] * (2 * HIDDEN) + [forgets] * HIDDEN + [0.0] * (HIDDEN + gates)
    y = graph.node("LSTM", [graph.input("x", [STEPS, 1, INPUTS]), graph.constant("w", [1, gates, INPUTS], weights),
                            graph.constant("r", [1, gates, HIDDEN], [0.0] * (gates * HIDDEN)), graph.constant("b", [1, 2 * gates], bias)],
                   output="states", hidden_size=HIDDEN)
    graph.output(y, [STEPS, 1, 1, HIDDEN])
    return graph


def attention_model():
    """Softmax of scores with a mask added, as in BERT, and its product with the values."""
    graph = nacre.Graph("attention", seed=9, opset=13)
    shape, square = [1, HEADS, TOKENS, WIDTH], [1, HEADS, TOKENS, TOKENS]
    scores = graph.node("MatMul", [graph.input("q", shape), graph.input("k", [1, HEADS, WIDTH, TOKENS])])
    masked = graph.node("Add", [scores, graph.input("mask", [1, 1, 1, TOKENS])])
    graph.node("Softmax", [masked], output="p", axis=3)
    graph.node("MatMul", ["p", graph.input("v", shape)], output="y")
    graph.output("p", square)
    graph.output("y", shape)
    return graph


def attend(q, k, v, mask):
    """p and y, in double precision."""
    p, y = [], []
    for head in range(HEADS):
        for row in range(TOKENS):
            query = q[(head * TOKENS + row) * WIDTH:][:WIDTH]
            scores = [mask[t] + sum(query[i] * k[(head * WIDTH + i) * TOKENS + t] for i in range(WIDTH)) for t in range(TOKENS)]
            powers = [math.exp(s - max(scores)) for s in scores]
            shares = [x / sum(powers) for x in powers]
            p += shares
            y += [sum(shares[t] * v[(head * TOKENS + t) * WIDTH + i] for t in range(TOKENS)) for i in range(WIDTH)]
    return p, y


class SubnormalsTest(nacre.NacreTest):
    def save(self, name, dims, values):
        path = self.path(name + ".npy")
        write_npy(path, dims, values)
        return f"{name}={path}"

    def outputs(self, name):
        with open(os.path.join(self.folder, name + ".npy"), "rb") as file:
            data = file.read()
        values = array.array("f")
        values.frombytes(data[10 + int.from_bytes(data[8:10], "little"):])
        return values

    def check(self, graph, inputs, expected, arm64=False):
        """Answers are right, the same on any number of threads, and without subnormal numbers; returns them, output by output."""
        graph.save(self.path("model.onnx"))
        library = self.path("libmodel.so")
        options = ["--target=linux-arm64"] if arm64 else []
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("model.onnx"), "-o", library, *options)
        os.mkdir(self.path("answers"))
        options = [f"--input={i}" for i in inputs] + [f"--expect={e}" for e in expected] + [f"--output={self.path('answers')}"]
        names = [e.split("=")[0] for e in expected]
        answers = []
        for threads in (1, 3):
            run = self.run_arm64 if arm64 else self.run_model
            said = run(library, f"--threads={threads}", *options)
            self.assertEqual(said.count("agrees"), len(expected), said)
            answers.append([self.outputs("answers/" + name) for name in names])
        self.assertEqual(answers[0], answers[1])
        for values in answers[0]:
            self.assertEqual([x for x in values if 0 < abs(x) < TINY], [])
        return answers[0]

    def check_decay(self, arm64):
        draw = random.Random(1)
        x = [draw.uniform(0.5, 1) for _ in range(INPUTS)] + [0.0] * ((STEPS - 1) * INPUTS)
        w = [draw.uniform(0.1, 0.5) for _ in range(4 * HIDDEN * INPUTS)]
        row = lambda gate, unit: sum(w[(gate * HIDDEN + unit) * INPUTS + i] * x[i] for i in range(INPUTS))  # noqa: E731
        states = []
        cells = [sigmoid(row(0, unit)) * math.tanh(row(3, unit)) for unit in range(HIDDEN)]
        for step in range(STEPS):
            states += [sigmoid(row(1, unit) if step == 0 else 0) * math.tanh(c) for unit, c in enumerate(cells)]
            cells = [c * sigmoid(-3.0) for c in cells]
        states = self.check(decaying_model(w), [self.save("x", [STEPS, 1, INPUTS], x)], [self.save("states", [STEPS, 1, 1, HIDDEN], states)], arm64)[0]
        self.assertNotIn(0, states[:20 * HIDDEN])
        self.assertEqual(set(states[-10 * HIDDEN:]), {0.0})

    def test_a_state_that_decays(self):
        self.check_decay(arm64=False)

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_a_state_that_decays_on_arm64(self):
        self.check_decay(arm64=True)

    def test_attention_under_a_mask(self):
        draw = random.Random(2)
        numbers = lambda count: [draw.uniform(-1, 1) for _ in range(count)]  # noqa: E731
        q, k, v = (numbers(HEADS * TOKENS * WIDTH) for _ in range(3))
        # Nine tenths: a few at the border of what has an exponent, the others far beyond.
        mask = [0.0 if t % 10 == 0 else -84.0 - t / 4 if t % 3 else -10000.0 for t in range(TOKENS)]
        p, y = attend(q, k, v, mask)
        shape = [1, HEADS, TOKENS, WIDTH]
        inputs = [self.save("q", shape, q), self.save("k", [1, HEADS, WIDTH, TOKENS], k), self.save("v", shape, v),
                  self.save("mask", [1, 1, 1, TOKENS], mask)]
        shares = self.check(attention_model(), inputs, [self.save("p", [1, HEADS, TOKENS, TOKENS], p), self.save("y", shape, y)])[0]
        self.assertEqual({shares[t] for t in range(TOKENS) if mask[t] == -10000.0}, {0.0})


if __name__ == "__main__":
    unittest.main()
