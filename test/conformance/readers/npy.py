# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a NumPy array's file, without NumPy."""
import ast


def is_npy(data):
    return data[:6] == b"\x93NUMPY"


def _span(data):
    """Where the head begins and where it ends."""
    width = 2 if data[6] == 1 else 4
    return 8 + width, 8 + width + int.from_bytes(data[8:8 + width], "little")


def _head(data):
    begin, end = _span(data)
    return ast.literal_eval(data[begin:end].decode())


def body(data):
    """The bytes of the elements."""
    return data[_span(data)[1]:]


def shape(data):
    return list(_head(data)["shape"])


def element_type(path):
    """As NumPy spells it, without the order of bytes: f4, i8, b1."""
    with open(path, "rb") as file:
        return _head(file.read(256))["descr"][1:]
