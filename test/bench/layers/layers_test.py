#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers take no more arm64 instructions, and no more predicted cycles of a Cortex-A76, than layers.json says.

Why:  a pass that spills registers or loses an unrolled loop gives right answers. Times are noisy and cannot decide a test; instructions that are
      counted and cycles that LLVM's analyser computes are the same in each run.
How:  each layer is a network. qemu counts what its kernels execute (arm64_cycles.py), on one thread. More than 1 % above the recorded figures
      is a failure, and so is less than 90 %: either the kernels' instructions are not found, or the gain must be recorded, so that it
      is kept. If a change makes a layer slower for a good reason, or faster, record it:
      test/bench/layers/layers_test.py --bin=build/release/bin --write
"""
import argparse
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.dirname(HERE)
sys.path[:0] = [BENCH, os.path.join(os.path.dirname(os.path.dirname(BENCH)), "samples", "models")]
import arm64_cycles
import rivals
from onnx_writer import Graph, _tensor

RECORDED = os.path.join(HERE, "layers.json")
SKIP = 77
MOST, LEAST = 1.01, 0.9
CPU, CORE = "cortex-a76", "neoverse-n1"
UINT8, INT8 = 2, 3


def convolution(graph, real, name, outputs, inputs, kernel, size, groups=1):
    weight = graph.kernel(name + "_w", [outputs, inputs // groups, kernel, kernel])
    graph.node("Conv", [real, weight], output="y", pads=[kernel // 2] * 4, group=groups)
    graph.output("y", [1, outputs, size, size])


def pointwise(graph):
    convolution(graph, graph.input("x", [1, 96, 28, 28]), "c", 96, 96, 1, 28)


def winograd(graph):
    convolution(graph, graph.input("x", [1, 64, 28, 28]), "c", 64, 64, 3, 28)


def depthwise(graph):
    convolution(graph, graph.input("x", [1, 96, 28, 28]), "c", 96, 96, 3, 28, groups=96)


def row_by_matrix(graph):
    graph.node("Gemm", [graph.input("x", [1, 512]), graph.weight("w", [512, 512], -1, 1)], output="y")
    graph.output("y", [1, 512])


def attention(graph):
    queries, keys, values = (graph.input(name, dims) for name, dims in (("q", [4, 64, 32]), ("k", [4, 32, 64]), ("v", [4, 64, 32])))
    weights = graph.node("Softmax", [graph.node("MatMul", [queries, keys])], axis=-1)
    graph.node("MatMul", [weights, values], output="y")
    graph.output("y", [4, 64, 32])


def gelu(graph):
    real = graph.input("x", [64, 256])
    half = graph.node("Mul", [real, graph.constant("half", [], [.5])])
    error = graph.node("Erf", [graph.node("Mul", [real, graph.constant("root", [], [math.sqrt(.5)])])])
    graph.node("Mul", [half, graph.node("Add", [error, graph.constant("one", [], [1])])], output="y")
    graph.output("y", [64, 256])


def bytes_of(layer):
    """A convolution between QuantizeLinear and DequantizeLinear, whose input and output are codes."""
    outputs, inputs, kernel, groups = layer

    def build(graph):
        def facts(name, scale, element):
            graph.initializers += [_tensor(name + "_scale", 1, [], struct.pack("<f", scale)), _tensor(name + "_zero", element, [], b"\0")]
            return [name + "_scale", name + "_zero"]

        codes = bytes(graph.random.randrange(256) for _ in range(outputs * inputs // groups * kernel * kernel))
        graph.initializers.append(_tensor("w", INT8, [outputs, inputs // groups, kernel, kernel], codes))
        real = graph.node("DequantizeLinear", [graph.input("x", [1, inputs, 28, 28], UINT8), *facts("x", .02, UINT8)])
        weight = graph.node("DequantizeLinear", ["w", *facts("w", .01, INT8)])
        sums = graph.node("Conv", [real, weight], pads=[kernel // 2] * 4, group=groups)
        graph.node("QuantizeLinear", [sums, *facts("y", .2, UINT8)], output="y")
        graph.output("y", [1, outputs, 28, 28], UINT8)

    return build


LAYERS = {"pointwise": pointwise, "winograd": winograd, "depthwise": depthwise, "row_by_matrix": row_by_matrix, "attention": attention, "gelu": gelu,
          "pointwise_int8": bytes_of((96, 96, 1, 1)), "depthwise_int8": bytes_of((96, 96, 3, 96))}


class Layer:
    """A network of one layer, as arm64_cycles.py measures it."""

    inputs = ()

    def __init__(self, name, binaries, work):
        self.name, self.bin, self.work = name, binaries, work
        graph = Graph(name)
        LAYERS[name](graph)
        self.path = os.path.join(work, name + ".onnx")
        graph.save(self.path)

    def program(self, name):
        return os.path.join(self.bin, name)

    def report(self, _target):
        return os.path.join(self.work, self.name + ".json")

    def compile(self, target, *options):
        library = os.path.join(self.work, f"lib{self.name}.so")
        rivals.call(self.program("nacre-compile"), self.path, "-o", library, f"--target={target}", f"--report={self.report(target)}", "--quiet", *options)
        return library


def measure(name, binaries, work):
    arguments = argparse.Namespace(bin=binaries, cpu=CPU, for_cpu=CPU, cpu_precision="fp32")
    kernels = [kernel for kernel in arm64_cycles.measure(Layer(name, binaries, work), arguments) if kernel.kind]
    for kernel in kernels:
        kernel.analyse([CORE])
    return {"instructions": sum(kernel.counts["all"] for kernel in kernels), "cycles": round(sum(kernel.cycles[CORE] for kernel in kernels))}


def compare(measured, recorded):
    for name in sorted(set(measured) ^ set(recorded)):
        yield f"{name}: is only {'measured' if name in measured else 'recorded'}; record all layers with --write"
    for name in sorted(set(measured) & set(recorded)):
        for what, count in measured[name].items():
            before = recorded[name][what]
            if not LEAST * before <= count <= MOST * before:
                yield f"{name}: {count:,} {what}, but {before:,} are recorded"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, help="folder of the programs")
    parser.add_argument("--write", action="store_true", help="record what is measured")
    arguments = parser.parse_args()
    binaries = os.path.abspath(arguments.bin)
    needed = [os.path.join(binaries, name) for name in ("nacre-run-arm64", "qemu_insn_count.so")]
    missing = [path for path in needed if not os.path.exists(path)] + [tool for tool in ("qemu-aarch64", "llvm-mca-22", "llvm-objdump-22") if not shutil.which(tool)]
    if missing:
        print("skipped: needs", ", ".join(missing))
        return SKIP
    with tempfile.TemporaryDirectory() as work:
        measured = {name: measure(name, binaries, work) for name in LAYERS}
    if not all(count for figures in measured.values() for count in figures.values()):
        sys.exit("no instructions of the kernels were found")
    if arguments.write:
        with open(RECORDED, "w", encoding="utf-8") as file:
            file.write(json.dumps(measured, indent=1) + "\n")
        return 0
    with open(RECORDED, encoding="utf-8") as file:
        recorded = json.load(file)
    for name, figures in measured.items():
        print(f"{name}: {figures['instructions']:,} instructions, {figures['cycles']:,} cycles")
    problems = list(compare(measured, recorded))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (rivals.Failure, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
