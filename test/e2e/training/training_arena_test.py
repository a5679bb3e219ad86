#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arenas of the training cases against the largest sum of temporaries' bytes alive at one step, which no plan can beat.

The sum is recomputed from the dump of the schedule phase, by another program than the planner: each storage with its bytes rounded up to
the alignment, alive from the first to the last step that touches it, and for all of a loop where it comes from outside of it or from the iteration before.
"""
import math
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from training_cases import CASES, Case

RATIO = 1.05
ALIGNMENT = 64
BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i8": 1, "i32": 4, "i64": 8}

ENTRY = re.compile(r"plan\.entry @(\S+) attributes \{.*arena_bytes = (\d+)")
STORAGE = re.compile(r"(%\S+) = plan\.storage\s+temporary.* : memref<((?:\d+x)*)(\w+)>")
VIEW = re.compile(r"(%\S+) = plan\.view (%[\w#]+)")
LAUNCH = re.compile(r"plan\.launch @\S+?\((.*?)\)(?: into\((.*?)\))?[ {:]")
CONTROL = re.compile(r"plan\.(for|while|if|condition) ")


def names(text):
    return re.findall(r"%[\w#]+", text or "")


class Entry:
    def __init__(self, name, arena):
        self.name, self.arena = name, arena
        self.sizes, self.roots, self.touches = {}, {}, {}
        self.step, self.depth, self.open, self.loops = 0, 0, [], []

    def touch(self, name, writes):
        while name in self.roots:
            name = self.roots[name]
        if name in self.sizes:
            self.touches.setdefault(name, []).append((self.step, writes))

    def read(self, line):
        """Whether the entry goes on."""
        control = CONTROL.search(line)
        if match := STORAGE.search(line):
            name, dims, element = match.groups()
            size = math.prod(int(dim) for dim in dims.split("x") if dim) * BYTES[element]
            self.sizes[name] = -(-size // ALIGNMENT) * ALIGNMENT
        elif match := VIEW.search(line):
            self.roots[match.group(1)] = match.group(2)
        elif match := LAUNCH.search(line):
            for writes, text in enumerate(match.groups()):
                for name in names(text):
                    self.touch(name, bool(writes))
            self.step += 1
        elif control:
            for name in names(line.split("{")[0]):
                self.touch(name, False)
            if control.group(1) != "condition":
                self.open.append((self.depth, self.step, control.group(1) != "if"))
            self.step += 1
        self.depth += line.count("{") - line.count("}")
        if self.open and not control and self.depth <= self.open[-1][0]:
            _, begin, iterations = self.open.pop()
            if iterations:
                self.loops.append((begin, self.step))  # inner ones first
                self.step += 1
        return self.depth >= 0

    def peak(self):
        alive = [0] * (self.step + 1)
        for name, touches in self.touches.items():
            first, last = touches[0][0], touches[-1][0]
            for begin, end in self.loops:
                inside = [touch for touch in touches if begin <= touch[0] <= end]
                if inside and (len(inside) < len(touches) or not inside[0][1]):
                    first, last = min(first, begin), max(last, end)
            for step in range(first, last + 1):
                alive[step] += self.sizes[name]
        return max(alive)


def entries_of(path):
    with open(path, encoding="utf-8") as file:
        entry = None
        for line in file:
            if match := ENTRY.search(line):
                entry = Entry(match.group(1), int(match.group(2)))
            elif entry and not entry.read(line):
                yield entry
                entry = None


class TrainingArenaTest(nacre.NacreTest):
    def test_arenas(self):
        worst, entries = 0, 0
        for name in sorted(os.listdir(CASES)):
            for optimizer in ("sgd:momentum=0.9", "adam"):
                dump = self.path("plan.mlir")
                case = Case(name)
                self.call(os.path.join(nacre.BIN, "nacre-compile"), os.path.join(case.folder, "model.onnx"), "--quiet", *case.options(),
                          "--optimizer=" + optimizer, "--compile-to=schedule", "-o", dump)
                for entry in entries_of(dump):
                    peak = entry.peak()
                    self.assertLessEqual(entry.arena, RATIO * peak, f"{name}, {optimizer}, {entry.name}")
                    worst, entries = max(worst, entry.arena / peak if peak else 0), entries + 1
        print(f"{entries} entries, arenas of at most {worst:.3f} of the largest sum alive")
        self.assertGreaterEqual(entries, 240)


if __name__ == "__main__":
    if not os.path.isdir(CASES):
        print(f"SKIPPED: the cases are not beside the repository ({CASES})")
        sys.exit(77)
    unittest.main()
