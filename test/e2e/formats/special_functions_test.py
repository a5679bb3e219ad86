#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorFlow's special functions against their series and finite sums, on every engine, and at the ends of their domains."""
import math
import os
import random
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import tensorflow_writer as tf
from every_engine import EveryEngineTest
from onnx_writer import write_npy

INF, NAN = math.inf, math.nan
OPERANDS = {"Igamma": "ax", "Igammac": "ax", "Betainc": "abx", "Zeta": "xq", "Polygamma": "nx"}


def rounded(x):
    """As float32 holds it."""
    return struct.unpack("f", struct.pack("f", x))[0]


def igamma(a, x):
    """The series of the lower integral, whose terms are all positive."""
    term = math.exp(a * math.log(x) - x - math.lgamma(a + 1))
    total, k = 0.0, 0
    while term > total * 1e-18:
        total, k = total + term, k + 1
        term *= x / (a + k)
    return total


def igammac(a, x):
    """For an integer a: the first terms of the exponential series."""
    return math.fsum(math.exp(k * math.log(x) - x - math.lgamma(k + 1)) for k in range(int(a)))


def betainc(a, b, x):
    """For an integer b: a finite sum of positive terms."""
    terms = (math.exp(a * math.log(x) + k * math.log1p(-x) + math.lgamma(a + k) - math.lgamma(a) - math.lgamma(k + 1)) for k in range(int(b)))
    return math.fsum(terms)


def zeta(s, q):
    """The sum of 2000 terms, and the integral of the others with its first corrections."""
    first = math.fsum((q + k)**-s for k in range(2000))
    w = q + 2000
    return first + w**(1 - s) / (s - 1) + w**-s / 2 + s * w**(-s - 1) / 12


def polygamma(n, x):
    return (-1)**(n + 1) * math.factorial(n) * zeta(n + 1, x)


# At the ends of the domains: a, x and the answer.
IGAMMA_ENDS = [(2, 0, 0), (-1, 0, 0), (NAN, 0, 0), (0, 1, NAN), (-2, 1, NAN), (1, -1, NAN), (NAN, 1, NAN), (1, NAN, NAN), (2, INF, 1), (INF, 3, 0), (INF, INF, 0)]
IGAMMAC_ENDS = [(2, 0, 1), (-1, 0, NAN), (0, 1, NAN), (1, -1, NAN), (NAN, 1, NAN), (1, NAN, NAN), (2, INF, 0), (INF, 3, 1), (INF, INF, 0)]
BETAINC_ENDS = [(2, 3, 0, 0), (2, 3, 1, 1), (2, 3, -0.5, NAN), (2, 3, 1.5, NAN), (0, 3, 0.5, NAN), (2, -1, 0.5, NAN), (-1, 2, 0, NAN), (NAN, 2, 0.5, NAN), (2, 3, NAN, NAN)]
ZETA_ENDS = [(1, 2, INF), (0.5, 2, NAN), (NAN, 1, NAN), (2, NAN, NAN), (2, 0, INF), (4, -3, INF), (3, -3, NAN), (2.5, -2, NAN), (2.5, -1.5, NAN), (2, INF, 0),
             (INF, 2, 0), (INF, 1, 1), (INF, 0.5, INF)]
POLYGAMMA_ENDS = [(0.5, 1, NAN), (-1, 1, NAN), (NAN, 1, NAN), (1, NAN, NAN), (1, 0, INF), (2, -1, NAN), (1, -4, INF), (0, 0, NAN)]


