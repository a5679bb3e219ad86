#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions of images, whose numbers of samples or elements the data decide, against the operators' definitions.

Why:  detectors pool boxes that they compute. How many samples a bin has, or how many elements a part covers, differs from box to box,
      and a box may be empty, partly or wholly outside, or larger than the image.
How:  RoiAlign with sampling_ratio 0 in all of its modes, and MaxRoiPool, of such boxes: on the CPU, on arm64 under qemu, on a GPU,
      half on each, and by the interpreter. Sizes of bins are not near integers, so that no rounding decides the number of samples.
"""
import math
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from every_engine import EveryEngineTest
from onnx_writer import INT64

IMAGES, CHANNELS, HEIGHT, WIDTH = 2, 3, 9, 10
BINS = (2, 3)
# x1, y1, x2, y2
BOXES = [(1.0, 1.0, 6.3, 5.2), (0.2, 0.4, 1.1, 1.3), (-3.7, -2.4, 4.1, 3.3), (6.1, 5.2, 19.4, 17.7), (-8.3, -9.1, 31.2, 27.9), (4.3, 4.1, 4.3, 4.1),
         (7.2, 6.1, 2.9, 3.3), (30.3, 40.2, 37.7, 49.4), (0.3, 3.2, 9.4, 3.9), (-60.7, -50.2, 130.1, 110.9), (2.1, -90.4, 7.7, 120.3)]
NONE = -math.inf


def make_image(generator):
    return [[[[generator.uniform(-1, 1) for _ in range(WIDTH)] for _ in range(HEIGHT)] for _ in range(CHANNELS)] for _ in range(IMAGES)]


def corners(y, x):
    """The four pixels around a place and their weights; none where it is more than a pixel outside."""
    if y < -1 or y > HEIGHT or x < -1 or x > WIDTH:
        return []
    def axis(at, size):
        at = max(at, 0.0)
        low = int(at)
        if low >= size - 1:
            return [(size - 1, 1.0), (size - 1, 0.0)]
        return [(low, 1 - (at - low)), (low + 1, at - low)]
    return [(i, j, v * u) for i, v in axis(y, HEIGHT) for j, u in axis(x, WIDTH)]


def pool_bin(plane, begin, size, samples, takes_maximum):
    """The mean, or the maximum of the weighted pixels, of a bin's samples."""
    total, maximum = 0.0, NONE
    for i in range(max(samples[0], 0)):
        y = begin[0] + (i + 0.5) * size[0] / samples[0]
        if y < -1 or y > HEIGHT:
            maximum = max(maximum, 0.0)
            continue
        for j in range(max(samples[1], 0)):
            parts = [w * plane[r][c] for r, c, w in corners(y, begin[1] + (j + 0.5) * size[1] / samples[1])]
            total += sum(parts)
            maximum = max(maximum, max(parts, default=0.0))
    if takes_maximum:
        return 0.0 if maximum == NONE else maximum
    return total / max(samples[0] * samples[1], 1)


def roi_align(image, boxes, which, scale, mode, is_half_pixel):
    result = []
    for (x1, y1, x2, y2), image_number in zip(boxes, which):
        offset = 0.5 if is_half_pixel else 0.0
        begins, ends = (y1 * scale - offset, x1 * scale - offset), (y2 * scale - offset, x2 * scale - offset)
        sizes = [e - b if is_half_pixel else max(e - b, 1.0) for b, e in zip(begins, ends)]
        sizes = [size / count for size, count in zip(sizes, BINS)]
        samples = [math.ceil(size) for size in sizes]
        for plane in image[image_number]:
            for row in range(BINS[0]):
                for column in range(BINS[1]):
                    begin = (begins[0] + row * sizes[0], begins[1] + column * sizes[1])
                    result.append(pool_bin(plane, begin, sizes, samples, mode == "max"))
    return result


def round_away(x):
    return math.floor(abs(x) + 0.5) * (1 if x >= 0 else -1)


def max_roi_pool(image, boxes, which, scale):
    result = []
    for box, image_number in zip(boxes, which):
        x1, y1, x2, y2 = (round_away(x * scale) for x in box)
        def parts(begin, end, count, size):
            step = max(end - begin + 1, 1) / count
            return [range(min(max(math.floor(i * step) + begin, 0), size), min(max(math.ceil((i + 1) * step) + begin, 0), size)) for i in range(count)]
        for plane in image[image_number]:
            for rows in parts(y1, y2, BINS[0], HEIGHT):
                for columns in parts(x1, x2, BINS[1], WIDTH):
                    result.append(max((plane[i][j] for i in rows for j in columns), default=0.0))
    return result


class RegionsTest(EveryEngineTest):
    parts = 2

    def setUp(self):
        super().setUp()
        generator = random.Random(8)
        self.image = make_image(generator)
        self.which = [generator.randrange(IMAGES) for _ in BOXES]
        self.input("x", [IMAGES, CHANNELS, HEIGHT, WIDTH], self.image)

    def test_samples_by_the_size_of_the_box(self):
        self.input("rois", [len(BOXES), 4], BOXES)
        self.input("which", [len(BOXES)], self.which, INT64)
        for mode in ("avg", "max"):
            for transformation in ("half_pixel", "output_half_pixel"):
                name = f"{mode}_{transformation}"
                self.graph.node("RoiAlign", ["x", "rois", "which"], output=name, mode=mode, coordinate_transformation_mode=transformation,
                                output_height=BINS[0], output_width=BINS[1], spatial_scale=0.9)
                self.expect(name, [len(BOXES), CHANNELS, *BINS], roi_align(self.image, BOXES, self.which, 0.9, mode, transformation == "half_pixel"))
        self.check("--rtol=1e-4", "--atol=1e-4")

    def test_maxima_of_regions(self):
        self.input("rois", [len(BOXES), 5], [(image, *box) for image, box in zip(self.which, BOXES)])
        self.graph.node("MaxRoiPool", ["x", "rois"], output="y", pooled_shape=list(BINS), spatial_scale=0.75)
        self.expect("y", [len(BOXES), CHANNELS, *BINS], max_roi_pool(self.image, BOXES, self.which, 0.75))
        self.check()


if __name__ == "__main__":
    unittest.main()
