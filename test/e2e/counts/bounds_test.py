#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that only the data decide, up to the bound that --bound gives, on every engine.

How:  each model runs with sizes of 0, between and equal to the bound, and with one above it, which must fail. Answers come from Python's lists.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import every_engine
from every_engine import nacre
from onnx_writer import FLOAT, INT64

ROWS = [[3.0, -1.0, 2.0], [0.5, 2.0, -4.0], [-7.0, 6.0, 1.0], [4.0, -3.0, 8.0]]


def multiply(rows, weights):
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*weights)] for row in rows]


def convolve(rows, weights, stride, pad):
    """`weights` are [out, in, taps]."""
    zeros = [[0.0] * len(rows[0])] * pad if rows else []
    padded = zeros + rows + zeros
    taps = len(weights[0][0])
    return [[sum(padded[start + t][i] * by[i][t] for t in range(taps) for i in range(len(by))) for by in weights]
            for start in range(0, len(padded) - taps + 1, stride)]


# Sizes of a graph of TensorFlow: a range, zeros, repetitions and a broadcast, as long as the sum of `durations`.
SUMS = """
node { name: "durations" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "shape" value { shape { dim { size: 3 } } } } }
node { name: "axis" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 } } } }
node { name: "step" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } } }
node { name: "five" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 5 } } } }
node { name: "pair" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } }
  float_val: 1 float_val: 2 } } } }
node { name: "row" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 1 } }
  float_val: 3 } } } }
node { name: "total" op: "Sum" input: "durations" input: "axis" attr { key: "T" value { type: DT_INT32 } } attr { key: "Tidx" value { type: DT_INT32 } } }
node { name: "size" op: "ExpandDims" input: "total" input: "axis" attr { key: "T" value { type: DT_INT32 } } attr { key: "Tdim" value { type: DT_INT32 } } }
node { name: "range" op: "Range" input: "axis" input: "total" input: "step" attr { key: "Tidx" value { type: DT_INT32 } } }
node { name: "steps" op: "Cast" input: "range" attr { key: "SrcT" value { type: DT_INT32 } } attr { key: "DstT" value { type: DT_FLOAT } } }
node { name: "filled" op: "Fill" input: "size" input: "five" attr { key: "T" value { type: DT_FLOAT } } attr { key: "index_type" value { type: DT_INT32 } } }
node { name: "wide" op: "BroadcastTo" input: "row" input: "size" attr { key: "T" value { type: DT_FLOAT } } attr { key: "Tidx" value { type: DT_INT32 } } }
node { name: "both" op: "AddV2" input: "filled" input: "wide" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "all" op: "AddV2" input: "both" input: "steps" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "tiled" op: "Tile" input: "pair" input: "size" attr { key: "T" value { type: DT_FLOAT } } attr { key: "Tmultiples" value { type: DT_INT32 } } }
"""
INT32 = 6
every_engine.CODES[INT32] = "i"


