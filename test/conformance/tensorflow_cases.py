# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds TensorFlow models with known answers: frozen graphs, SavedModels and a checkpoint in ../shared/data.

How:  files say what is fed and what comes out; where they hold no answers, these are formulas over a checkpoint's variables.
      What an app would say on the command line is said there too: shapes that a graph leaves open, tensors to cut it at.
"""
import functools
import glob
import json
import os

import numpy as np

from cases import EXACT, Case, DataSet, Tolerance
from readers import tensorflow as tf

# Integers are exact. Sums of floats have another order here than there, functions other approximations: f32 and f64 as far as
# TensorFlow's own kernels differ from one another; f16 by two of its steps. dl4j's answers went through decimal text.
TOLERANCES = {"f4": Tolerance(1e-4, 2e-5), "f8": Tolerance(1e-7, 1e-7), "f2": Tolerance(2e-3, 1e-3)}
TOLERANCES.update(dict.fromkeys(("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"), EXACT))

_COMPARISONS = ("Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual", "InTopKV2")
# What of the outputs has its first operand's type.
_KEEP_TYPE = ("Abs", "Add", "BiasAdd", "Elu", "MaxPool", "Mul", "Relu", "ReverseSequence", "Softmax", "Sum")


class TensorFlowCase(Case):
    """A graph of which the placeholders are known."""

    def placeholders(self):
        return {node.name: node for node in tf.read(self.path, tf.GRAPH).nodes if node.op.startswith("Placeholder")}

    def shapes(self, data_set):
        placeholders = self.placeholders()
        shapes = {name: list(np.load(path, mmap_mode="r").shape) for name, path in data_set.inputs.items()}
        return {name: shape for name, shape in shapes.items() if name not in placeholders or _is_open(placeholders[name], shape)}


def _is_open(placeholder, shape):
    attribute = placeholder.attributes.get("shape")
    dims = tf.dims_of(attribute.shape) if attribute else None
    return dims is None or None in dims or len(dims) != len(shape)


def _name(tensor):
    """A tensor as graphs write it in operands: the first result of a node has the node's name."""
    return tensor.removesuffix(":0")


def _save(folder, name, array):
    path = os.path.join(folder, name.replace("/", "_") + ".npy")
    np.save(path, array)
    return path


def _read_listed(path, folder, listing, scratch):
    """The data set of a folder that lists its arrays."""
    nodes = {node.name: node for node in tf.read(path, tf.GRAPH).nodes}
    inputs, outputs = ({_name(item["tensor"]): os.path.join(folder, item["file"]) for item in listing[side]} for side in ("inputs", "outputs"))
    for name, file in outputs.items():
        array = np.load(file)
        if name in nodes and array.dtype != (element_type := _type_of(nodes[name], array.dtype)):
            outputs[name] = _save(scratch, "out_" + name, array.astype(element_type))
    yield DataSet(inputs, outputs)


def _type_of(node, recorded):
    """That of its first result. Other frameworks have fewer types, so that they recorded halves, wide indices and comparisons as f32 or i32."""
    if node.op in ("ArgMax", "ArgMin"):
        return tf.DTYPES[node.attributes["output_type"].type] if "output_type" in node.attributes else "i8"
    if node.op in _COMPARISONS:
        return "?"
    return tf.DTYPES[node.attributes["T"].type] if node.op in _KEEP_TYPE else recorded


def _outputs(listing):
    return [f"--output={_name(item['tensor'])}" for item in listing["outputs"]]


def _dl4j(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*", "case.json"))):
        with open(path, encoding="utf-8") as file:
            listing = json.load(file)
        place = os.path.dirname(path)
        model = listing["promoted_model"] if listing["kind"] == "promoted" else listing["model"]
        yield TensorFlowCase("tf-dl4j", os.path.basename(place), os.path.join(place, model), tuple(_outputs(listing)),
                             functools.partial(_read_listed, os.path.join(place, model), place, listing), tolerances=TOLERANCES)


def _channels_last(array):
    """OpenCV keeps 4 and 5 axes with the channels second."""
    return np.ascontiguousarray(np.moveaxis(array, 1, -1)) if array.ndim in (4, 5) else array


def _opencv_input(folder, name):
    """The input of a net may be shared with one whose name begins alike; one that is lost can be read off its enlargement."""
    words = name.split("_")
    for count in range(len(words), 0, -1):
        path = os.path.join(folder, "_".join(words[:count]) + "_in.npy")
        if os.path.exists(path):
            return np.load(path)
    if name == "resize_nearest_neighbor_half_pixel":
        enlarged = np.load(os.path.join(folder, name + "_out.npy"))
        rows, columns = ([int((i + 0.5) * n / m) for i in range(m)] for n, m in zip((10, 11), enlarged.shape[2:]))
        return enlarged[:, :, [rows.index(i) for i in range(10)]][:, :, :, [columns.index(i) for i in range(11)]]
    return None


def _opencv_answers(folder, name, graph, scratch):
    given, expected = _opencv_input(folder, name), os.path.join(folder, name + "_out.npy")
    if given is None or not os.path.exists(expected):
        return
    expected = np.load(expected)
    placeholder = next(node for node in graph.nodes if node.op == "Placeholder")
    if not any(bytes(a.s or b"") == b"NCHW" for node in graph.nodes if (a := node.attributes.get("data_format"))):
        given, expected = _channels_last(given), _channels_last(expected)
    stated = [node.attributes["T"] for node in graph.nodes if placeholder.name in map(_name, node.inputs) and "T" in node.attributes]
    given = given.astype(tf.DTYPES[(stated or [placeholder.attributes["dtype"]])[0].type])
    expected = expected.astype(_type_of(graph.nodes[-1], expected.dtype))
    yield DataSet({placeholder.name: _save(scratch, "in", given)}, {_name(graph.nodes[-1].name): _save(scratch, "out", expected)})


def _opencv(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*_net.pb"))):
        name = os.path.basename(path).removesuffix("_net.pb")
        f32 = TOLERANCES["f2" if name.startswith("fp16") else "f4"]
        yield TensorFlowCase("tf-opencv", name, path, (), functools.partial(_opencv_answers, folder, name, tf.read(path, tf.GRAPH)),
                             tolerances={**TOLERANCES, "f4": f32})


def _real(folder):
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.pb"), recursive=True)):
        reference = path.removesuffix(".pb") + ".tfjs_reference"
        with open(os.path.join(reference, "io.json"), encoding="utf-8") as file:
            listing = json.load(file)
        case = TensorFlowCase("tf-real", os.path.relpath(path, folder).removesuffix(".pb"), path, (),
                              functools.partial(_read_listed, path, reference, listing), tolerances=TOLERANCES)
        placeholders = case.placeholders()
        inner = [_name(item["tensor"]) for item in listing["inputs"] if _name(item["tensor"]) not in placeholders]
        case.options = (*(f"--input={name}" for name in inner), *_outputs(listing))
        yield case


_FINDERS = {"tf-dl4j": _dl4j, "tf-opencv": _opencv, "tf-real": _real}


def read_group(root, group):
    return list(_FINDERS[group](os.path.join(root, group)))
