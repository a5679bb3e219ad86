#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the sample network: a residual image classifier with seeded weights, and one seeded image.

usage: make_convnet.py FOLDER     writes convnet.onnx and convnet.input.npy; the same bytes everywhere

Its answer for this image, from ONNX Runtime, is convnet.expected.npy next to this file. The network has typical parts of image
networks: a strided stem, residual blocks of 3x3 convolutions, a depthwise-separable block, batch normalization, ReLU and
ReLU6, a skip that changes shape, global pooling, a dense layer and softmax.
"""
import os
import random
import sys

from onnx_writer import Graph, write_npy

IMAGE = (1, 3, 96, 96)
CLASSES = 10


class ConvNet(Graph):
    def convolution(self, x, channels, out, size, stride=1, groups=1):
        """Convolution and batch normalization."""
        index = len(self.nodes)
        weight = self.kernel(f"w{index}", [out, channels // groups, size, size])
        pad = size // 2
        x = self.node("Conv", [x, weight], kernel_shape=[size, size], strides=[stride, stride], pads=[pad] * 4, group=groups)
        statistics = [self.weight(f"{name}{index}", [out], *bounds) for name, bounds in
                      (("scale", (0.8, 1.2)), ("shift", (-0.1, 0.1)), ("mean", (-0.1, 0.1)), ("variance", (0.8, 1.2)))]
        return self.node("BatchNormalization", [x, *statistics])

    def relu(self, x):
        return self.node("Relu", [x])

    def residual(self, x, channels, out, stride):
        inner = self.relu(self.convolution(x, channels, out, 3, stride))
        inner = self.convolution(inner, out, out, 3)
        skip = x if stride == 1 and channels == out else self.convolution(x, channels, out, 1, stride)
        return self.relu(self.node("Add", [inner, skip]))

    def separable(self, x, channels, out):
        x = self.convolution(x, channels, channels, 3, groups=channels)
        x = self.node("Clip", [x, self.zero, self.six])
        return self.relu(self.convolution(x, channels, out, 1))


def make_convnet():
    net = ConvNet("convnet", seed=7)
    net.zero, net.six = net.weight("zero", [], 0, 0), net.weight("six", [], 6, 6)
    x = net.input("image", IMAGE)
    x = net.relu(net.convolution(x, 3, 32, 3, stride=2))
    x = net.residual(x, 32, 32, 1)
    x = net.residual(x, 32, 64, 2)
    x = net.residual(x, 64, 64, 1)
    x = net.separable(x, 64, 128)
    x = net.residual(x, 128, 128, 2)
    x = net.node("Flatten", [net.node("GlobalAveragePool", [x])])
    x = net.node("Gemm", [x, net.kernel("dense", [CLASSES, 128]), net.weight("bias", [CLASSES], -0.1, 0.1)], transB=1)
    net.output(net.node("Softmax", [x], output="probabilities", axis=1), [1, CLASSES])
    return net


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    make_convnet().save(os.path.join(folder, "convnet.onnx"))
    pixels = random.Random(11)
    count = IMAGE[1] * IMAGE[2] * IMAGE[3]
    write_npy(os.path.join(folder, "convnet.input.npy"), IMAGE, (pixels.uniform(-1, 1) for _ in range(count)))


if __name__ == "__main__":
    main()
