#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speed against ONNX Runtime on the bench models: a table, and `geomean nacre/ort` for each number of threads.

What: compiles each model, checks its answers, then runs both in alternating rounds with the same threads and inputs.
Why:  interference only ever adds time, and comes in stretches: alternating rounds share it, the smallest median escapes it.
How:  a time is a whole run, from the model's own input layout to its own output layout.
"""
import argparse
import json
import math
import sys

import rivals


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.add_argument("--threads", default="1,2", help="comma-separated numbers of threads")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--no-compile", action="store_true", help="take the libraries of the last time")
    parser.add_argument("--json", help="also write every figure to this file")
    return parser.parse_args()


def prepare(models, arguments):
    for model in models:
        if not arguments.no_compile:
            model.compile()
        model.check()
        print(f"{model.name}: compiled, answers agree", file=sys.stderr)


def measure(models, threads, arguments):
    """{(model, threads, who): smallest median, ms}"""
    best = {}
    for turn in range(arguments.rounds):
        for model in models:
            for count in threads:
                both = [("nacre", model.benchmark), ("ort", model.benchmark_ort)]
                for who, benchmark in both if turn % 2 == 0 else reversed(both):
                    figure = benchmark(count, arguments.seconds)["median_ms"]
                    key = (model.name, count, who)
                    best[key] = min(figure, best.get(key, math.inf))
        print(f"round {turn + 1} of {arguments.rounds}", file=sys.stderr)
    return best


def main():
    arguments = parse_arguments()
    threads = [int(t) for t in arguments.threads.split(",")]
    models = rivals.selected(arguments)
    try:
        prepare(models, arguments)
        best = measure(models, threads, arguments)
    except rivals.Failure as failure:
        sys.exit(str(failure))

    print("| model |" + "".join(f" nacre {t}T ms | ort {t}T ms | ratio {t}T |" for t in threads))
    print("|---|" + "--:|--:|--:|" * len(threads))
    ratios = {t: [] for t in threads}
    for model in models:
        row = f"| {model.name} |"
        for t in threads:
            nacre, ort = best[model.name, t, "nacre"], best[model.name, t, "ort"]
            ratios[t].append(nacre / ort)
            row += f" {nacre:.3f} | {ort:.3f} | {nacre / ort:.2f} |"
        print(row)
    print()
    for t in threads:
        geomean = math.exp(sum(map(math.log, ratios[t])) / len(ratios[t]))
        print(f"geomean nacre/ort {geomean:.3f} at {t} thread{'s' * (t > 1)} (worst {max(ratios[t]):.2f})")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump([dict(model=m, threads=t, who=w, median_ms=v) for (m, t, w), v in best.items()], file, indent=1)


if __name__ == "__main__":
    main()
