#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images read at positions that a network computes, against the formulas.

Why:  the cases of ONNX have one channel, a few pixels and tame positions; kernels read pixels of many channels in vectors, and
      positions may be anything that a float is.
How:  GridSample in all of its modes, over positions inside, at the edges, between and beyond, far beyond, infinite and NaN;
      the formulas are those of PyTorch's documentation. What is no number may give anything, but must not crash.
"""
import itertools
import math
import os
import random
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import Graph, write_npy

HEIGHT, WIDTH, CHANNELS = 4, 5, 6
NEAREST, LINEAR, CUBIC = "nearest", "bilinear", "bicubic"


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def to_pixels(x, size, align_corners):
    return (x + 1) / 2 * (size - 1) if align_corners else ((x + 1) * size - 1) / 2


def padded(index, size, padding, align_corners):
    """The index that stands for `index`, or None."""
    if padding == "zeros":
        return index if 0 <= index < size else None
    if padding == "border":
        return min(max(index, 0), size - 1)
    period = 2 * (size - 1) if align_corners else 2 * size
    if period == 0:
        return 0
    index %= period
    return min(index, period - index if align_corners else period - 1 - index)


def taps(x, mode):
    """Indices and weights."""
    if mode == NEAREST:
        return [(round(x), 1.0)]  # halves to even
    low = math.floor(x)
    t = x - low
    if mode == LINEAR:
        return [(low, 1 - t), (low + 1, t)]
    a = -0.75

    def near(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d):
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return [(low - 1, far(1 + t)), (low, near(t)), (low + 1, near(1 - t)), (low + 2, far(2 - t))]


def sample(image, x, y, mode, padding, align_corners):
    """The pixel of `image`, by channels of rows, at normalized coordinates."""
    rows, columns = taps(to_pixels(y, HEIGHT, align_corners), mode), taps(to_pixels(x, WIDTH, align_corners), mode)
    result = [0.0] * len(image)
    for (row, v), (column, u) in itertools.product(rows, columns):
        i, j = padded(row, HEIGHT, padding, align_corners), padded(column, WIDTH, padding, align_corners)
        if i is not None and j is not None:
            for c, plane in enumerate(image):
                result[c] += v * u * plane[i][j]
    return result


class SamplingTest(nacre.NacreTest):
    def grid(self):
        generator = random.Random(1)
        tame = [(generator.uniform(-1.6, 1.6), generator.uniform(-1.6, 1.6)) for _ in range(40)]
        # The middles of elements, their edges, and between; far beyond, where floats are whole numbers.
        tame += [(-1.0, 1.0), (0.0, 0.0), (-0.8, 0.75), (1.0, -1.0), (3.3, -4.7), (-17.1, 12.2)]
        wild = [(math.nan, 0.0), (0.0, math.inf), (-math.inf, math.nan), (1e30, -1e30), (3e9, -3e9), (1e-40, 0.0)]
        points = [(single(x), single(y)) for x, y in tame + wild]
        return points, len(tame)

    def check_mode(self, mode, padding, align_corners, *options):
        points, tame = self.grid()
        generator = random.Random(2)
        image = [[[single(generator.uniform(-1, 1)) for _ in range(WIDTH)] for _ in range(HEIGHT)] for _ in range(CHANNELS)]
        graph = Graph(f"{mode}_{padding}_{align_corners}", opset=16)
        x = graph.input("x", [1, CHANNELS, HEIGHT, WIDTH])
        grid = graph.input("grid", [1, 1, len(points), 2])
        graph.node("GridSample", [x, grid], output="y", mode=mode, padding_mode=padding, align_corners=align_corners)
        graph.output("y", [1, CHANNELS, 1, len(points)])
        model, library, folder = self.path(graph.name + ".onnx"), self.path(f"lib{graph.name}.so"), self.path(graph.name)
        graph.save(model)
        write_npy(self.path("x.npy"), [1, CHANNELS, HEIGHT, WIDTH], [v for plane in image for row in plane for v in row])
        write_npy(self.path("grid.npy"), [1, 1, len(points), 2], [v for point in points for v in point])
        os.mkdir(folder)
        self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", library, "--quiet", *options)
        self.run_model(library, f"--input=x={self.path('x.npy')}", f"--input=grid={self.path('grid.npy')}", f"--output={folder}")
        with open(os.path.join(folder, "y.npy"), "rb") as file:
            data = file.read()
        values = struct.unpack(f"<{CHANNELS * len(points)}f", data[10 + struct.unpack("<H", data[8:10])[0]:])
        for number, (at_x, at_y) in enumerate(points[:tame]):
            for channel, expected in enumerate(sample(image, at_x, at_y, mode, padding, align_corners)):
                actual = values[channel * len(points) + number]
                self.assertAlmostEqual(actual, expected, delta=2e-4, msg=f"{graph.name} at {at_x}, {at_y}, channel {channel}")

    def test_modes(self):
        for mode, padding, align_corners in itertools.product((NEAREST, LINEAR, CUBIC), ("zeros", "border", "reflection"), (0, 1)):
            self.check_mode(mode, padding, align_corners)


if __name__ == "__main__":
    unittest.main()
