# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small TensorFlow models, saved with their variables, with nothing but Python itself.

Why:  the quickstart's saved model and the tests must be made on a machine without TensorFlow.
How:  graphs are protobuf, as in onnx_writer.py; the numbers are those of tensorflow.proto. A checkpoint's index is a sorted
      table of blocks, each with a masked CRC-32C; its data are the tensors' bytes.
"""
import os
import struct

from onnx_writer import _bytes, _float, _number, _varint

FLOAT, INT32, STRING, INT64, BOOL, RESOURCE, VARIANT = 1, 3, 7, 9, 10, 20, 21


class Type(int):
    """An attribute that is an element type."""


class Shape(tuple):
    """An attribute that is a shape; -1 is open."""


class Function(str):
    """An attribute that names a function."""


class Tensor:
    """A constant: raw bytes, or strings."""

    def __init__(self, element_type, shape, raw=b"", strings=()):
        self.element_type, self.shape, self.raw, self.strings = element_type, shape, raw, strings

    def encode(self):
        body = _number(1, self.element_type) + _bytes(2, _shape(self.shape))
        return body + (_bytes(4, self.raw) if self.raw else b"") + b"".join(_bytes(8, text) for text in self.strings)


def floats(shape, values):
    return Tensor(FLOAT, shape, struct.pack(f"<{len(values)}f", *values))


def integers(shape, values):
    return Tensor(INT32, shape, struct.pack(f"<{len(values)}i", *values))


def strings(values):
    return Tensor(STRING, [len(values)], strings=values)


def _shape(sizes):
    return b"".join(_bytes(2, _number(1, size)) for size in sizes)


def _attribute(value):
    """AttrValue; the Python type chooses the kind."""
    if isinstance(value, Type):
        return _number(6, value)
    if isinstance(value, Shape):
        return _bytes(7, _shape(value))
    if isinstance(value, Function):
        return _bytes(10, _bytes(1, str(value)))
    if isinstance(value, Tensor):
        return _bytes(8, value.encode())
    if isinstance(value, bool):
        return _number(5, value)
    if isinstance(value, int):
        return _number(3, value)
    if isinstance(value, float):
        return _float(4, value)
    if isinstance(value, str):
        return _bytes(2, value)
    if value and isinstance(value[0], Type):
        return _bytes(1, b"".join(_number(6, item) for item in value))
    if value and isinstance(value[0], Function):
        return _bytes(1, b"".join(_bytes(9, _bytes(1, str(item))) for item in value))
    return _bytes(1, b"".join(_number(3, item) for item in value))


def node(name, op, inputs=(), **attributes):
    """NodeDef. An input is `name`, `name:k`, `^name`, or in a function `name:result:k`."""
    body = _bytes(1, name) + _bytes(2, op) + b"".join(_bytes(3, operand) for operand in inputs)
    return body + b"".join(_bytes(5, _bytes(1, key) + _bytes(2, _attribute(value))) for key, value in attributes.items())


def function(name, arguments, results, nodes, controls=()):
    """FunctionDef: arguments are (name, type), results (name, type, the tensor in the body)."""
    signature = _bytes(1, name)
    signature += b"".join(_bytes(2, _bytes(1, key) + _number(3, kind)) for key, kind in arguments)
    signature += b"".join(_bytes(3, _bytes(1, key) + _number(3, kind)) for key, kind, _ in results)
    body = _bytes(1, signature) + b"".join(_bytes(3, item) for item in nodes)
    body += b"".join(_bytes(4, _bytes(1, key) + _bytes(2, tensor)) for key, _, tensor in results)
    return body + b"".join(_bytes(6, _bytes(1, item) + _bytes(2, item)) for item in controls)


def graph(nodes, functions=()):
    """GraphDef."""
    library = _bytes(2, b"".join(_bytes(1, item) for item in functions)) if functions else b""
    return b"".join(_bytes(1, item) for item in nodes) + library


def signature(inputs, outputs):
    """SignatureDef: key to (tensor, type, shape)."""
    def entries(field, tensors):
        return b"".join(
            _bytes(field, _bytes(1, key) + _bytes(2, _bytes(1, tensor) + _number(2, kind) + _bytes(3, _shape(sizes))))
            for key, (tensor, kind, sizes) in tensors.items())
    return entries(1, inputs) + entries(2, outputs) + _bytes(3, "tensorflow/serving/predict")


def _children(children):
    return b"".join(_bytes(1, _number(1, place) + _bytes(2, name)) for name, place in children.items())


def object_graph(objects, traces):
    """SavedObjectGraph: objects are (children, the field of their kind, its message), traces what functions capture by name."""
    nodes = b"".join(_bytes(1, _children(children) + _bytes(kind, body)) for children, kind, body in objects)
    return nodes + b"".join(_bytes(2, _bytes(1, name) + _bytes(2, _bytes(2, bytes(bound)))) for name, bound in traces.items())


def user_object(children):
    return children, 4, _bytes(1, "_generic_user_object")


def asset_object(index):
    return {}, 5, _number(1, index)


def function_object(*traces):
    return {}, 6, b"".join(_bytes(1, trace) for trace in traces)


def variable_object(name, element_type, shape):
    return {}, 7, _number(1, element_type) + _bytes(2, _shape(shape)) + _bytes(6, name)


def constant_object(node_name):
    return {}, 9, _bytes(1, node_name)


def stored_objects(objects):
    """TrackableObjectGraph, as checkpoints hold it: objects are (children, the key of their value)."""
    nodes = [_children(children) + (_bytes(2, _bytes(1, "VARIABLE_VALUE") + _bytes(3, key)) if key else b"") for children, key in objects]
    return Tensor(STRING, [], strings=[b"".join(_bytes(1, node) for node in nodes)])


def meta_graph(graph_def, signatures, restore="", tags=("serve",), objects=b""):
    """MetaGraphDef."""
    body = _bytes(1, b"".join(_bytes(4, tag) for tag in tags) + _number(7, 1)) + _bytes(2, graph_def)
    body += _bytes(3, _bytes(3, restore)) if restore else b""
    body += _bytes(7, objects) if objects else b""
    return body + b"".join(_bytes(5, _bytes(1, key) + _bytes(2, item)) for key, item in signatures.items())


def saved_model(*meta_graphs):
    return _number(1, 1) + b"".join(_bytes(2, item) for item in meta_graphs)


def _make_crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC = _make_crc_table()


def _masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _snappy(data):
    """Without a match: what is read back is the same."""
    out = bytearray(_varint(len(data)))
    for at in range(0, len(data), 60):
        piece = data[at:at + 60]
        out += bytes([(len(piece) - 1) << 2]) + piece
    return bytes(out)


class _Table:
    """A sorted table: each block holds a few entries, and keys share what they begin with."""

    def __init__(self, compressed, before=b""):
        self.data, self.compressed = before, compressed

    @staticmethod
    def content(entries):
        out, before = b"", b""
        for key, value in entries:
            shared = len(os.path.commonprefix([before, key]))
            out += _varint(shared) + _varint(len(key) - shared) + _varint(len(value)) + key[shared:] + value
            before = key
        return out + struct.pack("<II", 0, 1)

    def block(self, entries):
        """Appends a block and gives its place."""
        content, kind = self.content(entries), b"\0"
        if self.compressed:
            content, kind = _snappy(content), b"\1"
        place = _varint(len(self.data)) + _varint(len(content))
        self.data += content + kind + struct.pack("<I", _masked_crc(content + kind))
        return place

    def finish(self, entries, in_block=4):
        entries = sorted(entries.items())
        blocks = [entries[at:at + in_block] for at in range(0, len(entries), in_block)]
        places = [(block[-1][0], self.block(block)) for block in blocks]
        footer = self.block([]) + self.block(places)
        return self.data + footer.ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)


def _stored(tensor):
    """Returns the bytes of a tensor in a checkpoint, and the bytes that its checksum covers. Strings follow their lengths."""
    if tensor.element_type != STRING:
        return tensor.raw, tensor.raw
    texts = b"".join(tensor.strings)
    lengths = b"".join(struct.pack("<I", len(text)) for text in tensor.strings)
    check = struct.pack("<I", _masked_crc(lengths))
    return b"".join(_varint(len(text)) for text in tensor.strings) + check + texts, lengths + check + texts


def checkpoint(tensors, compressed=False, together=False):
    """The index and the data of a checkpoint: key to Tensor. Together, the index begins with the data, so that it is both."""
    data, entries = b"", {b"": _number(1, 1) + _bytes(3, _number(1, 1))}
    for key, tensor in sorted(tensors.items()):
        stored, checked = _stored(tensor)
        entries[key.encode()] = (_number(1, tensor.element_type) + _bytes(2, _shape(tensor.shape)) + _number(4, len(data)) +
                                 _number(5, len(stored)) + _varint(6 << 3 | 5) + struct.pack("<I", _masked_crc(checked)))
        data += stored
    return _Table(compressed, data if together else b"").finish(entries), data


def save(folder, model, tensors, compressed=False):
    """Writes the folder of a saved model."""
    os.makedirs(os.path.join(folder, "variables"), exist_ok=True)
    index, data = checkpoint(tensors, compressed)
    files = {"saved_model.pb": model, "variables/variables.index": index, "variables/variables.data-00000-of-00001": data}
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
