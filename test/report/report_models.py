# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of reports share: the models whose reports are looked at, and the programs' calls."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))
import nacre  # noqa: E402
from onnx_writer import Graph, INT64  # noqa: E402

COMPILE, RUN, REPORT = (os.path.join(nacre.BIN, name) for name in ("nacre-compile", "nacre-run", "nacre-report"))
DEVICE = "snapdragon-778g"
LARGE_LAUNCHES = 4000
EVIL = "</script><script>document.title='taken'</script><!-- & \"quoted\""


def large_model():
    """Launches by the thousand, of twice as many nodes, in blocks with a way around: products, and what stands between them."""
    graph = Graph("large", seed=4)
    x = graph.input("x", [4, 8])
    weights = [graph.weight(name, [8, 8], -0.3, 0.3) for name in ("first", "second")]
    for _ in range(LARGE_LAUNCHES // 2):
        y = graph.node("Softmax", [graph.node("MatMul", [x, weights[0]])])
        y = graph.node("Add", [graph.node("MatMul", [y, weights[1]]), x])
        x = graph.node("Softmax", [y])
    graph.node("Relu", [x], output="y")
    graph.output("y", [4, 8])
    return graph


def fallback_model():
    """A search along an axis, for which the CPU has no emitter."""
    graph = Graph("fallback")
    graph.node("ArgMax", [graph.input("x", [8, 64])], output="y", axis=1, keepdims=0)
    graph.output("y", [8], INT64)
    return graph


def evil_model():
    """A node, an input and an output whose names would be markup, were they written as they are."""
    graph = Graph("evil")
    graph.node("Softmax", [graph.node("Relu", [graph.input("<img src=x>", [1, 64])], name=EVIL)], output="<b>y</b>")
    graph.output("<b>y</b>", [1, 64])
    return graph


nacre.MODELS.update(large=large_model, evil=evil_model, fallback=fallback_model)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class ReportTest(nacre.NacreTest):
    def report_of(self, model, *options):
        """The library and the path of its report."""
        path = self.path(model + ".json")
        return self.compile(model, f"--report={path}", *options), path

    def profile_of(self, library, *options):
        path = self.path("profile.json")
        said = self.run_model(library, f"--profile={path}", "--runs=3", *options)
        return said, path

    def page_of(self, report, *profiles):
        path = self.path("page.html")
        self.call(REPORT, report, *(f"--profile={profile}" for profile in profiles), "-o", path)
        return path
