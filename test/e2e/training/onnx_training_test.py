#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that say themselves how they are trained, and trained weights on their way back into ONNX.

What: training_info as the entry `train`, against the same formulas in Python's doubles; gradients of gradients; weights that share
      an initializer; nacre-translate --state, whose result is compiled anew and must compute what the trained state computes.
"""
import json
import math
import os
import random
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import FLOAT, INT64, Graph, write_npy

TRAINING = "ai.onnx.preview.training."
ROWS, INPUTS, HIDDEN, OUTPUTS = 4, 3, 5, 2
WEIGHTS = {"w1": (INPUTS, HIDDEN), "b1": (HIDDEN,), "w2": (HIDDEN, OUTPUTS)}


def numbers(seed, count):
    draw = random.Random(seed)
    return [draw.uniform(-1, 1) for _ in range(count)]


def initial(name):
    return numbers(name, math.prod(WEIGHTS[name]))


def network():
    """Two layers, tanh between them."""
    graph = Graph("network")
    graph.input("x", [ROWS, INPUTS])
    for name, dims in WEIGHTS.items():
        graph.constant(name, dims, initial(name))
    hidden = graph.node("Tanh", [graph.node("Add", [graph.node("MatMul", ["x", "w1"]), "b1"])])
    graph.node("MatMul", [hidden, "w2"], output="y")
    graph.output("y", [ROWS, OUTPUTS])
    return graph


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


def rows(values, width):
    return [values[i:i + width] for i in range(0, len(values), width)]


def read_state(path):
    """The tensors of a safetensors file."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    codes = {"F32": "f", "I64": "q"}
    tensors = {}
    for name, row in header.items():
        begin, end = row["data_offsets"]
        kind = codes[row["dtype"]]
        tensors[name] = list(struct.unpack(f"<{(end - begin) // struct.calcsize(kind)}{kind}", data[8 + size + begin:8 + size + end]))
    return tensors


def write_state(path, tensors):
    """As others write it: {name: (dims, values)}, without a checksum."""
    header, data = {}, b""
    for name, (dims, values) in tensors.items():
        raw = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": list(dims), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    begin = 10 + struct.unpack_from("<H", data, 8)[0]
    return struct.unpack(f"<{(len(data) - begin) // 4}f", data[begin:])


class OnnxTrainingTest(nacre.NacreTest):
    def build(self, graph, *options, name="net", status=0):
        model = self.path(name + ".onnx")
        if not isinstance(graph, str):
            graph.save(model)
        else:
            model = graph
        library = self.path(f"lib{name}.so")
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", library, "--quiet", *options, status=status)
        return said if status else library

    def translate(self, model, state, output, status=0):
        return self.call(os.path.join(nacre.BIN, "nacre-translate"), model, "--state=" + state, "-o", output, status=status)

    def outputs(self, library, inputs, *options, run=None):
        """What a run gives, by name."""
        arguments = []
        for name, (dims, values) in inputs.items():
            write_npy(self.path(name + ".npy"), dims, values)
            arguments.append(f"--input={name}={self.path(name + '.npy')}")
        folder = self.path("outputs")
        os.makedirs(folder, exist_ok=True)
        (run or self.run_model)(library, *arguments, "--output=" + folder, *options)
        return {name.removesuffix(".npy"): read_npy(os.path.join(folder, name)) for name in os.listdir(folder)}

    def close(self, given, expected, tolerance, what=None):
        largest = max(max(map(abs, expected)), 1e-3)
        self.assertEqual(len(given), len(expected), what)
        self.assertLessEqual(max(abs(a - b) for a, b in zip(given, expected)), tolerance * largest, what)

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
