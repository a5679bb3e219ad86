# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bench models and the programs that are compared on them.

Where things are: BENCH_MODELS (default ~/bench-models) is the folder that shared/bench/make_models.sh filled: <model>.onnx,
io/<model>/input_<i>.npy and output_<i>.npy (ONNX Runtime's answers), and ort/ with ONNX Runtime for both machines.
Its folder int8 has the 8-bit twins, <model>_int8.onnx, that shared/bench/models/quantize.py wrote, in the same layout.
"""
import array
import glob
import json
import math
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "conformance"))
from readers import npy  # noqa: E402
from readers.onnx import read_model  # noqa: E402

FOLDER = os.environ.get("BENCH_MODELS", os.path.expanduser("~/bench-models"))
BIN = os.path.join(ROOT, "build", "release", "bin")
ARM64_SYSROOT = "/usr/aarch64-linux-gnu"

os.environ["NACRE_CACHE"] = "off"  # Scripts measure whole compilations, and compare the bytes of several.

# In the order of their work; the names of the files.
MODELS = ("mlp", "lenet", "alex_cifar10", "lstm512_b1", "mobilenet_v2", "squeezenet_rand", "bert_mini", "mobilenet_v1",
          "bvlc_alexnet_rand", "inception_v1_rand", "unet", "resnet50_rand", "lstm512_b64", "vgg19_rand")

# 8-bit twins of some of them, and the signal-to-noise ratio in dB that ours must have to ONNX Runtime's 8-bit answers: the
# ratio of ONNX Runtime's own two readings of each file, fused integers and floats as written (quantize.py prints it).
INT8_SNR = {"mobilenet_v2_int8": 32, "squeezenet_rand_int8": 54, "resnet50_rand_int8": 59, "inception_v1_rand_int8": 44, "bert_mini_int8": 40,
            "vgg19_rand_int8": 31}

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
        folder = os.path.join(FOLDER, "int8") if name in INT8_SNR else FOLDER
        self.path = os.path.join(folder, name + ".onnx")
        self.io = os.path.join(folder, "io", name)
        self.work = os.path.abspath(os.path.join(arguments.work, name))
        if not os.path.exists(self.path):
            quantize = f"shared/bench/models/quantize.py FOLDER {name[:-len('_int8')]} --out FOLDER/int8"
            script = quantize if name in INT8_SNR else MAKERS.get(name, "shared/bench/make_models.sh FOLDER")
            sys.exit(f"{self.path} is missing: run {script} and set BENCH_MODELS=FOLDER")
        graph = read_model(self.path)
        self.inputs = [f"--input={i.name}={self.io}/input_{n}.npy" for n, i in enumerate(graph.free_inputs())]
        self.output_names = [o.name for o in graph.outputs]
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
        """Compares with ONNX Runtime's stored answers; raises Failure with the worst element, or 8 bits' ratio of signal to noise."""
        if self.name in INT8_SNR:
            snr, same_class = self.agreement(runner, target)
            if snr < INT8_SNR[self.name] or not same_class:
                raise Failure(f"{self.name}: {snr:.1f} dB to ONNX Runtime's answer, expected {INT8_SNR[self.name]}; largest element "
                              f"{'is the same' if same_class else 'differs'}")
            return
        call(*(runner or [self.program("nacre-run")]), self.library(target), *self.inputs, *self.outputs, "--rtol=1e-3",
             "--atol=1e-4")

    def answers(self, runner=(), target="host"):
        """ONNX Runtime's stored answer and ours, for each output."""
        folder = os.path.join(self.work, target, "out")
        os.makedirs(folder, exist_ok=True)
        call(*(runner or [self.program("nacre-run")]), self.library(target), *self.inputs, f"--output={folder}")
        return [(read_floats(f"{self.io}/output_{n}.npy"), read_floats(os.path.join(folder, name.replace("/", "_") + ".npy")))
                for n, name in enumerate(self.output_names)]

    def agreement(self, runner=(), target="host"):
        """The least ratio of signal to noise of an output to ONNX Runtime's stored answer, dB; whether the largest elements agree."""
        answers = self.answers(runner, target)
        return (min(signal_to_noise(wanted, got) for wanted, got in answers),
                all(wanted.index(max(wanted)) == got.index(max(got)) for wanted, got in answers))

    def benchmark(self, threads, seconds):
        return json_line(call(self.program("nacre-run"), self.library(), *self.inputs, "--benchmark", f"--threads={threads}",
                              f"--min-seconds={seconds}"))

    def benchmark_ort(self, threads, seconds, library=None, **options):
        return json_line(call(self.program("ort_run"), "--lib", library or ort_library("x64"), "--threads", threads, "--runs", 100000,
                              "--max-seconds", seconds, "--data", self.io, self.path, **options))


    def benchmark_peer(self, program, threads, seconds):
        """By the driver of another runtime, as docs/benchmarks.md says of it: it finds its own form of the model."""
        return json_line(call(*shlex.split(program), "--threads", threads, "--runs", 100000, "--max-seconds", seconds,
                              "--data", self.io, self.path))


def read_floats(path):
    with open(path, "rb") as file:
        return array.array("f", npy.body(file.read()))


def signal_to_noise(wanted, got):
    """In dB; infinite if all numbers are equal."""
    if len(wanted) != len(got):
        raise Failure(f"an answer has {len(got)} elements, expected {len(wanted)}")
    noise = sum((a - b)**2 for a, b in zip(wanted, got))
    return 10 * math.log10(sum(a * a for a in wanted) / noise) if noise else math.inf


def largest_error(wanted, got):
    """Relative to the largest magnitude of the wanted numbers."""
    return max(abs(a - b) for a, b in zip(wanted, got)) / max(map(abs, wanted))


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
