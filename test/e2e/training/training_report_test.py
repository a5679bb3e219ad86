#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is told of a step of training: the report's times and its arena over the steps, what each weight costs, a profile by parts."""
import itertools
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from lenet import lenet

DEVICE = "snapdragon-778g"
WEIGHTS = [f"{layer}.{kind}" for layer in ("conv1", "conv2", "fc1", "fc2") for kind in ("weight", "bias")]


class TrainingReportTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        lenet().save(self.path("lenet.onnx"))

    def build(self, *options):
        """What was said, and the report."""
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("lenet.onnx"), "-o", self.path("liblenet.so"), "--train",
                         "--loss=softmax-cross-entropy:logits", "--train-batch=64", "--report=" + self.path("report.json"), *options)
        with open(self.path("report.json"), encoding="utf-8") as file:
            return said, json.load(file)

    def test_the_arena_over_the_steps(self):
        said, report = self.build()
        entries = {entry["name"]: entry for entry in report["entries"]}
        self.assertEqual(list(entries), ["main", "train", "evaluate"])
        self.assertEqual(max(entry["arena_bytes"] for entry in entries.values()), report["arena_bytes"])
        for entry in entries.values():
            self.check_arena(entry, [row for row in report["launches"] if row["entry"] == entry["name"]])
        parts = {row["part"] for row in report["launches"] if row["entry"] == "train"}
        self.assertEqual({"forward", "backward"} - parts, set(), "updates may all be in launches of gradients")
        self.assertNotIn("part", next(row for row in report["launches"] if row["entry"] == "main"))
        of_train = [row for row in report["launches"] if row["entry"] == "train"]
        for row in itertools.takewhile(lambda row: row["part"] != "forward", of_train):
            is_packing = row["kind"] == "permute" and row["kernel"].startswith("pack")
            self.assertTrue(row["part"] == "update" or is_packing, f"{row['kernel']}: only the count of steps and panels of weights may come before the forward pass")
        self.check_chart(said, entries["train"])

    def check_arena(self, entry, launches):
        """Storages that live at the same time share no byte, and are what each step finds in use."""
        steps, storages = entry["steps"], entry["storages"]
        self.assertEqual([steps[row["step"]]["nodes"] for row in launches], [row["nodes"] for row in launches])
        for number, step in enumerate(steps):
            alive = sorted((s["offset"], s["bytes"]) for s in storages if s["first_step"] <= number <= s["last_step"])
            self.assertEqual(sum(size for _, size in alive), step["arena_bytes_in_use"])
            ends = [0] + [offset + size for offset, size in alive]
            for end, (offset, _) in zip(ends, alive):
                self.assertLessEqual(end, offset, f"step {number} of {entry['name']}")
            self.assertLessEqual(ends[-1], entry["arena_bytes"])
        for storage in storages:
            self.assertIn(storage["nodes"], {steps[number]["nodes"] for number in range(storage["first_step"], storage["last_step"] + 1)})

    def check_chart(self, said, entry):
        most = max(range(len(entry["steps"])), key=lambda number: entry["steps"][number]["arena_bytes_in_use"])
        node = entry["steps"][most]["nodes"].split(", ")[0]
        found = re.search(r"  arena over the (\d+) steps of train \(forward, backward, update\), peak at step (\d+) \((.*)\)\n"
                          r"    ([\d.]+) MiB \|( *#.*)\n((?: +\|#?.*\n){5}) {4,}([fbu]+)\n", said)
        self.assertIsNotNone(found, said)
        self.assertEqual(found.groups()[:3], (str(len(entry["steps"])), str(most + 1), node))
        self.assertAlmostEqual(float(found[4]), entry["steps"][most]["arena_bytes_in_use"] / 2**20, delta=0.06)
        self.assertEqual(len(found[7]), min(len(entry["steps"]), 64))
        self.assertRegex(found[7], "^u?b?f")

    def test_predicted_times(self):
        said, report = self.build("--device=" + DEVICE)
        times = report["predicted_step_ms"]
        found = re.search(rf"  predicted time of a step on {DEVICE}: forward ([\d.]+) ms, backward ([\d.]+) ms, update ([\d.]+) ms\n", said)
        self.assertEqual([float(x) for x in found.groups()], [round(times[part], 2) for part in ("forward", "backward", "update")])
        launches = [row for row in report["launches"] if row["entry"] == "train"]
        for part, time in times.items():
            self.assertAlmostEqual(time, sum(row["predicted_cpu_ms"] * row["iterations"] for row in launches if row["part"] == part), places=6)
        self.assertGreater(times["backward"], times["forward"])
        entry = next(entry for entry in report["entries"] if entry["name"] == "train")
        self.assertAlmostEqual(entry["predicted_ms"], sum(times.values()), delta=1e-3)
        self.assertEqual(report["predicted_ms"], report["entries"][0]["predicted_ms"])
        self.assertNotIn("predicted_step_ms", self.build()[1])

    def weights(self, *options):
        """The columns of each line of --list-weights by the weight's name, and all that was said."""
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("lenet.onnx"), "--list-weights", "--train-batch=64", *options)
        return {line.split()[0]: line.split()[1:] for line in said.splitlines() if line.startswith(("conv", "fc"))}, said

    def test_what_each_weight_costs(self):
        loss, optimizer = "--loss=softmax-cross-entropy:logits", "--optimizer=adam"
        rows, said = self.weights(loss, optimizer, "--device=" + DEVICE)
        self.assertEqual(list(rows), WEIGHTS)
        self.assertRegex(said, r"(?m)^weight +type +trained +bytes +moments +ms +way ms +nodes$")
        own = {name: float(row[4]) for name, row in rows.items()}
        way = {name: float(row[5]) for name, row in rows.items()}
        self.assertTrue(all(time > 0 for time in own.values()), own)
        self.assertEqual(sorted(way.values(), reverse=True), [way[name] for name in WEIGHTS], "the way back ends at the first layer")
        self.assertGreater(way["conv1.weight"], way["fc2.weight"])
        _, report = self.build(optimizer, "--device=" + DEVICE)
        self.assertEqual({row["weight"]: round(row["predicted_ms"], 3) for row in report["trained_weights"]}, own)
        parts = [float(x) for x in re.search(r"forward ([\d.]+) ms, backward ([\d.]+) ms, update ([\d.]+) ms\n$", said).groups()]
        self.assertLess(sum(own.values()), parts[1] + parts[2] + 0.02)
        # Of the last layer alone, nothing goes back to the others.
        last, said = self.weights(loss, optimizer, "--trainable=fc2*", "--device=" + DEVICE)
        self.assertEqual([name for name, row in last.items() if row[1] == "yes"], ["fc2.weight", "fc2.bias"])
        self.assertLess(float(re.search(r"backward ([\d.]+) ms", said)[1]), parts[1])
        self.assertNotIn(" ms ", self.weights(loss, optimizer)[1])
        self.assertTrue(self.weights("--device=" + DEVICE)[1].endswith("\npass --loss to predict the milliseconds on the device\n"))

    def test_a_profile_by_parts(self):
        self.build()
        said = self.run_model(self.path("liblenet.so"), "--entry=train", "--set=learning_rate=0.1", "--profile", "--runs=3")
        found = re.search(r"^forward ([\d.]+) ms \(([\d.]+) %\), backward with updates in the same launches ([\d.]+) ms \(([\d.]+) %\), "
                          r"update ([\d.]+) ms \(([\d.]+) %\)$", said, re.MULTILINE)
        self.assertIsNotNone(found, said)
        numbers = [float(x) for x in found.groups()]
        self.assertAlmostEqual(sum(numbers[1::2]), 100, delta=0.2)
        total = float(re.search(r"^ +([\d.]+) 100.00%$", said, re.MULTILINE)[1])
        self.assertAlmostEqual(sum(numbers[::2]), total / 1000, delta=0.004)
        self.assertRegex(said, r" gemm_\d+ dW")
        self.assertNotIn("forward", self.run_model(self.path("liblenet.so"), "--profile", "--runs=3"))


if __name__ == "__main__":
    unittest.main()
