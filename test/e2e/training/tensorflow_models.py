# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles TensorFlow graphs that train themselves, and runs their entries."""
import os
import struct

import nacre
import tensorflow_writer as tf
from onnx_writer import write_npy


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    begin = 10 + struct.unpack_from("<H", data, 8)[0]
    return struct.unpack(f"<{(len(data) - begin) // 4}f", data[begin:])


class TrainedModelTest(nacre.NacreTest):
    def save(self, nodes):
        path = self.path("model.pb")
        with open(path, "wb") as file:
            file.write(tf.graph(nodes))
        return path

    def build(self, model, *options, status=0):
        library = self.path("libmodel.so")
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", library, *options, status=status)
        return said if status else library

    def run_entry(self, library, inputs, *options):
        arguments = []
        for name, (shape, values, *code) in inputs.items():
            write_npy(self.path(name + ".npy"), shape, values, *code)
            arguments.append(f"--input={name}={self.path(name + '.npy')}")
        outputs = self.path("outputs")
        os.makedirs(outputs, exist_ok=True)
        self.run_model(library, *arguments, "--output=" + outputs, *options)
        return {name.removesuffix(".npy"): read_npy(os.path.join(outputs, name)) for name in os.listdir(outputs)}

    def close(self, given, expected, what=None):
        self.assertEqual(len(given), len(expected))
        for a, b in zip(given, expected):
            self.assertLessEqual(abs(a - b), 2e-5 * max(abs(b), 1), what)
