#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All JSON that programs write is as docs/*.schema.json says, of models with any names and numbers; strictly, with no NaN in it.

Reports and profiles are held against theirs in test/report, too, device profiles in test/e2e/driver/placement_test.py.
"""
import glob
import json
import os
import shutil
import struct
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))
import nacre  # noqa: E402
from nacre import Graph  # noqa: E402
from onnx_writer import write_npy  # noqa: E402

try:
    import jsonschema
except ImportError:
    sys.stderr.write("python3-jsonschema is not installed\n")
    sys.exit(77)

DOCS = os.path.join(nacre.ROOT, "docs")
ODD = '"\\\x01é'
BATCH, SIZE, CLASSES = 8, 6, 4


def refuse(constant):
    raise ValueError(f"{constant} is no JSON")


def parse(text):
    return json.loads(text, parse_constant=refuse)


def schema_of(name):
    with open(os.path.join(DOCS, name + ".schema.json"), encoding="utf-8") as file:
        return parse(file.read())


def learner(with_classes=True):
    graph = Graph("learner", seed=7)
    x = graph.node("Relu", [graph.node("MatMul", [graph.input("x", [BATCH, SIZE]), graph.weight(ODD, [SIZE, 12], -0.5, 0.5)])])
    columns = CLASSES if with_classes else 1
    graph.node("MatMul", [x, graph.weight("second", [12, columns], -0.5, 0.5)], output="logits")
    graph.output("logits", [BATCH, columns])
    return graph


def keeper():
    """Remembers a sum, under a name that JSON dislikes."""
    graph = Graph("keeper")
    total = graph.node("Add", [graph.input("x", [1, 8]), graph.input(ODD, [1, 8])], output="next")
    graph.node("Relu", [total], output="y")
    graph.output("y", [1, 8])
    graph.output("next", [1, 8])
    return graph


nacre.MODELS.update(learner=learner, keeper=keeper, line=lambda: learner(with_classes=False))


class SchemasTest(nacre.NacreTest):
    def check(self, name, value):
        jsonschema.Draft202012Validator(schema_of(name)).validate(value)
        return value

    def check_file(self, name, *path):
        with open(self.path(*path), encoding="utf-8") as file:
            return self.check(name, parse(file.read()))

    def check_lines(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [self.check("training-log", parse(line)) for line in file]

    def test_each_schema_is_one_and_is_listed(self):
        with open(os.path.join(DOCS, "json.md"), encoding="utf-8") as file:
            page = file.read()
        for path in glob.glob(os.path.join(DOCS, "*.schema.json")):
            name = os.path.basename(path)
            jsonschema.Draft202012Validator.check_schema(schema_of(name.removesuffix(".schema.json")))
            self.assertIn(f"]({name})", page)

    def test_schemas_refuse_what_is_not_so(self):
        line = parse(self.run_model(self.compile("relu"), "--benchmark", "--runs=1"))
        good = {"benchmark": line, "training-log": {"epoch": 1, "step": 9, "loss": 0.5, "learning_rate": 0.1, "seconds": 0.2, "peak_memory_bytes": 1048576},
                "trace": {"displayTimeUnit": "ns", "traceEvents": []},
                "state": {"__metadata__": {"crc32c": "0123abcd", "format": "nacre", "fingerprint": "0123456789abcdef"}}}
        for name, value in good.items():
            self.check(name, value)
            for member in value:
                with self.assertRaises(jsonschema.ValidationError, msg=f"{name} without {member}"):
                    self.check(name, {key: kept for key, kept in value.items() if key != member})
            with self.assertRaises(jsonschema.ValidationError, msg=name):
                self.check(name, {**value, "other": 1})

    def test_of_a_run(self):
        for model, *options in (("convnet",), ("recurrent",), ("oddly_named",), ("doubles", "--place=auto", "--device=snapdragon-778g")):
            with self.subTest(model):
                library = self.compile(model, "--report=" + self.path("report.json"), *options)
                self.check_file("report", "report.json")
                self.check("benchmark", parse(self.run_model(library, "--benchmark", "--runs=2")))
                self.run_model(library, "--info=" + self.path("info.json"))
                self.check_file("info", "info.json")
                self.run_model(library, "--runs=2", "--trace=" + self.path("trace.json"), "--profile=" + self.path("profile.json"))
                trace, profile = self.check_file("trace", "trace.json"), self.check_file("profile", "profile.json")
                launches = [event for event in trace["traceEvents"] if event["ph"] == "X"]
                self.assertEqual([event["name"] for event in launches], [row["nodes"] for row in profile["launches"]])

    def test_of_a_run_on_a_gpu(self):
        library = self.compile("doubles", "--place=gpu")
        for cut in (100, 50):
            line = self.check("benchmark", parse(self.run_model(library, "--benchmark", "--runs=1", f"--gpu-cut={cut}")))
            self.assertNotEqual(line["device"], "cpu")
            self.run_model(library, "--runs=1", "--trace=" + self.path("trace.json"), "--profile=" + self.path("profile.json"), f"--gpu-cut={cut}")
            engines = {event["args"].get("engine") for event in self.check_file("trace", "trace.json")["traceEvents"]}
            self.assertEqual(engines - {None}, {row["engine"] for row in self.check_file("profile", "profile.json")["launches"]})
            self.assertIn("gpu" if cut == 100 else "gpu 32/64", engines)

    def test_of_a_file_with_any_name(self):
        folder = self.path(ODD)
        os.mkdir(folder)
        model = os.path.join(folder, ODD + ".onnx")
        shutil.copyfile(self.model("relu"), model)
        # A name that is no UTF-8, too.
        library, report = os.path.join(os.fsencode(folder), b"lib\xff.so"), self.path("report.json")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", os.fsdecode(library), "--report=" + report)
        self.assertEqual(self.check_file("report", "report.json")["model"], model)
        self.check("benchmark", parse(self.run_model(os.fsdecode(library), "--benchmark", "--runs=1")))

    def examples(self, count, value=None):
        rows = [value if value is not None else (i * 7 % 13 - 6) / 6 for i in range(count * SIZE)]
        write_npy(self.path("x.npy"), [count, SIZE], rows, "f")
        write_npy(self.path("y.npy"), [count], [i % CLASSES for i in range(count)], "q")
        write_npy(self.path("line.npy"), [count, 1], [rows[i * SIZE] for i in range(count)], "f")

    def train(self, library, *options, label="y.npy", status=0):
        """The lines of the log."""
        log = self.path("log.jsonl")
        self.run_model(library, "--train", f"--input=x={self.path('x.npy')}", f"--label={self.path(label)}", "--set=learning_rate=0.1",
                       "--log=" + log, *options, status=status)
        return self.check_lines("log.jsonl")

    def test_of_a_training(self):
        self.examples(40)
        options = ("--train", "--loss=softmax-cross-entropy:logits")
        library, state = self.compile("learner", *options, "--clip=norm:0.5"), self.path("learned.safetensors")
        tests = [f"--test-input=x={self.path('x.npy')}", f"--test-label={self.path('y.npy')}"]
        lines = self.train(library, *tests, "--epochs=2", "--save=" + state)
        self.assertEqual([line["epoch"] for line in lines], [0, 1, 2])
        self.assertEqual(set(lines[0]), {"epoch", "test_loss", "test_accuracy"})
        self.assertEqual(set(lines[1]), set(schema_of("training-log")["anyOf"][1]["properties"]) - {"skipped_steps"})
        self.assertEqual(self.check_state(state)["__metadata__"]["step"], "10")
        lines = self.train(self.compile("line", "--train", "--loss=mean-squared-error:logits"), label="line.npy")
        self.assertEqual(set(lines[0]), {"epoch", "step", "loss", "learning_rate", "seconds", "peak_memory_bytes"})
        # The CPU computes the same steps, and may skip one.
        lines = self.train(self.compile("learner", *options, "--place=gpu", "--gpu-precision=fp16"))
        self.assertEqual(lines[0]["skipped_steps"], 0)

    def test_of_a_loss_that_is_no_number(self):
        self.examples(16, value=float("nan"))
        library = self.compile("learner", "--train", "--loss=softmax-cross-entropy:logits")
        log = self.path("log.jsonl")
        self.run_model(library, "--train", "--epochs=0", f"--test-input=x={self.path('x.npy')}", f"--test-label={self.path('y.npy')}", "--log=" + log)
        line, = self.check_lines("log.jsonl")
        self.assertIsNone(line["test_loss"])

    def check_state(self, path):
        with open(path, "rb") as file:
            return self.check("state", parse(file.read(*struct.unpack("<Q", file.read(8))).decode("utf-8")))

    def test_of_what_is_remembered(self):
        library, state = self.compile("keeper", f"--state={ODD}:next"), self.path("kept.safetensors")
        self.run_model(library, "--save=" + state)
        self.assertEqual(set(self.check_state(state)), {"__metadata__", ODD})

    def test_of_this_device(self):
        base = os.path.join(nacre.ROOT, "compiler", "place", "profiles", "snapdragon-778g.json")
        self.call(os.path.join(nacre.BIN, "nacre-tune"), "--base=" + base, "--gpu=no", "-o", self.path("mine.json"))
        self.check_file("device-profile", "mine.json")


if __name__ == "__main__":
    unittest.main()
