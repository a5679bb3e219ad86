# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose inputs and outputs are integers that stand for reals, and what these are by the definition of the format."""
import os
import struct

import nacre  # noqa: F401, which finds onnx_writer
from onnx_writer import Graph, _tensor
from tflite_writer import FLOAT32, INT8, INT16, INT32, UINT8, Net

NO_SCALE = (1.0, 0)
FLOAT, U8, I8, U16, I16, I32, I64, F16, I4 = 1, 2, 3, 4, 5, 6, 7, 10, 22
LETTERS = {FLOAT: "f", U8: "B", I8: "b", U16: "H", I16: "h", I32: "i", I64: "q", F16: "e"}


class Described:
    """A model and what each of its inputs and outputs stands for: (scale, zero point), or (axis, scales, zero points)."""

    def __init__(self, path, inputs, outputs, *options, entry=0, entry_name=""):
        self.path, self.inputs, self.outputs, self.options, self.entry, self.entry_name = path, inputs, outputs, options, entry, entry_name


class Model:
    """An ONNX model under construction."""

    def __init__(self, name, opset=13):
        self.name, self.graph, self.inputs, self.outputs, self.constants = name, Graph(name, opset=opset), [], [], 0

    def constant(self, values, element):
        self.constants += 1
        name = f"c{self.constants}"
        listed = values if isinstance(values, list) else [values]
        raw = struct.pack(f"<{len(listed)}{LETTERS[element]}", *listed) if element in LETTERS else bytes(v & 15 for v in listed)
        self.graph.initializers.append(_tensor(name, element, [len(listed)] if isinstance(values, list) else [], raw))
        return name

    def input(self, name, dims, element, meaning):
        self.inputs.append(meaning)
        return self.graph.input(name, dims, element)

    def output(self, name, dims, element, meaning):
        self.outputs.append(meaning)
        self.graph.output(name, dims, element)

    def facts(self, meaning, element, scale_type=FLOAT):
        """The constants of a meaning."""
        scales, zeros = meaning[-2:]
        return [self.constant(scales, scale_type), self.constant(zeros, element)]

    def real(self, x, meaning, element, **attributes):
        return self.graph.node("DequantizeLinear", [x, *self.facts(meaning, element)], **attributes)

    def codes(self, x, meaning, element, name=None, **attributes):
        return self.graph.node("QuantizeLinear", [x, *self.facts(meaning, element)], output=name, **attributes)

    def done(self, folder, *options):
        path = os.path.join(folder, self.name + ".onnx")
        self.graph.save(path)
        return Described(path, self.inputs, self.outputs, *options)


def of_bytes(folder):
    """One scale for each tensor, around a convolution that wants channels last."""
    model, x, y = Model("bytes"), (0.5, 128), (0.25, -3)
    real = model.real(model.input("x", [1, 2, 4, 4], U8, x), x, U8)
    real = model.graph.node("Conv", [real, model.graph.kernel("w", [3, 2, 3, 3])], pads=[1, 1, 1, 1])
    model.codes(real, y, I8, "y")
    model.output("y", [1, 3, 4, 4], I8, y)
    return model.done(folder)


def of_channels(folder):
    """A scale for each channel, which the file has along axis 1 and kernels last."""
    model, x, y = Model("channels"), (1, [0.5, 0.25, 0.125], [0, 3, -7]), (1, [1.0, 2.0, 0.5, 4.0], [10, 0, 255, 128])
    real = model.real(model.input("x", [1, 3, 4, 4], I8, x), x, I8, axis=1)
    real = model.graph.node("Conv", [real, model.graph.kernel("w", [4, 3, 3, 3])], pads=[1, 1, 1, 1])
    model.codes(real, y, U8, "y", axis=1)
    model.output("y", [1, 4, 4, 4], U8, y)
    return model.done(folder)


