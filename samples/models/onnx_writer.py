# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small ONNX models and NumPy arrays with nothing but Python itself.

Why:  the sample network, the kernel benchmarks and the chain test must be made on a machine without python3-onnx.
How:  ONNX is protobuf; a message is its fields one after the other, each a key (number << 3 | wire type) and a value.
      The numbers are those of onnx.proto: ModelProto, GraphProto, NodeProto, AttributeProto, TensorProto,
      ValueInfoProto, TrainingInfoProto.
"""
import math
import random
import struct
from array import array

FLOAT, UINT8, INT8, INT32, INT64, BOOL = 1, 2, 3, 6, 7, 9


def _varint(value):
    value &= (1 << 64) - 1  # negative numbers travel as 64-bit two's complement
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field, value):
    return _varint(field << 3) + _varint(value)


def _bytes(field, value):
    value = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _float(field, value):
    return _varint(field << 3 | 5) + struct.pack("<f", value)


def _attribute(name, value):
    """AttributeProto; the Python type chooses the kind. A Graph is the body of a loop or a branch, bytes are a tensor (`tensor`)."""
    if isinstance(value, Graph):
        body = _bytes(6, value.body()) + _number(20, 5)
    elif isinstance(value, bytes):
        body = _bytes(5, value) + _number(20, 4)
    elif isinstance(value, float):
        body = _float(2, value) + _number(20, 1)
    elif isinstance(value, int):
        body = _number(3, value) + _number(20, 2)
    elif isinstance(value, str):
        body = _bytes(4, value) + _number(20, 3)
    elif value and isinstance(value[0], float):
        body = b"".join(_float(7, v) for v in value) + _number(20, 6)
    elif value and isinstance(value[0], str):
        body = b"".join(_bytes(9, v) for v in value) + _number(20, 8)
    else:
        body = b"".join(_number(8, v) for v in value) + _number(20, 7)
    return _bytes(1, name) + body


def _tensor(name, element_type, dims, raw):
    return b"".join(_number(1, d) for d in dims) + _number(2, element_type) + _bytes(8, name) + _bytes(9, raw)


def tensor(values, code="f"):
    """An attribute: a tensor with one axis, of floats ("f"), bytes ("B") or i64 ("q")."""
    return _tensor("", {"f": FLOAT, "B": UINT8, "q": INT64}[code], [len(values)], array(code, values).tobytes())


def _value_info(name, element_type, dims):
    """A dimension is a number, or the name of one that is open."""
    shape = b"".join(_bytes(1, _bytes(2, d) if isinstance(d, str) else _number(1, d)) for d in dims)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, element_type) + _bytes(2, shape)))


class Graph:
    """A model under construction: nodes in order, weights from one seed."""

    def __init__(self, name, seed=1, opset=13):
        self.name, self.opset = name, opset
        self.random = random.Random(seed)
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []
        self.domains = {}
        self.training = b""

    def input(self, name, dims, element_type=FLOAT):
        self.inputs.append(_value_info(name, element_type, dims))
        return name

    def output(self, name, dims, element_type=FLOAT):
        self.outputs.append(_value_info(name, element_type, dims))

    def constant(self, name, dims, values):
        self.initializers.append(_tensor(name, FLOAT, dims, array("f", values).tobytes()))
        return name

    def weight(self, name, dims, low, high):
        """Uniform random values."""
        return self.constant(name, dims, (self.random.uniform(low, high) for _ in range(math.prod(dims))))

    def kernel(self, name, dims):
        """Weights of a convolution or dense layer [out, in, ...], scaled so that activations keep their size."""
        bound = math.sqrt(6.0 / math.prod(dims[1:]))
        return self.weight(name, dims, -bound, bound)

    def integers(self, name, values):
        """A shape, or a list of axes."""
        self.initializers.append(_tensor(name, INT64, [len(values)], array("q", values).tobytes()))
        return name

    def count(self, name, value):
        """One integer, without axes."""
        self.initializers.append(_tensor(name, INT64, [], array("q", [value]).tobytes()))
        return name

    def train(self, algorithm, updates):
        """Sets how the model is trained: each initializer is assigned an output of the training graph or of this graph."""
        self.domains |= algorithm.domains
        bindings = (_bytes(4, _bytes(1, name) + _bytes(2, output)) for name, output in updates.items())
        self.training = _bytes(20, _bytes(2, algorithm.body()) + b"".join(bindings))

    def node(self, operator, inputs, output=None, name=None, **attributes):
        """Adds a node and returns its output's name, or names where `output` lists several. An operator `domain.Name` is of that
        domain, in the version that `domains` has for it, or 1."""
        domain, _, operator = operator.rpartition(".")
        if domain:
            self.domains.setdefault(domain, 1)
        name = name or f"{operator.lower()}_{len(self.nodes)}"
        output = output or name
        outputs = [output] if isinstance(output, str) else output
        self.nodes.append(b"".join(_bytes(1, i) for i in inputs) + b"".join(_bytes(2, o) for o in outputs) + _bytes(3, name) +
                          _bytes(4, operator) + b"".join(_bytes(5, _attribute(k, v)) for k, v in attributes.items()) +
                          (_bytes(7, domain) if domain else b""))
        return output

    def body(self):
        """GraphProto."""
        return (b"".join(_bytes(1, n) for n in self.nodes) + _bytes(2, self.name) +
                b"".join(_bytes(5, t) for t in self.initializers) + b"".join(_bytes(11, i) for i in self.inputs) +
                b"".join(_bytes(12, o) for o in self.outputs))

    def save(self, path):
        graph = self.body()
        ir_version = 7
        with open(path, "wb") as file:
            file.write(_number(1, ir_version) + _bytes(2, "nacre samples") + _bytes(7, graph) + _bytes(8, _number(2, self.opset)) +
                       b"".join(_bytes(8, _bytes(1, domain) + _number(2, version)) for domain, version in sorted(self.domains.items())) + self.training)


NPY_TYPES = {"f": "<f4", "d": "<f8", "b": "|i1", "B": "|u1", "i": "<i4", "q": "<i8"}


def write_npy(path, dims, values, code="f"):
    """Writes an array of float32, or of the C type `code`, in NumPy's format."""
    shape = "(" + "".join(f"{d}, " for d in dims) + ")"
    header = f"{{'descr': '{NPY_TYPES[code]}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + array(code, values).tobytes())
