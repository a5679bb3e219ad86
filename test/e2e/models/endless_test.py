#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model whose loop never ends, compiled for each engine: --max-iterations ends it, and names its node.

The loop is ONNX's Loop without a trip count; its condition is an input.
"""
import array
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from loops_test import CODES, body
from onnx_writer import BOOL, Graph, _tensor


def endless_model():
    """Adds to x as long as `go`; and a state, which a run that does not end must not change."""
    iteration = body("iteration", ["a"])
    iteration.node("Add", ["a", iteration.weight("one", [4], 1, 1)], output="a_next")
    iteration.output("a_next", [4])
    graph = Graph("endless")
    graph.input("go", [], BOOL)
    graph.input("x", [4])
    graph.input("before", [4])
    graph.node("Add", ["before", "x"], output="after")
    graph.node("Loop", ["", "go", "x"], "y", body=iteration)
    graph.output("y", [4])
    graph.output("after", [4])
    return graph


class EndlessTest(nacre.NacreTest):
    def go(self, wanted):
        path = self.path(f"go{wanted}.pb")
        with open(path, "wb") as file:
            file.write(_tensor("go", BOOL, [], array.array(CODES[BOOL], [wanted]).tobytes()))
        return f"--input=go={path}"

    def setUp(self):
        super().setUp()
        endless_model().save(self.path("endless.onnx"))

    def check(self, *options, run=()):
        library = self.compile("endless", "--quiet", "--state=before:after", *options)
        said = self.run_model(library, self.go(1), "--max-iterations=5000", *run, status=3)
        self.assertRegex(said, r"the run exceeded max_iterations \(5000\) in the loop of '.*loop_\d.*'")
        self.run_model(library, self.go(0), "--max-iterations=1", *run)

    def test_cpu(self):
        self.check()

    def test_gpu(self):
        self.check("--place=gpu", run=("--gpu",))

    def test_both(self):
        self.check("--place=split:50", run=("--gpu",))

    def test_nacre_eval(self):
        evaluate = [os.path.join(nacre.BIN, "nacre-eval"), self.path("endless.onnx"), "--state=before:after"]
        said = self.call(*evaluate, self.go(1), "--max-iterations=50", status=3)
        self.assertRegex(said, r'endless.onnx:"loop_\d+": error: continues after 50 iterations, the limit for all loops together; '
                               r"raise --max-iterations, or correct the inputs")
        self.call(*evaluate, self.go(0), "--max-iterations=50")


if __name__ == "__main__":
    unittest.main()
