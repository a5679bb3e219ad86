#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks learn handwritten digits as well as they do by PyTorch, from the same weights, examples in the same order.

Of five seeds the first is trained on; all with NACRE_TRAINING=all, and then the means must be what was promised. Needs NumPy, whose
generator made the orders (shared/data/training/README.md).
"""
import json
import os
import re
import sys
import unittest

try:
    import numpy
except ImportError:
    print("SKIPPED: needs NumPy, whose generator made the orders")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

DATA = os.path.join(os.environ.get("NACRE_TEST_DATA", os.path.join(os.path.dirname(nacre.ROOT), "shared", "data")), "training")
SEEDS = range(5) if os.environ.get("NACRE_TRAINING") == "all" else range(1)
if not os.path.isdir(os.path.join(DATA, "digits")):
    print(f"SKIPPED: the digits are not beside the repository ({DATA})")
    sys.exit(77)


class DigitsTest(nacre.NacreTest):
    parts = 3

    def setUp(self):
        super().setUp()
        with open(os.path.join(DATA, "digits", "accuracy.json"), encoding="utf-8") as file:
            self.reference = json.load(file)
        for part in ("train", "test"):
            images, labels = (numpy.load(os.path.join(DATA, "digits", f"{part}_{what}.npy")) for what in ("images", "labels"))
            self.save(part, images, labels)
            self.save(part + "_high", images[labels > 4], labels[labels > 4])

    def save(self, part, images, labels):
        numpy.save(self.path(part + "_x.npy"), (images.astype(numpy.float32) / 16)[:, None])
        numpy.save(self.path(part + "_y.npy"), labels.astype(numpy.int64))

    def compile(self, model, *options, output="libdigits.so"):
        library = self.path(output)
        self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", library, "--quiet", "--train", "--train-batch=64", *options)
        return library

    def train(self, library, seed, epochs, rate, suffix="", options=()):
        """The lines of the log, of each epoch one."""
        count = len(numpy.load(self.path(f"train{suffix}_y.npy")))
        generator = numpy.random.default_rng(seed)
        numpy.save(self.path("order.npy"), numpy.stack([generator.permutation(count) for _ in range(epochs)]))
        files = [f"--{test}{option}={name}{self.path(part + suffix + '_' + end + '.npy')}"
                 for test, part in (("", "train"), ("test-", "test")) for option, name, end in (("input", "x=", "x"), ("label", "", "y"))]
        self.run_model(library, "--train", f"--epochs={epochs}", f"--set=learning_rate={rate}", f"--order={self.path('order.npy')}",
                       f"--log={self.path('log.jsonl')}", *files, *options)
        with open(self.path("log.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file][1:]

    def check(self, library, runs, epochs, rate, least_mean, least, suffix=""):
        accuracies = []
        for seed in SEEDS:
            lines = self.train(library, seed, epochs, rate, suffix)
            accuracies.append(lines[-1]["test_accuracy"])
            for line, loss in zip(lines[:3], runs[seed]["losses"] if runs else []):
                self.assertLessEqual(abs(line["loss"] - loss), 0.01 * loss, f"seed {seed}, epoch {line['epoch']}")
        mean = sum(accuracies) / len(accuracies)
        print(f"{self._testMethodName}: mean {mean:.4f}, least {min(accuracies):.4f} of {[round(a, 4) for a in accuracies]}")
        self.assertGreaterEqual(mean, least_mean if len(accuracies) == 5 else least)
        self.assertGreaterEqual(min(accuracies), least)

    def case(self, net, optimizer, rate, epochs, least_mean, least, reference):
        folder = os.path.join(DATA, "cases", net)
        with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
            output = json.load(file)["output"]
        library = self.compile(os.path.join(folder, "model.onnx"), "--loss=softmax-cross-entropy:" + output, "--optimizer=" + optimizer)
        self.check(library, self.reference[f"{net} {reference}"]["runs"], epochs, rate, least_mean, least)

    def test_lenet(self):
        self.case("lenet_digits", "sgd:momentum=0.9", 0.05, 15, 0.985, 0.975, "sgd:lr=0.05,momentum=0.9")

    def test_lenet_by_adam(self):
        self.case("lenet_digits", "adam", 0.002, 15, 0.972, 0.962, "adam:lr=0.002")

    def test_resnet(self):
        self.case("resnet_digits", "sgd:momentum=0.9", 0.05, 10, 0.965, 0.955, "sgd:lr=0.05,momentum=0.9")

    def test_resnet_in_less_memory(self):
        """Batches of normalizations are not divided: what the cap asks for is computed again, by the same code, so all losses are the same."""
        model, logs, blocks = os.path.join(DATA, "cases", "resnet_digits", "model.onnx"), [], []
        for cap in ([], ["--memory-cap=5"]):
            library = self.compile(model, "--loss=softmax-cross-entropy:gemm22", "--optimizer=sgd:momentum=0.9", "--entries=train,evaluate",
                                   "--train-batch=256", "--report=" + self.path("report.json"), *cap)
            with open(self.path("report.json"), encoding="utf-8") as file:
                report = json.load(file)
            self.assertEqual(report["micro_batch"], 0)
            self.assertEqual(any(launch["nodes"].endswith(" again") for launch in report["launches"]), bool(cap))
            said = self.run_model(library, "--entry=train", "--info", "--threads=1")
            blocks.append(int(re.search(r"^ *block +(\d+)", said, re.MULTILINE).group(1)))
            logs.append([(line["loss"], line["test_accuracy"]) for line in self.train(library, 0, 3, 0.05)])
        print(f"blocks of {blocks[0]} and {blocks[1]} bytes")
        self.assertGreater(blocks[0], 7 << 20)
        self.assertLessEqual(blocks[1], 5 << 20)
        self.assertEqual(logs[1], logs[0])

    def test_dense_layers_learn_other_digits(self):
        with open(os.path.join(DATA, "cases", "lenet_digits", "case.json"), encoding="utf-8") as file:
            output = json.load(file)["output"]
        library = self.compile(os.path.join(DATA, "digits", "lenet_0to4.onnx"), "--loss=softmax-cross-entropy:" + output,
                               "--optimizer=sgd:momentum=0.9", "--trainable=fc*")
        self.check(library, None, 10, 0.02, 0.955, 0.94, suffix="_high")


if __name__ == "__main__":
    unittest.main()
