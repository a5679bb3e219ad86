# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what a test runner must know of ONNX files: nodes, graph inputs and outputs, sizes of weights, shapes of tensors.

Why:  the runner shall need nothing but Python itself, and must not trust the compiler's own reader.
"""
import math
import mmap
from dataclasses import dataclass, field

from readers import npy
from readers.wire import fields, varint

# By number of TensorProto.DataType.
_ELEMENT_BYTES = {1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 16: 2}


def _text(data, span):
    return bytes(data[span[0]:span[1]]).decode(errors="replace")
_INTEGERS = (2, 3, 4, 5, 6, 7, 9, 12, 13, 21, 22, 25, 26)


@dataclass
class Value:
    """A graph input or output; element_type is 0 for what is no tensor nor an optional one, a dimension None where it is open."""
    name: str = ""
    element_type: int = 0
    dims: list = field(default_factory=list)
    is_optional: bool = False


@dataclass
class Node:
    name: str
    operator: str
    inputs: list  # names of tensors
    outputs: list


@dataclass
class Model:
    operators: set = field(default_factory=set)  # those inside nested graphs too
    modes: set = field(default_factory=set)  # `Operator:attribute=text`
    nodes: list = field(default_factory=list)  # without those of nested graphs
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    initializers: dict = field(default_factory=dict)  # name: bytes

    def free_inputs(self):
        """The inputs a caller must give: old models list their weights among the inputs too."""
        return [i for i in self.inputs if i.name not in self.initializers]

    def live_initializer_bytes(self):
        """The bytes of the initializers that an output needs."""
        live = {o.name for o in self.outputs}
        for node in reversed(self.nodes):  # ONNX demands topological order
            if live.intersection(node.outputs):
                live.update(node.inputs)
        return sum(size for name, size in self.initializers.items() if name in live)


def _value_info(data, span):
    value = Value()
    for number, item in fields(data, *span):
        if number == 1:
            value.name = _text(data, item)
        elif number == 2:
            _type(data, item, value)
    return value


def _type(data, span, value):
    for kind, item in fields(data, *span):
        if kind == 1:
            for key, part in fields(data, *item):
                if key == 1:
                    value.element_type = part
                elif key == 2:
                    value.dims = [_dimension(data, dim) for k, dim in fields(data, *part) if k == 1]
        elif kind == 9:
            value.is_optional = True
            for key, part in fields(data, *item):
                if key == 1:
                    _type(data, part, value)


def _dimension(data, span):
    for number, value in fields(data, *span):
        if number == 1:
            return value if value < 1 << 63 else None  # some write -1
    return None


def _graph(data, span, model, nested=False):
    for number, item in fields(data, *span):
        if number == 1:
            _node(data, item, model, nested)
        elif nested:
            continue
        elif number == 5:
            name, size = _initializer(data, item)
            model.initializers[name] = size
        elif number == 11:
            model.inputs.append(_value_info(data, item))
        elif number == 12:
            model.outputs.append(_value_info(data, item))


def _initializer(data, span):
    """(name, bytes) of a TensorProto."""
    name, element_type = "", 0
    for number, item in fields(data, *span):
        if number == 2:
            element_type = item
        elif number == 8:
            name = _text(data, item)
    return name, math.prod(_tensor_dims(data, span)) * _ELEMENT_BYTES.get(element_type, 0)


def _node(data, span, model, nested):
    name = operator = domain = ""
    inputs, outputs, texts = [], [], []
    for number, item in fields(data, *span):
        if number in (1, 2):
            (inputs if number == 1 else outputs).append(_text(data, item))
        elif number == 3:
            name = _text(data, item)
        elif number == 4:
            operator = _text(data, item)
        elif number == 7:
            domain = _text(data, item)
        elif number == 5:
            attribute = text = None
            for key, part in fields(data, *item):
                if key == 1:
                    attribute = _text(data, part)
                elif key == 4:
                    text = _text(data, part)
                elif key in (6, 11):  # a graph, or graphs, inside an attribute
                    _graph(data, part, model, nested=True)
            if text is not None:
                texts.append(f"{attribute}={text}")
    model.operators.add(operator if domain in ("", "ai.onnx") else f"{domain}:{operator}")
    model.modes.update(f"{operator}:{text}" for text in texts)
    if not nested:
        model.nodes.append(Node(name, operator, inputs, outputs))


def read_model(path):
    model = Model()
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for number, item in fields(data):
            if number == 7:
                _graph(data, item, model)
    return model


def optional_tensor(path):
    """The bytes of the TensorProto that an OptionalProto holds; None if it holds nothing."""
    with open(path, "rb") as file:
        data = file.read()
    return next((data[item[0]:item[1]] for number, item in fields(data) if number == 3), None)


def tensor_shape(path):
    """The shape of a TensorProto (.pb) or of a NumPy array (.npy)."""
    with open(path, "rb") as file:
        data = file.read()
    if npy.is_npy(data):
        return npy.shape(data)
    return _tensor_dims(data, (0, len(data)))


def holds_integers(path):
    """Whether the elements of a TensorProto (.pb) or of a NumPy array (.npy) are integers or booleans."""
    with open(path, "rb") as file:
        data = file.read()
    if npy.is_npy(data):
        return npy.element_type(path)[0] in "iub"
    return next((item in _INTEGERS for number, item in fields(data) if number == 2), False)


def _tensor_dims(data, span):
    dims = []
    for number, item in fields(data, *span):
        if number != 1:
            continue
        if isinstance(item, int):
            dims.append(item)
        else:  # packed
            at = item[0]
            while at < item[1]:
                dim, at = varint(data, at)
                dims.append(dim)
    return dims
