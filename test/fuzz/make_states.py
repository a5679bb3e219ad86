#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes files of states for the fuzzer: those of StatefulModel.cpp, whole and in part, and as others write them. usage: make_states.py FOLDER"""
import json
import os
import struct
import sys

WEIGHTS = [("conv/w", "F32", [6, 3, 2, 2], 288), ("gates", "F16", [3, 12], 72), ("turned", "F64", [2, 3], 48),
           ("a \"name\" \\ \x01 \u00e9", "F32", [1], 4)]
OTHERS = [("#step", "I64", [], 8), ("total", "F32", [48], 192), ("conv/w#momentum", "F32", [6, 3, 2, 2], 288),
          ("mean", "BF16", [3], 6), ("codes", "U8", [3], 3), ("nothing", "F32", [0, 2], 0)]


def file_of(rows, **options):
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, dtype, shape, size in rows:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header, **options).encode()
    return struct.pack("<Q", len(text)) + text + bytes(i * 37 % 251 for i in range(end))


for name, content in {"all": file_of(OTHERS + WEIGHTS), "weights": file_of(WEIGHTS, ensure_ascii=False),
                      "spaced": file_of(WEIGHTS[1:], indent=1), "momentum": file_of(WEIGHTS[:2] + OTHERS[2:3]),
                      "empty": file_of([]), "bare": struct.pack("<Q", 2) + b"{}"}.items():
    with open(os.path.join(sys.argv[1], name), "wb") as file:
        file.write(content)
