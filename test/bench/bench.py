#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speed against ONNX Runtime, and ncnn and MNN where their drivers are given, on the bench models: a table and geomeans.

What: compiles each model, checks its answers, then runs all in alternating rounds with the same threads and inputs.
Why:  interference only ever adds time, and comes in stretches: alternating rounds share it, the smallest median escapes it.
How:  a time is a whole run, from the model's own input layout to its own output layout. A peer that cannot run a model has
      no figure there; docs/benchmarks.md says what a driver is.
"""
import argparse
import json
import math
import sys

import rivals

PEERS = ("ncnn", "mnn")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.add_argument("--threads", default="1,2", help="comma-separated numbers of threads")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--no-compile", action="store_true", help="take the libraries of the last time")
    for peer in PEERS:
        parser.add_argument(f"--{peer}", metavar="PROGRAM", help="its driver, with arguments if it needs any")
    parser.add_argument("--json", help="also write every figure to this file")
    return parser.parse_args()


def prepare(models, arguments):
    for model in models:
        if not arguments.no_compile:
            model.compile()
        model.check()
        print(f"{model.name}: compiled, answers agree", file=sys.stderr)


def others_of(arguments):
    """The names of those that Nacre is compared with."""
    return ["ort"] + [peer for peer in PEERS if getattr(arguments, peer)]


def benchmark(model, who, threads, arguments):
    """The median of one measurement, ms; none where a peer cannot run the model."""
    if who == "nacre":
        return model.benchmark(threads, arguments.seconds)["median_ms"]
    if who == "ort":
        return model.benchmark_ort(threads, arguments.seconds)["median_ms"]
    try:
        return model.benchmark_peer(getattr(arguments, who), threads, arguments.seconds)["median_ms"]
    except rivals.Failure as failure:
        print(f"note: {who} has no figure of {model.name}: {str(failure).splitlines()[-1]}", file=sys.stderr)
        return None


def measure(models, threads, arguments):
    """{(model, threads, who): smallest median, ms}"""
    best, missing = {}, set()
    for iteration in range(arguments.rounds):
        for model in models:
            for count in threads:
                all_of_them = ["nacre"] + others_of(arguments)
                for who in all_of_them if iteration % 2 == 0 else reversed(all_of_them):
                    key = (model.name, count, who)
                    if key in missing:
                        continue
                    figure = benchmark(model, who, count, arguments)
                    if figure is None:
                        missing.add(key)
                    else:
                        best[key] = min(figure, best.get(key, math.inf))
        print(f"round {iteration + 1} of {arguments.rounds}", file=sys.stderr)
    return {key: figure for key, figure in best.items() if key not in missing}


def print_table(models, threads, others, best):
    """Prints a row for each model; {(other, threads): Nacre's time over its, for each model that it has}."""
    ratios = {(other, t): [] for t in threads for other in others + ["best"] * (len(others) > 1)}
    heads = [f" {name} {t}T |" for t in threads for name in
             ["nacre ms"] + [part for other in others for part in (f"{other} ms", f"to {other}")] + ["to the best"] * (len(others) > 1)]
    print("| model |" + "".join(heads))
    print("|---|" + "--:|" * len(heads))
    for model in models:
        row = f"| {model.name} |"
        for t in threads:
            nacre = best[model.name, t, "nacre"]
            row += f" {nacre:.3f} |"
            times = {other: best[model.name, t, other] for other in others if (model.name, t, other) in best}
            for other in others:
                if other in times:
                    ratios[other, t].append(nacre / times[other])
                    row += f" {times[other]:.3f} | {nacre / times[other]:.2f} |"
                else:
                    row += " - | - |"
            if len(others) > 1:
                ratios["best", t].append(nacre / min(times.values()))
                row += f" {nacre / min(times.values()):.2f} |"
        print(row)
    return ratios


def main():
    arguments = parse_arguments()
    threads = [int(t) for t in arguments.threads.split(",")]
    models = rivals.selected(arguments)
    try:
        prepare(models, arguments)
        best = measure(models, threads, arguments)
    except rivals.Failure as failure:
        sys.exit(str(failure))

    ratios = print_table(models, threads, others_of(arguments), best)
    print()
    for (other, t), values in ratios.items():
        if not values:
            print(f"nacre/{other}: no figures at {t} thread{'s' * (t > 1)}")
            continue
        geomean = math.exp(sum(map(math.log, values)) / len(values))
        of = f", {len(values)} of {len(models)} models" * (len(values) < len(models))
        print(f"geomean nacre/{other} {geomean:.3f} at {t} thread{'s' * (t > 1)} (worst {max(values):.2f}{of})")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump([dict(model=m, threads=t, who=w, median_ms=v) for (m, t, w), v in best.items()], file, indent=1)


if __name__ == "__main__":
    main()
