# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small models of TensorFlow Lite with nothing but Python itself.

How:  a FlatBuffer is tables that refer forward to what they hold. A table here is {number of the field: value}; a value is a
      scalar as (struct's letter, number), text, a table, or a list of one of these; numbers of fields are those of tflite.fbs.
"""
import struct

FLOAT32, FLOAT16, INT32, UINT8, INT64, BOOL, INT16, INT8 = 0, 1, 2, 3, 4, 6, 7, 9
LETTERS = {FLOAT32: "f", FLOAT16: "e", INT32: "i", UINT8: "B", INT64: "q", BOOL: "?", INT16: "h", INT8: "b"}


class Blob(bytes):
    """A list of bytes, which may be long; its first is aligned."""


class _Writer:
    def __init__(self):
        self.out = bytearray(4) + b"TFL3"

    def _align(self, size, ahead=0):
        while (len(self.out) + ahead) % size:
            self.out.append(0)

    def _refer(self, place, value):
        """Writes the value, and at `place` how far away it is."""
        struct.pack_into("<I", self.out, place, self.put(value) - place)

    def put(self, value):
        if isinstance(value, dict):
            return self._table(value)
        if isinstance(value, str):
            self._align(4)
            at, text = len(self.out), value.encode()
            self.out += struct.pack("<I", len(text)) + text + b"\0"
            return at
        if isinstance(value, Blob):
            self._align(16, ahead=4)
            at = len(self.out)
            self.out += struct.pack("<I", len(value)) + value
            return at
        if value and isinstance(value[0], (dict, str)):
            self._align(4)
            at = len(self.out)
            self.out += struct.pack("<I", len(value)) + bytes(4 * len(value))
            for n, item in enumerate(value):
                self._refer(at + 4 + 4 * n, item)
            return at
        letter = value[0][0] if value else "i"
        self._align(8, ahead=4)
        at = len(self.out)
        self.out += struct.pack("<I", len(value)) + b"".join(struct.pack("<" + letter, n) for _, n in value)
        return at

    def _table(self, fields):
        is_scalar = {n: isinstance(v, tuple) for n, v in fields.items()}
        sizes = {n: struct.calcsize(v[0]) if is_scalar[n] else 4 for n, v in fields.items()}
        places, size = {}, 4
        for n in sorted(fields, key=lambda n: -sizes[n]):
            size += -size % sizes[n]
            places[n] = size
            size += sizes[n]
        entries = max(fields, default=-1) + 1
        vtable = struct.pack(f"<HH{entries}H", 4 + 2 * entries, size, *(places.get(n, 0) for n in range(entries)))
        self._align(8, ahead=len(vtable))
        begin, at = len(self.out), len(self.out) + len(vtable)
        self.out += vtable + struct.pack("<i", at - begin) + bytes(size - 4)
        for n, value in fields.items():
            if is_scalar[n]:
                struct.pack_into("<" + value[0], self.out, at + places[n], value[1])
        for n, value in fields.items():
            if not is_scalar[n]:
                self._refer(at + places[n], value)
        return at


def ints(*values):
    return [("i", value) for value in values]


def flex_map(numbers, indirect=()):
    """A FlexBuffer: a map of names to numbers; those named in `indirect` lie apart, as 8 bytes."""
    out, places = bytearray(), {}
    for key in indirect:
        places[key] = len(out)
        out += struct.pack("<d", numbers[key])
    starts = {}
    for key in sorted(numbers):
        starts[key] = len(out)
        out += key.encode() + b"\0"
    out += bytes(-len(out) % 4) + struct.pack("<I", len(numbers))
    keys = len(out)
    for key in sorted(numbers):
        out += struct.pack("<I", len(out) - starts[key])
    out += struct.pack("<3I", len(out) - keys, 4, len(numbers))
    begin, types = len(out), bytearray()
    for key in sorted(numbers):
        number = numbers[key]
        if key in indirect:
            out += struct.pack("<I", len(out) - places[key])
            types.append(8 << 2 | 3)
        else:
            out += struct.pack("<f" if isinstance(number, float) else "<i", number)
            types.append((26 if isinstance(number, bool) else 3 if isinstance(number, float) else 1) << 2 | 2)
    out += types
    return bytes(out) + struct.pack("<I2B", len(out) - begin, 9 << 2 | 2, 4)


class Net:
    """A graph, and those that its operators compute. Tensors are known by their numbers."""

    def __init__(self):
        self.tensors, self.buffers, self.operators, self.codes = [], [{}], [], []
        self.inputs, self.outputs, self.signatures, self.bodies = [], [], [], []

    def tensor(self, name, shape, element=FLOAT32, values=None, scale=None, zero=0, axis=0, signature=None, more=()):
        """A constant where values are given; `scale` and `zero` are one number, or lists with one for each index of `axis`."""
        fields = {0: ints(*shape), 1: ("b", element), 3: name, 8: ("?", True)}
        if values is not None:
            raw = values if isinstance(values, bytes) else struct.pack(f"<{len(values)}{LETTERS[element]}", *values)
            fields[2] = ("I", len(self.buffers))
            self.buffers.append({0: Blob(raw)})
        if scale is not None:
            scales = scale if isinstance(scale, list) else [scale]
            zeros = zero if isinstance(zero, list) else [zero] * len(scales)
            fields[4] = {2: [("f", s) for s in scales], 3: [("q", z) for z in zeros], 6: ("i", axis)}
        if signature is not None:
            fields[7] = ints(*signature)
        fields.update(more)
        self.tensors.append(fields)
        return len(self.tensors) - 1

    def input(self, *args, **kwargs):
        self.inputs.append(self.tensor(*args, **kwargs))
        return self.inputs[-1]

    def output(self, *args, **kwargs):
        self.outputs.append(self.tensor(*args, **kwargs))
        return self.outputs[-1]

    def op(self, code, inputs, outputs, kind=0, options=None, custom=None):
        """`code` is the built-in operator's number, or the name of a custom one; `kind` the one of its options."""
        entry = {0: ("b", 32), 1: code, 3: ("i", 32)} if isinstance(code, str) else {0: ("b", min(code, 127)), 3: ("i", code)}
        if entry not in self.codes:
            self.codes.append(entry)
        fields = {0: ("I", self.codes.index(entry)), 1: ints(*inputs), 2: ints(*outputs)}
        if options is not None:
            fields.update({3: ("B", kind), 4: options})
        if custom is not None:
            fields[5] = Blob(custom)
        self.operators.append(fields)

    def body(self):
        """The number of another graph, of a branch or a loop, and the graph."""
        net = Net()
        net.buffers, net.codes = self.buffers, self.codes
        self.bodies.append(net)
        return len(self.bodies), net

    def signature(self, key, inputs, outputs, graph=0):
        """Names of inputs and outputs, {name: tensor}."""
        def table(names):
            return [{0: name, 1: ("I", tensor)} for name, tensor in names.items()]
        self.signatures.append({0: table(inputs), 1: table(outputs), 2: key, 4: ("I", graph)})

    def graph(self):
        return {0: self.tensors, 1: ints(*self.inputs), 2: ints(*self.outputs), 3: self.operators}

    def model(self):
        graphs = [net.graph() for net in (self, *self.bodies)]
        fields = {0: ("I", 3), 1: self.codes, 2: graphs, 4: self.buffers}
        if self.signatures:
            fields[7] = self.signatures
        return fields

    def bytes(self):
        writer = _Writer()
        struct.pack_into("<I", writer.out, 0, writer.put(self.model()))
        return bytes(writer.out)

    def save(self, path):
        with open(path, "wb") as file:
            file.write(self.bytes())
