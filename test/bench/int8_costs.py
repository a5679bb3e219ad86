#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what 8-bit models cost beside their float twins, against fixed limits; exits with 1 if one is exceeded.

What: bytes of weights in the library over those in the model, the arena and the compile time over the twin's, and the size of
      mobilenet_v2_int8 for Android with its default CPUs.
Why:  8 bits are chosen for size and memory as much as for speed.
How:  compile time is processor time, the least of --rounds alternating ones, so that other work disturbs little.
"""
import argparse
import json
import math
import os
import resource
import sys

import rivals

WEIGHTS, ARENA, COMPILE = 1.03, 0.30, 1.5
ANDROID = {"mobilenet_v2_int8": 4.2e6}


def compiled(model, *options, target="host"):
    """The report, and the processor time of the compiler in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    model.compile(target, *options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(model.report(target), encoding="utf-8") as file:
        return json.load(file), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Row:
    """A line of the table: each figure with its limit."""

    def __init__(self, name):
        self.cells, self.is_within = [name], True

    def add(self, figure, limit, text):
        self.is_within = self.is_within and figure <= limit
        self.cells.append(text + (" EXCEEDED" if figure > limit else ""))


def row_of(name, arguments):
    int8, fp32 = rivals.Model(name, arguments), rivals.Model(name[:-len("_int8")], arguments)
    options = [f"--cpu={arguments.cpu}"] if arguments.cpu else []
    seconds = {int8: math.inf, fp32: math.inf}
    reports = {}
    for _ in range(arguments.rounds):
        for model in (int8, fp32):
            reports[model], taken = compiled(model, *options)
            seconds[model] = min(seconds[model], taken)
    row = Row(name)
    weights = rivals.read_model(int8.path).live_initializer_bytes()
    ratio = reports[int8]["weight_bytes"] / weights
    row.add(ratio, WEIGHTS, f"{reports[int8]['weight_bytes']} | {ratio:.3f}")
    ratio = reports[int8]["arena_bytes"] / reports[fp32]["arena_bytes"]
    row.add(ratio, ARENA, f"{reports[int8]['arena_bytes']} | {ratio:.3f}")
    ratio = seconds[int8] / seconds[fp32]
    row.add(ratio, COMPILE, f"{seconds[int8]:.2f} | {ratio:.2f}")
    if name in ANDROID:
        size = compiled(int8, target="android-arm64")[0]["file_bytes"]
        row.add(size, ANDROID[name], str(size))
    else:
        row.cells.append("")
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.set_defaults(models=",".join(rivals.INT8_SNR))
    parser.add_argument("--cpu", default="", help="compile for this CPU instead of this machine's")
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    print(f"| model | weights, bytes | of the model's (limit {WEIGHTS}) | arena, bytes | of fp32's (limit {ARENA}) | compile s | of fp32's (limit {COMPILE}) "
          "| Android, bytes |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    is_within = True
    for name in arguments.models.split(","):
        try:
            row = row_of(name, arguments)
        except rivals.Failure as failure:
            sys.exit(str(failure))
        is_within = is_within and row.is_within
        print("| " + " | ".join(row.cells) + " |", flush=True)
    return 0 if is_within else 1


if __name__ == "__main__":
    sys.exit(main())
