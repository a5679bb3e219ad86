#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorFlow 1 training graphs of LeNet: the losses of 20 steps, against those that the graph's own formulas give in double precision
(shared/data/training/tensorflow), on x86-64, on arm64 under qemu and on a GPU."""
import json
import os
import struct
import sys
import unittest

import training_cases
from training_cases import CaseTest, DATA, largest, write

import nacre

GRAPHS = os.path.join(DATA, "training", "tensorflow")
TOLERANCES = {"momentum": 1e-5, "adam": 1e-3}


class TensorFlowTraining(CaseTest):
    def compile_graph(self, name):
        library = self.path("libcase.so")
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), os.path.join(GRAPHS, f"lenet_{name}.pb"), "-o", library, "--train",
                         *self.compile_options)
        return library, said

    def feed(self, rate):
        """Writes the batches of the case, and returns how many. [N, 1, H, W] and [N, H, W, 1] have the same elements in the same order."""
        arrays = training_cases.Case("lenet_digits").arrays
        self.assertEqual(arrays.shapes["input:x"][2], 1)
        for name in ("input:x", "label"):
            for number, data in enumerate(arrays.batches(name)):
                write(self.path(f"{name.removeprefix('input:')}.{number}"), data)
        write(self.path("learning_rate"), struct.pack("<f", rate))
        return arrays.shapes["label"][0]

    def check_graph(self, name):
        with open(os.path.join(GRAPHS, "losses.json"), encoding="utf-8") as file:
            facts = json.load(file)[f"lenet_{name}.pb"]
        library, said = self.compile_graph(name)
        self.assertIn(f"note: trains as its node '{facts['train_op']}' does; the loss is '{facts['loss']}', and the entry main returns "
                      f"'{facts['output']}'", said)
        batches = self.feed(facts["learning_rate"])
        losses = [loss for _, loss in self.steps(library, len(facts["losses"]), batches, "train")]
        self.assertEqual(len(losses), len(facts["losses"]))
        self.assertLessEqual(largest(abs(a - b) for a, b in zip(losses, facts["losses"])), TOLERANCES[name], losses)
        return library

    def test_momentum(self):
        self.check_graph("momentum")

    def test_adam(self):
        self.check_graph("adam")


class TensorFlowTrainingHere(TensorFlowTraining):
    def test_momentum(self):
        said = self.run_model(self.check_graph("momentum"), "--info")
        for text in ("entry     main (1 of 3)", "logits f32[32,10]", "conv1/kernel f32[3,3,1,16]", "conv1/kernel/Momentum f32[3,3,1,16]"):
            self.assertIn(text, said)
        self.assertIn("label i64[32]\n", self.run_model(os.path.join(self.folder, "libcase.so"), "--info", "--entry=train"))

    def test_evaluation_changes_nothing(self):
        library, _ = self.compile_graph("momentum")
        batches = self.feed(0.05)
        first, again, stepped = (loss for _, loss in self.steps(library, 1, batches, "evaluate", "evaluate", "train"))
        self.assertNotEqual(first, again)  # of the next batch
        loss = [loss for _, loss in self.steps(library, 1, f"{batches}:1:2", "evaluate")][0]
        self.assertEqual(loss, stepped)


class TensorFlowTrainingOnArm64(TensorFlowTraining):
    compile_options = ("--target=linux-arm64",)

    def program(self):
        return ["qemu-aarch64", "-L", nacre.ARM64_SYSROOT, "-cpu", "cortex-a76", os.path.join(nacre.BIN, "e2e-training-steps-arm64")]


class TensorFlowTrainingOnGpu(TensorFlowTraining):
    compile_options = ("--place=gpu",)

    def program(self):
        return [*super().program(), "--gpu"]

    def read_said(self, said):
        launches = [line.split() for line in said.splitlines() if line.startswith("launches ")]
        self.assertTrue(launches, said)
        for _, entry, gpu, cpu in launches:
            self.assertEqual((entry, int(cpu)), ("train", 0))
            self.assertGreater(int(gpu), 0)
        return [line for line in said.splitlines() if not line.startswith("launches ")]


del TensorFlowTraining  # only its subclasses are tests

if not os.path.isdir(GRAPHS):
    print(f"SKIPPED: TensorFlow's training graphs are not beside the repository ({GRAPHS})")
    sys.exit(0)

if __name__ == "__main__":
    unittest.main()
