#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares each bench model's arena with the largest sum of temporaries' bytes alive at one step; exits with 1 above 1.15.

Why:  that sum is what no plan can beat; recomputed here from the dump of the schedule phase, by another program than the
      planner, and in logical bytes: without the halos and padded strides that storages have for the kernels' sake.
How:  1. kernels: the tensor that each one writes into each of its outputs, inside halos and slices;
      2. entry: storages, views, launches, and the first and last step that touches each temporary. A `plan.for` is one step.
"""
import argparse
import math
import re
import sys

import rivals

RATIO = 1.15
# Below this sum the arena's alignment, not its plan, is what would be measured.
LEAST_BYTES = 1 << 20
BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8}

SHAPED = re.compile(r"(?:tensor|memref)<((?:\d+x)*)(\w+)>")
KERNEL = re.compile(r"plan\.kernel @(\S+) \w+ \((.*?)\) into \((.*?)\) cut ")
INSERT = re.compile(r"(%\S+) = tensor\.insert_slice (%\S+) into (%\S+?)(\[[^]]*\]) (\[[^]]*\]) \[[^]]*\] : (\S+) into")
YIELD = re.compile(r"plan\.yield (.*?) :")
STORAGE = re.compile(r"(%\S+) = plan\.storage\s+(\w+).* : (memref<\S+>)")
VIEW = re.compile(r"(%\S+) = plan\.view (%[\w#]+)")
LAUNCH = re.compile(r"plan\.launch @(\S+?)\((.*?)\)(?: into\((.*?)\))?[ {:]")


def bytes_of(shaped_type):
    dims, element = SHAPED.match(shaped_type).groups()
    return math.prod(int(d) for d in dims.split("x") if d) * BYTES[element]


def names(text):
    return re.findall(r"%[\w#]+", text or "")


class Kernels:
    """What each kernel writes: {kernel: one (place, bytes) for each output}; place tells slices of one storage apart."""

    def __init__(self):
        self.written = {}
        self.name, self.inserts = None, {}

    def read(self, line):
        if match := KERNEL.search(line):
            self.name, self.inserts = match.group(1), {}
            self.types = dict(re.findall(r"(%\w+): (tensor<[^>]*>)", match.group(3)))
        elif match := INSERT.search(line):
            result, source, _, offsets, sizes, source_type = match.groups()
            self.inserts[result] = (source, offsets + sizes, source_type)
        elif self.name and (match := YIELD.search(line)):
            self.written[self.name] = [self.target(value, argument) for value, argument in
                                       zip(names(match.group(1)), self.types)]
            self.name = None

    def target(self, value, argument):
        """Follows the insertions inwards: the last source is the tensor itself, the first place is where it lies."""
        place, size = "", bytes_of(self.types[argument])
        while value in self.inserts:
            value, where, source_type = self.inserts[value]
            place, size = place or where, bytes_of(source_type)
        return place, size


class Entry:
    """Steps and the temporaries they touch."""

    def __init__(self, kernels):
        self.kernels, self.storages, self.roots = kernels, {}, {}
        self.depth, self.loop_depth, self.step = 0, None, 0
        self.uses, self.parts = {}, {}

    def read(self, line):
        if match := STORAGE.search(line):
            if match.group(2) == "temporary":
                self.storages[match.group(1)] = bytes_of(match.group(3))
        elif match := VIEW.search(line):
            self.roots[match.group(1)] = self.root(match.group(2))
        elif match := LAUNCH.search(line):
            self.step += self.loop_depth is None
            self.launch(*match.groups())
        elif "plan.for" in line and self.loop_depth is None:
            self.loop_depth = self.depth
            self.step += 1
        self.depth += line.count("{") - line.count("}")
        if self.loop_depth is not None and self.depth <= self.loop_depth and "plan.for" not in line:
            self.loop_depth = None

    def root(self, name):
        return self.roots.get(name, name)

    def launch(self, kernel, inputs, outputs):
        for name in names(inputs) + names(outputs):
            root = self.root(name)
            if root in self.storages:
                first, _ = self.uses.get(root, (self.step, self.step))
                self.uses[root] = (first, self.step)
        for name, (place, size) in zip(names(outputs), self.kernels.written[kernel]):
            root = self.root(name)
            # A view is a part of its own: a loop writes one row of its storage at a time.
            whole = name != root
            self.parts.setdefault(root, {})[place] = self.storages.get(root, 0) if whole else size

    def peak(self):
        logical = {root: min(sum(parts.values()), self.storages[root]) for root, parts in self.parts.items() if root in self.storages}
        alive = [0] * (self.step + 2)
        for root, (first, last) in self.uses.items():
            for step in range(first, last + 1):
                alive[step] += logical.get(root, 0)
        return max(alive)


def read_dump(path):
    """(arena bytes, largest sum of logical bytes) of the one entry of a dump."""
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    kernels, arena, entry = Kernels(), 0, None
    for line in lines:
        kernels.read(line)
    for line in lines:
        if match := re.search(r"plan\.entry @.*arena_bytes = (\d+)", line):
            arena, entry = int(match.group(1)), Entry(kernels)
        elif entry and line.startswith("}"):
            return arena, entry.peak()
        elif entry:
            entry.read(line)
    raise rivals.Failure(f"{path} has no entry with an arena")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    arguments = parser.parse_args()
    above = 0
    print("| model | arena | largest sum alive | ratio |")
    print("|---|--:|--:|--:|")
    for model in rivals.selected(arguments):
        try:
            arena, peak = read_dump(model.compile_to("schedule"))
        except rivals.Failure as failure:
            sys.exit(str(failure))
        judged = peak >= LEAST_BYTES
        above += judged and arena > RATIO * peak
        print(f"| {model.name} | {arena} | {peak} | {arena / peak:.3f}{'' if judged else ' (below 1 MiB)'} |" if peak else
              f"| {model.name} | {arena} | 0 | - |")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
