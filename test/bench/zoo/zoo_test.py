#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/zoo.md has a row for each model that zoo.py would measure, and of three small ones still says what is so.

How:  sizes may differ by what another CPU's code is longer, errors by what it rounds otherwise.
"""
import argparse
import os
import sys
import unittest

try:
    import measure
    import subjects
    import zoo
except ModuleNotFoundError as missing:
    print(f"skipped: this Python has no module {missing.name}")
    sys.exit(77)

DATA = os.environ.get("NACRE_TEST_DATA", os.path.join(subjects.ROOT, "..", "shared", "data"))
SMALL = ("onnx-real/mnist_8", "tflite/tinymaix/mnist_valid_q", "training/lstm_gestures")
UNITS = {"KiB": 1024, "MiB": 1 << 20}


def read_page():
    """{id: cells behind the name}"""
    groups = {f"## {title}": group for group, title in zoo.TITLES.items()}
    group, rows = None, {}
    with open(zoo.PAGE, encoding="utf-8") as file:
        for line in file:
            if line.startswith("## "):
                group = groups.get(line.strip())
            elif group and line.startswith("| ") and not line.startswith("| model |"):
                name, *cells = (cell.strip() for cell in line.strip().strip("|").split("|"))
                rows[f"{group}/{name}"] = cells
    return rows


@unittest.skipUnless(os.path.isdir(DATA), f"needs {DATA}")
class ZooTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found, cls.page = subjects.of_data(DATA), read_page()

    def test_every_model_has_a_row(self):
        identities = [subject.id for subject in self.found] + subjects.bench_ids()
        self.assertEqual(sorted(self.page), sorted(identities), "test/bench/zoo/zoo.py --write makes the page anew")
        self.assertEqual(sorted(subjects.phrases()), sorted(identities), "test/bench/zoo/models.tsv has a phrase for each")
        for identity, cells in self.page.items():
            self.assertEqual(len(cells), len(zoo.COLUMNS) - 1, identity)
            self.assertEqual(cells[0], subjects.phrases()[identity][0])

    def test_no_file_is_forgotten(self):
        self.assertEqual(list(subjects.forgotten(DATA, self.found)), [])
        self.assertIn("onnx-real/mnist_8/model.onnx", subjects.forgotten(DATA, self.found[3:]))

    def test_it_is_still_so(self):
        options = argparse.Namespace(bin=os.environ.get("NACRE_BIN", os.path.join(subjects.ROOT, "build", "release", "bin")), memory_gib=0,
                                     seconds=float(os.environ.get("NACRE_COMMAND_SECONDS", "1200")))
        for subject in self.found:
            if subject.id not in SMALL:
                continue
            with self.subTest(model=subject.id):
                row, cells = measure.row_of(subject, options, with_times=False), self.page[subject.id]
                number, unit = cells[7].split()
                self.assertAlmostEqual(row["bytes"] / (float(number) * UNITS[unit]), 1, delta=0.3)
                self.assertRegex(cells[4], r"^(0|[1-9]e-\d\d)$")
                self.assertLess(row["error"], 1e-12 if cells[4] == "0" else max(4 * float(cells[4]), 2e-6))
                self.assertEqual(row["answers_of"], cells[5])


if __name__ == "__main__":
    unittest.main()
