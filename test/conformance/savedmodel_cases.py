# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds SavedModels, a case for each signature, and the other forms of a checkpoint that lie in ../shared/data/tf-savedmodel.

How:  no answers lie there. Most nets are a line, a * x + b, whose coefficients are read off the checkpoint; basic_pitch is compared
      with the tests' own reading of the TFLite file beside it. Signatures that take texts or train must be refused by name.
"""
import functools
import glob
import os

import numpy as np

from cases import Case, DataSet, Tolerance
from readers import tensorflow as tf
from references.tflite import run_file
from tensorflow_cases import TOLERANCES

_X = np.array([[-2.5], [0], [0.75], [1e3]], np.float32)
# A transform of audio, its magnitudes and their logarithms: what is nearly silent is nearly without sense.
_AUDIO = {"f4": Tolerance(1e-3, 1e-3)}


def _line(signature, variables):
    """(a, b) of what a signature computes; without an input, b alone."""
    name = signature.name
    if "W" in variables:
        return variables["W"], variables["b"]
    if name in ("b", "w"):
        return None, variables[name]
    return variables["a"], variables["c" if "y2" in name or "y3" in name else "b"]


class SignatureCase(Case):
    signature = None

    def shapes(self, data_set):
        declared = {name: tf.dims_of(info.shape) for name, info in self.signature.inputs.items()}
        return {name: np.load(path).shape for name, path in data_set.inputs.items() if declared[name] is None or None in declared[name]}


def _line_answers(signature, variables, scratch):
    a, b = _line(signature, variables)
    (output,), inputs = signature.outputs, {}
    y = b
    for name, info in signature.inputs.items():  # one at most
        x = _X if (tf.dims_of(info.shape) or [None])[0] is None else _X[2]
        inputs[name] = os.path.join(scratch, "x.npy")
        np.save(inputs[name], x)
        y = a * x + b
    np.save(os.path.join(scratch, "y.npy"), y.astype(np.float32))
    yield DataSet(inputs, {output: os.path.join(scratch, "y.npy")})


def _loss_answers(variables, scratch):
    """The loss of the first step of a signature that trains a line: the mean of the squared errors."""
    x, y = _X[:, 0], np.array([1, -2, 0.5, 990], np.float32)
    arrays = {"x": x, "y": y, "loss": np.mean(np.square(variables["w"] * x + variables["b"] - y), dtype=np.float32)}
    paths = {name: os.path.join(scratch, name + ".npy") for name in arrays}
    for name, array in arrays.items():
        np.save(paths[name], array)
    loss = paths.pop("loss")
    yield DataSet(paths, {"loss": loss})


def _pitch_answers(net, signature, scratch):
    (name, info), = signature.inputs.items()
    seconds = np.arange(tf.dims_of(info.shape)[1]) / 22050
    clip = sum(np.sin(2 * np.pi * pitch * seconds) * np.exp(-seconds) / 4 for pitch in (220, 277.18, 329.63))
    path = os.path.join(scratch, "clip.npy")
    np.save(path, clip.astype(np.float32).reshape(1, -1, 1))
    outputs = {}
    for output, array in run_file(net, {name: np.load(path)}).items():
        outputs[output] = os.path.join(scratch, output + ".npy")
        np.save(outputs[output], array)
    yield DataSet({name: path}, outputs)


def _refusal(name, signature, graph):
    """What the error must name where a signature cannot be compiled: itself."""
    takes_text = {node.name for node in graph.nodes if node.op.startswith("Placeholder") and node.attributes["dtype"].type == tf.STRING}
    if any(info.name.split(":")[0] in takes_text for info in signature.inputs.values()):
        return name
    return ""


def _of_model(folder, path):
    model = tf.read_saved_model(path)
    place = os.path.dirname(path)
    variables = {key.split("/")[0]: array for key, array in tf.read_checkpoint(os.path.join(place, "variables", "variables")).items()}
    for name, signature in sorted(model.signatures.items()):
        if name == "__saved_model_init_op":
            continue
        signature.name = name
        net = os.path.join(folder, "basic_pitch", "nmp.tflite")
        answers = (functools.partial(_pitch_answers, net, signature) if "basic_pitch" in path
                   else functools.partial(_loss_answers, variables) if name == "train"
                   else functools.partial(_line_answers, signature, variables))
        refusal = _refusal(name, signature, model.graph)
        if refusal:
            answers = Case.answers
        case = SignatureCase("tf-savedmodel", os.path.join(os.path.relpath(place, folder), name.replace("/", ".")), place,
                             () if name == "serving_default" else (f"--signature={name}",), answers, refusal,
                             _AUDIO if "basic_pitch" in path else TOLERANCES)
        case.signature = signature
        yield case


def _regressions(folder):
    """The graph of a SavedModel again: frozen, and with a checkpoint. Neither says what it is for."""
    checkpoint, frozen = os.path.join(folder, "checkpoint", "model"), os.path.join(folder, "graphdef", "frozen.pb")

    def answers(scratch):
        variables = tf.read_checkpoint(checkpoint)
        for side, array in (("x", _X), ("y", variables["W"] * _X + variables["b"])):
            np.save(os.path.join(scratch, side + ".npy"), array)
        yield DataSet({"X": os.path.join(scratch, "x.npy")}, {"pred": os.path.join(scratch, "y.npy")})
    for name, path in (("frozen", frozen), ("checkpoint", checkpoint + ".meta")):
        if os.path.exists(path):
            yield Case("tf-savedmodel", f"tf2onnx_regression/{name}", path, ("--output=pred", f"--shape=X={len(_X)}x1"), answers,
                       tolerances=TOLERANCES)


def read_group(root, group):
    folder = os.path.join(root, group)
    found = [case for path in sorted(glob.glob(os.path.join(folder, "**", "saved_model.pb*"), recursive=True))
             for case in _of_model(folder, path)]
    return [*found, *_regressions(os.path.join(folder, "tf2onnx_regression"))]
