#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench.py makes of the figures of several runtimes.

How: programs that print figures instead of measuring any; they check that they are called as docs/benchmarks.md says.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import rivals

sys.path.insert(0, os.path.join(rivals.ROOT, "samples", "models"))
from onnx_writer import Graph  # noqa: E402

# Medians in ms by model; what has none here cannot be run.
TIMES = {"nacre-run": {"one": 2.0, "two": 3.0}, "ort_run": {"one": 4.0, "two": 3.0}, "ncnn": {"one": 1.0}, "mnn": {"one": 8.0, "two": 2.0}}

PROGRAM = """#!{python} -SE
import argparse, json, os, sys
parser = argparse.ArgumentParser()
for name in ("lib", "threads", "runs", "max-seconds", "data"):
    parser.add_argument("--" + name, required=name != "lib")
parser.add_argument("--fast", action="store_true", required={needs_fast})
parser.add_argument("model")
arguments = parser.parse_args()
name = os.path.splitext(os.path.basename(arguments.model))[0]
assert os.path.exists(os.path.join(arguments.data, "input_0.npy")) and int(arguments.threads) and float(arguments.max_seconds)
times = {times}
if name not in times:
    sys.exit("no operator of that name")
print("a line that is none of a figure's")
print(json.dumps({{"median_ms": times[name], "threads": int(arguments.threads)}}))
"""
OURS = """#!{python} -SE
import json, sys
name = next(a for a in sys.argv if a.endswith(".so")).split("/lib")[-1][:-3]
print(json.dumps({{"median_ms": {times}[name]}}))
"""


class PeersTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        for name in ("one", "two"):
            graph = Graph(name)
            graph.output(graph.node("Relu", [graph.input("x", [1])], output="y"), [1])
            graph.save(os.path.join(self.folder, name + ".onnx"))
            os.makedirs(os.path.join(self.folder, "io", name))
            open(os.path.join(self.folder, "io", name, "input_0.npy"), "wb").close()
        for name, times in TIMES.items():
            self.write(name, (OURS if name == "nacre-run" else PROGRAM).format(python=sys.executable, times=times, needs_fast=name == "mnn"))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def bench(self, *options):
        environment = dict(os.environ, BENCH_MODELS=self.folder, ORT_X64="anything")
        done = subprocess.run([sys.executable, os.path.join(rivals.HERE, "bench.py"), f"--bin={self.folder}", "--models=one,two",
                               "--no-compile", *options], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_against_onnx_runtime_alone(self):
        text = self.bench("--rounds=1", "--threads=1,2").stdout
        self.assertIn("| one | 2.000 | 4.000 | 0.50 | 2.000 | 4.000 | 0.50 |", text)
        self.assertIn("geomean nacre/ort 0.707 at 1 thread (worst 1.00)", text)
        self.assertIn("at 2 threads", text)
        self.assertNotIn("best", text)

    def test_against_peers_and_the_best_of_all(self):
        figures = os.path.join(self.folder, "figures.json")
        done = self.bench("--rounds=2", "--threads=1", f"--ncnn={self.folder}/ncnn", f"--mnn={self.folder}/mnn --fast", f"--json={figures}")
        lines = done.stdout.splitlines()
        self.assertIn("| model | nacre ms 1T | ort ms 1T | to ort 1T | ncnn ms 1T | to ncnn 1T | mnn ms 1T | to mnn 1T | to the best 1T |", lines)
        self.assertIn("| one | 2.000 | 4.000 | 0.50 | 1.000 | 2.00 | 8.000 | 0.25 | 2.00 |", lines)
        self.assertIn("| two | 3.000 | 3.000 | 1.00 | - | - | 2.000 | 1.50 | 1.50 |", lines)
        self.assertIn("geomean nacre/ncnn 2.000 at 1 thread (worst 2.00, 1 of 2 models)", lines)
        self.assertIn("geomean nacre/mnn 0.612 at 1 thread (worst 1.50)", lines)
        self.assertIn("geomean nacre/best 1.732 at 1 thread (worst 2.00)", lines)
        self.assertEqual(done.stderr.count("note: ncnn has no figure of two: "), 1)
        with open(figures, encoding="utf-8") as file:
            self.assertIn({"model": "two", "threads": 1, "who": "mnn", "median_ms": 2.0}, json.load(file))


if __name__ == "__main__":
    unittest.main()
