# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what a test runner must know of ONNX files: operators, graph inputs and outputs, shapes of tensors.

Why:  the runner shall need nothing but Python itself, and must not trust the compiler's own reader.
How:  the protobuf wire format is a list of (field number, value); the few fields used are named by their numbers.
"""
import mmap
from dataclasses import dataclass, field


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data, at=0, end=None):
    """Yields (number, value); a length-delimited value is (begin, end) into data, so weights are never copied."""
    end = len(data) if end is None else end
    while at < end:
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
        elif wire == 2:
            length, at = _varint(data, at)
            value = (at, at + length)
            at += length
        else:
            width = {1: 8, 5: 4}[wire]
            value = data[at:at + width]
            at += width
        yield number, value


def _text(data, span):
    return bytes(data[span[0]:span[1]]).decode()


@dataclass
class Value:
    """A graph input or output; element_type is 0 for what is no tensor, a dimension None where it is open."""
    name: str = ""
    element_type: int = 0
    dims: list = field(default_factory=list)


@dataclass
class Model:
    operators: set = field(default_factory=set)
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    initializers: set = field(default_factory=set)

    def free_inputs(self):
        """The inputs a caller must give: old models list their weights among the inputs too."""
        return [i for i in self.inputs if i.name not in self.initializers]


def _value_info(data, span):
    value = Value()
    for number, item in fields(data, *span):
        if number == 1:
            value.name = _text(data, item)
        elif number == 2:
            for kind, tensor in fields(data, *item):
                if kind != 1:
                    continue
                for key, part in fields(data, *tensor):
                    if key == 1:
                        value.element_type = part
                    elif key == 2:
                        value.dims = [_dimension(data, dim) for k, dim in fields(data, *part) if k == 1]
    return value


def _dimension(data, span):
    for number, value in fields(data, *span):
        if number == 1:
            return value
    return None


def _graph(data, span, model, nested=False):
    for number, item in fields(data, *span):
        if number == 1:
            _node(data, item, model)
        elif nested:
            continue
        elif number == 5:
            model.initializers.update(_text(data, v) for k, v in fields(data, *item) if k == 8)
        elif number == 11:
            model.inputs.append(_value_info(data, item))
        elif number == 12:
            model.outputs.append(_value_info(data, item))


def _node(data, span, model):
    operator = domain = ""
    for number, item in fields(data, *span):
        if number == 4:
            operator = _text(data, item)
        elif number == 7:
            domain = _text(data, item)
        elif number == 5:
            for key, part in fields(data, *item):
                if key in (6, 11):  # a graph, or graphs, inside an attribute
                    _graph(data, part, model, nested=True)
    model.operators.add(operator if domain in ("", "ai.onnx") else f"{domain}:{operator}")


def read_model(path):
    model = Model()
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for number, item in fields(data):
            if number == 7:
                _graph(data, item, model)
    return model


def tensor_shape(path):
    """The shape of a TensorProto (.pb) or of a NumPy array (.npy)."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] == b"\x93NUMPY":
        width = 2 if data[6] == 1 else 4
        length = int.from_bytes(data[8:8 + width], "little")
        header = data[8 + width:8 + width + length].decode()
        inside = header[header.index("(", header.index("'shape'")) + 1:]
        return [int(d) for d in inside[:inside.index(")")].split(",") if d.strip()]
    shape = []
    for number, item in fields(data):
        if number != 1:
            continue
        if isinstance(item, int):
            shape.append(item)
        else:  # packed
            at = item[0]
            while at < item[1]:
                dim, at = _varint(data, at)
                shape.append(dim)
    return shape
