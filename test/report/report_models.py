# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of reports share: the models whose reports are looked at, and the programs' calls."""
import json
import os
import sys

E2E = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e")
sys.path[:0] = E2E, os.path.join(E2E, "driver")
import advice_models  # noqa: E402
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


def vgg_model():
    """A small VGG: stacks of 3x3 convolutions with poolings in between, which arithmetic limits."""
    graph = Graph("vgg", seed=6)
    x, channels = graph.input("x", [1, 3, 64, 64]), 3
    for block, wider in enumerate((64, 128)):
        for place in range(2):
            name = f"conv{block + 1}_{place + 1}"
            x = graph.node("Relu", [graph.node("Conv", [x, graph.kernel(name + "_weight", [wider, channels, 3, 3])], name=name, pads=[1] * 4)], name=name + "_relu")
            channels = wider
        x = graph.node("MaxPool", [x], name=f"pool{block + 1}", kernel_shape=[2, 2], strides=[2, 2])
    x = graph.node("Flatten", [graph.node("GlobalAveragePool", [x], name="mean")], name="flat")
    graph.node("MatMul", [x, graph.weight("last_weight", [channels, 10], -0.1, 0.1)], name="last", output="y")
    graph.output("y", [1, 10])
    return graph


def mlp_model():
    """Two large layers for a single row: each weight is read for one product."""
    graph = Graph("mlp", seed=7)
    x = graph.node("Relu", [graph.node("MatMul", [graph.input("x", [1, 1024]), graph.weight("w1", [1024, 2048], -0.1, 0.1)], name="dense_1")], name="relu_1")
    graph.node("MatMul", [x, graph.weight("w2", [2048, 1024], -0.1, 0.1)], name="dense_2", output="y")
    graph.output("y", [1, 1024])
    return graph


def trained_model():
    """Two convolutions and a product, whose gradients have a place beside them."""
    graph = Graph("trained", seed=8)
    x, channels = graph.input("x", [4, 3, 16, 16]), 3
    for place in (1, 2):
        x = graph.node("Relu", [graph.node("Conv", [x, graph.kernel(f"w{place}", [8, channels, 3, 3])], name=f"conv_{place}", pads=[1] * 4)], name=f"relu_{place}")
        channels = 8
    x = graph.node("Flatten", [x], name="flat")
    graph.node("MatMul", [x, graph.weight("w", [8 * 16 * 16, 3], -0.1, 0.1)], name="last", output="y")
    graph.output("y", [4, 3])
    return graph


nacre.MODELS.update(large=large_model, evil=evil_model, fallback=fallback_model, vgg=vgg_model, mlp=mlp_model, training=trained_model,
                    exponentials=lambda: advice_models.exponentials(1), turned=lambda: advice_models.turned(True), padded=lambda: advice_models.convolutions(67))


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
