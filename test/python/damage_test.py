#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damaged libraries raise a LoadError and never end Python."""
import collections
import os
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
damage_test.open_all(sys.argv[1], sys.argv[2])
"""
FLIPS = 2000


def open_all(library, folder):
    """Runs in a process of its own, which a signal would end. Prints how many copies of each kind of damage were refused."""
    with open(library, "rb") as file:
        data = file.read()
    x = packaged.numpy.zeros((2, 3), "float32"), packaged.numpy.zeros(3, "float32")
    path = os.path.join(folder, "damaged.so")
    refused = collections.Counter()
    for kind, copies in (("cut", damage.cuts(data, 200)), ("flipped", damage.flips(data, FLIPS))):
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


class DamageTest(packaged.PackageTest):
    def test_damaged_libraries_are_refused(self):
        library = nacre.compile(self.model("sums"), library=self.path("libsums.so"), jobs=1).path
        paths = [os.path.dirname(os.path.abspath(__file__)), *sys.path]
        done = subprocess.run([sys.executable, "-c", CHILD.format(paths=paths), library, self.folder], check=False, text=True, timeout=packaged.COMMAND_SECONDS,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        cut, flipped = map(int, done.stdout.split())
        print(f"of 200 cut and {FLIPS} flipped libraries, {cut} and {flipped} were refused")
        self.assertEqual(cut, 200)
        self.assertGreater(flipped, 0.6 * FLIPS)


if __name__ == "__main__":
    unittest.main()
