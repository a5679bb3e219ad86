#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops and branches that a run decides, against the same loops in Python.

Why:  what is carried lies in memory that iterations write over; which value may be written where is decided kernel by kernel, and a
      wrong answer shows only with the right number of iterations.
How:  ONNX models whose trip counts, conditions and states are inputs: on the CPU, on arm64 under qemu, on a GPU, half on each,
      with no iteration, one iteration and several. Numbers are small integers as floats, so that answers are exact.
"""
import array
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import BOOL, FLOAT, INT64, Graph, _tensor

CODES = {FLOAT: "f", INT64: "q", BOOL: "b"}
CPU, GPU, HALF = (), ("--place=gpu",), ("--place=split:50",)


def add(graph, a, b, output=None):
    return graph.node("Add", [a, b], output)


def body(name, carried, dims=(4,), counter="iteration"):
    """A body that begins as ONNX's loops do: the iteration's number, the condition, what is carried."""
    graph = Graph(name)
    graph.input(counter, [], INT64)
    graph.input(name + "_on", [], BOOL)
    for value in carried:
        graph.input(value, list(dims))
    graph.output(graph.node("Identity", [name + "_on"], name + "_go"), [], BOOL)
    return graph


def swap_model():
    """Two values change places, and a third is their sum."""
    iteration = body("body", ["a", "b", "c"])
    iteration.node("Identity", ["b"], "a_next")
    iteration.node("Identity", ["a"], "b_next")
    add(iteration, add(iteration, "a", "b"), "c", "c_next")
    for name in ("a_next", "b_next", "c_next"):
        iteration.output(name, [4])
    graph = Graph("swap")
    graph.input("iterations", [], INT64)
    for name in ("x", "y"):
        graph.input(name, [4])
    graph.node("Loop", ["iterations", "", "x", "y", "x"], ["p", "q", "r"], body=iteration)
    for name in ("p", "q", "r"):
        graph.output(name, [4])
    return graph


def swap(iterations, x, y):
    a, b, c = x, y, x
    for _ in range(iterations):
        a, b, c = b, a, [i + j + k for i, j, k in zip(a, b, c)]
    return {"p": a, "q": b, "r": c}


def until_model():
    """Doubles until the sum is beyond a limit. The rows of all iterations are stacked, and what was before, too."""
    iteration = Graph("body")
    iteration.input("iteration", [], INT64)
    iteration.input("on", [], BOOL)
    iteration.input("a", [4])
    add(iteration, "a", "a", "a_next")
    iteration.node("Less", [iteration.node("ReduceSum", ["a_next"], keepdims=0), "limit"], "go")
    iteration.node("Identity", ["a"], "before")
    iteration.output("go", [], BOOL)
    for name in ("a_next", "a_next_row", "before"):
        iteration.output(name, [4])
    iteration.node("Identity", ["a_next"], "a_next_row")
    graph = Graph("until")
    graph.input("limit", [])
    graph.input("x", [4])
    graph.node("Less", [graph.node("ReduceSum", ["x"], keepdims=0), "limit"], "first")
    graph.integers("most", [6])
    graph.node("Loop", ["most", "first", "x"], ["last", "rows", "befores"], body=iteration)
    graph.output("last", [4])
    graph.output("rows", ["iterations", 4])
    graph.output("befores", ["iterations", 4])
    return graph


def until(limit, x):
    rows, befores = [], []
    while sum(x) < limit and len(rows) < 6:
        befores.append(x)
        x = [2 * value for value in x]
        rows.append(x)
    return {"last": x, "rows": sum(rows, []), "befores": sum(befores, [])}


def shift_model():
    """The last four of what was scanned from behind, moved on by one in each iteration; only if a number is greater than a limit."""
    then = Graph("then")
    then.node("Concat", [then.node("Slice", ["a", "one", "four", "axes"]), "x"], "moved", axis=0)
    then.output("moved", [4])
    stay = Graph("else")
    stay.node("Identity", ["a"], "stayed")
    stay.output("stayed", [4])
    iteration = Graph("body")
    iteration.input("a", [4])
    iteration.input("x", [1])
    iteration.node("Squeeze", [iteration.node("Greater", ["x", "limit"])], "is_greater")
    iteration.node("If", ["is_greater"], "a_next", then_branch=then, else_branch=stay)
    iteration.node("Identity", ["a_next"], "row")
    iteration.output("a_next", [4])
    iteration.output("row", [4])
    graph = Graph("shift")
    graph.input("limit", [1])
    graph.input("state", [4])
    graph.input("xs", [12, 1])
    for name, value in (("one", 1), ("four", 4), ("axes", 0)):
        graph.integers(name, [value])
    graph.node("Scan", ["state", "xs"], ["last", "rows"], body=iteration, num_scan_inputs=1, scan_input_directions=[1],
               scan_output_directions=[1])
    graph.output("last", [4])
    graph.output("rows", [12, 4])
    return graph


def shift(limit, state, xs):
    rows = []
    for x in reversed(xs):
        if x > limit:
            state = state[1:] + [x]
        rows.insert(0, state)
    return {"last": state, "rows": sum(rows, [])}


def nested_model():
    """A loop in a loop in a branch: both counts are inputs, and the inner one's iterations read what the outer one carries."""
    inner = body("inner", ["c"], counter="inner_iteration")
    add(inner, add(inner, "c", "a"), inner.node("Cast", ["inner_iteration"], to=FLOAT), "c_next")
    inner.output("c_next", [4])
    outer = body("outer", ["a"], counter="outer_iteration")
    outer.node("Loop", ["n", "", "x"], "sum", body=inner)
    add(outer, "sum", outer.node("Cast", ["outer_iteration"], to=FLOAT), "a_next")
    outer.output("a_next", [4])
    then = Graph("then")
    then.node("Loop", ["m", "", "x"], "looped", body=outer)
    then.output("looped", [4])
    otherwise = Graph("else")
    otherwise.node("Neg", ["x"], "negative")
    otherwise.output("negative", [4])
    graph = Graph("nested")
    graph.input("m", [], INT64)
    graph.input("n", [], INT64)
    graph.input("wanted", [], BOOL)
    graph.input("x", [4])
    graph.node("If", ["wanted"], "y", then_branch=then, else_branch=otherwise)
    graph.output("y", [4])
    return graph


