# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of training (shared/data/training): models, batches, and the gradients and losses that PyTorch computed of them in double precision.

A case's tolerance is ten times how far PyTorch's own single precision is from these, and 1e-5.
"""
import ast
import json
import math
import os
import re
import struct
import sys
import zipfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

DATA = os.environ.get("NACRE_TEST_DATA", os.path.join(os.path.dirname(nacre.ROOT), "shared", "data"))
CASES = os.path.join(DATA, "training", "cases")
FORMATS = {"<f4": "f", "<f8": "d", "<i8": "q", "<i4": "i"}
# With NACRE_TRAINING=all, Adam's run of every case; else of ADAM: a case's second run costs a second compilation and shows the same gradients.
ALL = os.environ.get("NACRE_TRAINING") == "all"
ADAM = ("dropout", "embedding", "lenet_digits", "lstm", "optimizers")


def names_of_cases():
    """The names of all cases; ends the test if they are not beside the repository."""
    if not os.path.isdir(CASES):
        print(f"SKIPPED: the references of training are not beside the repository ({CASES})")
        sys.exit(0)
    return sorted(os.listdir(CASES))


def runs_of(case):
    return [run for run in case.facts["runs"] if run != "adam" or ALL or case.name in ADAM]


class Arrays:
    """A .npz file: shapes, and elements one behind the other."""

    def __init__(self, path):
        self.shapes, self.types, self.values = {}, {}, {}
        with zipfile.ZipFile(path) as file:
            for member in file.namelist():
                self.read(member.removesuffix(".npy"), file.read(member))

    def read(self, name, data):
        size = struct.unpack_from("<H", data, 8)[0]
        header = ast.literal_eval(data[10:10 + size].decode("latin-1"))
        assert not header["fortran_order"], name
        kind = FORMATS[header["descr"]]
        count = (len(data) - 10 - size) // struct.calcsize(kind)
        self.shapes[name], self.types[name] = header["shape"], kind
        self.values[name] = struct.unpack_from(f"<{count}{kind}", data, 10 + size)

    def batches(self, name):
        """The bytes of each batch, as a model takes them."""
        kind = "f" if self.types[name] == "d" else self.types[name]
        count = self.shapes[name][0]
        size = len(self.values[name]) // count
        return [struct.pack(f"<{size}{kind}", *self.values[name][b * size:(b + 1) * size]) for b in range(count)]


def open_npy(path):
    """The bytes of an array of them."""
    with open(path, "rb") as file:
        data = file.read()
    return data[10 + struct.unpack_from("<H", data, 8)[0]:]


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def read_floats(path):
    with open(path, "rb") as file:
        data = file.read()
    return struct.unpack(f"<{len(data) // 4}f", data)


def constants_of(text):
    """An optimizer in the words of a case: the option's, and the learning rate."""
    kind, _, constants = text.partition(":")
    rate, kept = None, []
    for constant in constants.split(","):
        name, _, value = constant.partition("=")
        if name == "lr":
            rate = float(value)
        else:
            kept.append(constant)
    return kind + (":" + ",".join(kept) if kept else ""), rate


class Case:
    def __init__(self, name):
        self.name, self.folder = name, os.path.join(CASES, name)
        with open(os.path.join(self.folder, "case.json"), encoding="utf-8") as file:
            self.facts = json.load(file)
        self.arrays = Arrays(os.path.join(self.folder, "reference.npz"))

    def loss(self):
        kind, _, constants = self.facts["loss"].partition(":")
        text = f"{kind}:{self.facts['output']}"
        if constants:
            text += "," + constants
        if kind == "softmax-cross-entropy" and self.arrays.types["label"] in "fd":
            text += ",label-type=f32"
        return text

    def options(self):
        facts = self.facts
        options = ["--train", "--loss=" + self.loss(), "--trainable=" + ",".join(facts["trainable"])]
        if facts["batch_norm"] == "frozen":
            options.append("--batch-norm=frozen")
        if facts["seed"]:
            options.append(f"--seed={facts['seed']}")
        return options

    def feed(self, folder, rate):
        for name in self.arrays.values:
            if name == "label" or name.startswith("input:"):
                for number, data in enumerate(self.arrays.batches(name)):
                    write(os.path.join(folder, f"{name.removeprefix('input:')}.{number}"), data)
        write(os.path.join(folder, "learning_rate"), struct.pack("<f", rate))


def largest(differences):
    """The largest of them; infinity if one is not a number."""
    differences = list(differences)
    return math.inf if any(map(math.isnan, differences)) else max(differences)


