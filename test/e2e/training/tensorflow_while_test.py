#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of TensorFlow 2 in the signature `train` of a saved model, with the gradients that tf.GradientTape writes."""
import json
import math
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import tensorflow_writer as tf
from tensorflow_functions import FLOAT, INT32, RESOURCE, Graph, Loop, gradients
from tensorflow_models import OnArm64, OnGpu, TrainedModelTest

BATCH, WIDTH, RATE, STEPS = 2, 3, 0.125, 3


def save_model(path, weights, inputs, builders):
    """A saved model with a signature for each builder, which gets the inputs, for `infer` the first, and the handles of the variables."""
    model = Graph()
    handles = [model.node("VarHandleOp", [], (RESOURCE, shape), name=name, dtype=tf.Type(FLOAT), shape=tf.Shape(shape), shared_name=name).results[0]
               for name, (shape, _) in weights.items()]
    signatures = {}
    for key, build in builders.items():
        names = list(inputs)[:1] if key == "infer" else list(inputs)
        body = Graph(key + "_step", model)
        arguments = [body.argument(FLOAT, inputs[name]) for name in names] + [body.argument(RESOURCE, handle.shape) for handle in handles]
        output = build(body, *arguments)
        output.node.name = "output" if key == "infer" else "loss"
        body.outputs = [output]
        given = [model.node("Placeholder", [], (FLOAT, inputs[name]), name=f"{key}_{name}", dtype=tf.Type(FLOAT), shape=tf.Shape(inputs[name])).results[0] for name in names]
        called = model.node("StatefulPartitionedCall", [*given, *handles], (FLOAT, output.shape), name=key, f=tf.Function(body.name),
                            Tin=[tf.Type(FLOAT)] * len(names) + [tf.Type(RESOURCE)] * len(handles), Tout=[tf.Type(FLOAT)]).results[0]
        signatures[key] = tf.signature({name: (value.reference() + ":0", FLOAT, value.shape) for name, value in zip(names, given)},
                                       {"output" if key == "infer" else "loss": (called.reference() + ":0", FLOAT, output.shape)})
    meta = tf.meta_graph(tf.graph(model.encode_nodes(), [function.encode() for function in model.functions]), signatures)
    tf.save(path, tf.saved_model(meta), {name: tf.floats(shape, values) for name, (shape, values) in weights.items()})
    return path


def descend(graph, loss, handles):
    """One step of gradient descent for the variables; returns the loss, which waits for it. What reads a variable does so before."""
    found = gradients(graph, [(loss, graph.constant(tf.floats([], [1])))], handles)
    rate = graph.constant(tf.floats([], [RATE]))
    reads = [[node for node in graph.nodes if handle in node.inputs] for handle in handles]
    updates = [graph.node("ResourceApplyGradientDescent", [handle, rate, gradient], T=tf.Type(FLOAT)) for handle, gradient in zip(handles, found)]
    for update, before in zip(updates, reads):
        update.controls += before
    last = graph.node("Identity", [loss], (FLOAT, ()), T=tf.Type(FLOAT))
    last.controls += updates
    return last.results[0]


def recurrence(graph, x, w, reads_inside, steps=None):
    """h = tanh(h w + x[t]): all h, [times, batch, width]; zeros from `steps` on, a scalar, if it is given."""
    times = x.shape[0]
    rows, outputs = graph.unstack(x), graph.reserve(graph.integer(times), (FLOAT, (BATCH, WIDTH), None))
    limit = graph.add("Cast", [steps], INT32, SrcT=tf.Type(FLOAT), DstT=tf.Type(INT32)) if steps else graph.integer(times)
    weights = w if reads_inside else graph.read(w)

    def body(inner, t, outputs, h):
        product = inner.product(h, inner.read(weights) if reads_inside else weights)
        h = inner.like("Tanh", inner.like("AddV2", product, inner.get(inner.own(rows), t)))
        return inner.like("AddV2", t, inner.integer(1)), inner.set(outputs, t, h), h

    loop = Loop(graph, "while", lambda ask, t, *_: ask.compare("Less", t, limit), body, [graph.integer(0), outputs, graph.zeros((BATCH, WIDTH))], times)
    return graph.stack(loop.result(1), times)


