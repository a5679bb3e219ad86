#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outputs whose sizes the data decide, from the model to an app in C: nothing, some or all is there, from run to run.

The app (output_sizes.c) prints what there is; here it is computed again. nacre-run must say, write and compare the same.
"""
import itertools
import math
import os
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from element_types import BOOL, I64, TYPES, edges
from folding_comparison import Comparison, Family
from nacre import Graph

FLOAT, INT64 = 1, 7
ROWS, COLUMNS = 5, 3


def row_model():
    """Rows of x that begin with more than 0, and what may be computed of them."""
    graph = Graph("rows", opset=13)
    x = graph.input("x", [ROWS, COLUMNS])
    first = graph.node("Squeeze", [graph.node("Slice", [x, graph.integers("from", [0]), graph.integers("to", [1]), graph.integers("of", [1])]),
                                   graph.integers("axis", [1])])
    rows = graph.node("Compress", [x, graph.node("Greater", [first, graph.constant("zero", [], [0.0])])], output="rows", axis=0)
    graph.output(rows, ["n", COLUMNS])
    graph.output(graph.node("Transpose", [graph.node("Neg", [rows])], output="columns", perm=[1, 0]), [COLUMNS, "n"])
    graph.output(graph.node("ReduceSum", [rows, graph.integers("down", [0])], output="sums", keepdims=0), [COLUMNS])
    graph.output(graph.node("ReduceMax", [rows], output="largest", axes=[0], keepdims=0), [COLUMNS])
    graph.output(graph.node("ReduceMean", [rows], output="mean", axes=[0, 1], keepdims=1), [1, 1])
    graph.output(graph.node("Shape", [rows], output="shape"), [2], INT64)
    graph.output(graph.node("NonZero", [x], output="where"), [2, "m"], INT64)
    graph.output(graph.node("Unsqueeze", [rows, graph.integers("front", [0])], output="image"), [1, "n", COLUMNS])
    return graph


def answers(x):
    rows = [row for row in x if row[0] > 0]
    where = [(i, j) for i, row in enumerate(x) for j, value in enumerate(row) if value != 0]
    columns = [[-row[j] for row in rows] for j in range(COLUMNS)]
    flat = [value for row in rows for value in row]
    return {
        "rows": ([len(rows), COLUMNS], flat), "columns": ([COLUMNS, len(rows)], sum(columns, [])),
        "sums": ([COLUMNS], [sum(row[j] for row in rows) for j in range(COLUMNS)]),
        "largest": ([COLUMNS], [max([row[j] for row in rows], default=float("-inf")) for j in range(COLUMNS)]),
        "mean": ([1, 1], [sum(flat) / len(flat) if flat else float("nan")]),
        "shape": ([2], [len(rows), COLUMNS]),
        "where": ([2, len(where)], [i for i, _ in where] + [j for _, j in where]),
        "image": ([1, len(rows), COLUMNS], flat)}


def table(values):
    return [values[i * COLUMNS:(i + 1) * COLUMNS] for i in range(ROWS)]


# Nothing, all, some, one: in this order, so that no run sees what a former one left.
RUNS = [table(values) for values in (
    [-1.0, 0, 0] * ROWS, [1.0, 2, 3] * ROWS, [1.0, 2, 4, -1, 5, 6, 2, 0, 0, 0, 7, 7, 3, 1, 1], [0.0] * 12 + [4, 8, 2])]


def write_npy(path, code, dims, values, kind=None):
    header = f"{{'descr': '<{code}', 'fortran_order': False, 'shape': ({''.join(f'{d}, ' for d in dims)}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{kind or {'f4': 'f', 'i8': 'q'}[code]}", *values))


class SizesTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        path = self.path("rows.onnx")
        row_model().save(path)
        self.library = self.path("librows.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), path, "-o", self.library)

    def test_an_app_in_c(self):
        program = self.path("app")
        self.call(os.environ.get("CC", "cc"), "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic",
                  "-I" + os.path.join(nacre.ROOT, "runtime", "include"), "-I" + self.folder, '-DMODEL_HEADER="rows.h"',
                  "-DMODEL=nacre_model_rows", os.path.join(nacre.ROOT, "test", "e2e", "models", "output_sizes.c"), self.library,
                  "-Wl,-rpath," + self.folder, "-o", program)
        numbers = "\n".join(" ".join(map(str, sum(x, []))) for x in RUNS)
        lines = self.call(program, input=numbers).splitlines()
        expected = [(name, dims, values) for x in RUNS for name, (dims, values) in answers(x).items()]
        self.assertEqual(len(lines), len(expected), "\n".join(lines))
        for line, (name, dims, values) in zip(lines, expected):
            head, _, rest = line.partition(":")
            self.assertEqual(head.split(), [name, *map(str, dims)], line)
            found = [float(v) + 0 for v in rest.split()]  # a zero has no sign
            self.assertEqual(str(found), str([float(f"{v:g}") + 0 for v in values]), line)

    def test_the_header_says_the_most(self):
        with open(self.path("rows.h"), encoding="utf-8") as file:
            header = file.read()
        self.assertIn(f'output 0  "rows"  float[up to {ROWS}][{COLUMNS}]', header)
        self.assertIn(f'output 1  "columns"  float[{COLUMNS}][up to {ROWS}]', header)
        self.assertIn(f'output 2  "sums"  float[{COLUMNS}]', header)
        self.assertIn(f'output 6  "where"  int64_t[2][up to {ROWS * COLUMNS}]', header)
        self.assertNotIn("output 8", header)

    def test_nacre_run(self):
        self.assertIn(f"rows f32[up to {ROWS},{COLUMNS}]\n", self.run_model(self.library, "--info"))
        for number, x in enumerate(RUNS):
            write_npy(self.path("x.npy"), "f4", [ROWS, COLUMNS], sum(x, []))
            arguments = ["--input=x=" + self.path("x.npy")]
            for name, (dims, values) in answers(x).items():
                path = self.path(f"expected_{name}.npy")
                write_npy(path, "i8" if name in ("shape", "where") else "f4", dims, values)
                arguments.append(f"--expect={name}={path}")
            outputs = self.path(f"outputs{number}")
            os.mkdir(outputs)
            self.run_model(self.library, *arguments, "--output=" + outputs, "--rtol=1e-6", "--atol=0")
            dims, values = answers(x)["rows"]
            with open(os.path.join(outputs, "rows.npy"), "rb") as file:
                written = file.read()
            self.assertIn(f"({dims[0]},{dims[1]},)", written[:128].decode(errors="replace"))
            self.assertEqual(written[10 + struct.unpack("<H", written[8:10])[0]:], struct.pack(f"<{len(values)}f", *values))
            self.assertIn(f"rows f32[{answers(x)['rows'][0][0]},{COLUMNS}]", self.run_model(self.library, arguments[0]))
        write_npy(self.path("long.npy"), "f4", [ROWS, COLUMNS], [0.0] * ROWS * COLUMNS)
        said = self.run_model(self.library, arguments[0], "--expect=rows=" + self.path("long.npy"), status=1)
        self.assertIn(f"output 'rows' differs in kind: must be f32[{ROWS},{COLUMNS}], but is f32[1,{COLUMNS}]", said)


# The ends of an order: zeros of both signs, equal ones, and what is no number, which is larger than all others.
ORDERED = {"f4": ("f", FLOAT, [2.0, math.nan, -0.0, math.inf, 0.0, -1.5, math.nan, 2.0, -math.inf, 7.0]),
           "i1": ("b", 3, [5, -128, 127, 0, 5, -1, 127, 3, -128, 0]), "u1": ("B", 2, [5, 128, 255, 0, 5, 127, 255, 3, 128, 0]),
           "f8": ("d", 11, [2.0, math.nan, -0.0, math.inf, 0.0, -1.5, math.nan, 2.0, -math.inf, 7.0]),
           "i8": ("q", INT64, [5, -(1 << 63), (1 << 63) - 1, 0, 5, -1, 1 << 62, 3, -5, 0])}


class OrderTest(nacre.NacreTest):
    """TopK and Unique of every length, at every k: in each row the same as sorting by value, then by place."""

    def arrays(self, folder, name, kind):
        with open(os.path.join(folder, name + ".npy"), "rb") as file:
            data = file.read()
        data = data[10 + struct.unpack("<H", data[8:10])[0]:]
        return list(struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data))

    def run_graph(self, graph, inputs, *options):
        path, library, folder = self.path("order.onnx"), self.path("liborder.so"), tempfile.mkdtemp(dir=self.folder)
        graph.save(path)
        self.call(os.path.join(nacre.BIN, "nacre-compile"), path, "-o", library, *options)
        self.run_model(library, "--output=" + folder, *(f"--input={name}={file}" for name, file in inputs.items()))
        return folder

    @staticmethod
    def key(value, largest):
        is_nan = value != value
        return (not is_nan, 0 if is_nan else -value) if largest else (is_nan, 0 if is_nan else value)

    def test_top_k(self):
        graph, inputs, expected = Graph("order", opset=11), {}, {}
        for code, (kind, element, values) in ORDERED.items():
            rows = [values[i:] + values[:i] for i in range(4)]
            x = graph.input(code, [4, len(values)], element)
            inputs[x] = self.path(code + ".npy")
            write_npy(inputs[x], code, [4, len(values)], sum(rows, []), kind)
            for k, largest, axis in itertools.product((1, 2, 3, 9, 10), (0, 1), (0, 1)):
                lines = rows if axis else [list(line) for line in zip(*rows)]
                if k > len(lines[0]):
                    continue
                name = f"{code}_{k}_{largest}_{axis}"
                graph.node("TopK", [x, graph.integers("k" + name, [k])], output=["v" + name, "i" + name], axis=axis, largest=largest)
                shape = [4, k] if axis else [k, len(values)]
                graph.output("v" + name, shape, element)
                graph.output("i" + name, shape, INT64)
                order = [sorted(range(len(line)), key=lambda i, line=line: (*self.key(line[i], largest), i))[:k] for line in lines]
                best = [[line[i] for i in places] for line, places in zip(lines, order)]
                if not axis:
                    order, best = [list(line) for line in zip(*order)], [list(line) for line in zip(*best)]
                expected["v" + name], expected["i" + name] = (kind, sum(best, [])), ("q", sum(order, []))
        folder = self.run_graph(graph, inputs)
        for name, (kind, values) in expected.items():
            self.assertEqual(str([v + 0 for v in self.arrays(folder, name, kind)]), str([v + 0 for v in values]), name)

    def test_unique(self):
        graph, inputs, expected = Graph("order", opset=11), {}, {}
        for code, (kind, element, values) in ORDERED.items():
            x = graph.input(code, [len(values)], element)
            inputs[x] = self.path(code + ".npy")
            write_npy(inputs[x], code, [len(values)], values, kind)
            keys = [self.key(value + 0, False) for value in values]
            for is_sorted in (0, 1):
                names = [f"{code}_{is_sorted}_{what}" for what in ("values", "first", "inverse", "counts")]
                graph.node("Unique", [x], output=names, sorted=is_sorted)
                kinds = sorted(set(keys)) if is_sorted else sorted(set(keys), key=keys.index)
                first = [keys.index(key) for key in kinds]
                answers = [[values[i] for i in first], first, [kinds.index(key) for key in keys], [keys.count(key) for key in kinds]]
                for name, answer, what in zip(names, answers, (kind, "q", "q", "q")):
                    graph.output(name, ["n" + name] if "inverse" not in name else [len(values)], element if what == kind and "values" in name else INT64)
                    expected[name] = (what if "values" in name else "q", answer)
        folder = self.run_graph(graph, inputs)
        for name, (kind, values) in expected.items():
            self.assertEqual(str([v + 0 for v in self.arrays(folder, name, kind)]), str([v + 0 for v in values]), name)


class FoldedTest(Comparison):
    def test_selections_of_constants(self):
        """How many elements there are is the same, too."""
        family = Family("selections")
        for element in TYPES.values():
            values = (edges(element) * 24)[:24]
            x = family.input(element, values, [4, 6])
            family.output("NonZero", [x], I64, [2, f"{element.name}_found"])
            mask = family.input(BOOL, [False, True, False, True])
            family.output("Compress", [x, mask], element, [2, 6], axis=0)
        self.check(family)


if __name__ == "__main__":
    unittest.main()
