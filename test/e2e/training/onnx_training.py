# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests of ONNX models in training share: a small network, states as files of safetensors, and a test that compiles, runs and compares."""
import json
import math
import os
import random
import struct

import nacre
from onnx_writer import Graph, write_npy

ROWS, INPUTS, HIDDEN, OUTPUTS = 4, 3, 5, 2
WEIGHTS = {"w1": (INPUTS, HIDDEN), "b1": (HIDDEN,), "w2": (HIDDEN, OUTPUTS)}


def numbers(seed, count):
    draw = random.Random(seed)
    return [draw.uniform(-1, 1) for _ in range(count)]


def initial(name):
    return numbers(name, math.prod(WEIGHTS[name]))


def network():
    """Two layers, tanh between them."""
    graph = Graph("network")
    graph.input("x", [ROWS, INPUTS])
    for name, dims in WEIGHTS.items():
        graph.constant(name, dims, initial(name))
    hidden = graph.node("Tanh", [graph.node("Add", [graph.node("MatMul", ["x", "w1"]), "b1"])])
    graph.node("MatMul", [hidden, "w2"], output="y")
    graph.output("y", [ROWS, OUTPUTS])
    return graph


def rows(values, width):
    return [values[i:i + width] for i in range(0, len(values), width)]


def read_state(path):
    """The tensors of a safetensors file."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    codes = {"F32": "f", "I64": "q"}
    tensors = {}
    for name, row in header.items():
        begin, end = row["data_offsets"]
        kind = codes[row["dtype"]]
        tensors[name] = list(struct.unpack(f"<{(end - begin) // struct.calcsize(kind)}{kind}", data[8 + size + begin:8 + size + end]))
    return tensors


def write_state(path, tensors):
    """As others write it: {name: (dims, values)}, without a checksum."""
    header, data = {}, b""
    for name, (dims, values) in tensors.items():
        raw = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": list(dims), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    begin = 10 + struct.unpack_from("<H", data, 8)[0]
    return struct.unpack(f"<{(len(data) - begin) // 4}f", data[begin:])


class TrainingTest(nacre.NacreTest):
    def build(self, graph, *options, name="net", status=0):
        model = self.path(name + ".onnx")
        if not isinstance(graph, str):
            graph.save(model)
        else:
            model = graph
        library = self.path(f"lib{name}.so")
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", library, "--quiet", *options, status=status)
        return said if status else library

    def translate(self, model, state, output, status=0):
        return self.call(os.path.join(nacre.BIN, "nacre-translate"), model, "--state=" + state, "-o", output, status=status)

    def outputs(self, library, inputs, *options, run=None):
        """What a run gives, by name."""
        arguments = []
        for name, (dims, values) in inputs.items():
            write_npy(self.path(name + ".npy"), dims, values)
            arguments.append(f"--input={name}={self.path(name + '.npy')}")
        folder = self.path("outputs")
        os.makedirs(folder, exist_ok=True)
        (run or self.run_model)(library, *arguments, "--output=" + folder, *options)
        return {name.removesuffix(".npy"): read_npy(os.path.join(folder, name)) for name in os.listdir(folder)}

    def close(self, given, expected, tolerance, what=None):
        largest = max(max(map(abs, expected)), 1e-3)
        self.assertEqual(len(given), len(expected), what)
        self.assertLessEqual(max(abs(a - b) for a, b in zip(given, expected)), tolerance * largest, what)
