#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LSTM, GRU and RNN of ONNX with every activation function, against their definition in NumPy."""
import os
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: needs numpy")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cells import Layer, compute
from engines import EnginesTest, Model

STEPS, BATCH, INPUTS, HIDDEN = 4, 3, 5, 6


class FunctionsTest(EnginesTest):
    parts = 2

    def add(self, model, operator, functions, alphas=(), betas=(), direction="forward", states=False, lengths=None, batch_first=False, **options):
        """A layer with drawn weights as a node of the model."""
        random = np.random.default_rng(len(model.graph.nodes) + 7)
        directions = 2 if direction == "bidirectional" else 1
        layer = Layer(random, operator, directions, INPUTS, HIDDEN, peepholes=options.pop("peepholes", False))
        x = random.uniform(-1.5, 1.5, (STEPS, BATCH, INPUTS)).astype(np.float32)
        initial = [random.uniform(-1, 1, (directions, BATCH, HIDDEN)).astype(np.float32) if states else None for _ in range(2)]
        answers = compute(operator, x, layer.w, layer.r, layer.b, functions, alphas, betas, direction=direction, lengths=lengths,
                          initial=initial, p=layer.p, **options)
        turned = lambda a: np.ascontiguousarray(a.swapaxes(-2, -3)) if batch_first and a is not None else a  # noqa: E731
        if batch_first:
            answers = [np.ascontiguousarray(answers[0].transpose(2, 0, 1, 3)), *map(turned, answers[1:])]
        attributes = {name: list(map(float, values)) for name, values in (("activation_alpha", alphas), ("activation_beta", betas)) if len(values)}
        if batch_first:
            attributes["layout"] = 1
        lengths = None if lengths is None else np.array(lengths, np.int32)
        is_lstm = operator == "LSTM"
        operands = [model.feed(turned(x)), layer.w, layer.r, layer.b, lengths, *map(turned, initial[:1 + is_lstm])]
        operands += [layer.p] if is_lstm else []
        model.node(operator, operands, *answers[:2 + is_lstm], activations=list(functions), direction=direction, hidden_size=HIDDEN,
                   **attributes, **options)

    def test_each_function_of_an_rnn(self):
        model = Model(opset=14)
        for name in ("Affine", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "ScaledTanh", "Sigmoid", "Softplus", "Softsign", "Tanh", "ThresholdedRelu"):
            # Affine grows; its slope keeps it small.
            self.add(model, "RNN", [name], *(([0.3], [0.1]) if name == "Affine" else ()), states=True)
            self.add(model, "RNN", [name], [0.35], [0.2], direction="reverse")
        # What ONNX Runtime takes for a missing parameter of ScaledTanh and ThresholdedRelu is 0, not the operator's default.
        self.check(model, ort=False)

    def test_hard_sigmoid_as_keras_has_it(self):
        model = Model(opset=14)
        gates = ["HardSigmoid", "Tanh", "Tanh"]
        for direction in ("forward", "reverse", "bidirectional"):
            count = 2 if direction == "bidirectional" else 1
            self.add(model, "LSTM", gates * count, [0.2] * count, [0.5] * count, direction)
            self.add(model, "GRU", gates[:2] * count, [0.2] * count, [0.5] * count, direction, linear_before_reset=1)
            self.add(model, "GRU", gates[:2] * count, direction=direction)
        self.check(model)

    def test_parameters_go_to_those_who_have_them(self):
        model = Model(opset=14)
        self.add(model, "LSTM", ["HardSigmoid", "Tanh", "LeakyRelu", "Sigmoid", "Elu", "ScaledTanh"], [0.3, 0.05, 0.7, 1.1], [0.4, 0.6], "bidirectional")
        self.add(model, "GRU", ["Sigmoid", "Elu", "HardSigmoid", "Softsign"], [0.5, 0.25], [0.45], "bidirectional")
        self.add(model, "RNN", ["LeakyRelu", "ThresholdedRelu"], [0.2, 0.3], direction="bidirectional")
        self.check(model)

    def test_options(self):
        model = Model(opset=14)
        gates = ["HardSigmoid", "Softsign", "ScaledTanh"]
        parameters = [0.3, 1.2], [0.4, 0.8]
        self.add(model, "LSTM", gates, *parameters, states=True, peepholes=True, clip=0.7)
        self.add(model, "LSTM", gates * 2, *(p * 2 for p in parameters), direction="bidirectional", lengths=[4, 2, 1], states=True)
        self.add(model, "LSTM", gates, *parameters, input_forget=1, peepholes=True)
        self.add(model, "GRU", gates[:2], [0.3], [0.4], direction="reverse", lengths=[1, 4, 3], states=True, clip=0.5)
        self.add(model, "GRU", gates[:2], [0.3], [0.4], linear_before_reset=1, lengths=[2, 2, 4], clip=0.9)
        self.add(model, "RNN", ["Softsign"], lengths=[3, 1, 4], direction="reverse")
        self.check(model)

    def test_layouts(self):
        model = Model(opset=14)
        self.add(model, "LSTM", ["HardSigmoid", "Tanh", "Tanh"] * 2, direction="bidirectional", states=True, batch_first=True)
        self.add(model, "GRU", ["HardSigmoid", "Tanh"], states=True, batch_first=True)
        self.check(model, ort=False)

    def test_what_no_function_takes(self):
        model = Model(opset=14)
        self.add(model, "RNN", ["LeakyRelu"], [0.2, 0.9], [0.1])
        self.save(model)
        _, said = self.compiled()
        self.assertIn("warning: attribute 'activation_alpha' has 2 values, but its functions only take 1; the others are ignored", said)
        self.assertIn("warning: attribute 'activation_beta' has 1 value, but its functions only take 0; the others are ignored", said)

    def test_unknown_functions(self):
        model = Model(opset=14)
        x, w, r = np.zeros((2, 1, 3), np.float32), np.zeros((1, 4, 3), np.float32), np.zeros((1, 4, 4), np.float32)
        answer = np.zeros((2, 1, 1, 4), np.float32)
        for functions, words in ((["Gelu"], "must name Affine, Elu, HardSigmoid, LeakyRelu, Relu, ScaledTanh, Sigmoid, Softplus, Softsign, Tanh, "
                                  "ThresholdedRelu, but names 'Gelu'"),
                                 (["Elu", "Elu"], "must have 1 element, but has 2")):
            model = Model(opset=14)
            model.node("RNN", [model.feed(x), w, r], answer, activations=functions)
            self.save(model)
            self.assertIn("error: attribute 'activations' " + words, self.compiled(status=1)[1])


if __name__ == "__main__":
    unittest.main()
