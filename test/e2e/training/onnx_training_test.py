#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that say themselves how they are trained.

What: training_info as the entry `train`, against the same formulas in Python's doubles; gradients of gradients.
"""
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from onnx_training import HIDDEN, INPUTS, OUTPUTS, ROWS, WEIGHTS, TrainingTest, initial, network, numbers, read_state, rows
from onnx_writer import INT64, Graph

TRAINING = "ai.onnx.preview.training."


def self_training():
    """The network, and Adam on the mean of squares, step by step."""
    graph, steps = network(), Graph("steps")
    steps.input("label", [ROWS, OUTPUTS])
    steps.input("rate", [])
    steps.count("step", 0)
    steps.count("one", 1)
    difference = steps.node("Sub", ["y", "label"])
    steps.node("ReduceMean", [steps.node("Mul", [difference, difference])], output="loss", keepdims=0)
    steps.output("loss", [])
    gradients = steps.node(TRAINING + "Gradient", [*WEIGHTS, "x", "label"], output=["d_" + name for name in WEIGHTS],
                           xs=list(WEIGHTS), zs=["x", "label"], y="loss")
    lists = [list(WEIGHTS), gradients]
    for moment in ("m", "v"):
        lists.append([steps.constant(f"{moment}_{name}", dims, [0] * math.prod(dims)) for name, dims in WEIGHTS.items()])
    results = [prefix + name for prefix in ("next_", "next_m_", "next_v_") for name in WEIGHTS]
    steps.node(TRAINING + "Adam", ["rate", "step", *sum(lists, [])], output=results, epsilon=1e-4, norm_coefficient=0.01)
    steps.node("Add", ["step", "one"], output="next_step")
    for result in results:
        steps.output(result, WEIGHTS[result.rpartition("_")[2]])
    steps.output("next_step", [], INT64)
    graph.train(steps, {result[len("next_"):]: result for result in [*results, "next_step"]})
    return graph


class Reference:
    """The same in doubles, each derivative written out by hand."""

    def __init__(self):
        self.weights = {name: initial(name) for name in WEIGHTS}
        self.m, self.v = ({name: [0.0] * len(values) for name, values in self.weights.items()} for _ in range(2))
        self.steps = 0

    def forward(self, x):
        w1, b1, w2 = (self.weights[name] for name in WEIGHTS)
        hidden = [[math.tanh(b1[j] + sum(x[r][i] * w1[i * HIDDEN + j] for i in range(INPUTS))) for j in range(HIDDEN)]
                  for r in range(ROWS)]
        return hidden, [[sum(hidden[r][j] * w2[j * OUTPUTS + k] for j in range(HIDDEN)) for k in range(OUTPUTS)] for r in range(ROWS)]

    def step(self, x, label, rate):
        hidden, y = self.forward(x)
        count, w2 = ROWS * OUTPUTS, self.weights["w2"]
        loss = sum((y[r][k] - label[r][k]) ** 2 for r in range(ROWS) for k in range(OUTPUTS)) / count
        dy = [[2 * (y[r][k] - label[r][k]) / count for k in range(OUTPUTS)] for r in range(ROWS)]
        dh = [[sum(dy[r][k] * w2[j * OUTPUTS + k] for k in range(OUTPUTS)) * (1 - hidden[r][j] ** 2) for j in range(HIDDEN)]
              for r in range(ROWS)]
        gradients = {"w1": [sum(x[r][i] * dh[r][j] for r in range(ROWS)) for i in range(INPUTS) for j in range(HIDDEN)],
                     "b1": [sum(dh[r][j] for r in range(ROWS)) for j in range(HIDDEN)],
                     "w2": [sum(hidden[r][j] * dy[r][k] for r in range(ROWS)) for j in range(HIDDEN) for k in range(OUTPUTS)]}
        if self.steps:
            rate *= math.sqrt(1 - 0.999 ** self.steps) / (1 - 0.9 ** self.steps)
        self.steps += 1
        for name, weight in self.weights.items():
            m, v = self.m[name], self.v[name]
            for at, gradient in enumerate(gradients[name]):
                gradient += 0.01 * weight[at]
                m[at] = 0.9 * m[at] + 0.1 * gradient
                v[at] = 0.999 * v[at] + 0.001 * gradient ** 2
                weight[at] -= rate * m[at] / (math.sqrt(v[at]) + 1e-4)
        return loss


class OnnxTrainingTest(TrainingTest):
    def train(self, library, steps, run=None):
        """Steps of the model that trains itself, each by a process of its own; the reference beside them."""
        reference, state = Reference(), self.path("state.safetensors")
        for step in range(steps):
            x, label = numbers(f"x{step}", ROWS * INPUTS), numbers(f"label{step}", ROWS * OUTPUTS)
            inputs = {"x": ([ROWS, INPUTS], x), "label": ([ROWS, OUTPUTS], label), "rate": ([], [0.05])}
            outputs = self.outputs(library, inputs, "--entry=train", "--save=" + state, *(["--resume=" + state] if step else []), run=run)
            loss = reference.step(rows(x, INPUTS), rows(label, OUTPUTS), 0.05)
            self.close(outputs["loss"], [loss], 1e-5, f"loss of step {step}")
        return reference, state

    def check_state(self, reference, state):
        tensors = read_state(state)
        self.assertEqual(tensors["step"], [reference.steps])
        for name in WEIGHTS:
            self.close(tensors[name], reference.weights[name], 1e-5, name)
            self.close(tensors["m_" + name], reference.m[name], 1e-5, "m_" + name)
            self.close(tensors["v_" + name], reference.v[name], 1e-5, "v_" + name)

    def test_a_model_trains_itself(self):
        library = self.build(self_training(), "--train")
        reference, state = self.train(library, 4)
        self.check_state(reference, state)
        # The network's own entry reads what was trained.
        x = numbers("x", ROWS * INPUTS)
        outputs = self.outputs(library, {"x": ([ROWS, INPUTS], x)}, "--resume=" + state)
        self.close(outputs["y"], sum(reference.forward(rows(x, INPUTS))[1], []), 1e-5)
        # And all of it goes back into the file, the optimizer's part, too.
        self.translate(self.path("net.onnx"), state, self.path("trained.onnx"))
        again = self.build(self.path("trained.onnx"), "--train", name="again")
        inputs = {"x": ([ROWS, INPUTS], x), "label": ([ROWS, OUTPUTS], [0.5] * ROWS * OUTPUTS), "rate": ([], [0.05])}
        self.assertEqual(self.outputs(again, inputs, "--entry=train"), self.outputs(library, inputs, "--entry=train", "--resume=" + state))

    def test_a_model_trains_itself_on_arm64(self):
        self.check_state(*self.train(self.build(self_training(), "--train", "--target=linux-arm64"), 2, run=self.run_arm64))

    def test_without_training_it_is_a_network(self):
        library = self.build(self_training())
        self.assertNotIn("train", self.run_model(library, "--info"))
        x = numbers("x", ROWS * INPUTS)
        self.close(self.outputs(library, {"x": ([ROWS, INPUTS], x)})["y"], sum(Reference().forward(rows(x, INPUTS))[1], []), 1e-5)

    def test_gradients_of_gradients(self):
        """f = sum(x^3 z), g = sum(f'(x)^2) with f' = 3 x^2 z: g' = 36 x^3 z^2, at other points than those of the graph, too."""
        graph = Graph("nested")
        graph.constant("x", [3], [0.5, -1, 2])
        for name in ("z", "at"):
            graph.input(name, [3])
        cube = graph.node("Mul", [graph.node("Mul", ["x", "x"]), "x"])
        graph.node("ReduceSum", [graph.node("Mul", [cube, "z"])], output="f", keepdims=0)
        graph.node(TRAINING + "Gradient", ["x", "z"], output="df", xs=["x"], zs=["z"], y="f")
        graph.node("ReduceSum", [graph.node("Mul", ["df", "df"])], output="g", keepdims=0)
        graph.node(TRAINING + "Gradient", ["at", "z"], output="dg", xs=["x"], zs=["z"], y="g")
        graph.output("df", [3])
        graph.output("dg", [3])
        at, z, x = [1.5, -0.5, 0.25], [2, 3, -1], [0.5, -1, 2]
        outputs = self.outputs(self.build(graph), {"z": ([3], z), "at": ([3], at)})
        self.close(outputs["df"], [3 * a * a * b for a, b in zip(x, z)], 1e-6)
        self.close(outputs["dg"], [36 * a ** 3 * b * b for a, b in zip(at, z)], 1e-6)

    def test_the_same_elements_are_dropped(self):
        """What is differentiated drops what was dropped: f = sum(dropout(x) w), of which the gradient for w is dropout(x)."""
        graph = Graph("drops")
        graph.input("x", [64])
        graph.constant("ratio", [], [0.5])
        graph.initializers.append(b"\x10\x09" + b"\x42\x02on" + b"\x4a\x01\x01")
        graph.constant("w", [64], [1] * 64)
        graph.node("Dropout", ["x", "ratio", "on"], output="other", seed=3)
        graph.node("Dropout", ["x", "ratio", "on"], output="dropped", seed=3)
        graph.node("ReduceSum", [graph.node("Mul", ["dropped", "w"])], output="f", keepdims=0)
        graph.node(TRAINING + "Gradient", ["w", "x"], output="dw", xs=["w"], zs=["x"], y="f")
        for name in ("dropped", "dw"):
            graph.output(name, [64])
        outputs = self.outputs(self.build(graph), {"x": ([64], [1] * 64)})
        self.assertEqual(outputs["dropped"], outputs["dw"])
        self.assertEqual(set(outputs["dw"]), {0, 2})

    def test_mistakes_are_named(self):
        def gradient(inputs, **attributes):
            graph = Graph("wrong")
            graph.input("x", [3])
            graph.node("Mul", ["x", "x"], output="y")
            graph.node(TRAINING + "Gradient", inputs, output="d", name="slope", **attributes)
            graph.output("d", [3])
            return graph

        wrong = {"attributes 'xs' and 'zs' must name a tensor for each input, but name 1 for 2": gradient(["x", "x"], xs=["x"], y="y"),
                 "attribute 'y' must name a tensor of the node's graph, but names 'z'": gradient(["x"], xs=["x"], y="z"),
                 "must name tensors of the graph, each once, but name 'x' twice": gradient(["x", "x"], xs=["x"], zs=["x"], y="y"),
                 "must name tensors of the graph, each once, but name 'z', which does not exist": gradient(["x"], xs=["z"], y="y"),
                 "a node must not depend on its own output": gradient(["x"], xs=["x"], y="d")}
        for text, graph in wrong.items():
            self.assertIn(text, self.build(graph, status=1))
        said = self.build(network(), "--train", status=1)
        self.assertIn("--train requires a loss, as in --loss=softmax-cross-entropy:logits, because the model does not say itself how it is "
                      "trained; see --help", said)
        graph, steps = network(), Graph("steps")
        steps.node("Neg", ["w1"], output="next")
        steps.output("next", WEIGHTS["w1"])
        for updates, text in (({"w3": "next"}, "update_binding must name initializers, but 'w3' is not one"),
                              ({"w1": "other"}, "update_binding must map an output of its graphs to 'w1', but 'other' is not one")):
            graph.train(steps, updates)
            self.assertIn(text, self.build(graph, "--train", status=1))

if __name__ == "__main__":
    unittest.main()
