#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""samples/personalize.c: an app that learns, is killed, goes on, and has then learned what it would have learned undisturbed."""
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


class PersonalizeTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        samples = os.path.join(nacre.ROOT, "samples")
        self.call(sys.executable, os.path.join(samples, "models", "make_strokes.py"), self.folder)
        library, self.program = self.path("libstrokes.so"), self.path("personalize")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("strokes.onnx"), "-o", library, "--quiet", "--train",
                  "--loss=softmax-cross-entropy:logits", "--trainable=fc*", "--optimizer=sgd:momentum=0.9", "--train-batch=8")
        self.call(os.environ.get("CC", "cc"), "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic",
                  "-I" + os.path.join(nacre.ROOT, "runtime", "include"), "-I" + self.folder, os.path.join(samples, "personalize.c"),
                  library, "-Wl,-rpath," + self.folder, "-o", self.program)

    def command(self, state, epochs):
        return [self.program, self.path("strokes.txt"), self.path(state), str(epochs)]

    def learned(self, state):
        with open(self.path(state), "rb") as file:
            return file.read()

    def kill_on_the_way(self, state, delay):
        """Whether it was killed before it had done."""
        with subprocess.Popen(self.command(state, EPOCHS), stdout=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + nacre.COMMAND_SECONDS
            while not os.path.exists(self.path(state)) and time.monotonic() < deadline:
                time.sleep(0.002)
            time.sleep(delay)
            process.kill()
            return process.wait() == -signal.SIGKILL

    def test_it_learns_though_it_is_killed(self):
        said = self.call(*self.command("whole", EPOCHS)).splitlines()
        losses = [float(line.split()[-1]) for line in said[:-1]]
        self.assertEqual(len(losses), EPOCHS)
        self.assertLess(losses[-1], 0.1 * losses[0])
        self.assertEqual(said[-1], "recognizes 60 of 60")

        kills, draw = 0, random.Random(2)
        while kills < 8 and self.kill_on_the_way("parts", draw.uniform(0, 0.03)):
            kills += 1
        self.assertGreater(kills, 0, "it was faster than any signal")
        rest = self.call(*self.command("parts", EPOCHS)).splitlines()
        self.assertEqual(rest, said[-len(rest):], "an epoch is what it was")
        self.assertEqual(self.learned("parts"), self.learned("whole"))
        print(f"killed {kills} times, {EPOCHS - len(rest) + 1} epochs had been saved")

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
