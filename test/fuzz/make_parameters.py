#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes parameters of CNNdroid's layers for the fuzzer: nested arrays of MessagePack, with numbers of every kind. usage: make_parameters.py FOLDER"""
import os
import struct
import sys


def head(size, wide=False):
    return struct.pack(">BI", 0xdd, size) if wide else struct.pack(">BH", 0xdc, size) if size > 15 else bytes([0x90 | size])


def pack(shape, number, wide=False):
    """Arrays of that shape, whose numbers `number` writes by their places."""
    size, *inner = shape
    return head(size, wide) + b"".join(pack(inner, number, wide) if inner else number(index) for index in range(size))


def single(index):
    return struct.pack(">Bf", 0xca, index / 7 - 0.5)


KINDS = [bytes([7]), bytes([0xf9]), struct.pack(">Bd", 0xcb, 0.25), struct.pack(">BB", 0xcc, 200), struct.pack(">BH", 0xcd, 300), struct.pack(">BI", 0xce, 70000),
         struct.pack(">BQ", 0xcf, 1 << 40), struct.pack(">Bb", 0xd0, -3), struct.pack(">Bh", 0xd1, -300), struct.pack(">Bi", 0xd2, -70000), struct.pack(">Bq", 0xd3, -5)]


def mixed(index):
    return KINDS[index % len(KINDS)]


for name, content in {"conv.msg": pack([2, 3, 2, 2], single) + pack([2], single), "fc.msg": pack([24], single) + pack([3], single),
                      "mixed.msg": pack([44], mixed) + pack([11], mixed), "wide.msg": pack([2, 3, 2, 2], mixed, True) + pack([2], single, True),
                      "labels.msg": pack([2, 1, 1, 1], mixed), "empty.msg": head(0) + head(0)}.items():
    with open(os.path.join(sys.argv[1], name), "wb") as file:
        file.write(content)
