#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random layers of 8-bit integers give the bits of a scalar reference, on GPUs and on every CPU that has code of its own for them.

Why:  these sums have one right answer, and each instruction set comes to it in another way: pairs of bytes in 16 bits, groups of
      four in 32, tiles of two rows, transformed tiles. Errors are at the ends of types, in rests of vectors and in paddings.
How:  200 QLinearConv and QLinearMatMul (qlinear_layers.py) and 100 layers of TensorFlow Lite (tflite_layers.py), ten outputs of one
      model each. A sample runs one model of each format on each CPU.
"""
import os
import platform
import shutil
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: needs numpy")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import qlinear_layers
import tflite_layers

LAYERS = 10  # of a model
COUNTS = {qlinear_layers: 200, tflite_layers: 100}
QEMU_ARM64 = shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT)
IS_X86_64 = platform.machine() == "x86_64"


def host_features():
    with open("/proc/cpuinfo", encoding="ascii") as file:
        return next((set(line.split()) for line in file if line.startswith("flags")), set())


class IntegerLayers(nacre.NacreTest):
    """Compiles models of layers for `target` and `cpu`, runs each on all of `runs_on`, and compares all outputs."""

    target, cpu, runs_on, place = "host", "", ("this machine",), "cpu"
    layers = None

    def compile_and_compare(self, number):
        model = self.layers.Model(range(number * LAYERS, (number + 1) * LAYERS))
        path, library = self.path("layers" + model.suffix), self.path("liblayers.so")
        model.save(path)
        self.call(os.path.join(nacre.BIN, "nacre-compile"), path, "-o", library, f"--target={self.target}", f"--place={self.place}", *([f"--cpu={self.cpu}"] * bool(self.cpu)))
        inputs = []
        for name, array in model.fed.items():
            np.save(self.path(name + ".npy"), array)
            inputs.append(f"--input={name}={self.path(name + '.npy')}")
        for machine in self.runs_on:
            folder = self.path(machine)
            os.mkdir(folder)
            self.run_on(machine, library, f"--output={folder}", *inputs)
            for name, wanted in model.wanted.items():
                self.compare(np.load(os.path.join(folder, name + ".npy")), wanted, f"{name} on {machine}: {model.about[name]}")

    def compare(self, got, wanted, what):
        self.assertEqual((got.dtype, got.shape), (wanted.dtype, wanted.shape), what)
        differ = np.argwhere(got != wanted)
        if len(differ):
            first = tuple(differ[0])
            self.fail(f"{what}\n{len(differ)} of {wanted.size} elements differ, the first at {first}: {got[first]}, expected {wanted[first]}")

    def run_on(self, machine, library, *options):
        if machine == "this machine":
            self.run_model(library, "--threads=2", *(["--gpu"] * (self.place != "cpu")), *options)
        elif "arm64" in self.target:
            self.run_arm64(library, *options, cpu=machine)
        else:
            self.call("qemu-x86_64", "-cpu", machine, os.path.join(nacre.BIN, "nacre-run"), library, *options)


def add_tests(name, why_not, **facts):
    """A class of tests for each format. `why_not` says why this machine cannot run them; empty if it can."""
    for layers, count in COUNTS.items():
        numbers = range(count // LAYERS)
        tests = {f"test_{n:02}": lambda self, n=n: self.compile_and_compare(n) for n in numbers}
        made = type(f"{name}{'Tflite' if layers is tflite_layers else 'QLinear'}Test", (IntegerLayers,), dict(facts, layers=layers, parts=len(numbers), **tests))
        globals()[made.__name__] = unittest.skipIf(why_not, why_not)(made)


def lacks(*features):
    missing = [feature for feature in features if feature not in host_features()]
    return f"needs an x86-64 CPU with {' '.join(missing)}" if missing else ""


def lacks_x86_64(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    return f"needs {missing[0]}" if missing else "" if IS_X86_64 else "needs an x86-64 host"


NO_ARM64 = "" if QEMU_ARM64 else "needs qemu-aarch64 and an arm64 sysroot"

add_tests("Native", "")
add_tests("Gpu", "", place="gpu")
add_tests("Split", "", place="split:50")
add_tests("X86V2", lacks_x86_64(), target="linux-x86_64", cpu="x86-64-v2")
add_tests("X86V3", lacks("avx2", "fma"), target="linux-x86_64", cpu="x86-64-v3")
add_tests("X86V4", lacks("avx512f", "avx512bw", "avx512vl"), target="linux-x86_64", cpu="x86-64-v4")
add_tests("X86Vnni", lacks("avx512f", "avx512_vnni"), target="linux-x86_64", cpu="cascadelake")
add_tests("X86AvxVnni", lacks_x86_64(), target="linux-x86_64", cpu="alderlake", runs_on=("this machine",) if not lacks("avx_vnni") else ())
add_tests("X86Variants", lacks_x86_64("qemu-x86_64"), target="linux-x86_64", cpu="cascadelake,x86-64-v3,x86-64-v2",
          runs_on=("Nehalem", "Haswell", "this machine"))
add_tests("CortexA53", NO_ARM64, target="linux-arm64", cpu="cortex-a53", runs_on=("cortex-a53",))
add_tests("CortexA55", NO_ARM64, target="linux-arm64", cpu="cortex-a55", runs_on=("max",))
add_tests("CortexA76", NO_ARM64, target="linux-arm64", cpu="cortex-a76", runs_on=("cortex-a76",))
add_tests("CortexA710", NO_ARM64, target="linux-arm64", cpu="cortex-a710", runs_on=("max",))
add_tests("Arm64Variants", NO_ARM64, target="linux-arm64", cpu="cortex-a53,cortex-a76,cortex-a710", runs_on=("cortex-a53", "cortex-a76", "max"))

if __name__ == "__main__":
    unittest.main()