def nested(m, n, wanted, x):
    if not wanted:
        return {"y": [-value for value in x]}
    a = x
    for i in range(m):
        c = x
        for j in range(n):
            c = [p + q + j for p, q in zip(c, a)]
        a = [value + i for value in c]
    return {"y": a}


def branch_model():
    """One branch has ten products, the other one none."""
    then = Graph("then")
    value = "x"
    for layer in range(10):
        value = then.node("MatMul", [value, "w"], f"product_{layer}")
    then.output(value, [8, 8])
    otherwise = Graph("else")
    otherwise.node("Neg", ["x"], "negative")
    otherwise.output("negative", [8, 8])
    graph = Graph("branch", seed=2)
    graph.input("wanted", [], BOOL)
    graph.input("x", [8, 8])
    graph.weight("w", [8, 8], -0.5, 0.5)
    graph.node("If", ["wanted"], "y", then_branch=then, else_branch=otherwise)
    graph.output("y", [8, 8])
    return graph


X, Y = [1.0, 2.0, 3.0, -1.0], [5.0, 0.0, -2.0, 4.0]
XS = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0, 5.0, 8.0]
CASES = {
    "swap": (swap_model, swap, [{"iterations": iterations, "x": X, "y": Y} for iterations in (0, 1, 2, 5)]),
    "until": (until_model, until, [{"limit": limit, "x": X} for limit in (0.0, 6.0, 50.0, 1e9)]),
    "shift": (shift_model, shift, [{"limit": limit, "state": X, "xs": XS} for limit in (0.0, 3.0, 100.0)]),
    "nested": (nested_model, nested, [{"m": m, "n": n, "wanted": wanted, "x": X}
                                      for m, n, wanted in ((2, 3, 1), (0, 3, 1), (3, 0, 1), (2, 2, 0))]),
}
TYPES = {"iterations": INT64, "m": INT64, "n": INT64, "wanted": BOOL}


class LoopsTest(nacre.NacreTest):
    def write(self, name, values, dims, element=FLOAT):
        path = self.path(name + ".pb")
        with open(path, "wb") as file:
            file.write(_tensor(name, element, dims, array.array(CODES[element], values).tobytes()))
        return path

    def feeds(self, given):
        for name, value in given.items():
            values = value if isinstance(value, list) else [value]
            dims = [] if values is not value else [len(value), 1] if name == "xs" else [len(value)]
            dims = [1] if given.get("xs") and name == "limit" else dims
            yield f"--input={name}={self.write(name, values, dims, TYPES.get(name, FLOAT))}"

    def expects(self, wanted):
        for name, values in wanted.items():
            dims = [len(values) // 4, 4] if name in ("rows", "befores") else [4]
            yield f"--expect={name}={self.write('expected_' + name, values, dims)}"

    def check(self, run, *options):
        for name, (make, python, runs) in CASES.items():
            make().save(self.path(name + ".onnx"))
            library = self.compile(name, "--quiet", *options)
            for given in runs:
                with self.subTest(name, given=given):
                    run(library, *self.feeds(given), *self.expects(python(**given)), "--rtol=0", "--atol=0")

    def test_cpu(self):
        self.check(self.run_model)

    def test_gpu(self):
        self.check(self.run_model, *GPU)

    def test_both(self):
        self.check(self.run_model, *HALF)

    @unittest.skipUnless(shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT), "needs qemu-aarch64 and an arm64 sysroot")
    def test_arm64(self):
        self.check(self.run_arm64, "--target=linux-arm64")

    def test_untaken_branch_is_not_run(self):
        """Launches are counted, not times."""
        branch_model().save(self.path("branch.onnx"))
        library = self.compile("branch", "--quiet")
        for wanted, products in ((1, 10), (0, 0)):
            said = self.run_model(library, f"--input=wanted={self.write('wanted', [wanted], [], BOOL)}", "--profile", "--runs=1")
            times = [int(times) for times in re.findall(r"^ *[\d.]+ +[\d.]+% +(\d+) .* matmul_\d", said, re.M)]
            self.assertEqual(sum(times), products, said)


if __name__ == "__main__":
    unittest.main()
