#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What placement predicts for each bench model on each shipped device, and how good its predictions are on this machine.

What: a table of predicted milliseconds with the CPU alone and with --place=auto; fails where auto is predicted to be slower.
      With --code, each model is compiled on each device as well: fails where the GPU has a share of what it has no code for, or
      where a report predicts anything else than placement did.
      With --measure, each launch's predicted time on each engine of this machine, one thread each, against the time that
      nacre-run measures; fails where the ranks or the errors are worse than required.
Why:  a GPU that makes a model slower is worse than none; and a prediction is worth what it says about a machine at hand.
How:  the place phase alone, with --report. For --measure nacre-tune writes a profile of this machine first (or --device names
      one), and nacre-run --profile tells the median time of some runs; a machine without a GPU plays one with lavapipe.
"""
import argparse
import json
import os
import re
import statistics
import sys

import rivals

HOST = "lavapipe-host"
PROFILES = os.path.join(rivals.ROOT, "compiler", "place", "profiles")
# us, share, times, engine, kind, kernel, nodes
ROW = re.compile(r"^\s*([\d.]+)\s+[\d.]+%\s+\d+\s+(\S+)\s+(\w+)\s+(\S+)\s+(.*)$")
LEAST_CORRELATION, MOST_ERROR = 0.9, 0.25
# Below this a launch's time is that of the clock and the call.
LEAST_MICROSECONDS = 5


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.add_argument("--devices", help="comma-separated profiles (default: all that are shipped)")
    parser.add_argument("--gpu-precision", default="fp32")
    parser.add_argument("--code", action="store_true", help="compile what is placed, and compare both reports")
    parser.add_argument("--measure", action="store_true", help="compare predictions with measurements on this machine")
    parser.add_argument("--engines", default="cpu,gpu", help="with --measure, which (default: cpu,gpu)")
    parser.add_argument("--device", help="with --measure, a profile of this machine (default: nacre-tune writes one)")
    parser.add_argument("--runs", type=int, default=5, help="with --measure, of each model (default: 5)")
    parser.add_argument("--verbose", action="store_true", help="with --measure, print every launch")
    return parser.parse_args()


def shipped(model):
    return [line.split()[0] for line in rivals.call(model.program("nacre-compile"), "--device=list").splitlines()]


def place(model, device, *options):
    """The report of the place phase."""
    os.makedirs(model.work, exist_ok=True)
    report = os.path.join(model.work, "place.json")
    rivals.call(model.program("nacre-compile"), model.path, "--compile-to=place", "-o", os.path.join(model.work, "place.mlir"),
                f"--device={device}", f"--report={report}", *options)
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def faults_of_code(model, device, placed, *options):
    """What the report of a whole compilation says against that of placement, which predicted."""
    model.compile("host", f"--device={device}", *options)
    with open(model.report(), encoding="utf-8") as file:
        report = json.load(file)
    for name in ("predicted_ms", "predicted_cpu_only_ms", "predicted_meetings"):
        if report[name] != placed[name]:
            yield f"{name} was {placed[name]}, but is {report[name]}"
    for row in report["launches"]:
        if row["gpu_share"] > 0 and "predicted_gpu_ms" not in row:
            yield f"{row['kernel']} is the GPU's, which has no code for it: {row['gpu_declined']}"


def predict(models, arguments):
    devices = arguments.devices.split(",") if arguments.devices else shipped(models[0])
    print(f"{'device':20} {'model':20} {'cpu ms':>10} {'gpu ms':>10} {'auto ms':>10} {'auto/cpu':>9} {'meetings':>9}")
    slower = faults = 0
    for device in devices:
        for model in models:
            precision = f"--gpu-precision={arguments.gpu_precision}"
            auto = place(model, device, "--place=auto", precision)
            gpu = place(model, device, "--place=gpu", precision)
            # The compiler's own figure of the CPU alone, asked for in a compilation of its own.
            cpu = place(model, device, "--place=cpu", precision)["predicted_ms"]
            print(f"{device:20} {model.name:20} {cpu:10.3f} {gpu['predicted_ms']:10.3f} {auto['predicted_ms']:10.3f} "
                  f"{auto['predicted_ms'] / cpu:9.3f} {auto['predicted_meetings']:9}")
            for fault in faults_of_code(model, device, auto, "--place=auto", precision) if arguments.code else ():
                faults += 1
                print(f"  {fault}: {device}, {model.name}", file=sys.stderr)
            # The CPU is not left for a few percent.
            if auto["predicted_ms"] > min(cpu * (1 + 1e-6), gpu["predicted_ms"] * 1.031):
                slower += 1
                print(f"  slower than an engine alone: {device}, {model.name}", file=sys.stderr)
    print(f"{slower} of {len(devices) * len(models)} are predicted to be slower than the CPU or the GPU alone")
    if arguments.code:
        print(f"{faults} faults between placement and code")
    return slower + faults == 0


def one_thread_profile(model, arguments):
    """The path of a profile of this machine, but with one thread."""
    os.makedirs(arguments.work, exist_ok=True)
    tuned = arguments.device or os.path.join(os.path.abspath(arguments.work), "tuned.json")
    if not arguments.device:
        rivals.call(model.program("nacre-tune"), f"--base={os.path.join(PROFILES, HOST + '.json')}", "-o", tuned, env=one_each())
    with open(tuned, encoding="utf-8") as file:
        profile = json.load(file)
    profile["cpu"]["threads"] = 1
    path = os.path.join(os.path.abspath(arguments.work), "one-thread.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(profile, file)
    return path


def one_each():
    return dict(os.environ, LP_NUM_THREADS="1")


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0] * len(values)
    for rank, index in enumerate(order):
        result[index] = rank
    return result


def measure_launches(model, device, engine, runs):
    """[(predicted us, measured us, kind, kernel)] of one iteration of each launch."""
    model.compile("host", f"--device={device}", f"--place={engine}")
    with open(model.report(), encoding="utf-8") as file:
        predicted = {(row["kernel"], row["nodes"]): row for row in json.load(file)["launches"]}
    rows = []
    table = rivals.call(model.program("nacre-run"), model.library(), "--profile", "--threads=1", f"--runs={runs}",
                        *(["--gpu"] if engine == "gpu" else []), env=one_each())
    for line in table.splitlines():
        match = ROW.match(line)
        row = match and match.group(2) == engine and predicted.get((match.group(4), match.group(5).strip()))
        if row:
            measured = float(match.group(1)) / row["iterations"]
            if measured >= LEAST_MICROSECONDS:
                rows.append((row[f"predicted_{engine}_ms"] * 1e3, measured, row["kind"], row["kernel"]))
    return rows


def compare(models, engine, device, arguments):
    everything = []
    for model in models:
        rows = measure_launches(model, device, engine, arguments.runs)
        if not rows:
            continue
        everything += rows
        total = sum(row[0] for row in rows) / sum(row[1] for row in rows)
        print(f"{engine} {model.name:20} {len(rows):4} launches, predicted / measured {total:5.2f}")
        if arguments.verbose:
            for predicted, measured, kind, kernel in sorted(rows, key=lambda row: -row[1]):
                print(f"    {predicted:10.1f} {measured:10.1f} us {predicted / measured:6.2f} {kind:12} {kernel}")
    if len(everything) < 3:
        sys.exit("there are too few launches to compare")
    rank = statistics.correlation(ranks([row[0] for row in everything]), ranks([row[1] for row in everything]))
    error = statistics.median(abs(row[0] / row[1] - 1) for row in everything)
    good = rank >= LEAST_CORRELATION and error <= MOST_ERROR
    print(f"{engine}: {len(everything)} launches: rank correlation {rank:.3f} (at least {LEAST_CORRELATION}), "
          f"median error {error:.0%} (at most {MOST_ERROR:.0%}): {'ok' if good else 'MISS'}")
    for kind in sorted({row[2] for row in everything}):
        of_kind = [row for row in everything if row[2] == kind]
        print(f"  {kind:12} {len(of_kind):4}: median predicted / measured {statistics.median(p / m for p, m, *_ in of_kind):.2f}")
    return good


def measure(models, arguments):
    rivals.ask_for_real_time()
    device = one_thread_profile(models[0], arguments)
    return all([compare(models, engine, device, arguments) for engine in arguments.engines.split(",")])


def main():
    arguments = parse_arguments()
    models = rivals.selected(arguments)
    try:
        good = measure(models, arguments) if arguments.measure else predict(models, arguments)
    except rivals.Failure as failure:
        sys.exit(str(failure))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
