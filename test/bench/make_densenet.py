#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DenseNet-121 for the bench: 58 layers of a 1x1 and a 3x3 convolution, each on all that the ones before it have made.

What: densenet121.onnx, its seeded input and ONNX Runtime's answer, in the folder of the bench models.
Why:  a batch norm before each convolution and a concatenation behind it leave nothing to fold, and many small launches.
How:  Huang et al. 2017; weights are random with the variance that keeps activations near one, from one seed.
"""
import math

import made_model
from made_model import Graph

IMAGE, GROWTH, BLOCKS, CLASSES = 224, 32, (6, 12, 24, 16), 1000


class DenseNet:
    def __init__(self):
        self.graph = Graph("densenet121", seed=13)
        self.count = 0

    def normal(self, dims, fan_in):
        self.count += 1
        deviation = (2.0 / fan_in) ** 0.5
        return self.graph.constant(f"w{self.count}", dims, (self.graph.random.gauss(0, deviation) for _ in range(math.prod(dims))))

    def per_channel(self, channels, low, high):
        self.count += 1
        return self.graph.constant(f"c{self.count}", [channels], (self.graph.random.uniform(low, high) for _ in range(channels)))

    def rectified(self, x, channels):
        norms = [self.per_channel(channels, *bounds) for bounds in ((0.8, 1.2), (-0.1, 0.1), (-0.1, 0.1), (0.8, 1.2))]
        return self.graph.node("Relu", [self.graph.node("BatchNormalization", [x] + norms)])

    def convolution(self, x, channels, out, kernel, stride=1):
        weight = self.normal([out, channels, kernel, kernel], channels * kernel * kernel)
        return self.graph.node("Conv", [x, weight], kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4)

    def build(self):
        graph = self.graph
        x = self.convolution(graph.input("image", [1, 3, IMAGE, IMAGE]), 3, 2 * GROWTH, 7, 2)
        x = graph.node("MaxPool", [self.rectified(x, 2 * GROWTH)], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
        channels = 2 * GROWTH
        for number, layers in enumerate(BLOCKS):
            if number:
                x = self.convolution(self.rectified(x, channels), channels, channels // 2, 1)
                x = graph.node("AveragePool", [x], kernel_shape=[2, 2], strides=[2, 2])
                channels //= 2
            for _ in range(layers):
                narrow = self.convolution(self.rectified(x, channels), channels, 4 * GROWTH, 1)
                new = self.convolution(self.rectified(narrow, 4 * GROWTH), 4 * GROWTH, GROWTH, 3)
                x = graph.node("Concat", [x, new], axis=1)
                channels += GROWTH
        mean = graph.node("Flatten", [graph.node("GlobalAveragePool", [self.rectified(x, channels)])])
        graph.node("Gemm", [mean, self.normal([channels, CLASSES], channels), self.per_channel(CLASSES, -0.1, 0.1)], output="logits")
        graph.output("logits", [1, CLASSES])
        return graph


if __name__ == "__main__":
    made_model.main(__doc__, DenseNet().build, "densenet121", [1, 3, IMAGE, IMAGE])
