#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""samples/personalize.c: an app that learns, is killed, goes on, and has then learned what it would have learned undisturbed, on the CPU and on a GPU.

The GPU is required: lavapipe will do.
"""
import os
import random
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

EPOCHS = 300
GPU_EPOCHS = 80


class PersonalizeTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        samples = os.path.join(nacre.ROOT, "samples")
        self.call(sys.executable, os.path.join(samples, "models", "make_strokes.py"), self.folder)
        library, self.program = self.path("libstrokes.so"), self.path("personalize")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("strokes.onnx"), "-o", library, "--quiet", "--train",
                  "--loss=softmax-cross-entropy:logits", "--trainable=fc*", "--optimizer=sgd:momentum=0.9", "--train-batch=8", "--place=gpu")
        self.call(os.environ.get("CC", "cc"), "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic",
                  "-I" + os.path.join(nacre.ROOT, "runtime", "include"), "-I" + self.folder, os.path.join(samples, "personalize.c"),
                  library, "-Wl,-rpath," + self.folder, "-o", self.program)

    def command(self, state, epochs, *options):
        return [self.program, *options, self.path("strokes.txt"), self.path(state), str(epochs)]

    def learned(self, state):
        with open(self.path(state), "rb") as file:
            return file.read()

    def kill_on_the_way(self, state, epochs, delay, *options):
        """Whether it was killed before it had done."""
        with subprocess.Popen(self.command(state, epochs, *options), stdout=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + nacre.COMMAND_SECONDS
            while not os.path.exists(self.path(state)) and time.monotonic() < deadline:
                time.sleep(0.002)
            time.sleep(delay)
            process.kill()
            return process.wait() == -signal.SIGKILL

    def check_interruptions(self, epochs, most_kills, longest_delay, *options):
        said = self.call(*self.command("whole", epochs, *options)).splitlines()
        losses = [float(line.split()[-1]) for line in said[:-1]]
        self.assertEqual(len(losses), epochs)
        self.assertLess(losses[-1], 0.1 * losses[0])
        self.assertEqual(said[-1], "recognizes 60 of 60")

        kills, draw = 0, random.Random(2)
        while kills < most_kills and self.kill_on_the_way("parts", epochs, draw.uniform(0, longest_delay), *options):
            kills += 1
        self.assertGreater(kills, 0, "it was faster than any signal")
        rest = self.call(*self.command("parts", epochs, *options)).splitlines()
        self.assertEqual(rest, said[-len(rest):], "an epoch is what it was")
        self.assertEqual(self.learned("parts"), self.learned("whole"))
        print(f"killed {kills} times, {epochs - len(rest) + 1} epochs had been saved")

    def test_it_learns_though_it_is_killed(self):
        self.check_interruptions(EPOCHS, 8, 0.03)

    def test_it_learns_on_a_gpu_though_it_is_killed(self):
        self.check_interruptions(GPU_EPOCHS, 3, 0.1, "--gpu")

    def test_a_gpu_learns_what_the_cpu_learns(self):
        # After 3 epochs it knows 50 of 60: a difference of one answer would show.
        cpu, gpu = (self.call(*self.command(state, 3, *options)).splitlines() for state, options in (("cpu", ()), ("gpu", ("--gpu",))))
        self.assertNotEqual(self.learned("gpu"), self.learned("cpu"), "sums in other orders have other last bits")
        self.assertEqual(gpu[-1], cpu[-1])
        self.assertNotEqual(cpu[-1], "recognizes 60 of 60")
        for of_gpu, of_cpu in zip(gpu[:-1], cpu[:-1]):
            self.assertAlmostEqual(float(of_gpu.split()[-1]), float(of_cpu.split()[-1]), delta=2e-4)

    def test_either_continues_what_the_other_has_saved(self):
        for first, then in (("--gpu", None), (None, "--gpu")):
            state = f"begun with {first}"
            self.call(*self.command(state, 3, *filter(None, [first])))
            said = self.call(*self.command(state, GPU_EPOCHS, *filter(None, [then]))).splitlines()
            self.assertRegex(said[0], r"^epoch 4: ")
            self.assertEqual(said[-1], "recognizes 60 of 60")

    def test_without_a_gpu_it_says_so_and_the_cpu_computes(self):
        self.call(*self.command("cpu", 3))
        said = self.call(*self.command("none", 3, "--gpu"), env={**os.environ, "VK_DRIVER_FILES": self.path("none.json"),
                                                                 "VK_ICD_FILENAMES": self.path("none.json")})
        self.assertEqual(said.count("personalize: no GPU can be used, so the CPU computes: the GPU failed at vkCreateInstance"), 1, said)
        self.assertEqual(self.learned("none"), self.learned("cpu"))

    def test_options(self):
        self.assertRegex(self.call(self.program, "--help"), r"^usage: (.*\n)+  --gpu ")
        self.assertIn("unknown option --tpu; --help", self.call(self.program, "--tpu", status=2))
        self.assertRegex(self.call(self.program, status=2), r"^usage: .*personalize \[--gpu\] examples.txt")

    def test_a_damaged_file_is_no_beginning(self):
        self.call(*self.command("state", 2))
        data = bytearray(self.learned("state"))
        data[-5] ^= 1
        with open(self.path("state"), "wb") as file:
            file.write(data)
        self.assertIn("state: ", self.call(*self.command("state", 3), status=1))
        self.assertEqual(self.learned("state"), bytes(data))


if __name__ == "__main__":
    unittest.main()
