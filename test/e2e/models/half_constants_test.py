#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants that halves cannot hold, with --gpu-precision=fp16 and --cpu-precision=fp16: 300 random networks with constants from 1e-12 to 1e12 and epsilons of all
norms, on a GPU, on both engines, on the CPU in place of the GPU, and on a CPU that has a precision of its own; and integers that are computed of floats.

Why:  1e-12 is 0 in halves, and 1e6 is 65504. A norm of zeros was NaN, and a quotient 15 times too large, without a word.
How:  half_networks.py draws the networks, ten of them a model. A sample runs one model.
"""
import json
import os
import re
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: needs numpy")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import half_networks
import nacre

NETWORKS, COUNT = 10, 300  # of a model; in all
# What a library is compiled for, and how it is run.
PLACES = {"gpu": (("--gpu",), ("--gpu-cut=0",)), "split:50": (("--gpu",),), "cpu": ((),)}
SLOW = "--cpu-precision=fp16 takes longer than fp32 here"  # a warning of x86-64


def precision(place):
    return f"--{'cpu' if place == 'cpu' else 'gpu'}-precision"


class HalvesTest(nacre.NacreTest):
    def compile_halves(self, graph, place, *options):
        """Returns the library's path, and what the compiler said."""
        model, library = self.path("model.onnx"), self.path(f"lib{place[:3]}.so")
        graph.save(model)
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", library, f"--place={place}", f"{precision(place)}=fp16", *options)
        return library, said

    def run_all(self, graph, fed):
        """Yields each way to run `graph`, and the outputs in a folder."""
        inputs = []
        for name, array in fed.items():
            np.save(self.path(name + ".npy"), array)
            inputs.append(f"--input={name}={self.path(name + '.npy')}")
        for place, ways in PLACES.items():
            library, self.said = self.compile_halves(graph, place)
            for way in ways:
                folder = self.path("_".join((place[:3], *way)))
                os.makedirs(folder, exist_ok=True)
                self.run_model(library, *way, *inputs, f"--output={folder}")
                yield f"--place={place} {' '.join(way)}", lambda name, folder=folder: np.load(os.path.join(folder, name + ".npy"))


class NetworksTest(HalvesTest):
    parts = COUNT // NETWORKS

    def compare(self, number):
        model = half_networks.Model(range(number * NETWORKS, (number + 1) * NETWORKS))
        failures = []
        for where, load in self.run_all(model.graph, model.fed):
            named = {f"y{number}" for number in re.findall(r"n(\d+)_\d+.*channels whose weights are too small for fp16", self.said)}
            for name, wanted in model.wanted.items():
                if name in named:
                    continue
                got, allowed = load(name).astype(np.float64), model.allowed[name]
                wrong = ~(np.abs(got - wanted) <= allowed)
                if wrong.any():
                    first = tuple(np.argwhere(wrong)[0])
                    failures.append(f"{name} {where}: {wrong.sum()} of {wrong.size} wrong, at {first} {got[first]} for {wanted[first]} within "
                                    f"{allowed[first]:.2g}: {model.about[name]}")
        self.assertFalse(failures, "\n" + "\n".join(failures))


for part in range(COUNT // NETWORKS):
    setattr(NetworksTest, f"test_{part:02}", lambda self, part=part: self.compare(part))


class IntegersTest(HalvesTest):
    """Integers that are computed of inputs are exact: halves have no 2049."""

    FLOAT, INT64 = 1, 7

    def check(self, graph, fed, wanted):
        for where, load in self.run_all(graph, fed):
            with self.subTest(where):
                np.testing.assert_array_equal(load("y"), wanted)

    def test_an_index(self):
        graph = nacre.Graph("index")
        table = [float(i % 83) for i in range(6000)]
        graph.constant("table", [6000], table)
        index = graph.node("Cast", [graph.node("Floor", [graph.input("x", [6])])], to=self.INT64)
        graph.node("Gather", ["table", index], output="y")
        graph.output("y", [6])
        x = np.array([1.5, 2049, 4097, 5003.2, 5999, 333], np.float32)
        self.check(graph, {"x": x}, np.take(np.array(table, np.float32), np.floor(x).astype(int)))

    def test_a_count(self):
        """A running sum of ones, and one that a loop carries."""
        count = 3000
        graph = nacre.Graph("count")
        graph.input("x", [count])
        sums = graph.node("CumSum", ["x", graph.count("axis", 0)])
        graph.node("Cast", [sums], output="y", to=self.INT64)
        graph.output("y", [count], self.INT64)
        self.check(graph, {"x": np.ones(count, np.float32)}, np.arange(1, count + 1))

    def test_a_position_of_the_largest(self):
        graph = nacre.Graph("largest")
        x = graph.node("Mul", [graph.input("x", [1, 3000]), graph.constant("c", [1], [0.5])])
        graph.node("ArgMax", [x], output="y", axis=1, keepdims=0)
        graph.output("y", [1], self.INT64)
        x = np.arange(3000, dtype=np.float32).reshape(1, 3000) % 2999
        self.check(graph, {"x": x}, [2998])


class WarningsTest(HalvesTest):
    def check_warning(self, weights, *parts):
        """Compiles a product with `weights`, whose rows are normalized before the next one, and checks what the warning says."""
        graph = nacre.Graph("wide", seed=3)
        x = graph.node("MatMul", [graph.input("x", [8, 32]), graph.constant("w", [32, 32], weights)], name="fc1")
        x = graph.node("Div", [x, graph.node("ReduceL2", [x], axes=[1])])
        graph.node("MatMul", [x, graph.weight("usual", [32, 32], -0.3, 0.3)], output="y", name="fc2")
        graph.output("y", [8, 32])
        for place in ("gpu", "cpu"):
            with self.subTest(place):
                _, said = self.compile_halves(graph, place, f"--report={self.path('report.json')}")
                warnings = [line for line in said.splitlines() if "warning" in line and SLOW not in line]
                self.assertEqual(len(warnings), 1 if parts else 0, said)
                for part in parts:
                    self.assertIn(part.format(option=precision(place)), warnings[0])
        with open(self.path("report.json"), encoding="utf-8") as file:
            return json.load(file)["fp32_products"]

    def test_a_product_that_stays_wide_is_named(self):
        products = self.check_warning([1e-9 * (i % 7 - 3) for i in range(32 * 32)], "fc1",
                                      "stays fp32 in spite of {option}=fp16, because fp16 cannot hold its weights of about 2e-9")
        self.assertEqual(products, [{"nodes": ["fc1"], "reason": "fp16 cannot hold its weights of about 2e-9"}])

    def test_channels_that_are_lost_are_named(self):
        products = self.check_warning([0.1 * (i % 7 - 3) * (1e-9 if i % 32 == 5 else 1) for i in range(32 * 32)], "fc1",
                                      "has 1 of 32 channels whose weights are too small for fp16", "compile with {option}=fp32")
        self.assertEqual(products, [])

    def test_other_products_are_not(self):
        self.assertEqual(self.check_warning([0.1 * (i % 7 - 3) for i in range(32 * 32)]), [])


if __name__ == "__main__":
    unittest.main()
