# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose operands and answers are arrays, and the engines that must agree with the answers.

How:  a node's operands are arrays (inputs of the model, or constants) or names; its answers are arrays that a formula gave. The
      interpreter, this CPU, arm64, a GPU, and GPU and CPU together compute them. ONNX Runtime does, too, where it is found
      (contrib_test.py): then the formula is what it computes.
"""
import os
import shutil
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from contrib_test import find_ort
from onnx_writer import Graph, _tensor

TYPES = {np.dtype(name): number for number, name in enumerate(("float32", "uint8", "int8", "uint16", "int16", "int32", "int64"), 1)}
TYPES |= {np.dtype("bool"): 9, np.dtype("float16"): 10, np.dtype("float64"): 11}
ARM64 = shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT)


class Model:
    def __init__(self, opset=17, **domains):
        self.graph = Graph("model", opset=opset)
        self.graph.domains.update({"ai.onnx.ml": domains["classical"]} if "classical" in domains else {})
        self.fed, self.wanted = {}, {}

    def feed(self, array):
        """An input of the model; the same array is one input."""
        array = np.asarray(array)
        for name, known in self.fed.items():
            if known is array:
                return name
        name = f"x{len(self.fed)}"
        self.graph.input(name, list(array.shape), TYPES[array.dtype])
        self.fed[name] = array
        return name

    def constant(self, array):
        array = np.asarray(array)
        name = f"c{len(self.graph.initializers)}"
        self.graph.initializers.append(_tensor(name, TYPES[array.dtype], list(array.shape), array.tobytes()))
        return name

    def node(self, operator, operands, *answers, **attributes):
        """The names of the results. Operands: arrays are constants, `None` is left out. An answer that is None is no output."""
        names = [f"y{len(self.graph.nodes)}_{index}" if answer is not None else "" for index, answer in enumerate(answers)] or \
            [f"y{len(self.graph.nodes)}"]
        operands = ["" if x is None else x if isinstance(x, str) else self.constant(x) for x in operands]
        while operands and not operands[-1]:
            operands.pop()
        self.graph.node(operator, operands, names, **attributes)
        for name, answer in zip(names, answers):
            if answer is not None:
                self.output(name, answer)
        return names

    def output(self, name, answer):
        answer = np.asarray(answer)
        self.graph.output(name, list(answer.shape), TYPES[answer.dtype])
        self.wanted[name] = answer


class EnginesTest(nacre.NacreTest):
    """Checks of one model by all engines."""

    def save(self, model):
        self.onnx = self.path("model.onnx")
        model.graph.save(self.onnx)
        for name, array in {**model.fed, **model.wanted}.items():
            np.save(self.path(name + ".npy"), np.asarray(array, order="C"))

    def compiled(self, *options, status=0):
        library = self.path("libmodel.so")
        return library, self.call(os.path.join(nacre.BIN, "nacre-compile"), self.onnx, "-o", library, *options, status=status)

    def check(self, model, tolerance=1e-5, ort=True, ort_tolerance=None):
        """`ort`: whether ONNX Runtime has a kernel for it on a CPU; `ort_tolerance`: how far its own approximations lead."""
        self.save(model)
        bounds = [f"--rtol={tolerance}", f"--atol={tolerance}"]
        numbers = [f"--input={name}={self.path(name + '.npy')}" for name in model.fed]
        numbers += [f"--expect={name}={self.path(name + '.npy')}" for name in model.wanted]

        def agrees(said):
            self.assertEqual(said.count("agrees"), len(model.wanted), said)
        if ort and find_ort():
            self.check_ort(model, ort_tolerance or tolerance)
        with self.subTest("eval"):
            agrees(self.call(os.path.join(nacre.BIN, "nacre-eval"), self.onnx, *bounds, *numbers))
        for place in ((), ("--place=gpu",), ("--place=split:50",)):
            with self.subTest(place=place):
                agrees(self.run_model(self.compiled(*place)[0], *bounds, *numbers, *(("--gpu",) if place else ())))
        if ARM64:
            with self.subTest("arm64"):
                agrees(self.run_arm64(self.compiled("--target=linux-arm64", "--cpu=cortex-a76")[0], *bounds, *numbers))

    def check_ort(self, model, tolerance):
        for index, array in enumerate(model.fed.values()):
            np.save(self.path(f"input_{index}.npy"), array)
        self.call(os.path.join(nacre.BIN, "ort_run"), "--lib", find_ort(), "--data", self.folder, "--warmup", 1, "--runs", 1,
                  "--dump", self.folder, self.onnx)
        for index, (name, wanted) in enumerate(model.wanted.items()):
            got = np.load(self.path(f"output_{index}.npy"))
            self.assertEqual(got.shape, wanted.shape, name)
            np.testing.assert_allclose(got.astype(np.float64), wanted.astype(np.float64), rtol=tolerance, atol=tolerance, err_msg=name)
