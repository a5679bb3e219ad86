#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes, slices and scatters of tensors whose size a run decides.

How:  as in counted_test.py, Compress selects some of seven rows, and in another class none of them. Answers come from Python's lists.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import every_engine
from onnx_writer import BOOL, INT64, Graph, tensor

ROWS = [[3.0, -1.0], [900.0, 800.0], [0.5, 2.0], [-700.0, 600.0], [4.0, -3.0], [1.0, 1.5], [999.0, -999.0]]


class CountedShapesTest(every_engine.EveryEngineTest):
    keep = (1, 0, 1, 0, 1, 1, 0)

    def setUp(self):
        super().setUp()
        node = self.graph.node
        self.mask = node("Cast", [self.input("keep", [7], list(self.keep), INT64)], to=BOOL)
        self.x = self.input("x", [7, 2], ROWS)
        self.rows = node("Compress", [self.x, self.mask], axis=0)
        self.places_of_rows = node("Compress", [self.input("counting", [7], list(range(7)), INT64), self.mask], axis=0)
        self.kept = [i for i, kept in enumerate(self.keep) if kept]
        self.selected = [ROWS[i] for i in self.kept]
        self.number = len(self.kept)
        self.names = set()

    def axis(self, value):
        """A list of one integer."""
        name = f"axis_{value}"
        if name not in self.names:
            self.graph.integers(name, [value])
        self.names.add(name)
        return name

    def size(self):
        """The number of rows, as a list of one element."""
        return self.graph.node("Gather", [self.graph.node("Shape", [self.rows]), self.graph.integers("first", [0])], axis=0)

    def test_reshapes(self):
        node, integers, n = self.graph.node, self.graph.integers, self.number
        flat = [v for row in self.selected for v in row]
        columns = [v for column in range(2) for v in (row[column] for row in self.selected)]
        node("Reshape", [self.rows, integers("to_flat", [-1])], output="flat")
        self.expect("flat", [2 * n], flat)
        node("Reshape", ["flat", node("Concat", [integers("one", [1]), self.size(), integers("rest", [-1])], axis=0)], output="again")
        self.expect("again", [1, n, 2], flat)
        across = node("Transpose", [self.rows], perm=[1, 0])
        node("Reshape", [across, integers("to_all", [-1])], output="joined")
        self.expect("joined", [2 * n], columns)
        node("Reshape", [across, integers("to_pairs", [-1, 2])], output="pairs")
        self.expect("pairs", [n, 2], columns)
        # Seven is no multiple of two, but the number of elements is.
        node("Reshape", [self.places_of_rows, integers("to_two", [-1, 2])], output="two")
        self.expect("two", [n // 2, 2], self.kept, INT64)
        self.check()

    def test_tensors_of_that_size(self):
        node, integers, n = self.graph.node, self.graph.integers, self.number
        shape = node("Shape", [self.rows])
        node("Mul", [node("Expand", [self.graph.constant("two", [2], [2.0, 3.0]), shape]), self.rows], output="scaled")
        self.expect("scaled", [n, 2], [[2 * a, 3 * b] for a, b in self.selected])
        node("Concat", [node("ConstantOfShape", [shape]), self.rows], axis=1, output="widened")
        self.expect("widened", [n, 4], [[0, 0, a, b] for a, b in self.selected])
        node("Add", [node("ConstantOfShape", [shape]), node("ConstantOfShape", [shape])], output="zeros")
        self.expect("zeros", [n, 2], [0] * (2 * n))
        end = node("Squeeze", [self.size()])
        zero, one, two = (self.graph.count(name, value) for name, value in (("s0", 0), ("s1", 1), ("s2", 2)))
        node("Range", [zero, end, one], output="all")
        self.expect("all", [n], list(range(n)), INT64)
        node("Range", [one, node("Add", [end, two]), two], output="odd")
        self.expect("odd", [len(range(1, n + 2, 2))], list(range(1, n + 2, 2)), INT64)
        known = node("Add", [node("Sub", [end, end]), self.graph.count("s5", 5)])
        node("Range", [zero, known, one], output="five")
        self.expect("five", [5], list(range(5)), INT64)
        # A difference may be negative, and then is an empty size; what is computed from it is not.
        less = node("Min", [node("Sub", [end, self.graph.count("s3", 3)]), two])
        node("Range", [zero, less, one], output="few")
        self.expect("few", [max(min(n - 3, 2), 0)], list(range(min(n - 3, 2))), INT64)
        node("Range", [zero, node("Add", [less, two]), one], output="more")
        self.expect("more", [max(min(n - 3, 2) + 2, 0)], list(range(min(n - 3, 2) + 2)), INT64)
        again = node("Compress", [self.x, node("Cast", ["keep"], to=BOOL)], axis=0)
        node("Add", [self.rows, again], output="doubled")
        self.expect("doubled", [n, 2], [[2 * a, 2 * b] for a, b in self.selected])
        node("Gather", [self.rows, "all"], axis=0, output="same")
        self.expect("same", [n, 2], self.selected)
        self.check()

    def test_slices_from_the_end(self):
        for name, begin, end, step in (("reversed", -1, -2**63, -1), ("last", -2, 2**62, 1), ("inner", 1, -1, 1), ("second", -3, 2**62, 2),
                                       ("back", -1, -4, -2), ("moving", -3, 2, 1), ("before", -5, -100, -1), ("every_other", -4, -2**63, -2)):
            operands = [self.graph.integers(f"{name}_{i}", [value]) for i, value in enumerate((begin, end, 0, step))]
            self.graph.node("Slice", [self.rows, *operands], output=name)
            if step < 0:  # ONNX moves a start before the front to the first element; Python does not
                begin = max(begin, -self.number) if self.number else begin
            rows = self.selected[begin:end if end > -2**63 else None:step]
            self.expect(name, [len(rows), 2], rows)
        self.graph.node("Concat", ["reversed", self.rows], axis=1, output="beside")
        self.expect("beside", [self.number, 4], [a + b for a, b in zip(self.selected[::-1], self.selected)])
        self.check()

    def test_slices_between_computed_positions(self):
        node, integers = self.graph.node, self.graph.integers
        begin, end = self.input("begin", [1], [-3], INT64), self.input("end", [1], [5], INT64)
        zero = integers("zero", [0])
        for name, tensor, rows in (("of_all", self.x, ROWS), ("of_some", self.rows, self.selected)):
            node("Slice", [tensor, begin, end, zero], output=name)
            self.expect(name, [len(rows[-3:5]), 2], rows[-3:5])
        if self.number > 2:
            at = self.input("at", [1], [2], INT64)
            node("Squeeze", [node("Slice", [self.rows, at, node("Add", [at, integers("one", [1])]), zero]), zero], output="third")
            self.expect("third", [2], self.selected[2])
        node("Slice", [self.x, zero, self.size(), zero], output="as_many")
        self.expect("as_many", [self.number, 2], ROWS[:self.number])
        self.check()

    def test_scatters(self):
        node, integers = self.graph.node, self.graph.integers
        at = node("Unsqueeze", [self.places_of_rows, self.axis(1)])
        base = self.graph.constant("base", [7, 2], [10.0 * i for i in range(14)])
        written = [[10.0 * (2 * i + j) for j in range(2)] for i in range(7)]
        added = [list(row) for row in written]
        for i, row in zip(self.kept, self.selected):
            written[i] = row
            added[i] = [a + b for a, b in zip(added[i], row)]
        node("ScatterND", [base, at, self.rows], output="written")
        self.expect("written", [7, 2], written)
        node("ScatterND", [base, node("Sub", [at, integers("seven", [7])]), self.rows], reduction="add", output="added")
        self.expect("added", [7, 2], added)
        columns = node("Concat", [at, at], axis=1)
        node("ScatterElements", [base, columns, self.rows], axis=0, output="elements")
        self.expect("elements", [7, 2], written)
        # Into a tensor that is open, too: the first row of it, if there is one, from its end.
        if self.number:
            node("ScatterND", [self.rows, node("Unsqueeze", [integers("first_row", [-self.number]), self.axis(1)]), self.graph.constant("row", [1, 2], [7.0, 8.0])], output="own")
            self.expect("own", [self.number, 2], [[7.0, 8.0], *self.selected[1:]])
        self.check()

    def test_selections_of_selections(self):
        node = self.graph.node
        isPositive = node("Greater", [self.rows, self.graph.constant("nothing", [1], [0.0])])
        places = [(i, j) for i, row in enumerate(self.selected) for j, v in enumerate(row) if v > 0]
        node("NonZero", [isPositive], output="places")
        self.expect("places", [2, len(places)], [i for i, _ in places] + [j for _, j in places], INT64)
        node("GatherND", [self.rows, node("Transpose", ["places"], perm=[1, 0])], output="positive")
        self.expect("positive", [len(places)], [self.selected[i][j] for i, j in places])
        node("GatherElements", [self.rows, node("ArgMax", [self.rows], axis=1, keepdims=1)], axis=1, output="largest")
        self.expect("largest", [self.number, 1], [max(row) for row in self.selected])
        first = node("Squeeze", [node("Slice", [isPositive, *(self.graph.integers(f"c{i}", [v]) for i, v in enumerate((0, 1, 1)))]),
                                 self.axis(1)])
        node("Compress", [self.rows, first], axis=0, output="fewer")
        fewer = [row for row in self.selected if row[0] > 0]
        self.expect("fewer", [len(fewer), 2], fewer)
        every_second = node("Cast", [self.graph.integers("every_second", [1, 0, 1, 0, 1])], to=BOOL)
        node("Compress", [self.rows, every_second], axis=0, output="second")  # more than there may be
        self.expect("second", [len(self.selected[:5:2]), 2], self.selected[:5:2])
        node("TopK", [self.rows, self.axis(1)], output=["of_rows", "at"], axis=1)
        self.expect("of_rows", [self.number, 1], [max(row) for row in self.selected])
        self.check()

    def test_boxes_of_selected_rows(self):
        """Boxes that do not overlap are all selected, by their scores. Those of rows that were left out have higher ones."""
        node, integers = self.graph.node, self.graph.integers
        corners = self.graph.constant("corners", [7, 4], [v for i in range(7) for v in (2.0 * i, 0.0, 2.0 * i + 1, 1.0)])
        boxes = node("Unsqueeze", [node("Compress", [corners, self.mask], axis=0), self.axis(0)])
        scores = node("Slice", [self.rows, *(integers(f"s{i}", [v]) for i, v in enumerate((0, 1, 1)))])
        scores = node("Unsqueeze", [node("Transpose", [scores], perm=[1, 0]), self.axis(0)])
        node("NonMaxSuppression", [boxes, scores, integers("most", [3]), self.graph.constant("overlap", [1], [0.5])], output="boxes")
        order = sorted(range(self.number), key=lambda i: -self.selected[i][0])[:3]
        self.expect("boxes", [len(order), 3], [[0, 0, i] for i in order], INT64)
        self.check()


class OneRowTest(every_engine.EveryEngineTest):
    """An operator that only limits a tensor of one row is another tensor, even if it could be left out."""

    def test_factors_of_one(self):
        for kept in (0, 1):
            with self.subTest(kept=kept):
                self.graph, self.inputs, self.expected = Graph("model", opset=16), {}, {}
                node, integers = self.graph.node, self.graph.integers
                x = self.input("x", [1, 4], [1.0, 2.0, 3.0, 4.0])
                mask = node("Cast", [self.input("keep", [1], [kept], INT64)], to=BOOL)
                rows = node("Compress", [x, mask], axis=0)
                ones = node("ConstantOfShape", [node("Shape", [rows])], value=tensor([1.0]))
                node("Mul", [x, ones], output="limited")
                self.expect("limited", [kept, 4], [1.0, 2.0, 3.0, 4.0][:4 * kept])
                node("Relu", [x], output="whole")
                self.expect("whole", [1, 4], [1.0, 2.0, 3.0, 4.0])
                node("Reshape", [rows, integers("flat", [1, -1])], output="flat_rows")
                self.expect("flat_rows", [1, 4 * kept], [1.0, 2.0, 3.0, 4.0][:4 * kept])
                node("Relu", [rows], output="same")
                self.expect("same", [kept, 4], [1.0, 2.0, 3.0, 4.0][:4 * kept])
                self.check()


class NothingSelectedTest(CountedShapesTest):
    keep = (0,) * 7


class AllSelectedTest(CountedShapesTest):
    keep = (1,) * 6 + (0,)


if __name__ == "__main__":
    unittest.main()
