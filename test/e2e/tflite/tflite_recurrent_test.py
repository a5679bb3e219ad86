#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers of TensorFlow Lite, and their states, which the model keeps as variables.

How:  each layer begins with a state that is written, and is compared with the same steps computed here: its output, and the state
      that it leaves.
"""
import itertools
import math
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import tflite_test
from tflite_test import f32
from tflite_writer import FLOAT32, INT8

VARIABLE = {5: ("?", True)}
STEPS, BATCH, INPUTS, CELLS = 3, 2, 3, 4


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def clip(x, limit):
    return max(-limit, min(limit, x)) if limit else x


def product(matrix, vector):
    """[rows][columns] times [columns]."""
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


class Layer:
    """Weights of one direction, drawn; the gates are i, f, c, o."""

    def __init__(self, model, prefix, outputs=CELLS, is_coupled=False, peeps=False, normalizes=False, integer=False):
        self.model, self.prefix, self.outputs, self.is_coupled = model, prefix, outputs, is_coupled
        self.peeps, self.normalizes = peeps, normalizes
        gates = range(1 if is_coupled else 0, 4)
        self.operands = [-1] * 18

        def matrix(place, rows, columns):
            if integer:
                codes = [model.random.randint(-127, 127) for _ in range(rows * columns)]
                self.operands[place] = model.tensor(f"{prefix}w{place}", [rows, columns], INT8, codes, scale=0.0078125)
                values = [code / 128 for code in codes]
            else:
                values = [f32(model.random.uniform(-1, 1)) for _ in range(rows * columns)]
                self.operands[place] = model.tensor(f"{prefix}w{place}", [rows, columns], values=values)
            return [values[r * columns:(r + 1) * columns] for r in range(rows)]

        def vector(place, size, low=-1.0):
            values = [f32(model.random.uniform(low, 1)) for _ in range(size)]
            while len(self.operands) <= place:
                self.operands.append(-1)
            self.operands[place] = model.tensor(f"{prefix}v{place}", [size], values=values)
            return values

        self.w = {g: matrix(1 + g - 1, CELLS, INPUTS) for g in gates}
        self.r = {g: matrix(4 + g, CELLS, outputs) for g in gates}
        self.peephole = {g: vector(8 + (g if g < 2 else 2), CELLS) for g in gates if g != 2} if peeps else {}
        self.b = {g: vector(11 + g, CELLS) for g in gates}
        self.projection, self.projection_bias = (matrix(15, outputs, CELLS), vector(16, outputs)) if outputs != CELLS else (None, None)
        self.norms = {}
        self.norm_places = [-1] * 4
        if normalizes:
            for g in gates:
                self.norms[g] = vector(19, CELLS, 0.5)
                self.norm_places[g] = self.operands.pop()
            del self.operands[17:]

    def gate(self, g, x, h, c):
        sums = [p + q for p, q in zip(product(self.w[g], x), product(self.r[g], h))]
        if self.peeps and g != 2:
            sums = [s + p * v for s, p, v in zip(sums, self.peephole[g], c)]
        if self.normalizes:
            mean = sum(sums) / CELLS
            deviation = math.sqrt(sum((s - mean)**2 for s in sums) / CELLS)
            sums = [(s - mean) / deviation * n for s, n in zip(sums, self.norms[g])]
        return [s + b for s, b in zip(sums, self.b[g])]

    def step(self, x, h, c, cell_clip=0, projection_clip=0):
        f = [sigmoid(v) for v in self.gate(1, x, h, c)]
        i = [1 - v for v in f] if self.is_coupled else [sigmoid(v) for v in self.gate(0, x, h, c)]
        g = [math.tanh(v) for v in self.gate(2, x, h, c)]
        c = [clip(p * q + r * s, cell_clip) for p, q, r, s in zip(f, c, i, g)]
        o = [sigmoid(v) for v in self.gate(3, x, h, c)]
        h = [p * math.tanh(q) for p, q in zip(o, c)]
        if self.projection:
            h = [clip(p + q, projection_clip) for p, q in zip(product(self.projection, h), self.projection_bias)]
        return h, c


class RecurrentTest(nacre.NacreTest):
    save = tflite_test.TfliteTest.save

    def check_states(self, model, states):
        """`states`: {name: (shape, before, behind)}."""
        path, library, folder = self.path("model.tflite"), self.path("libmodel.so"), self.path("behind")
        os.mkdir(folder)
        model.save(path)
        self.call(f"{nacre.BIN}/nacre-compile", path, "-o", library)
        options = [f"--input={name}={self.save('in_' + name, *fed)}" for name, fed in model.fed.items()]
        options += [f"--expect={name}={self.save(name, *wanted)}" for name, wanted in model.wanted.items()]
        options += [f"--state={name}={self.save('before_' + name, FLOAT32, shape, before)}" for name, (shape, before, _) in states.items()]
        self.run_model(library, *options, "--rtol=1e-5", "--atol=1e-5", "--output=" + folder)
        for name, (_, _, behind) in states.items():
            with open(os.path.join(folder, name + ".npy"), "rb") as file:
                for got, wanted in zip(struct.unpack(f"<{len(behind)}f", file.read()[-4 * len(behind):]), behind):
                    self.assertAlmostEqual(got, wanted, delta=1e-5, msg=name)

    @staticmethod
    def rows(values, columns):
        return [values[k:k + columns] for k in range(0, len(values), columns)]

    def lstm(self, model, layer, kind, code, one=False, **clips):
        steps = 1 if one else STEPS
        x, values = model.feed("x", [BATCH, INPUTS] if one else [BATCH, STEPS, INPUTS])
        states, operands = {}, []
        for name, size in (("h", layer.outputs), ("c", CELLS)):
            before = [f32(model.random.uniform(-1, 1)) for _ in range(BATCH * size)]
            operands.append(model.tensor(name, [BATCH, size], more=VARIABLE))
            states[name] = ([BATCH, size], before)
        h, c = (self.rows(states[name][1], size) for name, size in (("h", layer.outputs), ("c", CELLS)))
        rows, wanted = self.rows(values, INPUTS), [[] for _ in range(BATCH)]
        for b, t in itertools.product(range(BATCH), range(steps)):
            h[b], c[b] = layer.step(rows[b * steps + t], h[b], c[b], *clips.values())
            wanted[b].append(h[b])
        states = {name: (*states[name], sum(values, [])) for name, values in (("h", h), ("c", c))}
        options = {0: ("b", 4), **{place: ("f", limit) for place, limit in zip((1, 2), clips.values())}}
        model.want(code, [x, *layer.operands[:17], *operands, *layer.norm_places], "y",
                   [BATCH, layer.outputs] if one else [BATCH, STEPS, layer.outputs], sum(sum(wanted, []), []), kind=kind, options=options)
        self.check_states(model, states)

    def test_lstm(self):
        model = tflite_test.Model(1)
        self.lstm(model, Layer(model, "a"), 71, 44, cell_clip=0.5)

    def test_lstm_with_everything(self):
        model = tflite_test.Model(2)
        self.lstm(model, Layer(model, "a", outputs=2, peeps=True, normalizes=True), 71, 44, cell_clip=0.75, projection_clip=0.5)

    def test_coupled_lstm_of_one_step(self):
        model = tflite_test.Model(3)
        self.lstm(model, Layer(model, "a", is_coupled=True, peeps=True), 14, 16, one=True)

    def test_basic_lstm(self):
        model = tflite_test.Model(7)
        layer = Layer(model, "a")
        x, values = model.feed("x", [BATCH, INPUTS])
        before = {name: [f32(model.random.uniform(-1, 1)) for _ in range(BATCH * CELLS)] for name in "hc"}
        h, c = (self.rows(before[name], CELLS) for name in "hc")
        for b, row in enumerate(self.rows(values, INPUTS)):
            h[b], c[b] = layer.step(row, h[b], c[b])
        # Its gates are i, c, f, o, and their columns those of x and of h.
        weights = sum((p + q for g in (0, 2, 1, 3) for p, q in zip(layer.w[g], layer.r[g])), [])
        variables = [model.tensor(name, [BATCH, CELLS], more=VARIABLE) for name in "hc"]
        operands = [x, variables[0], model.tensor("w", [4 * CELLS, INPUTS + CELLS], values=weights),
                    model.tensor("b", [4 * CELLS], values=sum((layer.b[g] for g in (0, 2, 1, 3)), [])), variables[1]]
        model.want(16, operands, "y", [BATCH, CELLS], sum(h, []), kind=14, options={0: ("b", 4), 3: ("b", 1)})
        self.check_states(model, {name: ([BATCH, CELLS], before[name], sum(rows, [])) for name, rows in (("h", h), ("c", c))})

    def test_lstm_of_integer_weights(self):
        model = tflite_test.Model(4)
        self.lstm(model, Layer(model, "a", integer=True), 71, 44)

    def test_bidirectional_lstm(self):
        model = tflite_test.Model(5)
        layers = [Layer(model, "f"), Layer(model, "b")]
        x, values = model.feed("x", [STEPS, BATCH, INPUTS])
        names, rows = ("hf", "cf", "hb", "cb"), self.rows(values, INPUTS)
        variables = [model.tensor(name, [BATCH, CELLS], more=VARIABLE) for name in names]
        before = {name: [f32(model.random.uniform(-1, 1)) for _ in range(BATCH * CELLS)] for name in names}
        wanted = [[None] * BATCH for _ in range(STEPS)]
        states = {}
        for k, layer in enumerate(layers):
            h, c = (self.rows(before[name], CELLS) for name in names[2 * k:2 * k + 2])
            for t in range(STEPS) if k == 0 else reversed(range(STEPS)):
                for b in range(BATCH):
                    h[b], c[b] = layer.step(rows[t * BATCH + b], h[b], c[b])
                    wanted[t][b] = (wanted[t][b] or []) + h[b]
            for name, values in zip(names[2 * k:], (h, c)):
                states[name] = ([BATCH, CELLS], before[name], sum(values, []))
        operands = [x, *layers[0].operands[:17], *layers[1].operands[:17], *variables] + [-1] * 9
        model.want(52, operands, "y", [STEPS, BATCH, 2 * CELLS], sum(sum(wanted, []), []), kind=69, options={0: ("b", 4), 3: ("?", True)})
        self.check_states(model, states)

    def test_rnn_and_svdf(self):
        model = tflite_test.Model(6)
        x, values = model.feed("x", [BATCH, STEPS, INPUTS])
        rows = self.rows(values, INPUTS)
        draw = lambda count: [f32(model.random.uniform(-1, 1)) for _ in range(count)]  # noqa: E731
        w, r, b, before = draw(CELLS * INPUTS), draw(CELLS * CELLS), draw(CELLS), draw(BATCH * CELLS)
        h, wanted = self.rows(before, CELLS), []
        for n in range(BATCH):
            for t in range(STEPS):
                sums = zip(product(self.rows(w, INPUTS), rows[n * STEPS + t]), product(self.rows(r, CELLS), h[n]), b)
                h[n] = [max(sum(terms), 0) for terms in sums]
                wanted += h[n]
        state = model.tensor("h", [BATCH, CELLS], more=VARIABLE)
        model.want(35, [x, model.tensor("w", [CELLS, INPUTS], values=w), model.tensor("r", [CELLS, CELLS], values=r),
                        model.tensor("b", [CELLS], values=b), state], "rnn", [BATCH, STEPS, CELLS], wanted, kind=31, options={1: ("b", 1)})
        states = {"h": ([BATCH, CELLS], before, sum(h, []))}
        # Two features a unit, of which three steps are remembered.
        z, values = model.feed("z", [BATCH, INPUTS])
        w, t, b, memory = draw(4 * INPUTS), draw(4 * 3), draw(2), draw(BATCH * 4 * 3)
        behind, wanted = [], []
        for n in range(BATCH):
            kept = self.rows(memory[n * 12:n * 12 + 12], 3)
            kept = [row[1:] + [new] for row, new in zip(kept, product(self.rows(w, INPUTS), values[n * INPUTS:(n + 1) * INPUTS]))]
            weighed = [sum(p * q for p, q in zip(row, weights)) for row, weights in zip(kept, self.rows(t, 3))]
            wanted += [weighed[2 * u] + weighed[2 * u + 1] + b[u] for u in range(2)]
            behind += sum(kept, [])
        state = model.tensor("memory", [BATCH, 12], more=VARIABLE)
        model.want(27, [z, model.tensor("wf", [4, INPUTS], values=w), model.tensor("wt", [4, 3], values=t), model.tensor("bs", [2], values=b), state],
                   "svdf", [BATCH, 2], wanted, kind=6, options={0: ("i", 2)})
        states["memory"] = ([BATCH, 12], memory, behind)
        self.check_states(model, states)

    def test_variable_of_integers_begins_as_zero(self):
        model = tflite_test.Model(8)
        model.want(6, [model.tensor("h", [2], INT8, scale=0.5, zero=3, more=VARIABLE)], "real", [2], [0, 0])
        self.check_states(model, {})


if __name__ == "__main__":
    unittest.main()