class CaseTest(nacre.NacreTest):
    """A test that trains cases; its class says for what they are compiled, and by which program they run."""

    compile_options = ()

    def program(self):
        """The command that starts test/e2e/training/TrainingSteps.cpp, and the options before its library."""
        return [os.path.join(nacre.BIN, "e2e-training-steps")]

    def build(self, case, *options):
        library = self.path("libcase.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), os.path.join(case.folder, "model.onnx"), "-o", library, "--quiet",
                  *case.options(), *options, *self.compile_options)
        return library

    def steps(self, library, steps, batches, *entries):
        """Each run's entry and loss."""
        said = self.call(*self.program(), library, "case", self.folder, steps, batches, *entries)
        return [(entry, float(loss)) for entry, loss in (line.split() for line in self.read_said(said))]

    def read_said(self, said):
        """The lines with losses, of all that the program said."""
        return said.splitlines()

    def check_gradients(self, case):
        facts, arrays = case.facts, case.arrays
        tolerance = 10 * facts["float32_gradient_deviation"] + 1e-5
        for weight in facts["weights"]:
            expected = arrays.values["gradient:" + weight]
            given = read_floats(self.path(f"gradients.{weight}#gradient.out"))
            self.assertEqual(len(given), len(expected), weight)
            scale = max(map(abs, expected)) + 1e-3 * facts["largest_gradient"]
            apart = largest(abs(a - b) for a, b in zip(given, expected)) / scale
            self.assertLessEqual(apart, tolerance, f"gradient of {weight}")

    def check_losses(self, case, run, losses):
        facts = case.facts["runs"][run]
        expected = facts["losses"]
        self.assertEqual(len(losses), len(expected))
        apart = largest(abs(a - b) / max(abs(b), 1e-3) for a, b in zip(losses, expected))
        self.assertLessEqual(apart, 10 * facts["float32_deviation"] + 1e-5, f"losses of {run}: {losses}")

    def check_run(self, case, run, *more):
        facts = case.facts["runs"][run]
        optimizer, rate = constants_of(facts["optimizer"])
        case.feed(self.folder, rate)
        options = ["--optimizer=" + optimizer]
        if facts.get("clip"):
            options.append(f"--clip=norm:{facts['clip']}")
        first = run == "sgd"
        if first:
            options.append("--entries=main,train,evaluate,gradients")
        options += more
        steps, batches, entries = len(facts["losses"]), case.facts["batches"], ["train"]
        if facts.get("accumulate"):
            options.append("--accumulate")
            entries = ["accumulate", "train"]
        library = self.build(case, *options)
        if first:
            self.steps(library, 1, batches, "gradients")
            self.check_gradients(case)
        losses = [loss for _, loss in self.steps(library, steps, batches, *entries)]
        size = len(entries)
        self.check_losses(case, run, [sum(losses[i:i + size]) / size for i in range(0, len(losses), size)])
        if not first:
            return
        # Adam makes of a gradient that is zero but for rounding a step like any other, so norms are compared of this run alone.
        for name, norm in facts["norms_after"].items():
            if "running" in name and case.facts["batch_norm"] == "frozen":
                continue
            given = sum(v * v for v in read_floats(self.path(name + ".state"))) ** 0.5
            self.assertLessEqual(abs(given - norm), 1e-3 * norm + 1e-5, name)


VALIDATION_MESSAGE = re.compile(r"VUID-|UNASSIGNED-|Validation (?:Error|Warning|Performance)")
LAUNCHES = re.compile(r"^launches (\S+) (\d+) (\d+)$")


class CaseOnGpuTest(CaseTest):
    """The same on a GPU, which a validation layer watches; lavapipe will do."""

    compile_options = ("--place=gpu",)

    def setUp(self):
        super().setUp()
        os.environ["VK_INSTANCE_LAYERS"] = "VK_LAYER_KHRONOS_validation"
        # Otherwise the layer keeps a file that processes would share.
        os.environ["VK_LAYER_DISABLES"] = "VK_VALIDATION_FEATURE_DISABLE_SHADER_VALIDATION_CACHE_EXT"

    def program(self):
        return [*super().program(), "--gpu"]

    def read_said(self, said):
        self.assertNotRegex(said, VALIDATION_MESSAGE)
        lines = said.splitlines()
        launches = [match for match in map(LAUNCHES.match, lines) if match]
        self.assertTrue(launches, said)
        for entry, gpu, cpu in (match.groups() for match in launches):
            self.check_launches(entry, int(gpu), int(cpu))
        return [line for line in lines if not LAUNCHES.match(line)]

    def check_launches(self, entry, gpu, cpu):
        """Fails unless the engines have these numbers of launches."""
        self.assertGreater(gpu, 0, entry)
        self.assertEqual(cpu, 0, entry)


def add_case(tests, name):
    """Adds a test of all runs of a case to the class `tests`."""
    def test(self):
        case = Case(name)
        for run in runs_of(case):
            with self.subTest(run=run):
                self.check_run(case, run)

    setattr(tests, "test_" + name, test)
