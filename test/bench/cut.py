#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How close a cut comes to both engines' speeds added up, for a large product and a large convolution.

What: times a model on the CPU alone, on the GPU alone, and cut at shares around the one that balances them; prints the best
      against FACTOR / (1/Tcpu + 1/Tgpu), and ends with 1 where it is longer.
Why:  two engines that wait for one another, or for the same thread, gain nothing; this shows it without a phone.
How:  nacre-run --gpu-cut moves the cut of one and the same library. One thread for the CPU, one for lavapipe
      (LP_NUM_THREADS): each has a core of its own on a machine of two. The CPU's side is compiled for a CPU that brings the
      engines near one another. Rounds alternate; the best round's median of each counts, since others only ever take time away. Where this process may, it asks for real-time
      scheduling, so that other work on the machine disturbs little.
"""
import argparse
import os
import sys

import rivals

sys.path.insert(0, os.path.join(rivals.ROOT, "samples", "models"))
from kernels import convolution, gemm  # noqa: E402
from onnx_writer import Graph  # noqa: E402

ROWS = {"matmul": gemm(768, 768, 768), "convolution": convolution(28, 256, 256, 3)}
FACTOR, NEAR = 1.15, 3.0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=rivals.BIN, help="folder of nacre-compile and nacre-run")
    parser.add_argument("--work", default=os.path.join(rivals.ROOT, "build", "bench", "cut"))
    parser.add_argument("--cpu", default="silvermont", help="what the CPU's side is compiled for (default: silvermont: no AVX, and "
                        "scheduled for a small core)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3, help="of each measurement")
    parser.add_argument("--models", default=",".join(ROWS))
    parser.add_argument("--verbose", action="store_true", help="print every cut")
    return parser.parse_args()


class Bench:
    def __init__(self, arguments):
        self.arguments, self.bin = arguments, os.path.abspath(arguments.bin)
        self.work = os.path.abspath(arguments.work)
        os.makedirs(self.work, exist_ok=True)

    def compile(self, name):
        path, library = os.path.join(self.work, f"{name}.onnx"), os.path.join(self.work, f"lib{name}.so")
        graph = Graph(name)
        ROWS[name].make(graph)
        graph.save(path)
        rivals.call(os.path.join(self.bin, "nacre-compile"), path, "-o", library, "--place=split:50", "--accuracy=strict",
                    f"--cpu={self.arguments.cpu}")
        return library

    def milliseconds(self, library, percent):
        said = rivals.call(os.path.join(self.bin, "nacre-run"), library, "--benchmark", "--threads=1", f"--gpu-cut={percent}",
                           f"--min-seconds={self.arguments.seconds}", "--runs=3", env=dict(os.environ, LP_NUM_THREADS="1"))
        return rivals.json_line(said)["median_ms"]

    def sweep(self, library):
        """{percent: median ms}: the engines alone, then shares around the one that balances them."""
        times = {percent: [self.milliseconds(library, percent) for _ in range(2)] for percent in (0, 100)}
        balance = round(100 * min(times[0]) / (min(times[0]) + min(times[100])))
        cuts = [percent for percent in range(balance - 6, balance + 7, 2) if 0 < percent < 100]
        for _ in range(self.arguments.rounds):
            # The engines alone take part in every round: what slows the machine down slows all alike.
            for percent in (0, *cuts, 100):
                times.setdefault(percent, []).append(self.milliseconds(library, percent))
        return {percent: min(values) for percent, values in times.items()}


def report(name, row, times, verbose):
    cpu, gpu = times.pop(0), times.pop(100)
    best = min(times, key=times.get)
    bound = FACTOR / (1 / cpu + 1 / gpu)
    apart = max(cpu, gpu) / min(cpu, gpu)
    good = times[best] <= bound and apart <= NEAR
    print(f"| {name}: {row.name} | {cpu:.2f} | {gpu:.2f} | {apart:.1f} x | {best} % | {times[best]:.2f} | {bound:.2f} | "
          f"{times[best] * (1 / cpu + 1 / gpu):.2f} | {'ok' if good else 'MISS'} |")
    if verbose:
        for percent, time in sorted(times.items()):
            print(f"    {percent:3} % {time:8.2f} ms, {time * (1 / cpu + 1 / gpu):.2f} of both added up", file=sys.stderr)
    return good


def main():
    arguments = parse_arguments()
    rivals.ask_for_real_time()
    bench = Bench(arguments)
    good = True
    print(f"the CPU's side for {arguments.cpu}, one thread; one thread for lavapipe; milliseconds\n")
    print(f"| model | CPU | GPU | apart | best cut | cut | {FACTOR} / (1/CPU + 1/GPU) | of both added up | |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|---|")
    for name in arguments.models.split(","):
        good &= report(name, ROWS[name], bench.sweep(bench.compile(name)), arguments.verbose)
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except rivals.Failure as failure:
        sys.exit(str(failure))
