#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A state's file in plain numpy: read, changed, written and loaded again. usage: safetensors_test.py nacre-run LIBRARY FOLDER

The two functions are what a workstation needs, and no more.
"""
import json
import struct
import subprocess
import sys

try:
    import numpy
except ImportError:
    sys.exit(77)

TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "<i1", "I32": "<i4", "I64": "<i8", "U8": "<u1", "BOOL": "?"}


def read(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    notes = header.pop("__metadata__", {})
    return {name: numpy.frombuffer(data[slice(*row["data_offsets"])], TYPES[row["dtype"]]).reshape(row["shape"])
            for name, row in header.items()}, notes


def write(path, tensors):
    header, data, names = {}, b"", {numpy.dtype(code): name for name, code in TYPES.items()}
    for name, tensor in tensors.items():
        header[name] = {"dtype": names[tensor.dtype], "shape": tensor.shape, "data_offsets": [len(data), len(data) + tensor.nbytes]}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def main():
    program, library, folder = sys.argv[1:]
    saved, changed, after = (f"{folder}/{name}.safetensors" for name in ("saved", "changed", "after"))
    subprocess.run([program, library, f"--save={saved}"], check=True)
    tensors, notes = read(saved)
    assert list(tensors) == ["total"] and tensors["total"].shape == (48,) and notes["format"] == "nacre", (tensors, notes)
    assert tensors["total"].any(), "a run adds to it"
    write(changed, {"total": tensors["total"] + numpy.float32(1000)})
    subprocess.run([program, library, f"--resume={changed}", f"--save={after}"], check=True)
    numpy.testing.assert_allclose(read(after)[0]["total"], tensors["total"] * 2 + 1000, rtol=1e-6)


main()
