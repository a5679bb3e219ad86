# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of one node for each operator, whose inputs are special values, and how near each result must be to the exact one.

A bound is in units of the last place (`ulps`), or in 2^-23 absolutely (`near`) or of the row's largest finite element (`row`), whichever is
largest. Functions have the bounds of codegen/Functions.h and half a unit for the reference's own rounding.
"""
from collections import namedtuple

import values
from element_types import BOOL, F32, I64, INTEGERS, TYPES
from onnx_writer import Graph, _tensor

Bound = namedtuple("Bound", "ulps near row", defaults=(0, 0, 0))
EXACT = Bound()
# Exact, too, but a result next to the smallest normal number may be zero.
ROUNDED = Bound(0.5)
# element: of the result. shape: of the result. inputs: names of what it is computed of. lines: an element is computed of one element of each
# input (None), or of a line along that axis of the first one.
Output = namedtuple("Output", "label element shape inputs bound lines")
Input = namedtuple("Input", "element shape codes")

FUNCTIONS = {"Exp": 1.4, "Log": 1.4, "Tanh": 5.5, "Erf": 7, "Sin": 2.5, "Cos": 2.5, "Tan": 4, "Atan": 3.5, "Asin": 3, "Acos": 3, "Sinh": 3, "Cosh": 3,
             "Asinh": 3.5, "Acosh": 3.5, "Atanh": 4, "Sigmoid": 3}
EXACT_FUNCTIONS = ("Abs", "Neg", "Floor", "Ceil", "Round", "Sign", "Relu", "Sqrt", "Reciprocal", "IsNaN")
EXPONENTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 0.3, -0.25, -0.5, -0.75, -1.0, -2.0, -3.0, -4.0, -0.7, 5.0)


class Family:
    """A model under construction."""

    def __init__(self, name):
        self.graph = Graph(name, opset=26)
        self.inputs, self.outputs = {}, {}

    def input(self, element, codes, shape=None):
        wanted = Input(element, shape or [len(codes)], codes)
        for name, known in self.inputs.items():
            if known == wanted:
                return name
        name = f"x{len(self.inputs)}"
        self.inputs[name] = wanted
        return self.graph.input(name, wanted.shape, element.onnx)

    def constant(self, element, numbers, shape=None):
        name = f"c{len(self.graph.initializers)}"
        self.graph.initializers.append(_tensor(name, element.onnx, [len(numbers)] if shape is None else shape, element.pack(numbers)))
        return name

    def output(self, operator, operands, element, shape, bound=EXACT, lines=None, label=None, results=1, **attributes):
        """A node, and the first of its results as an output of the model; `operands` are inputs, or constants, which have no part in a label."""
        names = [f"y{len(self.outputs)}{suffix}" for suffix in ("", "b", "c")[:results]]
        self.graph.node(operator, operands, output=names, name=f"{operator}_{names[0]}", **attributes)
        for name, of in zip(names, (element, I64)):
            self.graph.output(name, shape, of.onnx)
            self.outputs[name] = Output(label or operator, of, shape, [x for x in operands if x in self.inputs], bound, lines)


def unary(element):
    family = Family(f"unary_{element.name}")
    codes = values.of(element)
    x, shape = family.input(element, codes), [len(codes)]

    def add(operator, bound=EXACT, result=element, **attributes):
        family.output(operator, [x, *attributes.pop("constants", [])], result, shape, bound, **attributes)

    for operator in EXACT_FUNCTIONS:
        add(operator, result=BOOL if operator == "IsNaN" else element)
    for operator, ulps in FUNCTIONS.items():
        add(operator, Bound(ulps))
    for signs in ((1, 1), (1, 0), (0, 1)):
        add("IsInf", result=BOOL, detect_positive=signs[0], detect_negative=signs[1])
    add("Softplus", Bound(3, 1))
    add("LeakyRelu", Bound(1), alpha=0.3)
    add("Elu", Bound(3, 2), alpha=1.5)
    add("Gelu", Bound(3, 32))
    for exponent in EXPONENTS:
        add("Pow", Bound(4), constants=[family.constant(element, [exponent])], label=f"Pow {exponent:g}")
    return family


def compositions(element):
    family = Family(f"compositions_{element.name}")
    codes = values.of(element)
    x, shape = family.input(element, codes), [len(codes)]

    def add(operator, bound=EXACT, constants=(), **attributes):
        family.output(operator, [x, *constants], element, shape, bound, **attributes)

    add("Gelu", Bound(3, 32), approximate="tanh", label="Gelu tanh")
    for operator in ("Celu", "Selu"):
        add(operator, Bound(4, 4))
    add("Mish", Bound(12, 8))
    add("Swish", Bound(4, 1))
    add("HardSigmoid", Bound(2, 2))
    add("HardSwish", Bound(3, 16))
    add("Softsign", Bound(2))
    add("ThresholdedRelu", alpha=0.5)
    add("Shrink", Bound(1), bias=0.25, lambd=0.5)
    add("Clip", constants=[family.constant(element, [-2.5], []), family.constant(element, [3.0], [])])
    family.output("Sub", [x, x], element, shape, label="x - x")
    family.output("Mul", [x, family.constant(element, [0.0], [])], element, shape, label="x * 0")
    family.output("Div", [x, x], element, shape, label="x / x")
    return family


def casts(element):
    family = Family(f"casts_{element.name}")
    codes = values.of(element)
    x = family.input(element, codes)
    for target in TYPES.values():
        if target is not element:
            family.output("Cast", [x], target, [len(codes)], label=f"Cast to {target.name}", to=target.onnx)
    if element is F32:
        for target in ("u8", "i8"):
            operands = [x, family.constant(F32, [0.1], []), family.constant(TYPES[target], [3], [])]
            family.output("QuantizeLinear", operands, TYPES[target], [len(codes)])
    return family


def binary(element):
    family = Family(f"binary_{element.name}")
    keys = values.key_values(element)
    pairs = [(a, b) for a in keys for b in keys]
    a, b = (family.input(element, [pair[i] for pair in pairs]) for i in (0, 1))

    def add(operator, bound=EXACT, result=element, **attributes):
        family.output(operator, [a, b], result, [len(pairs)], bound, **attributes)

    if element is BOOL:
        for operator in ("And", "Or", "Xor", "Equal"):
            add(operator)
        return family
    for operator in ("Add", "Sub", "Mul", "Div", "Min", "Max"):
        add(operator, ROUNDED if element.is_float and operator not in ("Min", "Max") else EXACT)
    for operator in ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"):
        add(operator, result=BOOL)
    add("Mod", fmod=1, label="Mod fmod")
    if element.is_float:
        add("Pow", Bound(2))
        add("PRelu", ROUNDED)
        add("Mean", Bound(1))
        return family
    add("Mod", fmod=0)
    for operator in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
        add(operator)
    if element.bits >= 32:
        add("Pow")
    if not element.is_signed:
        for direction in ("LEFT", "RIGHT"):
            add("BitShift", direction=direction, label=f"BitShift {direction}")
    return family


def integer_unary(element):
    family = Family(f"unary_{element.name}")
    codes = values.of(element)
    x = family.input(element, codes)
    for operator in ("Abs", "Sign", "BitwiseNot") + (("Neg", "Relu") if element.is_signed else ()):
        family.output(operator, [x], element, [len(codes)])
    low, high = family.constant(element, [element.ends[0] + 1], []), family.constant(element, [element.ends[1] - 1], [])
    family.output("Clip", [x, low, high], element, [len(codes)])
    return family


def reductions(family, element, x, shape, axis):
    """Those of every type, along `axis` of two."""
    count = shape[axis]
    reduced = [size for i, size in enumerate(shape) if i != axis]
    axes = family.graph.initializers and "axes" or family.graph.integers("axes", [axis])
    sums = Bound(2, 0, 2 * count) if element.is_float else EXACT

    def add(operator, bound, **attributes):
        family.output(operator, [x, axes], element, reduced, bound, axis, keepdims=0, **attributes)

    add("ReduceSum", sums)
    add("ReduceMean", sums)
    add("ReduceProd", Bound(count) if element.is_float else EXACT)
    add("ReduceL1", sums)
    add("ReduceSumSquare", Bound(count) if element.is_float else EXACT)
    add("ReduceMax", EXACT)
    add("ReduceMin", EXACT)
    for operator in ("ArgMax", "ArgMin"):
        for last in (0, 1):
            family.output(operator, [x], I64, reduced, EXACT, axis, f"{operator} {'last' if last else 'first'}", axis=axis, keepdims=0,
                          select_last_index=last)
    if element.is_float:
        add("ReduceL2", Bound(6))
        add("ReduceLogSum", Bound(4, 8))
        add("ReduceLogSumExp", Bound(4, 8))
    cumulated = Bound(2, 0, 2 * count) if element.is_float else EXACT
    last = family.constant(I64, [axis], [])
    family.output("CumSum", [x, last], element, shape, cumulated, axis)
    family.output("CumSum", [x, last], element, shape, cumulated, axis, "CumSum exclusive, reverse", exclusive=1, reverse=1)
    family.output("CumProd", [x, last], element, shape, Bound(count) if element.is_float else EXACT, axis)


def matrix(element):
    rows = values.rows(element)
    return [code for row in rows for code in row], [len(rows), len(rows[0])]


def row_family(element):
    family = Family(f"rows_{element.name}")
    codes, shape = matrix(element)
    x = family.input(element, codes, shape)
    reductions(family, element, x, shape, 1)
    for largest in (1, 0):
        top = [shape[0], 5]
        family.output("TopK", [x, family.constant(I64, [5])], element, top, EXACT, 1, f"TopK {'largest' if largest else 'smallest'}", results=2,
                      largest=largest, axis=1)
    if not element.is_float:
        return family
    images = family.input(element, codes, [shape[0], 1, shape[1]])
    family.output("MaxPool", [images], element, [shape[0], 1, shape[1] - 2], EXACT, 2, kernel_shape=[3])
    family.output("AveragePool", [images], element, [shape[0], 1, shape[1] - 2], Bound(2, 0, 2), 2, kernel_shape=[3])
    family.output("GlobalMaxPool", [images], element, [shape[0], 1, 1], EXACT, 2)
    return family


def column_family(element):
    """The same along the outer axis, where a vector has many lines side by side."""
    family = Family(f"columns_{element.name}")
    codes, (rows, columns) = matrix(element)
    shape = [columns, rows]
    x = family.input(element, [codes[r * columns + c] for c in range(columns) for r in range(rows)], shape)
    reductions(family, element, x, shape, 0)
    normalizers(family, element, x, shape, 0)
    return family


def normalizers(family, element, x, shape, axis):
    for operator, bound in (("Softmax", Bound(8, 1)), ("LogSoftmax", Bound(8, 8, 1)), ("Hardmax", EXACT)):
        family.output(operator, [x], element, shape, bound, axis, axis=axis)
    for p in (1, 2):
        family.output("LpNormalization", [x], element, shape, Bound(8), axis, f"LpNormalization {p}", p=p, axis=axis)


def normalizations(element):
    family = Family(f"normalizations_{element.name}")
    codes, shape = matrix(element)
    x = family.input(element, codes, shape)
    normalizers(family, element, x, shape, 1)
    scale, shift = (family.constant(element, [number] * shape[1]) for number in (1.0, 0.0))
    one, zero = (family.constant(element, [number]) for number in (1.0, 0.0))
    normal = Bound(16, 32)
    family.output("LayerNormalization", [x, scale, shift], element, shape, normal, 1, axis=1)
    family.output("RMSNormalization", [x, scale], element, shape, normal, 1, axis=1)
    family.output("MeanVarianceNormalization", [x], element, shape, normal, 1, axes=[1])
    images = family.input(element, codes, [shape[0], 1, shape[1]])
    family.output("InstanceNormalization", [images, one, zero], element, [shape[0], 1, shape[1]], normal, 2)
    family.output("BatchNormalization", [images, one, zero, family.constant(element, [0.5]), family.constant(element, [2.0])], element,
                  [shape[0], 1, shape[1]], Bound(4, 4))
    return family


def make_families(element):
    if element is BOOL:
        return [casts(element), binary(element)]
    if element in INTEGERS:
        return [integer_unary(element), casts(element), binary(element), row_family(element)]
    return [unary(element), compositions(element), casts(element), binary(element), row_family(element), column_family(element), normalizations(element)]
