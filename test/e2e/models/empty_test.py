#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors without elements, through an operator of every family: what reads nothing gives a number, what makes nothing costs nothing.

One model has them all side by side; it is compiled for the CPU, for the GPU and for whichever is predicted to be faster.
"""
import math
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from nacre import Graph

FLOAT, INT32, INT64 = 1, 6, 7
BIAS = 0.5


class EmptyModel:
    def __init__(self):
        self.graph = Graph("empty", opset=17)
        self.expected = {}  # by output: how many elements, and what each is

    def add(self, operator, inputs, result, number=None, weights=(), integers=(), element_type=FLOAT, result_type=None, **attributes):
        """`weights` are all BIAS."""
        graph, name = self.graph, f"{operator.lower()}_{len(self.expected)}"
        operands = [graph.input(f"{name}_x{i}", dims, element_type) for i, dims in enumerate(inputs)]
        operands += [graph.weight(f"{name}_w{i}", dims, BIAS, BIAS) for i, dims in enumerate(weights)]
        operands += [graph.integers(f"{name}_i{i}", values) for i, values in enumerate(integers)]
        graph.output(graph.node(operator, operands, output=name, name=name, **attributes), result, result_type or element_type)
        count = math.prod(result)
        assert (count == 0) == (number is None)
        self.expected[name] = (count, number, {FLOAT: "f", INT32: "i", INT64: "q"}[result_type or element_type])

    def add_all(self):
        self.add_elementwise()
        self.add_contractions()
        self.add_windows()
        self.add_rows_and_reductions()
        self.add_movement()
        for cell, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
            for steps, batch, size, hidden in ((0, 1, 3, 4), (5, 0, 3, 4), (5, 1, 0, 4), (5, 1, 3, 0)):
                self.add(cell, [[steps, batch, size]], [steps, 1, batch, hidden], 0 if size == 0 else None,
                         [[1, gates * hidden, size], [1, gates * hidden, hidden]], hidden_size=hidden)

    def add_elementwise(self):
        self.add("Relu", [[0, 4]], [0, 4])
        self.add("Add", [[0, 4], [1, 4]], [0, 4])
        self.add("Add", [[2, 1], [1, 0]], [2, 0])
        self.add("PRelu", [[0, 4]], [0, 4], weights=[[4]])
        self.add("BatchNormalization", [[0, 3, 4, 4]], [0, 3, 4, 4], weights=[[3]] * 4)
        self.add("Cast", [[0, 4]], [0, 4], result_type=INT32, to=INT32)

    def add_contractions(self):
        for columns in (4, 600):
            self.add("Gemm", [[3, 0], [0, columns]], [3, columns], BIAS, [[columns]])
            self.add("Gemm", [[3, 0]], [3, columns], BIAS, [[0, columns], [columns]])
        self.add("Gemm", [[0, 5]], [0, 4], weights=[[5, 4], [4]])
        self.add("Gemm", [[3, 5]], [3, 0], weights=[[5, 0], [0]])
        self.add("MatMul", [[3, 0], [0, 4]], [3, 4], 0)
        self.add("MatMul", [[2, 3, 0], [2, 0, 4]], [2, 3, 4], 0)
        self.add("MatMul", [[3, 0], [0, 4]], [3, 4], 0, element_type=INT32)
        self.add("MatMul", [[0], [0]], [], 0)
        self.add("MatMul", [[0, 3, 5], [0, 5, 4]], [0, 3, 4])
        self.add("Conv", [[0, 3, 8, 8]], [0, 4, 8, 8], weights=[[4, 3, 3, 3], [4]], pads=[1] * 4)
        self.add("Conv", [[1, 0, 8, 8]], [1, 4, 8, 8], BIAS, [[4, 0, 3, 3], [4]], pads=[1] * 4)
        self.add("Conv", [[1, 3, 8, 8]], [1, 0, 8, 8], weights=[[0, 3, 3, 3], [0]], pads=[1] * 4)
        self.add("Conv", [[1, 3, 0, 8]], [1, 4, 2, 8], BIAS, [[4, 3, 3, 3], [4]], pads=[2, 1, 2, 1])

    def add_windows(self):
        window = {"kernel_shape": [2, 2], "pads": [1, 0, 1, 0]}
        self.add("MaxPool", [[0, 3, 8, 8]], [0, 3, 7, 7], kernel_shape=[2, 2])
        self.add("AveragePool", [[1, 0, 8, 8]], [1, 0, 7, 7], kernel_shape=[2, 2])
        self.add("MaxPool", [[1, 3, 0, 8]], [1, 3, 1, 7], -math.inf, **window)
        self.add("AveragePool", [[1, 3, 0, 8]], [1, 3, 1, 7], math.nan, **window)
        self.add("AveragePool", [[1, 3, 0, 8]], [1, 3, 1, 7], 0, count_include_pad=1, **window)
        self.add("GlobalAveragePool", [[0, 3, 8, 8]], [0, 3, 1, 1])
        self.add("GlobalAveragePool", [[1, 3, 0, 8]], [1, 3, 1, 1], math.nan)
        self.add("GlobalMaxPool", [[1, 3, 0, 8]], [1, 3, 1, 1], -math.inf)
        self.add("LRN", [[1, 0, 4, 4]], [1, 0, 4, 4], size=3)

    def add_rows_and_reductions(self):
        self.add("LayerNormalization", [[0, 4]], [0, 4], weights=[[4]], axis=-1)
        self.add("LayerNormalization", [[3, 0]], [3, 0], weights=[[0]], axis=-1)
        self.add("InstanceNormalization", [[0, 3, 4, 4]], [0, 3, 4, 4], weights=[[3], [3]])
        self.add("InstanceNormalization", [[2, 3, 0, 4]], [2, 3, 0, 4], weights=[[3], [3]])
        self.add("MeanVarianceNormalization", [[0, 3, 4, 4]], [0, 3, 4, 4])
        for operator in ("Softmax", "LogSoftmax", "Hardmax"):
            self.add(operator, [[0, 4]], [0, 4], axis=1)
        self.add("Softmax", [[4, 0]], [4, 0], axis=1)
        for element_type, mean, least, greatest in ((FLOAT, math.nan, -math.inf, math.inf), (INT32, 0, -2**31, 2**31 - 1)):
            for operator, number in (("ReduceMean", mean), ("ReduceMax", least), ("ReduceMin", greatest), ("ReduceProd", 1), ("ReduceL1", 0),
                                     ("ReduceSumSquare", 0)):
                self.add(operator, [[3, 0]], [3, 1], number, element_type=element_type, axes=[1])
                self.add(operator, [[0, 3]], [0, 1], element_type=element_type, axes=[1])
        self.add("ArgMax", [[0, 3]], [0, 1], result_type=INT64, axis=1)

    def add_movement(self):
        self.add("Reshape", [[0, 4]], [4, 0], integers=[[4, 0]], allowzero=1)
        self.add("Transpose", [[0, 4, 2]], [2, 0, 4], perm=[2, 0, 1])
        self.add("Concat", [[0, 4], [0, 3]], [0, 7], axis=1)
        self.add("Concat", [[0, 4]], [2, 4], BIAS, [[2, 4]], axis=0)
        self.add("Slice", [[5, 4]], [0, 4], integers=[[2], [2], [0]])
        self.add("Pad", [[0, 4]], [2, 4], 0, integers=[[1, 0, 1, 0]])
        self.add("Pad", [[0, 4]], [0, 6], integers=[[0, 1, 0, 1]], mode="reflect")
        self.add("Gather", [[5, 4]], [0, 4], integers=[[]])
        self.add("Gather", [[0, 4]], [0, 2], integers=[[1, 2]], axis=1)
        self.add("Expand", [[1, 4]], [0, 4], integers=[[0, 4]])
        self.add("Tile", [[3, 4]], [0, 4], integers=[[0, 1]])
        self.add("DepthToSpace", [[0, 4, 2, 2]], [0, 1, 4, 4], blocksize=2)


class EmptyTest(nacre.NacreTest):
    def compile_all(self, name, *options):
        model = EmptyModel()
        model.add_all()
        model.graph.save(self.path("empty.onnx"))
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("empty.onnx"), "-o", self.path(name), "--quiet", *options)
        return model

    def test_answers(self):
        model = self.compile_all("libempty.so")
        self.run_model(self.path("libempty.so"), f"--output={self.folder}")
        for name, (count, number, code) in model.expected.items():
            with open(self.path(name + ".npy"), "rb") as file:
                data = file.read()
            values = struct.unpack(f"<{count}{code}", data[10 + struct.unpack("<H", data[8:10])[0]:])
            for value in values:
                self.assertEqual(repr(value + 0), repr(number + (0.0 if code == "f" else 0)), name)

    def test_placements(self):
        self.compile_all("libgpu.so", "--place=gpu")
        self.compile_all("libsplit.so", "--place=split:50", "--gpu-precision=fp16")
        self.compile_all("libauto.so", "--place=auto", "--device=snapdragon-778g")


if __name__ == "__main__":
    unittest.main()