def recurrence_step(w, x, label):
    """The loss, and w after a step, in doubles."""
    h, states = [[0.0] * WIDTH for _ in range(BATCH)], []
    for rows in x:
        states.append((h, [[math.tanh(sum(h[b][k] * w[k][j] for k in range(WIDTH)) + rows[b][j]) for j in range(WIDTH)] for b in range(BATCH)]))
        h = states[-1][1]
    loss = sum((y[b][j] - l[b][j]) ** 2 for (_, y), l in zip(states, label) for b in range(BATCH) for j in range(WIDTH))
    dh, dw = [[0.0] * WIDTH for _ in range(BATCH)], [[0.0] * WIDTH for _ in range(WIDTH)]
    for (before, y), wanted in reversed(list(zip(states, label))):
        da = [[(dh[b][j] + 2 * (y[b][j] - wanted[b][j])) * (1 - y[b][j] ** 2) for j in range(WIDTH)] for b in range(BATCH)]
        dw = [[dw[k][j] + sum(before[b][k] * da[b][j] for b in range(BATCH)) for j in range(WIDTH)] for k in range(WIDTH)]
        dh = [[sum(da[b][j] * w[k][j] for j in range(WIDTH)) for k in range(WIDTH)] for b in range(BATCH)]
    return loss, [[w[k][j] - RATE * dw[k][j] for j in range(WIDTH)] for k in range(WIDTH)]


def lstm(graph, x, kernel, recurrent, bias):
    """The last output of keras.layers.LSTM, without an activation's own names: the gates are one product."""
    times = x.shape[0]
    rows, outputs = graph.unstack(x), graph.reserve(graph.integer(times), (FLOAT, (BATCH, WIDTH), None))
    limit = graph.integer(times)
    kernel, recurrent, bias = (graph.read(handle) for handle in (kernel, recurrent, bias))

    def body(inner, t, outputs, h, c):
        z = inner.like("AddV2", inner.product(inner.get(inner.own(rows), t), kernel), inner.product(h, recurrent))
        i, f, g, o = inner.split(inner.like("BiasAdd", z, bias), 4)
        i, f, g, o = inner.like("Sigmoid", i), inner.like("Sigmoid", f), inner.like("Tanh", g), inner.like("Sigmoid", o)
        c = inner.like("AddV2", inner.like("Mul", f, c), inner.like("Mul", i, g))
        h = inner.like("Mul", o, inner.like("Tanh", c))
        return inner.like("AddV2", t, inner.integer(1)), inner.set(outputs, t, h), h, c

    zeros = graph.zeros((BATCH, WIDTH))
    loop = Loop(graph, "while", lambda ask, t, *_: ask.compare("Less", t, limit), body, [graph.integer(0), outputs, zeros, zeros], times)
    return loop.result(2)


def nested(graph, x, w):
    """For all t, h = h + x[t], and then some times h = tanh(h w)."""
    rows, weights, limit = graph.unstack(x), graph.read(w), graph.integer(x.shape[0])

    def body(outer, t, h):
        h, own, count = outer.like("AddV2", h, outer.get(outer.own(rows), t)), outer.own(weights), outer.integer(3)
        loop = Loop(outer, "inner", lambda ask, i, _: ask.compare("Less", i, count),
                    lambda inner, i, h: (inner.like("AddV2", i, inner.integer(1)), inner.like("Tanh", inner.product(h, own))), [outer.integer(0), h], 3)
        return outer.like("AddV2", t, outer.integer(1)), loop.result(1)

    return Loop(graph, "outer", lambda ask, t, _: ask.compare("Less", t, limit), body, [graph.integer(0), graph.zeros((BATCH, WIDTH))], x.shape[0]).result(1)


def flat(values):
    return [number for value in values for number in flat(value)] if isinstance(values, list) else [values]


