#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transposed convolutions of any stride, pad, dilation and group, against the sum that defines them.

Why:  the compiler makes several ordinary convolutions of one, which write every so manyth element of the result, and lets
      what follows join them: an activation, a concatenation, the border of the next convolution.
How:  random nodes side by side in one model, each with something behind it; what they must give is computed here, element
      by element. The same on the GPU, and on both engines.
"""
import itertools
import math
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import Graph, write_npy


class Tensor:
    def __init__(self, dims, values):
        self.dims, self.values = list(dims), values
        self.strides = [math.prod(dims[i + 1:]) for i in range(len(dims))]

    def at(self, index):
        return sum(i * s for i, s in zip(index, self.strides))

    def indices(self):
        return itertools.product(*map(range, self.dims))


def transposed(x, w, bias, result, strides, low, dilations, groups):
    """x [N, C, ...], w [C, M / groups, ...]: every element goes to where the filter's elements reach from it."""
    y = Tensor(result, [0.0] * math.prod(result))
    outputs, inputs = w.dims[1], x.dims[1] // groups
    for index in y.indices():
        y.values[y.at(index)] = bias[index[1]]
    for n, c, *place in x.indices():
        for m, *tap in itertools.product(*map(range, w.dims[1:])):
            to = [i * s + t * d - p for i, s, t, d, p in zip(place, strides, tap, dilations, low)]
            if all(0 <= o < size for o, size in zip(to, result[2:])):
                y.values[y.at([n, c // inputs * outputs + m, *to])] += x.values[x.at([n, c, *place])] * w.values[w.at([c, m, *tap])]
    return y


def padded_sum(y):
    """A convolution of one filter of ones, 3 wide, padded by 1: the sum of every element's neighbours in all channels."""
    result = Tensor([y.dims[0], 1, *y.dims[2:]], [0.0] * (y.dims[0] * math.prod(y.dims[2:])))
    for n, c, *place in y.indices():
        for step in itertools.product((-1, 0, 1), repeat=len(place)):
            to = [p + s for p, s in zip(place, step)]
            if all(0 <= o < size for o, size in zip(to, y.dims[2:])):
                result.values[result.at([n, 0, *to])] += y.values[y.at([n, c, *place])]
    return result


class TransposedTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(11)
        self.graph = Graph("transposed", opset=13)
        self.inputs, self.expected = [], []

    def uniform(self, count):
        return [self.random.uniform(-1, 1) for _ in range(count)]

    def input(self, name, dims):
        values = self.uniform(math.prod(dims))
        write_npy(self.path(f"{name}.npy"), dims, values)
        self.inputs.append(f"--input={self.graph.input(name, dims)}={self.path(name)}.npy")
        return Tensor(dims, values)

    def expect(self, name, y):
        self.graph.output(name, y.dims)
        write_npy(self.path(f"{name}_expected.npy"), y.dims, y.values)
        self.expected.append(f"--expect={name}={self.path(name)}_expected.npy")

    def draw(self, number, spatial, strides, kernel, dilations, groups, channels, filters):
        """A node with random pads, some of which add elements, and output padding, and what stands behind it by its number."""
        pick, name = self.random, f"n{number}"
        x = self.input(f"x{number}", [pick.randint(1, 2), channels] + [pick.randint(1, 6 if spatial < 3 else 3) for _ in range(spatial)])
        reach = [(i - 1) * s + (k - 1) * d + 1 for i, s, k, d in zip(x.dims[2:], strides, kernel, dilations)]
        low, high = ([pick.randint(-2, max(0, (r - 1) // 3)) for r in reach] for _ in range(2))
        more = [pick.randint(0, max(s, d) - 1) for s, d in zip(strides, dilations)]
        w = Tensor([channels, filters // groups, *kernel], self.uniform(channels * filters // groups * math.prod(kernel)))
        bias = self.uniform(filters)
        weights = [self.graph.constant(f"w{number}", w.dims, w.values), self.graph.constant(f"b{number}", [filters], bias)]
        self.graph.node("ConvTranspose", [f"x{number}", *weights], output=name, strides=strides, dilations=dilations, group=groups,
                        pads=low + high, output_padding=more)
        result = [x.dims[0], filters] + [r - a - b + m for r, a, b, m in zip(reach, low, high, more)]
        y = transposed(x, w, bias, result, strides, low, dilations, groups)
        self.follow(number, name, y)

    def follow(self, number, name, y):
        behind = name + "_behind"
        if number % 4 == 0:  # an activation that reads it twice
            self.graph.node("Mul", [name, self.graph.node("Sigmoid", [name])], output=behind)
            y = Tensor(y.dims, [v / (1 + math.exp(-v)) for v in y.values])
        elif number % 4 == 1:  # written into a concatenation, with the border of a convolution
            other = self.input(f"o{number}", [y.dims[0], 4, *y.dims[2:]])
            joined = Tensor([y.dims[0], y.dims[1] + 4, *y.dims[2:]], [])
            for n in range(y.dims[0]):
                for part in (y, other):
                    joined.values += part.values[n * part.strides[0]:(n + 1) * part.strides[0]]
            self.graph.node("Concat", [self.graph.node("Relu", [name]), f"o{number}"], output=behind + "_joined", axis=1)
            relu = [max(v, 0.0) if i // joined.strides[1] % joined.dims[1] < y.dims[1] else v for i, v in enumerate(joined.values)]
            spatial = len(y.dims) - 2
            ones = self.graph.constant(f"ones{number}", [1, joined.dims[1]] + [3] * spatial, [1.0] * (joined.dims[1] * 3 ** spatial))
            self.graph.node("Conv", [behind + "_joined", ones], output=behind, pads=[1] * 2 * spatial)
            y = padded_sum(Tensor(joined.dims, relu))
        elif number % 4 == 2:  # a sum with as large a tensor
            other = self.input(f"o{number}", y.dims)
            self.graph.node("Add", [name, f"o{number}"], output=behind)
            y = Tensor(y.dims, [a + b for a, b in zip(y.values, other.values)])
        else:
            self.graph.node("Identity", [name], output=behind)
        self.expect(behind, y)

    def check(self):
        self.graph.save(self.path("transposed.onnx"))
        for place, cuts in (("cpu", [None]), ("gpu", [100, 50])):
            library = self.path(f"lib{place}.so")
            self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("transposed.onnx"), "-o", library, f"--place={place}")
            for cut in cuts:
                with self.subTest(f"on {place}, cut {cut}"):
                    options = [] if cut is None else [f"--gpu-cut={cut}"]
                    said = self.run_model(library, *options, *self.inputs, "--rtol=1e-4", "--atol=1e-4", *self.expected)
                    self.assertEqual(said.count("agrees"), len(self.expected), said)

    def test_images(self):
        pick = self.random
        for number in range(12):
            strides, dilations = [pick.randint(1, 3), pick.randint(1, 4)], [pick.choice((1, 1, 1, 2, 3)) for _ in range(2)]
            kernel = [pick.randint(1, 5) for _ in range(2)]
            groups = pick.choice((1, 1, 2))
            self.draw(number, 2, strides, kernel, dilations, groups, groups * pick.randint(1, 5), groups * pick.choice((1, 3, 8, 11)))
        self.check()

    def test_lines_volumes_and_channels_of_their_own(self):
        pick = self.random
        for number in range(4):
            self.draw(number, 1, [pick.randint(1, 5)], [pick.randint(1, 6)], [pick.randint(1, 2)], 1, pick.randint(1, 6), pick.choice((2, 16)))
        for number in range(4, 6):
            self.draw(number, 3, [2, 1, 2], [pick.randint(1, 3) for _ in range(3)], [1] * 3, 1, 3, pick.choice((2, 9)))
        for number in range(6, 9):
            self.draw(number, 2, [2, 2], [pick.randint(2, 4)] * 2, [1, 1], 6, 6, 6)
        self.check()


if __name__ == "__main__":
    unittest.main()
