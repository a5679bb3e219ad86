# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds ONNX models with known answers: the backend tests, and the folders of ../shared/data whose names begin with onnx-."""
import functools
import glob
import json
import os
import re
import tempfile
import zipfile
from dataclasses import dataclass

from cases import EXACT, Case, DataSet, Tolerance
from readers.onnx import holds_integers, optional_tensor, read_model, tensor_shape

# Of what is computed in 16-bit floats, with the reports' own options.
HALF = Tolerance(.02, .02)
_STRING, _COMPLEX64, _COMPLEX128 = 8, 14, 15


# A report whose answers are gradients: test/e2e/training computes such.
TRAINED = ("g_gridsample",)
# Bounds of sizes that only the data decide: larger than the sizes of the data here.
BOUNDS = {"torch-exports/bincount": "n=9", "torch-exports/length_from_data": "n=20", "torch-exports/repeat_interleave": "total=11"}


@dataclass
class OnnxCase(Case):
    model: object = None

    def unlisted(self, operators, unlisted_modes):
        reasons = sorted((self.model.operators - operators) | (self.model.modes & unlisted_modes))
        for value in self.model.inputs + self.model.outputs:
            if value.element_type in (0, _STRING, _COMPLEX64, _COMPLEX128):
                reasons.append(f"type of {value.name}")
        return reasons

    def shapes(self, data_set):
        return {i.name: shape for i in self.model.free_inputs() if i.name in data_set.inputs and (not i.dims or None in i.dims)
                and (shape := tensor_shape(data_set.inputs[i.name]))}

    def tolerance(self, path, usual):
        return EXACT if holds_integers(path) else HALF if self.gpu_options else usual

    def contradicts(self, name, path):
        dims = next((i.dims for i in self.model.inputs if i.name == name), [])
        shape = tensor_shape(path)
        return len(dims) != len(shape) or any(d not in (None, s) for d, s in zip(dims, shape))


def _numbered(folder, stem):
    files = glob.glob(os.path.join(glob.escape(folder), f"{stem}_*.pb"))
    return sorted(files, key=lambda f: int(re.search(r"_(\d+)\.pb$", f).group(1)))


def _backend_data_set(folder, model, scratch):
    inputs = _numbered(folder, "input")
    named = model.free_inputs() if len(inputs) <= len(model.free_inputs()) else model.inputs
    files = {i.name: _unwrapped(f, scratch) if i.is_optional else f for i, f in zip(named, inputs)}
    return DataSet(inputs={name: file for name, file in files.items() if file},
                   outputs=dict(zip((o.name for o in model.outputs), _numbered(folder, "output"))))


def _unwrapped(path, scratch):
    """A file of the tensor that an optional one holds; None where it holds nothing."""
    tensor = optional_tensor(path)
    if tensor is None:
        return None
    unwrapped = os.path.join(tempfile.mkdtemp(dir=scratch), "tensor.pb")
    with open(unwrapped, "wb") as file:
        file.write(tensor)
    return unwrapped


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


def _prefixed(pattern, values):
    """{value: file} of the files that `pattern` names with a value in place of its {}; a file's name may end before a long value's does."""
    before, after = map(glob.escape, pattern.split("{}"))
    stems = {file[len(pattern.split("{}")[0]):-len(pattern.split("{}")[1])]: file for file in sorted(glob.glob(f"{before}*{after}"))}
    return {value.name: file for value in values for stem, file in stems.items()
            if stem == value.name or (len(stem) > 100 and value.name.startswith(stem))}


def _archived_data_set(archive, model, scratch):
    """An archive of arrays that are named as the model's values."""
    folder = tempfile.mkdtemp(dir=scratch)
    with zipfile.ZipFile(archive) as file:
        names = file.namelist()
        file.extractall(folder)
    arrays = {name.removesuffix(".npy"): os.path.join(folder, name) for name in names}
    return DataSet(**{side: {v.name: arrays[v.name] for v in values if v.name in arrays}
                      for side, values in (("inputs", model.inputs), ("outputs", model.outputs))})


def _data_sets(path, model, scratch):
    """All that is known of a model's answers, however it is stored."""
    folder, stem = os.path.split(os.path.splitext(path)[0])
    for data in sorted(glob.glob(os.path.join(glob.escape(folder), "test_data_set_*"))):
        yield _backend_data_set(data, model, scratch)
    for reference in (os.path.join(folder, "ort_reference"), os.path.join(folder, f"{stem}.io")):
        if os.path.exists(os.path.join(reference, "io.json")):
            yield _reference_data_set(reference)
    inputs, outputs = _beside(path, "input"), _beside(path, "output")
    if outputs and len(inputs) == len(model.free_inputs()):
        yield DataSet(_named(model.free_inputs(), inputs), _named(model.outputs, outputs))
    for asked, answered in ((os.path.join(folder, "in_{}.npy"), os.path.join(folder, "exp_{}.npy")),
                            (os.path.join(folder, stem + ".in.{}.npy"), os.path.join(folder, stem + ".out.{}.npy"))):
        if found := _prefixed(answered, model.outputs):
            yield DataSet(_prefixed(asked, model.free_inputs()), found)
    archive = os.path.join(folder, "io.npz")
    if os.path.exists(archive):
        yield _archived_data_set(archive, model, scratch)


def read_group(root, group):
    """The cases of one folder: its models, however deep they lie. What is called model.onnx is named by its folder; downloads that
    never came are none."""
    cases = []
    folder = os.path.join(root, group)
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "**", "*.onnx"), recursive=True)):
        name = os.path.splitext(os.path.relpath(path, folder))[0].removesuffix(f"{os.sep}model")
        model = read_model(path)
        if name in TRAINED:
            continue
        bound = BOUNDS.get(f"{group}/{name}")
        cases.append(OnnxCase(group, name, path, answers=functools.partial(_data_sets, path, model), model=model,
                              options=(f"--bound={bound}",) if bound else (), gpu_options=("--gpu-precision=fp16",) if name.startswith("fp16_") else ()))
    return cases
