# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a case is, whatever its format: a model, how to compile it, and its data sets; and the suites of cases there are.

A data set maps names of inputs and outputs to files.
"""
import importlib
from collections import namedtuple
from dataclasses import dataclass

from readers.npy import element_type

# How far an answer may be off: relative to the element, and to the largest element of its tensor.
Tolerance = namedtuple("Tolerance", "relative absolute")
EXACT = Tolerance(0, 0)

# The groups of each suite, and who finds their cases. Those of `onnx` are Debian's, all others lie in the folder of shared data.
Suite = namedtuple("Suite", "groups finder")
SUITES = {"onnx": Suite(("node", "simple", "pytorch-converted", "pytorch-operator"), "onnx_cases"),
          "models": Suite(("onnx-real", "onnx-light"), "onnx_cases"),
          "others": Suite(("onnx-node-new", "onnx-opencv", "onnx-onnx2c", "onnx-tract", "onnx-importer"), "onnx_cases"),
          "reported": Suite(("reports", "torch-exports"), "onnx_cases"),
          "caffe": Suite(("caffe-opencv", "caffe-real", "caffe-layers"), "caffe_cases"),
          "tensorflow": Suite(("tf-opencv", "tf-real", "tf-dl4j"), "tensorflow_cases"),
          "savedmodel": Suite(("tf-savedmodel",), "savedmodel_cases"),
          "tflite": Suite(("tflite",), "tflite_cases")}


@dataclass
class DataSet:
    inputs: dict
    outputs: dict
    entry: str = ""  # of a library that has several


@dataclass
class Case:
    group: str
    name: str
    path: str
    options: tuple = ()  # of the compiler
    answers: object = lambda scratch: []  # its data sets; what they need of files, it puts into a folder
    refusal: str = ""  # what the error of a case that must be refused matches
    tolerances: object = None  # by element type as NumPy spells it
    is_known: bool = True  # whether there are data sets, once they were asked for
    gpu_options: tuple = ()  # of the compiler, if a GPU is to take part

    @property
    def id(self):
        return f"{self.group}/{self.name}"

    def unlisted(self, operators, unlisted_modes):  # pylint: disable=unused-argument
        """What the model uses beyond what is promised, in words; empty if nothing."""
        return []

    def shapes(self, data_set):  # pylint: disable=unused-argument
        """{input: dimensions} of those that the model leaves open."""
        return {}

    def tolerance(self, path, usual):  # pylint: disable=unused-argument
        """That of an answer; `usual` is what the runner is told."""
        return self.tolerances[element_type(path)]

    def contradicts(self, name, path):  # pylint: disable=unused-argument
        """Whether the file has another shape than the model states, so that the input must be unread."""
        return False


def read_group(suite, root, group):
    return importlib.import_module(SUITES[suite].finder).read_group(root, group)
