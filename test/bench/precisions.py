#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time and error of --cpu-precision on this machine, beside fp32 and ONNX Runtime.

What: compiles each bench model twice, and runs both libraries and ONNX Runtime (fp32) in alternating rounds.
Why:  a precision is chosen for its speed, and costs digits; both belong in one table.
How:  as bench.py: a time is the smallest median of whole runs. The error is that of the output with the least ratio of signal to
      noise to ONNX Runtime's stored answer, and of the largest element's part.
"""
import argparse
import math
import os
import sys

import rivals


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.add_argument("--cpu-precision", choices=("fp16", "bf16"), default="bf16", help="of values and weights")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    return parser.parse_args()


def largest_error(model):
    """The largest error of an output's element, as a part of its largest element."""
    return max(max(abs(a - b) for a, b in zip(wanted, got)) / max(map(abs, wanted)) for wanted, got in model.answers())


def compile_both(name, arguments):
    """The model compiled in fp32 and in the other precision."""
    single = rivals.Model(name, arguments)
    single.compile()
    single.check()
    narrow = rivals.Model(name, argparse.Namespace(**{**vars(arguments), "work": os.path.join(arguments.work, arguments.cpu_precision)}))
    narrow.compile("host", f"--cpu-precision={arguments.cpu_precision}")
    return single, narrow


def measure(single, narrow, arguments):
    """The smallest medians of ONNX Runtime, fp32 and the other precision, ms."""
    runs = [lambda: single.benchmark_ort(arguments.threads, arguments.seconds), lambda: single.benchmark(arguments.threads, arguments.seconds),
            lambda: narrow.benchmark(arguments.threads, arguments.seconds)]
    best = [math.inf] * len(runs)
    for iteration in range(arguments.rounds):
        for index in range(len(runs)) if iteration % 2 == 0 else reversed(range(len(runs))):
            best[index] = min(best[index], runs[index]()["median_ms"])
    return best


def main():
    arguments = parse_arguments()
    word = arguments.cpu_precision
    print(f"| model | ort ms | fp32 ms | {word} ms | {word} / fp32 | {word} / ort | SNR, dB | largest error |\n|---|" + "--:|" * 7)
    ratios = []
    for name in arguments.models.split(","):
        try:
            single, narrow = compile_both(name, arguments)
            ort, fp32, other = measure(single, narrow, arguments)
            ratios.append((other / fp32, other / ort))
            print(f"| {name} | {ort:.3f} | {fp32:.3f} | {other:.3f} | {other / fp32:.2f} | {other / ort:.2f} | {narrow.agreement()[0]:.1f} | {largest_error(narrow):.1e} |",
                  flush=True)
        except rivals.Failure as failure:
            sys.exit(str(failure))
    means = [math.exp(sum(math.log(pair[side]) for pair in ratios) / len(ratios)) for side in (0, 1)]
    print(f"\ngeomean {word} / fp32 {means[0]:.2f}, {word} / ort {means[1]:.2f}")


if __name__ == "__main__":
    main()
