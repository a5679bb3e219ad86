#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Poolings whose windows are larger than the image, with ceil_mode, against the sum that defines them.

Why:  exporters write a global pooling as a window of thousands of cells; rounded up, it has one place.
How:  averages that count pads and that do not, maxima with indices, and norms, of windows with pads and dilations, on every engine. Cells
      beyond the high pads are never counted.
"""
import itertools
import math
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from every_engine import EveryEngineTest
from onnx_writer import INT64

CHANNELS = 3


class Plane:
    """One channel of an image, and a window of which the only place is at the low pads."""

    def __init__(self, sizes, values, kernel, low, high, dilations):
        self.values = dict(zip(itertools.product(*map(range, sizes)), values))
        places = [[c * d - p for c in range(k) if c * d < size + p + q]
                  for size, k, p, q, d in zip(sizes, kernel, low, high, dilations)]
        self.cells = list(itertools.product(*places))  # those that are not beyond the high pads
        self.inside = [cell for cell in self.cells if cell in self.values]

    def pixels(self):
        return [self.values[cell] for cell in self.inside]

    def average(self, counts_pads):
        return sum(self.pixels()) / len(self.cells if counts_pads else self.inside)

    def norm(self, p):
        return sum(abs(x) ** p for x in self.pixels()) ** (1 / p)


class WideWindowsTest(EveryEngineTest):
    opset = 19

    def pool(self, number, sizes, kernel, strides, pads=None, dilations=None):
        axes = len(sizes)
        pads, dilations = pads or [0] * 2 * axes, dilations or [1] * axes
        values = [[random.Random(number * CHANNELS + c).uniform(-1, 1) for _ in range(math.prod(sizes))] for c in range(CHANNELS)]
        planes = [Plane(sizes, plane, kernel, pads[:axes], pads[axes:], dilations) for plane in values]
        x = self.input(f"x{number}", [1, CHANNELS, *sizes], values)
        shape = [1, CHANNELS] + [1] * axes
        window = dict(kernel_shape=kernel, strides=strides, pads=pads, dilations=dilations, ceil_mode=1)
        for counts_pads in (0, 1):
            name = self.graph.node("AveragePool", [x], output=f"average{number}_{counts_pads}", count_include_pad=counts_pads, **window)
            self.expect(name, shape, [plane.average(counts_pads) for plane in planes])
        name = self.graph.node("LpPool", [x], output=f"norm{number}", p=2, **window)
        self.expect(name, shape, [plane.norm(2) for plane in planes])
        names = self.graph.node("MaxPool", [x], output=[f"maximum{number}", f"index{number}"], **window)
        self.expect(names[0], shape, [max(plane.pixels()) for plane in planes])
        offsets = {cell: index for index, cell in enumerate(itertools.product(*map(range, sizes)))}
        self.expect(names[1], shape, [c * len(offsets) + offsets[max(plane.inside, key=lambda cell, p=plane: p.values[cell])]
                                      for c, plane in enumerate(planes)], INT64)

    def test_windows(self):
        self.pool(0, [2, 2], [5, 5], [5, 5])
        self.pool(1, [7, 7], [2560, 1280], [2560, 1280])
        self.pool(2, [3, 6], [5, 2], [4, 6], pads=[1, 0, 0, 0])
        self.pool(3, [5], [3], [4], dilations=[3])
        self.pool(4, [2, 3, 2], [4, 4, 4], [4, 4, 4], pads=[0, 1, 1, 1, 0, 0])
        self.check()


if __name__ == "__main__":
    unittest.main()
