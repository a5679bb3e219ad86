#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What constants give when a model is compiled, values give when it runs.

Why:  an operator means one thing (NnOps.td, ScalarFunctions.h), but the folder computes it in double and int64 while
      kernels compute it in vectors of its own type; at the ends of ranges, at NaN and at zero elements they may part.
How:  a model for each family of operators, every element type and every edge of it. It is compiled twice: with inputs, and
      with all inputs set, when nothing is left to run. Integers, and all that is exact, must agree to the bit; other
      functions to a few units in the last place. A zero has no sign, and floats too small to be normal may be zeros.
"""
import itertools
import math
import os
import random
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from element_types import BOOL, F32, FLOATS, I64, INTEGERS, NUMBERS, TYPES, edges, floats
from folding_comparison import EXACT, Comparison, Family


class EdgesTest(Comparison):
    """Where instruction sets differ most."""

    arithmetic = ("Add", "Sub", "Mul", "Div", "Min", "Max")
    comparisons = ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual")

    def test_casts(self):
        generator = random.Random(1)
        family = Family("casts")
        wide = [2.0**31, 2.0**31 - 1, -2.0**31, -2.0**31 - 1, 2.0**32, 2.0**32 - 1, 2.0**63, -2.0**63, 2.0**64, 1e30, -1e30, 65535.0, 65536.0,
                32767.5, -32768.5, 65519.9, 65520.1, 1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-8 + 2.0**-40]
        for source, target in itertools.product(self.each(TYPES.values()), repeat=2):
            if source is target:
                continue
            values = edges(source)
            if source.is_float:
                values = floats(source, wide + [generator.uniform(-1000, 1000) for _ in range(40)])
            elif source is not BOOL:
                values = values + [generator.randint(*source.ends) for _ in range(40)]
                values += [v for v in (2**60 + 2**36 + 1, 2**30 + 2**22 + 1) if v <= source.ends[1]]
            family.output("Cast", [family.input(source, values)], target, [len(values)], to=target.onnx)
        self.check(family)

    def test_binary(self):
        family = Family("binary")

        def add(operator, left, right=None, result=None, a=None, b=None, **attributes):
            right = right or left
            a, b = a or edges(left), b or edges(right)
            operands = [family.input(left, a, [len(a), 1]), family.input(right, b, [1, len(b)])]
            family.output(operator, operands, result or left, [len(a), len(b)], **attributes)

        for element in self.each(NUMBERS):
            for operator in self.arithmetic:
                add(operator, element)
            for operator in self.comparisons:
                add(operator, element, result=BOOL)
            if element.is_float:
                add("Mod", element, fmod=1)
            else:
                add("Mod", element, fmod=0)
                add("Mod", element, fmod=1)
                for operator in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
                    add(operator, element)
            if element.is_integer and not element.is_signed:
                for direction in ("LEFT", "RIGHT"):
                    add("BitShift", element, direction=direction)
        for operator in ("And", "Or", "Xor", "Equal"):
            add(operator, BOOL)
        exponents = [0.0, 1.0, -1.0, 2.0, 3.0, -2.0, 1.5, 0.3, -0.7]
        for base in self.each(FLOATS):
            add("Pow", base, F32, a=[v for v in edges(base) if abs(v) < 1000], b=exponents, ulps=8)
            add("Pow", base, I64, a=[v for v in edges(base) if abs(v) < 1000], b=[-2, -1, 0, 1, 2, 3], ulps=8)
        for base, exponent in (("i32", "i32"), ("i32", "u8"), ("i32", "i64"), ("i64", "u64")):
            add("Pow", TYPES[base], TYPES[exponent])
        add("Pow", I64, F32, a=[v for v in edges(I64) if abs(v) < 100], b=exponents)
        self.check(family)


class FoldingTest(Comparison):
    """All that can be folded."""

    def test_unary(self):
        family = Family("unary")

        def add(operator, element, values=None, result=None, **attributes):
            values = edges(element) if values is None else values
            family.output(operator, [family.input(element, values)], result or element, [len(values)], **attributes)

        for element in self.each(FLOATS):
            for operator in ("Abs", "Neg", "Floor", "Ceil", "Round", "Sign", "Relu", "Reciprocal", "Sqrt"):
                add(operator, element)
            for operator in ("IsNaN", "IsInf"):
                add(operator, element, result=BOOL)
            # Where functions are steep, an error of the argument is many of the result's.
            tame = [v for v in floats(element, [0.1 * i for i in range(-40, 41)]) if not 1000 < abs(v) < math.inf]
            for operator in ("Exp", "Log", "Sigmoid", "Tanh", "Erf", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh",
                             "Atanh", "Softplus"):
                add(operator, element, tame, ulps=8, near=1e-6)
            add("LeakyRelu", element, ulps=1, alpha=0.3)
            add("Elu", element, tame, ulps=8, near=1e-6, alpha=1.5)
        for element in self.each(INTEGERS):
            for operator in ("Abs", "Sign", "BitwiseNot") + (("Neg", "Relu") if element.is_signed else ()):
                add(operator, element)
        add("Not", BOOL)
        self.check(family)

    def test_select(self):
        family = Family("select")
        for element in self.each(TYPES.values()):
            values = edges(element)
            count = len(values)
            condition = family.input(BOOL, [i % 3 == 0 for i in range(count)])
            family.output("Where", [condition, family.input(element, values), family.input(element, values[::-1])], element, [count])
        self.check(family)

    def test_reductions(self):
        generator = random.Random(2)
        family = Family("reductions")
        for element in self.each(NUMBERS):
            special = edges(element)
            rows = [[1, 2, 3, 4, 5], [7] * 5, [generator.randint(*element.ends) if element.is_integer else generator.uniform(0, 3) for _ in range(5)]]
            rows += [special[i:i + 5] for i in range(0, len(special) - 5, 5)]
            rows = [[element.rounded(v) for v in row] for row in rows]
            x = family.input(element, sum(rows, []), [len(rows), 5])
            nothing = family.input(element, [], [3, 0])
            axes = family.graph.initializers and "axes" or family.graph.integers("axes", [1])
            for operator in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"):
                inexact = element.is_float and operator in ("ReduceSum", "ReduceMean", "ReduceProd")
                # A sum of large numbers and their negatives keeps what was lost on the way.
                tame = family.input(element, sum(rows[:3], []), [3, 5]) if inexact else x
                family.output(operator, [tame, axes], element, [3 if inexact else len(rows), 1], ulps=4 if inexact else EXACT)
                family.output(operator, [nothing, axes], element, [3, 1])
            for operator, last in itertools.product(("ArgMax", "ArgMin"), (0, 1)):
                family.output(operator, [x], I64, [len(rows), 1], axis=1, select_last_index=last)
        for element in self.each(FLOATS):
            rows = [[0.0, 1.0, -1.0, 3.0], [0.0, -math.inf, 1.0, 2.0], [0.0, math.inf, 1.0, 2.0], [math.nan, 0.0, 1.0, 2.0], [-math.inf] * 4,
                    [50.0, -50.0, 0.0, 49.0]]
            x = family.input(element, [element.rounded(v) for v in sum(rows, [])], [len(rows), 4])
            family.output("Softmax", [x], element, [len(rows), 4], ulps=8, axis=1)
            family.output("LogSoftmax", [x], element, [len(rows), 4], ulps=8, near=1e-5, axis=1)
        self.check(family)

    def test_products(self):
        generator = random.Random(3)
        family = Family("products")
        for element in self.each(NUMBERS):
            def numbers(count):
                if element.is_integer:
                    return [generator.choice([generator.randint(*element.ends), *element.ends]) for _ in range(count)]
                return [element.rounded(generator.uniform(0, 2)) for _ in range(count)]
            for batch, m, k, n in (([], 3, 5, 4), ([2], 1, 7, 3), ([2], 3, 0, 4), ([], 0, 3, 2), ([0], 2, 3, 2)):
                size = math.prod(batch)
                a = family.input(element, numbers(size * m * k), batch + [m, k])
                b = family.input(element, numbers(size * k * n), batch + [k, n])
                family.output("MatMul", [a, b], element, batch + [m, n], ulps=4)
        self.check(family)

    def test_movement(self):
        """Bits that are not computed with stay what they are, also of the smallest floats."""
        family = Family("movement")
        for name in ("begins", "ends", "steps", "pads", "wide", "flat", "picks", "rows"):
            values = {"begins": [1, -1], "ends": [3, -100], "steps": [1, -2], "pads": [1, 0, 0, 2], "wide": [2, 4, 6], "flat": [3, 8],
                      "picks": [-1, 0, 2, 2], "rows": [0]}[name]
            family.graph.integers(name, values)
        for element in self.each(TYPES.values()):
            values = edges(element)
            if element.is_float:
                values += [element.rounded(math.ldexp(element.smallest, 1 - element.digits)), element.rounded(element.smallest / 2)]
            values = (values * 24)[:24]
            x = family.input(element, values, [4, 6])
            family.output("Transpose", [x], element, [6, 4], perm=[1, 0])
            family.output("Reshape", [x, "flat"], element, [3, 8])
            family.output("Concat", [x, x, family.input(element, [], [4, 0])], element, [4, 12], axis=1)
            family.output("Slice", [x, "begins", "ends", "rows_and_columns", "steps"], element, [2, 3])
            family.output("Pad", [x, "pads"], element, [5, 8], mode="edge")
            family.output("Expand", [x, "wide"], element, [2, 4, 6])
            family.output("Gather", [x, "picks"], element, [4, 6], axis=0)
            family.output("Gather", [x, "picks"], element, [4, 4], axis=1)
        family.graph.integers("rows_and_columns", [0, 1])
        self.check(family)

    def test_resizes(self):
        generator = random.Random(4)
        family = Family("resizes")
        sizes = family.graph.integers("sizes", [1, 2, 7, 5])
        for element in self.each(TYPES.values()):
            values = [generator.choice(edges(element)) for _ in range(1 * 2 * 4 * 6)]
            x = family.input(element, values, [1, 2, 4, 6])
            if element is not BOOL:
                family.output("Resize", [x, "", "", sizes], element, [1, 2, 7, 5], mode="nearest")
        for element in self.each(FLOATS):
            tame = family.input(element, [element.rounded(generator.uniform(0, 2)) for _ in range(1 * 2 * 4 * 6)], [1, 2, 4, 6])
            for mode, options in (("linear", {}), ("linear", {"coordinate_transformation_mode": "align_corners"}), ("linear", {"antialias": 1}),
                                  ("cubic", {}), ("cubic", {"exclude_outside": 1, "cubic_coeff_a": -0.5}), ("cubic", {"antialias": 1})):
                family.output("Resize", [tame, "", "", sizes], element, [1, 2, 7, 5], ulps=4, near=2e-6, mode=mode, **options)
        self.check(family)


class Sse4EdgesTest(EdgesTest):
    arithmetic, comparisons = ("Div", "Max"), ()
    options = ("--cpu=nehalem",)
    lacks = ("f16",)


@unittest.skipUnless(shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT), "needs qemu-aarch64 and an arm64 sysroot")
class Arm64EdgesTest(EdgesTest):
    arithmetic, comparisons = ("Div", "Max"), ()
    options = ("--target=linux-arm64",)

    def run_library(self, library, *options):
        self.run_arm64(library, *options)


if __name__ == "__main__":
    unittest.main()
