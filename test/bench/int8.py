#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speed of 8-bit models against ONNX Runtime's 8 bits and against our own fp32, in one run.

What: compiles each model in both forms, checks the answers, then runs all in alternating rounds with the same threads and inputs.
Why:  an 8-bit model must be faster than its float twin, and than the same file elsewhere.
How:  as bench.py. --cpu compiles for another CPU and hides from ONNX Runtime what that one lacks. The stored answers are of its
      exact kernels. Exits with 1 if ours differ from them by more than ONNX Runtime's two readings of the file do.
"""
import argparse
import math
import sys

import hidden_features
import rivals
from tables import Table

WHO = ("int8", "fp32", "ort")


class Pair:
    """An 8-bit model and its float twin."""

    def __init__(self, name, arguments):
        self.name = name
        self.int8, self.fp32 = rivals.Model(name, arguments), rivals.Model(name[:-len("_int8")], arguments)

    def prepare(self, arguments, ort_options):
        self.ort_options = ort_options
        options = [f"--cpu={arguments.cpu}"] if arguments.cpu else []
        for model in (self.int8, self.fp32):
            if not arguments.no_compile:
                model.compile("host", *options)
        self.snr, self.same_class = self.int8.agreement()

    @property
    def agrees(self):
        return self.snr >= rivals.INT8_SNR[self.name] and self.same_class

    def benchmark(self, who, threads, seconds):
        """The median of one measurement, ms."""
        if who == "ort":
            return self.int8.benchmark_ort(threads, seconds, **self.ort_options)["median_ms"]
        return getattr(self, who).benchmark(threads, seconds)["median_ms"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.set_defaults(models=",".join(rivals.INT8_SNR))
    parser.add_argument("--cpu", default="", help="compile for this CPU instead of this machine's")
    parser.add_argument("--threads", default="1,2", help="comma-separated numbers of threads")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--no-compile", action="store_true", help="take the libraries of the last time")
    parser.add_argument("--json", help="also write the table to this file, for int8_page.py")
    return parser.parse_args()


def measure(pairs, threads, arguments):
    """{(model, threads, who): smallest median, ms}"""
    best = {}
    for iteration in range(arguments.rounds):
        for pair in pairs:
            for count in threads:
                for who in WHO if iteration % 2 == 0 else reversed(WHO):
                    key = (pair.name, count, who)
                    best[key] = min(pair.benchmark(who, count, arguments.seconds), best.get(key, math.inf))
        print(f"round {iteration + 1} of {arguments.rounds}", file=sys.stderr)
    return best


def tabulate(pairs, threads, best):
    """A table with a row for each model, and the geometric means."""
    heads = [f"{name} {t}T" for t in threads for name in ("int8 ms", "fp32 ms", "times as fast", "ort int8 ms", "to ort")]
    table = Table(["model", *heads, "dB to ort"])
    ratios = {t: [] for t in threads}
    for pair in pairs:
        cells = []
        for t in threads:
            ours, twin, theirs = (best[pair.name, t, who] for who in WHO)
            ratios[t].append(ours / theirs)
            cells += [f"{ours:.3f}", f"{twin:.3f}", f"{twin / ours:.2f}", f"{theirs:.3f}", f"{ours / theirs:.2f}"]
        table.add(pair.name, *cells, f"{pair.snr:.1f}")
    for t, values in ratios.items():
        table.note(f"geomean int8/ort {math.exp(sum(map(math.log, values)) / len(values)):.3f} at {t} thread{'s' * (t > 1)} (worst {max(values):.2f})")
    return table


def main():
    arguments = parse_arguments()
    threads = [int(t) for t in arguments.threads.split(",")]
    names = arguments.models.split(",")
    if unknown := [name for name in names if name not in rivals.INT8_SNR]:
        sys.exit(f"--models={','.join(unknown)}: not an 8-bit model; known: {', '.join(rivals.INT8_SNR)}")
    rivals.ask_for_real_time()
    pairs = [Pair(name, arguments) for name in names]
    try:
        ort_options = hidden_features.options_for(arguments.cpu, arguments)
        for pair in pairs:
            pair.prepare(arguments, ort_options)
            print(f"{pair.name}: compiled", file=sys.stderr)
        best = measure(pairs, threads, arguments)
    except rivals.Failure as failure:
        sys.exit(str(failure))

    table = tabulate(pairs, threads, best)
    strangers = [pair for pair in pairs if not pair.agrees]
    for pair in strangers:
        table.note(f"{pair.name}: {pair.snr:.1f} dB to ONNX Runtime's answer, expected {rivals.INT8_SNR[pair.name]}; largest element is "
                   f"{'the same' if pair.same_class else 'another one'}")
    if arguments.json:
        table.save(arguments.json, f"int8 {arguments.cpu or 'host'}")
    return 1 if strangers else 0


if __name__ == "__main__":
    sys.exit(main())
