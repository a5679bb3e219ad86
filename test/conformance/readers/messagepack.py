# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes arrays as CNNdroid's converters do: each as nested arrays of MessagePack with a 32-bit float for each number, one after the other."""
import struct

import numpy as np


def _head(size):
    if size < 16:
        return bytes([0x90 | size])
    return struct.pack(">BH", 0xdc, size) if size < 1 << 16 else struct.pack(">BI", 0xdd, size)


def _pack(array):
    if array.ndim > 1:
        return _head(len(array)) + b"".join(map(_pack, array))
    numbers = np.empty(len(array), np.dtype([("head", "u1"), ("number", ">f4")]))
    numbers["head"], numbers["number"] = 0xca, array
    return _head(len(array)) + numbers.tobytes()


def write(path, *arrays):
    with open(path, "wb") as file:
        file.writelines(map(_pack, arrays))
