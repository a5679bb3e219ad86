#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launches of a training step on a GPU: how many there are, what they write, and that long sums have the same parts wherever they run."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

sys.path.insert(0, os.path.join(nacre.ROOT, "test", "bench"))
from training import mentee  # noqa: E402

OPTIONS = ("--train", "--loss=softmax-cross-entropy:logits", "--optimizer=sgd:momentum=0.9", "--entries=train")
STATE = re.compile(r"(%\d+) = plan\.storage\s+state ")
LAUNCH = re.compile(r"plan\.launch @(\w+)\((.*?)\) into\((.*?)\)")


class LaunchesTest(nacre.NacreTest):
    @classmethod
    def setUpClass(cls):
        cls.graph = mentee(128)

    def plan(self, place, *options):
        self.graph.save(self.path("mentee.onnx"))
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("mentee.onnx"), *OPTIONS, f"--place={place}", *options,
                  "--compile-to=schedule", "-o", self.path("plan.mlir"))
        with open(self.path("plan.mlir"), encoding="utf-8") as file:
            return file.read()

    def test_mentee(self):
        """Each gradient's kernel, or the sum over its parts, is the update: of 107 launches 33 copied state, and 16 were updates."""
        plan = self.plan("gpu")
        launches = LAUNCH.findall(plan)
        states = set(STATE.findall(plan))
        self.assertEqual(len(states), 33)  # weights and biases of eight layers, their momenta, and the number of the step
        self.assertLessEqual(len(launches), 75)
        writers = [(kernel, reads, writes) for kernel, reads, writes in launches if states & set(writes.split(", "))]
        self.assertEqual(sorted(state for _, _, writes in writers for state in writes.split(", ")), sorted(states))
        self.assertEqual(len(writers), 17)
        for kernel, reads, writes in writers:
            self.assertFalse(kernel.startswith("copy"), kernel)
            self.assertLessEqual(set(writes.split(", ")), set(reads.split(", ")), "read where it is written")
        self.assertNotIn("gpu_declined", plan)

    def test_halves_are_updated_once_they_are_checked(self):
        """Behind all sums that say whether gradients are finite, a launch for each weight and its momentum; one for biases of the same
        size; and one for the scale and all counters, with the output. Of 104 launches, 20 were updates, and one copied a counter."""
        plan = self.plan("gpu", "--gpu-precision=fp16")
        states = set(STATE.findall(plan))
        writers = [(kernel, set(writes.split(", ")) & states) for kernel, _, writes in LAUNCH.findall(plan) if states & set(writes.split(", "))]
        self.assertEqual(sorted(state for _, written in writers for state in written), sorted(states))
        self.assertEqual(sorted(len(written) for _, written in writers), [2] * 10 + [4] * 4)
        self.assertFalse(any(kernel.startswith("copy") for kernel, _, _ in LAUNCH.findall(plan)))

    def test_one_sum_says_whether_gradients_are_finite(self):
        """Each large gradient has a launch for its 512 sums, and weights of products are cast. Of 123 launches 18 checked gradients, in
        rounds, and 16 cast weights and biases."""
        plan = self.plan("gpu", "--gpu-precision=fp16")
        launches = LAUNCH.findall(plan)
        self.assertLessEqual(len(launches), 86)
        sums = re.search(r"(%\d+) = plan\.storage\s+temporary.* : memref<(\d+)xf32>\n(?=(?:.*\n)*.*plan\.launch @\w+\(\1\) into\(%\d+\) .*memref<i8>\))", plan)
        self.assertIsNotNone(sums, "no launch says whether gradients are finite")
        small = 3 * 3 * 3 * 64 + 512 * 10 + 64 + 64 + 128 + 128 + 256 + 512 + 512 + 10
        self.assertEqual(int(sums[2]), 6 * 512 + small)
        views = re.findall(rf"(%\d+) = plan\.view {sums[1]} .*to memref<512xf32>", plan)
        writers = [writes for kernel, reads, writes in launches if kernel.startswith("reduce") and writes in views]
        self.assertEqual(len(writers), 6 + 2)  # and two biases
        self.assertEqual(sum(kernel.startswith("cast") for kernel, _, _ in launches), 8)

    def test_no_gpu_needs_no_loss_scale(self):
        """A library that a search leaves to the CPU is that of --place=cpu."""
        def library(*options):
            self.graph.save(self.path("mentee.onnx"))
            self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("mentee.onnx"), *OPTIONS, "--device=helio-g99", *options,
                      "--quiet", "-o", self.path("libmentee.so"))
            with open(self.path("libmentee.so"), "rb") as file:
                return file.read()

        self.assertEqual(library("--place=auto", "--gpu-precision=fp16"), library("--place=cpu"))

    def test_parts_are_those_of_the_layers(self):
        """Not of the device, nor of the part of each kernel that it computes."""
        def shapes(plan):
            return re.findall(r"plan\.launch @filter_gradient.* into ?\((memref<\d+x\d+x3x3x\d+x\d+xf32>)\)", plan)

        whole = shapes(self.plan("gpu"))
        self.assertEqual(sorted(whole), sorted(f"memref<{parts}xf32>" for parts in (
            "128x2x3x3x3x64", "64x1x3x3x64x64", "32x1x3x3x64x128", "16x1x3x3x128x128", "8x1x3x3x128x256")))
        for percent in (25, 80):
            self.assertEqual(sorted(shapes(self.plan(f"split:{percent}"))), sorted(whole))
        for device in ("snapdragon-778g", "helio-g99"):
            self.assertEqual(sorted(shapes(self.plan("gpu", f"--device={device}"))), sorted(whole))


if __name__ == "__main__":
    unittest.main()
