# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads protobuf's wire format by a table of the fields that are wanted.

Why:  the tests shall need no schema compiler, and must not trust the compiler's own readers.
How:  a schema is {number: (name, kind)}; kind is int, float, double, bytes, text or another schema, a list of one of these
      for what repeats, or the pair ("map", kind of the values) for a map from texts. Bytes are not copied out of a view.
"""
import struct
from types import SimpleNamespace

_WIDTHS = {1: 8, 5: 4}
_FORMATS = {"float": "<f", "double": "<d"}


def varint(data, at):
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
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 2:
            length, at = varint(data, at)
            value = (at, at + length)
            at += length
        else:
            width = _WIDTHS[wire]
            value = data[at:at + width]
            at += width
        yield number, value


def signed(value):
    """What a varint means as an integer of 64 bits."""
    return value - (1 << 64) if value >= 1 << 63 else value


def _packed(data, span, kind):
    if kind in _FORMATS:
        return [value for value, in struct.iter_unpack(_FORMATS[kind], data[span[0]:span[1]])]
    values, at = [], span[0]
    while at < span[1]:
        value, at = varint(data, at)
        values.append(signed(value))
    return values


def _value(data, item, kind):
    if isinstance(kind, dict):
        return decode(data, kind, item)
    if kind == "int":
        return signed(item)
    if kind in _FORMATS:
        return struct.unpack(_FORMATS[kind], item)[0]
    content = data[item[0]:item[1]]
    return bytes(content).decode(errors="replace") if kind == "text" else content


def decode(data, schema, span=None):
    """The fields of `schema` as attributes: a list, a dict or, where nothing is said, None."""
    message = SimpleNamespace(**{name: [] if isinstance(kind, list) else {} if isinstance(kind, tuple) else None
                                 for name, kind in schema.values()})
    for number, item in fields(data, *(span or (0, len(data)))):
        if number not in schema:
            continue
        name, kind = schema[number]
        if isinstance(kind, tuple):
            entry = decode(data, {1: ("key", "text"), 2: ("value", kind[1])}, item)
            getattr(message, name)[entry.key or ""] = entry.value
        elif isinstance(kind, list):
            is_packed = isinstance(item, tuple) and kind[0] in ("int", "float", "double")
            getattr(message, name).extend(_packed(data, item, kind[0]) if is_packed else [_value(data, item, kind[0])])
        else:
            setattr(message, name, _value(data, item, kind))
    return message
