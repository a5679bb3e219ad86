#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own runner of backend tests (onnx.backend.test.BackendTest) on nacre.onnx_backend.

What: the cases that pass must be those that pass in our own runner (test/conformance/run.py), by name: all but those of its lists
      expected-failures.txt and refusals.txt, which must fail here, too. ONNX's runner has its own idea of how far an answer may be off.
How:  ctest runs each eighth case and a few of those that fail; NACRE_ONNX_BACKEND=all runs all of them, some minutes.
      Needs python3-onnx, with its test data. Real models, which the runner would load from the network, are left out.
"""
import multiprocessing
import os
import resource
import sys
import unittest
import warnings

import packaged

packaged.need("onnx")
import numpy  # noqa: E402
import onnx  # noqa: E402
import onnx.backend.test  # noqa: E402

import nacre  # noqa: E402
from nacre import onnx_backend  # noqa: E402

sys.path.insert(0, os.path.join(packaged.ROOT, "test", "conformance"))
import run as conformance  # noqa: E402
from cases import SUITES, read_group  # noqa: E402
from runner import TARGETS  # noqa: E402

TEST_DATA = os.environ.get("NACRE_ONNX_TESTDATA", "/usr/share/libonnx-testdata/data")
CLASSES = {"OnnxBackendNodeModelTest": "node", "OnnxBackendSimpleModelTest": "simple",
           "OnnxBackendPyTorchConvertedModelTest": "pytorch-converted", "OnnxBackendPyTorchOperatorModelTest": "pytorch-operator"}
SAMPLE = 8
ALL = os.environ.get("NACRE_ONNX_BACKEND") == "all"
ADDRESS_SPACE = int(os.environ.get("NACRE_MEMORY_GIB", "8")) << 30  # 0: no limit, for sanitizers.

if "object" not in vars(numpy):
    numpy.object = object  # The runner of ONNX 1.12 names what NumPy 1.24 has no more.
CASES = onnx.backend.test.BackendTest(onnx_backend.NacreBackend, __name__).test_cases


def run_case(place):
    """{group/case: why it did not pass, or ""}."""
    kind, name = place
    if ADDRESS_SPACE:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    warnings.simplefilter("ignore")
    result = unittest.TestResult()
    CASES[kind](name).run(result)
    said = [text.strip().splitlines()[-1] for _, text in result.failures + result.errors] + [why for _, why in result.skipped]
    return f"{CLASSES[kind]}/{name[:-len('_cpu')]}", "; ".join(said)


def all_cases():
    """(class, method) of those that are for the CPU."""
    return [(kind, name) for kind in CLASSES for name in sorted(vars(CASES[kind])) if name.startswith("test_") and name.endswith("_cpu")]


class BackendTest(packaged.PackageTest):
    def test_what_passes_is_what_passes_in_our_own_runner(self):
        failing = {name for name, _ in conformance.read_expected_failures([TARGETS["host"]])} | set(conformance.read_list("refusals.txt"))
        failing = {name for name in failing if name.split("/")[0] in CLASSES.values()}
        places = all_cases()
        ours = {case.id for group in SUITES["onnx"].groups for case in read_group("onnx", TEST_DATA, group)}
        self.assertEqual({f"{CLASSES[kind]}/{name[:-len('_cpu')]}" for kind, name in places}, ours, "both runners have the same cases")
        self.assertLessEqual(failing, ours)
        if not ALL:
            refused = [place for place in places if f"{CLASSES[place[0]]}/{place[1][:-len('_cpu')]}" in failing]
            places = sorted({*places[::SAMPLE], *refused[::SAMPLE]})
        with multiprocessing.Pool(os.cpu_count()) as pool:
            outcomes = dict(pool.imap_unordered(run_case, places, chunksize=4))
        passed = {name for name, why in outcomes.items() if not why}
        print(f"{len(passed)} of {len(outcomes)} cases pass, of {len(ours)}")
        self.assertEqual({name: outcomes[name] for name in set(outcomes) - passed - failing}, {}, "pass in our own runner")
        self.assertEqual(passed & failing, set(), "fail in our own runner")

    def test_nodes(self):
        node = onnx.helper.make_node("Gemm", ["a", "b"], ["y"], transB=1)
        a, b = numpy.arange(6, dtype="float32").reshape(2, 3), numpy.ones((4, 3), "float32")
        for told in (None, [("float32", (2, 4))]):
            answer, = onnx_backend.run_node(node, [a, b], outputs_info=told)
            numpy.testing.assert_array_equal(answer, a @ b.T)
        reshape = onnx.helper.make_node("Reshape", ["x", "shape"], ["y"])
        answer, = onnx_backend.run_node(reshape, {"x": a, "shape": numpy.array([3, -1])}, opset_version=13)
        numpy.testing.assert_array_equal(answer, a.reshape(3, 2))
        self.assert_says(ValueError, "the node has 2 inputs, but 1 are given", onnx_backend.run_node, reshape, [a])

    def test_a_model_is_compiled_for_each_shape(self):
        graph = packaged.Graph("open")
        graph.node("Neg", [graph.input("x", ["rows", 3])], output="y")
        graph.output("y", ["rows", 3])
        graph.save(self.path("open.onnx"))
        ready = onnx_backend.prepare(onnx.load(self.path("open.onnx")), jobs=1)
        for rows in (1, 4, 1):
            x = numpy.full((rows, 3), rows, "float32")
            numpy.testing.assert_array_equal(ready.run([x]).y, -x)
            numpy.testing.assert_array_equal(ready.run({"x": x})["y"], -x)
        self.assertEqual(len(ready._compiled), 2)  # pylint: disable=protected-access

    def test_what_it_refuses(self):
        with self.assertRaises(nacre.CompileError):
            onnx_backend.prepare(onnx.load(self.model("unsupported")))
        model = onnx.load(self.model("sums"))
        self.assert_says(ValueError, "device must be CPU, but is CUDA:1; for a GPU use place='gpu'", onnx_backend.prepare, model, "CUDA:1")
        self.assertTrue(onnx_backend.supports_device("CPU"))
        self.assertFalse(onnx_backend.supports_device("CUDA"))
        a, b = numpy.zeros((2, 3), "float32"), numpy.zeros(3, "float32")
        self.assert_says(ValueError, "the model has 2 inputs, but 3 are given", onnx_backend.run_model, model, [a, b, b])
        self.assert_says(TypeError, "input 'a' must be a tensor, but is a sequence; compiled models accept and return only tensors",
                         onnx_backend.run_model, model, [[a], b])
        self.assertEqual(len(onnx_backend.run_model(model, [a, b])), 2)


if __name__ == "__main__":
    unittest.main()
