# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LeNet for images of 8x8, as PyTorch exports it: an open batch, and the network's own names."""
from nacre import Graph


def lenet():
    net = Graph("lenet", seed=3)
    x = net.input("x", ["batch", 1, 8, 8])
    for layer, (channels, out) in enumerate(((1, 16), (16, 32)), 1):
        weights = [net.kernel(f"conv{layer}.weight", [out, channels, 3, 3]), net.weight(f"conv{layer}.bias", [out], -0.1, 0.1)]
        x = net.node("Relu", [net.node("Conv", [x, *weights], kernel_shape=[3, 3], pads=[1] * 4)])
        x = net.node("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
    x = net.node("Flatten", [x])
    for layer, (size, out) in enumerate(((128, 64), (64, 10)), 1):
        weights = [net.kernel(f"fc{layer}.weight", [out, size]), net.weight(f"fc{layer}.bias", [out], -0.1, 0.1)]
        x = net.node("Gemm", [x, *weights], transB=1, output="logits" if layer == 2 else None)
        x = net.node("Relu", [x]) if layer == 1 else x
    net.output(x, ["batch", 10])
    return net
