# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the Python package share. The environment, set by ctest: NACRE_BIN, the folder of the programs.

These need NumPy; without it, or without what `need` names, a test is skipped as ctest understands it.
"""
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("NACRE_BIN", os.path.join(ROOT, "build", "release", "bin"))
SKIPPED = 77
COMMAND_SECONDS = float(os.environ.get("NACRE_COMMAND_SECONDS", "1200"))
sys.path[:0] = [os.path.join(ROOT, "samples", "models"), os.path.join(ROOT, "tools", "dev")]
os.environ["NACRE_CACHE"] = "off"  # Each test compiles; cache_test.py has folders of its own.
if "NACRE_INSTALLED" not in os.environ:  # Else the package is where pip has put it, and brings its programs.
    sys.path.insert(0, os.path.join(ROOT, "tools", "python"))
    os.environ["PATH"] = BIN + os.pathsep + os.environ["PATH"]


def need(*modules):
    """Skips the test where this Python lacks a module."""
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            print(f"SKIPPED: this Python has no {module}")
            sys.exit(SKIPPED)


need("numpy")
import numpy  # noqa: E402
from make_convnet import make_convnet  # noqa: E402
from onnx_writer import BOOL, FLOAT, INT64, Graph  # noqa: E402

FLOAT16, BFLOAT16, UINT8, DOUBLE = 10, 16, 2, 11


def sum_model():
    """Two inputs, which can be told apart, and two outputs."""
    graph = Graph("sums")
    a, b = graph.input("a", [2, 3]), graph.input("b", [3])
    graph.node("Sub", [a, b], output="difference")
    graph.node("Add", [a, b], output="sum")
    graph.output("sum", [2, 3])
    graph.output("difference", [2, 3])
    return graph


def cast_model(given, wanted):
    """Of one type to another, and nothing else."""
    graph = Graph("cast", opset=13)
    graph.node("Cast", [graph.input("x", [2, 3], given)], to=wanted, output="y")
    graph.output("y", [2, 3], wanted)
    return graph


def places_model():
    """The places that are not zero: data decide how many."""
    graph = Graph("places")
    graph.node("NonZero", [graph.input("x", [4])], output="places")
    graph.output("places", [1, "count"], INT64)
    return graph


def running_sum_model():
    """With state: what came in so far."""
    graph = Graph("running")
    graph.node("Add", [graph.input("x", [3]), graph.input("before", [3])], output="after")
    graph.node("Identity", ["after"], output="total")
    graph.output("after", [3])
    graph.output("total", [3])
    return graph


def line_model():
    """A line to fit, so small that its training can be done by hand."""
    graph = Graph("line")
    x = graph.input("x", ["batch", 2])
    graph.node("Gemm", [x, graph.weight("w", [1, 2], 0, 0), graph.weight("b", [1], 0, 0)], transB=1, output="y")
    graph.output("y", ["batch", 1])
    return graph


def unsupported_model():
    graph = Graph("unsupported")
    x = graph.input("x", [1, 4])
    graph.node("Frobnicate", [graph.node("Discombobulate", [x])], output="y")
    graph.output("y", [1, 4])
    return graph


MODELS = {"convnet": make_convnet, "sums": sum_model, "places": places_model, "running": running_sum_model, "line": line_model,
          "unsupported": unsupported_model}


class PackageTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="nacre-python-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def model(self, name):
        """The path of one of MODELS."""
        path = self.path(name + ".onnx")
        if not os.path.exists(path):
            MODELS[name]().save(path)
        return path

    def call(self, *command, status=0, **options):
        """What a program said, after checking its exit status."""
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True,
                              errors="replace", timeout=options.pop("timeout", COMMAND_SECONDS), **options)
        self.assertEqual(done.returncode, status, f"{' '.join(map(str, command))}\n{done.stdout}")
        return done.stdout

    def assert_says(self, kind, words, function, *arguments, **keywords):
        """The call raises `kind`, with this message to the letter."""
        with self.assertRaises(kind) as caught:
            function(*arguments, **keywords)
        self.assertEqual(str(caught.exception), words)
        return caught.exception
