# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what the tests must know of TensorFlow's files: nodes, attributes and tensors of a graph, signatures, variables of a checkpoint."""
import struct
from types import SimpleNamespace

import numpy as np

from readers import prototext
from readers.wire import decode, varint

DTYPES = {1: "f4", 2: "f8", 3: "i4", 4: "u1", 5: "i2", 6: "i1", 9: "i8", 10: "?", 17: "u2", 19: "f2", 22: "u4", 23: "u8"}
STRING = 7

SHAPE = {2: ("dims", [{1: ("size", "int")}]), 3: ("unknown_rank", "int")}
TENSOR = {1: ("dtype", "int"), 2: ("shape", SHAPE), 4: ("content", "bytes"), 5: ("floats", ["float"]), 6: ("doubles", ["double"]),
          7: ("ints", ["int"]), 10: ("longs", ["int"]), 11: ("bools", ["int"]), 13: ("halves", ["int"])}
_LIST = {2: ("s", ["bytes"]), 3: ("i", ["int"]), 4: ("f", ["float"]), 5: ("b", ["int"]), 6: ("type", ["int"])}
ATTRIBUTE = {1: ("list", _LIST), 2: ("s", "bytes"), 3: ("i", "int"), 4: ("f", "float"), 5: ("b", "int"), 6: ("type", "int"),
             7: ("shape", SHAPE), 8: ("tensor", TENSOR)}
NODE = {1: ("name", "text"), 2: ("op", "text"), 3: ("inputs", ["text"]), 5: ("attributes", ("map", ATTRIBUTE))}
GRAPH = {1: ("nodes", [NODE])}
_INFO = {1: ("name", "text"), 2: ("dtype", "int"), 3: ("shape", SHAPE)}
_SIGNATURE = {1: ("inputs", ("map", _INFO)), 2: ("outputs", ("map", _INFO)), 3: ("method", "text")}
META_GRAPH = {2: ("graph", GRAPH), 5: ("signatures", ("map", _SIGNATURE))}
SAVED_MODEL = {2: ("meta_graphs", [META_GRAPH])}


def read(path, schema):
    with open(path, "rb") as file:
        return decode(memoryview(file.read()), schema)


def _shape_of_text(shape):
    dims = [SimpleNamespace(size=int(dim.get("size", [0])[0])) for dim in shape.get("dim", [])]
    return SimpleNamespace(dims=dims, unknown_rank=shape.get("unknown_rank", ["false"])[0] == "true")


def _dtype_of_text(word):
    return {"DT_FLOAT": 1, "DT_STRING": STRING}.get(word, 0)


def _signature_of_text(signature):
    def side(name):
        return {entry["key"][0]: SimpleNamespace(name=info.get("name", [""])[0], dtype=_dtype_of_text(info.get("dtype", [""])[0]),
                                                 shape=_shape_of_text(info["tensor_shape"][0]) if "tensor_shape" in info else None)
                for entry in signature.get(name, []) for info in entry["value"]}
    return SimpleNamespace(inputs=side("inputs"), outputs=side("outputs"), method=signature.get("method_name", [""])[0])


def read_saved_model(path):
    """The first graph of a SavedModel and its signatures, as bytes or as text; of nodes as text, what the tests ask for."""
    if path.endswith(".pb"):
        return read(path, SAVED_MODEL).meta_graphs[0]
    with open(path, encoding="utf-8") as file:
        graph = prototext.parse(file.read())["meta_graphs"][0]
    nodes = [SimpleNamespace(name=node["name"][0], op=node["op"][0], attributes={
        attribute["key"][0]: SimpleNamespace(type=_dtype_of_text(attribute["value"][0].get("type", [""])[0]))
        for attribute in node.get("attr", [])}) for node in graph["graph_def"][0]["node"]]
    signatures = {entry["key"][0]: _signature_of_text(entry["value"][0]) for entry in graph["signature_def"]}
    return SimpleNamespace(graph=SimpleNamespace(nodes=nodes), signatures=signatures)


def dims_of(shape):
    """A list with None where a size is open; None where the rank is."""
    if shape is None or shape.unknown_rank:
        return None
    return [None if dim.size is not None and dim.size < 0 else dim.size or 0 for dim in shape.dims]


def to_array(tensor):
    """The value of a TensorProto; a list that is too short repeats its last element."""
    dtype, shape = np.dtype(DTYPES[tensor.dtype]), dims_of(tensor.shape) or []
    if tensor.content is not None and len(tensor.content):
        return np.frombuffer(tensor.content, dtype).reshape(shape)
    if tensor.halves:
        listed = np.array(tensor.halves, np.uint16).view(np.float16)
    else:
        listed = np.array(tensor.floats or tensor.doubles or tensor.ints or tensor.longs or tensor.bools or [0], dtype)
    size = int(np.prod(shape, dtype=np.int64))
    return np.concatenate([listed, np.repeat(listed[-1:], max(0, size - len(listed)))])[:size].reshape(shape)


def _snappy(data):
    """What snappy packed: literals, and copies of what went before."""
    size, at = varint(data, 0)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                width = length - 59
                length = int.from_bytes(data[at:at + width], "little")
                at += width
            out += data[at:at + length + 1]
            at += length + 1
            continue
        if tag & 3 == 1:
            length, offset = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at]
            at += 1
        else:
            width = 2 if tag & 3 == 2 else 4
            length, offset = (tag >> 2) + 1, int.from_bytes(data[at:at + width], "little")
            at += width
        for _ in range(length):
            out.append(out[-offset])
    assert len(out) == size
    return bytes(out)


def _block(data, at, size):
    """The pairs (key, value) of a block of an SSTable."""
    block = data[at:at + size]
    if data[at + size] == 1:
        block = _snappy(block)
    restarts = struct.unpack("<I", block[-4:])[0]
    at, end, key = 0, len(block) - 4 - 4 * restarts, b""
    while at < end:
        shared, at = varint(block, at)
        unshared, at = varint(block, at)
        length, at = varint(block, at)
        key = key[:shared] + bytes(block[at:at + unshared])
        yield key, block[at + unshared:at + unshared + length]
        at += unshared + length


def _handle(data, at=0):
    offset, at = varint(data, at)
    size, at = varint(data, at)
    return (offset, size), at


def read_checkpoint(prefix):
    """{key: array} of the numeric tensors of a tensor bundle of one shard."""
    with open(prefix + ".index", "rb") as file:
        index = file.read()
    with open(prefix + ".data-00000-of-00001", "rb") as file:
        data = file.read()
    _, at = _handle(index[-48:])
    handle, _ = _handle(index[-48:], at)
    entry = {1: ("dtype", "int"), 2: ("shape", SHAPE), 4: ("offset", "int"), 5: ("size", "int")}
    arrays = {}
    for _, value in _block(index, *handle):
        for key, content in _block(index, *_handle(value)[0]):
            found = decode(content, entry)
            if key and found.dtype in DTYPES:
                at = found.offset or 0
                array = np.frombuffer(data[at:at + found.size], DTYPES[found.dtype])
                arrays[key.decode()] = array.reshape(dims_of(found.shape) or [])
    return arrays
