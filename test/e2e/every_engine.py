# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests of operators share: a model, its inputs and its answers, on every engine."""
import os
import shutil

import nacre
from onnx_writer import FLOAT, INT64, Graph, write_npy

CODES = {FLOAT: "f", INT64: "q"}


def flatten(values):
    return [x for value in values for x in flatten(value)] if isinstance(values, (list, tuple)) else [values]


class EveryEngineTest(nacre.NacreTest):
    """A test makes `graph` with `input` and `expect`, and then checks it."""

    opset = 16

    def setUp(self):
        super().setUp()
        self.graph = Graph("model", opset=self.opset)
        self.inputs, self.expected = {}, {}

    def write(self, name, dims, values, element_type):
        values = flatten(values)
        write_npy(self.path(f"{name}.npy"), dims, values, CODES[element_type])
        return f"{name}={self.path(name)}.npy"

    def input(self, name, dims, values, element_type=FLOAT):
        self.inputs[name] = self.write(name, dims, values, element_type)
        return self.graph.input(name, dims, element_type)

    def expect(self, name, dims, values, element_type=FLOAT):
        self.graph.output(name, dims, element_type)
        self.expected[name] = self.write(name, dims, values, element_type)

    def places(self):
        """Options of the compiler, how to run, and options of a run."""
        yield [], self.run_model, []
        for place in ("gpu", "split:50"):
            yield [f"--place={place}"], self.run_model, ["--gpu"]
        if shutil.which("qemu-aarch64"):
            yield ["--target=linux-arm64"], self.run_arm64, []

    def check(self, *tolerance):
        """By the interpreter, on the CPU, on a GPU, half on each, and on arm64 under qemu."""
        self.graph.save(self.path("model.onnx"))
        arguments = [f"--input={text}" for text in self.inputs.values()] + [f"--expect={text}" for text in self.expected.values()] + list(tolerance)
        said = self.call(os.path.join(nacre.BIN, "nacre-eval"), self.path("model.onnx"), *arguments)
        self.assertEqual(said.count("agrees"), len(self.expected), said)
        for options, run, run_options in self.places():
            with self.subTest(options=options):
                library = self.path("libmodel.so")
                self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("model.onnx"), "-o", library, *options)
                said = run(library, *arguments, *run_options)
                self.assertEqual(said.count("agrees"), len(self.expected), said)
