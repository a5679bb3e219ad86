#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices at positions that an input gives, against Python's.

Why:  a streaming network takes a window of its state wherever a run says. The size is known if both ends move together.
How:  ONNX's Slice with starts and ends that are computed in the ways that exporters write them, at every position; TensorFlow's Slice
      of given sizes. Positions outside are moved inside, as an index of Gather is.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import tensorflow_writer as tf
from every_engine import EveryEngineTest
from onnx_writer import INT64, write_npy

ROWS, COLUMNS = 9, 4
X = [[10 * row + column for column in range(COLUMNS)] for row in range(ROWS)]


def window(rows, start, length, step=1):
    """`length` rows from `start` on, which is moved so that all are there."""
    reach = (length - 1) * step
    start = start + len(rows) if start < 0 else start
    start = min(max(start, max(0, -reach)), len(rows) - 1 - max(0, reach))
    return [rows[start + i * step] for i in range(length)]


class ComputedSlicesTest(EveryEngineTest):
    opset = 13

    def setUp(self):
        super().setUp()
        for number in range(-8, 10):
            self.graph.integers(str(number), [number])

    def add(self, a, b):
        return self.graph.node("Add", [a, b])

    def part(self, name, start, end, rows, axis="0", step="1"):
        self.graph.node("Slice", ["x", start, end, axis, step], output=name)
        self.expect(name, [len(rows), len(rows[0])], rows)

    def test_windows(self):
        """Both ends move by what an input says."""
        for n in (3, 0, 6, 8, 11, -3):
            with self.subTest(n=n):
                self.setUp()
                self.make_windows(n)
                self.check()

    def make_windows(self, n):
        graph = self.graph
        self.input("x", [ROWS, COLUMNS], X)
        self.input("n", [1], [n], INT64)
        self.part("two", "n", self.add("n", "2"), window(X, n, 2))
        self.part("before", self.add("n", "-3"), "n", window(X, n - 3, 3))
        # A scalar, of 32 bits, and the number of a part.
        scalar = graph.node("Squeeze", ["n", "0"])
        start = graph.node("Unsqueeze", [scalar, "0"])
        end = graph.node("Unsqueeze", [graph.node("Add", [scalar, graph.count("four", 4)]), "0"])
        self.part("scalar", start, end, window(X, n, 4))
        narrow = [graph.node("Cast", [position], to=6) for position in ("n", self.add("n", "1"), "0", "1")]
        self.part("narrow", *narrow[:2], window(X, n, 1), *narrow[2:])
        self.part("parts", graph.node("Mul", ["n", "2"]), graph.node("Mul", [self.add("n", "1"), "2"]), window(X, 2 * n, 2))
        self.part("steps", "n", self.add("n", "5"), window(X, n, 3, 2), step="2")
        self.part("back", "n", graph.node("Sub", ["n", "3"]), window(X, n, 3, -1), step="-1")
        # Both axes, of which one has known positions.
        starts, ends = graph.node("Concat", ["1", "n"], axis=0), graph.node("Concat", ["9", self.add("n", "3")], axis=0)
        graph.node("Slice", ["x", starts, ends, graph.integers("axes", [1, 0])], output="both")
        self.expect("both", [3, COLUMNS - 1], [row[1:] for row in window(X, n, 3)])

    def test_first_rows(self):
        """A start that is known, and an end that is not: the size of the result is the run's."""
        for n in (0, 1, 4, 12, -2):
            with self.subTest(n=n):
                self.setUp()
                self.input("x", [ROWS, COLUMNS], X)
                self.input("n", [1], [n], INT64)
                self.graph.node("Slice", ["x", "0", "n"], output="first")
                self.graph.node("Slice", ["x", "2", "n"], output="from_two")
                for name, rows in (("first", X[:n]), ("from_two", X[2:n])):
                    self.graph.node("ReduceSum", [name, "0"], output=name + "_sum", keepdims=0)
                    self.expect(name + "_sum", [COLUMNS], [sum(row[column] for row in rows) for column in range(COLUMNS)])
                self.check()


class TensorflowSliceTest(nacre.NacreTest):
    """A part of a given size where a run says."""

    parts = 2

    def test_slice(self):
        int32, floats = tf.Type(tf.INT32), tf.Type(tf.FLOAT)
        nodes = [tf.node("x", "Placeholder", dtype=floats, shape=tf.Shape([ROWS, COLUMNS])), tf.node("at", "Placeholder", dtype=int32, shape=tf.Shape([2])),
                 tf.node("size", "Const", dtype=int32, value=tf.integers([2], [3, 2])), tf.node("y", "Slice", ["x", "at", "size"], T=floats, Index=int32)]
        with open(self.path("slice.pb"), "wb") as file:
            file.write(tf.graph(nodes))
        library = self.path("libslice.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("slice.pb"), "-o", library)
        for row, column in ((0, 0), (2, 1), (4, 2)):
            write_npy(self.path("x.npy"), [ROWS, COLUMNS], [value for line in X for value in line])
            write_npy(self.path("at.npy"), [2], [row, column], "i")
            write_npy(self.path("y.npy"), [3, 2], [value for line in X[row:row + 3] for value in line[column:column + 2]])
            self.run_model(library, f"--input=x={self.path('x.npy')}", f"--input=at={self.path('at.npy')}", f"--expect=y={self.path('y.npy')}")


if __name__ == "__main__":
    unittest.main()
