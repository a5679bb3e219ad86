# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds nets of TensorFlow Lite in ../shared/data that come without answers, and compares with the tests' own reference."""
import functools
import glob
import os

import numpy as np

from cases import EXACT, Case, DataSet, Tolerance
from readers import tflite
from references.tflite import run_file

# Codes are as the reference kernels round, exactly.
_TOLERANCES = {"f4": Tolerance(1e-3, 1e-4), "i1": EXACT}


def _inputs(net):
    """{name: array}: reals around zero, codes around the one of zero, so that probabilities at the end are not all 0 or 1."""
    random = np.random.default_rng(7)
    names = {i: name for name, i in net.signatures[0][1].items()} if net.signatures else {i: net.tensors[i].name for i in net.inputs}
    inputs = {}
    for i in net.inputs:
        tensor = net.tensors[i]
        if tensor.dtype == "f4":
            inputs[names[i]] = random.uniform(-1, 1, tensor.shape).astype(np.float32)
        else:
            codes = random.integers(-30, 30, tensor.shape) + int(tensor.zero_points[0])
            inputs[names[i]] = np.clip(codes, -128, 127).astype(tensor.dtype)
    return inputs


def _answers(path, net, scratch):
    inputs = _inputs(net)
    sides = []
    for side, arrays in (("in", inputs), ("out", run_file(path, inputs))):
        files = {name: os.path.join(scratch, f"{side}{n}.npy") for n, name in enumerate(arrays)}
        for name, file in files.items():
            np.save(file, arrays[name])
        sides.append(files)
    yield DataSet(*sides)


def _paths(folder):
    """Not those of seanet, which have answers of their own."""
    return sorted(path for path in glob.glob(os.path.join(folder, "**", "*.tflite"), recursive=True) if f"{os.sep}seanet{os.sep}" not in path)


def read_group(root, group):
    folder = os.path.join(root, group)
    cases = []
    for path in _paths(folder):
        net = tflite.read_net(path)
        cases.append(Case(group, os.path.relpath(path, folder).removesuffix(".tflite"), path,
                          answers=functools.partial(_answers, path, net), tolerances=_TOLERANCES))
    return cases
