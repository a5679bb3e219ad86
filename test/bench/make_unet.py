#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small U-Net for the bench: four levels of two 3x3 convolutions, and a decoder of ConvTranspose and Concat.

What: unet.onnx, its seeded input and ONNX Runtime's answer, in the folder of the bench models.
Why:  networks that draw (segmentation, denoising, depth) spend their decoder in transposed convolutions, of 2x2 and 4x4 in
      steps of two, and join them with what the encoder kept.
How:  weights are random with the variance that keeps activations near one (He et al. 2015), from one seed.
"""
import math

import made_model
from made_model import Graph

SIZE, WIDTHS = 256, (16, 32, 64, 128, 256)


class UNet:
    def __init__(self):
        self.graph = Graph("unet", seed=7)

    def normal(self, name, dims, fan_in):
        deviation = (2.0 / fan_in) ** 0.5
        return self.graph.constant(name, dims, (self.graph.random.gauss(0, deviation) for _ in range(math.prod(dims))))

    def bias(self, name, channels):
        return self.graph.constant(name, [channels], (self.graph.random.uniform(-0.1, 0.1) for _ in range(channels)))

    def convolution(self, x, name, channels, out, kernel=3, rectified=True):
        weights = [self.normal(name + "_w", [out, channels, kernel, kernel], channels * kernel * kernel),
                   self.bias(name + "_b", out)]
        y = self.graph.node("Conv", [x] + weights, kernel_shape=[kernel] * 2, pads=[kernel // 2] * 4)
        return self.graph.node("Relu", [y]) if rectified else y

    def block(self, x, name, channels, out):
        return self.convolution(self.convolution(x, name + "a", channels, out), name + "b", out, out)

    def up(self, x, name, channels, out, kernel):
        # Each element of the result sums the taps of one phase: a quarter of them.
        weights = [self.normal(name + "_w", [channels, out, kernel, kernel], channels * kernel * kernel / 4),
                   self.bias(name + "_b", out)]
        y = self.graph.node("ConvTranspose", [x] + weights, kernel_shape=[kernel] * 2, strides=[2, 2],
                            pads=[kernel // 2 - 1] * 4)
        return self.graph.node("Relu", [y])

    def build(self):
        graph = self.graph
        x, kept = graph.input("image", [1, 3, SIZE, SIZE]), []
        channels = 3
        for level, width in enumerate(WIDTHS):
            if level:
                x = graph.node("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
            x = self.block(x, f"down{level}", channels, width)
            kept.append(x)
            channels = width
        for level in reversed(range(len(WIDTHS) - 1)):
            width = WIDTHS[level]
            x = self.up(x, f"up{level}", channels, width, kernel=4 if level % 2 else 2)
            x = self.block(graph.node("Concat", [x, kept[level]], axis=1), f"join{level}", 2 * width, width)
            channels = width
        y = self.convolution(x, "classes", channels, 4, kernel=1, rectified=False)
        graph.node("Softmax", [y], output="probabilities", axis=1)
        graph.output("probabilities", [1, 4, SIZE, SIZE])
        return graph


if __name__ == "__main__":
    made_model.main(__doc__, UNet().build, "unet", [1, 3, SIZE, SIZE])
