#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predictions know types: a quantized network is not priced as one of floats, and engines are not chosen by such a price."""
import json
import os
import random
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import Graph, _tensor

COMPILE = os.path.join(nacre.BIN, "nacre-compile")
PHONES = ("dimensity-9200", "exynos-2100", "helio-g99", "snapdragon-778g", "snapdragon-8-gen-2")
FLOAT, UINT8, INT8 = 1, 2, 3
SCALE = .05


class Network:
    """Layers of floats, or the same layers between QuantizeLinear and DequantizeLinear."""

    def __init__(self, is_quantized):
        self.graph, self.is_quantized, self.count = Graph("layers", opset=13), is_quantized, 0
        self.random = random.Random(3)

    def facts(self, name, scale, element, zero):
        scalar = [_tensor(f"{name}_scale", FLOAT, [], struct.pack("<f", scale)), _tensor(f"{name}_zero", element, [], struct.pack("<B", zero))]
        self.graph.initializers += scalar
        return [f"{name}_scale", f"{name}_zero"]

    def through_codes(self, real, name):
        if not self.is_quantized:
            return real
        facts = self.facts(name, SCALE, UINT8, 128)
        return self.graph.node("DequantizeLinear", [self.graph.node("QuantizeLinear", [real, *facts]), *facts])

    def weight(self, dims):
        self.count += 1
        name = f"w{self.count}"
        size = 1
        for extent in dims:
            size *= extent
        codes = self.random.randbytes(size)
        if self.is_quantized:
            self.graph.initializers.append(_tensor(name, INT8, dims, codes))
            return self.graph.node("DequantizeLinear", [name, *self.facts(name, .01, INT8, 0)])
        reals = struct.pack(f"<{size}f", *(code * .01 for code in struct.unpack(f"<{size}b", codes)))
        self.graph.initializers.append(_tensor(name, FLOAT, dims, reals))
        return name

    def layer(self, operator, real, dims, **attributes):
        return self.through_codes(self.graph.node(operator, [real, self.weight(dims)], **attributes), f"y{self.count}")


def convolutions(is_quantized):
    net = Network(is_quantized)
    real = net.through_codes(net.graph.input("x", [1, 32, 56, 56]), "x")
    real = net.layer("Conv", real, [64, 32, 3, 3], pads=[1] * 4, strides=[2] * 2)
    real = net.layer("Conv", real, [128, 64, 1, 1])
    real = net.layer("Conv", real, [128, 1, 3, 3], pads=[1] * 4, group=128)
    real = net.layer("Conv", real, [256, 128, 1, 1])
    net.graph.node("Relu", [real], output="y")
    net.graph.output("y", [1, 256, 28, 28])
    return net.graph


def product(is_quantized, rows, depth, columns):
    net = Network(is_quantized)
    real = net.through_codes(net.graph.input("x", [rows, depth]), "x")
    net.graph.node("Relu", [net.layer("MatMul", real, [depth, columns])], output="y")
    net.graph.output("y", [rows, columns])
    return net.graph


def product_of_some_time(is_quantized):
    """By dot products a core multiplies four bytes while it multiplies a float, and reads four in the time of one."""
    return product(is_quantized, 512, 2048 if is_quantized else 512, 256)


class IntegerPricesTest(nacre.NacreTest):
    def report(self, graph, *options):
        model, report = self.path("model.onnx"), self.path("report.json")
        graph.save(model)
        self.call(COMPILE, model, "-o", self.path("lib.so"), f"--report={report}", "--target=android-arm64", "--quiet", *options)
        with open(report, encoding="utf-8") as file:
            return json.load(file)

    def test_a_quantized_network_is_predicted_to_be_faster(self):
        for phone in PHONES:
            with self.subTest(phone):
                options = (f"--device={phone}", "--cpu=cortex-a76")
                floats, codes = (self.report(convolutions(is_quantized), *options) for is_quantized in (False, True))
                self.assertLess(codes["predicted_ms"], .7 * floats["predicted_ms"])

    def test_equal_times_have_equal_prices(self):
        def longest(is_quantized, *options):
            return max(launch["predicted_cpu_ms"] for launch in self.report(product_of_some_time(is_quantized), *options)["launches"])

        for phone in PHONES:
            with self.subTest(phone):
                options = (f"--device={phone}", "--cpu=cortex-a76")
                self.assertAlmostEqual(longest(True, *options) / longest(False, *options), 1, delta=.2)

    def test_cores_without_dot_products_gain_little(self):
        with_dots, without = (self.report(product_of_some_time(True), "--device=exynos-2100", f"--cpu={cpu}")["predicted_ms"] for cpu in ("cortex-a76", "cortex-a72"))
        self.assertGreater(without, 2 * with_dots)

    def test_the_gpu_gets_less_of_integers(self):
        """The CPU multiplies bytes four times as fast as floats, and the GPU no faster."""

        def share(is_quantized):
            launches = self.report(product(is_quantized, 2048, 512, 2048), "--device=exynos-2100", "--cpu=cortex-a76", "--place=auto")["launches"]
            return sum(launch["flops"] * launch["gpu_share"] for launch in launches) / sum(launch["flops"] for launch in launches)

        of_floats = share(False)
        self.assertGreater(of_floats, 0)
        self.assertLess(share(True), .7 * of_floats)


if __name__ == "__main__":
    unittest.main()
