# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a family of operators twice, with inputs and with all inputs set, runs both libraries and compares their outputs."""
import math
import os
import struct

import nacre
from onnx_writer import Graph, _tensor

EXACT = 0


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