class BoundsTest(every_engine.EveryEngineTest):
    def files(self, kind, tensors):
        return [f"--{kind}={self.write(name, dims, values, element_type)}" for name, (dims, values, element_type) in tensors.items()]

    def check_runs(self, bounds, runs, excess, message, model="model.onnx"):
        """`runs` are pairs of inputs and outputs, and `excess` inputs, by name: dims, values and type. In the model, `excess` must be refused."""
        if model == "model.onnx":
            self.graph.save(self.path(model))
        options = [f"--bound={bounds}"]

        def check(call):
            for inputs, outputs in runs:
                said = call(*self.files("input", inputs), *self.files("expect", outputs), status=0)
                self.assertEqual(said.count("agrees"), len(outputs), said)
            self.assertIn(message, call(*self.files("input", excess), status=2))

        with self.subTest("nacre-eval"):
            check(lambda *arguments, status: self.call(os.path.join(nacre.BIN, "nacre-eval"), self.path(model), *options, *arguments, status=status))
        for place, run, run_options in self.places():
            with self.subTest(options=place):
                library = self.path("libmodel.so")
                self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path(model), "-o", library, *options, *place)
                check(lambda *arguments, status: run(library, *arguments, *run_options, status=status))  # noqa: B023

    def test_numbers_of_equal_elements(self):
        """torch.bincount: as many bins as the largest element asks for."""
        node, integers = self.graph.node, self.graph.integers
        x = self.graph.input("x", [8], INT64)
        top = node("ReduceMax", [x], keepdims=1)
        size = node("Add", [top, integers("one", [1])], output="size")
        bins = node("Expand", [self.graph.count("zero", 0), size])
        node("ScatterElements", [bins, x, integers("ones", [1] * 8)], output="y", axis=0, reduction="add")
        self.graph.output("y", ["bins"], INT64)

        def run(values):
            return {"x": ([8], values, INT64)}, {"y": ([max(values) + 1], [values.count(i) for i in range(max(values) + 1)], INT64)}
        self.check_runs("size=6", [run([0] * 8), run([1, 3, 3, 0, 3, 1, 0, 2]), run([5, 0, 5, 5, 1, 1, 2, 3])], run([6, 0, 0, 0, 1, 1, 2, 3])[0],
                        "'size' must be at most 6, its bound")

    def regulate(self):
        """Each row as often as its duration says, as FastSpeech stretches phonemes; the rows' number is bounded as `total`."""
        node, integers = self.graph.node, self.graph.integers
        rows, durations = self.graph.input("rows", [4, 3]), self.graph.input("durations", [4], INT64)
        ends = node("CumSum", [durations, self.graph.count("axis", 0)])
        total = node("Gather", [ends, self.graph.count("last", -1)], output="total", axis=0)
        steps = node("Range", [self.graph.count("from", 0), total, self.graph.count("by", 1)])
        later = node("Less", [steps, node("Unsqueeze", [ends, integers("after", [1])])])
        before = node("ReduceSum", [node("Cast", [later], to=INT64), integers("first", [0])], keepdims=0)
        return node("Gather", [rows, node("Sub", [integers("four", [4]), before])], output="stretched", axis=0)

    def check_durations(self, outputs_of):
        def run(durations):
            stretched = [row for row, times in zip(ROWS, durations) for _ in range(times)]
            return {"rows": ([4, 3], ROWS, FLOAT), "durations": ([4], durations, INT64)}, outputs_of(stretched)
        self.check_runs("total=10", [run([2, 0, 3, 1]), run([1, 4, 2, 3]), run([0, 0, 1, 0]), run([0, 0, 0, 0])], run([5, 5, 1, 0])[0],
                        "'total' must be at most 10, its bound")

    def test_durations_and_a_product(self):
        weights = [[1.0, -2.0], [0.5, 3.0], [-1.0, 0.25]]
        stretched = self.regulate()
        self.graph.node("Relu", [self.graph.node("MatMul", [stretched, self.graph.constant("w", [3, 2], every_engine.flatten(weights))])], output="y")
        self.graph.output("y", ["total", 2])
        self.graph.output("stretched", ["total", 3])
        self.check_durations(lambda rows: {"y": ([len(rows), 2], [[max(v, 0.0) for v in row] for row in multiply(rows, weights)], FLOAT),
                                           "stretched": ([len(rows), 3], rows, FLOAT)})

    def test_durations_and_convolutions(self):
        """One keeps the length, and one takes every second window without pads."""
        same, every_second = ([[[((out + 2) * (i + 1) - 3 * tap) / 4 for tap in range(3)] for i in range(inputs)] for out in range(2)] for inputs in (3, 2))
        node = self.graph.node
        x = node("Unsqueeze", [node("Transpose", [self.regulate()], perm=[1, 0]), self.graph.integers("batch", [0])])
        kernels = [self.graph.constant(name, [2, len(k[0]), 3], every_engine.flatten(k)) for name, k in (("same", same), ("second", every_second))]
        x = node("Relu", [node("Conv", [x, kernels[0], self.graph.constant("bias", [2], [1.0, -2.0])], pads=[1, 1])])
        node("Conv", [x, kernels[1]], output="y", strides=[2])
        node("Identity", [x], output="x")
        self.graph.output("y", [1, 2, "half"])
        self.graph.output("x", [1, 2, "total"])

        def outputs(rows):
            hidden = [[max(v + b, 0.0) for v, b in zip(row, (1.0, -2.0))] for row in convolve(rows, same, 1, 1)]
            halved = convolve(hidden, every_second, 2, 0)
            return {name: ([1, 2, len(values)], [[row[c] for row in values] for c in range(2)], FLOAT) for name, values in (("x", hidden), ("y", halved))}
        self.check_durations(outputs)

    def test_as_many_classes_as_the_largest(self):
        """one_hot without a number of classes, with an index from the end."""
        node = self.graph.node
        x = self.graph.input("x", [4], INT64)
        depth = node("Add", [node("ReduceMax", [x], keepdims=0), self.graph.count("one", 1)], output="depth")
        node("OneHot", [x, depth, self.graph.integers("values", [0, 7])], output="y", axis=0)
        self.graph.output("y", ["depth", 4], INT64)

        def run(values):
            depth = max(values) + 1
            return {"x": ([4], values, INT64)}, {"y": ([depth, 4], [[7 * (c == v % depth) for v in values] for c in range(depth)], INT64)}
        self.check_runs("depth=5", [run([0, 0, 0, 0]), run([2, 0, -1, 1]), run([4, 1, 4, 0])], run([5, 1, 4, 0])[0], "'depth' must be at most 5, its bound")

    def test_an_input_that_is_a_size(self):
        """Repetitions of rows and of columns, a broadcast and zeros, of one size."""
        node = self.graph.node
        x, times = self.graph.input("x", [2, 3]), self.graph.input("times", [1], INT64)
        once = self.graph.integers("once", [1])
        node("Tile", [x, node("Concat", [times, once], axis=0)], output="below")
        node("Tile", [x, node("Concat", [once, times], axis=0)], output="beside")
        row = self.graph.constant("row", [1, 2], [4.0, 5.0])
        node("Add", [node("Expand", [row, node("Concat", [times, self.graph.integers("two", [2])], axis=0)]),
                     node("ConstantOfShape", [node("Concat", [times, once], axis=0)])], output="sum")
        for name, dims in (("below", ["rows", 3]), ("beside", [2, "columns"]), ("sum", ["times", 2])):
            self.graph.output(name, dims)
        rows = ROWS[:2]

        def run(times):
            return {"x": ([2, 3], rows, FLOAT), "times": ([1], [times], INT64)}, {
                "below": ([2 * times, 3], rows * times, FLOAT), "beside": ([2, 3 * times], [row * times for row in rows], FLOAT),
                "sum": ([times, 2], [[4.0, 5.0]] * times, FLOAT)}
        self.check_runs("times=3", [run(1), run(3), run(0), run(2)], run(4)[0], "'times' must be at most 3, its bound")

    def test_a_shape_of_several_sizes(self):
        """A bound holds for each element that the data decide."""
        shape = self.graph.input("shape", [2], INT64)
        self.graph.node("Expand", [self.graph.constant("half", [1, 1], [0.5]), shape], output="y")
        self.graph.output("y", ["rows", "columns"])

        def run(rows, columns):
            return {"shape": ([2], [rows, columns], INT64)}, {"y": ([rows, columns], [[0.5] * columns] * rows, FLOAT)}
        self.check_runs("shape=3", [run(2, 3), run(3, 1), run(3, 3)], run(2, 4)[0], "'shape' must be at most 3, its bound")

    def test_sizes_of_tensorflow(self):
        with open(self.path("model.pbtxt"), "w", encoding="utf-8") as file:
            file.write(SUMS)

        def run(durations):
            total = sum(durations)
            return {"durations": ([3], durations, INT32)}, {"all": ([total], [8.0 + i for i in range(total)], FLOAT), "tiled": ([2 * total], [1.0, 2.0] * total, FLOAT)}
        self.check_runs("total=6", [run([1, 0, 2]), run([3, 2, 1]), run([0, 0, 0])], run([3, 2, 2])[0], "'total' must be at most 6, its bound", "model.pbtxt")


if __name__ == "__main__":
    unittest.main()
