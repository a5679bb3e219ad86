# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds Caffe's nets: those with answers, and trained or well-known ones, in ../shared/data; and small ones here (nets/caffe), by families
of layers; and CNNdroid's (cnndroid_cases.py). Nets without answers are compared with the tests' own reference.

How:  a net that comes without weights gets random ones, which are written as a file of weights; one for a batch gets a batch of one.
"""
import functools
import glob
import os
import re

import cnndroid_cases
import numpy as np

from cases import Case, DataSet, Tolerance
from readers import caffe
from references import caffe as reference

_TOLERANCES = {"f4": Tolerance(1e-3, 1e-4)}


def _save(scratch, name, array):
    path = os.path.join(scratch, name.replace("/", "_") + ".npy")
    np.save(path, np.asarray(array, np.float32))
    return path


def _opencv_answers(folder, name, net, scratch):  # pylint: disable=unused-argument
    expected = os.path.join(folder, name + ".npy")
    if not os.path.exists(expected):
        return
    inputs = {}
    for given in reference.inputs_of(net):
        files = (os.path.join(folder, f"{name}.{given}.npy"), os.path.join(folder, f"{name}.input.npy"), os.path.join(folder, "blob.npy"))
        inputs[given] = next(file for file in files if os.path.exists(file))
    yield DataSet(inputs, {net["layer"][-1]["top"][0]: expected})


def _opencv(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.prototxt"))):
        name = os.path.basename(path).removesuffix(".prototxt")
        yield Case("caffe-opencv", name, path, (), functools.partial(_opencv_answers, folder, name, caffe.read_net(path)),
                   tolerances=_TOLERANCES)


class ReferenceCase(Case):
    """A net whose answers the reference makes, with a file of weights that is made for it where it has none."""

    source = ""  # of `path`, which is the file that was made of it
    weights = None
    keeps_batch = False

    def prepare(self, scratch):
        """The net with a batch of one, in a file of its own, and its weights beside it."""
        self.source = self.source or self.path
        with open(self.source, encoding="utf-8") as file:
            text = file.read()
        if not self.keeps_batch:
            text = re.sub(r"(shape:?\s*\{\s*dim:\s*)\d+", r"\g<1>1", text, count=1)
        self.path = os.path.join(scratch, "net.prototxt")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)
        net, random = caffe.read_net(self.path), np.random.default_rng(11)
        weights = caffe.read_weights(self.weights) if self.weights else {}
        inputs = {name: random.uniform(-1, 1, shape).astype(np.float32) for name, shape in reference.inputs_of(net).items()}
        outputs = reference.run(net, inputs, weights, None if self.weights else random)
        beside = os.path.join(scratch, "net.caffemodel")
        if self.weights:
            os.symlink(self.weights, beside)
        else:
            caffe.write_weights(beside, net, weights)
        yield DataSet({name: _save(scratch, "in_" + name, array) for name, array in inputs.items()},
                      {name: _save(scratch, "out_" + name, array) for name, array in outputs.items()})


def _real(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*", "*.prototxt"))):
        case = ReferenceCase("caffe-real", os.path.relpath(path, folder).removesuffix(".prototxt"), path, tolerances=_TOLERANCES)
        case.answers = case.prepare
        case.weights = next(iter(glob.glob(os.path.join(os.path.dirname(path), "*.caffemodel"))), None)
        yield case
    for path in sorted(glob.glob(os.path.join(folder, "cnndroid_netfiles", "*.txt"))):
        yield cnndroid_cases.case_of("caffe-real", os.path.relpath(path, folder).removesuffix(".txt"), path, folder)


def _here(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.prototxt"))):
        case = ReferenceCase("caffe-layers", os.path.basename(path).removesuffix(".prototxt"), path, tolerances=_TOLERANCES)
        case.answers = case.prepare
        case.keeps_batch = True
        yield case


_FINDERS = {"caffe-opencv": _opencv, "caffe-real": _real}


def read_group(root, group):
    if group == "caffe-layers":
        return list(_here(os.path.join(os.path.dirname(os.path.abspath(__file__)), "nets", "caffe")))
    return list(_FINDERS[group](os.path.join(root, group)))
