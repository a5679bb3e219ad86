#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far each bench model is from what this machine could do at most, and which launches lose the most.

What: for each launch the larger of its arithmetic over the FMA peak and its bytes over the bandwidth, added up; the model's
      time over that; and each contraction in a run against the smaller of its speed alone, when it is hot, and that of a
      plain read of its bytes. Fails where one is below 0.85 of that.
Why:  a time says nothing of what is left to gain; another runtime's time says only what somebody has gained.
How:  the compiler's report has the work of a launch, nacre-run's profile its time. Peak, bandwidth and profiles are measured
      in alternating rounds, and the best of each counts. A launch alone is the part of the model between its tensors.
"""
import argparse
import collections
import json
import os
import re
import sys
from dataclasses import dataclass

import rivals

REQUIRED = 0.85
SHOWN = 12


@dataclass
class Machine:
    """What it does at most, all threads together: a second."""
    flops: float = 0.0
    l2_bytes: float = 0.0
    l2_rate: float = 0.0
    last_bytes: float = 0.0
    last_rate: float = 0.0
    memory_rate: float = 0.0

    def seconds_of(self, size, holds):
        """To read or write `size` bytes that lie where `holds` bytes do."""
        return size / (self.l2_rate if holds <= self.l2_bytes else self.last_rate if holds <= self.last_bytes else
                       self.memory_rate)

    def take(self, flops, bandwidth):
        """Keeps the best of what was measured so far and of one more time."""
        self.flops = max(self.flops, flops)
        self.l2_bytes, self.last_bytes = bandwidth["l2_bytes"] * bandwidth["threads"], bandwidth["last_bytes"]
        for level in ("l2", "last", "memory"):
            setattr(self, f"{level}_rate", max(getattr(self, f"{level}_rate"), bandwidth[f"{level}_gbps"] * 1e9))


@dataclass
class Launch:
    """A row of the report, and the least time of all its iterations."""
    nodes: str
    kernel: str
    kind: str
    iterations: float
    direct: float  # flops, as they are written
    flops: float  # as the method has it: Winograd's products, where there are any
    weights: float  # bytes, of each iteration
    reads: float
    writes: float
    seconds: float = 0.0

    @staticmethod
    def of(row):
        weights, reads = row["weight_bytes"], row["read_bytes"]
        if row["kind"] == "indexed":  # of a table it reads what it gathers
            weights, reads = min(weights, row["written_bytes"]), min(reads, row["written_bytes"])
        return Launch(row["nodes"], row["kernel"], row["kind"], row["iterations"], row["flops"], row["executed_flops"], weights,
                      reads, row["written_bytes"])


@dataclass
class Limit:
    seconds: float
    bound: str


def seconds_of_bytes(launch, machine, model_bytes):
    """(of the first iteration, of each later one). `model_bytes`: all that a run touches; what lies in a cache from run to run is that or nothing of it."""
    activations = sum(machine.seconds_of(size, size) for size in (launch.reads, launch.writes))
    first = machine.seconds_of(launch.weights, max(model_bytes, launch.weights))
    # In a loop the weights are there from the iteration before, if they fit.
    later = machine.seconds_of(launch.weights, launch.weights)
    return first + activations, later + activations


def limit_of(launch, machine, model_bytes):
    arithmetic = launch.flops / machine.flops
    first, later = seconds_of_bytes(launch, machine, model_bytes)
    seconds = max(arithmetic, first) + (launch.iterations - 1) * max(arithmetic, later)
    if arithmetic >= (first if launch.iterations == 1 else later):
        return Limit(seconds, "arithmetic")
    return Limit(seconds, "weights" if launch.weights > launch.reads + launch.writes else "activations")


def class_of(launch, bound):
    """The row of the last table."""
    if launch.kind != "contraction":
        return launch.kind
    if launch.flops < launch.direct:
        return "convolutions by Winograd's method"
    if bound == "weights":
        return "contractions bound by their weights"
    few = 2 * 32  # products of an output: a window of 5x5 pixels of one channel, not of three
    return "depthwise convolutions" if launch.direct * 4 <= few * launch.writes else "contractions"


def possible(launch, hot_seconds, machine, model_bytes):
    """What a contraction could take in a run: as long as alone, or as its bytes."""
    first, later = seconds_of_bytes(launch, machine, model_bytes)
    return max(hot_seconds, first + (launch.iterations - 1) * later)


def read_profile(text):
    """{(kernel, nodes): [seconds, ...]}, from the rows `us share times engine kind kernel nodes` of nacre-run --profile."""
    times = collections.defaultdict(list)
    for line in text.splitlines():
        cells = line.split(maxsplit=6)
        if len(cells) >= 6 and cells[1].endswith("%"):
            times[cells[5], cells[6] if len(cells) > 6 else ""].append(float(cells[0]) * 1e-6)
    return times


def take_times(launches, times):
    """Puts the times of one more profile into launches. Those of one kernel and the same nodes are alike."""
    for key, seconds in times.items():
        alike = [launch for launch in launches if (launch.kernel, launch.nodes) == key]
        for launch, least in zip(alike, sorted(seconds)):
            launch.seconds = min(launch.seconds or least, least)


def bytes_of_run(report):
    return report["weight_bytes"] + report["arena_bytes"]


class Part:
    """The nodes of a launch, as a part of a model: what goes in, and what comes out."""

    def __init__(self, graph, launch):
        names = set(launch.nodes.split(", "))
        nodes = [node for node in graph.nodes if node.name in names]
        if not nodes:
            raise rivals.Failure(f"{launch.nodes}: the model has no nodes of that name")
        inside = {name for node in nodes for name in node.outputs} | graph.initializers.keys()
        self.inputs = list(dict.fromkeys(name for node in nodes for name in node.inputs if name and name not in inside))
        self.output = nodes[-1].outputs[0]

    def options(self, shapes):
        shaped = [f"--shape={name}={shapes[name]}" for name in self.inputs if shapes.get(name)]
        return [f"--input={name}" for name in self.inputs] + shaped + [f"--output={self.output}"]


def read_shapes(info):
    """{tensor: 1x2x3}, from the rows `name f32[1,2,3]` of nacre-run --info."""
    return {name: dims.replace(",", "x") for name, dims in re.findall(r"^  (\S+) \w+\[([\d,]*)\]$", info, re.MULTILINE)}


class Alone:
    """A contraction by itself, with few enough weights to stay in a cache from run to run."""

    def __init__(self, model, launch, options):
        self.model, self.launch, self.seconds = model, launch, None
        folder = os.path.join(model.work, "alone")
        os.makedirs(folder, exist_ok=True)
        self.library = os.path.join(folder, f"lib{launch.kernel}.so")
        report = os.path.join(folder, f"{launch.kernel}.json")
        rivals.call(model.program("nacre-compile"), model.path, "-o", self.library, f"--report={report}", *options)
        with open(report, encoding="utf-8") as file:
            rows = [Launch.of(row) for row in json.load(file)["launches"]]
        self.twins = [row for row in rows if row.kind == "contraction" and row.flops == launch.flops]
        if not self.twins:
            raise rivals.Failure(f"{launch.nodes}: alone it is another contraction")

    def measure(self, threads):
        text = rivals.call(self.model.program("nacre-run"), self.library, f"--threads={threads}", "--profile", "--min-seconds=0.1")
        take_times(self.twins, read_profile(text))
        self.seconds = min(twin.seconds / twin.iterations for twin in self.twins) * self.launch.iterations


class Subject:
    """A model, its launches and what was measured of it."""

    def __init__(self, model, arguments):
        self.model, self.arguments, self.seconds, self.alone, self.limits = model, arguments, float("inf"), {}, []
        options = [f"--cpu={arguments.cpu}"] if arguments.cpu else []
        model.compile("host", *options)
        with open(model.report(), encoding="utf-8") as file:
            self.report = json.load(file)
        self.launches = [Launch.of(row) for row in self.report["launches"]]
        if not arguments.no_contractions:
            self.find_contractions(options)

    def find_contractions(self, options):
        graph, parts = rivals.read_model(self.model.path), {}
        for launch in self.launches:
            if launch.kind == "contraction":
                parts.setdefault(launch.kernel, (Part(graph, launch), launch))
        shapes = self.find_shapes({name for part, _ in parts.values() for name in part.inputs} - {i.name for i in graph.inputs})
        for kernel, (part, launch) in parts.items():
            try:
                self.alone[kernel] = Alone(self.model, launch, options + part.options(shapes))
            except rivals.Failure as failure:
                print(f"note: {self.model.name}: {str(failure).splitlines()[-1]}", file=sys.stderr)

    def find_shapes(self, names):
        """Of tensors between launches: they are made outputs."""
        if not names:
            return {}
        library = os.path.join(self.model.work, "libtensors.so")
        rivals.call(self.model.program("nacre-compile"), self.model.path, "-o", library, *(f"--output={name}" for name in sorted(names)))
        return read_shapes(rivals.call(self.model.program("nacre-run"), library, "--info"))

    def measure(self):
        threads = self.arguments.threads
        text = rivals.call(self.model.program("nacre-run"), self.model.library(), *self.model.inputs, f"--threads={threads}", "--profile",
                           f"--min-seconds={self.arguments.seconds}")
        take_times(self.launches, read_profile(text))
        self.seconds = min(self.seconds, self.model.benchmark(threads, self.arguments.seconds)["min_ms"] * 1e-3)
        for alone in self.alone.values():
            alone.measure(threads)

    def print_launches(self, machine):
        rows = [(launch, limit_of(launch, machine, bytes_of_run(self.report))) for launch in self.launches]
        total = sum(limit.seconds for _, limit in rows)
        self.limits = rows
        print(f"\n### {self.model.name}: {self.seconds * 1e3:.3f} ms, limit {total * 1e3:.3f} ms, {self.seconds / total:.2f} of it\n")
        print("| launch | kind | kernel | ms | limit | ratio | bound by | lost of all |")
        print("|---|---|---|--:|--:|--:|---|--:|")
        rows.sort(key=lambda row: row[1].seconds - row[0].seconds)
        for launch, limit in rows[:self.arguments.most]:
            ratio = f"{launch.seconds / limit.seconds:.2f}" if limit.seconds else "-"
            print(f"| {launch.nodes} | {launch.kind} | {launch.kernel} | {launch.seconds * 1e3:.4f} | {limit.seconds * 1e3:.4f} | {ratio} | "
                  f"{limit.bound} | {(launch.seconds - limit.seconds) / self.seconds:.1%} |")
        return self.seconds / total

    def print_contractions(self, machine):
        """The names of those that are slower than they must be."""
        rows = []
        for launch in self.launches:
            if alone := self.alone.get(launch.kernel) if launch.kind == "contraction" else None:
                model_bytes = bytes_of_run(self.report)
                rows.append((possible(launch, alone.seconds, machine, model_bytes) / launch.seconds, launch, alone.seconds,
                             possible(launch, 0, machine, model_bytes)))
        if not rows:
            return []
        rows.sort(key=lambda row: row[0])
        print(f"\n| contraction in a run | ms | alone, hot | its bytes | reached |\n|---|--:|--:|--:|--:|")
        for reached, launch, hot, streamed in rows[:self.arguments.most]:
            print(f"| {launch.nodes} | {launch.seconds * 1e3:.4f} | {hot * 1e3:.4f} | {streamed * 1e3:.4f} | {reached:.2f} |")
        below = [launch.nodes for reached, launch, _, _ in rows if reached < REQUIRED]
        print(f"\n{len(below)} of {len(rows)} contractions are below {REQUIRED} of what they could be")
        return below


def print_classes(subjects):
    """Of each class of launches what it takes of a run, and of that what is beyond the limit; the mean of all models."""
    taken, needed = collections.Counter(), collections.Counter()
    for subject in subjects:
        whole = sum(launch.seconds for launch in subject.launches) * len(subjects)
        for launch, limit in subject.limits:
            name = class_of(launch, limit.bound)
            taken[name] += launch.seconds / whole
            needed[name] += limit.seconds / whole
    print("\n| class | of a run | lost of a run | time over the limit |\n|---|--:|--:|--:|")
    for name, share in taken.most_common():
        print(f"| {name} | {share:.1%} | {share - needed[name]:.1%} | {share / needed[name]:.2f} |" if needed[name] else f"| {name} | {share:.1%} | - | - |")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3, help="of each measurement of a model")
    parser.add_argument("--cpu", help="as for nacre-compile (default: its own)")
    parser.add_argument("--most", type=int, default=SHOWN, help="rows of each table")
    parser.add_argument("--no-contractions", action="store_true", help="do not measure each contraction alone")
    return parser.parse_args()


def measure_machine(machine, arguments):
    folder = os.path.abspath(arguments.bin)
    peak = rivals.json_line(rivals.call(os.path.join(folder, "fma_peak")))["fma_gflops_1core"] * 1e9 * arguments.threads
    machine.take(peak, rivals.json_line(rivals.call(os.path.join(folder, "read_bandwidth"), arguments.threads)))


def main():
    arguments = parse_arguments()
    subjects = [Subject(model, arguments) for model in rivals.selected(arguments)]
    rivals.ask_for_real_time()
    machine = Machine()
    for iteration in range(arguments.rounds):
        measure_machine(machine, arguments)
        for subject in subjects:
            subject.measure()
        print(f"round {iteration + 1} of {arguments.rounds}", file=sys.stderr)
    print(f"{arguments.threads} thread(s): FMA peak {machine.flops / 1e9:.1f} GFLOP/s; reads {machine.memory_rate / 1e9:.1f} GB/s from memory, "
          f"{machine.last_rate / 1e9:.1f} from the last level ({machine.last_bytes / 2**20:.0f} MiB), {machine.l2_rate / 1e9:.1f} from the second "
          f"({machine.l2_bytes / 2**10:.0f} KiB)")
    ratios, below = {}, []
    for subject in subjects:
        ratios[subject.model.name] = subject.print_launches(machine)
        below += subject.print_contractions(machine)
    print_classes(subjects)
    print("\n| model | time over the limit |\n|---|--:|")
    for name, ratio in ratios.items():
        print(f"| {name} | {ratio:.2f} |")
    return 1 if below else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except rivals.Failure as error:
        sys.exit(str(error))
