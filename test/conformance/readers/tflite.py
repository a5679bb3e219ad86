# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads TensorFlow Lite's files: tensors, operators with the fields of their options, signatures.

How:  a FlatBuffers table is a place in the file with a list of offsets to its fields; fields are asked for by their number.
"""
import struct
from dataclasses import dataclass, field

import numpy as np

DTYPES = {0: "f4", 1: "f2", 2: "i4", 3: "u1", 4: "i8", 6: "?", 7: "i2", 9: "i1", 10: "f8", 12: "u8", 15: "u4", 16: "u2"}
# Operators by number, as far as the nets in ../shared/data have them.
OPERATORS = {0: "ADD", 1: "AVERAGE_POOL_2D", 2: "CONCATENATION", 3: "CONV_2D", 4: "DEPTHWISE_CONV_2D", 6: "DEQUANTIZE", 9: "FULLY_CONNECTED",
             14: "LOGISTIC", 17: "MAX_POOL_2D", 18: "MUL", 19: "RELU", 21: "RELU6", 22: "RESHAPE", 23: "RESIZE_BILINEAR", 25: "SOFTMAX",
             34: "PAD", 36: "GATHER", 39: "TRANSPOSE", 40: "MEAN", 41: "SUB", 42: "DIV", 43: "SQUEEZE", 44: "UNIDIRECTIONAL_SEQUENCE_LSTM",
             45: "STRIDED_SLICE", 53: "CAST", 59: "NEG", 65: "SLICE", 67: "TRANSPOSE_CONV", 70: "EXPAND_DIMS", 71: "EQUAL", 73: "LOG",
             74: "SUM", 75: "SQRT", 77: "SHAPE", 82: "REDUCE_MAX", 83: "PACK", 89: "REDUCE_MIN", 92: "SQUARE", 98: "LEAKY_RELU",
             100: "MIRROR_PAD", 114: "QUANTIZE", 123: "SELECT_V2"}


class Table:
    def __init__(self, data, at):
        self.data, self.at = data, at
        self.fields = at - struct.unpack_from("<i", data, at)[0]

    def place(self, number):
        """Where a field lies; None if it is absent."""
        size, = struct.unpack_from("<H", self.data, self.fields)
        if 4 + 2 * number >= size:
            return None
        offset, = struct.unpack_from("<H", self.data, self.fields + 4 + 2 * number)
        return self.at + offset if offset else None

    def scalar(self, number, form="i", default=0):
        at = self.place(number)
        return default if at is None else struct.unpack_from("<" + form, self.data, at)[0]

    def _follow(self, at):
        return at + struct.unpack_from("<I", self.data, at)[0]

    def table(self, number):
        at = self.place(number)
        return None if at is None else Table(self.data, self._follow(at))

    def array(self, number, dtype):
        at = self.place(number)
        if at is None:
            return None
        at = self._follow(at)
        return np.frombuffer(self.data, np.dtype(dtype).newbyteorder("<"), struct.unpack_from("<I", self.data, at)[0], at + 4)

    def tables(self, number):
        at = self.place(number)
        if at is None:
            return []
        at = self._follow(at)
        count, = struct.unpack_from("<I", self.data, at)
        return [Table(self.data, self._follow(at + 4 + 4 * i)) for i in range(count)]

    def text(self, number):
        letters = self.array(number, "u1")
        return "" if letters is None else letters.tobytes().decode(errors="replace")


@dataclass
class Tensor:
    name: str
    dtype: str
    shape: list
    value: object  # of a constant, else None
    scales: object
    zero_points: object
    axis: int  # that scales run along
    is_variable: bool


@dataclass
class Operator:
    kind: str
    inputs: list  # -1: left out
    outputs: list
    options: object  # a Table, or None
    intermediates: list  # Tensors


@dataclass
class Net:
    tensors: list
    operators: list
    inputs: list
    outputs: list
    signatures: list = field(default_factory=list)  # (key, {name: tensor} of the inputs, of the outputs)


def _tensor(table, buffers):
    shape = table.array(0, "i4")
    shape = [] if shape is None else shape.tolist()
    dtype = DTYPES[table.scalar(1, "b")]
    data = buffers[table.scalar(2, "I")].array(0, "u1")
    value = None if data is None or not len(data) else np.frombuffer(data.tobytes(), dtype).reshape(shape)
    codes = table.table(4)
    scales, zeros = (codes.array(2, "f4"), codes.array(3, "i8")) if codes else (None, None)
    return Tensor(table.text(3), dtype, shape, value, scales, zeros, codes.scalar(6) if codes else 0, bool(table.scalar(5, "b")))


def _operator(table, codes):
    code = codes[table.scalar(0, "I")]
    number = max(code.scalar(0, "b"), code.scalar(3, "i"))
    def indices(which):
        return [] if (found := table.array(which, "i4")) is None else found.tolist()
    return Operator(OPERATORS.get(number, str(number)), indices(1), indices(2), table.table(4), indices(8))


def read_net(path):
    with open(path, "rb") as file:
        data = file.read()
    model = Table(data, struct.unpack_from("<I", data, 0)[0])
    graph, = model.tables(2)
    buffers, codes = model.tables(4), model.tables(1)
    net = Net([_tensor(t, buffers) for t in graph.tables(0)], [_operator(o, codes) for o in graph.tables(3)],
              graph.array(1, "i4").tolist(), graph.array(2, "i4").tolist())
    for operator in net.operators:
        operator.intermediates = [net.tensors[i] for i in operator.intermediates]
    for signature in model.tables(7):
        sides = [{m.text(0): m.scalar(1, "I") for m in signature.tables(side)} for side in (0, 1)]
        net.signatures.append((signature.text(2), *sides))
    return net
