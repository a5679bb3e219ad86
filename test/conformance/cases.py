# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the models with known answers: ONNX's backend tests, and the folders onnx-real and onnx-light.

A case is a model and its data sets; a data set maps names of inputs and outputs to files.
"""
import glob
import json
import os
import re
from dataclasses import dataclass, field

from onnx_wire import read_model, tensor_shape

ONNX_TESTDATA_GROUPS = ("node", "simple", "pytorch-converted", "pytorch-operator")
SHARED_GROUPS = ("onnx-real", "onnx-light")
_STRING, _COMPLEX64, _COMPLEX128 = 8, 14, 15


@dataclass
class DataSet:
    inputs: dict
    outputs: dict


@dataclass
class Case:
    group: str
    name: str
    path: str
    model: object
    data_sets: list = field(default_factory=list)

    @property
    def id(self):
        return f"{self.group}/{self.name}"

    def unlisted(self, operators, unlisted_modes):
        """What the model uses beyond the listed operators and tensors of numbers, in words; empty if nothing."""
        reasons = sorted((self.model.operators - operators) | (self.model.modes & unlisted_modes))
        for value in self.model.inputs + self.model.outputs:
            if value.element_type in (0, _STRING, _COMPLEX64, _COMPLEX128):
                reasons.append(f"type of {value.name}")
        return reasons

    def contradicts(self, name, path):
        """Whether the file has another shape than the model states; a few backend tests' unread inputs do."""
        dims = next((i.dims for i in self.model.inputs if i.name == name), [])
        shape = tensor_shape(path)
        return len(dims) != len(shape) or any(d not in (None, s) for d, s in zip(dims, shape))


def _numbered(folder, stem):
    files = glob.glob(os.path.join(glob.escape(folder), f"{stem}_*.pb"))
    return sorted(files, key=lambda f: int(re.search(r"_(\d+)\.pb$", f).group(1)))


def _backend_data_set(folder, model):
    inputs = _numbered(folder, "input")
    named = model.free_inputs() if len(inputs) <= len(model.free_inputs()) else model.inputs
    return DataSet(inputs=dict(zip((i.name for i in named), inputs)),
                   outputs=dict(zip((o.name for o in model.outputs), _numbered(folder, "output"))))


def _reference_data_set(folder):
    with open(os.path.join(folder, "io.json"), encoding="utf-8") as file:
        listing = json.load(file)
    return DataSet(**{side: {t["name"]: os.path.join(folder, t["file"]) for t in listing[side]}
                      for side in ("inputs", "outputs")})


def read_group(root, group):
    """The cases of one folder; folders without a model (downloads that never came) are none."""
    cases = []
    for path in sorted(glob.glob(os.path.join(glob.escape(root), group, "*", "model.onnx"))):
        folder = os.path.dirname(path)
        case = Case(group, os.path.basename(folder), path, read_model(path))
        for data in sorted(glob.glob(os.path.join(glob.escape(folder), "test_data_set_*"))):
            case.data_sets.append(_backend_data_set(data, case.model))
        if os.path.exists(os.path.join(folder, "ort_reference", "io.json")):
            case.data_sets.append(_reference_data_set(os.path.join(folder, "ort_reference")))
        cases.append(case)
    return cases
