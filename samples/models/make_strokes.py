#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the network that samples/personalize.c trains, with seeded weights, and examples as a user might draw them.

usage: make_strokes.py FOLDER     writes strokes.onnx and strokes.txt; the same bytes everywhere

An image has 8x8 pixels. A line of strokes.txt is a class (0: a stroke across, 1: one down, 2: one from corner to corner) and the
pixels, row by row, a digit each.
"""
import os
import random
import sys

from onnx_writer import Graph

SIZE, CLASSES, EXAMPLES = 8, 3, 60


def make_strokes():
    net = Graph("strokes", seed=11)
    x = net.input("image", [1, 1, SIZE, SIZE])
    for layer, (channels, out) in enumerate(((1, 8), (8, 16)), 1):
        weights = [net.kernel(f"conv{layer}.weight", [out, channels, 3, 3]), net.weight(f"conv{layer}.bias", [out], -0.1, 0.1)]
        x = net.node("Relu", [net.node("Conv", [x, *weights], name=f"conv{layer}", kernel_shape=[3, 3], pads=[1] * 4)])
        x = net.node("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
    x = net.node("Flatten", [x])
    weights = [net.kernel("fc1.weight", [32, 64]), net.weight("fc1.bias", [32], -0.1, 0.1)]
    x = net.node("Relu", [net.node("Gemm", [x, *weights], name="fc1", transB=1)])
    weights = [net.kernel("fc2.weight", [CLASSES, 32]), net.weight("fc2.bias", [CLASSES], -0.1, 0.1)]
    net.output(net.node("Gemm", [x, *weights], name="fc2", output="logits", transB=1), [1, CLASSES])
    return net


def draw(stroke, hand):
    """A class and the digits of its pixels: faint paper, and a strong stroke that may be shifted."""
    shift = hand.randrange(-2, 3)
    places = {0: [(SIZE // 2 + shift, i) for i in range(SIZE)], 1: [(i, SIZE // 2 + shift) for i in range(SIZE)],
              2: [(i, i + shift) for i in range(SIZE)]}[stroke]
    pixels = [[hand.randrange(3) for _ in range(SIZE)] for _ in range(SIZE)]
    for row, column in places:
        if 0 <= row < SIZE and 0 <= column < SIZE:
            pixels[row][column] = hand.randrange(6, 10)
    return f"{stroke} " + "".join(str(pixel) for row in pixels for pixel in row)


def write_examples(path):
    hand = random.Random(4)
    with open(path, "w", encoding="ascii") as file:
        for _ in range(EXAMPLES):
            print(draw(hand.randrange(CLASSES), hand), file=file)


def main():
    folder = sys.argv[1]
    make_strokes().save(os.path.join(folder, "strokes.onnx"))
    write_examples(os.path.join(folder, "strokes.txt"))


if __name__ == "__main__":
    main()
