#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The heads of torchvision's detectors find the boxes that ONNX Runtime finds, on every engine, also if there are none."""
import json
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import detector_heads
import every_engine
from onnx_writer import INT64

NOTHING = {"found_boxes": [], "found_scores": [], "found_labels": []}  # ONNX Runtime fails in retinanet if no box is left

with open(os.path.join(HERE, "detectors.json"), encoding="utf-8") as file:
    ANSWERS = json.load(file)


class DetectorsTest(every_engine.EveryEngineTest):
    def arguments(self, name, head, seed):
        """Options of a run that gives it the inputs and expects the answers."""
        for of_input, (dims, values) in detector_heads.draw(head, seed).items():
            yield "--input=" + self.write(of_input, dims, values, detector_heads.FLOAT)
        for output, values in ANSWERS[name].get(str(seed), NOTHING).items():
            dims = [len(values) // 4, 4] if output == "found_boxes" else [len(values)]
            yield "--expect=" + self.write(output, dims, values, INT64 if output == "found_labels" else detector_heads.FLOAT)

    def check_head(self, name):
        head = detector_heads.HEADS[name]()
        head.save(self.path("model.onnx"))
        for options, run, run_options in self.places():
            library = self.path("libmodel.so")
            self.call(os.path.join(every_engine.nacre.BIN, "nacre-compile"), self.path("model.onnx"), "-o", library, *options)
            for seed in range(5):
                with self.subTest(options=options, seed=seed):
                    said = run(library, *self.arguments(name, head, seed), *run_options)
                    self.assertEqual(said.count("agrees"), 3, said)

    def test_ssd(self):
        self.check_head("ssd")

    def test_retinanet(self):
        self.check_head("retinanet")

    def test_faster_rcnn(self):
        self.check_head("faster_rcnn")


if __name__ == "__main__":
    unittest.main()