class SpecialFunctionsTest(EveryEngineTest):
    def setUp(self):
        super().setUp()
        self.draw = random.Random(7)

    def size(self, low, high):
        return rounded(10**self.draw.uniform(low, high))

    def near(self, a):
        """An x at which neither integral is tiny."""
        return rounded(max(a * (1 + self.draw.gauss(0, 1) / math.sqrt(a)), 1e-3))

    def cases(self, op):
        """Rows of operands and the answer."""
        if op == "Igamma":
            inside = [(a, x) for a in (self.size(-3, 4) for _ in range(60)) for x in (self.near(a), self.size(-3, 2))]
            # The asymptotic series at x = a.
            return [(a, x, igamma(a, x)) for a, x in inside] + [(1e6, 1e6, 0.5 + (1 / 3e3 + 1 / 540e9) / math.sqrt(2 * math.pi)), *IGAMMA_ENDS]
        if op == "Igammac":
            inside = [(a, x) for a in map(float, range(1, 60)) for x in (self.near(a), self.size(-3, 2), rounded(3 * a))]
            # For a small a it is a times the exponential integral.
            small = rounded(1e-12)
            return [(a, x, igammac(a, x)) for a, x in inside] + [(small, 1.0, small * 0.21938393439552029), (0.5, 4.0, math.erfc(2)), *IGAMMAC_ENDS]
        if op == "Betainc":
            inside = [(a, b, rounded(min(max(self.draw.gauss(a / (a + b), 0.3 / math.sqrt(a + b)), 1e-3), 0.999)))
                      for a in (self.size(-3, 3) for _ in range(8)) for b in map(float, range(1, 40, 3))]
            small = [(a, 3.0, rounded(1e-30), rounded(1e-30)**a * (a + 1) * (a + 2) / 2) for a in (0.25, 0.5)]
            mirrored = [(b, a, 1 - x, 1 - betainc(a, b, x)) for a, b, x in inside if x > 0.5 and betainc(a, b, x) < 0.9]
            return [(*row, betainc(*row)) for row in inside] + small + mirrored + BETAINC_ENDS
        if op == "Zeta":
            inside = [(1 + self.size(-2, 1.3), self.size(-2, 3)) for _ in range(100)] + [(float(s), q) for s in range(2, 9) for q in (-0.5, -1.25, -20.7, 3.0)]
            inside = [(rounded(s), rounded(q)) for s, q in inside]
            return [(s, q, zeta(s, q)) for s, q in inside] + ZETA_ENDS
        inside = [(n, rounded(x)) for n in range(1, 12) for x in (0.3, 1.0, 7.25, 300.0, -0.25, -3.6)]
        known = [(0, 1.0, -0.5772156649015329), (0, 0.5, -1.9635100260214235)]
        return [(n, x, polygamma(n, x)) for n, x in inside] + known + POLYGAMMA_ENDS

    def write_graph(self, element, code, tables):
        nodes, arguments = [], []
        for op, rows in tables.items():
            names = [op + "_" + name for name in OPERANDS[op]]
            nodes += [tf.node(name, "Placeholder", dtype=tf.Type(element), shape=tf.Shape([len(rows)])) for name in names]
            nodes.append(tf.node(op, op, names, T=tf.Type(element)))
            for option, name, column in zip(["--input"] * len(names) + ["--expect"], [*names, op], zip(*rows)):
                write_npy(self.path(f"{name}.npy"), [len(rows)], [float(x) for x in column], code)
                arguments.append(f"{option}={name}={self.path(name)}.npy")
        with open(self.path("graph.pb"), "wb") as file:
            file.write(tf.graph(nodes))
        return [f"--output={op}" for op in tables], arguments

    def check_graph(self, element, code, tables, tolerance, places):
        outputs, arguments = self.write_graph(element, code, tables)
        for options, run, run_options in places:
            with self.subTest(options=options):
                library = self.path("libgraph.so")
                self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("graph.pb"), "-o", library, *outputs, *options)
                said = run(library, *arguments, *run_options, f"--rtol={tolerance}", "--atol=0")
                self.assertEqual(said.count("agrees"), len(tables), said)

    def test_floats(self):
        self.check_graph(tf.FLOAT, "f", {op: self.cases(op) for op in OPERANDS}, 2e-7, self.places())

    def test_doubles(self):
        self.check_graph(2, "d", {op: self.cases(op) for op in OPERANDS}, 1e-10, [([], self.run_model, [])])

    def test_operands_that_broadcast(self):
        nodes = [tf.node("a", "Placeholder", dtype=tf.Type(tf.FLOAT), shape=tf.Shape([2, 1])), tf.node("x", "Placeholder", dtype=tf.Type(tf.FLOAT), shape=tf.Shape([3])),
                 *(tf.node(op, op, operands, T=tf.Type(tf.FLOAT)) for op, operands in (("Igamma", ["a", "x"]), ("Zeta", ["a", "x"])))]
        with open(self.path("graph.pb"), "wb") as file:
            file.write(tf.graph(nodes))
        a, x = [2.0, 3.5], [0.5, 1.0, 4.0]
        files = {"a": ([2, 1], a), "x": ([3], x), "Igamma": ([2, 3], [igamma(s, t) for s in a for t in x]), "Zeta": ([2, 3], [zeta(s, t) for s in a for t in x])}
        for name, (shape, values) in files.items():
            write_npy(self.path(name + ".npy"), shape, values)
        library = self.path("libgraph.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("graph.pb"), "-o", library, "--output=Igamma", "--output=Zeta")
        said = self.run_model(library, "--rtol=2e-7", "--atol=0", *(f"--{'input' if name in 'ax' else 'expect'}={name}={self.path(name)}.npy" for name in files))
        self.assertEqual(said.count("agrees"), 2, said)


if __name__ == "__main__":
    unittest.main()
