#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients and losses of models that are trained, against PyTorch's in double precision (shared/data/training).

A case's tolerance is ten times how far PyTorch's own single precision is from these, and 1e-5.
"""
import ast
import json
import os
import struct
import sys
import unittest
import zipfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

DATA = os.environ.get("NACRE_TEST_DATA", os.path.join(os.path.dirname(nacre.ROOT), "shared", "data"))
CASES = os.path.join(DATA, "training", "cases")
FORMATS = {"<f4": "f", "<f8": "d", "<i8": "q", "<i4": "i"}
# A case's second run costs a second compilation and shows the same gradients: of all with NACRE_TRAINING=all, else of these.
ALL = os.environ.get("NACRE_TRAINING") == "all"
# All cases on ARM under qemu: NACRE_TRAINING_TARGET=linux-arm64; else some.
ARM64 = os.environ.get("NACRE_TRAINING_TARGET") == "linux-arm64"
BITS = (("lenet_digits", "adam"), ("dropout", "sgd:momentum=0.9"), ("lstm_gestures", "sgd:momentum=0.9"))
ON_ARM64 = ("lenet_digits", "lstm", "batch_norm")
ADAM = ("dropout", "embedding", "lenet_digits", "lstm", "optimizers")


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


class TrainingTest(nacre.NacreTest):
    parts = 3

    arm64 = ARM64
    arm64_target = "linux-arm64"

    def build(self, case, *options):
        library = self.path("libcase.so")
        target = ["--target=" + self.arm64_target] if self.arm64 else []
        self.call(os.path.join(nacre.BIN, "nacre-compile"), os.path.join(case.folder, "model.onnx"), "-o", library, "--quiet",
                  *case.options(), *options, *target)
        return library

    def steps(self, library, steps, batches, *entries):
        program = [os.path.join(nacre.BIN, "e2e-training-steps")]
        if self.arm64:
            program = ["qemu-aarch64", "-L", nacre.ARM64_SYSROOT, "-cpu", "cortex-a76", "-E", "LD_LIBRARY_PATH=" + self.android_libraries(),
                       program[0] + "-arm64"]
        said = self.call(*program, library, "case", self.folder, steps, batches, *entries)
        return [(entry, float(loss)) for entry, loss in (line.split() for line in said.splitlines())]

    def check_gradients(self, case):
        facts, arrays = case.facts, case.arrays
        tolerance = 10 * facts["float32_gradient_deviation"] + 1e-5
        for weight in facts["weights"]:
            expected = arrays.values["gradient:" + weight]
            given = read_floats(self.path(f"gradients.{weight}#gradient.out"))
            self.assertEqual(len(given), len(expected), weight)
            scale = max(map(abs, expected)) + 1e-3 * facts["largest_gradient"]
            apart = max(abs(a - b) for a, b in zip(given, expected)) / scale
            self.assertLessEqual(apart, tolerance, f"gradient of {weight}")

    def check_losses(self, case, run, losses):
        facts = case.facts["runs"][run]
        expected = facts["losses"]
        self.assertEqual(len(losses), len(expected))
        apart = max(abs(a - b) / max(abs(b), 1e-3) for a, b in zip(losses, expected))
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

    def test_parts_of_the_batch(self):
        """The batch in parts gives the gradients and losses of the batch."""
        case = Case("lenet_digits")
        self.check_run(case, "sgd", f"--micro-batch={case.arrays.shapes['label'][1] // 4}")

    def state_after(self, library, steps, batches):
        self.steps(library, steps, batches, "train")
        with open(self.path("end.safetensors"), "rb") as file:
            return file.read()

    def test_bits(self):
        """Any number of threads, and run twice; and twenty steps are ten, a file, and ten of another process."""
        for name, optimizer in BITS[:1] if self.arm64 else BITS:
            with self.subTest(case=name):
                case = Case(name)
                case.feed(self.folder, 0.01)
                library, batches = self.build(case, "--optimizer=" + optimizer), case.facts["batches"]
                expected = self.state_after(library, 20, batches)
                for threads in (1, 2, 3):
                    self.assertTrue(self.state_after(library, 20, f"{batches}:{threads}") == expected, f"{threads} threads")
                half, begin = self.state_after(library, 10, batches), self.path("begin.safetensors")
                self.assertFalse(half == expected)
                write(begin, half)
                self.assertTrue(self.state_after(library, 10, f"{batches}:1:10") == expected, "resumed")
                os.remove(begin)


class TrainingOnArm64(TrainingTest):
    """The same, of other code."""

    arm64 = True

    def feed_digits(self, batch):
        """An epoch's images, divided by 16, and labels, as batches of the network; how many."""
        images, labels = (open_npy(os.path.join(DATA, "training", "digits", f"train_{what}.npy")) for what in ("images", "labels"))
        pixels, count = len(images) // len(labels), len(labels) // batch
        for number in range(count):
            rows = range(number * batch, (number + 1) * batch)
            write(self.path(f"{self.input}.{number}"), b"".join(struct.pack("<f", v / 16) for v in images[rows.start * pixels:rows.stop * pixels]))
            write(self.path(f"label.{number}"), struct.pack(f"<{batch}q", *(labels[row] for row in rows)))
        return count

    def test_an_epoch_of_digits(self):
        """By a library for Android: its losses are x86-64's but for rounding."""
        self.arm64_target = "android-arm64"
        case, losses = Case("lenet_digits"), []
        self.input = next(name for name in case.arrays.values if name.startswith("input:")).removeprefix("input:")
        write(self.path("learning_rate"), struct.pack("<f", 0.05))
        count = self.feed_digits(64)
        for self.arm64 in (False, True):
            library = self.build(case, "--optimizer=sgd:momentum=0.9", "--train-batch=64")
            losses.append([loss for _, loss in self.steps(library, count, count, "train")])
        self.assertEqual(count, 22)
        self.assertLess(losses[0][-1], 0.6 * losses[0][0])
        for host, arm64 in zip(*losses):
            self.assertLessEqual(abs(host - arm64), 1e-4 * max(host, 1), (host, arm64))


def add(name):
    def test(self):
        case = Case(name)
        for run in case.facts["runs"]:
            if run == "adam" and not ALL and name not in ADAM:
                continue
            with self.subTest(run=run):
                self.check_run(case, run)

    setattr(TrainingTest, "test_" + name, test)
    if name not in ON_ARM64:
        setattr(TrainingOnArm64, "test_" + name, None)


if os.path.isdir(CASES):
    for found in sorted(os.listdir(CASES)):
        add(found)
else:
    print(f"SKIPPED: the references of training are not beside the repository ({CASES})")
    sys.exit(0)

if __name__ == "__main__":
    unittest.main()
