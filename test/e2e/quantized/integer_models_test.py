#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of 8-bit models have integer code of their own on every CPU, and whole models agree with ONNX Runtime's 8 bits.

How:  the report says which launches fall back to plain loops, and the type of each contraction's operands. What is not of int8 or has no
      code of its own is counted below; a test fails unless its count is exact, so that each gain lowers it for good.
"""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

sys.path.insert(0, os.path.join(nacre.ROOT, "test", "bench"))
import rivals

DATA = os.path.join(os.environ.get("NACRE_TEST_DATA", os.path.join(nacre.ROOT, "..", "shared", "data")), "tflite")
CONTRACTIONS = ("contraction", "separable")
TARGETS = {"x86-64-v2": "linux-x86_64", "x86-64-v3": "linux-x86_64", "cascadelake": "linux-x86_64", "generic": "linux-arm64",
           "cortex-a53": "linux-arm64", "cortex-a76": "linux-arm64", "cortex-a710": "linux-arm64"}

# Of each model of TensorFlow Lite: contractions that fall back; and the most launches of a softmax.
TFLITE = {"mlperf_tiny/pretrainedResnet_quant": 0, "tflm/person_detect": 0, "tflm/micro_speech_quantized": 0, "tflm/trained_lstm_int8": 0,
          "tinymaix/cifar10_q": 0, "tinymaix/mnist_valid_q": 0}
SOFTMAX_LAUNCHES = 3

# Of each QDQ model of the benchmark: contractions that fall back or that are computed in floats.
QDQ = {"mobilenet_v2_int8": 0, "squeezenet_rand_int8": 0, "resnet50_rand_int8": 0, "inception_v1_rand_int8": 0, "bert_mini_int8": 0}

# Models whose answers miss the limit of the bench, and the ratio that they must keep.
MISSED_SNR = {"bert_mini_int8": 28}


def needs_own_code(launch):
    """Whether it is a contraction without code of its own, or of floats."""
    return launch["kind"] in CONTRACTIONS and (launch["fallback"] or launch["contraction_type"] != "int8")


class ReportTest(nacre.NacreTest):
    def report(self, path, *options):
        library, report = self.path("libmodel.so"), self.path("report.json")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), path, "-o", library, "--quiet", f"--report={report}", *options)
        with open(report, encoding="utf-8") as file:
            return json.load(file)


@unittest.skipUnless(os.path.isdir(DATA), "needs shared/data/tflite")
class TfliteTest(ReportTest):
    parts = 2

    def check(self, cpu):
        for name, expected in TFLITE.items():
            with self.subTest(name, cpu=cpu):
                report = self.report(os.path.join(DATA, name + ".tflite"), f"--target={TARGETS[cpu]}", f"--cpu={cpu}")
                operators = {node["name"]: node["operator"] for node in report["nodes"]}
                slow = [launch for launch in report["launches"] if needs_own_code(launch)]
                softmax = [launch for launch in report["launches"] if any(operators.get(node) == "SOFTMAX" for node in launch["node_list"])]
                self.assertEqual(len(slow), expected, "\n".join(f"{launch['nodes']}: {launch['fallback_reason']}" for launch in slow))
                self.assertLessEqual(len(softmax), SOFTMAX_LAUNCHES)


for _cpu in TARGETS:
    setattr(TfliteTest, f"test_{_cpu.replace('-', '_')}", lambda self, cpu=_cpu: self.check(cpu))


class QdqTest(ReportTest):
    """Of the bench models: skipped where nobody made them."""

    def check(self, name):
        if not os.path.exists(os.path.join(rivals.FOLDER, "int8", name + ".onnx")):
            self.skipTest(f"needs {name}.onnx: run shared/bench/models/quantize.py FOLDER --out FOLDER/int8 and set BENCH_MODELS=FOLDER")
        arguments = type("Arguments", (), {"bin": nacre.BIN, "work": self.folder})
        model = rivals.Model(name, arguments)
        report = self.report(model.path)
        slow = [launch for launch in report["launches"] if needs_own_code(launch)]
        self.assertEqual(len(slow), QDQ[name], "\n".join(f"{launch['nodes']}: {launch['fallback_reason'] or launch['in_floats_because']}" for launch in slow))
        os.makedirs(os.path.dirname(model.library()))
        os.rename(self.path("libmodel.so"), model.library())
        snr, has_same_class = model.agreement()
        self.assertTrue(has_same_class)
        if name in MISSED_SNR:
            self.assertLess(snr, rivals.INT8_SNR[name], "the limit holds now: remove the model from MISSED_SNR")
        self.assertGreaterEqual(snr, MISSED_SNR.get(name, rivals.INT8_SNR[name]), "dB to ONNX Runtime's answer")


for _name in QDQ:
    setattr(QdqTest, f"test_{_name}", lambda self, name=_name: self.check(name))

if __name__ == "__main__":
    unittest.main()
