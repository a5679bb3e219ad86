#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damaged libraries raise a LoadError and never end Python."""
import collections
import os
import random
import subprocess
import sys
import unittest

import packaged

import nacre

sys.path.insert(0, os.path.join(packaged.ROOT, "test", "e2e"))
import damage  # noqa: E402

CHILD = """
import sys
sys.path[:0] = {paths!r}
import damage_test
damage_test.{function}(sys.argv[1], sys.argv[2])
"""
CUTS, FLIPS = 200, 2000


def open_all(library, folder):
    """Runs in a process of its own, which a signal would end. Prints how many copies of each kind of damage were refused."""
    with open(library, "rb") as file:
        data = file.read()
    x = packaged.numpy.zeros((2, 3), "float32"), packaged.numpy.zeros(3, "float32")
    path = os.path.join(folder, "damaged.so")
    refused = collections.Counter()
    for kind, copies in (("cut", damage.cuts(data, CUTS)), ("flipped", damage.flips(data, FLIPS))):
        for copy in copies:
            with open(path + ".new", "wb") as file:
                file.write(copy)
            os.replace(path + ".new", path)  # One that is open keeps its bytes.
            try:
                nacre.load(path).run(*x)
            except nacre.LoadError as error:
                assert any(words in str(error) for words in (" is damaged: ", " is incomplete: ", " must be ", " cannot be loaded here: ")), error
                refused[kind] += 1
    print(refused["cut"], refused["flipped"])


def open_with_damaged_weights(library, folder):
    """The same for the weights file, whose bits have a checksum."""
    del folder
    weights = os.path.splitext(library)[0] + ".weights"
    with open(weights, "rb") as file:
        data = file.read()
    draw = random.Random(1)
    x = packaged.numpy.zeros(nacre.load(library).inputs[0].shape, "float32")
    refused = collections.Counter()
    for kind, copies in (("cut", damage.cuts(data, CUTS)), ("flipped", (damage.flip_bit(data, draw.randrange(len(data))) for _ in range(CUTS)))):
        for copy in copies:
            with open(weights + ".new", "wb") as file:
                file.write(copy)
            os.replace(weights + ".new", weights)
            try:
                nacre.load(library).run(x)
            except nacre.NacreError as error:
                assert any(f"'{weights}': the weights file {words} " in str(error) for words in ("must have", "is damaged:")), error
                refused[kind] += 1
    print(refused["cut"], refused["flipped"])


class DamageTest(packaged.PackageTest):
    def count_refused(self, function, library):
        """Returns how many cut and how many flipped files a process of its own refuses."""
        paths = [os.path.dirname(os.path.abspath(__file__)), *sys.path]
        done = subprocess.run([sys.executable, "-c", CHILD.format(paths=paths, function=function), library, self.folder], check=False, text=True,
                              timeout=packaged.COMMAND_SECONDS, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return tuple(map(int, done.stdout.split()))

    def test_damaged_libraries_are_refused(self):
        cut, flipped = self.count_refused("open_all", nacre.compile(self.model("sums"), library=self.path("libsums.so"), jobs=1).path)
        print(f"of {CUTS} cut and {FLIPS} flipped libraries, {cut} and {flipped} were refused")
        self.assertEqual(cut, CUTS)
        self.assertGreater(flipped, 0.6 * FLIPS)

    def test_damaged_weights_files_are_refused(self):
        library = nacre.compile(self.model("convnet"), library=self.path("libconvnet.so"), weights_in="file", jobs=1).path
        self.assertEqual(self.count_refused("open_with_damaged_weights", library), (CUTS, CUTS))


if __name__ == "__main__":
    unittest.main()
