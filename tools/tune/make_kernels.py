#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the models by which nacre-tune measures a GPU.

usage: make_kernels.py FOLDER     writes tune_rates.onnx and tune_latency.onnx; the same bytes everywhere

tune_rates has one node of each form of work; each waits for the one before, so that a GPU cannot overlap them and their times can
be told apart. GpuFigures.cpp knows their names and what they compute. tune_latency is next to nothing: what a run of it takes is a
submission and a wait.
"""
import math
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "samples", "models"))
from onnx_writer import Graph  # noqa: E402

SIZE = 768
CHANNELS, SIDE = 64, 96  # as many elements as SIZE x SIZE
VECTOR = 1024
TINY, TINY_COUNT = 16, 16
LARGE_ROWS, SMALL_ROWS = 1 << 18, 1 << 14


PERIOD = 61  # a prime: no row of a matrix is like the one above


class Kernels(Graph):
    def weight(self, name, dims, low, high):
        """A few random values again and again: speed does not depend on them, and packages for three machines stay small."""
        values = [self.random.uniform(low, high) for _ in range(PERIOD)]
        return self.constant(name, dims, (values[index % PERIOD] for index in range(math.prod(dims))))

    def shaped(self, x, dims):
        return self.node("Reshape", [x, self.integers(f"shape{len(self.nodes)}", dims)])

    def tiny(self, x, count):
        for index in range(count):
            x = self.node("Softmax", [x], name=f"tiny_{index}", axis=1)
        return x


def make_rates():
    net = Kernels("tune_rates", seed=3)
    x = net.input("x", [SIZE, SIZE])
    x = net.node("MatMul", [x, net.kernel("product_weight", [SIZE, SIZE])], name="product")
    x = net.node("Softmax", [x], name="row", axis=1)
    x = net.node("Transpose", [x], name="movement", perm=[1, 0])
    x = net.shaped(x, [1, CHANNELS, SIDE, SIDE])
    x = net.node("MaxPool", [x], name="pointwise", kernel_shape=[3, 3], pads=[1] * 4)
    weight = net.kernel("depthwise_weight", [CHANNELS, 1, 3, 3])
    x = net.node("Conv", [x, weight], name="depthwise", kernel_shape=[3, 3], pads=[1] * 4, group=CHANNELS)
    x = net.node("Flatten", [net.node("GlobalAveragePool", [x], name="mean")])
    x = net.node("MatMul", [x, net.kernel("widen_weight", [CHANNELS, VECTOR])], name="widen")
    x = net.node("MatMul", [x, net.kernel("streamed_weight", [VECTOR, VECTOR])], name="streamed")
    x = net.node("MatMul", [x, net.kernel("narrow_weight", [VECTOR, TINY])], name="narrow")
    x = net.tiny(x, TINY_COUNT)
    for name, rows in (("small", SMALL_ROWS), ("large", LARGE_ROWS)):
        net.node("Add", [net.input(f"{name}_input", [rows, TINY]), x], output=name, name=name)
        net.output(name, [rows, TINY])
    return net


def make_latency():
    net = Kernels("tune_latency")
    net.output(net.tiny(net.input("x", [1, TINY]), 1), [1, TINY])
    return net


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for net in (make_rates(), make_latency()):
        net.save(os.path.join(folder, net.name + ".onnx"))


if __name__ == "__main__":
    main()
