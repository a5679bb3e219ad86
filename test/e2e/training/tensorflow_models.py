# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles TensorFlow graphs that train themselves, and runs their entries."""
import os
import struct

import nacre
import tensorflow_writer as tf
from onnx_writer import write_npy
from training_cases import VALIDATION_MESSAGE


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    begin = 10 + struct.unpack_from("<H", data, 8)[0]
    return struct.unpack(f"<{(len(data) - begin) // 4}f", data[begin:])


class TrainedModelTest(nacre.NacreTest):
    compile_options = ()

    def save(self, nodes):
        path = self.path("model.pb")
        with open(path, "wb") as file:
            file.write(tf.graph(nodes))
        return path

    def build(self, model, *options, status=0):
        library = self.path("libmodel.so")
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", library, *self.compile_options, *options, status=status)
        return said if status else library

    def run_library(self, library, *options):
        self.run_model(library, *options)

    def run_entry(self, library, inputs, *options):
        arguments = []
        for name, (shape, values, *code) in inputs.items():
            write_npy(self.path(name + ".npy"), shape, values, *code)
            arguments.append(f"--input={name}={self.path(name + '.npy')}")
        outputs = self.path("outputs")
        os.makedirs(outputs, exist_ok=True)
        self.run_library(library, *arguments, "--output=" + outputs, *options)
        return {name.removesuffix(".npy"): read_npy(os.path.join(outputs, name)) for name in os.listdir(outputs)}

    def close(self, given, expected, what=None):
        self.assertEqual(len(given), len(expected))
        for a, b in zip(given, expected):
            self.assertLessEqual(abs(a - b), 2e-5 * max(abs(b), 1), what)


class OnArm64:
    """The same under qemu."""

    compile_options = ("--target=linux-arm64",)

    def run_library(self, library, *options):
        self.run_arm64(library, *options)


class OnGpu:
    """The same on a GPU, which a validation layer watches; lavapipe will do. Only loops whose iterations a run decides are left to the CPU."""

    compile_options = ("--place=gpu",)

    def setUp(self):
        super().setUp()
        os.environ["VK_INSTANCE_LAYERS"] = "VK_LAYER_KHRONOS_validation"
        # Otherwise the layer keeps a file that processes would share.
        os.environ["VK_LAYER_DISABLES"] = "VK_VALIDATION_FEATURE_DISABLE_SHADER_VALIDATION_CACHE_EXT"

    def run_library(self, library, *options):
        said = self.run_model(library, "--gpu", *options)
        self.assertNotRegex(said, VALIDATION_MESSAGE)
        self.assertRegex(said, r": [1-9]\d* launches, %s on the CPU," % (r"\d+" if "run_decides" in self._testMethodName else "0"))