def of_moved(folder):
    """What moves elements between the border and the operator with the scale moves its axis."""
    model = Model("moved")
    x, by_row, one = (3, [0.5, 0.25, 0.125], [1, 2, 3]), (0, [2.0, 0.5], [0, -1]), (0.75, 5)
    turned = model.graph.node("Transpose", [model.input("x", [1, 4, 4, 3], I8, x)], perm=[0, 3, 1, 2])
    real = model.graph.node("Relu", [model.real(turned, x, I8, axis=1)])
    flat = model.graph.node("Reshape", [model.input("rows", [2, 4, 4], I8, by_row), model.graph.integers("by_two", [1, 2, 16])])
    row = model.graph.node("Relu", [model.real(flat, by_row, I8, axis=1)])
    codes = model.codes(real, x, I8, axis=1)
    model.graph.node("Transpose", [codes], output="turned_back", perm=[0, 2, 3, 1])
    model.output("turned_back", [1, 4, 4, 3], I8, x)
    model.graph.node("Slice", [codes, model.graph.integers("begin", [1]), model.graph.integers("end", [3]), model.graph.integers("axis", [2])], output="part")
    model.output("part", [1, 3, 2, 4], I8, (1, *x[1:]))
    single = model.codes(real, one, U8)
    model.graph.node("MaxPool", [single], output="pooled", kernel_shape=[2, 2], strides=[2, 2])
    model.output("pooled", [1, 3, 2, 2], U8, one)
    same, other = model.codes(row, one, U8), model.codes(row, (0.5, 5), U8)
    model.graph.node("Concat", [same, model.codes(row, one, U8)], output="joined", axis=2)
    model.output("joined", [1, 2, 32], U8, one)
    model.graph.node("Concat", [same, other], output="mixed", axis=2)
    model.output("mixed", [1, 2, 32], U8, NO_SCALE)
    model.graph.node("Identity", [single], output="twice")
    model.output("twice", [1, 3, 4, 4], U8, one)
    return model.done(folder)


def of_numbers(folder):
    """Integers that have no scale, or none that is known, or several."""
    model, x = Model("numbers"), (0.5, 3)
    model.graph.node("Relu", [model.real(model.codes(model.input("real", [4], FLOAT, NO_SCALE), x, U8), x, U8)], output="y")
    model.output("y", [4], FLOAT, NO_SCALE)
    two = model.input("two", [4], U8, NO_SCALE)
    model.graph.node("Add", [model.real(two, x, U8), model.real(two, (0.25, 3), U8)], output="sum")
    model.output("sum", [4], FLOAT, NO_SCALE)
    scale = model.input("scale", [], FLOAT, NO_SCALE)
    model.graph.node("DequantizeLinear", [model.input("open", [4], U8, NO_SCALE), scale], output="scaled")
    model.output("scaled", [4], FLOAT, NO_SCALE)
    model.graph.node("Gather", [model.graph.constant("table", [3], [1, 2, 3]), model.input("index", [2], I64, NO_SCALE)], output="found")
    model.output("found", [2], FLOAT, NO_SCALE)
    model.graph.node("MatMulInteger", [model.input("a", [2, 3], U8, NO_SCALE), model.input("b", [3, 2], U8, NO_SCALE)], output="product")
    model.output("product", [2, 2], I32, NO_SCALE)
    return model.done(folder)


def of_spellings(folder):
    """A scale of one element in a list, one that a node computes of constants, a zero point that is left out, a second reader."""
    model, x, none = Model("spellings"), (0.5, -3), (0.125, 0)
    named = model.input("x", [4], I8, x)
    listed = model.graph.node("DequantizeLinear", [named, model.constant([0.5], FLOAT), model.constant([-3], I8)])
    half = model.graph.node("Mul", [model.constant(0.25, FLOAT), model.constant(2.0, FLOAT)])
    again = model.graph.node("DequantizeLinear", [model.graph.node("Identity", [named]), half, model.constant(-3, I8)])
    model.graph.node("QuantizeLinear", [model.graph.node("Add", [listed, again]), model.constant(0.125, FLOAT)], output="y")
    model.output("y", [4], U8, none)
    model.graph.node("Cast", [named], output="plain", to=I32)
    model.output("plain", [4], I32, NO_SCALE)
    return model.done(folder)


