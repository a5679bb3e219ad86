#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators between DequantizeLinear and QuantizeLinear give the bits of f32 arithmetic in ONNX's order, on every engine.

Why:  where scales have simple ratios, a real often lies in the middle between two codes, and each rounding decides the code. A factor in place of
      a division rounds otherwise, so that it may be used only where no code changes.
How:  moved codes, sums, differences and products see all codes or pairs of codes, pools and resized images see random ones. The scales are
      simple, or those that calibration finds. The reference is NumPy in f32: (code - zero) * scale, the operator, x / scale, halves to even.
"""
import os
import platform
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
from onnx_writer import Graph, _tensor

F32 = np.float32
TYPES = {np.dtype(np.float32): 1, np.dtype(np.uint8): 2, np.dtype(np.int8): 3}
#: Scales of two operands and of the result.
SCALES = [(.02, .02, .04), (.03, .03, .02), (.1, .05, .1), (.02, .03, .025), (.0173, .0311, .0237), (.0411, .0057, .0319)]
QEMU_ARM64 = shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT)
IS_X86_64 = platform.machine() == "x86_64"


class Network:
    """Layers, each of inputs of its own; `wanted` has the codes of each result. With `folded` the inputs are constants."""

    def __init__(self, element, opset=13, folded=False):
        self.graph, self.random, self.folded = Graph("bits", opset=opset), np.random.default_rng(5), folded
        self.element, self.range = np.dtype(element), np.iinfo(element)
        self.fed, self.wanted, self.number = {}, {}, 0

    def constant(self, array):
        array = np.asarray(array)
        name = f"constant_{len(self.graph.initializers)}"
        self.graph.initializers.append(_tensor(name, TYPES[array.dtype], list(array.shape), array.tobytes()))
        return name

    def facts(self, scale, zero):
        return [self.constant(F32(scale)), self.constant(np.asarray(zero, self.element))]

    def reals(self, codes, scale, zero):
        """The name of dequantized codes, and their reals."""
        if self.folded:
            name = self.constant(codes)
        else:
            name = f"input_{len(self.fed)}"
            self.graph.input(name, list(codes.shape), TYPES[codes.dtype])
            self.fed[name] = codes
        return self.graph.node("DequantizeLinear", [name, *self.facts(scale, zero)]), (codes.astype(F32) - F32(zero)) * F32(scale)

    def quantize(self, kind, name, reals, scale, zero):
        assert reals.dtype == F32
        result = f"{kind}_{len(self.wanted)}"
        self.graph.node("QuantizeLinear", [name, *self.facts(scale, zero)], output=result)
        self.graph.output(result, list(reals.shape), TYPES[self.element])
        self.wanted[result] = np.clip(np.rint(reals / F32(scale)) + F32(zero), self.range.min, self.range.max).astype(self.element)

    def zero(self):
        return int(self.random.integers(self.range.min, self.range.max + 1))

    def all_codes(self):
        return np.arange(self.range.min, self.range.max + 1).astype(self.element).reshape(1, 4, 8, 8)

    def all_pairs(self):
        a, b = np.meshgrid(self.all_codes().ravel(), self.all_codes().ravel(), indexing="ij")
        return a.reshape(1, 16, 64, 64), b.reshape(1, 16, 64, 64)

    def codes(self, *shape):
        return self.random.integers(self.range.min, self.range.max + 1, shape).astype(self.element)


def movements(net, pairs):
    """Codes that become codes of other scales, with movement and bounds in between."""
    for number in range(pairs):
        draw = net.random.integers(1, 21, 2) * .01 if number % 2 else net.random.uniform(.001, .1, 2)
        name, reals = net.reals(net.all_codes(), draw[0], net.zero())
        if number % 5 == 1:
            name, reals = net.graph.node("MaxPool", [name], kernel_shape=[2, 2]), np.maximum.reduce(
                [reals[:, :, i:7 + i, j:7 + j] for i in (0, 1) for j in (0, 1)])
        elif number % 5 == 2:
            name, reals = net.graph.node("Transpose", [name], perm=[0, 2, 3, 1]), reals.transpose(0, 2, 3, 1)
        elif number % 5 == 3:
            name, reals = net.graph.node("Relu", [name]), np.maximum(reals, 0)
        elif number % 5 == 4:
            name, reals = net.graph.node("LeakyRelu", [name], alpha=.1), np.where(reals < 0, F32(.1) * reals, reals)
        net.quantize("moved", name, reals, draw[1], net.zero())
    for a, b, y in SCALES:
        parts = [net.reals(net.all_codes(), scale, net.zero()) for scale in (a, b, y)]
        net.quantize("joined", net.graph.node("Concat", [name for name, _ in parts], axis=1),
                     np.concatenate([reals for _, reals in parts], 1), y, net.zero())


def pairs(net):
    """All pairs of codes."""
    left, right = net.all_pairs()
    for operator, function in (("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply)):
        for a, b, y in SCALES:
            x, of_x = net.reals(left, a, net.zero())
            w, of_w = net.reals(right, b, net.zero())
            net.quantize(operator, net.graph.node(operator, [x, w]), function(of_x, of_w), y, net.zero())
    x, of_x = net.reals(left, .02, net.zero())
    w, of_w = net.reals(right, .02, net.zero())
    net.quantize("rectified", net.graph.node("Relu", [net.graph.node("Add", [x, w])]), np.maximum(of_x + of_w, 0), .04, net.zero())
    net.quantize("square", net.graph.node("Mul", [x, x]), of_x * of_x, .05, net.zero())


def average(reals, kernel, stride, pads, counts_padding, columns_first):
    """Of [1, C, H, W]: cells one after the other, or columns first, divided by their number."""
    cells = [np.pad(x, ((0, 0), (0, 0), (pads, pads), (pads, pads))) for x in (reals, np.ones_like(reals))]
    places = [(size + 2 * pads - cell) // stride + 1 for size, cell in zip(reals.shape[2:], kernel)]

    def at(array, i, j):
        return array[:, :, i:i + stride * (places[0] - 1) + 1:stride, j:j + stride * (places[1] - 1) + 1:stride]

    def add_up(array):
        if not columns_first:
            order = [(i, j) for i in range(kernel[0]) for j in range(kernel[1])]
            return sum((at(array, *cell) for cell in order), F32(0))
        columns = [sum((at(array, i, j) for i in range(kernel[0])), F32(0)) for j in range(kernel[1])]
        return sum(columns, F32(0))
    return add_up(cells[0]) / (F32(kernel[0] * kernel[1]) if counts_padding else add_up(cells[1]))


def pools(net):
    """Averages of windows: columns first below opset 19 if strides are small, unless sizes are rounded up and padding is counted."""
    for kernel, stride, pads, counts_padding, rounds_up in (
            ((2, 2), 2, 0, 0, 0), ((3, 3), 1, 1, 0, 0), ((3, 3), 2, 1, 1, 0), ((1, 4), 1, 0, 0, 0), ((3, 3), 3, 0, 0, 0), ((3, 3), 2, 1, 1, 1), ((2, 4), 1, 0, 0, 1), ((5, 5), 2, 2, 0, 0)):
        for x_scale, y in ((.02, .04), (.03, .02), (.05, .05), (.0173, .0237)):
            name, reals = net.reals(net.codes(1, 8, 17, 19), x_scale, net.zero())
            name = net.graph.node("AveragePool", [name], kernel_shape=list(kernel), strides=[stride] * 2, pads=[pads] * 4, ceil_mode=rounds_up,
                                  count_include_pad=counts_padding)
            columns_first = net.graph.opset < 19 and stride <= 2 and not (rounds_up and counts_padding)
            wanted = average(reals, kernel, stride, pads, counts_padding, columns_first)
            net.quantize("average", name, wanted, y, net.zero())
            if kernel == (1, 4):  # a bound before the average
                before, reals = net.reals(net.codes(1, 8, 17, 19), x_scale, net.zero())
                before = net.graph.node("AveragePool", [net.graph.node("Relu", [before])], kernel_shape=list(kernel))
                net.quantize("rectified", before, average(np.maximum(reals, 0), kernel, 1, 0, 0, columns_first), y, net.zero())
            if kernel == (2, 2):  # two quantizations of the same average, one of them of its transpose
                net.quantize("turned", net.graph.node("Transpose", [name], perm=[0, 2, 3, 1]), wanted.transpose(0, 2, 3, 1), .03, net.zero())


def neighbours(size, scale, rule):
    """Of an axis: the two elements of each position, and their weights."""
    places = np.arange(int(size * scale), dtype=F32)
    at = {"half_pixel": (places + F32(.5)) / F32(scale) - F32(.5), "asymmetric": places / F32(scale),
          "align_corners": places * F32(size - 1) / F32(len(places) - 1)}[rule]
    at = np.clip(at, F32(0), F32(size - 1))
    first = np.floor(at).astype(int)
    second = np.minimum(first + 1, size - 1)
    weight = at - first.astype(F32)
    is_last = first == second
    return first, second, np.where(is_last, F32(.5), F32(1) - weight), np.where(is_last, F32(.5), weight)


def resizes(net):
    """Linear interpolation: each neighbour times the product of its weights, the upper left one first."""
    for rule, scale in (("half_pixel", 2), ("asymmetric", 2), ("half_pixel", 4), ("align_corners", 2), ("asymmetric", 4)):
        for x_scale, y in ((.02, .02), (.02, .04), (.0173, .0237)):
            zero = net.zero()
            name, reals = net.reals(net.codes(1, 6, 9, 11), x_scale, zero)
            upper, lower, up, down = neighbours(9, scale, rule)
            left, right, west, east = neighbours(11, scale, rule)
            up, down = up[:, None], down[:, None]
            rows = [reals[:, :, at] for at in (upper, lower)]
            wanted = west * up * rows[0][..., left] + east * up * rows[0][..., right] + west * down * rows[1][..., left] + east * down * rows[1][..., right]
            name = net.graph.node("Resize", [name, "", net.constant(np.asarray([1, 1, scale, scale], F32))], mode="linear", coordinate_transformation_mode=rule)
            net.quantize("resized", name, wanted, y, zero if x_scale == y else net.zero())


NETWORKS = {"movements": lambda net: movements(net, 60), "pairs": pairs, "pools": pools, "resizes": resizes}


class QdqBitsTest(nacre.NacreTest):
    parts = 3

    def check(self, options, runs, element=np.int8, folded=False):
        for opset in (13, 19):
            for kind, make in NETWORKS.items():
                if opset != 13 and kind != "pools":
                    continue
                with self.subTest(kind, opset=opset, element=np.dtype(element).name):
                    net = Network(element, opset, folded)
                    make(net)
                    self.compile_and_compare(net, options, runs)

    def compile_and_compare(self, net, options, runs):
        path, library = self.path("bits.onnx"), self.path("libbits.so")
        net.graph.save(path)
        self.call(os.path.join(nacre.BIN, "nacre-compile"), path, "-o", library, "--quiet", *options)
        inputs = []
        for name, array in net.fed.items():
            np.save(self.path(name + ".npy"), array)
            inputs.append(f"--input={name}={self.path(name + '.npy')}")
        for run in runs:
            folder = self.path(f"out{len(os.listdir(self.folder))}")
            os.mkdir(folder)
            run(library, f"--output={folder}", *inputs)
            for name, wanted in net.wanted.items():
                differ = np.count_nonzero(np.load(os.path.join(folder, name + ".npy")) != wanted)
                self.assertEqual(differ, 0, f"{name}, of {wanted.size} codes")

    def test_host(self):
        for element in (np.int8, np.uint8):
            self.check((), (self.run_model,), element)

    def test_constants(self):
        self.check((), (self.run_model,), folded=True)

    @unittest.skipUnless(IS_X86_64 and shutil.which("qemu-x86_64"), "needs an x86-64 host with qemu-x86_64")
    def test_x86_64_variants(self):
        def emulate(cpu):
            return lambda *options: self.call("qemu-x86_64", "-cpu", cpu, os.path.join(nacre.BIN, "nacre-run"), *options)
        self.check(("--target=linux-x86_64", "--cpu=cascadelake,x86-64-v3,x86-64-v2"), (self.run_model, emulate("Haswell"), emulate("Nehalem")))

    @unittest.skipUnless(QEMU_ARM64, "needs qemu-aarch64 and an arm64 sysroot")
    def test_arm64_variants(self):
        runs = [lambda *options, cpu=cpu: self.run_arm64(*options, cpu=cpu) for cpu in ("cortex-a53", "max")]
        self.check(("--target=linux-arm64", "--cpu=cortex-a53,cortex-a710"), runs)

    def test_gpu(self):
        self.check(("--place=gpu",), (lambda *options: self.run_model(*options, "--gpu"),))

    def test_split(self):
        self.check(("--place=split:50",), (lambda *options: self.run_model(*options, "--gpu"),), np.uint8)


if __name__ == "__main__":
    unittest.main()
