#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists to which a loop appends a tensor in each iteration, if an input decides the number of iterations.

How:  the loop appends x * number for each number below the input n, which a minimum limits to five. In another class there is no iteration.
      Answers come from Python's lists.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import every_engine
from onnx_writer import BOOL, FLOAT, INT64, Graph

X = [[3.0, -1.0, 0.5], [-4.0, 2.0, 1.5]]


def times(row, factor):
    return [[value * factor for value in line] for line in row]


class ListsTest(every_engine.EveryEngineTest):
    iterations = 3

    def setUp(self):
        super().setUp()
        node = self.graph.node
        self.x = self.input("x", [2, 3], X)
        few = node("Min", [self.input("n", [], [self.iterations], INT64), self.graph.count("five", 5)])
        self.rows = [times(X, number) for number in range(self.iterations)]
        self.lists = {"empty": (node("SequenceEmpty", []), []), "begun": (node("SequenceConstruct", ["x", "x"]), [X, X])}
        self.lists = {name: (node("Loop", [few, "", start], f"{name}_list", body=self.body(name)), before + self.rows)
                      for name, (start, before) in self.lists.items()}

    def body(self, name):
        """A body whose condition is always true, and that appends one tensor."""
        body = Graph(f"{name}_body")
        body.input(f"{name}_i", [], INT64)
        body.input(f"{name}_on", [], BOOL)
        body.input(f"{name}_before", [])
        body.node("Identity", [f"{name}_on"], f"{name}_go")
        row = body.node("Mul", ["x", body.node("Cast", [f"{name}_i"], f"{name}_number", to=FLOAT)], f"{name}_row")
        body.node("SequenceInsert", [f"{name}_before", row], f"{name}_after")
        body.output(f"{name}_go", [], BOOL)
        body.output(f"{name}_after", [])
        return body

    def test_joined_along_each_axis(self):
        for name, (value, elements) in self.lists.items():
            self.graph.node("ConcatFromSequence", [value], f"{name}_rows", axis=0)
            self.expect(f"{name}_rows", [2 * len(elements), 3], elements)
            self.graph.node("ConcatFromSequence", [value], f"{name}_columns", axis=-1)
            self.expect(f"{name}_columns", [2, 3 * len(elements)], [[element[line] for element in elements] for line in range(2)])
        self.check()

    def test_stacked_along_each_axis(self):
        for name, (value, elements) in self.lists.items():
            for axis, dims in enumerate(([len(elements), 2, 3], [2, len(elements), 3], [2, 3, len(elements)])):
                self.graph.node("ConcatFromSequence", [value], f"{name}_{axis}", axis=axis, new_axis=1)
                stacks = (elements, [[element[line] for element in elements] for line in range(2)],
                          [[[element[line][place] for element in elements] for place in range(3)] for line in range(2)])
                self.expect(f"{name}_{axis}", dims, stacks[axis])
        self.check()

    def test_lengths_and_elements(self):
        longer = self.graph.node("SequenceInsert", [self.lists["begun"][0], "x"])
        for name, value, elements in (("empty", *self.lists["empty"]), ("begun", *self.lists["begun"]), ("longer", longer, [*self.lists["begun"][1], X])):
            self.graph.node("SequenceLength", [value], f"{name}_length")
            self.expect(f"{name}_length", [], [len(elements)], INT64)
            if not elements:
                continue
            for place in (0, -1):
                self.graph.node("SequenceAt", [value, self.graph.count(f"{name}_place_{place}", place)], f"{name}_at_{place}")
                self.expect(f"{name}_at_{place}", [2, 3], elements[place])
        self.check()


class NoIterationTest(ListsTest):
    iterations = 0


if __name__ == "__main__":
    unittest.main()
