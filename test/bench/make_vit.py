#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ViT-tiny for the bench: 12 layers of attention, of 3 heads and 192 channels, over 196 patches and a class token.

What: vit_tiny.onnx, its seeded input and ONNX Runtime's answer, in the folder of the bench models.
Why:  transformers for images have short sequences and few heads: each launch is small.
How:  as exporters write it, with a product each for queries, keys and values (Dosovitskiy et al. 2021); random weights from one seed.
"""
import math

import made_model
from made_model import Graph

IMAGE, PATCH, LAYERS, HEADS, CHANNELS, CLASSES = 224, 16, 12, 3, 192, 1000
PATCHES = (IMAGE // PATCH) ** 2
TOKENS = PATCHES + 1


class Vit:
    def __init__(self):
        self.graph = Graph("vit_tiny", seed=11, opset=17)
        self.count = 0

    def normal(self, dims, deviation):
        self.count += 1
        return self.graph.constant(f"w{self.count}", dims,
                                   (self.graph.random.gauss(0, deviation) for _ in range(math.prod(dims))))

    def dense(self, x, inputs, outputs):
        product = self.graph.node("MatMul", [x, self.normal([inputs, outputs], inputs**-0.5)])
        return self.graph.node("Add", [product, self.normal([outputs], 0.02)])

    def norm(self, x):
        self.count += 1
        scale = self.graph.constant(f"s{self.count}", [CHANNELS], (self.graph.random.uniform(0.8, 1.2) for _ in range(CHANNELS)))
        return self.graph.node("LayerNormalization", [x, scale, self.normal([CHANNELS], 0.02)], axis=-1, epsilon=1e-6)

    def heads(self, x, order):
        split = self.graph.node("Reshape", [self.dense(x, CHANNELS, CHANNELS), "heads"])
        return self.graph.node("Transpose", [split], perm=order)

    def attention(self, x):
        graph = self.graph
        queries, values = self.heads(x, [0, 2, 1, 3]), self.heads(x, [0, 2, 1, 3])
        scores = graph.node("MatMul", [queries, self.heads(x, [0, 2, 3, 1])])
        weights = graph.node("Softmax", [graph.node("Div", [scores, "root"])], axis=-1)
        joined = graph.node("Transpose", [graph.node("MatMul", [weights, values])], perm=[0, 2, 1, 3])
        return self.dense(graph.node("Reshape", [joined, "tokens"]), CHANNELS, CHANNELS)

    def gelu(self, x):
        graph = self.graph
        erf = graph.node("Erf", [graph.node("Div", [x, "root2"])])
        return graph.node("Mul", [graph.node("Mul", [x, graph.node("Add", [erf, "one"])]), "half"])

    def build(self):
        graph = self.graph
        for name, value in (("root", (CHANNELS / HEADS) ** 0.5), ("root2", 2**0.5), ("one", 1.0), ("half", 0.5)):
            graph.constant(name, [], [value])
        graph.integers("patches", [1, CHANNELS, PATCHES])
        graph.integers("heads", [1, TOKENS, HEADS, CHANNELS // HEADS])
        graph.integers("tokens", [1, TOKENS, CHANNELS])
        graph.integers("zero", [0])
        image = graph.input("image", [1, 3, IMAGE, IMAGE])
        filters = [self.normal([CHANNELS, 3, PATCH, PATCH], (3 * PATCH * PATCH) ** -0.5), self.normal([CHANNELS], 0.02)]
        x = graph.node("Conv", [image] + filters, kernel_shape=[PATCH] * 2, strides=[PATCH] * 2)
        x = graph.node("Transpose", [graph.node("Reshape", [x, "patches"])], perm=[0, 2, 1])
        x = graph.node("Concat", [self.normal([1, 1, CHANNELS], 0.02), x], axis=1)
        x = graph.node("Add", [x, self.normal([1, TOKENS, CHANNELS], 0.02)])
        for _ in range(LAYERS):
            x = graph.node("Add", [x, self.attention(self.norm(x))])
            wide = self.gelu(self.dense(self.norm(x), CHANNELS, 4 * CHANNELS))
            x = graph.node("Add", [x, self.dense(wide, 4 * CHANNELS, CHANNELS)])
        x = graph.node("Squeeze", [graph.node("Gather", [self.norm(x), "zero"], axis=1), graph.integers("one_axis", [1])])
        product = graph.node("MatMul", [x, self.normal([CHANNELS, CLASSES], CHANNELS**-0.5)])
        graph.node("Add", [product, self.normal([CLASSES], 0.02)], output="logits")
        graph.output("logits", [1, CLASSES])
        return graph


if __name__ == "__main__":
    made_model.main(__doc__, Vit().build, "vit_tiny", [1, 3, IMAGE, IMAGE])
