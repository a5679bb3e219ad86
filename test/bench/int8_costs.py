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
from tables import Table

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

    def add(self, bytes_or_seconds, ratio, limit):
        self.cells += [bytes_or_seconds] * bool(bytes_or_seconds)
        self.is_within = self.is_within and ratio <= limit
        self.cells.append((f"{ratio:.3f}" if limit < 1e3 else f"{ratio}") + (" EXCEEDED" if ratio > limit else ""))


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
    row.add(str(reports[int8]["weight_bytes"]), reports[int8]["weight_bytes"] / weights, WEIGHTS)
    row.add(str(reports[int8]["arena_bytes"]), reports[int8]["arena_bytes"] / reports[fp32]["arena_bytes"], ARENA)
    row.add(f"{seconds[int8]:.2f}", seconds[int8] / seconds[fp32], COMPILE)
    if name in ANDROID:
        row.add("", compiled(int8, target="android-arm64")[0]["file_bytes"], ANDROID[name])
    else:
        row.cells.append("")
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.set_defaults(models=",".join(rivals.INT8_SNR))
    parser.add_argument("--cpu", default="", help="compile for this CPU instead of this machine's")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", help="also write the table to this file, for int8_page.py")
    arguments = parser.parse_args()
    table = Table(["model", "weights, bytes", f"of the model's (limit {WEIGHTS})", "arena, bytes", f"of fp32's (limit {ARENA})", "compile s",
                   f"of fp32's (limit {COMPILE})", "Android, bytes"])
    is_within = True
    for name in arguments.models.split(","):
        try:
            row = row_of(name, arguments)
        except rivals.Failure as failure:
            sys.exit(str(failure))
        is_within = is_within and row.is_within
        table.add(*row.cells)
    if arguments.json:
        table.save(arguments.json, "int8 costs")
    return 0 if is_within else 1


if __name__ == "__main__":
    sys.exit(main())
