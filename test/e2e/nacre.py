# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the end-to-end tests share: the programs under test and the models they make.

The environment, set by ctest, says where things are: NACRE_BIN, NACRE_LLVM_BIN. tools/check sets NACRE_SAMPLE unless it runs all.
"""
import glob
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "samples", "models"))
sys.path.append(os.path.join(ROOT, "test", "conformance"))
from make_convnet import make_convnet  # noqa: E402
from onnx_writer import Graph  # noqa: E402
from resident import Resident  # noqa: E402

BIN = os.environ.get("NACRE_BIN", os.path.join(ROOT, "build", "release", "bin"))
LLVM_BIN = os.environ.get("NACRE_LLVM_BIN", "/usr/lib/llvm-22/bin")
COMMAND_SECONDS = float(os.environ.get("NACRE_COMMAND_SECONDS", "1200"))
ARM64_SYSROOT = "/usr/aarch64-linux-gnu"


def is_in_sample(number, parts):
    """Whether the sample has this one of what is divided into parts; without NACRE_SAMPLE all are run."""
    sample = os.environ.get("NACRE_SAMPLE")
    return not sample or number % parts == int(sample) % parts


def relu_model():
    """One operator: what is left in its library is the runtime."""
    graph = Graph("relu")
    graph.node("Relu", [graph.input("x", [1, 64])], output="y")
    graph.output("y", [1, 64])
    return graph


def oddly_named_model():
    """relu_model with a node whose name JSON, C and UTF-8 each dislike a byte of."""
    graph = relu_model()
    graph.nodes[0] = graph.nodes[0].replace(b"relu_0", b'"\\\x01\xc3\xa9\xff')
    return graph


def dense_model():
    """One row by a wide weight: the widest panels there are."""
    graph = Graph("dense", seed=5)
    graph.node("MatMul", [graph.input("x", [1, 48]), graph.weight("w", [48, 600], -0.3, 0.3)], output="y")
    graph.output("y", [1, 600])
    return graph


def recurrent_model():
    """An LSTM over ten steps: a loop and state in the schedule."""
    steps, batch, size, hidden = 10, 1, 6, 32
    graph = Graph("recurrent", seed=3)
    x = graph.input("x", [steps, batch, size])
    weights = [graph.weight(name, [1, 4 * hidden, inner], -0.3, 0.3) for name, inner in (("w", size), ("r", hidden))]
    y = graph.node("LSTM", [x, *weights], output="states", hidden_size=hidden)
    graph.output(y, [steps, 1, batch, hidden])
    return graph


def unsupported_model():
    """Two operators that nobody knows."""
    graph = Graph("unsupported")
    x = graph.input("x", [1, 4])
    graph.node("Frobnicate", [graph.node("Discombobulate", [x])], output="y")
    graph.output("y", [1, 4])
    return graph


def doubles_model():
    """Exponentials of doubles, which SPIR-V lacks, between two convolutions."""
    graph = Graph("doubles", seed=9)
    x = graph.node("Conv", [graph.input("x", [1, 8, 64, 64]), graph.kernel("first", [32, 8, 3, 3])], pads=[1, 1, 1, 1])
    x = graph.node("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
    x = graph.node("Exp", [graph.node("Cast", [x], to=11)])
    x = graph.node("MaxPool", [graph.node("Cast", [x], to=1)], kernel_shape=[2, 2], strides=[2, 2])
    graph.node("Conv", [x, graph.kernel("second", [64, 32, 3, 3])], output="y", pads=[1, 1, 1, 1])
    graph.output("y", [1, 64, 16, 16])
    return graph


def only_doubles_model():
    """Nothing that a GPU has code for."""
    graph = Graph("only_doubles")
    x = graph.node("Exp", [graph.node("Cast", [graph.input("x", [1, 4096])], to=11)])
    graph.node("Cast", [x], to=1, output="y")
    graph.output("y", [1, 4096])
    return graph


MODELS = {"doubles": doubles_model, "only_doubles": only_doubles_model, "relu": relu_model, "convnet": make_convnet, "dense": dense_model, "recurrent": recurrent_model,
          "oddly_named": oddly_named_model, "unsupported": unsupported_model}


class NacreTest(unittest.TestCase):
    """A test with a folder of its own."""

    #: A sample (NACRE_SAMPLE) runs one test in so many, at least one of each class.
    parts = 1

    def setUp(self):
        names = unittest.defaultTestLoader.getTestCaseNames(type(self))
        if not is_in_sample(names.index(self._testMethodName), min(self.parts, len(names))):
            self.skipTest("not in this sample; tools/check --full runs it")
        folder = tempfile.TemporaryDirectory(prefix="nacre-e2e-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def call(self, *command, status=0, **options):
        """What the program said, after checking its exit status."""
        done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              text=True, errors="replace", timeout=COMMAND_SECONDS, **options)
        self.assertEqual(done.returncode, status, f"{' '.join(map(str, command))}\n{done.stdout}")
        return done.stdout

    def call_resident(self, *arguments, status=0):
        """What nacre-compile said, after checking its exit status, in a process that runs all command lines of the class: to start one takes
        longer than most compilations. The standard output is not to be read, and paths are absolute."""
        cls = type(self)
        if "resident_compile" not in cls.__dict__:
            cls.resident_compile = Resident(os.path.join(BIN, "nacre-resident-compile"), round(COMMAND_SECONDS), tempfile.gettempdir(), None)
            cls.addClassCleanup(cls.resident_compile.close)
        got, said = cls.resident_compile.run([str(argument) for argument in arguments])
        self.assertEqual(got, status, f"nacre-compile {' '.join(map(str, arguments))}\n{said}")
        return said

    def build_try(self):
        """Builds nacre-try, which is for phones, for this machine; returns its path."""
        path = self.path("nacre-try")
        if not os.path.exists(path):
            sources = [os.path.join(ROOT, "runtime", f"{name}.cpp") for name in ("inspect/content_sum", "inspect/dynamic_section", "inspect/elf_file",
                                                                               "inspect/library_check", "src/reason", "src/text")]
            sources += sorted(glob.glob(os.path.join(ROOT, "tools", "try", "*.cpp")) + glob.glob(os.path.join(ROOT, "tools", "measure", "*.cpp")))
            self.call(os.environ.get("CC", "cc"), "-w", "-I", ROOT, "-x", "c++", "-std=c++17", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", *sources,
                      "-x", "none", "-ldl", "-lpthread", "-o", path)
        return path

    def model(self, name):
        path = self.path(name + ".onnx")
        if not os.path.exists(path):
            MODELS[name]().save(path)
        return path

    def compile(self, name, *options, output=None, status=0):
        """Compiles one of MODELS; returns the library's path, or what was said where an error is expected."""
        output = output or self.path(f"lib{name}.so")
        said = self.call(os.path.join(BIN, "nacre-compile"), self.model(name), "-o", output, *options, status=status)
        return said if status else output

    def run_model(self, library, *options, status=0):
        return self.call(os.path.join(BIN, "nacre-run"), library, *options, status=status)

    def run_arm64(self, library, *options, environment=(), cpu="cortex-a76", status=0):
        settings = [item for pair in environment for item in ("-E", "=".join(pair))]
        return self.call("qemu-aarch64", "-L", ARM64_SYSROOT, "-cpu", cpu, *settings, os.path.join(BIN, "nacre-run-arm64"),
                         library, *options, status=status)

    def android_libraries(self):
        """A folder with what Android calls the C library, so that its models run here."""
        folder = self.path("android")
        os.makedirs(folder, exist_ok=True)
        for name, real in (("libc.so", "libc.so.6"), ("libm.so", "libm.so.6"), ("libdl.so", "libdl.so.2")):
            if not os.path.lexists(os.path.join(folder, name)):
                os.symlink(os.path.join(ARM64_SYSROOT, "lib", real), os.path.join(folder, name))
        return folder
