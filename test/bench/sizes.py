#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks how large the libraries of the bench models are, against fixed limits; exits with 1 if one is exceeded.

What: 1.03 times the model's own weights and 300 KiB for the CPU alone, 500 KiB with GPU code; and what the bytes are.
Why:  apps are downloaded: what is not the model is ours.
How:  the compiler's report says what weights, machine code and shaders come to; the rest is the runtime, tables and padding.
"""
import argparse
import json
import os
import sys

import rivals

KIB = 1 << 10
WEIGHTS_RATIO = 1.03
BEYOND = {"cpu": 300 * KIB, "gpu": 500 * KIB}


def measure(model, place):
    """The report, and the bytes of the library."""
    folder = os.path.join(model.work, f"size-{place}")
    os.makedirs(folder, exist_ok=True)
    library, report = os.path.join(folder, f"lib{model.name}.so"), os.path.join(folder, "report.json")
    rivals.call(model.program("nacre-compile"), model.path, "-o", library, f"--report={report}", f"--place={place}")
    with open(report, encoding="utf-8") as file:
        return json.load(file), os.path.getsize(library)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    arguments = parser.parse_args()
    exceeded = 0
    print("| model | place | library KiB | limit KiB | | weights, as they are packed | machine code | shaders | packed | the rest |")
    print("|---|---|--:|--:|---|--:|--:|--:|--:|--:|")
    for model in rivals.selected(arguments):
        weights = rivals.read_model(model.path).live_initializer_bytes()
        for place, beyond in BEYOND.items():
            try:
                report, size = measure(model, place)
            except rivals.Failure as failure:
                sys.exit(str(failure))
            limit = WEIGHTS_RATIO * weights + beyond
            exceeded += size > limit
            parts = [report["weight_bytes"], report["code_bytes"], report["gpu_code_bytes"], report["gpu_packed_bytes"]]
            rest = size - parts[0] - parts[1] - parts[3]
            print(f"| {model.name} | {place} | {size / KIB:.0f} | {limit / KIB:.0f} | {'ok' if size <= limit else 'EXCEEDED'} | " +
                  " | ".join(f"{part / KIB:.0f}" for part in (*parts, rest)) + " |", flush=True)
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
