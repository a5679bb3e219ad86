#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators over rows of integers, and functions of bytes: how many launches they take, and that each has code of its own.

What they compute is compared to the bit elsewhere (tflite_quantized_test.py).
"""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from tflite_writer import INT8, INT16, Net

LOGISTIC, SOFTMAX, TANH, LOG_SOFTMAX, L2_NORMALIZATION, HARD_SWISH = 14, 25, 28, 50, 11, 117
SHAPE = [6, 40]


class RowsTest(nacre.NacreTest):
    def launches(self, code, element=INT8, kind=0, options=None, source=None, **result):
        net = Net()
        x = net.input("x", SHAPE, element, **(source or {"scale": 0.05, "zero": 3}))
        net.op(code, [x], [net.output("y", SHAPE, element, **result)], kind, options)
        model, report = self.path(f"{code}of{element}.tflite"), self.path("report.json")
        net.save(model)
        self.call(f"{nacre.BIN}/nacre-compile", model, "-o", self.path("libmodel.so"), f"--report={report}")
        with open(report, encoding="utf-8") as file:
            return json.load(file)["launches"]

    def test_rows_are_one_launch(self):
        for launches in (self.launches(SOFTMAX, kind=9, options={0: ("f", 1)}, scale=1 / 256, zero=-128),
                         self.launches(SOFTMAX, INT16, kind=9, options={0: ("f", 1)}, source={"scale": 0.001}, scale=1 / 32768),
                         self.launches(LOG_SOFTMAX, scale=1 / 16, zero=127),
                         self.launches(L2_NORMALIZATION, kind=11, options={}, scale=1 / 128, zero=0)):
            self.assertEqual([(launch["kind"], launch["fallback"]) for launch in launches], [("row", False)])

    def test_functions_of_bytes_are_one_launch(self):
        for launches in (self.launches(LOGISTIC, scale=1 / 256, zero=-128), self.launches(TANH, scale=1 / 128, zero=0),
                         self.launches(HARD_SWISH, scale=0.05, zero=0),
                         self.launches(TANH, INT16, source={"scale": 2**-12}, scale=2**-15)):
            self.assertEqual([(launch["kind"], launch["fallback"]) for launch in launches], [("nest", False)])


if __name__ == "__main__":
    unittest.main()
