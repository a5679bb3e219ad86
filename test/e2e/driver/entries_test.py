#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engines and weights of single entries: --place=<engines>,<entry>=cpu and --entry-weight."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import Graph

COMPILE = os.path.join(nacre.BIN, "nacre-compile")
KEYS, WIDTH = 1024, 16


def attention():
    """One head over more keys than a GPU's kernel holds."""
    graph = Graph("attention", seed=3)
    x = graph.input("x", [1, KEYS, WIDTH])
    query, key, value = (graph.node("MatMul", [x, graph.weight(name, [WIDTH, WIDTH], -0.5, 0.5)]) for name in ("wq", "wk", "wv"))
    scores = graph.node("MatMul", [query, graph.node("Transpose", [key], perm=[0, 2, 1])])
    y = graph.node("MatMul", [graph.node("Softmax", [scores], axis=-1), value])
    graph.node("ReduceMean", [y], output="y", axes=[1], keepdims=0)
    graph.output("y", [1, WIDTH])
    return graph


class EntriesTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        attention().save(self.path("attention.onnx"))

    def build(self, *options, status=0):
        said = self.call(COMPILE, self.path("attention.onnx"), "-o", self.path("libattention.so"), "--quiet", "--train",
                         "--loss=softmax-cross-entropy:y", "--report=" + self.path("report.json"), *options, status=status)
        if status:
            return said
        with open(self.path("report.json"), encoding="utf-8") as file:
            return json.load(file)

    def engines(self, report, entry):
        return {launch["engine"] for launch in report["launches"] if launch["entry"] == entry}

    def answer(self):
        self.run_model(self.path("libattention.so"), "--entry=main", "--output=" + self.folder, "--threads=1")
        with open(self.path("y.npy"), "rb") as file:
            return file.read()

    def test_an_entry_of_the_cpu_keeps_its_forms(self):
        """Its attention is one kernel, in f32 and with the bits of a library for the CPU, beside entries that have GPU code."""
        self.build()
        answer = self.answer()
        for options in (["--place=gpu,main=cpu"], ["--place=gpu,main=cpu", "--gpu-precision=fp16"]):
            report = self.build(*options)
            self.assertEqual(self.engines(report, "main"), {"cpu"})
            self.assertEqual(self.engines(report, "evaluate"), {"gpu"})
            for entry, count in (("main", 1), ("evaluate", 0)):
                kinds = [launch["kind"] for launch in report["launches"] if launch["entry"] == entry]
                self.assertEqual(kinds.count("attention"), count, entry)
            self.assertEqual(self.answer(), answer)

    def test_the_search_leaves_entries_to_the_cpu(self):
        """For this phone, a step is faster with the GPU, and a run without it."""
        target = ("--target=android-arm64", "--cpu=cortex-a76", "--device=exynos-2100", "--place=auto", "--entries=main,train")
        report = self.build(*target)
        self.assertEqual(self.engines(report, "main"), {"cpu"})
        self.assertIn("gpu", self.engines(report, "train"))
        for entry in report["entries"]:
            saves = entry["predicted_ms"] < entry["predicted_cpu_only_ms"]
            self.assertEqual(saves, entry["name"] == "train", entry["name"])

    def test_weights_decide_whether_a_gpu_is_worth_it(self):
        """It must save a part of all entries' time."""
        target = ("--target=android-arm64", "--cpu=cortex-a76", "--device=exynos-2100", "--place=auto", "--entries=main,train")
        for weights, uses_gpu in (("train=1000", True), ("main=1000", False), ("main=1000,train=1000", True)):
            report = self.build(*target, "--entry-weight=" + weights)
            self.assertEqual("gpu" in self.engines(report, "train"), uses_gpu, weights)

    def test_weights_reach_the_choice_of_layouts(self):
        """For any engine: the plan that encode writes has the weight of the entry, and none for other entries."""
        plan = self.call(COMPILE, self.path("attention.onnx"), "--train", "--loss=softmax-cross-entropy:y", "--quiet",
                         "--entry-weight=train=8", "--compile-to=encode", "-o", "-")
        entries = {words[1]: line for line in plan.splitlines() if (words := line.split())[:1] == ["plan.entry"]}
        self.assertIn("plan.entry_weight = 8.0", entries["@train"])
        self.assertNotIn("plan.entry_weight", entries["@main"])

    def test_what_is_refused(self):
        for options, status, message in (
                (["--place=gpu,main=gpu"], 2, "--place can leave entries to the CPU, as in --place=auto,main=cpu, but has 'main=gpu'"),
                (["--place=gpu,=cpu"], 2, "--place can leave entries to the CPU, as in --place=auto,main=cpu, but has '=cpu'"),
                (["--place=main=cpu"], 2, "--place must be cpu, gpu, auto or split:<percent>"),
                (["--place=gpu,run=cpu"], 1, "--place must name entries of the model (main, train, evaluate), but names 'run'"),
                (["--entry-weight=main=0"], 2, "--entry-weight must be an entry and a positive number, as in "
                                                                  "--entry-weight=train=100, but has 'main=0'"),
                (["--entry-weight=step=2"], 1, "--entry-weight must name entries of the model (main, train, evaluate), but "
                                                                  "names 'step'")):
            self.assertIn(message, self.build(*options, status=status))


if __name__ == "__main__":
    unittest.main()
