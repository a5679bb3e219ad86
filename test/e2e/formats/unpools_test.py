#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MaxUnpool places elements where MaxPool found them: in the tensor that was pooled, whatever the shape that the windows cover.

Why:  an odd size has a row or column that no window covers, and output_shape gives it back (SegNet). Indices count its elements, too.
How:  MaxPool and MaxUnpool together leave the maxima of all windows in their places, and zeros elsewhere: numpy looks for them in
      the input. Indices whose origin is unknown keep the meaning of ONNX's own test, with a warning.
"""
import itertools
import os
import shutil
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: needs numpy")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import INT64, Graph

INT32 = 6


def find_maxima(x, kernel, strides, pads, ceil=False):
    """For each window the value and the place of its maximum: [(place in x, value), ...] by [N, C, windows]."""
    axes = len(kernel)
    counts = []
    for size, k, s, low, high in zip(x.shape[2:], kernel, strides, pads[:axes], pads[axes:]):
        span = size + low + high - k
        counts.append((-(-span // s) if ceil else span // s) + 1)
    places = np.empty([*x.shape[:2], *counts, 2 + axes], np.int64)
    for plane in np.ndindex(*x.shape[:2]):
        for window in np.ndindex(*counts):
            begins = [w * s - low for w, s, low in zip(window, strides, pads)]
            cells = [range(max(0, begin), min(size, begin + k)) for begin, k, size in zip(begins, kernel, x.shape[2:])]
            places[(*plane, *window)] = max(((*plane, *cell) for cell in itertools.product(*cells)), key=lambda at: x[at])
    return places


class Unpools:
    """A model of pools and unpools; `wanted` has what its outputs are."""

    def __init__(self, opset=13):
        self.graph, self.random = Graph("unpools", opset=opset), np.random.default_rng(4)
        self.fed, self.wanted = {}, {}

    def input(self, name, dims):
        """Numbers that all differ, none of them zero."""
        self.fed[name] = (self.random.permutation(int(np.prod(dims))) + 1).reshape(dims).astype(np.float32)
        return self.graph.input(name, list(dims))

    def add(self, name, dims, kernel, strides=None, pads=None, ceil=False, shape=None, through=(), order=0):
        """`shape` is output_shape without batch and channels; `through` are the operators that the indices pass."""
        strides, pads = strides or kernel, pads or [0] * (2 * len(kernel))
        x = self.input(name + "_x", dims)
        attributes = {"kernel_shape": kernel, "strides": strides, "pads": pads}
        y, indices = self.graph.node("MaxPool", [x], output=[name + "_y", name + "_i"], ceil_mode=int(ceil), storage_order=order, **attributes)
        places = find_maxima(self.fed[x], kernel, strides, pads, ceil)
        covered = [(count - 1) * s + k - low - high for count, s, k, low, high in
                   zip(places.shape[2:-1], strides, kernel, pads[:len(kernel)], pads[len(kernel):])]
        result = [*dims[:2], *(shape or covered)]
        pooled = [indices]
        for operator, operands, options in through:
            pooled = [self.graph.node(operator, [*pooled, *operands], **options)]
        self.graph.node("MaxUnpool", [y, *pooled, *([self.graph.integers(name + "_shape", result)] if shape else [])], output=name, **attributes)
        self.graph.output(name, result)
        wanted = np.zeros(np.maximum(dims, result), np.float32)
        for place in places.reshape(-1, len(dims)):
            at = tuple(place)
            if order:  # columns first in the pool, but rows first here, as the operators are defined
                plane, (row, column) = at[0] * dims[1] + at[1], at[2:]
                at = np.unravel_index(plane * dims[2] * dims[3] + column * dims[2] + row, dims)
            wanted[at] = self.fed[x][tuple(place)]
        self.wanted[name] = wanted[tuple(map(slice, result))]
        return name

    def save(self, path):
        self.graph.save(path)


def round_trips():
    """Every case whose result has the shape of the pooled tensor."""
    net = Unpools()
    net.add("segnet", [1, 1, 4, 5], [2, 2], shape=[4, 5])
    net.add("planes", [2, 3, 5, 7], [2, 2], shape=[5, 7])
    net.add("line", [2, 3, 11], [3], shape=[11])
    net.add("volume", [2, 2, 5, 7, 3], [2, 2, 2], shape=[5, 7, 3])
    net.add("overlapping", [2, 3, 8, 10], [3, 3], [2, 2], shape=[8, 10])
    net.add("padded", [2, 3, 8, 10], [3, 3], [2, 2], [1, 1, 1, 1], shape=[8, 10])
    net.add("lopsided", [1, 4, 9, 8], [3, 2], [3, 2], [0, 0, 1, 1], shape=[9, 8])
    net.add("apart", [1, 2, 9, 9], [2, 2], [3, 4], shape=[9, 9])
    net.add("ceil", [2, 3, 5, 7], [2, 2], ceil=True, shape=[5, 7])
    net.add("even", [2, 3, 6, 4], [2, 2])
    net.add("columns_first", [2, 3, 5, 7], [2, 2], shape=[5, 7], order=1)
    net.add("identity", [2, 3, 5, 7], [2, 2], shape=[5, 7], through=[("Identity", [], {})])
    net.add("cast", [2, 3, 5, 7], [2, 2], shape=[5, 7], through=[("Cast", [], {"to": INT32}), ("Cast", [], {"to": INT64})])
    graph = net.graph
    net.add("reshaped", [2, 3, 5, 7], [2, 2], shape=[5, 7], through=[
        ("Reshape", [graph.integers("flat", [-1])], {}), ("Identity", [], {}), ("Reshape", [graph.integers("back", [2, 3, 2, 3])], {})])
    net.add("squeezed", [1, 3, 5, 7], [2, 2], shape=[5, 7], through=[("Squeeze", [graph.integers("first", [0])], {}), ("Flatten", [], {}),
                                                                     ("Reshape", [graph.integers("again", [1, 3, 2, 3])], {})])
    return net


def add_decoder(net):
    """Two levels of SegNet: the inner one is pooled from what the outer one gives."""
    graph, attributes = net.graph, {"kernel_shape": [2, 2], "strides": [2, 2]}
    x = net.input("deep_x", [2, 3, 11, 15])
    y, outer = graph.node("MaxPool", [x], output=["deep_y", "deep_i"], **attributes)
    z, inner = graph.node("MaxPool", [y], output=["deep_z", "deep_j"], **attributes)
    z = graph.node("MaxUnpool", [graph.node("Neg", [z]), inner, graph.integers("deep_inner", [2, 3, 5, 7])], **attributes)
    graph.node("MaxUnpool", [z, outer, graph.integers("deep_outer", [2, 3, 11, 15])], output="deep", **attributes)
    graph.output("deep", [2, 3, 11, 15])
    x = net.fed[x]
    first = find_maxima(x, [2, 2], [2, 2], [0] * 4)
    second = find_maxima(x[tuple(np.moveaxis(first, -1, 0))], [2, 2], [2, 2], [0] * 4)
    net.wanted["deep"] = np.zeros_like(x)
    for place in second.reshape(-1, 4):
        at = tuple(first[tuple(place)])
        net.wanted["deep"][at] = -x[at]


class UnpoolsTest(nacre.NacreTest):
    def write(self, net):
        for name, array in net.fed.items():
            np.save(self.path(name + ".npy"), array)
        net.save(self.path("unpools.onnx"))
        return self.path("unpools.onnx")

    def check(self, net, run, model, *options):
        folder = self.path(f"out{len(os.listdir(self.folder))}")
        os.mkdir(folder)
        said = run(model, f"--output={folder}", *(f"--input={name}={self.path(name)}.npy" for name in net.fed), *options)
        for name, wanted in net.wanted.items():
            np.testing.assert_array_equal(np.load(os.path.join(folder, name + ".npy")), wanted, name)
        return said

    def evaluate(self, net):
        return self.check(net, lambda *options: self.call(os.path.join(nacre.BIN, "nacre-eval"), *options), self.write(net))

    def compile_net(self, net, *options):
        library = self.path("libunpools.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.write(net), "-o", library, "--quiet", *options)
        return library

    def all_nets(self):
        net = round_trips()
        add_decoder(net)
        return net

    def test_round_trips(self):
        self.assertNotIn("warning", self.evaluate(self.all_nets()))

    def test_libraries(self):
        net = self.all_nets()
        self.check(net, self.run_model, self.compile_net(net))

    @unittest.skipUnless(shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT), "needs qemu-aarch64 and an arm64 sysroot")
    def test_libraries_on_arm64(self):
        net = self.all_nets()
        self.check(net, self.run_arm64, self.compile_net(net, "--target=linux-arm64"))

    def test_libraries_on_a_gpu(self):
        net = self.all_nets()
        library = self.compile_net(net, "--place=gpu")
        for cut in (100, 50):
            with self.subTest(cut=cut):
                self.check(net, self.run_model, library, f"--gpu-cut={cut}")

    def test_results_of_other_shapes(self):
        """Elements stay where they were; what does not fit is cut off."""
        for name, options, shapes in (("omitted", {}, ([2, 3, 5, 7], [2, 3, 4, 6])), ("larger", {"shape": [6, 8]}, ([2, 3, 5, 7], [2, 3, 6, 8])),
                                      ("as_covered", {"shape": [4, 6]}, ([2, 3, 5, 7], [2, 3, 4, 6]))):
            with self.subTest(name):
                net = Unpools()
                net.add(name, [2, 3, 5, 7], [2, 2], **options)
                said = self.evaluate(net)
                read, result = (", ".join(map(str, shape)) for shape in shapes)
                self.assertIn(f"the indices are read in the shape of the tensor that was pooled, [{read}]; ONNX Runtime reads them in the result's shape, [{result}]", said)

    def test_indices_of_unknown_origin(self):
        """They count the elements that the windows cover, as in ONNX's own test of output_shape."""
        for shape in (None, [1, 1, 5, 5], [1, 1, 4, 4]):
            with self.subTest(shape=shape):
                net = Unpools()
                x = net.input("x", [1, 1, 2, 2])
                indices = net.graph.input("i", [1, 1, 2, 2], INT64)
                net.fed["i"] = np.array([5, 7, 13, 15]).reshape(1, 1, 2, 2)
                net.graph.node("MaxUnpool", [x, indices, *([net.graph.integers("shape", shape)] if shape else [])], output="y", kernel_shape=[2, 2], strides=[2, 2])
                net.graph.output("y", shape or [1, 1, 4, 4])
                net.wanted["y"] = np.zeros(shape or [1, 1, 4, 4], np.float32)
                net.wanted["y"][0, 0, 1:4:2, 1:4:2] = net.fed["x"]
                said = self.evaluate(net)
                (self.assertIn if shape == [1, 1, 5, 5] else self.assertNotIn)(
                    "the indices do not come directly from a MaxPool of the model, so they are read in the shape that the windows cover, [1, 1, 4, 4]", said)

    def test_an_output_shape_that_is_too_small(self):
        net = Unpools()
        net.add("y", [1, 1, 5, 7], [2, 2], shape=[4, 5])
        said = self.call(os.path.join(nacre.BIN, "nacre-eval"), self.write(net), status=3)
        self.assertIn("operand 2 ('output_shape') must be [1, 1, 4, 6] or larger along spatial axes, but is [1, 1, 4, 5]", said)


if __name__ == "__main__":
    unittest.main()
