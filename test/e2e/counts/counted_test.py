#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that combine elements along an axis whose size a run decides.

How:  Compress selects some of seven rows. What it leaves out would change each result: the memory after the selected rows, if an operator read
      it, and the largest numbers, which are not selected.
"""
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import every_engine
from onnx_writer import BOOL, INT64

ROWS = [[3.0, -1.0], [900.0, 800.0], [0.5, 2.0], [-700.0, 600.0], [4.0, -3.0], [1.0, 1.5], [999.0, -999.0]]


class CountedTest(every_engine.EveryEngineTest):
    def setUp(self):
        super().setUp()
        self.x = self.input("x", [7, 2], ROWS)
        keep = [1, 0, 1, 0, 1, 1, 0]
        self.rows = self.graph.node("Compress", [self.x, self.graph.node("Cast", [self.input("keep", [7], keep, INT64)], to=BOOL)], axis=0)
        self.selected = [row for row, kept in zip(ROWS, keep) if kept]
        self.columns = list(zip(*self.selected))

    def test_softmax(self):
        self.graph.node("Softmax", [self.rows], output="y", axis=0)
        sums = [sum(math.exp(v) for v in column) for column in self.columns]
        self.expect("y", [4, 2], [[math.exp(v) / s for v, s in zip(row, sums)] for row in self.selected])
        self.check()

    def test_indices_of_extrema(self):
        for name, extremum in (("ArgMax", max), ("ArgMin", min)):
            self.graph.node(name, [self.rows], output=name, axis=0, keepdims=0)
            self.expect(name, [2], [column.index(extremum(column)) for column in self.columns], INT64)
        self.check()

    def test_the_largest_and_the_smallest(self):
        for largest in (1, 0):
            self.graph.node("TopK", [self.rows, self.graph.integers(f"k{largest}", [3])], output=[f"values{largest}", f"indices{largest}"], axis=0,
                            largest=largest)
            order = [sorted(range(4), key=lambda i: column[i] * (-1 if largest else 1))[:3] for column in self.columns]  # noqa: B023
            self.expect(f"values{largest}", [3, 2], [[self.columns[c][order[c][i]] for c in range(2)] for i in range(3)])
            self.expect(f"indices{largest}", [3, 2], [[order[c][i] for c in range(2)] for i in range(3)], INT64)
        self.check()

    def test_sums_from_the_end(self):
        self.graph.node("CumSum", [self.rows, self.graph.integers("axis", [0])], output="y", reverse=1)
        self.expect("y", [4, 2], [[sum(column[i:]) for column in self.columns] for i in range(4)])
        self.check()

    def test_the_depth_of_a_product(self):
        self.graph.node("MatMul", [self.graph.node("Transpose", [self.rows], perm=[1, 0]), self.rows], output="y")
        self.expect("y", [2, 2], [[sum(a * b for a, b in zip(left, right)) for right in self.columns] for left in self.columns])
        self.check()

    def test_the_number_of_elements(self):
        self.graph.node("Size", [self.rows], output="n")
        self.graph.node("Relu", [self.rows], output="y")  # which GPUs compute, too
        self.expect("n", [], [8], INT64)
        self.expect("y", [4, 2], [[max(v, 0) for v in row] for row in self.selected])
        self.check()

    def test_the_first_rows_and_what_follows_them(self):
        """More rows than there are, fewer, and all but the first."""
        for name, begin, end in (("most", 0, 6), ("few", 0, 3), ("rest", 1, 2**40), ("none", 5, 7)):
            operands = [self.graph.integers(f"{name}_{i}", [value]) for i, value in enumerate((begin, end, 0))]
            self.graph.node("Slice", [self.rows, *operands], output=name)
            rows = self.selected[begin:end]
            self.expect(name, [len(rows), 2], rows)
        self.check()

    def test_rows_by_index(self):
        self.graph.node("Gather", [self.rows, self.graph.integers("indices", [3, 0, -1, -4])], output="y", axis=0)
        self.expect("y", [4, 2], [self.selected[i] for i in (3, 0, -1, -4)])
        self.check()


if __name__ == "__main__":
    unittest.main()
