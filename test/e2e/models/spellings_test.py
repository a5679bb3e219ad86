#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One LSTM in every spelling: the same answer, the same loop, the same launches.

Why:  a layer, a loop and a cell that is written once for each step must run equally fast, whatever the format; times would not
      decide a test, so what is compared is what they come from.
How:  the models of lstm_models.py in small, against the formula; of the graph phase, the operators in the loop and the product
      before it; of the schedule, how often which kind of kernel is launched.
"""
import collections
import json
import math
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import lstm_models
import nacre
from onnx_writer import write_npy

LSTM = lstm_models.Lstm(inputs=3, units=8, steps=12, classes=4)
# Where no state is multiplied in the first step, it is no iteration like the others.
ITERATIONS = {"onnx_unrolled": LSTM.steps - 1}
# What BasicLSTMCell adds to the gate that forgets.
MORE = {"tensorflow_loop": {"add": 1}, "tensorflow_static": {"add": 1}}


def classify(rows):
    """The formula of the layer, gate by gate."""
    def sigmoid(x):
        return 1 / (1 + math.exp(-x))
    units, h, c = LSTM.units, [0.0] * LSTM.units, [0.0] * LSTM.units
    for x in rows:
        z = [bias + sum(a * row[k] for a, row in zip(x, LSTM.weights)) + sum(a * row[k] for a, row in zip(h, LSTM.recurrence))
             for k, bias in enumerate(LSTM.bias)]
        i, f, g, o = (z[gate * units:(gate + 1) * units] for gate in range(4))
        c = [sigmoid(f[k]) * c[k] + sigmoid(i[k]) * math.tanh(g[k]) for k in range(units)]
        h = [sigmoid(o[k]) * math.tanh(c[k]) for k in range(units)]
    logits = [bias + sum(a * row[k] for a, row in zip(h, LSTM.dense)) for k, bias in enumerate(LSTM.dense_bias)]
    return [math.exp(x) / sum(map(math.exp, logits)) for x in logits]


class SpellingsTest(nacre.NacreTest):
    def graph_of(self, model, name):
        dump = self.path(name + ".graph")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", dump, "--compile-to=graph")
        with open(dump, encoding="utf-8") as file:
            return file.read()

    def check_graph(self, text, spelling):
        """One loop, in it one product by the state's matrix, before it one of all steps by the input's."""
        iterations = ITERATIONS.get(spelling, LSTM.steps)
        self.assertEqual(re.findall(r"nn\.for (\d+)", text), [str(iterations)], text)
        before, loop = re.split(r"nn\.for ", text)
        body = loop.split("nn.yield")[0]
        operators = collections.Counter(re.findall(r"nn\.(?:(?:unary|binary) +)?(\w+)", body))
        wanted = collections.Counter(matmul=1, slice=4, sigmoid=3, tanh=2, mul=3, add=2)
        self.assertEqual(operators, wanted + collections.Counter(MORE.get(spelling, {})), text)
        projection = f"tensor<{iterations}x{LSTM.inputs}xf32>, tensor<{LSTM.inputs}x{4 * LSTM.units}xf32>"
        self.assertIn(projection, before)

    def test_spellings(self):
        values = [math.sin(k) for k in range(LSTM.steps * LSTM.inputs)]
        write_npy(self.path("data.npy"), [1, LSTM.steps, LSTM.inputs], values)
        rows = [values[k:k + LSTM.inputs] for k in range(0, len(values), LSTM.inputs)]
        write_npy(self.path("prob.npy"), [1, LSTM.classes], classify(rows))
        launches = {}
        for spelling in lstm_models.SPELLINGS:
            with self.subTest(spelling):
                model = lstm_models.save(LSTM, spelling, self.path(""))
                self.check_graph(self.graph_of(model, spelling), spelling)
                library, report = self.path(f"lib{spelling}.so"), self.path(spelling + ".json")
                self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", library, f"--report={report}", "--quiet")
                self.run_model(library, f"--input=data={self.path('data.npy')}", f"--expect=prob={self.path('prob.npy')}")
                with open(report, encoding="utf-8") as file:
                    launches[spelling] = collections.Counter(
                        (launch["kind"], launch["iterations"]) for launch in json.load(file)["launches"])
        # The first step that is written out has launches of its own.
        written_out = launches.pop("onnx_unrolled")
        self.assertEqual(written_out[("contraction", LSTM.steps - 1)], 1)
        self.assertEqual(written_out[("nest", LSTM.steps - 1)], 0)
        # States that last from run to run are copied out and in, once a run.
        keeps = launches.pop("tflite_layer")
        self.assertEqual(keeps, launches["onnx_layer"] + collections.Counter({("nest", 1): 4}))
        # A step is one kernel: its product, the gates and the new state.
        self.assertEqual({key: count for key, count in launches["onnx_layer"].items() if key[1] == LSTM.steps},
                         {("contraction", LSTM.steps): 1})
        for spelling, counts in launches.items():
            self.assertEqual(counts, launches["onnx_layer"], spelling)


if __name__ == "__main__":
    unittest.main()
