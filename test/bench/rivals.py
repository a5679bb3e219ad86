# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bench models and the programs that are compared on them.

Where things are: BENCH_MODELS (default ~/bench-models) is the folder that shared/bench/make_models.sh filled: <model>.onnx,
io/<model>/input_<i>.npy and output_<i>.npy (ONNX Runtime's answers), and ort/ with ONNX Runtime for both machines.
"""
import glob
import json
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "conformance"))
from readers.onnx import read_model  # noqa: E402

FOLDER = os.environ.get("BENCH_MODELS", os.path.expanduser("~/bench-models"))
BIN = os.path.join(ROOT, "build", "release", "bin")
ARM64_SYSROOT = "/usr/aarch64-linux-gnu"

# In the order of their work; the names of the files.
MODELS = ("mlp", "lenet", "alex_cifar10", "lstm512_b1", "mobilenet_v2", "squeezenet_rand", "bert_mini", "mobilenet_v1",
          "bvlc_alexnet_rand", "inception_v1_rand", "unet", "resnet50_rand", "lstm512_b64", "vgg19_rand")

MAKERS = {name: f"test/bench/make_{script}.py" for name, script in (("unet", "unet"), ("vit_tiny", "vit"), ("densenet121", "densenet"))}


def ask_for_real_time():
    """So that other work on the machine disturbs little; children inherit it."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    except (AttributeError, PermissionError):
        print("note: without real-time scheduling other work on this machine counts too", file=sys.stderr)


class Failure(Exception):
    """A program of a benchmark failed; the text is what it said."""


def call(*command, **options):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True,
                          **options)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}\nended with {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def json_line(text):
    """The JSON object a program printed as a line of its own."""
    return json.loads([line for line in text.splitlines() if line.startswith("{")][-1])


def add_arguments(parser):
    parser.add_argument("--bin", default=BIN, help="folder of nacre-compile, nacre-run and ort_run")
    parser.add_argument("--models", default=",".join(MODELS), help="comma-separated names")
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "bench"), help="folder for the compiled models")


class Model:
    """One bench model: its files and its compiled library."""

    def __init__(self, name, arguments):
        self.name, self.bin = name, os.path.abspath(arguments.bin)
        self.path = os.path.join(FOLDER, name + ".onnx")
        self.io = os.path.join(FOLDER, "io", name)
        self.work = os.path.abspath(os.path.join(arguments.work, name))
        if not os.path.exists(self.path):
            script = MAKERS.get(name, "shared/bench/make_models.sh FOLDER")
            sys.exit(f"{self.path} is missing: run {script} and set BENCH_MODELS=FOLDER")
        graph = read_model(self.path)
        self.inputs = [f"--input={i.name}={self.io}/input_{n}.npy" for n, i in enumerate(graph.free_inputs())]
        self.outputs = [f"--expect={o.name}={self.io}/output_{n}.npy" for n, o in enumerate(graph.outputs)]

    def program(self, name):
        return os.path.join(self.bin, name)

    def library(self, target="host"):
        return os.path.join(self.work, target, f"lib{self.name}.so")

    def report(self, target="host"):
        return os.path.join(self.work, target, "report.json")

    def compile(self, target="host", *options):
        os.makedirs(os.path.join(self.work, target), exist_ok=True)
        call(self.program("nacre-compile"), self.path, "-o", self.library(target), f"--target={target}",
             f"--report={self.report(target)}", *options)
        return self.library(target)

    def compile_to(self, phase):
        """The path of that phase's dump."""
        os.makedirs(self.work, exist_ok=True)
        dump = os.path.join(self.work, phase + ".mlir")
        call(self.program("nacre-compile"), self.path, "-o", dump, f"--compile-to={phase}")
        return dump

    def check(self, runner=(), target="host"):
        """Compares with ONNX Runtime's stored answers; raises Failure with the worst element."""
        call(*(runner or [self.program("nacre-run")]), self.library(target), *self.inputs, *self.outputs, "--rtol=1e-3",
             "--atol=1e-4")

    def benchmark(self, threads, seconds):
        return json_line(call(self.program("nacre-run"), self.library(), *self.inputs, "--benchmark", f"--threads={threads}",
                              f"--min-seconds={seconds}"))

    def benchmark_ort(self, threads, seconds):
        return json_line(call(self.program("ort_run"), "--lib", ort_library("x64"), "--threads", threads, "--runs", 100000,
                              "--max-seconds", seconds, "--data", self.io, self.path))


    def benchmark_peer(self, program, threads, seconds):
        """By the driver of another runtime, as docs/benchmarks.md says of it: it finds its own form of the model."""
        return json_line(call(*shlex.split(program), "--threads", threads, "--runs", 100000, "--max-seconds", seconds,
                              "--data", self.io, self.path))


def ort_library(machine):
    """libonnxruntime of npm's onnxruntime-node; ORT_X64 or ORT_ARM64 overrides."""
    named = os.environ.get(f"ORT_{machine.upper()}")
    found = [named] if named else glob.glob(os.path.join(
        FOLDER, "ort", "node_modules", "onnxruntime-node", "bin", "napi-v*", "linux", machine, "libonnxruntime.so.1"))
    if not found:
        sys.exit(f"ONNX Runtime for {machine} is missing: run shared/bench/make_models.sh, or set ORT_{machine.upper()}")
    return found[0]


def selected(arguments):
    return [Model(name, arguments) for name in arguments.models.split(",")]
