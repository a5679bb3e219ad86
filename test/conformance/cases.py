# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the models with known answers: ONNX's backend tests, and the folders of ../shared/data whose names begin with onnx-.

A case is a model and its data sets; a data set maps names of inputs and outputs to files.
"""
import atexit
import glob
import json
import os
import re
import tempfile
import zipfile
from dataclasses import dataclass, field

from readers.onnx import optional_tensor, read_model, tensor_shape

# The groups of each suite; those of `onnx` are Debian's, all others lie in the folder of shared data.
SUITES = {"onnx": ("node", "simple", "pytorch-converted", "pytorch-operator"),
          "models": ("onnx-real", "onnx-light"),
          "others": ("onnx-node-new", "onnx-opencv", "onnx-onnx2c", "onnx-tract", "onnx-importer")}
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
    return DataSet(inputs={i.name: f for i, f in zip(named, map(_unwrapped, named, inputs)) if f},
                   outputs=dict(zip((o.name for o in model.outputs), _numbered(folder, "output"))))


def _unwrapped(value, path):
    """The file of a tensor, also where an optional one holds it; None where that holds nothing."""
    if not value.is_optional:
        return path
    tensor = optional_tensor(path)
    if tensor is None:
        return None
    unwrapped = os.path.join(_temporary_folder(), "tensor.pb")
    with open(unwrapped, "wb") as file:
        file.write(tensor)
    return unwrapped


def _temporary_folder():
    folder = tempfile.TemporaryDirectory(prefix="nacre-conformance-")  # pylint: disable=consider-using-with
    atexit.register(folder.cleanup)
    return folder.name


def _reference_data_set(folder):
    with open(os.path.join(folder, "io.json"), encoding="utf-8") as file:
        listing = json.load(file)
    return DataSet(**{side: {t["name"]: os.path.join(folder, t["file"]) for t in listing[side]}
                      for side in ("inputs", "outputs")})


def _named(values, files):
    return dict(zip((value.name for value in values), files))


def _beside(path, side):
    """The arrays of a model X.onnx that lie beside it: side_X.npy, or side_X_0.npy and so on."""
    folder, name = os.path.split(os.path.splitext(path)[0])
    one = os.path.join(folder, f"{side}_{name}.npy")
    if os.path.exists(one):
        return [one]
    files = glob.glob(os.path.join(glob.escape(folder), f"{side}_{glob.escape(name)}_[0-9]*.npy"))
    return sorted(files, key=lambda f: int(re.search(r"_(\d+)\.npy$", f).group(1)))


def _archived_data_set(archive, model):
    """An archive of arrays that are named as the model's values."""
    folder = _temporary_folder()
    with zipfile.ZipFile(archive) as file:
        names = file.namelist()
        file.extractall(folder)
    arrays = {name.removesuffix(".npy"): os.path.join(folder, name) for name in names}
    return DataSet(**{side: {v.name: arrays[v.name] for v in values if v.name in arrays}
                      for side, values in (("inputs", model.inputs), ("outputs", model.outputs))})


def _data_sets(path, model):
    """All that is known of a model's answers, however it is stored."""
    folder, stem = os.path.split(os.path.splitext(path)[0])
    for data in sorted(glob.glob(os.path.join(glob.escape(folder), "test_data_set_*"))):
        yield _backend_data_set(data, model)
    for reference in (os.path.join(folder, "ort_reference"), os.path.join(folder, f"{stem}.io")):
        if os.path.exists(os.path.join(reference, "io.json")):
            yield _reference_data_set(reference)
    inputs, outputs = _beside(path, "input"), _beside(path, "output")
    if outputs and len(inputs) == len(model.free_inputs()):
        yield DataSet(_named(model.free_inputs(), inputs), _named(model.outputs, outputs))
    archive = os.path.join(folder, "io.npz")
    if os.path.exists(archive):
        yield _archived_data_set(archive, model)


def read_group(root, group):
    """The cases of one folder: its models, however deep they lie. What is called model.onnx is named by its folder; downloads that
    never came are none."""
    cases = []
    folder = os.path.join(root, group)
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "**", "*.onnx"), recursive=True)):
        name = os.path.splitext(os.path.relpath(path, folder))[0].removesuffix(f"{os.sep}model")
        case = Case(group, name, path, read_model(path))
        case.data_sets.extend(_data_sets(path, case.model))
        cases.append(case)
    return cases
