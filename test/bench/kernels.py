#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GFLOP/s of each contraction kernel, as a share of the FMA peak that one core reached in the same run, hot and cold.

What: one-layer models of the shapes that networks are made of; convolutions directly, and how much faster by Winograd. Cold: the
      caches were filled with something else before each run, as they are by a network's other layers; in brackets the share of
      what would be possible, the hot time or that of a plain read of the weights from memory, whichever is longer.
Why:  the share tells how much is left to gain, on any machine, whatever its clock does; and a layer whose weights no cache
      holds should wait for memory or multiply, not the one after the other.
How:  nacre-run's profile gives a launch's own time, without the layout changes of a one-layer model. Peak and kernels are
      measured in alternating rounds; the best of each counts. A convolution's image has been through a launch that transposes
      it, and is warm; the left operand of a GEMM is cold, too.
"""
import argparse
import json
import os
import sys
from dataclasses import dataclass
from typing import Callable

import rivals

sys.path.insert(0, os.path.join(rivals.ROOT, "samples", "models"))
from onnx_writer import Graph  # noqa: E402

REQUIRED_SHARE = 0.85


@dataclass
class Row:
    name: str
    make: Callable
    flops: float
    weights: int
    required: bool


def gemm(m, n, k, required=True):
    def make(graph):
        graph.output(graph.node("MatMul", [graph.input("x", [m, k]), graph.kernel("w", [k, n])], output="y"), [m, n])
    return Row(f"GEMM {m}x{n}x{k}", make, 2.0 * m * n * k, n * k, required)


def convolution(size, channels, out, kernel, stride=1, required=True):
    result = (size - 1) // stride + 1

    def make(graph):
        x = graph.input("x", [1, channels, size, size])
        weight = graph.kernel("w", [out, channels, kernel, kernel])
        graph.node("Conv", [x, weight], output="y", kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4)
        graph.output("y", [1, out, result, result])
    name = f"{size}x{size}x{channels} {kernel}x{kernel}" + f"/{stride}" * (stride > 1) + f" to {out}"
    weights = out * channels * kernel * kernel
    return Row(name, make, 2.0 * result * result * weights, weights, required)


def transposed(size, channels, out, kernel, pads=0, required=True):
    """Twice as many pixels each way."""
    result = (size - 1) * 2 + kernel - 2 * pads

    def make(graph):
        x = graph.input("x", [1, channels, size, size])
        weight = graph.weight("w", [channels, out, kernel, kernel], -1 / channels, 1 / channels)
        graph.node("ConvTranspose", [x, weight], output="y", kernel_shape=[kernel] * 2, strides=[2, 2], pads=[pads] * 4)
        graph.output("y", [1, out, result, result])
    name = f"{size}x{size}x{channels} transposed {kernel}x{kernel}/2 to {out}"
    weights = channels * out * kernel * kernel
    return Row(name, make, 2.0 * size * size * weights, weights, required)


ROWS = (gemm(1024, 1024, 1024), gemm(512, 512, 512), convolution(56, 64, 64, 3), convolution(28, 128, 128, 3),
        convolution(14, 256, 256, 3), convolution(56, 64, 256, 1), convolution(14, 512, 512, 1), convolution(7, 2048, 512, 1),
        convolution(56, 256, 512, 1, stride=2), convolution(7, 512, 512, 3, required=False),
        convolution(35, 96, 96, 3, required=False), convolution(224, 3, 64, 7, stride=2, required=False),
        transposed(32, 256, 128, 2), transposed(64, 128, 64, 4, pads=1), transposed(128, 64, 32, 2),
        transposed(128, 32, 16, 4, pads=1, required=False), transposed(32, 128, 64, 3, pads=1, required=False))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=rivals.BIN, help="folder of nacre-compile, nacre-run and fma_peak")
    parser.add_argument("--work", default=os.path.join(rivals.ROOT, "build", "bench", "kernels"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", default="native", help="as for nacre-compile")
    parser.add_argument("--json", help="also write every figure to this file")
    return parser.parse_args()


class Bench:
    def __init__(self, arguments):
        self.bin, self.work, self.cpu = os.path.abspath(arguments.bin), os.path.abspath(arguments.work), arguments.cpu
        os.makedirs(self.work, exist_ok=True)

    def peak(self):
        return rivals.json_line(rivals.call(os.path.join(self.bin, "fma_peak")))["fma_gflops_1core"]

    def bandwidth(self):
        """(bytes a second from memory, MiB that no cache holds)"""
        figures = rivals.json_line(rivals.call(os.path.join(self.bin, "read_bandwidth")))
        return figures["memory_gbps"] * 1e9, 4 * figures["last_bytes"] >> 20

    def compile(self, index, row, accuracy):
        path = os.path.join(self.work, f"row{index}.onnx")
        library = os.path.join(self.work, f"librow{index}_{accuracy}.so")
        graph = Graph(f"row{index}")
        row.make(graph)
        graph.save(path)
        rivals.call(os.path.join(self.bin, "nacre-compile"), path, "-o", library, f"--cpu={self.cpu}",
                    f"--accuracy={accuracy}")
        return library

    def milliseconds(self, library, evict=0):
        """The smallest time of the contraction itself, from the rows `us share times engine kind kernel nodes` of the profile."""
        table = rivals.call(os.path.join(self.bin, "nacre-run"), library, "--threads=1", "--profile", "--min-seconds=0.3",
                            f"--evict={evict}")
        rows = [line.split() for line in table.splitlines()]
        times = [float(row[0]) for row in rows if len(row) > 4 and row[4] == "contraction"]
        if not times:
            raise rivals.Failure(f"{library}: no launch of kind contraction in the profile")
        return sum(times) / 1e3


def main():
    arguments = parse_arguments()
    bench = Bench(arguments)
    libraries = [bench.compile(index, row, "strict") for index, row in enumerate(ROWS)]
    transformed = [bench.compile(index, row, "fast") for index, row in enumerate(ROWS)]
    best, cold, peak, rate = [float("inf")] * 2 * len(ROWS), [float("inf")] * len(ROWS), 0, 0
    for _ in range(arguments.rounds):
        peak = max(peak, bench.peak())
        measured, evict = bench.bandwidth()
        rate = max(rate, measured)
        for index, library in enumerate(libraries + transformed):
            best[index] = min(best[index], bench.milliseconds(library))
        for index, library in enumerate(libraries):
            cold[index] = min(cold[index], bench.milliseconds(library, evict))
    peak = max(peak, bench.peak())

    print(f"FMA peak of one core: {peak:.1f} GFLOP/s; reads {rate / 1e9:.1f} GB/s from memory\n")
    print("| kernel | ms | GFLOP/s | share of peak | cold GFLOP/s | Winograd |")
    print("|---|--:|--:|--:|--:|--:|")
    below = []
    for row, time, winograd, evicted in zip(ROWS, best, best[len(ROWS):], cold):
        possible = max(time, 4e3 * row.weights / rate)
        share = row.flops / time / 1e6 / peak
        gain = f"{time / winograd:.2f} x" if time > 1.1 * winograd else ""
        print(f"| {row.name} | {time:.4f} | {row.flops / time / 1e6:.1f} | {share:.0%} | "
              f"{row.flops / evicted / 1e6:.1f} ({possible / evicted:.0%}) | {gain} |")
        if row.required and share < REQUIRED_SHARE:
            below.append(row.name)
    print(f"\nbelow {REQUIRED_SHARE:.0%}: {', '.join(below) or 'none'}")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump([{"kernel": r.name, "ms": t, "cold_ms": c, "peak_gflops": peak} for r, t, c in zip(ROWS, best, cold)], file, indent=1)
    return 1 if below else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except rivals.Failure as error:
        sys.exit(str(error))