def of_types(folder):
    """Integers of 4, 16 and 32 bits, and scales of half precision."""
    model, four, short = Model("types", opset=21), (0.5, -3), (0.0625, 40000)
    packed = model.real(model.input("four", [6], I4, four), four, I4)
    model.codes(packed, (0.25, 2), I4, "packed")
    model.output("packed", [6], I4, (0.25, 2))
    wide = model.graph.node("Relu", [model.real(model.input("short", [6], U16, short), short, U16)])
    model.codes(wide, (0.5, -300), I16, "signed")
    model.output("signed", [6], I16, (0.5, -300))
    sums = (0.001953125, 0)
    model.graph.node("Relu", [model.real(model.input("sums", [6], I32, sums), sums, I32)], output="reals")
    model.output("reals", [6], FLOAT, NO_SCALE)
    half = (0.0999755859375, 7)  # The half that is nearest to a tenth.
    facts = model.facts(half, U8, F16)
    real = model.graph.node("DequantizeLinear", [model.input("half", [6], U8, half), *facts])
    model.graph.node("QuantizeLinear", [model.graph.node("Relu", [real]), *facts], output="halves")
    model.output("halves", [6], U8, half)
    return model.done(folder)


def of_qlinear(folder):
    """Operators of integers with scales of their own, of the standard and of com.microsoft."""
    model, x, y = Model("qlinear"), (0.5, 3), (0.25, 7)
    image = model.input("image", [1, 2, 4, 4], U8, x)
    weights = [model.constant([1] * 54, I8), *model.facts((0.5, 0), I8)]
    weights[0] = model.graph.node("Reshape", [weights[0], model.graph.integers("filter", [3, 2, 3, 3])])
    sums = model.graph.node("QLinearConv", [image, *model.facts(x, U8), *weights, *model.facts(y, U8)], pads=[1, 1, 1, 1])
    model.graph.node("MaxPool", [sums], output="convolved", kernel_shape=[2, 2], strides=[2, 2])
    model.output("convolved", [1, 3, 2, 2], U8, y)
    model.graph.node("com.microsoft.QLinearGlobalAveragePool", [sums, *model.facts(y, U8), *model.facts((0.125, 9), U8)], output="averages")
    model.output("averages", [1, 3, 1, 1], U8, (0.125, 9))

    rows, columns = (0, [0.5, 0.25], [1, 2]), (1, [1.0, 2.0, 4.0], [0, 1, 2])
    product = [model.input("rows", [2, 4], U8, rows), *model.facts(rows, U8), model.input("columns", [4, 3], U8, columns), *model.facts(columns, U8)]
    made = (0, [8.0, 16.0], [3, 4])
    model.graph.node("QLinearMatMul", [*product, *model.facts(made, U8)], output="product")
    model.output("product", [2, 3], U8, made)

    a, b, c = (0.5, 1), (0.25, 2), (0.75, 3)
    first, second = model.input("a", [4], U8, a), model.input("b", [4], U8, b)
    for name, operator in (("sum", "QLinearAdd"), ("times", "QLinearMul")):
        model.graph.node("com.microsoft." + operator, [first, *model.facts(a, U8), second, *model.facts(b, U8), *model.facts(c, U8)], output=name)
        model.output(name, [4], U8, c)
    model.graph.node("com.microsoft.QLinearSigmoid", [first, *model.facts(a, U8), *model.facts(c, U8)], output="sigmoid")
    model.output("sigmoid", [4], U8, c)
    model.graph.node("com.microsoft.QLinearConcat", [*model.facts(b, U8), first, *model.facts(a, U8), second, *model.facts(b, U8)], output="joined", axis=0)
    model.output("joined", [8], U8, b)
    return model.done(folder)


def of_a_batch(folder):
    """The caller's batch changes shapes, and no scale."""
    model, x, y = Model("batch"), (1, [0.5, 0.25, 0.125], [0, 3, -7]), (0.25, -3)
    real = model.real(model.input("x", ["N", 3, 4, 4], I8, x), x, I8, axis=1)
    model.codes(model.graph.node("Relu", [real]), y, I8, "y")
    model.output("y", ["N", 3, 4, 4], I8, y)
    return model.done(folder, "--shape=x=2x3x4x4")


def of_a_part(folder):
    """An output that the caller names, and tensors that are kept."""
    model, x, y = Model("part"), (0.5, 128), (0.25, -3)
    real = model.real(model.input("x", [2, 4], U8, x), x, U8)
    model.codes(real, y, I8, "inside")
    model.graph.node("Cast", ["inside"], output="y", to=FLOAT)
    model.output("y", [2, 4], FLOAT, NO_SCALE)
    whole = model.done(folder)
    return (Described(whole.path, [x], [y], "--output=inside"), Described(whole.path, [x], [NO_SCALE, y], "--keep=inside"))


