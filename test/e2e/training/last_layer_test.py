#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network of which only the last layer is trained: a step is inference, one product more, and an update."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from mobilenet import MobileNet

BATCH = 8
TRAINED = ("--train", "--loss=softmax-cross-entropy:logits", "--trainable=classifier.*", "--optimizer=sgd:momentum=0.9")


class LastLayerTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        MobileNet(BATCH, image=96, width=0.5, classes=100).save(self.path("net.onnx"))

    def build(self, *options):
        """The report."""
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("net.onnx"), "-o", self.path("libnet.so"), "--quiet",
                  "--report=" + self.path("report.json"), *options)
        with open(self.path("report.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_a_step_is_little_more_than_inference(self):
        inference, step = self.build(), self.build(*TRAINED, "--entries=train")
        # Session and state.
        self.assertLessEqual(step["arena_bytes"] + step["state_bytes"], 1.3 * inference["arena_bytes"])
        # Up to the layer the launches are those of inference: scales folded, weights packed, nothing kept.
        before, after = ([self.work(row) for row in report["launches"]] for report in (inference, step))
        self.assertEqual(before[-1]["nodes"], "classifier")
        self.assertEqual(after[:len(before) - 1], before[:-1])
        # Behind it nothing goes back: one product more, for the gradient of its matrix.
        rest = after[len(before) - 1:]
        self.assertEqual({word for row in rest for word in row["nodes"].replace(",", "").split()}, {"classifier", "loss", "dW", "dX", "step", "update"})
        self.assertEqual(sum(row["flops"] for row in rest), 2 * before[-1]["flops"])

    def test_entries_share_what_they_have_in_common(self):
        """Each entry is imported and folded by itself; the library has one copy of what comes out the same."""
        inference = self.build()
        self.run_model(self.path("libnet.so"), "--seed=4", "--output=" + self.folder)
        entries = self.build(*TRAINED)
        self.assertLessEqual(entries["weight_bytes"], 1.02 * inference["weight_bytes"])
        for entry in ("main", "evaluate"):
            self.run_model(self.path("libnet.so"), "--entry=" + entry, "--seed=4", "--expect=logits=" + self.path("logits.npy"), "--rtol=0", "--atol=0")

    @staticmethod
    def work(row):
        return {fact: row[fact] for fact in ("nodes", "kind", "flops", "executed_flops", "weight_bytes", "read_bytes", "written_bytes")}


if __name__ == "__main__":
    unittest.main()
