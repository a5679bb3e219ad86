#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nacre-run --train: examples from files, epochs, schedules, accuracy, saving and going on, and what it says of mistakes."""
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from nacre import Graph
from onnx_writer import write_npy

BATCH, SIZE, CLASSES, EXAMPLES = 8, 6, 4, 70


def classifier(batch=BATCH, first_axis=True):
    """Two layers. `first_axis` false: examples are columns."""
    graph = Graph("learner", seed=7)
    x = graph.input("x", [batch, SIZE] if first_axis else [SIZE, batch])
    if not first_axis:
        x = graph.node("Transpose", [x], perm=[1, 0])
    x = graph.node("Relu", [graph.node("MatMul", [x, graph.weight("first.weight", [SIZE, 12], -0.5, 0.5)])])
    graph.node("MatMul", [x, graph.weight("second.weight", [12, CLASSES], -0.5, 0.5)], output="logits")
    graph.output("logits", [batch, CLASSES])
    return graph


def make_examples(count, seed):
    draw = random.Random(seed)
    rows = [[draw.uniform(-1, 1) for _ in range(SIZE)] for _ in range(count)]
    return rows, [max(range(CLASSES), key=lambda c, row=row: row[c] + row[c + 1]) for row in rows]


class TrainingRunsTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        self.rows, self.classes = make_examples(EXAMPLES, 1)
        self.write("x.npy", self.rows)
        self.label("y.npy", self.classes)
        rows, classes = make_examples(21, 2)
        self.write("test_x.npy", rows)
        self.label("test_y.npy", classes)

    def write(self, name, rows, code="f"):
        write_npy(self.path(name), [len(rows), len(rows[0])], [v for row in rows for v in row], code)

    def label(self, name, classes, code="q"):
        write_npy(self.path(name), [len(classes)], classes, code)

    def build(self, *options, graph=None, name="learner", loss="softmax-cross-entropy:logits"):
        path = self.path(name + ".onnx")
        (graph or classifier()).save(path)
        library = self.path(f"lib{name}.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), path, "-o", library, "--quiet", "--train",
                  *([f"--loss={loss}"] if loss else []), *options)
        return library

    def train(self, library, *options, x="x.npy", y="y.npy", status=0):
        files = [f"--input=x={self.path(x)}"] if x else []
        files += [f"--label={self.path(y)}"] if y else []
        return self.run_model(library, "--train", *files, *options, status=status)

    def lines(self, name="log.jsonl"):
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def state(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def floats(self, name):
        """Of a state's file all weights, one behind the other."""
        data = self.state(name)
        size = struct.unpack_from("<Q", data)[0]
        values = []
        for key, tensor in json.loads(data[8:8 + size]).items():
            if key.endswith(".weight"):
                begin, end = tensor["data_offsets"]
                values += struct.unpack_from(f"<{(end - begin) // 4}f", data, 8 + size + begin)
        return values

    def test_it_learns_and_says_so(self):
        library = self.build("--optimizer=sgd:momentum=0.9")
        said = self.train(library, "--epochs=30", "--set=learning_rate=0.1", f"--log={self.path('log.jsonl')}",
                          f"--test-input=x={self.path('test_x.npy')}", f"--test-label={self.path('test_y.npy')}")
        self.assertEqual(said.count("70 examples, 8 steps of 8 an epoch, which leaves 6 out; 21 to test on\n"), 1, said)
        before, *epochs = self.lines()
        self.assertEqual((before["epoch"], len(epochs), epochs[-1]["step"]), (0, 30, 240))
        self.assertLess(epochs[-1]["loss"], 0.3 * epochs[0]["loss"])
        self.assertGreater(epochs[-1]["accuracy"], 0.9)
        self.assertGreater(epochs[-1]["test_accuracy"], before["test_accuracy"])
        self.assertLess(epochs[-1]["test_loss"], before["test_loss"])
        self.assertAlmostEqual(epochs[-1]["test_accuracy"] * 21, round(epochs[-1]["test_accuracy"] * 21), 6)
        found = re.findall(r"^epoch (\d+) of 30: loss (\S+), accuracy (\S+), test loss \S+, test accuracy (\S+), learning rate 0.1, ", said, re.MULTILINE)
        self.assertEqual(found, [(str(e["epoch"]), f"{e['loss']:.6g}", f"{e['accuracy']:.4f}", f"{e['test_accuracy']:.4f}") for e in epochs])

    def test_a_gpu_learns_what_the_cpu_learns(self):
        """Of each epoch, its loss and that of evaluate, which reads on the GPU the state that train has written."""
        def losses(place, *run):
            library = self.build("--optimizer=sgd:momentum=0.9", f"--place={place}")
            self.train(library, "--epochs=4", "--set=learning_rate=0.05", f"--log={self.path('log.jsonl')}", *run,
                       f"--test-input=x={self.path('test_x.npy')}", f"--test-label={self.path('test_y.npy')}")
            return [line[key] for line in self.lines() for key in ("loss", "test_loss") if key in line]

        expected = losses("cpu")
        self.assertLess(expected[-1], expected[0])
        for place in ("gpu", "split:50"):
            for one, other in zip(losses(place, "--gpu"), expected, strict=True):
                self.assertAlmostEqual(one, other, delta=1e-4 * other, msg=place)

    def test_first_steps_of_adam(self):
        """The corrections 1 - beta^step keep their digits: a power that is subtracted from 1 in f32 would leave an error of 3e-5 in the first step."""
        graph, label, rate, count = Graph("shift"), [1.0, -2.0, 3.0, -4.0], 0.125, 3
        graph.node("Add", [graph.input("x", [BATCH, 4]), graph.constant("shift.weight", [4], [0.0] * 4)], output="y")
        graph.output("y", [BATCH, 4])
        self.write("zeros.npy", [[0.0] * 4] * (count * BATCH))
        self.write("shifts.npy", [label] * (count * BATCH))
        for beta1, beta2 in ((0.9, 0.999), (0.5, 0.999999), (0.0, 0.0)):
            expected, m, v = [0.0] * 4, [0.0] * 4, [0.0] * 4
            for step in range(1, count + 1):
                for i, wanted in enumerate(label):
                    gradient = 2 * (expected[i] - wanted) / 4
                    m[i] = beta1 * m[i] + (1 - beta1) * gradient
                    v[i] = beta2 * v[i] + (1 - beta2) * gradient**2
                    expected[i] -= rate * (m[i] / (1 - beta1**step)) / ((v[i] / (1 - beta2**step)) ** 0.5 + 1e-8)
            for place, run in (("cpu", ()), ("gpu", ("--gpu",))):
                library = self.build(f"--optimizer=adam:beta1={beta1},beta2={beta2}", f"--place={place}", graph=graph, loss="mean-squared-error:y")
                self.train(library, *run, "--epochs=1", f"--set=learning_rate={rate}", f"--save={self.path('state')}", x="zeros.npy", y="shifts.npy")
                for one, other in zip(self.floats("state"), expected, strict=True):
                    self.assertAlmostEqual(one, other, delta=1e-6 * rate, msg=f"{place} {beta1} {beta2}")

    def test_it_goes_on_in_the_middle_as_if_it_had_not_ended(self):
        for optimizer in ("sgd", "adam"):
            library = self.build("--optimizer=" + optimizer)
            options = ["--epochs=4", "--set=learning_rate=0.05", "--schedule=cosine:warmup=3,least=0.1", "--seed=9"]
            whole, parts, log = self.path("whole.safetensors"), self.path("parts.safetensors"), f"--log={self.path('log.jsonl')}"
            self.train(library, *options, f"--save={whole}", "--threads=2")
            self.train(library, *options, f"--save={parts}", "--threads=1", "--steps=11", log)
            for _ in range(2):
                self.train(library, *options, f"--save={parts}", f"--resume={parts}", "--steps=13", log)
            self.assertEqual(self.state("whole.safetensors"), self.state("parts.safetensors"))
            self.assertEqual([line["step"] for line in self.lines()], [8, 11, 16, 24, 32])
            self.assertIn("all steps of 4 epochs are done; more --epochs go on\n", self.train(library, *options, f"--resume={parts}"))
            self.assertNotEqual(self.state("whole.safetensors"), self.other_seed(library, options))

    def other_seed(self, library, options):
        self.train(library, *options, "--seed=10", f"--save={self.path('other.safetensors')}")
        return self.state("other.safetensors")

    def test_an_order_from_a_file(self):
        library = self.build()
        draw = random.Random(3)
        orders = [draw.sample(range(EXAMPLES), EXAMPLES) for _ in range(2)]
        write_npy(self.path("orders.npy"), [2, EXAMPLES], [i for order in orders for i in order], "q")
        write_npy(self.path("along.npy"), [EXAMPLES], list(range(EXAMPLES)), "i")
        rate = "--set=learning_rate=0.1"
        self.train(library, rate, "--epochs=2", f"--order={self.path('orders.npy')}", f"--save={self.path('a')}")
        for epoch, order in enumerate(orders):
            self.write("sorted_x.npy", [self.rows[i] for i in order])
            self.label("sorted_y.npy", [self.classes[i] for i in order])
            self.train(library, rate, f"--epochs={epoch + 1}", f"--order={self.path('along.npy')}", f"--save={self.path('b')}",
                       *([f"--resume={self.path('b')}"] if epoch else []), x="sorted_x.npy", y="sorted_y.npy")
        self.assertEqual(self.state("a"), self.state("b"))

    def test_gradients_of_several_batches(self):
        """Two batches of 4 make the step of one of 8, but for the last digits."""
        small = self.build("--train-batch=4", "--accumulate", name="small")
        whole = self.build("--train-batch=8", name="whole")
        for name, library, *options in (("a", small, "--accumulate=2"), ("b", whole)):
            said = self.train(library, "--epochs=3", "--set=learning_rate=0.2", f"--save={self.path(name)}", *options)
            self.assertIn("8 steps of 8 an epoch, which leaves 6 out\n", said)
        for a, b in zip(self.floats("a"), self.floats("b")):
            self.assertAlmostEqual(a, b, 5)

    def test_examples_along_another_axis(self):
        columns, rows = self.build(graph=classifier(first_axis=False), name="columns"), self.build(name="rows")
        self.write("columns.npy", list(zip(*self.rows)))
        self.train(columns, "--set=learning_rate=0.1", "--batch-axis=x:1", f"--save={self.path('columns')}", x="columns.npy")
        self.train(rows, "--set=learning_rate=0.1", f"--save={self.path('rows')}")
        for a, b in zip(self.floats("columns"), self.floats("rows")):
            self.assertAlmostEqual(a, b, 5)

    def test_the_rate_follows_its_schedule(self):
        library = self.build()
        self.train(library, "--epochs=4", "--set=learning_rate=0.2", "--schedule=step:every=2,factor=0.5", f"--log={self.path('log.jsonl')}")
        self.assertEqual([line["learning_rate"] for line in self.lines()], [0.2, 0.2, 0.1, 0.1])

    def test_only_testing(self):
        library = self.build()
        self.train(library, "--set=learning_rate=0.3", "--epochs=9", f"--save={self.path('s')}")
        tests = [f"--test-input=x={self.path('test_x.npy')}", f"--test-label={self.path('test_y.npy')}"]
        said = [self.run_model(library, "--train", "--epochs=0", *tests, *more) for more in ([], [f"--weights={self.path('s')}"])]
        for text in said:
            self.assertRegex(text, r"\Atest loss \S+, test accuracy \S+\n\Z")
        self.assertNotEqual(*said)

    def test_a_loss_of_nothing_stops_it(self):
        library = self.build()
        self.write("wild.npy", [[float("inf")] * SIZE] * EXAMPLES)
        said = self.train(library, "--set=learning_rate=0.1", f"--save={self.path('s')}", x="wild.npy", status=5)
        self.assertIn("the loss is infinite or NaN in step 1 (epoch 1); lower the learning rate, or compile with --clip=norm:1; "
                      f"nothing was saved to '{self.path('s')}'\n", said)
        self.assertFalse(os.path.exists(self.path("s")))

    def test_what_is_left_when_the_loss_is_none(self):
        library = self.build()
        self.write("wild.npy", self.rows[:-6] + [[float("inf")] * SIZE] * 6)
        write_npy(self.path("order.npy"), [2, 16], [*range(16), *range(EXAMPLES - 16, EXAMPLES)], "q")
        state = self.path("s")
        said = self.train(library, "--set=learning_rate=0.1", "--epochs=2", f"--order={self.path('order.npy')}", f"--save={state}",
                          x="wild.npy", status=5)
        self.assertIn("error: the loss is infinite or NaN in step 4 (epoch 2); lower the learning rate, or compile with "
                      f"--clip=norm:1; '{state}' was saved after step 2\n", said)
        self.assertTrue(all(value == value for value in self.floats("s")))

    def test_a_loss_that_grows_a_thousandfold_stops_it(self):
        """It is finite: the examples of the second step are a million times as large as those of the first."""
        library, state = self.build(), self.path("s")
        self.write("growing.npy", self.rows[:BATCH] + [[1e6 * x for x in row] for row in self.rows[BATCH:]])
        write_npy(self.path("order.npy"), [1, 2 * BATCH], range(2 * BATCH), "q")
        said = self.train(library, "--set=learning_rate=0", f"--order={self.path('order.npy')}", f"--save={state}", x="growing.npy", status=5)
        self.assertRegex(said, r"error: the loss grew from [\d.]+ in the first step to a mean of [\d.e+]+ in epoch 1; lower the learning rate, "
                               rf"or compile with --clip=norm:1; nothing was saved to '{state}'\n")
        self.assertFalse(os.path.exists(state))

    def test_weights_that_diverge_in_the_last_update_are_not_saved(self):
        """The loss of a step is that of the weights before its update: nobody sees what the last update makes."""
        library, state = self.build(), self.path("s")
        self.train(library, "--set=learning_rate=0.1", "--steps=2", f"--save={state}")
        with open(state, "rb") as file:
            good = file.read()
        self.write("large.npy", [[1000 * x for x in row] for row in self.rows])
        more = ["--set=learning_rate=3e38", "--steps=1", f"--resume={state}", f"--save={state}"]
        said = self.train(library, *more, x="large.npy", status=5)
        self.assertRegex(said, r"error: '\S+' must be finite to be saved, but has (nan|-?inf); lower the learning rate, or compile with "
                               r"--clip=norm:1 \(after step 3\); nothing was saved to '")
        for every in ([], ["--save-every=1"]):
            self.train(library, *more, *every, x="large.npy", status=5)
            with open(state, "rb") as file:
                self.assertEqual(file.read(), good)
        # A step without --train is no other.
        values = [f"--input=x={self.path('x1.npy')}", f"--input=label={self.path('y1.npy')}"]
        self.write("x1.npy", [[1000 * x for x in row] for row in self.rows[:BATCH]])
        write_npy(self.path("y1.npy"), [BATCH], [0] * BATCH, "q")
        said = self.run_model(library, "--entry=train", *values, "--set=learning_rate=3e38", f"--resume={state}", f"--save={state}", status=5)
        self.assertIn("must be finite to be saved", said)
        with open(state, "rb") as file:
            self.assertEqual(file.read(), good)

    def test_a_disk_that_is_full(self):
        """The error says what is left; files must not be larger than half a KiB here, which is one block of `ulimit -f`."""
        library, state = self.build("--optimizer=adam"), self.path("s")
        command = [os.path.join(nacre.BIN, "nacre-run"), library, "--train", f"--input=x={self.path('x.npy')}", f"--label={self.path('y.npy')}",
                   "--set=learning_rate=0.1", "--epochs=2", f"--save={state}"]
        said = self.call("sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh", *command, status=2)
        self.assertRegex(said, rf"error: '{state}': the file cannot be written: system error 27 \(after step \d+\); nothing was saved to '{state}'\n")
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("s.new")], [])

    def test_an_interruption_between_two_steps(self):
        library, state = self.build(), self.path("s")
        options = ["--train", f"--input=x={self.path('x.npy')}", f"--label={self.path('y.npy')}", "--set=learning_rate=0.01"]
        command = [os.path.join(nacre.BIN, "nacre-run"), library, *options, "--epochs=1000000000", f"--save={state}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as training:
            if not any("epoch 3 of" in line for line in training.stdout):
                self.fail("ended before its third epoch: " + training.stderr.read())
            training.send_signal(signal.SIGINT)
            errors = training.communicate(timeout=nacre.COMMAND_SECONDS)[1]
        found = re.fullmatch(r"nacre-run: error: interrupted after step (\d+) \(epoch (\d+)\); "
                             r"'(.*)' was saved after step (\d+), and --resume goes on from there\n", errors)
        self.assertIsNotNone(found, errors)
        self.assertEqual((training.returncode, found[3]), (130, state))
        self.assertEqual(int(found[4]) % 8, 0)
        self.assertLess(int(found[1]) - int(found[4]), 8)
        epoch = int(found[4]) // 8
        said = self.run_model(library, *options, f"--epochs={epoch + 1}", f"--resume={state}")
        self.assertIn(f"epoch {epoch + 1} of {epoch + 1}: loss ", said)
        self.assertNotIn(f"epoch {epoch} of", said)

    def test_the_norm_of_gradients(self):
        library = self.build("--clip=norm:0.5")
        said = self.train(library, "--epochs=3", "--set=learning_rate=0.1", f"--log={self.path('log.jsonl')}")
        epochs = self.lines()
        self.assertEqual(re.findall(r", gradient norm (\S+) \(at most (\S+)\), learning rate 0.1, ", said),
                         [(f"{e['gradient_norm']:.4g}", f"{e['largest_gradient_norm']:.4g}") for e in epochs])
        for epoch in epochs:
            self.assertGreater(epoch["gradient_norm"], 0)
            self.assertGreater(epoch["largest_gradient_norm"], epoch["gradient_norm"])
        self.assertNotIn("gradient norm", self.train(self.build(), "--set=learning_rate=0.1"))

    def test_classes_that_are_none(self):
        warning = "warning: 6 of 70 numbers of 'label' are not classes from 0 to 3; only the value of --loss=...,ignore= is skipped\n"
        self.label("odd.npy", [9] * 5 + [-1] + self.classes[6:])
        self.label("ignored.npy", [9] * 6 + self.classes[6:])
        state, rate = self.path("s"), "--set=learning_rate=0.1"
        for types in ("", ",label-type=i32"):
            ignoring = "--loss=softmax-cross-entropy:logits,ignore=9" + types
            library = self.build(ignoring, loss=None)
            if types:
                self.label("odd.npy", [9] * 5 + [-1] + self.classes[6:], "i")
                self.label("ignored.npy", [9] * 6 + self.classes[6:], "i")
            said = self.train(library, rate, f"--save={state}", y="odd.npy", status=2)
            self.assertIn(warning, said)
            self.assertRegex(said, r"error: 'label' must be from 0 to 3, but element \d is not\n")
            self.assertFalse(os.path.exists(state))
            self.assertIn(warning, self.train(library, rate, y="ignored.npy"))
        # Without a number to ignore; in accumulated parts, and in tests.
        library = self.build("--accumulate")
        self.label("odd.npy", self.classes[:-1] + [4])
        x, y = self.path("x.npy"), self.path("odd.npy")
        self.assertIn("'label' must be from 0 to 3", self.train(library, rate, y="odd.npy", status=2))
        self.assertIn("'label' must be from 0 to 3", self.train(library, rate, "--accumulate=2", y="odd.npy", status=2))
        said = self.train(library, rate, f"--test-input=x={x}", f"--test-label={y}", status=2)
        self.assertIn("'label' must be from 0 to 3, but element", said)

    def test_what_is_wrong_is_said(self):
        library, rate = self.build(), "--set=learning_rate=0.1"
        self.write("wide.npy", self.rows, "d")
        self.write("shares.npy", [[1.0, 0, 0, 0]] * EXAMPLES)
        self.label("narrow.npy", self.classes, "i")
        self.label("short.npy", self.classes[:-1])
        self.write("few.npy", self.rows[:5])
        self.label("few_y.npy", self.classes[:5])
        write_npy(self.path("boxes.npy"), [EXAMPLES, 2, 3], [v for row in self.rows for v in row])
        self.label("order.npy", [0, EXAMPLES])
        f = self.path
        for options, x, y, message in [
                ([rate], None, "y.npy", "'x' must be given for all examples: --input=x=FILE with f32[8,6] in each batch"),
                ([rate], "x.npy", None, "'label' must be given for all examples: --label=FILE with i64[8] in each batch"),
                ([], "x.npy", "y.npy", "--train requires a learning rate, as in --set=learning_rate=0.01"),
                ([rate], "wide.npy", "y.npy", f"'x' must be f32[examples,6], but '{f('wide.npy')}' holds f64[70,6]; store it so (in NumPy: .astype('float32'))"),
                ([rate], "boxes.npy", "y.npy", f"'x' must be f32[examples,6], but '{f('boxes.npy')}' holds f32[70,2,3]; store it so (in NumPy: .reshape(-1, 6))"),
                ([rate], "x.npy", "narrow.npy", f"'label' must be i64[examples], but '{f('narrow.npy')}' holds i32[70]; store it so (in NumPy: .astype('int64'))"),
                ([rate], "x.npy", "shares.npy", f"'label' must be i64[examples], but '{f('shares.npy')}' holds f32[70,4]; give classes by their numbers, from 0 on (in NumPy: .argmax(-1))"),
                ([rate], "x.npy", "short.npy", f"there must be as many examples of each input, but '{f('x.npy')}' has 70 and '{f('short.npy')}' 69"),
                ([rate], "few.npy", "few_y.npy", "there must be examples for a step, 8 at least, but there are 5; compile the model with a smaller --train-batch"),
                ([rate, "--accumulate=2"], "x.npy", "y.npy", "the model must have an entry 'accumulate', but has main, train, evaluate; compile it with nacre-compile --train --accumulate"),
                ([rate, "--order=" + f("order.npy")], "x.npy", "y.npy", f"--order must have numbers of examples from 0 to 69, but '{f('order.npy')}' has 70"),
                ([rate, "--order=" + f("x.npy")], "x.npy", "y.npy", f"--order must be i64[examples], or i64[1,examples] with a row for each epoch, but '{f('x.npy')}' holds f32[70,6]"),
                ([rate, "--batch-axis=x"], "x.npy", "y.npy", "--batch-axis must be NAME:AXIS, but is 'x'"),
                ([rate, "--batch-axis=x:2"], "x.npy", "y.npy", "--input must have an input with an axis of examples, but 'x' is f32[8,6]; a number goes with --set"),
                ([rate, "--schedule=linear"], "x.npy", "y.npy", "--schedule must be constant, step:every=<epochs>,factor=<X> or cosine:least=<X>, each with an optional warmup=<steps>, but is 'linear'"),
                (["--set=learning_rate=fast"], "x.npy", "y.npy", "--set=learning_rate must be a number that f32[] has, but is 'fast'"),
                (["--set=learning_rate=-0.5"], "x.npy", "y.npy", "--set=learning_rate must be a number from 0 on, but is -0.5"),
                (["--set=learning_rate=nan"], "x.npy", "y.npy", "--set=learning_rate must be a number from 0 on, but is NaN"),
                (["--set=rate=1"], "x.npy", "y.npy", "--set must be NAME=NUMBER with one of the names 'x', 'label', 'learning_rate', but is 'rate=1'"),
                ([rate, "--save=" + f("no/s")], "x.npy", "y.npy", f"cannot write '{f('no/s')}': No such file or directory"),
                ([rate, "--profile"], "x.npy", "y.npy", "--profile cannot be combined with --train"),
                ([rate, "--epochs=0"], "x.npy", "y.npy", "--train requires --epochs of at least 1, or test examples: --test-input=NAME=FILE")]:
            with self.subTest(message):
                self.assertIn(f"nacre-run: error: {message}\n", self.train(library, *options, x=x, y=y, status=2))
        self.assertIn("--epochs requires --train\n", self.run_model(library, "--epochs=2", status=2))
        self.assertIn("the model must have an entry 'train', but has main; compile it with nacre-compile --train\n",
                      self.run_model(self.compile("relu"), "--train", status=2))


if __name__ == "__main__":
    unittest.main()
