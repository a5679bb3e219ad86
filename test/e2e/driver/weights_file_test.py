#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights in a file of their own (--weights-in=file): another training of a network is another file for the same library, on x86-64 and
on arm64, in every encoding; any other file is refused, and the message says what to do."""
import json
import os
import shutil
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import lenet
import nacre
from onnx_writer import write_npy

HEADER = 256
HASH, LAYOUT, NAME = 24, 32, 40
USAGE = 2
NO_ANSWER = 3


def network(seed, name="net", columns=24):
    """A convolution whose panels a CPU chooses, a normalization that is folded, and a dense layer that fp16 narrows."""
    graph = nacre.Graph(name, seed=seed)
    x = graph.node("Conv", [graph.input("x", [1, 3, 16, 16]), graph.kernel("filter", [columns, 3, 3, 3]), graph.weight("bias", [columns], -1, 1)],
                   pads=[1, 1, 1, 1])
    x = graph.node("BatchNormalization", [x] + [graph.weight(part, [columns], 0.5, 1.5) for part in ("gamma", "beta", "mean", "variance")])
    x = graph.node("Flatten", [graph.node("Relu", [x])])
    graph.node("MatMul", [x, graph.weight("matrix", [columns * 256, 40], -0.1, 0.1)], output="y")
    graph.output("y", [1, 40])
    return graph


class WeightsFileTest(nacre.NacreTest):
    parts = 2

    def build(self, graph, folder, *options, name="net", status=0):
        """Compiles into a folder of its own; returns the paths of the library and the weights."""
        os.makedirs(self.path(folder), exist_ok=True)
        graph.save(self.path(folder, name + ".onnx"))
        library = self.path(folder, f"lib{name}.so")
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path(folder, name + ".onnx"), "-o", library, *options, status=status)
        return said if status else (library, self.path(folder, f"lib{name}.weights"))

    def read(self, path):
        with open(path, "rb") as file:
            return file.read()

    def answer(self, graph, folder, *options):
        """What a library with its weights inside answers, as options of nacre-run."""
        library, _ = self.build(graph, folder, *options)
        self.run_model(library, f"--output={self.path(folder)}")
        return f"--expect=y={self.path(folder, 'y.npy')}", "--rtol=0", "--atol=1e-6"

    def test_another_training_is_another_file_for_the_same_library(self):
        for options in ((), ("--weight-type=fp16", "--cpu=x86-64-v3"), ("--place=split:50",)):
            with self.subTest(options):
                first = self.build(network(1), "first", "--weights-in=file", *options)
                second = self.build(network(2), "second", "--weights-in=file", *options)
                self.assertEqual(self.read(first[0]), self.read(second[0]), "nothing of the weights is in the library")
                self.assertNotEqual(self.read(first[1]), self.read(second[1]))
                ones, twos = self.answer(network(1), "one", *options), self.answer(network(2), "two", *options)
                self.run_model(first[0], *ones)
                self.run_model(first[0], f"--weights-file={second[1]}", *twos)
                self.run_model(first[0], f"--weights-file={second[1]}", *ones, status=1)
                # As an update does it: a new file takes the old one's place.
                os.rename(second[1], first[1])
                self.run_model(first[0], *twos)

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_on_arm64(self):
        first = self.build(network(1), "first", "--weights-in=file", "--target=linux-arm64")
        second = self.build(network(2), "second", "--weights-in=file", "--target=linux-arm64")
        self.assertEqual(self.read(first[0]), self.read(second[0]))
        ones, twos = self.answer(network(1), "one"), self.answer(network(2), "two")
        self.run_arm64(first[0], *ones[:1])
        self.run_arm64(first[0], f"--weights-file={second[1]}", *twos[:1])
        self.run_arm64(first[0], f"--weights-file={second[1]}", *ones[:1], status=1)
        damaged = bytearray(self.read(first[1]))
        damaged[-100] ^= 1
        with open(first[1], "wb") as file:
            file.write(damaged)
        self.assertIn("the weights file is damaged", self.run_arm64(first[0], status=USAGE))

    def test_a_wrong_file_is_refused(self):
        library, weights = self.build(network(1), "first", "--weights-in=file")
        whole = self.read(weights)
        self.assertEqual(len(whole), struct.unpack_from("<Q", whole, 16)[0])
        self.assertEqual(whole[NAME:NAME + 4], b"net\0")
        wrong = self.path("wrong.weights")

        def refusal(content):
            with open(wrong, "wb") as file:
                file.write(content)
            return self.run_model(library, f"--weights-file={wrong}", status=USAGE)

        prefix = f"nacre-run: error: '{wrong}': the weights file "
        size = f"must have {len(whole)} bytes, but has "
        again = ": it is incomplete; copy or download it again\n"
        self.assertEqual(refusal(b""), f"{prefix}{size}0{again}")
        self.assertEqual(refusal(whole[:HEADER]), f"{prefix}{size}{HEADER}{again}")
        self.assertEqual(refusal(whole[:-1]), f"{prefix}{size}{len(whole) - 1}{again}")
        self.assertEqual(refusal(b"hello, world"), f"{prefix}must be written by nacre-compile --weights-in=file, but is another kind of file\n")
        changed = bytearray(whole)
        changed[len(whole) // 2] ^= 1
        self.assertEqual(refusal(changed), f"{prefix}is damaged: its contents do not have the hash that it names; copy or download it again\n")

        differs = ("': the network, an option or the version of Nacre differs; use it with the library compiled with it\n")
        for graph, name, options in ((network(1, columns=32), "net", ()), (network(1), "net", ("--weight-type=bf16",)), (network(1), "dogs", ())):
            _, other = self.build(graph, "other", "--weights-in=file", *options, name=name)
            self.assertEqual(refusal(self.read(other)), f"{prefix[:-1]}, of '{name}', does not fit this library, of 'net{differs}")

        os.remove(weights)
        self.assertEqual(self.run_model(library, status=USAGE), f"nacre-run: error: '{weights}': the weights file cannot be read: no such file or folder; "
                                                                "--weights-file names another one\n")
        inside, _ = self.build(network(1), "inside")
        self.assertEqual(self.run_model(inside, f"--weights-file={wrong}", status=USAGE),
                         "nacre-run: error: --weights-file requires a model compiled with --weights-in=file; this library contains its weights\n")

    def test_names_are_not_part_of_the_layout(self):
        """Exporters number nodes and tensors anew each time."""
        library, _ = self.build(network(1), "first", "--weights-in=file")
        graph = network(2)
        graph.nodes = [node.replace(b"filter", b"FILTER").replace(b"matrix", b"MATRIX") for node in graph.nodes]
        graph.initializers = [one.replace(b"filter", b"FILTER").replace(b"matrix", b"MATRIX") for one in graph.initializers]
        _, weights = self.build(graph, "second", "--weights-in=file")
        self.run_model(library, f"--weights-file={weights}", *self.answer(network(2), "two"))

    def test_equal_weights_may_differ_after_the_next_training(self):
        """What two layers have in common by chance is stored twice, so that the layout stays."""
        def pair(seed, same):
            graph = nacre.Graph("pair", seed=seed)
            x = graph.input("x", [1, 64])
            first = graph.weight("first", [64, 64], -1, 1)
            if same:
                graph.random.seed(seed)
            x = graph.node("MatMul", [graph.node("Relu", [graph.node("MatMul", [x, first])]), graph.weight("second", [64, 64], -1, 1)], output="y")
            graph.output(x, [1, 64])
            return graph
        alike, _ = self.build(pair(1, True), "alike", "--weights-in=file")
        apart, weights = self.build(pair(2, False), "apart", "--weights-in=file")
        self.assertEqual(self.read(alike), self.read(apart))
        self.run_model(alike, f"--weights-file={weights}", *self.answer(pair(2, False), "two"))

    def test_a_trained_model_starts_with_the_files_weights(self):
        options = ("--train", "--loss=softmax-cross-entropy:logits", "--train-batch=2")
        graph = lenet.lenet()
        inside, _ = self.build(graph, "inside", *options)
        apart, weights = self.build(graph, "apart", *options, "--weights-in=file")
        self.assertLess(os.path.getsize(apart), os.path.getsize(inside) - os.path.getsize(weights) // 2)
        for name, library in (("one", inside), ("other", apart)):
            self.run_model(library, f"--save={self.path(name)}")
        self.assertEqual(self.read(self.path("one")), self.read(self.path("other")))
        entry = json.loads(self.run_model(apart, "--benchmark", "--entry=train", "--runs=2"))
        self.assertEqual(entry["runs"], 2)

    def test_what_is_written(self):
        library, weights = self.build(network(1), "first", "--weights-in=file", f"--report={self.path('report.json')}")
        with open(self.path("report.json")) as file:
            report = json.load(file)
        self.assertEqual(report["weights_file"], weights)
        self.assertEqual(os.path.getsize(weights), HEADER + (report["weight_bytes"] + 255) // 256 * 256)
        self.assertLess(os.path.getsize(library), 150_000)
        self.assertEqual(sorted(os.listdir(self.path("first"))), ["libnet.so", "libnet.weights", "net.h", "net.onnx"])
        inside, _ = self.build(network(1), "inside")
        for path, expected in ((library, True), (inside, False)):
            self.assertEqual(b"the weights file cannot be read" in self.read(path), expected, "only a model that needs it links the reader")
        # A file is written to its end or not at all, and both compilations of one model are the same.
        before = self.read(weights)
        self.build(network(1), "first", "--weights-in=file")
        self.assertEqual(self.read(weights), before)

    def test_options_that_cannot_be(self):
        graph = nacre.Graph("relu")
        graph.node("Relu", [graph.input("x", [4])], output="y")
        graph.output("y", [4])
        self.assertIn("the model has no weights, so there is no file to write; omit --weights-in=file",
                      self.build(graph, "relu", "--weights-in=file", status=1))
        self.assertIn("--weights-in must be library or file, but is 'disk'", self.build(graph, "relu", "--weights-in=disk", status=2))
        self.assertIn("--weights-in=file requires a library or an object; omit --emit or --compile-to",
                      self.build(graph, "relu", "--weights-in=file", "--emit=asm", status=2))

    def test_an_object(self):
        """An app links the object with the runtime later; the file is the same."""
        _, weights = self.build(network(1), "library", "--weights-in=file")
        self.build(network(1), "object", "--weights-in=file")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("object", "net.onnx"), "-o", self.path("object", "libnet.o"), "--emit=obj",
                  "--weights-in=file")
        self.assertEqual(self.read(weights), self.read(self.path("object", "libnet.weights")))


if __name__ == "__main__":
    unittest.main()
