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
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import Graph, _tensor


class ElementType:
    def __init__(self, name, onnx, code, bits):
        self.name, self.onnx, self.code, self.bits = name, onnx, code, bits

    @property
    def is_float(self):
        return self.code in ("e", "bf16", "f", "d")

    @property
    def is_integer(self):
        return self.code in "bhiqBHIQ"

    @property
    def is_signed(self):
        return self.code.islower()

    def pack(self, values):
        if self.name == "bf16":  # struct has no such type
            return b"".join(struct.pack("<f", v)[2:] for v in values)
        return struct.pack(f"<{len(values)}{self.code}", *values)

    def unpack(self, data):
        if self.name == "bf16":
            return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]
        return list(struct.unpack(f"<{len(data) // (max(8, self.bits) // 8)}{self.code}", data))

    def rounded(self, value):
        """The value as this type has it, or None."""
        try:
            return self.unpack(self.pack([value]))[0]
        except (OverflowError, struct.error):
            return None

    @property
    def digits(self):
        return {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}[self.name]

    @property
    def smallest(self):
        """Of the normal numbers."""
        return math.ldexp(1.0, -14 if self.name == "f16" else -1022 if self.name == "f64" else -126)

    @property
    def largest(self):
        exponent = 16 if self.name == "f16" else 1024 if self.name == "f64" else 128
        return math.ldexp(2.0 - math.ldexp(1.0, 1 - self.digits), exponent - 1)

    @property
    def ends(self):
        return (-(1 << self.bits - 1), (1 << self.bits - 1) - 1) if self.is_signed else (0, (1 << self.bits) - 1)


TYPES = {t.name: t for t in (
    ElementType("f16", 10, "e", 16), ElementType("bf16", 16, "bf16", 16), ElementType("f32", 1, "f", 32), ElementType("f64", 11, "d", 64),
    ElementType("bool", 9, "?", 1),
    ElementType("i8", 3, "b", 8), ElementType("i16", 5, "h", 16), ElementType("i32", 6, "i", 32), ElementType("i64", 7, "q", 64),
    ElementType("u8", 2, "B", 8), ElementType("u16", 4, "H", 16), ElementType("u32", 12, "I", 32), ElementType("u64", 13, "Q", 64))}
FLOATS = [t for t in TYPES.values() if t.is_float]
INTEGERS = [t for t in TYPES.values() if t.is_integer]
NUMBERS = FLOATS + INTEGERS
BOOL, I64, F32 = TYPES["bool"], TYPES["i64"], TYPES["f32"]

EXACT = 0


def floats(element, extra=()):
    """Zeros, small numbers and halves, the ends of what integers hold, the type's own ends, what is no number."""
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.75, 3.0, -3.0, 7.0, 100.0, -100.7, 255.0, 255.9, 256.0, 300.0, -128.9, -129.0,
              element.smallest, -element.smallest, element.largest, -element.largest, math.inf, -math.inf, math.nan, *extra]
    return [v for v in map(element.rounded, values) if v is not None]


def integers(element):
    low, high = element.ends
    values = {low, low + 1, low // 2, -3, -2, -1, 0, 1, 2, 3, 7, 8, 31, 32, 63, 64, element.bits - 1, element.bits, element.bits + 1,
              high // 2, high - 1, high}
    return sorted(v for v in values if low <= v <= high)


def edges(element):
    if element is BOOL:
        return [False, True]
    return floats(element) if element.is_float else integers(element)


class Family:
    """A model under construction, the values of its inputs and what its outputs are."""

    def __init__(self, name):
        self.graph = Graph(name, opset=18)
        self.inputs, self.outputs = {}, {}

    def input(self, element, values, shape=None):
        shape = [len(values)] if shape is None else shape
        assert len(values) == math.prod(shape)
        for name, known in self.inputs.items():
            if (known[0], repr(known[1]), known[2]) == (element, repr(values), shape):
                return name
        name = f"x{len(self.inputs)}"
        self.inputs[name] = (element, values, shape)
        return self.graph.input(name, shape, element.onnx)

    def output(self, operator, inputs, element, shape, ulps=EXACT, near=0.0, **attributes):
        """`ulps` are units in the last place, `near` what the result may be away from the other absolutely."""
        name = f"y{len(self.outputs)}"
        self.outputs[name] = (operator, element, ulps, near, inputs)
        self.graph.output(self.graph.node(operator, inputs, output=name, name=f"{operator.lower()}_{name}", **attributes), shape, element.onnx)


def differs(element, a, b, ulps, near):
    if not element.is_float:
        return a != b
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) != math.isnan(b)
    if a == b or max(abs(a), abs(b)) <= element.smallest:
        return False
    if math.isinf(a) or math.isinf(b):  # the last place of the largest number may decide
        finite = b if math.isinf(a) else a
        return not ulps or a * b < 0 or abs(finite) < element.largest * (1 - ulps * math.ldexp(1.0, 1 - element.digits))
    spacing = math.ldexp(1.0, math.frexp(max(abs(a), abs(b)))[1] - element.digits)
    return abs(a - b) > max(ulps * spacing, near)


class Comparison(nacre.NacreTest):
    """Compiles a family both ways, runs both and compares."""

    parts = 3

    options = ()
    lacks = ()  # element types that the target has none of

    def each(self, elements):
        return [element for element in elements if element.name not in self.lacks]

    def run_library(self, library, *options):
        self.run_model(library, *options)

    def run_compiled(self, library, family, *options):
        """The outputs of a run, as lists of numbers."""
        folder = library + ".out"
        os.mkdir(folder)
        given = [f"--input={name}={self.path(name + '.pb')}" for name in family.inputs] if options else []
        self.run_library(library, f"--output={folder}", *given)
        outputs = {}
        for name, (_, element, *_) in family.outputs.items():
            with open(os.path.join(folder, name + ".npy"), "rb") as file:
                data = file.read()
            outputs[name] = element.unpack(data[10 + struct.unpack("<H", data[8:10])[0]:])
        return outputs

    def check(self, family):
        model = self.path(family.graph.name + ".onnx")
        family.graph.save(model)
        for name, (element, values, shape) in family.inputs.items():
            with open(self.path(name + ".pb"), "wb") as file:
                file.write(_tensor(name, element.onnx, shape, element.pack(values)))
        compiler = os.path.join(nacre.BIN, "nacre-compile")
        compiled, folded = self.path("libcompiled.so"), self.path("libfolded.so")
        self.call(compiler, model, "-o", compiled, "--quiet", *self.options)
        self.call(compiler, model, "-o", folded, "--quiet", *self.options, *(f"--set={name}={self.path(name + '.pb')}" for name in family.inputs))
        is_, must = self.run_compiled(compiled, family, "inputs"), self.run_compiled(folded, family)
        wrong = []
        for name, (operator, element, ulps, near, inputs) in family.outputs.items():
            self.assertEqual(len(is_[name]), len(must[name]))
            for i, (a, b) in enumerate(zip(is_[name], must[name])):
                if differs(element, a, b, ulps, near):
                    types = ", ".join(family.inputs[x][0].name for x in inputs if x in family.inputs)
                    wrong.append(f"{operator}({types}) -> {element.name} at {i}: compiled {a!r}, folded {b!r}")
        if wrong:
            self.fail(f"{len(wrong)} differences:\n" + "\n".join(wrong[:40]))


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
