#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of docs/training.md, as they stand there, on a network as PyTorch exports it."""
import os
import random
import re
import shlex
import struct
import sys
import unittest

import nacre
from lenet import lenet
from onnx_training_test import read_state
from onnx_writer import write_npy

sys.path.insert(0, os.path.join(nacre.ROOT, "test", "conformance"))
from readers import wire  # noqa: E402

MODEL = {7: ("graph", {5: ("initializers", [{1: ("dims", ["int"]), 8: ("name", "text"), 9: ("raw", "bytes")}])})}
PAGE = os.path.join(nacre.ROOT, "docs", "training.md")


class TrainingPageTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        with open(PAGE, encoding="utf-8") as file:
            self.page = file.read()
        lenet().save(self.path("lenet.onnx"))
        os.mkdir(self.path("phone"))
        draw = random.Random(5)
        for part, count in (("train", 200), ("test", 50)):
            classes = [draw.randrange(10) for _ in range(count)]
            pixels = [float(place // 6 == c) + draw.uniform(0, 0.2) for c in classes for place in range(64)]
            write_npy(self.path(part + "_x.npy"), [count, 1, 8, 8], pixels)
            write_npy(self.path(part + "_y.npy"), [count], classes, "q")

    def blocks(self, language):
        return re.findall(rf"^```{language}\n(.*?)^```$", self.page, re.MULTILINE | re.DOTALL)

    def test_commands(self):
        said = {}
        for line in "".join(self.blocks("sh")).splitlines():
            program, *arguments = shlex.split(line)
            said[line] = self.call(os.path.join(nacre.BIN, program), *arguments, cwd=self.folder)
        answers = list(said.values())
        self.assertEqual(len(answers), 10)
        self.assertIn("conv1.weight  f32[16,1,3,3]", answers[0])
        self.assertRegex(answers[1], r"conv1.weight +f32\[16,1,3,3\] +no ")
        self.assertRegex(answers[1], r"fc2.bias +f32\[10\] +yes +40 +80 ")
        self.assertIn("all nodes are supported, and the model can be trained\n", answers[2])
        self.assertIn("epoch 3 of 3: loss ", answers[4])
        self.assertRegex(answers[5], r"epoch 4 of 6: loss (.*\n)*epoch 6 of 6: loss ")
        self.assertGreater(float(re.search(r"accuracy (\S+)", answers[6])[1]), 0.9)
        self.assertIn("learning_rate f32[]", answers[7])
        self.check_trained()
        self.assertTrue(os.path.exists(self.path("phone", "liblenet.so")))

    def weights(self, name):
        """What an ONNX file holds: dims and values by their names."""
        with open(self.path(name), "rb") as file:
            data = file.read()
        tensors = wire.decode(data, MODEL).graph.initializers
        return {t.name: (t.dims, [value for value, in struct.iter_unpack("<f", t.raw)]) for t in tensors}

    def check_trained(self):
        """The model's own file, but for the weights, which are the state's to the last bit."""
        before, after, state = self.weights("lenet.onnx"), self.weights("trained.onnx"), read_state(self.path("lenet.safetensors"))
        self.assertEqual(list(after), list(before))
        self.assertEqual({name for name in state if "#" not in name}, set(before))
        for name, (dims, values) in after.items():
            self.assertEqual(dims, before[name][0], name)
            self.assertEqual(values, state[name], name)
            self.assertNotEqual(values, before[name][1], name)

    def test_code_is_code(self):
        for block in self.blocks("python"):
            compile(block, PAGE, "exec")
        calls = set(re.findall(r"\bnacre_\w+(?=\()", "".join(self.blocks("c"))))
        with open(os.path.join(nacre.ROOT, "samples", "personalize.c"), encoding="utf-8") as file:
            sample = file.read()
        self.assertTrue(calls)
        self.assertEqual({call for call in calls if call not in sample}, set(), "the sample calls what the page calls")


if __name__ == "__main__":
    unittest.main()
