#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trained weights on their way back into an ONNX file.

What: weights that share an initializer; nacre-translate --state, whose result is compiled again and must compute what the trained
      state computes.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from onnx_training import HIDDEN, INPUTS, ROWS, WEIGHTS, TrainingTest, initial, network, numbers, read_state, rows, write_state
from onnx_writer import Graph


class TranslatedWeightsTest(TrainingTest):
    def identities(self):
        """A layer whose scale and bias begin as one initializer, as exporters write them, and one that is read twice."""
        graph = Graph("identities")
        graph.input("x", [ROWS, INPUTS])
        graph.constant("scale", [INPUTS], [1, 1, 1])
        graph.node("Identity", ["scale"], output="shift")
        hidden = graph.node("Add", [graph.node("Mul", ["x", "scale"]), "shift"])
        graph.constant("twice", [INPUTS, INPUTS], numbers("twice", INPUTS * INPUTS))
        graph.node("MatMul", [graph.node("MatMul", [hidden, "twice"]), "twice"], output="y")
        graph.output("y", [ROWS, INPUTS])
        return graph

    def test_each_identity_is_a_weight(self):
        library = self.build(self.identities(), "--train", "--loss=mean-squared-error:y", "--entries=main,gradients,train")
        x, label = numbers("x", ROWS * INPUTS), numbers("label", ROWS * INPUTS)
        inputs = {"x": ([ROWS, INPUTS], x), "label": ([ROWS, INPUTS], label)}
        outputs = self.outputs(library, inputs, "--entry=gradients")
        # By hand: u = x + 1, y = u W W, d = 2 (y - label) / count.
        w, u, count = rows(numbers("twice", INPUTS * INPUTS), INPUTS), [[v + 1 for v in row] for row in rows(x, INPUTS)], ROWS * INPUTS

        def product(a, b):
            return [[sum(p * q for p, q in zip(row, column)) for column in zip(*b)] for row in a]

        def turned(a):
            return [list(column) for column in zip(*a)]

        y = product(product(u, w), w)
        d = [[2 * (p - q) / count for p, q in zip(*pair)] for pair in zip(y, rows(label, INPUTS))]
        dw = [[p + q for p, q in zip(*pair)] for pair in zip(product(turned(product(u, w)), d), product(turned(u), product(d, turned(w))))]
        du = product(product(d, turned(w)), turned(w))
        self.close(outputs["twice#gradient"], sum(dw, []), 1e-5)
        self.close(outputs["shift#gradient"], [sum(column) for column in zip(*du)], 1e-5)
        scaled = [[p * q for p, q in zip(*pair)] for pair in zip(du, rows(x, INPUTS))]
        self.close(outputs["scale#gradient"], [sum(column) for column in zip(*scaled)], 1e-5)

    def check_back(self, model, library, state, x):
        """The trained file, compiled without training, gives what the trained state gives."""
        trained = self.path("trained.onnx")
        self.translate(model, state, trained)
        expected = self.outputs(library, x, "--resume=" + state)
        self.close(self.outputs(self.build(trained, name="back"), x)["y"], expected["y"], 1e-6)
        return trained

    def test_weights_go_back(self):
        library = self.build(self.identities(), "--train", "--loss=mean-squared-error:y", "--optimizer=adam")
        state, x = self.path("state.safetensors"), {"x": ([ROWS, INPUTS], numbers("x", ROWS * INPUTS))}
        inputs = {**x, "label": ([ROWS, INPUTS], numbers("label", ROWS * INPUTS)), "learning_rate": ([], [0.1])}
        self.outputs(library, inputs, "--entry=train", "--save=" + state)
        trained = self.check_back(self.path("net.onnx"), library, state, x)
        with open(self.path("net.onnx"), "rb") as before, open(trained, "rb") as after:
            old, new = before.read(), after.read()
        self.assertIn(b"Identity", old)
        self.assertNotIn(b"Identity", new)
        self.assertEqual(old.count(b"MatMul"), new.count(b"MatMul"))
        # Back to the values of the beginning: but for the node, the file is the file.
        beginning = {"scale": ([INPUTS], [1] * INPUTS), "twice": ([INPUTS, INPUTS], numbers("twice", INPUTS * INPUTS))}
        write_state(state, beginning)
        self.translate(trained, state, self.path("first.onnx"))
        self.translate(self.path("net.onnx"), state, self.path("same.onnx"))
        with open(self.path("same.onnx"), "rb") as file:
            self.assertEqual(file.read(), old)

    def test_recurrent_weights_are_called_after_their_node(self):
        graph = Graph("recurrent")
        graph.input("x", [ROWS, 1, INPUTS])
        graph.constant("onnx::GRU_7", [1, 3 * HIDDEN, INPUTS], numbers("w", 3 * HIDDEN * INPUTS))
        graph.constant("r", [1, 3 * HIDDEN, HIDDEN], numbers("r", 3 * HIDDEN * HIDDEN))
        graph.node("GRU", ["x", "onnx::GRU_7", "r"], output="y", name="/gru/GRU", hidden_size=HIDDEN)
        graph.output("y", [ROWS, 1, 1, HIDDEN])
        library = self.build(graph, "--train", "--loss=mean-squared-error:y", "--trainable=/gru/*")
        state, x = self.path("state.safetensors"), {"x": ([ROWS, 1, INPUTS], numbers("x", ROWS * INPUTS))}
        inputs = {**x, "label": ([ROWS, 1, 1, HIDDEN], [0.5] * ROWS * HIDDEN), "learning_rate": ([], [0.5])}
        self.outputs(library, inputs, "--entry=train", "--save=" + state)
        self.assertEqual([name for name in read_state(state) if not name.startswith("#")], ["/gru/GRU.W"])
        trained = self.check_back(self.path("net.onnx"), library, state, x)
        with open(trained, "rb") as file:
            self.assertIn(b"onnx::GRU_7", file.read())

    def test_a_state_of_another_model_does_not_go_back(self):
        network().save(self.path("net.onnx"))
        w1, state, output = (WEIGHTS["w1"], initial("w1")), self.path("state.safetensors"), self.path("trained.onnx")
        momentum = (WEIGHTS["w2"], initial("w2"))
        for tensors, text in (({"w1": w1, "w3": w1}, "the state belongs to a different model: it has 'w3', which this model does not have"),
                              ({"w3": w1}, "the state has no weight of this model; pass the model that was trained"),
                              ({"w1": w1, "w2#momentum": momentum}, "the state must have 'w2' because it has 'w2#momentum', but does not"),
                              ({"w1": ((HIDDEN, INPUTS), initial("w1"))}, "the state must have 'w1' like the model, with type F32 and shape [3, 5], but has type F32 and shape [5, 3]")):
            write_state(state, tensors)
            self.assertIn(text, self.translate(self.path("net.onnx"), state, output, status=1))
            self.assertFalse(os.path.exists(output))
        write_state(state, {"w1": w1})
        with open(state, "rb") as file:
            data = file.read()
        with open(state, "wb") as file:
            file.write(data[:-3])
        self.assertIn("the state must be a whole safetensors file", self.translate(self.path("net.onnx"), state, output, status=1))


if __name__ == "__main__":
    unittest.main()