class RecurrenceTest(TrainedModelTest):
    def check(self, times, reads_inside, steps=None):
        draw = random.Random(7)
        shape = (times, BATCH, WIDTH)
        w = [[draw.uniform(-0.7, 0.7) for _ in range(WIDTH)] for _ in range(WIDTH)]

        def infer(graph, x, *others):
            return recurrence(graph, x, others[-1], reads_inside, others[0] if len(others) > 1 else None)

        def train(graph, x, label, *others):
            difference = graph.like("Sub", infer(graph, x, *others), label)
            return descend(graph, graph.sum(graph.like("Mul", difference, difference)), [others[-1]])

        inputs = {"x": shape, "label": shape} | ({"steps": ()} if steps else {})
        model = save_model(self.path("model"), {"w": ((WIDTH, WIDTH), flat(w))}, inputs, {"train": train, "infer": infer})
        library, state = self.build(model, "--train", "--quiet"), self.path("state.safetensors")
        for number in range(STEPS):
            x, label = ([[[draw.uniform(-1, 1) for _ in range(WIDTH)] for _ in range(BATCH)] for _ in range(times)] for _ in range(2))
            length = steps[number] if steps else times
            label[length:] = [[[0] * WIDTH] * BATCH] * (times - length)  # no error, where nothing is computed
            loss, w = recurrence_step(w, x[:length], label)
            inputs = {"x": (shape, flat(x)), "label": (shape, flat(label))} | ({"steps": ([], [length])} if steps else {})
            outputs = self.run_entry(library, inputs, "--entry=train", "--save=" + state, *(["--resume=" + state] if number else []))
            self.close(outputs["loss"], [loss], f"loss of step {number}")
        evaluated = self.run_entry(library, inputs, "--entry=evaluate", "--resume=" + state)
        self.close(evaluated["loss"], [recurrence_step(w, x[:length], label)[0]], "the loss after all steps")

    def test_a_few_time_steps(self):
        self.check(5, reads_inside=False)

    def test_more_time_steps_than_are_unrolled(self):
        self.check(150, reads_inside=False)

    def test_a_variable_that_the_loop_reads(self):
        self.check(150, reads_inside=True)
        self.check(4, reads_inside=True)

    def test_iterations_that_a_run_decides(self):
        self.check(6, reads_inside=True, steps=[4, 6, 1])

    def check_own_gradients(self, network, shapes, times):
        """The same loss with the gradients of the file and with those of the compiler."""
        draw = random.Random(3)
        shape = (times, BATCH, WIDTH)
        weights = {name: (sizes, [draw.uniform(-0.7, 0.7) for _ in range(math.prod(sizes))]) for name, sizes in shapes.items()}

        def loss(graph, x, label, *handles):
            difference = graph.like("Sub", network(graph, x, *handles), label)
            return graph.sum(graph.like("Mul", difference, difference))

        builders = {"train": lambda graph, x, label, *handles: descend(graph, loss(graph, x, label, *handles), handles), "infer": network, "plain": loss}
        model = save_model(self.path("model"), weights, {"x": shape, "label": (BATCH, WIDTH)}, builders)
        inputs = {"x": (shape, [draw.uniform(-1, 1) for _ in range(math.prod(shape))]), "label": ((BATCH, WIDTH), [draw.uniform(-1, 1) for _ in range(BATCH * WIDTH)])}
        first = self.run_entry(self.build(model, "--train", "--quiet", "--report=" + self.path("given.json")), inputs, "--entry=train", "--save=" + self.path("given.safetensors"))
        own = self.build(model, "--signature=plain", "--train", "--loss=model:plain/loss", "--optimizer=sgd", "--batch-axis=x:1", f"--train-batch={BATCH}", "--quiet",
                         "--report=" + self.path("own.json"))
        second = self.run_entry(own, inputs | {"learning_rate": ([], [RATE])}, "--entry=train", "--save=" + self.path("own.safetensors"))
        for name, (_, before) in weights.items():
            self.close(first[name], second[name], name)
            self.assertGreater(max(abs(a - b) for a, b in zip(first[name], before)), 1e-3, name)
        self.close(first["loss"], second["loss"])

    def test_lstm(self):
        shapes = {"kernel": (WIDTH, 4 * WIDTH), "recurrent": (WIDTH, 4 * WIDTH), "bias": (4 * WIDTH,)}
        self.check_own_gradients(lstm, shapes, times=130)
        # Rows are read and written in place.
        for name in ("given", "own"):
            with open(self.path(name + ".json"), encoding="utf-8") as file:
                kernels = {row["kernel"] for row in json.load(file)["launches"] if row["entry"] == "train"}
            self.assertTrue(kernels)
            self.assertFalse([kernel for kernel in kernels if "scatter" in kernel or "gather" in kernel])

    def test_a_loop_in_a_loop(self):
        self.check_own_gradients(nested, {"w": (WIDTH, WIDTH)}, times=4)


class RecurrenceOnArm64(OnArm64, RecurrenceTest):
    pass


class RecurrenceOnGpu(OnGpu, RecurrenceTest):
    pass


if __name__ == "__main__":
    unittest.main()
