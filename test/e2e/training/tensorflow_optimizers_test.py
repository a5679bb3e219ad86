#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorFlow models that train themselves, written without TensorFlow: every optimizer, against its formula in doubles; a saved model of
TensorFlow 2 with the signatures train, infer, save and restore; and the errors of graphs that leave a choice."""
import json
import math
import os
import random
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import tensorflow_writer as tf
from tensorflow_graphs import FLOAT, INT64, body, const, placeholder, variable
from tensorflow_models import TrainedModelTest

RATE, WIDTH, STEPS = 0.125, 5, 3


def descent(v, g, s):
    v[0] -= s["alpha"] * g


def momentum(v, g, s):
    v[1] = v[1] * s["momentum"] + g
    v[0] -= s["lr"] * (g + v[1] * s["momentum"] if s.get("nesterov") else v[1])


def keras_momentum(v, g, s):
    v[1] = v[1] * s["momentum"] - s["lr"] * g
    v[0] += v[1] * s["momentum"] - s["lr"] * g if s.get("nesterov") else v[1]


def adam(v, g, s):
    v[1] += (g - v[1]) * (1 - s["beta1"])
    v[2] += (g * g - v[2]) * (1 - s["beta2"])
    rate = s["lr"] * math.sqrt(1 - s["beta2_power"]) / (1 - s["beta1_power"])
    move = v[1] * s["beta1"] + (1 - s["beta1"]) * g if s.get("nesterov") else v[1]
    v[0] -= rate * move / (math.sqrt(v[2]) + s["epsilon"])


def amsgrad(v, g, s):
    v[1] += (g - v[1]) * (1 - s["beta1"])
    v[2] += (g * g - v[2]) * (1 - s["beta2"])
    v[3] = max(v[3], v[2])
    v[0] -= s["lr"] * math.sqrt(1 - s["beta2_power"]) / (1 - s["beta1_power"]) * v[1] / (math.sqrt(v[3]) + s["epsilon"])


def adamax(v, g, s):
    v[1] += (g - v[1]) * (1 - s["beta1"])
    v[2] = max(s["beta2"] * v[2], abs(g))
    v[0] -= s["lr"] / (1 - s["beta1_power"]) * v[1] / (v[2] + s["epsilon"])


def adadelta(v, g, s):
    v[1] = s["rho"] * v[1] + (1 - s["rho"]) * g * g
    update = math.sqrt(v[2] + s["epsilon"]) / math.sqrt(v[1] + s["epsilon"]) * g
    v[2] = s["rho"] * v[2] + (1 - s["rho"]) * update * update
    v[0] -= s["lr"] * update


def adagrad(v, g, s):
    v[1] += g * g
    v[0] -= s["lr"] * g / math.sqrt(v[1])


def adagrad_v2(v, g, s):
    v[1] += g * g
    v[0] -= s["lr"] * g / (math.sqrt(v[1]) + s["epsilon"])


def rms_prop(v, g, s):
    v[1] += (g * g - v[1]) * (1 - s["rho"])
    v[2] = v[2] * s["momentum"] + s["lr"] * g / math.sqrt(v[1] + s["epsilon"])
    v[0] -= v[2]


def centered_rms_prop(v, g, s):
    v[1] += (g - v[1]) * (1 - s["rho"])
    v[2] += (g * g - v[2]) * (1 - s["rho"])
    v[3] = v[3] * s["momentum"] + s["lr"] * g / math.sqrt(v[2] - v[1] * v[1] + s["epsilon"])
    v[0] -= v[3]


POWERS = {"beta1_power": 0.9, "beta2_power": 0.99}
ADAM = {**POWERS, "lr": RATE, "beta1": 0.9, "beta2": 0.99, "epsilon": 0.001}
# The variables and the scalars of an operator, in its order; "grad" and "delta" are the gradient.
OPTIMIZERS = {
    "GradientDescent": (descent, 1, {"alpha": RATE, "delta": None}),
    "Momentum": (momentum, 2, {"lr": RATE, "grad": None, "momentum": 0.75}),
    "KerasMomentum": (keras_momentum, 2, {"lr": RATE, "grad": None, "momentum": 0.75}),
    "Adam": (adam, 3, {**ADAM, "grad": None}),
    "AdamWithAmsgrad": (amsgrad, 4, {**ADAM, "grad": None}),
    "AdaMax": (adamax, 3, {"beta1_power": 0.9, "lr": RATE, "beta1": 0.9, "beta2": 0.99, "epsilon": 0.001, "grad": None}),
    "Adadelta": (adadelta, 3, {"lr": RATE, "rho": 0.75, "epsilon": 0.01, "grad": None}),
    "Adagrad": (adagrad, 2, {"lr": RATE, "grad": None}),
    "AdagradV2": (adagrad_v2, 2, {"lr": RATE, "epsilon": 0.5, "grad": None}),
    "RMSProp": (rms_prop, 3, {"lr": RATE, "rho": 0.75, "momentum": 0.5, "epsilon": 0.01, "grad": None}),
    "CenteredRMSProp": (centered_rms_prop, 4, {"lr": RATE, "rho": 0.75, "momentum": 0.5, "epsilon": 0.01, "grad": None}),
}


def initial(place):
    # The mean of squares is more than the square of the mean.
    return [random.Random(f"{place}/{at}").uniform(0.5, 1.5) + 2 * (place == 2) for at in range(WIDTH)]


class OptimizersTest(TrainedModelTest):
    """loss = sum(x * w), whose gradient is x."""

    parts = 4

    def graph(self, op, is_nesterov):
        _, count, scalars = OPTIMIZERS[op]
        names = ["w", *(f"w/slot{place}" for place in range(1, count))]
        nodes = [placeholder("x", [WIDTH]), const("axis", tf.integers([1], [0]))]
        for place, name in enumerate(names):
            nodes += variable(name, [WIDTH], initial(place))
        operands = list(names)
        for name, value in scalars.items():
            if value is not None:
                nodes.append(const(name, tf.floats([], [value])))
            operands.append("x" if value is None else name)
        attributes = {"use_nesterov": True} if is_nesterov else {}
        nodes += [tf.node("product", "Mul", ["w/read", "x"], T=FLOAT),
                  tf.node("loss", "Sum", ["product", "axis"], T=FLOAT, keep_dims=False),
                  # The loss is the one before the step.
                  tf.node("update", "Apply" + op, operands + ["^loss"], T=FLOAT, use_locking=False, **attributes),
                  tf.node("step", "NoOp", ["^update"])]
        return self.save(nodes)

    def check(self, op, is_nesterov=False):
        formula, count, scalars = OPTIMIZERS[op]
        model = self.graph(op, is_nesterov)
        library = self.build(model, "--train", "--train-op=step,loss=loss", "--output=product", "--quiet")
        variables = [initial(place) for place in range(count)]
        settings, state = {**scalars, "nesterov": is_nesterov}, self.path("state.safetensors")
        for step in range(STEPS):
            x = [random.Random(f"x{step}/{at}").uniform(-1, 1) for at in range(WIDTH)]
            loss = sum(a * b for a, b in zip(x, variables[0]))
            outputs = self.run_entry(library, {"x": ([WIDTH], x)}, "--entry=train", "--save=" + state, *(["--resume=" + state] if step else []))
            self.close(outputs["loss"], [loss], f"loss of step {step}")
            for at in range(WIDTH):
                cell = [values[at] for values in variables]
                formula(cell, x[at], settings)
                for values, value in zip(variables, cell):
                    values[at] = value
        evaluated = self.run_entry(library, {"x": ([WIDTH], [1] * WIDTH)}, "--entry=main", "--resume=" + state)
        self.close(evaluated["product"], variables[0], op)

    def test_nesterov(self):
        for op in ("Momentum", "KerasMomentum", "Adam"):
            with self.subTest(op=op):
                self.check(op, is_nesterov=True)


for optimizer in OPTIMIZERS:
    setattr(OptimizersTest, "test_" + optimizer, lambda self, name=optimizer: self.check(name))


BATCH, INPUTS, CLASSES = 4, 3, 2
SHAPES = {"w": [INPUTS, CLASSES], "b": [CLASSES]}


class SignaturesTest(TrainedModelTest):
    """A dense layer, trained by momentum, as TensorFlow 2 saves it for training on a device: train, infer, save and restore."""

    def values(self):
        draw = random.Random(5)
        return {name: [draw.uniform(-1, 1) for _ in range(math.prod(shape))] for name, shape in SHAPES.items()}

    def layer(self):
        return [tf.node("read_w", "ReadVariableOp", ["w"], dtype=FLOAT), tf.node("read_b", "ReadVariableOp", ["b"], dtype=FLOAT),
                body("product", "MatMul", ["x", "read_w:value:0"]),
                body("logits", "BiasAdd", ["product:product:0", "read_b:value:0"])]

    def functions(self, is_ordered):
        handles = [(name, tf.RESOURCE) for name in ("w", "b", "w_m", "b_m", "step")]
        constants = [tf.node(name, "Const", dtype=FLOAT, value=tf.floats([], [value])) for name, value in (("rate", 0.5), ("momentum", 0.75), ("count", BATCH))]
        # TensorFlow 2 orders what happens to a variable by control edges.
        loss = body("mean", "Mean", ["xent:loss:0", "axis:output:0"], keep_dims=False)
        wait = ["^update_w", "^update_b", "^add"]
        train = [*self.layer(), *constants, const("axis", tf.integers([1], [0])), tf.node("one", "Const", dtype=INT64, value=tf.Tensor(tf.INT64, [], struct.pack("<q", 1))),
                 tf.node("xent", "SparseSoftmaxCrossEntropyWithLogits", ["logits:output:0", "label"], T=FLOAT, Tlabels=INT64), loss,
                 body("d", "RealDiv", ["xent:backprop:0", "count:output:0"]),
                 body("dw", "MatMul", ["x", "d:z:0"], transpose_a=True), tf.node("db", "BiasAddGrad", ["d:z:0"], T=FLOAT),
                 tf.node("update_w", "ResourceApplyMomentum", ["w", "w_m", "rate:output:0", "dw:product:0", "momentum:output:0"] + (["^read_w"] if is_ordered else []), T=FLOAT, use_nesterov=True),
                 tf.node("update_b", "ResourceApplyMomentum", ["b", "b_m", "rate:output:0", "db:output:0", "momentum:output:0", "^read_b"], T=FLOAT, use_nesterov=True),
                 tf.node("add", "AssignAddVariableOp", ["step", "one:output:0"], dtype=INT64),
                 tf.node("loss", "Identity", ["mean:output:0", *wait], T=FLOAT)]
        if not is_ordered:  # a second update of the same variable
            train.insert(-1, tf.node("decay", "AssignSubVariableOp", ["b", "db:output:0"], dtype=FLOAT))
            train[-1] = tf.node("loss", "Identity", ["mean:output:0", *wait, "^decay"], T=FLOAT)
        infer = [*self.layer(), body("softmax", "Softmax", ["logits:output:0"])]
        path = [("checkpoint_path", tf.STRING)]
        save = [tf.node("path", "Identity", ["checkpoint_path"], T=tf.Type(tf.STRING))]
        return [tf.function("train_step", [("x", tf.FLOAT), ("label", tf.INT64), *handles], [("loss", tf.FLOAT, "loss:output:0")], train, ["update_w", "update_b", "add"]),
                tf.function("infer_step", [("x", tf.FLOAT), *handles[:2]], [("output", tf.FLOAT, "softmax:softmax:0")], infer),
                tf.function("save_step", path, [("checkpoint_path", tf.STRING, "path:output:0")], save)]

    def write(self, is_ordered=True):
        string, resource = tf.Type(tf.STRING), tf.Type(tf.RESOURCE)
        variables = {"w": SHAPES["w"], "b": SHAPES["b"], "w_m": SHAPES["w"], "b_m": SHAPES["b"], "step": []}
        nodes = [tf.node(name, "VarHandleOp", dtype=INT64 if name == "step" else FLOAT, shape=tf.Shape(shape), shared_name=name) for name, shape in variables.items()]
        nodes += [placeholder("train_x", [BATCH, INPUTS]), placeholder("train_label", [BATCH], INT64), placeholder("infer_x", [BATCH, INPUTS]), placeholder("save_path", [], string)]
        nodes += [tf.node("train", "StatefulPartitionedCall", ["train_x", "train_label", *variables], f=tf.Function("train_step"), Tin=[FLOAT, INT64, *[resource] * 5], Tout=[FLOAT]),
                  tf.node("infer", "StatefulPartitionedCall", ["infer_x", "w", "b"], f=tf.Function("infer_step"), Tin=[FLOAT, resource, resource], Tout=[FLOAT]),
                  tf.node("save", "StatefulPartitionedCall", ["save_path"], f=tf.Function("save_step"), Tin=[string], Tout=[string])]
        x, label = (tf.FLOAT, [BATCH, INPUTS]), (tf.INT64, [BATCH])
        text = {"checkpoint_path": ("save:0", tf.STRING, [])}
        signatures = {"train": tf.signature({"x": ("train_x:0", *x), "label": ("train_label:0", *label)}, {"cost": ("train:0", tf.FLOAT, [])}),
                      "infer": tf.signature({"x": ("infer_x:0", *x)}, {"output": ("infer:0", tf.FLOAT, [BATCH, CLASSES])}),
                      "save": tf.signature({"checkpoint_path": ("save_path:0", tf.STRING, [])}, text),
                      "restore": tf.signature({"checkpoint_path": ("save_path:0", tf.STRING, [])}, text)}
        model = tf.saved_model(tf.meta_graph(tf.graph(nodes, self.functions(is_ordered)), signatures))
        tensors = {name: tf.floats(SHAPES[name], values) for name, values in self.values().items()}
        tensors |= {name + "_m": tf.floats(shape, [0] * math.prod(shape)) for name, shape in SHAPES.items()}
        tensors["step"] = tf.Tensor(tf.INT64, [], struct.pack("<q", 7))
        tf.save(self.path("model"), model, tensors)
        return self.path("model")

    def forward(self, w, b, x):
        rows = []
        for row in range(BATCH):
            logits = [b[c] + sum(x[row * INPUTS + i] * w[i * CLASSES + c] for i in range(INPUTS)) for c in range(CLASSES)]
            total = sum(map(math.exp, logits))
            rows.append([math.exp(logit) / total for logit in logits])
        return rows

    def test_signatures_become_entries(self):
        library, state = self.path("libmodel.so"), self.path("state.safetensors")
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.write(), "-o", library, "--train")
        self.assertIn("note: omits the signatures 'restore', 'save': apps save and restore variables as a state (nacre_state_save, nacre_state_load)", said)
        self.assertIn("note: the learning rate is computed in the graph and is not an input; feed it from a placeholder to set it in each step", said)
        info = self.run_model(library, "--info")
        for text in ("entry     main (1 of 3)", "w f32[3,2]", "w_m f32[3,2]", "step i64[]"):
            self.assertIn(text, info)
        values = self.values()
        w, b = values["w"], values["b"]
        slots = {"w": [0.0] * len(w), "b": [0.0] * len(b)}
        for step in range(STEPS):
            draw = random.Random(step)
            x, label = [draw.uniform(-1, 1) for _ in range(BATCH * INPUTS)], [draw.randrange(CLASSES) for _ in range(BATCH)]
            rows = self.forward(w, b, x)
            loss = -sum(math.log(rows[r][label[r]]) for r in range(BATCH)) / BATCH
            inputs = {"x": ([BATCH, INPUTS], x), "label": ([BATCH], label, "q")}
            resume = ["--resume=" + state] if step else []
            evaluated = self.run_entry(library, inputs, "--entry=evaluate", *resume)
            self.close(evaluated["loss"], [loss], f"evaluation before step {step}")
            trained = self.run_entry(library, inputs, "--entry=train", "--save=" + state, *resume)
            self.close(trained["loss"], [loss], f"loss of step {step}")
            d = [[(rows[r][c] - (label[r] == c)) / BATCH for c in range(CLASSES)] for r in range(BATCH)]
            gradients = {"w": [sum(x[r * INPUTS + i] * d[r][c] for r in range(BATCH)) for i in range(INPUTS) for c in range(CLASSES)],
                         "b": [sum(d[r][c] for r in range(BATCH)) for c in range(CLASSES)]}
            for name, weights in (("w", w), ("b", b)):
                for at, gradient in enumerate(gradients[name]):
                    cell = [weights[at], slots[name][at]]
                    momentum(cell, gradient, {"lr": 0.5, "momentum": 0.75, "nesterov": True})
                    weights[at], slots[name][at] = cell
        x = [0.25 * at for at in range(BATCH * INPUTS)]
        outputs = self.run_entry(library, {"x": ([BATCH, INPUTS], x)}, "--resume=" + state)
        self.close(outputs["output"], sum(self.forward(w, b, x), []))

    def test_unordered_writes_are_refused(self):
        said = self.build(self.write(is_ordered=False), "--train", status=1)
        self.assertRegex(said, "error: the signature 'train' must read and write variable 'b' in a defined order, but the order relative to "
                               "'train/(decay|update_b)' is undefined; add a control dependency and save the model again")


class ChoicesTest(TrainedModelTest):
    """Graphs of which more than one node trains, or of which the loss is not known."""

    def graph(self, *more, loss="loss"):
        nodes = [placeholder("x", [2, 3]), placeholder("label", [2, 1]), *variable("w", [3, 1], [1, 2, 3]), const("axes", tf.integers([2], [0, 1])),
                 const("rate", tf.floats([], [0.5])),
                 body("prediction", "MatMul", ["x", "w/read"]), body("error", "SquaredDifference", ["prediction", "label"]),
                 body(loss, "Mean", ["error", "axes"], keep_dims=False),
                 body("difference", "Sub", ["prediction", "label"]), body("dw", "MatMul", ["x", "difference"], transpose_a=True),
                 tf.node("update", "ApplyGradientDescent", ["w", "rate", "dw"], T=FLOAT), *more]
        return self.save(nodes)

    def refused(self, text, *options, more=(), status=1):
        self.assertIn(text, self.build(self.graph(*more), "--train", *options, status=status))

    def test_a_graph_without_a_choice_needs_no_option(self):
        library = self.build(self.graph(), "--train")
        inputs = {"x": ([2, 3], [1, 0, 0, 0, 1, 1]), "label": ([2, 1], [2, 4])}
        self.close(self.run_entry(library, inputs, "--entry=train")["loss"], [1.0])
        self.close(self.run_entry(library, {"x": inputs["x"]})["prediction"], [1, 5])

    def test_parts_of_a_step(self):
        """Gradients and updates of the graph have the names that tell reports and profiles what they are."""
        report = self.path("report.json")
        self.build(self.graph(), "--train", "--report=" + report)
        with open(report, encoding="utf-8") as file:
            launches = [row for row in json.load(file)["launches"] if row["entry"] == "train"]
        parts = {node: row["part"] for row in launches for node in row["nodes"].split(", ")}
        self.assertEqual(parts["prediction"], "forward")
        self.assertEqual((parts["dw dW"], parts["update update"]), ("backward", "backward"), "in one launch")

    def test_check_says_what_trains_once(self):
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.graph(), "--check", "--train")
        self.assertEqual(said.count("note: trains as its node 'update' does"), 1, said)
        self.assertIn("nodes are supported, and the model can be trained", said)

    def test_a_loss_in_a_scope_of_gradients(self):
        """A user's scope may begin like the one that tf.gradients opens, or have its name."""
        for name in ("gradients_of/loss", "gradients/loss"):
            library = self.build(self.graph(loss=name), "--train")
            inputs = {"x": ([2, 3], [1, 0, 0, 0, 1, 1]), "label": ([2, 1], [2, 4])}
            self.close(self.run_entry(library, inputs, "--entry=train")["loss"], [1.0])

    def test_what_tf_gradients_leaves_unread_is_no_loss(self):
        self.build(self.graph(body("gradients_1/unread", "Mul", ["error", "rate"])), "--train")

    def test_slots_begin_as_fills(self):
        """Optimizers initialize large slots with a Fill."""
        slot = [tf.node("m", "VariableV2", dtype=FLOAT, shape=tf.Shape([3, 1])), const("sizes", tf.integers([2], [3, 1])),
                const("two", tf.floats([], [2])), tf.node("zeros", "Fill", ["sizes", "two"], T=FLOAT),
                tf.node("m/Assign", "Assign", ["m", "zeros"], T=FLOAT),
                tf.node("moved", "ApplyMomentum", ["w", "m", "rate", "dw", "rate", "^update"], T=FLOAT)]
        library, state = self.build(self.graph(*slot), "--train", "--quiet"), self.path("state.safetensors")
        inputs = {"x": ([2, 3], [1, 0, 0, 0, 1, 1]), "label": ([2, 1], [1, 5])}  # no error, no gradient: m = 1, w -= 0.5
        self.run_entry(library, inputs, "--entry=train", "--save=" + state)
        self.close(self.run_entry(library, {"x": inputs["x"]}, "--resume=" + state)["prediction"], [0.5, 4])

    def test_what_is_refused(self):
        second = tf.node("other", "ApplyGradientDescent", ["w", "rate", "dw"], T=FLOAT)
        self.refused("the graph has 2 nodes that train variables, 'update', 'other'; choose one with --train-op", more=[second])
        both = tf.node("both", "NoOp", ["^update", "^other"])
        self.refused("the step must read and write variable 'w' in a defined order, but the order relative to", "--train-op=both", more=[second, both])
        self.refused("--train-op must name a node of the graph, but names 'updat'; is it 'update'?", "--train-op=updat")
        self.refused("the loss of --train-op must name a tensor of the graph, but names 'los'; is it 'loss'?", "--train-op=update,loss=los")
        self.refused("--train-op must name a node that updates variables, but 'loss' updates none", "--train-op=loss")
        self.refused("the graph has 2 tensors that can be the loss, 'loss', 'penalty'; name it with --train-op=<node>,loss=<tensor>",
                     more=[body("penalty", "Mul", ["error", "rate"])])
        self.refused("the loss must compare the network's output with an input, but does not; name the network's outputs with --output",
                     "--train-op=update,loss=prediction")
        self.refused("--train-op cannot be combined with --loss", "--train-op=update", "--loss=model:loss", status=2)
        self.assertIn("--train-op requires --train", self.build(self.graph(), "--train-op=update", status=2))

    def test_missing_operators_are_listed_at_once(self):
        more = [tf.node("sort", "FtrlLikeGrad", ["dw"], T=FLOAT), *variable("a", [3, 1], [0] * 3), *variable("l", [3, 1], [0] * 3),
                tf.node("ftrl", "ApplyFtrl", ["w", "a", "l", "sort", "rate", "rate", "rate", "rate", "^update"], T=FLOAT)]
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.graph(*more), "--check", "--train", status=1)
        for text in ('"sort": unsupported operator \'FtrlLikeGrad\'', '"ftrl": unsupported operator \'ApplyFtrl\''):
            self.assertIn(text, said)


if __name__ == "__main__":
    unittest.main()
