# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MobileNet v2 (Sandler et al. 2018) with batch normalizations, as PyTorch exports it; weights are random."""
from nacre import Graph

# Of each group of blocks: how much wider they are inside, channels, how many, stride of the first.
GROUPS = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
LAST = 1280


class MobileNet:
    def __init__(self, batch, image=224, width=1.0, classes=1000):
        self.graph, self.width = Graph("mobilenet", seed=23), width
        x = self.graph.input("x", [batch, 3, image, image])
        x = self.convolution(x, "features.0", 3, self.channels(32), 3, stride=2)
        inputs, number = self.channels(32), 1
        for factor, channels, count, stride in GROUPS:
            for at in range(count):
                x = self.block(x, f"features.{number}", inputs, factor, self.channels(channels), 1 if at else stride)
                inputs, number = self.channels(channels), number + 1
        x = self.convolution(x, f"features.{number}", inputs, LAST, 1)
        x = self.graph.node("Flatten", [self.graph.node("GlobalAveragePool", [x])])
        dense = [self.graph.kernel("classifier.weight", [classes, LAST]), self.graph.weight("classifier.bias", [classes], -0.1, 0.1)]
        self.graph.output(self.graph.node("Gemm", [x, *dense], transB=1, name="classifier", output="logits"), [batch, classes])

    def channels(self, count):
        """Multiples of 8."""
        return max(8, int(count * self.width + 4) // 8 * 8)

    def convolution(self, x, name, inputs, out, kernel, stride=1, groups=1, rectified=True):
        graph = self.graph
        weight = graph.kernel(name + ".conv.weight", [out, inputs // groups, kernel, kernel])
        x = graph.node("Conv", [x, weight], name=name + ".conv", kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4,
                       group=groups)
        norms = [graph.weight(f"{name}.bn.{what}", [out], *bounds)
                 for what, bounds in (("weight", (0.8, 1.2)), ("bias", (-0.1, 0.1)), ("running_mean", (-0.1, 0.1)), ("running_var", (0.8, 1.2)))]
        x = graph.node("BatchNormalization", [x, *norms], name=name + ".bn")
        if not rectified:
            return x
        bounds = [graph.constant(f"{name}.{what}", [], [value]) for what, value in (("low", 0.0), ("high", 6.0))]
        return graph.node("Clip", [x, *bounds], name=name + ".relu6")

    def block(self, x, name, inputs, factor, out, stride):
        inner = inputs * factor
        y = self.convolution(x, name + ".wide", inputs, inner, 1) if factor > 1 else x
        y = self.convolution(y, name + ".deep", inner, inner, 3, stride, groups=inner)
        y = self.convolution(y, name + ".narrow", inner, out, 1, rectified=False)
        return self.graph.node("Add", [x, y], name=name + ".add") if stride == 1 and inputs == out else y

    def save(self, path):
        self.graph.save(path)
