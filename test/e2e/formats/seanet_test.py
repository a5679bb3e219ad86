#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layers of a network of 16-bit integers give the bytes that TensorFlow Lite's reference kernels recorded for them.

Why:  their rounding is defined in integers alone, so that only one answer is right; a float multiplication in its place is off
      by one in a tenth of the elements.
How:  each folder of tflite/seanet in the shared data has a model of one operator, its inputs and its answer as lists of numbers.
      Skipped where the data is missing.
"""
import concurrent.futures
import glob
import math
import os
import re
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

FOLDER = os.path.join(os.environ.get("NACRE_TEST_DATA", os.path.join(nacre.ROOT, "..", "shared", "data")), "tflite", "seanet")
LETTERS = {"i16": "h", "i32": "i"}


def write_npy(path, element, dims, numbers):
    letter = LETTERS[element]
    shape = "(" + "".join(f"{d}, " for d in dims) + ")"
    head = f"{{'descr': '<i{struct.calcsize(letter)}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(numbers)}{letter}", *numbers))


def read_numbers(path):
    with open(path, encoding="ascii") as file:
        return [int(number) for number in file.read().replace("\n", ",").split(",") if number.strip()]


class SeanetTest(nacre.NacreTest):
    def run_layer(self, layer):
        """What went wrong, or nothing."""
        folder, library = os.path.join(FOLDER, layer), self.path(f"lib{layer}.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), os.path.join(folder, layer + ".tflite"), "-o", library)
        values = re.findall(r"^  (\S+) (i\d+)\[([\d,]*)\]$", self.run_model(library, "--info"), re.MULTILINE)
        answer = glob.glob(os.path.join(folder, "*_golden_*.csv"))[0]
        # An input that is the shape of the result has a list of numbers, too, but is no input of the library.
        given = [read_numbers(path) for path in sorted(glob.glob(os.path.join(folder, "*_input*.csv")))]
        options = []
        for number, ((name, element, dims), numbers) in enumerate(zip(values, given[len(given) - len(values) + 1:] + [read_numbers(answer)])):
            dims = [int(d) for d in dims.split(",") if d]
            self.assertEqual(math.prod(dims), len(numbers), f"{layer}: {name}")
            path = self.path(f"{layer}_{number}.npy")
            write_npy(path, element, dims, numbers)
            options.append(f"--{'expect' if number + 1 == len(values) else 'input'}={name}={path}")
        self.run_model(library, *options, "--rtol=0", "--atol=0")

    def test_every_layer_is_exact(self):
        layers = sorted(os.listdir(FOLDER))
        self.assertEqual(len(layers), 70)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = {layer: pool.submit(self.run_layer, layer) for layer in layers}
        for layer, run in runs.items():
            with self.subTest(layer):
                run.result()


if __name__ == "__main__":
    if not os.path.isdir(FOLDER):
        sys.exit(print(f"skipped: {FOLDER} is missing"))
    unittest.main()
