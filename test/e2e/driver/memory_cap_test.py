#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches in parts, and values that are computed again: the same step, or run, in less memory, as much as is allowed, on either engine, and
what is said where that cannot be."""
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import Graph

sys.path.insert(0, os.path.join(nacre.ROOT, "test", "bench"))
from training import mentee  # noqa: E402

BATCH, CLASSES = 4096, 256


def layers():
    """Two layers: weights of 1.3 MiB, and values of 20 MiB of a batch."""
    graph = Graph("layers", seed=11)
    x = graph.node("MatMul", [graph.input("x", [BATCH, 64]), graph.weight("first", [64, 1024], -0.1, 0.1)])
    graph.node("MatMul", [graph.node("Relu", [x]), graph.weight("second", [1024, CLASSES], -0.1, 0.1)], output="y")
    graph.output("y", [BATCH, CLASSES])
    return graph


def normalized():
    """Convolutions normalized by their batch, which nobody may divide; each value has a megabyte."""
    graph = Graph("layers", seed=5)
    batch, channels, size = 64, 16, 16
    x = graph.input("x", [batch, channels, size, size])
    for number in range(4):
        kernel = graph.weight(f"kernel{number}", [channels, channels, 3, 3], -0.1, 0.1)
        y = graph.node("Conv", [x, kernel], name=f"conv{number}", kernel_shape=[3, 3], pads=[1] * 4)
        facts = [graph.weight(f"{fact}{number}", [channels], 0.5, 1) for fact in ("scale", "shift", "mean", "variance")]
        y = graph.node("BatchNormalization", [y, *facts], name=f"norm{number}")
        x = graph.node("Relu", [graph.node("Add", [x, y])])
    x = graph.node("Flatten", [graph.node("GlobalAveragePool", [x])])
    graph.node("MatMul", [x, graph.weight("dense", [channels, CLASSES], -0.1, 0.1)], output="y")
    graph.output("y", [batch, CLASSES])
    return graph


class MemoryCapTest(nacre.NacreTest):
    parts = 3

    def setUp(self):
        super().setUp()
        layers().save(self.path("layers.onnx"))

    def build(self, *options, loss="softmax-cross-entropy:y", status=0):
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("layers.onnx"), "-o", self.path("liblayers.so"), "--quiet",
                         "--train", "--loss=" + loss, "--report=" + self.path("report.json"), *options, status=status)
        if status:
            return said
        with open(self.path("report.json"), encoding="utf-8") as file:
            return json.load(file)

    def loss(self, *options):
        said = self.run_model(self.path("liblayers.so"), "--entry=train", "--set=learning_rate=0.1", *options)
        return float(re.search(r"^loss .*mean ([-+.\de]+)", said, re.MULTILINE).group(1))

    def block(self, entry="train"):
        """Bytes that a session asks for, its state among them, with one thread."""
        said = self.run_model(self.path("liblayers.so"), "--entry=" + entry, "--info", "--threads=1")
        return int(re.search(r"^ *block +(\d+)", said, re.MULTILINE).group(1))

    def test_the_largest_parts_that_a_cap_allows(self):
        """Parts with the next larger size that divides the batch would take more than the cap."""
        entries = ("train", "evaluate")
        option = "--entries=" + ",".join(entries)

        def most():
            return max(map(self.block, entries))

        self.assertEqual(self.build(option)["micro_batch"], 0)
        loss, whole = self.loss(), most()
        parts = []
        for cap in (24, 16):
            self.assertGreater(whole, cap << 20)
            parts.append(self.build(option, f"--memory-cap={cap}")["micro_batch"])
            self.assertLessEqual(most(), cap << 20)
            self.assertAlmostEqual(self.loss(), loss, delta=1e-5 * loss)
            larger = min(part for part in range(parts[-1] + 1, BATCH + 1) if BATCH % part == 0)
            self.assertEqual(self.build(option, f"--micro-batch={larger}")["micro_batch"], larger)
            self.assertGreater(most(), cap << 20)
        self.assertLess(parts[1], parts[0])

    def least(self, cap, *options):
        """What is said to be the least."""
        said = self.build(f"--memory-cap={cap}", *options, status=1)
        return int(re.search(r"--memory-cap must be at least (\d+) MiB for this model, but is " + str(cap), said).group(1))

    def test_the_least_is_said_and_suffices(self):
        least = self.least(1, "--entries=train")
        self.build("--entries=train", f"--memory-cap={least}")
        self.assertLessEqual(self.block(), least << 20)
        self.assertEqual(self.least(least - 1, "--entries=train"), least)

    def test_a_batch_that_is_not_divided(self):
        """Statistics are the batch's, so its values are computed again; by the same launches, so the bits are the same."""
        normalized().save(self.path("layers.onnx"))
        whole = self.build("--entries=train")
        self.assertFalse([launch for launch in whole["launches"] if "again" in launch["nodes"]])
        losses = self.loss("--runs=5")
        least = self.least(1, "--entries=train")
        self.assertLess(least << 20, 0.75 * self.block())
        for cap in (least, (least + (self.block() >> 20)) // 2):
            facts = self.build("--entries=train", f"--memory-cap={cap}")
            self.assertEqual(facts["micro_batch"], 0)
            self.assertLessEqual(self.block(), cap << 20)
            again = [launch["nodes"] for launch in facts["launches"] if "again" in launch["nodes"]]
            self.assertTrue(any("norm" in nodes for nodes in again), again)
            self.assertEqual(self.loss("--runs=5"), losses)
        self.assertIn("or let the batch be taken in parts: use --batch-norm=frozen, or take the dropout out",
                      self.build("--memory-cap=1", status=1))

    def test_mentee(self):
        """Five convolutions and three dense layers, batch 128: 88 MiB, in 64 and in 48."""
        mentee(128).save(self.path("layers.onnx"))
        options = ("--entries=train", "--optimizer=sgd:momentum=0.9")
        self.build(*options, loss="softmax-cross-entropy:logits")
        loss = self.loss("--runs=2")
        self.assertLessEqual(self.block(), 104e6)
        for cap in (64, 48):
            self.build(*options, f"--memory-cap={cap}", loss="softmax-cross-entropy:logits")
            self.assertLessEqual(self.block(), cap << 20)
            self.assertAlmostEqual(self.loss("--runs=2"), loss, delta=1e-5 * loss)

    def test_engines_take_the_same_steps(self):
        """On lavapipe where there is no other: in the same parts, over the same weights."""
        losses = []
        for place in ("cpu", "gpu", "split:50"):
            self.build("--entries=train", "--micro-batch=1024", "--place=" + place)
            losses.append(self.loss("--runs=3", *([] if place == "cpu" else ["--gpu"])))
        for loss in losses[1:]:
            self.assertAlmostEqual(loss, losses[0], delta=1e-5 * losses[0])

    def test_what_is_refused(self):
        for options, message in (
                (["--memory-cap=1"], r"--memory-cap must be at least \d+ MiB for this model, but is 1; "
                                     r"train fewer weights, with --trainable, or a smaller --train-batch"),
                (["--memory-cap=0"], r"--memory-cap must be between 1 and 2\^40 MiB, but is 0"),
                (["--micro-batch=7"], f"--micro-batch must divide the batch of {BATCH}, but is 7"),
                (["--micro-batch=0"], "--micro-batch must be auto or at least 1, but is '0'")):
            self.assertRegex(self.build(*options, status=1 if "must divide" in message or "at least \\d" in message else 2), message)
        for loss in ("softmax-cross-entropy:y,ignore=0", "softmax-cross-entropy:y*2,ignore=3"):
            self.assertIn("require losses that are means over all examples of a batch, but --loss has '" + loss,
                          self.build("--micro-batch=64", loss=loss, status=2))


def skipping():
    """A value of 4 MiB that is read again at the end, after two others of 4 MiB, of which all rows are needed at once."""
    graph = Graph("layers", seed=7)
    size = 1024
    x = graph.input("x", [size, 64])
    early = graph.node("Sigmoid", [graph.node("MatMul", [x, graph.weight("first", [64, size], -0.1, 0.1)])])
    late = early
    for name in ("second", "third"):
        late = graph.node("MatMul", [late, graph.weight(name, [size, size], -0.1, 0.1)])
        late = graph.node("Sub", [late, graph.node("ReduceMean", [late], axes=[0], keepdims=1)])
    graph.node("ReduceMean", [graph.node("Mul", [early, late])], output="y", axes=[1], keepdims=0)
    graph.output("y", [size])
    return graph


class InferenceCapTest(nacre.NacreTest):
    """Weights and a session of one thread together."""

    def setUp(self):
        super().setUp()
        skipping().save(self.path("layers.onnx"))

    def build(self, *options, model="layers.onnx", status=0):
        return self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path(model), "-o", self.path("liblayers.so"),
                         "--report=" + self.path("report.json"), *options, status=status)

    def bytes_in_all(self):
        said = self.run_model(self.path("liblayers.so"), "--info", "--threads=1")
        return sum(int(re.search(rf"^ *{word} +(\d+)", said, re.MULTILINE).group(1)) for word in ("weights", "block"))

    def answer(self):
        self.run_model(self.path("liblayers.so"), "--output=" + self.folder, "--threads=1")
        with open(self.path("y.npy"), "rb") as file:
            return file.read()

    def test_the_least_is_said_and_suffices(self):
        said = self.build("--memory-cap=1", status=1)
        least = int(re.search(r"error: --memory-cap must be at least (\d+) MiB for this model, but is 1: weights take \d+ bytes, and a session of "
                              r"one thread takes \d+; choose a smaller input shape, or narrower weights with --weight-type", said).group(1))
        self.build(f"--memory-cap={least}")
        self.assertLessEqual(self.bytes_in_all(), least << 20)
        self.assertIn(f"must be at least {least} MiB", self.build(f"--memory-cap={least - 1}", status=1))

    def test_values_are_computed_again(self):
        """By the same launches, so that the bits are the same."""
        self.build()
        whole, answer = self.bytes_in_all(), self.answer()
        cap = (whole >> 20) - 2
        self.build(f"--memory-cap={cap}")
        self.assertLessEqual(self.bytes_in_all(), cap << 20)
        self.assertEqual(self.answer(), answer)
        with open(self.path("report.json"), encoding="utf-8") as file:
            self.assertTrue([launch for launch in json.load(file)["launches"] if "again" in launch["nodes"]])

    def test_a_network_of_cnndroid_states_its_own(self):
        """As `allocated_ram`, which the option replaces."""
        with open(self.path("net.txt"), "w", encoding="utf-8") as file:
            file.write('allocated_ram: 1\nlayer { type: "FullyConnected" name: "fc" parameters_file: "fc.msg" }\n')
        with open(self.path("fc.msg"), "wb") as file:  # 1024 outputs of 1024 inputs
            file.write(b"\xdd" + (1 << 20).to_bytes(4, "big") + b"\x01" * (1 << 20) + b"\xdc\x04\x00" + b"\x02" * 1024)
        shape = "--shape=data=1x1024x1x1"
        note = "net.txt: note: 'allocated_ram' limits the weights and a session of one thread to 1 MiB; change that with --memory-cap=<MiB>"
        said = self.build(shape, model="net.txt", status=1)
        self.assertIn(note, said)
        self.assertRegex(said, r"error: 'allocated_ram' must be at least 5 MiB for this model, but is 1: .*; allow that with --memory-cap=5")
        self.assertNotIn("allocated_ram", self.build(shape, "--memory-cap=5", model="net.txt"))


if __name__ == "__main__":
    unittest.main()
