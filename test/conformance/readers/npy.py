# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the head of a NumPy array's file, without NumPy."""
import ast


def is_npy(data):
    return data[:6] == b"\x93NUMPY"


def _head(data):
    width = 2 if data[6] == 1 else 4
    length = int.from_bytes(data[8:8 + width], "little")
    return ast.literal_eval(data[8 + width:8 + width + length].decode())


def shape(data):
    return list(_head(data)["shape"])


def element_type(path):
    """As NumPy spells it, without the order of bytes: f4, i8, b1."""
    with open(path, "rb") as file:
        return _head(file.read(256))["descr"][1:]
