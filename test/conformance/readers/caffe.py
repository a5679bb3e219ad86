# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads Caffe's nets as text and their weights as bytes, as far as the tests need; and writes weights."""
import numpy as np

from readers import prototext
from readers.wire import decode

_BLOB = {1: ("num", "int"), 2: ("channels", "int"), 3: ("height", "int"), 4: ("width", "int"), 5: ("data", ["float"]),
         7: ("shape", {1: ("dims", ["int"])})}
_NET = {100: ("layers", [{1: ("name", "text"), 2: ("type", "text"), 7: ("blobs", [_BLOB])}])}


def read_net(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return prototext.parse(file.read())


def _to_array(blob):
    legacy = [blob.num, blob.channels, blob.height, blob.width]
    dims = blob.shape.dims if blob.shape else [] if legacy == [None] * 4 else [d or 0 for d in legacy]
    return np.array(blob.data, np.float32).reshape(dims)


def read_weights(path):
    """{layer: arrays}."""
    with open(path, "rb") as file:
        net = decode(memoryview(file.read()), _NET)
    return {layer.name: [_to_array(blob) for blob in layer.blobs] for layer in net.layers if layer.blobs}


def _varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def _field(number, content):
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def write_weights(path, net, weights):
    """A file of weights of the net's layers; {layer: arrays}."""
    with open(path, "wb") as file:
        for layer in net["layer"]:
            name = layer["name"][0]
            blobs = b"".join(_field(7, _field(7, _field(1, b"".join(map(_varint, array.shape)))) + _field(5, array.astype("<f4").tobytes()))
                             for array in weights.get(name, ()))
            file.write(_field(100, _field(1, name.encode()) + _field(2, layer["type"][0].encode()) + blobs))
