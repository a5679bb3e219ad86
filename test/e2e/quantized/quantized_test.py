#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantized networks give the bytes that their definitions say, on every CPU and with any number of threads.

Why:  sums of integers have one right answer, and what follows them is one multiplication in f32 and one rounding to even:
      nothing is left that an instruction set could decide.
How:  two small networks of random bytes, computed here step by step, integers as Python's and floats rounded after each
      operation; every tensor on the way is an output. Zero points lie off the middle, of inputs, weights and results.
"""
import itertools
import json
import math
import os
import random
import shutil
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from element_types import F32, TYPES
from folding_comparison import Comparison, Family
from onnx_writer import Graph, _bytes, _number, _tensor

FLOAT, UINT8, INT8, INT32 = 1, 2, 3, 6
CODES = {FLOAT: "f", UINT8: "B", INT8: "b", INT32: "i"}


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def saturate(steps, zero, element):
    low, high = (0, 255) if element == UINT8 else (-128, 127)
    return min(max(round(steps) + zero, low), high)


class Network(Graph):
    """A model and what its values are."""

    def __init__(self, name, seed):
        super().__init__(name, seed)
        self.values, self.fed, self.wanted = {}, {}, {}

    def known(self, name, element, dims, values, fed=False):
        """An input of the model, or a constant."""
        values = list(values)
        raw = struct.pack(f"<{len(values)}{CODES[element]}", *values)
        self.values[name] = (dims, values)
        if fed:
            self.fed[self.input(name, dims, element)] = _tensor(name, element, dims, raw)
        else:
            self.initializers.append(_tensor(name, element, dims, raw))
        return name

    def bytes(self, name, element, dims, fed=False):
        low, high = (0, 255) if element == UINT8 else (-127, 127)
        return self.known(name, element, dims, [self.random.randint(low, high) for _ in range(math.prod(dims))], fed)

    def scalar(self, name, element, value):
        return self.known(name, element, [], [value])

    def scale(self, name, value):
        return self.scalar(name, FLOAT, f32(value))

    def result(self, operator, inputs, results, domain="", **attributes):
        """Adds a node; `results` are name, element type, dims and what the values must be."""
        self.node(operator, inputs, output=results[0][0], **attributes)
        more = b"".join(_bytes(2, name) for name, *_ in results[1:])
        self.nodes[-1] += more + (_bytes(7, domain) if domain else b"")
        for name, element, dims, values in results:
            self.values[name] = (dims, values)
            self.wanted[name] = (element, values)
            self.output(name, dims, element)

    def save(self, path):
        super().save(path)
        with open(path, "ab") as file:
            file.write(_bytes(8, _bytes(1, "com.microsoft") + _number(2, 1)))


def convolve(x, x_zero, w, w_zero, pads, stride, groups):
    """Sums over [1, C, H, W] and [O, C / groups, h, w], and their dims; padding stands for 0."""
    ((_, channels, height, width), xs), ((outputs, inner, h, w_), ws) = x, w
    out = [1, outputs, (height + 2 * pads - h) // stride + 1, (width + 2 * pads - w_) // stride + 1]
    sums = []
    for o, r, c in itertools.product(*map(range, out[1:])):
        total = 0
        for k, i, j in itertools.product(range(inner), range(h), range(w_)):
            row, column = r * stride + i - pads, c * stride + j - pads
            if 0 <= row < height and 0 <= column < width:
                channel = o // (outputs // groups) * (channels // groups) + k
                total += (xs[(channel * height + row) * width + column] - x_zero) * (ws[((o * inner + k) * h + i) * w_ + j] - w_zero)
        sums.append(total)
    return sums, out


def convnet():
    """Convolutions by symmetric and asymmetric weights, a residual, a global average, and a dense layer."""
    net = Network("convnet", seed=4)
    value = lambda name: net.values[name][1][0]

    def conv(name, x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias=None, element=UINT8, **window):
        groups, pads, stride = window.get("group", 1), window.get("pads", [0])[0], window.get("strides", [1])[0]
        sums, dims = convolve(net.values[x], value(x_zero), net.values[w], value(w_zero), pads, stride, groups)
        each = math.prod(dims[2:])
        scales = net.values[w_scale][1] * (1 if len(net.values[w_scale][1]) > 1 else dims[1])
        values = []
        for index, total in enumerate(sums):
            channel = index // each
            total += net.values[bias][1][channel] if bias else 0
            factor = f32(f32(value(x_scale) * scales[channel]) / value(y_scale))
            values.append(saturate(f32(f32(total) * factor), value(y_zero), element))
        operands = [x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero] + ([bias] if bias else [])
        net.result("QLinearConv", operands, [(name, element, dims, values)], **window)

    net.bytes("x", UINT8, [1, 3, 7, 6], fed=True)
    net.scale("xs", 0.021), net.scalar("xz", UINT8, 117)
    net.bytes("w1", INT8, [4, 3, 3, 3]), net.scalar("zero", INT8, 0)
    net.known("w1s", FLOAT, [4], [f32(0.004 + 0.003 * i) for i in range(4)])
    net.known("b1", INT32, [4], [1500, -2500, 0, 700])
    net.scale("y1s", 0.09), net.scalar("y1z", UINT8, 96)
    conv("y1", "x", "xs", "xz", "w1", "w1s", "zero", "y1s", "y1z", bias="b1", pads=[1, 1, 1, 1])

    net.bytes("w2", UINT8, [4, 1, 3, 3]), net.scale("w2s", 0.013), net.scalar("w2z", UINT8, 140)
    net.scale("y2s", 0.4), net.scalar("y2z", UINT8, 131)
    conv("y2", "y1", "y1s", "y1z", "w2", "w2s", "w2z", "y2s", "y2z", group=4, pads=[1, 1, 1, 1], strides=[2, 2])
    net.bytes("w3", UINT8, [4, 2, 1, 1]), net.scalar("w3z", UINT8, 119)
    conv("y3", "y1", "y1s", "y1z", "w3", "w2s", "w3z", "y2s", "y2z", group=2, strides=[2, 2])

    # The sum, of unequal scales.
    net.scale("y4s", 0.55), net.scalar("y4z", UINT8, 120)
    ratio = f32(value("y2s") / value("y4s"))
    term = lambda v: f32((v - value("y2z")) * ratio)
    dims, summed = net.values["y2"][0], zip(net.values["y2"][1], net.values["y3"][1])
    net.result("QLinearAdd", ["y2", "y2s", "y2z", "y3", "y2s", "y2z", "y4s", "y4z"],
               [("y4", UINT8, dims, [saturate(f32(term(a) + term(b)), value("y4z"), UINT8) for a, b in summed])], domain="com.microsoft")

    net.scale("y5s", 0.2), net.scalar("y5z", UINT8, 100)
    count = math.prod(dims[2:])
    factor = f32(value("y4s") / f32(value("y5s") * count))
    sums = [sum(v - value("y4z") for v in net.values["y4"][1][c * count:(c + 1) * count]) for c in range(4)]
    net.result("QLinearGlobalAveragePool", ["y4", "y4s", "y4z", "y5s", "y5z"],
               [("y5", UINT8, [1, 4, 1, 1], [saturate(f32(f32(s) * factor), value("y5z"), UINT8) for s in sums])], domain="com.microsoft")
    net.result("Flatten", ["y5"], [("y6", UINT8, [1, 4], net.values["y5"][1])])

    net.bytes("w7", INT8, [5, 4]), net.known("w7s", FLOAT, [5], [f32(0.01 + 0.002 * i) for i in range(5)])
    net.known("w7z", INT8, [5], [3, -5, 0, 7, 1]), net.known("b7", INT32, [5], [90, -400, 0, 30, 5])
    net.scale("y7s", 0.12), net.scalar("y7z", UINT8, 128)
    values = []
    for n in range(5):
        total = net.values["b7"][1][n]
        for k in range(4):
            total += (net.values["y6"][1][k] - value("y5z")) * (net.values["w7"][1][n * 4 + k] - net.values["w7z"][1][n])
        factor = f32(f32(value("y5s") * net.values["w7s"][1][n]) / value("y7s"))
        values.append(saturate(f32(f32(total) * factor), value("y7z"), UINT8))
    net.result("QGemm", ["y6", "y5s", "y5z", "w7", "w7s", "w7z", "b7", "y7s", "y7z"], [("y7", UINT8, [1, 5], values)],
               domain="com.microsoft", transB=1)
    return net


def dynamic():
    """A scale and zero point that are known when the model runs, around a padded convolution and behind a product."""
    net = Network("dynamic", seed=9)
    reals = [f32(net.random.uniform(-1.3, 3.1)) for _ in range(2 * 5 * 6)]
    net.known("x", FLOAT, [1, 2, 5, 6], reals, fed=True)
    low, high = min(0.0, *reals), max(0.0, *reals)
    scale = f32(f32(high - low) / 255)
    zero = saturate(f32(0 - f32(low / scale)), 0, UINT8)
    quantized = [saturate(f32(v / scale), zero, UINT8) for v in reals]
    net.result("DynamicQuantizeLinear", ["x"], [("q", UINT8, [1, 2, 5, 6], quantized), ("s", FLOAT, [], [scale]), ("z", UINT8, [], [zero])])
    net.bytes("w", UINT8, [3, 2, 3, 3]), net.scalar("wz", UINT8, 77)
    sums, dims = convolve(net.values["q"], zero, net.values["w"], 77, 1, 1, 1)
    net.result("ConvInteger", ["q", "w", "z", "wz"], [("c", INT32, dims, sums)], pads=[1, 1, 1, 1])

    net.integers("shape", [10, 6])
    net.result("Reshape", ["q", "shape"], [("m", UINT8, [10, 6], quantized)])
    net.bytes("v", INT8, [6, 4]), net.scale("vs", 0.02), net.known("bias", FLOAT, [4], [f32(v) for v in (0.1, -2, 3.3, 0)])
    values = []
    for row, n in itertools.product(range(10), range(4)):
        total = sum((quantized[row * 6 + k] - zero) * net.values["v"][1][k * 4 + n] for k in range(6))
        values.append(f32(f32(f32(total) * f32(scale * net.values["vs"][1][0])) + net.values["bias"][1][n]))
    net.result("MatMulIntegerToFloat", ["m", "v", "s", "vs", "z", "", "bias"], [("y", FLOAT, [10, 4], values)], domain="com.microsoft")
    return net


def qdq():
    """The same in reals between codes: a convolution with a bias and a bound, one by asymmetric weights, an average, and products of
    two values that the network computes. Sums of integers and one multiplication are what ONNX Runtime makes of it."""
    net = Network("qdq", seed=6)
    value = lambda name: net.values[name][1][0]

    def real(name, scale, zero, **attributes):
        net.node("DequantizeLinear", [name, scale, zero], output=name + "_real", **attributes)
        return name + "_real"

    def codes(name, x, scale, zero, dims, values):
        net.result("QuantizeLinear", [x, scale, zero], [(name, UINT8, dims, values)])

    def conv(name, x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias=None, relu=False, **window):
        groups, pads, stride = window.get("group", 1), window.get("pads", [0])[0], window.get("strides", [1])[0]
        sums, dims = convolve(net.values[x], value(x_zero), net.values[w], value(w_zero), pads, stride, groups)
        scales = net.values[w_scale][1] * (1 if len(net.values[w_scale][1]) > 1 else dims[1])
        values = []
        for index, total in enumerate(sums):
            channel = index // math.prod(dims[2:])
            total += net.values[bias[0]][1][channel] if bias else 0
            factor = f32(f32(value(x_scale) * scales[channel]) / value(y_scale))
            code = saturate(f32(f32(total) * factor), value(y_zero), UINT8)
            values.append(max(code, value(y_zero)) if relu else code)
        operands = [real(x, x_scale, x_zero), real(w, w_scale, w_zero, axis=0)] + ([real(*bias, axis=0)] if bias else [])
        net.node("Conv", operands, output=name + "_sum", **window)
        if relu:
            net.node("Relu", [name + "_sum"], output=name + "_bound")
        codes(name, name + ("_bound" if relu else "_sum"), y_scale, y_zero, dims, values)

    net.bytes("x", UINT8, [1, 3, 7, 6], fed=True)
    net.scale("xs", 0.021), net.scalar("xz", UINT8, 117)
    net.bytes("w1", INT8, [4, 3, 3, 3])
    scales = [f32(0.004 + 0.003 * i) for i in range(4)]
    net.known("w1s", FLOAT, [4], scales), net.known("zeros", INT8, [4], [0] * 4)
    net.known("b1", INT32, [4], [1500, -2500, 0, 700]), net.known("none", INT32, [4], [0] * 4)
    net.known("b1s", FLOAT, [4], [f32(value("xs") * scale) for scale in scales])
    net.scale("y1s", 0.09), net.scalar("y1z", UINT8, 96)
    conv("y1", "x", "xs", "xz", "w1", "w1s", "zeros", "y1s", "y1z", bias=("b1", "b1s", "none"), relu=True, pads=[1, 1, 1, 1])

    net.bytes("w2", UINT8, [4, 1, 3, 3]), net.scale("w2s", 0.013), net.scalar("w2z", UINT8, 140)
    net.scale("y2s", 0.4), net.scalar("y2z", UINT8, 131)
    conv("y2", "y1", "y1s", "y1z", "w2", "w2s", "w2z", "y2s", "y2z", group=4, pads=[1, 1, 1, 1])

    net.node("AveragePool", [real("y2", "y2s", "y2z")], output="mean", kernel_shape=[2, 2], strides=[1, 2])
    net.scale("y3s", 0.31), net.scalar("y3z", UINT8, 120)
    factor = f32(f32(value("y2s") / 4) / value("y3s"))
    at = lambda c, r, k: net.values["y2"][1][(c * 7 + r) * 6 + k] - value("y2z")
    sums = [sum(at(c, r + i, 2 * k + j) for i in (0, 1) for j in (0, 1)) for c, r, k in itertools.product(range(4), range(6), range(3))]
    codes("y3", "mean", "y3s", "y3z", [1, 4, 6, 3], [saturate(f32(f32(s) * factor), value("y3z"), UINT8) for s in sums])

    # [4, 6, 3] by [4, 3, 6], its transpose, of which another scale is made: each zero point is off the middle.
    net.integers("rows", [4, 6, 3])
    net.node("Reshape", [real("y3", "y3s", "y3z"), "rows"], output="left")
    net.node("Transpose", ["left"], output="right", perm=[0, 2, 1])
    net.node("MatMul", ["left", "right"], output="product")
    net.scale("y4s", 9.5), net.scalar("y4z", UINT8, 40)
    factor, values = f32(f32(value("y3s") * value("y3s")) / value("y4s")), []
    centred = [v - value("y3z") for v in net.values["y3"][1]]
    for h, r, c in itertools.product(range(4), range(6), range(6)):
        total = sum(centred[(h * 6 + r) * 3 + k] * centred[(h * 6 + c) * 3 + k] for k in range(3))
        values.append(saturate(f32(f32(total) * factor), value("y4z"), UINT8))
    codes("y4", "product", "y4s", "y4z", [4, 6, 6], values)
    return net


class QuantizedTest(nacre.NacreTest):
    def compiled(self, net, *options):
        model, library = self.path(net.name + ".onnx"), self.path(f"lib{net.name}{len(os.listdir(self.folder))}.so")
        net.save(model)
        for name, tensor in net.fed.items():
            with open(self.path(name + ".pb"), "wb") as file:
                file.write(tensor)
        self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", library, "--quiet", *options)
        return library

    def check(self, run, library, net, *options):
        folder = f"{library}.{len(os.listdir(self.folder))}.out"
        os.mkdir(folder)
        run(library, f"--output={folder}", *options, *(f"--input={name}={self.path(name + '.pb')}" for name in net.fed))
        for name, (element, wanted) in net.wanted.items():
            with open(os.path.join(folder, name + ".npy"), "rb") as file:
                data = file.read()
            body = data[10 + struct.unpack("<H", data[8:10])[0]:]
            self.assertEqual(list(struct.unpack(f"<{len(wanted)}{CODES[element]}", body)), list(wanted), f"{net.name}: {name}")

    def test_host(self):
        for net in (convnet(), dynamic(), qdq()):
            library = self.compiled(net)
            for threads in (1, 2, 7):
                self.check(self.run_model, library, net, f"--threads={threads}")

    @unittest.skipUnless(os.uname().machine == "x86_64", "needs an x86-64 host")
    def test_without_avx(self):
        for net in (convnet(), dynamic(), qdq()):
            self.check(self.run_model, self.compiled(net, "--cpu=nehalem"), net)

    @unittest.skipUnless(shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT), "needs qemu-aarch64 and an arm64 sysroot")
    def test_arm64(self):
        for net in (convnet(), dynamic(), qdq()):
            self.check(self.run_arm64, self.compiled(net, "--target=linux-arm64"), net)


class FloatLayersTest(nacre.NacreTest):
    """The compiler says which contractions of a quantized model it computes in floats, and why."""

    def compiled(self, net):
        net.save(self.path("model.onnx"))
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("model.onnx"), "-o", self.path("libmodel.so"), "--report=" + self.path("report.json"))
        with open(self.path("report.json"), encoding="utf-8") as file:
            launches = json.load(file)["launches"]
        return said, {launch["node_list"][0]: launch for launch in launches if launch["contraction_type"]}

    def test_all_in_integers(self):
        said, launches = self.compiled(qdq())
        self.assertNotIn("warning", said)
        self.assertIn("3 of the 3 convolutions and products computed in integers", said)
        self.assertEqual({"int8"}, {launch["contraction_type"] for launch in launches.values()})
        self.assertEqual({""}, {launch["in_floats_because"] for launch in launches.values()})

    def test_some_in_floats(self):
        net = Network("mixed", seed=3)
        net.scale("s", 0.02), net.scalar("z", UINT8, 100), net.bytes("wq", INT8, [6, 5]), net.scalar("none", INT8, 0)
        net.known("w", FLOAT, [5, 4], [f32(net.random.uniform(-1, 1)) for _ in range(20)])
        net.known("x", FLOAT, [3, 6], [f32(net.random.uniform(-1, 1)) for _ in range(18)], fed=True)
        net.node("QuantizeLinear", ["x", "s", "z"], output="q")
        net.node("DequantizeLinear", ["q", "s", "z"], output="xr")
        net.node("DequantizeLinear", ["wq", "s", "none"], output="wr")
        net.node("MatMul", ["xr", "wr"], output="first", name="first")
        net.node("MatMul", ["first", "w"], output="y", name="last")
        net.output("y", [3, 4], FLOAT)
        said, launches = self.compiled(net)
        self.assertIn("warning: 1 of the 2 convolutions and products of this quantized model is computed in floating point; for 'last', "
                      "the model does not quantize its operands; --report lists them all", said)
        self.assertEqual(("int8", ""), (launches["first"]["contraction_type"], launches["first"]["in_floats_because"]))
        self.assertEqual(("fp32", "the model does not quantize its operands"),
                         (launches["last"]["contraction_type"], launches["last"]["in_floats_because"]))

    def test_a_model_of_floats_has_no_reasons(self):
        net = Network("floats", seed=3)
        net.known("w", FLOAT, [5, 4], [f32(net.random.uniform(-1, 1)) for _ in range(20)])
        net.node("MatMul", [net.input("x", [3, 5]), "w"], output="y", name="only")
        net.output("y", [3, 4], FLOAT)
        said, launches = self.compiled(net)
        self.assertNotIn("warning", said)
        self.assertNotIn("computed in integers", said)
        self.assertEqual(("fp32", ""), (launches["only"]["contraction_type"], launches["only"]["in_floats_because"]))


class ConstantsTest(Comparison):
    def test_zero_points(self):
        """Zero points that are constants, and those that are known when the model runs, are different operators."""
        generator = random.Random(4)
        family = Family("quantized")
        i8, u8, i32 = TYPES["i8"], TYPES["u8"], TYPES["i32"]

        def draw(element, shape):
            return family.input(element, [generator.randint(*element.ends) for _ in range(math.prod(shape))], shape)

        def scale(value):
            return family.input(F32, [F32.rounded(value)], [])

        for left, right in itertools.product((u8, i8), repeat=2):
            image, filters = draw(left, [1, 2, 5, 4]), draw(right, [6, 1, 3, 2])
            zeros = [draw(left, []), draw(right, [])]
            window = {"group": 2, "pads": [1, 1, 0, 1], "strides": [2, 1]}
            family.output("ConvInteger", [image, filters, *zeros], i32, [1, 6, 2, 5], **window)
            family.output("QLinearConv", [image, scale(0.02), zeros[0], filters, scale(0.01), zeros[1], scale(0.3), draw(left, [])], left,
                          [1, 6, 2, 5], **window)
            a, b, rows, columns = draw(left, [2, 3, 7]), draw(right, [7, 4]), draw(left, []), draw(right, [4])
            family.output("MatMulInteger", [a, b, rows, columns], i32, [2, 3, 4])
            family.output("QLinearMatMul", [a, scale(0.02), rows, b, scale(0.03), draw(right, []), scale(0.4), draw(left, [])], left, [2, 3, 4])
        for values in ([-3.5, 0.25, 100.0], [2.0, 7.5, 3.0], [-1.0, -9.0, -0.5], [0.0, 0.0, 0.0]):
            family.output("DynamicQuantizeLinear", [family.input(F32, values)], u8, [3])
        self.check(family)


if __name__ == "__main__":
    unittest.main()
