#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers between QuantizeLinear and DequantizeLinear give the codes of exact arithmetic; at most one in a thousand is a step off.

Why:  no order of floats is specified for such layers, only what they mean; what a compiler makes of them (integers, tables, rows)
      may move a tie, never more. Each layer gets codes of its own, so that no step of another layer adds to its own.
How:  all layers are in one library, fed random codes. The reference computes sums in integers and reals in double precision. A second
      model has the layers one after the other; a library for several CPUs must give the same codes with each one's code.
"""
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
from integer_layers import convolve, ends
from onnx_writer import Graph, _tensor

FLOAT, TYPES = 1, {np.dtype(np.float32): 1, np.dtype(np.uint8): 2, np.dtype(np.int8): 3, np.dtype(np.int32): 6}


class Codes:
    """A quantized tensor: its name, scale and zero point, and the codes that readers of it get."""

    def __init__(self, name, codes, scale, zero):
        self.name, self.codes, self.scale, self.zero = name, codes, np.float32(scale), zero

    @property
    def steps(self):
        return self.codes.astype(np.int64) - self.zero

    @property
    def reals(self):
        return self.steps * np.float64(self.scale)


class Network:
    """Layers, each fed codes of its own (`is_chain` false) or the codes of the layers before. `wanted` has the codes of the first kind."""

    def __init__(self, is_chain, element):
        self.graph, self.random = Graph("qdq", opset=13), np.random.default_rng(11)
        self.is_chain, self.element = is_chain, element
        self.fed, self.wanted, self.readings = {}, {}, {}

    def constant(self, name, array):
        array = np.asarray(array)
        self.graph.initializers.append(_tensor(name, TYPES[array.dtype], list(array.shape), array.tobytes()))
        return name

    def feed(self, name, array):
        self.graph.input(name, list(array.shape), TYPES[array.dtype])
        self.fed[name] = array
        return name

    def quantized(self, real, reals, scale, zero, name):
        """Quantizes the graph's tensor `real`, whose exact values are `reals`; returns what a later layer reads."""
        low, high = ends(self.element)
        scale, zero = np.float32(scale), zero + low
        facts = [self.constant(name + "_scale", scale), self.constant(name + "_zero", np.asarray(zero, self.element))]
        self.graph.node("QuantizeLinear", [real, *facts], output=name)
        self.graph.output(name, list(reals.shape), TYPES[np.dtype(self.element)])
        self.wanted[name] = np.clip(np.rint(reals / np.float64(scale)) + zero, low, high).astype(self.element)
        codes = self.random.integers(low, high + 1, reals.shape).astype(self.element)
        if not self.is_chain:
            self.feed(name + "_fed", codes)
        self.graph.node("DequantizeLinear", [name if self.is_chain else name + "_fed", *facts], output=name + "_real")
        return Codes(name, codes, scale, zero)

    def weight(self, name, shape, axis):
        """Of int8, with a scale for each index of `axis`; the dequantized name, the codes and the scales in float64 along that axis."""
        codes = self.random.integers(-127, 128, shape).astype(np.int8)
        scales = (.003 + .004 * self.random.random(shape[axis])).astype(np.float32)
        self.graph.node("DequantizeLinear", [self.constant(name, codes), self.constant(name + "_scale", scales),
                                             self.constant(name + "_zero", np.zeros(shape[axis], np.int8))], output=name + "_real", axis=axis)
        return name + "_real", codes.astype(np.int64), scales

    def bias(self, name, x, scales):
        codes = self.random.integers(-30000, 30000, len(scales)).astype(np.int32)
        both = x.scale * scales
        self.graph.node("DequantizeLinear", [self.constant(name, codes), self.constant(name + "_scale", both),
                                             self.constant(name + "_zero", np.zeros(len(scales), np.int32))], output=name + "_real", axis=0)
        return name + "_real", codes * np.float64(both)

    def convolution(self, name, x, outputs, kernel, pads=0, stride=1, groups=1, activation=None, scale=.6, zero=100):
        w, codes, scales = self.weight(name + "_w", [outputs, x.codes.shape[1] // groups, kernel, kernel], 0)
        b, biases = self.bias(name + "_b", x, scales)
        real = self.graph.node("Conv", [x.name + "_real", w, b], pads=[pads] * 4, strides=[stride] * 2, group=groups)
        sums = convolve(x.steps, codes, (stride, stride), (1, 1), ((pads, pads), (pads, pads)), groups)
        reals = sums * (np.float64(x.scale) * np.float64(scales)).reshape(1, -1, 1, 1) + biases.reshape(1, -1, 1, 1)
        if activation == "Relu":
            real, reals = self.graph.node("Relu", [real]), np.maximum(reals, 0)
        return self.quantized(real, reals, scale, zero, name)

    def dense(self, name, x, columns, **facts):
        w, codes, scales = self.weight(name + "_w", [columns, x.codes.shape[1]], 0)
        b, biases = self.bias(name + "_b", x, scales)
        real = self.graph.node("Gemm", [x.name + "_real", w, b], transB=1)
        return self.quantized(real, (x.steps @ codes.T) * (np.float64(x.scale) * np.float64(scales)) + biases, name=name, **facts)

    def layer(self, name, operator, operands, function, scale, zero, **attributes):
        """Any other operator; `function` is of the operands' reals."""
        real = self.graph.node(operator, [x.name + "_real" for x in operands], **attributes)
        return self.quantized(real, function(*(x.reals for x in operands)), scale, zero, name)

    def save(self, path):
        self.graph.save(path)


def max_pool(x):
    return np.max([x[:, :, i:i + 2 * (x.shape[2] // 2) - 1:2, j:j + 2 * (x.shape[3] // 2) - 1:2] for i in (0, 1) for j in (0, 1)], 0)


def average_pool(x):
    return np.mean([x[:, :, i:i + 2 * (x.shape[2] // 2) - 1:2, j:j + 2 * (x.shape[3] // 2) - 1:2] for i in (0, 1) for j in (0, 1)], 0)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def convolutions(is_chain, element):
    """Residual blocks, a concatenation, pools and a dense layer; no function whose floats depend on the CPU."""
    net = Network(is_chain, element)
    x = net.feed("x", net.random.uniform(-3, 3, [1, 5, 14, 13]).astype(np.float32))
    x = net.quantized(x, net.fed["x"].astype(np.float64), .024, 127, "image")
    stem = net.convolution("stem", x, 24, 3, pads=1, activation="Relu", scale=.08, zero=0)
    deep = net.convolution("depthwise", stem, 24, 3, pads=1, groups=24, scale=.3, zero=131)
    wide = net.convolution("pointwise", deep, 24, 1, scale=.9, zero=120)
    both = net.layer("sum", "Add", [wide, stem], np.add, .9531, 118)
    half = net.convolution("strided", both, 17, 3, pads=1, stride=2, scale=4., zero=90)
    pooled = net.layer("pool", "MaxPool", [both], max_pool, both.scale, 118, kernel_shape=[2, 2], strides=[2, 2])
    average = net.layer("average", "AveragePool", [pooled], average_pool, .8137, 110, kernel_shape=[2, 2], strides=[2, 2])
    net.convolution("groups", average, 12, 3, groups=3, scale=2.5, zero=128)
    joined = net.layer("joined", "Concat", [wide, stem], lambda a, b: np.concatenate([a, b], 1), .9317, 119, axis=1)
    net.convolution("last", joined, 33, 1, scale=5., zero=128)
    mean = net.layer("mean", "GlobalAveragePool", [half], lambda a: a.mean((2, 3), keepdims=True), 1.2, 100)
    flat = net.layer("flat", "Flatten", [mean], lambda a: a.reshape(1, -1), mean.scale, 100)
    net.dense("dense", flat, 40, scale=1.5, zero=128)
    return net


def attention(is_chain, element):
    """Products of two activations, a softmax, and functions of one code."""
    net = Network(is_chain, element)
    q, k, v = (net.feed(name, net.random.uniform(-2, 2, [2, 20, 32]).astype(np.float32)) for name in "qkv")
    q, k, v = (net.quantized(x, net.fed[x].astype(np.float64), .017, 120, x + "_codes") for x in (q, k, v))
    turned = net.layer("turned", "Transpose", [k], lambda a: a.transpose(0, 2, 1), k.scale, 120, perm=[0, 2, 1])
    scores = net.layer("scores", "MatMul", [q, turned], np.matmul, .2, 125)
    shares = net.layer("shares", "Softmax", [scores], softmax, 1 / 255, 0, axis=-1)
    mixed = net.layer("mixed", "MatMul", [shares, v], np.matmul, .3, 127)
    gate = net.layer("gate", "Sigmoid", [mixed], lambda a: 1 / (1 + np.exp(-a)), 1 / 255, 0)
    net.layer("gated", "Mul", [mixed, gate], np.multiply, .3, 60)
    net.layer("bent", "LeakyRelu", [mixed], lambda a: np.where(a < 0, np.float64(np.float32(.1)) * a, a), .31, 20, alpha=.1)
    return net


class QdqLayersTest(nacre.NacreTest):
    def compile_network(self, net, *options):
        path, library = self.path("net.onnx"), self.path("libnet.so")
        net.save(path)
        self.call(os.path.join(nacre.BIN, "nacre-compile"), path, "-o", library, "--quiet", *options)
        for name, array in net.fed.items():
            np.save(self.path(name + ".npy"), array)
        return library

    def outputs(self, net, run, library, *options):
        folder = self.path(f"out{len(os.listdir(self.folder))}")
        os.mkdir(folder)
        run(library, f"--output={folder}", *(f"--input={name}={self.path(name + '.npy')}" for name in net.fed), *options)
        return {name: np.load(os.path.join(folder, name + ".npy")) for name in net.wanted}

    def check(self, make, element, run, *options):
        net = make(False, element)
        for name, got in self.outputs(net, run, self.compile_network(net, *options)).items():
            off = np.abs(got.astype(int) - net.wanted[name].astype(int))
            self.assertLessEqual(off.max(), 1, name)
            self.assertLessEqual(np.count_nonzero(off), max(1, off.size // 1000), f"{name}, of {off.size} codes")

    def test_each_layer(self):
        for make in (convolutions, attention):
            for element in (np.uint8, np.int8):
                with self.subTest(make.__name__, element=element.__name__):
                    self.check(make, element, self.run_model)

    @unittest.skipUnless(shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT), "needs qemu-aarch64 and an arm64 sysroot")
    def test_each_layer_on_arm64(self):
        for make in (convolutions, attention):
            with self.subTest(make.__name__):
                self.check(make, np.uint8, self.run_arm64, "--target=linux-arm64", "--cpu=cortex-a76")

    @unittest.skipUnless(os.uname().machine == "x86_64" and shutil.which("qemu-x86_64"), "needs an x86-64 host with qemu-x86_64")
    def test_x86_64_variants_give_the_same_codes(self):
        net = convolutions(True, np.uint8)
        library = self.compile_network(net, "--target=linux-x86_64", "--cpu=cascadelake,x86-64-v3,x86-64-v2")

        def emulate(cpu):
            return lambda *options: self.call("qemu-x86_64", "-cpu", cpu, os.path.join(nacre.BIN, "nacre-run"), *options)
        self.compare([self.outputs(net, run, library) for run in (self.run_model, emulate("Haswell"), emulate("Nehalem"))])

    @unittest.skipUnless(shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT), "needs qemu-aarch64 and an arm64 sysroot")
    def test_arm64_variants_give_the_same_codes(self):
        net = convolutions(True, np.uint8)
        library = self.compile_network(net, "--target=linux-arm64", "--cpu=generic,cortex-a76,cortex-a710")
        runs = [lambda *options, cpu=cpu: self.run_arm64(*options, cpu=cpu) for cpu in ("cortex-a72", "cortex-a76", "max")]
        self.compare([self.outputs(net, run, library) for run in runs])

    def compare(self, all_outputs):
        for name, first in all_outputs[0].items():
            self.assertGreater(len(np.unique(first)), 4, f"{name}: says nothing")
            for other in all_outputs[1:]:
                self.assertEqual(np.count_nonzero(first != other[name]), 0, name)


if __name__ == "__main__":
    unittest.main()
