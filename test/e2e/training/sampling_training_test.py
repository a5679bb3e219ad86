#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients through GridSample, of the image and of the grid.

Why:  spatial transformers and optical flow learn where to look. Kernels add up the pixels of points
      that overlap, on every engine.
How:  sums of squares of samples, whose gradients are written out here by the weights of the neighbours and their slopes.
"""
import itertools
import math
import os
import random
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from onnx_writer import Graph, write_npy

CHANNELS, SIZES, POINTS = 2, (4, 5), 12


def taps(x, mode):
    """Offsets of neighbours, their weights and the slopes of these."""
    if mode == "nearest":
        return [(round(x), 1.0, 0.0)]
    low = math.floor(x)
    t = x - low
    if mode == "bilinear":
        return [(low, 1 - t, -1.0), (low + 1, t, 1.0)]
    a = -0.75

    def near(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1, 3 * (a + 2) * d * d - 2 * (a + 3) * d

    def far(d):
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a, 3 * a * d * d - 10 * a * d + 8 * a
    found = []
    for offset, function, distance, sign in ((-1, far, 1 + t, 1), (0, near, t, 1), (1, near, 1 - t, -1), (2, far, 2 - t, -1)):
        weight, slope = function(distance)
        found.append((low + offset, weight, sign * slope))
    return found


def padded(index, size, padding, align_corners):
    if padding == "zeros":
        return index if 0 <= index < size else None
    if padding == "border":
        return min(max(index, 0), size - 1)
    period = 2 * (size - 1) if align_corners else 2 * size
    index %= period
    return min(index, period - index if align_corners else period - 1 - index)


class Sampling:
    """GridSample of `image * scale` at `grid + moved`, compared with `label` by the mean of squares."""

    def __init__(self, mode, padding, align_corners):
        draw = random.Random(f"{mode} {padding} {align_corners}")
        self.options = dict(mode=mode, padding_mode=padding, align_corners=align_corners)
        self.image = [[[draw.uniform(-1, 1) for _ in range(SIZES[1])] for _ in range(SIZES[0])] for _ in range(CHANNELS)]
        self.scale = [draw.uniform(0.5, 1.5) for _ in range(CHANNELS)]
        self.grid = [[draw.uniform(-1.3, 1.3) for _ in range(2)] for _ in range(POINTS)]
        self.label = [[draw.uniform(-1, 1) for _ in range(POINTS)] for _ in range(CHANNELS)]

    def save(self, path):
        graph = Graph("sampling", opset=16)
        x = graph.input("x", [1, CHANNELS, *SIZES])
        scaled = graph.node("Mul", [x, graph.constant("scale", [CHANNELS, 1, 1], self.scale)])
        # The grid is a weight as well: half of it, and half of it again.
        half = [v / 2 for point in self.grid for v in point]
        grid = graph.node("Add", [graph.constant("moved", [1, 1, POINTS, 2], half), graph.constant("base", [1, 1, POINTS, 2], half)])
        graph.node("GridSample", [scaled, grid], output="y", **self.options)
        graph.output("y", [1, CHANNELS, 1, POINTS])
        graph.save(path)

    def gradients(self):
        mode, padding, align_corners = self.options.values()
        of_scale, of_grid, count = [0.0] * CHANNELS, [[0.0, 0.0] for _ in range(POINTS)], CHANNELS * POINTS
        for number, (x, y) in enumerate(self.grid):
            factors = [(size - 1) / 2 if align_corners else size / 2 for size in SIZES]
            at = [(v + 1) * f - (0 if align_corners else 0.5) for v, f in zip((y, x), factors)]
            neighbours = []
            for (i, v, dv), (j, u, du) in itertools.product(*(taps(place, mode) for place in at)):
                row, column = padded(i, SIZES[0], padding, align_corners), padded(j, SIZES[1], padding, align_corners)
                if row is not None and column is not None:
                    neighbours.append((row, column, v * u, dv * u, v * du))
            for c in range(CHANNELS):
                unscaled = [self.image[c][row][column] for row, column, *_ in neighbours]
                sampled = sum(p * n[2] for p, n in zip(unscaled, neighbours))
                d = 2 * (self.scale[c] * sampled - self.label[c][number]) / count
                of_scale[c] += d * sampled
                of_grid[number][1] += d * self.scale[c] * factors[0] * sum(p * n[3] for p, n in zip(unscaled, neighbours))
                of_grid[number][0] += d * self.scale[c] * factors[1] * sum(p * n[4] for p, n in zip(unscaled, neighbours))
        return of_scale, [v for point in of_grid for v in point]


class SamplingTrainingTest(nacre.NacreTest):
    parts = 3

    def compile_training(self, options):
        library = self.path("libnet.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("net.onnx"), "-o", library, "--train", *options)
        return library

    def check_mode(self, mode, padding, align_corners, places):
        case = Sampling(mode, padding, align_corners)
        case.save(self.path("net.onnx"))
        of_scale, of_grid = case.gradients()
        arguments = ["--entry=gradients", "--rtol=1e-4", "--atol=1e-5"]
        for name, dims, values in (("x", [1, CHANNELS, *SIZES], [v for plane in case.image for row in plane for v in row]),
                                   ("label", [1, CHANNELS, 1, POINTS], [v for row in case.label for v in row])):
            write_npy(self.path(f"{name}.npy"), dims, values)
            arguments.append(f"--input={name}={self.path(name)}.npy")
        trained = [("scale", [CHANNELS, 1, 1], of_scale)]
        if mode != "nearest":  # its grid has no gradient
            trained.append(("moved", [1, 1, POINTS, 2], of_grid))
        for name, dims, values in trained:
            write_npy(self.path(f"d_{name}.npy"), dims, values)
            arguments.append(f"--expect={name}#gradient={self.path('d_' + name)}.npy")
        for options, run, run_options in places:
            with self.subTest(mode=mode, padding=padding, align_corners=align_corners, options=options):
                library = self.compile_training(["--loss=mean-squared-error:y", "--entries=gradients",
                                                 "--trainable=" + ",".join(name for name, *_ in trained), *options])
                self.assertEqual(run(library, *arguments, *run_options).count("agrees"), len(trained))

    def test_modes(self):
        modes = itertools.product(("nearest", "bilinear", "bicubic"), ("zeros", "border", "reflection"), (0, 1))
        for mode, padding, align_corners in modes:
            self.check_mode(mode, padding, align_corners, [((), self.run_model, ())])

    def test_engines(self):
        places = [(("--place=gpu",), self.run_model, ("--gpu",))]
        if shutil.which("qemu-aarch64"):
            places.append((("--target=linux-arm64",), self.run_arm64, ()))
        self.check_mode("bilinear", "border", 0, places)
        self.check_mode("bicubic", "reflection", 1, places)


if __name__ == "__main__":
    unittest.main()
