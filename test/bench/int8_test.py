#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of int8.py and their way to the page, and the copy of a library without cpuid.

How: programs that print figures and write answers instead of computing any.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import hidden_features
import int8_page
import rivals

sys.path.insert(0, os.path.join(rivals.ROOT, "samples", "models"))
from onnx_writer import Graph, write_npy  # noqa: E402

NAME = "squeezenet_rand_int8"
OURS = """#!{python} -SE
import json, os, shutil, sys
name = next(a for a in sys.argv if a.endswith(".so")).split("/lib")[-1][:-3]
if "--benchmark" in sys.argv:
    print(json.dumps({{"median_ms": 2.0 if name.endswith("_int8") else 5.0}}))
else:
    folder = next(a for a in sys.argv if a.startswith("--output=")).split("=")[1]
    shutil.copy("{answer}", os.path.join(folder, "y.npy"))
"""
THEIRS = """#!{python} -SE
import json
print(json.dumps({{"median_ms": 4.0}}))
"""


class Int8Test(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        for name, folder in ((NAME, "int8"), (NAME[:-5], ".")):
            graph = Graph(name)
            graph.output(graph.node("Relu", [graph.input("x", [4])], output="y"), [4])
            os.makedirs(self.path(folder, "io", name))
            graph.save(self.path(folder, name + ".onnx"))
            write_npy(self.path(folder, "io", name, "input_0.npy"), [4], [0] * 4)
            write_npy(self.path(folder, "io", name, "output_0.npy"), [4], [100, 200, 300, 50])

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def bench(self, answer, *options):
        write_npy(self.path("answer.npy"), [4], answer)
        for name, text in (("nacre-run", OURS), ("ort_run", THEIRS)):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text.format(python=sys.executable, answer=self.path("answer.npy")))
            os.chmod(self.path(name), 0o755)
        return subprocess.run([sys.executable, os.path.join(rivals.HERE, "int8.py"), f"--bin={self.folder}", f"--work={self.path('work')}",
                               f"--models={NAME}", "--no-compile", "--rounds=2", "--threads=1", *options], check=False, text=True,
                              env=dict(os.environ, BENCH_MODELS=self.folder, ORT_X64="anything"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_ratios_to_fp32_and_to_onnx_runtime(self):
        done = self.bench([100, 200, 300, 50], f"--json={self.path('t.json')}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"| {NAME} | 2.000 | 5.000 | 2.50 | 4.000 | 0.50 | inf |", done.stdout)
        self.assertIn("geomean int8/ort 0.500 at 1 thread (worst 0.50)", done.stdout)
        with open(self.path("t.json"), encoding="utf-8") as file:
            text = int8_page.text_of(json.load(file))
        self.assertIn(f"| {NAME} | 2.000 | 5.000 | 2.50 | 4.000 | 0.50 | inf |\n\n```text\ngeomean int8/ort", text)
        self.assertNotIn(self.folder, text)

    def test_an_answer_too_far_off_fails_after_the_table(self):
        done = self.bench([100, 200, 301, 50])  # 20 log10(sqrt(142500))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("0.50 | 51.5 |", done.stdout)
        self.assertIn(f"{NAME}: 51.5 dB to ONNX Runtime's answer, expected 54; largest element is the same", done.stdout)

    def test_another_class_fails(self):
        self.assertIn("largest element is another one", self.bench([100, 400, 300, 50]).stdout)

    def test_signal_to_noise(self):
        self.assertAlmostEqual(rivals.signal_to_noise([3, 4], [3, 4.5]), 20.0)
        self.assertEqual(rivals.signal_to_noise([3, 4], [3, 4]), math.inf)

    def test_sections_with_code_are_found(self):
        text = """
Sections:
Idx Name          Size      VMA               LMA               File off  Algn
  0 .text         00000100  0000000000002000  0000000000002000  00001000  2**4
                  CONTENTS, ALLOC, LOAD, READONLY, CODE
  1 .data         00000010  0000000000004000  0000000000004000  00003000  2**3
                  CONTENTS, ALLOC, LOAD, DATA
"""
        self.assertEqual(hidden_features.segments(text), [(0x2000, 0x100, 0x1000)])


if __name__ == "__main__":
    unittest.main()