ONNX = {"bytes": of_bytes, "channels": of_channels, "moved": of_moved, "numbers": of_numbers, "spellings": of_spellings, "types": of_types,
        "qlinear": of_qlinear, "batch": of_a_batch, "part": of_a_part}


def tflite_bytes(folder):
    """Scales of several types; what has none."""
    net = Net()
    x = net.input("x", [2, 3], INT8, scale=0.5, zero=-1)
    real = net.tensor("real", [2, 3])
    net.op(6, [x], [real])
    net.op(114, [real], [net.output("codes", [2, 3], UINT8, scale=0.25, zero=128)])
    short = net.input("short", [2, 3], INT16, scale=0.001, zero=0)
    net.op(114, [short], [net.output("bytes", [2, 3], INT8, scale=0.125, zero=7)])
    index = net.input("index", [2], INT32)
    table = net.tensor("table", [3], values=[1, 2, 3])
    net.op(36, [table, index], [net.output("found", [2])], 23, {0: ("i", 0)})
    path = os.path.join(folder, "bytes.tflite")
    net.save(path)
    small = struct.unpack("<f", struct.pack("<f", 0.001))[0]
    return Described(path, [(0.5, -1), (small, 0), NO_SCALE], [(0.25, 128), (0.125, 7), NO_SCALE])


def tflite_channels(folder):
    """A scale for each channel of an input."""
    net = Net()
    scales, zeros = [0.5, 0.25, 0.125], [0, 0, 0]
    x = net.input("x", [1, 2, 2, 3], INT8, scale=scales, zero=zeros, axis=3)
    net.op(6, [x], [net.output("real", [1, 2, 2, 3], FLOAT32)])
    path = os.path.join(folder, "channels.tflite")
    net.save(path)
    return Described(path, [(3, scales, zeros)], [NO_SCALE])


def tflite_part(folder):
    """An output that the caller names, and tensors that are kept."""
    net = Net()
    x = net.input("x", [2, 3], INT8, scale=0.5, zero=-1)
    inside = net.tensor("inside", [2, 3], UINT8, scale=0.25, zero=128)
    net.op(114, [x], [inside])
    net.op(6, [inside], [net.output("real", [2, 3])])
    path = os.path.join(folder, "part.tflite")
    net.save(path)
    return (Described(path, [(0.5, -1)], [(0.25, 128)], "--output=inside"),
            Described(path, [(0.5, -1)], [NO_SCALE, (0.25, 128)], "--keep=inside"))


def tflite_signatures(folder):
    """Two entries, whose signatures rename tensors."""
    net = Net()
    x = net.input("x", [2, 3], INT8, scale=0.5, zero=-1)
    y = net.output("y", [2, 3], UINT8, scale=0.25, zero=128)
    net.op(114, [x], [y])
    number, body = net.body()
    a = body.input("a", [4], UINT8, scale=2.0, zero=3)
    b = body.output("b", [4], INT8, scale=4.0, zero=-5)
    body.op(114, [a], [b])
    net.signature("first", {"image": x}, {"answer": y})
    net.signature("second", {"sound": a}, {"word": b}, number)
    path = os.path.join(folder, "signatures.tflite")
    net.save(path)
    options = ("--signature=first", "--signature=second")
    return (Described(path, [(0.5, -1)], [(0.25, 128)], *options, entry=0, entry_name="first"),
            Described(path, [(2.0, 3)], [(4.0, -5)], *options, entry=1, entry_name="second"))


TFLITE = {"bytes": tflite_bytes, "channels": tflite_channels, "part": tflite_part, "signatures": tflite_signatures}


def _models(table, folder, names):
    models = []
    for name in names or table:
        made = table[name](folder)
        models.extend(made if isinstance(made, tuple) else [made])
    return models


def onnx_models(folder, *names):
    """Those models of ONNX, or all of them."""
    return _models(ONNX, folder, names)


def tflite_models(folder, *names):
    return _models(TFLITE, folder, names)
