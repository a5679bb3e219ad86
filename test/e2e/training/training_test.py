#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients and losses of models that are trained, against PyTorch's in double precision (training_cases.py).

One case: training_test.py TrainingTest.test_lstm
"""
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from training_cases import DATA, Case, CaseTest, add_case, names_of_cases, open_npy, write

# All cases on ARM under qemu: NACRE_TRAINING_TARGET=linux-arm64; else some.
ARM64 = os.environ.get("NACRE_TRAINING_TARGET") == "linux-arm64"
BITS = (("lenet_digits", "adam"), ("dropout", "sgd:momentum=0.9"), ("lstm_gestures", "sgd:momentum=0.9"))
ON_ARM64 = ("lenet_digits", "lstm", "batch_norm")


class TrainingTest(CaseTest):
    parts = 3

    arm64 = ARM64
    arm64_target = "linux-arm64"

    @property
    def compile_options(self):
        return ["--target=" + self.arm64_target] if self.arm64 else []

    def program(self):
        program = super().program()
        if not self.arm64:
            return program
        return ["qemu-aarch64", "-L", nacre.ARM64_SYSROOT, "-cpu", "cortex-a76", "-E", "LD_LIBRARY_PATH=" + self.android_libraries(),
                program[0] + "-arm64"]

    def test_parts_of_the_batch(self):
        """The batch in parts gives the gradients and losses of the batch."""
        case = Case("lenet_digits")
        self.check_run(case, "sgd", f"--micro-batch={case.arrays.shapes['label'][1] // 4}")

    def state_after(self, library, steps, batches):
        self.steps(library, steps, batches, "train")
        with open(self.path("end.safetensors"), "rb") as file:
            return file.read()

    def test_bits(self):
        """Any number of threads, and run twice; and twenty steps are ten, a file, and ten of another process."""
        for name, optimizer in BITS[:1] if self.arm64 else BITS:
            with self.subTest(case=name):
                case = Case(name)
                case.feed(self.folder, 0.01)
                library, batches = self.build(case, "--optimizer=" + optimizer), case.facts["batches"]
                expected = self.state_after(library, 20, batches)
                for threads in (1, 2, 3):
                    self.assertTrue(self.state_after(library, 20, f"{batches}:{threads}") == expected, f"{threads} threads")
                half, begin = self.state_after(library, 10, batches), self.path("begin.safetensors")
                self.assertFalse(half == expected)
                write(begin, half)
                self.assertTrue(self.state_after(library, 10, f"{batches}:1:10") == expected, "resumed")
                os.remove(begin)


class TrainingOnArm64(TrainingTest):
    """The same, of other code."""

    arm64 = True

    def feed_digits(self, batch):
        """An epoch's images, divided by 16, and labels, as batches of the network; how many."""
        images, labels = (open_npy(os.path.join(DATA, "training", "digits", f"train_{what}.npy")) for what in ("images", "labels"))
        pixels, count = len(images) // len(labels), len(labels) // batch
        for number in range(count):
            rows = range(number * batch, (number + 1) * batch)
            write(self.path(f"{self.input}.{number}"), b"".join(struct.pack("<f", v / 16) for v in images[rows.start * pixels:rows.stop * pixels]))
            write(self.path(f"label.{number}"), struct.pack(f"<{batch}q", *(labels[row] for row in rows)))
        return count

    def test_an_epoch_of_digits(self):
        """By a library for Android: its losses are x86-64's but for rounding."""
        self.arm64_target = "android-arm64"
        case, losses = Case("lenet_digits"), []
        self.input = next(name for name in case.arrays.values if name.startswith("input:")).removeprefix("input:")
        write(self.path("learning_rate"), struct.pack("<f", 0.05))
        count = self.feed_digits(64)
        for self.arm64 in (False, True):
            library = self.build(case, "--optimizer=sgd:momentum=0.9", "--train-batch=64")
            losses.append([loss for _, loss in self.steps(library, count, count, "train")])
        self.assertEqual(count, 22)
        self.assertLess(losses[0][-1], 0.6 * losses[0][0])
        for host, arm64 in zip(*losses):
            self.assertLessEqual(abs(host - arm64), 1e-4 * max(host, 1), (host, arm64))


for found in names_of_cases():
    add_case(TrainingTest, found)
    if found not in ON_ARM64:
        setattr(TrainingOnArm64, "test_" + found, None)

if __name__ == "__main__":
    unittest.main()
