#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what compiling and running the bench models may cost, against fixed limits; exits with 1 if one is exceeded.

What: for each model the time and peak memory of nacre-compile, equal bytes with 1 and 2 jobs, and the peak memory of
      nacre-run; for a chain of 4,000 nodes the time against one of 2,000.
Why:  compile time and memory must stay linear in the model, and an app must be able to budget for a model.
"""
import argparse
import filecmp
import os
import sys
import time

import rivals

sys.path.insert(0, os.path.join(rivals.ROOT, "samples", "models"))
from onnx_writer import Graph  # noqa: E402

MIB = 1 << 20
COMPILE_SECONDS = 20
RUN_OVERHEAD = 8 * MIB
CHAIN_RATIO = 2.2


class Limits:
    """A table of figures with their limits."""

    def __init__(self):
        self.exceeded = 0

    def check(self, what, figure, limit, unit):
        verdict = "ok" if figure <= limit else "EXCEEDED"
        self.exceeded += figure > limit
        print(f"| {what} | {figure:.2f} | {limit:.2f} | {unit} | {verdict} |", flush=True)


def timed(*command):
    """(seconds, peak bytes) of a program that must succeed."""
    begin = time.monotonic()
    child = os.spawnvp(os.P_NOWAIT, command[0], list(map(str, command)))
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        raise rivals.Failure(f"{' '.join(map(str, command))} ended with {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - begin, usage.ru_maxrss * 1024


def check_model(model, limits):
    os.makedirs(os.path.join(model.work, "host"), exist_ok=True)
    seconds, peak = timed(model.program("nacre-compile"), model.path, "-o", model.library())
    limits.check(f"{model.name}: compile", seconds, COMPILE_SECONDS, "s")
    limits.check(f"{model.name}: compile, peak", peak / MIB, 3 * os.path.getsize(model.path) / MIB + 400, "MiB")

    copies = []
    for jobs in (1, 2):  # one folder each: the file's name is part of the library
        os.makedirs(os.path.join(model.work, f"jobs{jobs}"), exist_ok=True)
        copies.append(os.path.join(model.work, f"jobs{jobs}", os.path.basename(model.library())))
        timed(model.program("nacre-compile"), model.path, "-o", copies[-1], f"--jobs={jobs}")
    limits.check(f"{model.name}: bytes differ between 1 and 2 jobs", float(not filecmp.cmp(*copies, shallow=False)), 0, "")
    for copy in copies:
        os.remove(copy)

    figures = model.benchmark(threads=1, seconds=0.2)
    allowed = rivals.read_model(model.path).live_initializer_bytes() + figures["arena_bytes"] + RUN_OVERHEAD
    limits.check(f"{model.name}: run, peak", figures["peak_rss_mb"], allowed / MIB, "MiB")


def elementwise_chain(graph, x, length):
    """Additions and ReLUs in turn: one long kernel, or several."""
    bias = graph.weight("bias", [1, 64], -1, 1)
    for index in range(length):
        x = graph.node("Relu", [x]) if index % 2 else graph.node("Add", [x, bias])
    return x


def dense_chain(graph, x, length):
    """Dense layers, each with weights of its own, and ReLUs: as many launches as layers."""
    for index in range(length // 2):
        x = graph.node("Relu", [graph.node("Gemm", [x, graph.kernel(f"w{index}", [64, 64])], transB=1)])
    return x


def check_chain(make, arguments, limits):
    work = os.path.join(os.path.abspath(arguments.work), "chain")
    os.makedirs(work, exist_ok=True)
    seconds = {}
    for length in (2000, 4000):
        path = os.path.join(work, f"{length}.onnx")
        graph = Graph("chain")
        last = make(graph, graph.input("x", [1, 64]), length)
        graph.node("Identity", [last], output="y")
        graph.output("y", [1, 64])
        graph.save(path)
        program = os.path.join(os.path.abspath(arguments.bin), "nacre-compile")
        seconds[length] = min(timed(program, path, "-o", os.path.join(work, "libchain.so"))[0] for _ in range(3))
    limits.check(f"{make.__name__.replace('_', ' ')}: 4,000 nodes ({seconds[4000]:.2f} s) against 2,000",
                 seconds[4000] / seconds[2000], CHAIN_RATIO, "x")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    arguments = parser.parse_args()
    limits = Limits()
    print("| what | figure | limit | unit | |")
    print("|---|--:|--:|---|---|")
    try:
        for model in rivals.selected(arguments):
            check_model(model, limits)
        for chain in (elementwise_chain, dense_chain):
            check_chain(chain, arguments, limits)
    except rivals.Failure as failure:
        sys.exit(str(failure))
    return 1 if limits.exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
