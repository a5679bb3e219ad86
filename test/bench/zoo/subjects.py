# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which models the zoo has: whole networks of the shared data, and the bench's; not layers, which conformance tests are made of.

How:  they are the cases of test/conformance, with their answers; a saved model is there once, by the first signature that can be
      compiled. What has no answers is compared with nacre-eval. `models.tsv` says in a phrase what each is for.
"""
import functools
import glob
import json
import os
import re
import sys
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "test", "conformance"), os.path.join(ROOT, "test", "bench")]
import agreement  # noqa: E402
import cases  # noqa: E402
import numpy as np  # noqa: E402
import rivals  # noqa: E402
from onnx_cases import OnnxCase  # noqa: E402
from readers.onnx import read_model  # noqa: E402

# Of each group the suite that has its cases.
GROUPS = {"onnx-real": "models", "onnx-light": "models", "onnx-tract": "others", "tf-real": "tensorflow", "tf-savedmodel": "savedmodel",
          "tflite": "tflite", "caffe-real": "caffe"}
# What is a layer or two, not a network.
LAYERS = re.compile(r"tflite/seanet/|onnx-tract/q[a-z]+_|training/cases/(?!(lenet_digits|resnet_digits|lstm_gestures|transformer_tiny)/)")
MODEL_FILE = re.compile(r"\.(onnx|tflite|prototxt|pbtxt|pb|meta)$|_netfiles/[^/]*\.txt$")
FORMATS = {".onnx": "ONNX", ".tflite": "TFLite", ".prototxt": "Caffe", ".txt": "CNNdroid", ".pb": "TensorFlow", ".meta": "TensorFlow"}
# Whose answers an error is measured against, where it is not in a folder of its own.
ANSWERS = {"onnx-light": "its authors", "onnx-tract": "its authors", "tf-real": "TensorFlow.js", "tf-savedmodel": "a formula", "caffe-real": "a plain reference",
           "tflite": "a plain reference", "training": "PyTorch, double", "bench": "ONNX Runtime"}
# Options for what is of use without its labels, which are strings.
CUTS = {"onnx-real/squeezenet_variant_op7": ("--output=loss1",)}


@dataclass
class Subject:
    id: str
    case: cases.Case

    @property
    def group(self):
        return self.id.split("/", 1)[0]

    @property
    def name(self):
        return self.id.split("/", 1)[1]

    @property
    def format(self):
        return FORMATS.get(os.path.splitext(self.case.path)[1], "SavedModel")

    @property
    def answers_of(self):
        if self.group == "onnx-real":
            return "ONNX Runtime" if os.path.isdir(os.path.join(os.path.dirname(self.case.path), "ort_reference")) else "its authors"
        return "a plain reference" if "basic_pitch" in self.id else ANSWERS[self.group]


def _trained_case(folder, name):
    """One of training/cases: its network as it is before it is trained, and what PyTorch computes of the first batch."""
    path = os.path.join(folder, "cases", name, "model.onnx")
    model = read_model(path)

    def answers(scratch):
        files = {"input": {}, "output": {}}
        with np.load(os.path.join(folder, "cases", name, "reference.npz")) as arrays:
            for tensor in model.free_inputs():
                files["input"][tensor.name] = os.path.join(scratch, tensor.name + ".npy")
                np.save(files["input"][tensor.name], arrays["input:" + tensor.name][0])
            output, = (tensor.name for tensor in model.outputs)
            files["output"][output] = os.path.join(scratch, "output.npy")
            np.save(files["output"][output], arrays["output:infer" if "output:infer" in arrays else "output:train"].astype(np.float32))
        yield cases.DataSet(files["input"], files["output"])
    return OnnxCase("training", name, path, answers=answers, model=model)


def _without_answers(group, root, relative):
    path = os.path.join(root, group, relative)
    if path.endswith(".onnx"):
        return OnnxCase(group, os.path.splitext(relative)[0], path, answers=lambda scratch: [], model=read_model(path))
    # A graph that trains itself is measured as its network, like all other models to be trained.
    options = ("--output=logits",) if relative.startswith("tensorflow/lenet") else ()
    return cases.Case(group, os.path.splitext(relative)[0], path, options)


def _shared(root):
    for group, suite in GROUPS.items():
        seen = {}
        for case in cases.read_group(suite, root, group):
            name = case.id
            if group == "tf-savedmodel" and os.path.isdir(case.path):
                name = re.sub(r"(/\d+)?/[^/]+$", "", name)
            if not LAYERS.match(case.id) and (name not in seen or seen[name].refusal and not case.refusal):
                seen[name] = case
            if name in seen and case.id.endswith("/serving_default"):
                seen[name] = case
        for name, case in seen.items():
            case.options = (*case.options, *CUTS.get(name, ()))
            yield Subject(name, case)
    for group, relative in (("tf-savedmodel", "basic_pitch/nmp.onnx"), ("tf-savedmodel", "basic_pitch/nmp.tflite"),
                            ("tf-savedmodel", "tf2onnx_regression/tflite/model.tflite"), ("tf-savedmodel", "tf2onnx_regression/tflite/test_api_model.tflite"),
                            ("training", "digits/lenet_0to4.onnx"), ("training", "tensorflow/lenet_adam.pb"), ("training", "tensorflow/lenet_momentum.pb")):
        yield Subject(f"{group}/{relative}", _without_answers(group, root, relative))
    folder = os.path.join(root, "training")
    for name in sorted(os.listdir(os.path.join(folder, "cases"))):
        if not LAYERS.match(f"training/cases/{name}/"):
            yield Subject(f"training/{name}", _trained_case(folder, name))


def of_data(root):
    return list(_shared(os.path.abspath(root)))


def bench_ids():
    return [f"bench/{name}" for name in dict.fromkeys([*rivals.MODELS, *rivals.MAKERS])]


def of_bench():
    return [Subject(identity, agreement.bench_case(identity.split("/")[1])) for identity in bench_ids()
            if os.path.exists(os.path.join(rivals.FOLDER, identity.split("/")[1] + ".onnx"))]


def forgotten(root, subjects):
    """Files of models that none of the subjects is, and that are no layers."""
    paths = [os.path.abspath(subject.case.path) for subject in subjects]
    for group in [*GROUPS, "training"]:
        for path in sorted(glob.glob(os.path.join(glob.escape(os.path.abspath(root)), group, "**", "*"), recursive=True)):
            relative = os.path.relpath(path, root)
            is_tensor = re.search(r"/test_data_set_|/keras_metadata", path)
            if MODEL_FILE.search(path) and not is_tensor and not LAYERS.match(relative) and path not in paths and os.path.dirname(path) not in paths:
                yield relative


@functools.lru_cache(maxsize=None)
def phrases():
    """{id: (what it is for, a note or nothing)}"""
    with open(os.path.join(HERE, "models.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    return {identity: (phrase, "".join(note)) for identity, phrase, *note in rows}


def origins(root, subjects):
    """{subject's id: (repository, commit, licence)} as the data's manifest has them."""
    with open(os.path.join(root, "MANIFEST.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    found = {}
    for subject in subjects:
        path = os.path.relpath(subject.case.path, os.path.abspath(root))
        row = next((row for row in rows if row[0] == path or row[0].startswith(path + os.sep)), None)
        found[subject.id] = (re.sub(r" \(.*", "", row[2]), row[3], row[4]) if row else ("", "", "")
    return found


def read_rows(folder):
    """{id: row} of what has been measured."""
    rows = {}
    for path in glob.glob(os.path.join(glob.escape(folder), "*.json")):
        with open(path, encoding="utf-8") as file:
            row = json.load(file)
        rows[row["id"]] = row
    return rows
