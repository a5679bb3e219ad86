#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's Resize in numpy, from its definition, and models of many resized images.

What: each axis of an image has a matrix, which has the weights of the old elements in each new one. Positions that follow from a
      scale or a region are computed in single precision, in ONNX Runtime's order of operations. Those of sizes are fractions.
Why:  scales are floats, so whether a position is an element's own or just before it depends on the precision. Nacre's interpreter
      and its kernels share tables: only a reference of its own can judge these.
How:  run with a runner (test/bench/programs/ort_run.cpp) and ONNX Runtime's library, the script compares this reference with ONNX Runtime,
      for all sizes, scales and methods:

          resizes.py ort_run libonnxruntime.so.1

ONNX Runtime 1.30 differs from the definition in these cases, which are left out:
- The image is copied if no size changes, although its scales or its region move elements.
- With antialias, an axis is copied if its size does not change, although its scale moves elements.
- tf_crop_and_resize ignores the region of an axis whose scale is 1.
- Positions that follow from sizes are computed with a rounded scale, too. About one pair of sizes in fifty has a neighbour in its
  place.
"""
import math
import os
import subprocess
import sys
import tempfile
from fractions import Fraction

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "samples", "models"))
from onnx_writer import Graph

F = np.float32
RULES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric", "align_corners", "tf_half_pixel_for_nn", "tf_crop_and_resize")
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
SCALES = [F(scale) for scale in (
    1 / 3, .1, .2, .3, .4, .6, .7, .8, .9, 1 / 7, 1 / 6, 2 / 3, 3 / 7, 5 / 7, 1 / 9, 2 / 7, .35, .45, .55, .65, .75, .85, .95, .05, .15, .99, 1.01, 1.05, 1.1,
    1.15, 1.2, 1.25, 1.3, 1.4, 1.6, 1.7, 1.8, 1.9, 4 / 3, 5 / 3, 7 / 3, 8 / 3, 10 / 3, 13 / 3, 11 / 7, 9 / 7, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9, 3.1,
    3.3, 3.7, 4.6, np.pi)]
REGION, OUTSIDE = (F(.13), F(.71)), 3.0  # parts of each axis; what is beyond it
WHOLE = (F(0), F(1))
#: A position of single precision that is this near to the middle of two elements is there, as in ONNX Runtime.
TOLERANCE = 1e-6


class Method:
    """The attributes of a Resize."""

    def __init__(self, mode, rule, nearest="round_prefer_floor", antialias=0, exclude_outside=0, cubic=-.75):
        self.mode, self.rule, self.nearest, self.antialias, self.exclude_outside, self.cubic = mode, rule, nearest, antialias, exclude_outside, cubic

    def attributes(self):
        return {"mode": self.mode, "coordinate_transformation_mode": self.rule, "nearest_mode": self.nearest, "antialias": self.antialias,
                "exclude_outside": self.exclude_outside, "cubic_coeff_a": self.cubic, "extrapolation_value": OUTSIDE}

    def __str__(self):
        return " ".join(f"{name}={value}" for name, value in self.attributes().items())


def methods(rule):
    """Everything that a Resize can do by this rule."""
    return ([Method("nearest", rule, nearest) for nearest in NEAREST] +
            [Method(mode, rule, antialias=antialias, exclude_outside=exclude, cubic=cubic)
             for mode, antialias, exclude, cubic in (("linear", 0, 0, -.75), ("cubic", 0, 0, -.75), ("cubic", 0, 1, -.5), ("linear", 1, 0, -.75),
                                                     ("linear", 1, 1, -.75), ("cubic", 1, 0, -.75), ("cubic", 1, 1, -.5))])


# ===-- Where ------------------------------------------------------------------------------------------------===#

def scaled_size(size, scale):
    return int(np.floor(F(size) * scale))


def scaled_positions(rule, size, new, scale, region):
    """Where each of `new` elements is on an axis of `size`; all operands are single, so numpy rounds each operation."""
    x, half, one, length, resized = np.arange(new, dtype=F), F(.5), F(1), F(size), F(new)
    if rule in ("align_corners", "pytorch_half_pixel") and new == 1:
        return x * F(0)
    if rule in ("half_pixel", "pytorch_half_pixel"):
        return (x + half) / scale - half
    if rule == "asymmetric":
        return x / scale
    if rule == "tf_half_pixel_for_nn":
        return (x + half) / scale
    if rule == "align_corners":
        return x * (length - one) / (resized - one)
    if rule == "half_pixel_symmetric":
        offset = length / F(2) * (one - resized / (scale * length))
        return (np.float64(offset) + (x.astype(np.float64) + .5) / np.float64(scale) - .5).astype(F)
    begin, end = region
    if new == 1:
        return np.array([.5 * np.float64(begin + end) * np.float64(length - one)]).astype(F)
    return begin * (length - one) + x * (end - begin) * (length - one) / (resized - one)


def sized_positions(rule, size, new, scale):
    """The same as fractions, by the exact ratio of two sizes. An axis that keeps its size is left alone, as ONNX Runtime leaves it."""
    half, numbers = Fraction(1, 2), list(map(Fraction, range(new)))
    if scale == 1:
        return numbers
    if rule in ("align_corners", "pytorch_half_pixel") and new == 1:
        return [Fraction(0)]
    offset = Fraction(size, 2) * (1 - new / (scale * size)) if rule == "half_pixel_symmetric" else 0
    if rule == "align_corners":
        return [x * (size - 1) / (new - 1) for x in numbers]
    if rule == "asymmetric":
        return [x / scale for x in numbers]
    return [offset + (x + half) / scale - (0 if rule == "tf_half_pixel_for_nn" else half) for x in numbers]


# ===-- What -------------------------------------------------------------------------------------------------===#

def take_nearest(positions, nearest, tolerance):
    below = np.array([math.floor(x) for x in positions])
    rest = np.array([float(x - floor) for x, floor in zip(positions, below.tolist())])
    if nearest in ("floor", "ceil"):
        return below + (rest > 0 if nearest == "ceil" else 0)
    in_middle = np.abs(rest - .5) <= tolerance
    return below + np.where(in_middle, nearest == "round_prefer_ceil", rest > .5)


def weigh_cubic(distance, a):
    d = np.abs(distance)
    return np.where(d <= 1, ((a + 2) * d - (a + 3)) * d * d + 1, np.where(d < 2, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a, 0))


def make_matrix(method, positions, size, scale, tolerance=TOLERANCE):
    """[new, size] in double precision."""
    matrix, rows = np.zeros((len(positions), size)), np.arange(len(positions))
    if method.mode == "nearest":
        if len(positions):
            matrix[rows, np.clip(take_nearest(positions, method.nearest, tolerance), 0, size - 1)] = 1
        return matrix
    x = np.array(positions, np.float64)
    stretch = min(float(scale), 1.) if method.antialias else 1.
    reach = int(np.ceil((2 if method.mode == "cubic" else 1) / stretch))
    if method.mode == "linear" and stretch == 1:
        x = np.clip(x, 0, size - 1)
    at = np.floor(x)[:, None] + np.arange(1 - reach, reach + 1)
    distance = (at - x[:, None]) * stretch
    weights = weigh_cubic(distance, method.cubic) if method.mode == "cubic" else np.maximum(1 - np.abs(distance), 0)
    if method.exclude_outside:
        weights = np.where((at < 0) | (at >= size), 0, weights)
    if method.exclude_outside or stretch < 1:
        sums = weights.sum(1, keepdims=True)
        weights /= np.where(sums == 0, 1, sums)
    for tap in range(2 * reach):
        np.add.at(matrix, (rows, np.clip(at[:, tap], 0, size - 1).astype(int)), weights[:, tap])
    return matrix


# ===-- Models -----------------------------------------------------------------------------------------------===#

class Images:
    """A model of many resized images, [h, w] or planes of [2, 3, h, w]; all results are one vector `y`."""

    def __init__(self, has_planes=False, opset=18, scales_are_inputs=False):
        self.graph, self.outer, self.scales_are_inputs = Graph("images", opset=opset), [2, 3] if has_planes else [], scales_are_inputs
        self.random = np.random.default_rng(7)
        self.fed, self.parts, self.cases = {}, [], []
        self.flat = self.graph.integers("flat", [-1])
        self.region = self.graph.constant("region", [2 * (len(self.outer) + 2)], [float(end) for pair in zip(*[WHOLE] * len(self.outer), REGION, REGION)
                                                                                    for end in pair]) if opset > 10 else ""

    def feed(self, name, array):
        if name not in self.fed:
            self.fed[name] = array.astype(F)
            self.graph.input(name, list(array.shape))
        return name

    def image(self, sizes, is_moved):
        """Elements that are moved are the numbers of their places; others are random."""
        dims = [*self.outer, *sizes]
        count = int(np.prod(dims))
        values = np.arange(count) if is_moved else self.random.uniform(-1, 1, count)
        return self.feed(f"{'moved' if is_moved else 'mixed'}_{sizes[0]}_{sizes[1]}", values.reshape(dims))

    def scales(self, scales):
        """Values of inputs are unknown to shape inference, which differs from what ONNX Runtime computes."""
        name, values = f"scales_{len(self.parts)}", [*(1. for _ in self.outer), *map(float, scales)]
        return self.feed(name, np.array(values)) if self.scales_are_inputs else self.graph.constant(name, [len(values)], values)

    def add(self, operator, operands, matrices, outside=None, name="", **attributes):
        """A node, the matrices of its two axes, and what it leaves out of each."""
        resized = self.graph.node(operator, operands, **attributes)
        self.parts.append(self.graph.node("Reshape", [resized, self.flat]))
        self.cases.append((name, operands[0], matrices, outside))

    def add_scaled(self, method, sizes, scales):
        positions = [scaled_positions(method.rule, size, scaled_size(size, scale), scale, REGION) for size, scale in zip(sizes, scales)]
        outside = [(at < 0) | (at > F(size - 1)) for at, size in zip(positions, sizes)]
        self.add("Resize", [self.image(sizes, method.mode == "nearest"), self.region, self.scales(scales)],
                 [make_matrix(method, *axis) for axis in zip(positions, sizes, scales)], outside if method.rule == "tf_crop_and_resize" else None,
                 f"{sizes} by {scales}, {method}", **method.attributes())

    def add_sized(self, method, sizes, new, policy="stretch"):
        ratios = [Fraction(*pair) for pair in zip(new, sizes)]
        if policy != "stretch":
            ratios = [(min if policy == "not_larger" else max)(ratios)] * 2
        made = [math.floor(size * ratio + Fraction(1, 2)) for size, ratio in zip(sizes, ratios)]
        positions = [sized_positions(method.rule, *axis) for axis in zip(sizes, made, ratios)]
        self.add("Resize", [self.image(sizes, method.mode == "nearest"), "", "", self.graph.integers(f"sizes_{len(self.parts)}", new)],
                 [make_matrix(method, *axis, tolerance=0) for axis in zip(positions, sizes, ratios)], None,
                 f"{sizes} to {new}, {policy}, {method}", keep_aspect_ratio_policy=policy, axes=[-2, -1], **method.attributes())

    def add_upsampled(self, mode, sizes, scales):
        """Before version 11."""
        operator = "Resize" if self.graph.opset == 10 else "Upsample"
        matrices = []
        for size, scale in zip(sizes, scales):
            method = Method(mode, "asymmetric", "ceil" if operator == "Resize" and scale < 1 else "floor")
            matrices.append(make_matrix(method, scaled_positions("asymmetric", size, scaled_size(size, scale), scale, WHOLE), size, scale))
        image, attributes = self.image(sizes, mode == "nearest"), {"mode": mode}
        if self.graph.opset < 9:
            attributes["scales"] = [*(1. for _ in self.outer), *map(float, scales)]
        self.add(operator, [image] if self.graph.opset < 9 else [image, self.scales(scales)], matrices, None,
                 f"{operator} of opset {self.graph.opset}, {sizes} by {scales}, {mode}", **attributes)

    def save(self, path):
        self.graph.output(self.graph.node("Concat", self.parts, output="y", axis=0), ["n"] if self.scales_are_inputs else [sum(map(self.count, self.cases))])
        self.graph.save(path)

    def count(self, case):
        return int(np.prod([*self.outer, *(len(matrix) for matrix in case[2])]))

    def differences(self, y, tolerance):
        """The cases whose part of `y` differs from the definition; elements that are moved must be equal."""
        end = 0
        for case in self.cases:
            name, image, matrices, outside = case
            begin, end = end, end + self.count(case)
            wanted = matrices[0] @ self.fed[image].astype(np.float64) @ matrices[1].T
            if outside:
                wanted[..., outside[0][:, None] | outside[1][None]] = OUTSIDE
            off = np.abs(y[begin:end].reshape(wanted.shape) - wanted).max(initial=0)
            if not off <= (0 if image.startswith("moved") else tolerance):
                yield name, off
        if end != len(y):
            yield "the number of elements", end


def pairs_of_axes():
    """Every size from 1 to 64 with every scale, as two axes of one image: (sizes, scales)."""
    for size in range(1, 33):
        for number, scale in enumerate(SCALES):
            sizes, scales = (size, size + 32), (scale, SCALES[(number + size) % len(SCALES)])
            if all(map(scaled_size, sizes, scales)):
                yield sizes, scales
            else:  # the smaller axis would have no elements
                yield (7, size + 32), (SCALES[0], scales[1])


# ===-- ONNX Runtime ------------------------------------------------------------------------------------------===#

def is_copied(method, sizes, scales):
    """Whether ONNX Runtime copies the image or an axis of it, although the scales move elements."""
    kept = [scaled_size(size, scale) == size for size, scale in zip(sizes, scales)]
    return all(kept) or (method.antialias and any(kept))


def compare_with_onnxruntime(runner, library):
    total, failures = 0, 0
    for rule in RULES:
        for method in methods(rule):
            images = Images(scales_are_inputs=True)
            left_out = 0
            for sizes, scales in pairs_of_axes():
                if is_copied(method, sizes, scales):
                    left_out += 1
                else:
                    images.add_scaled(method, sizes, scales)
            with tempfile.TemporaryDirectory() as folder:
                model = os.path.join(folder, "images.onnx")
                images.save(model)
                for number, array in enumerate(images.fed.values()):
                    np.save(os.path.join(folder, f"input_{number}.npy"), array)
                subprocess.run([runner, "--lib", library, "--data", folder, "--dump", folder, "--warmup", "1", "--runs", "1", "--level", "0", model],
                               check=True, stdout=subprocess.DEVNULL)
                found = list(images.differences(np.load(os.path.join(folder, "output_0.npy")), 2e-5))
            total, failures = total + len(images.cases), failures + len(found)
            print(f"{method}: {len(images.cases)} images, {left_out} left out, {len(found)} differ {found[:3]}", flush=True)
    print(f"{total} images, {failures} differ")
    return failures > 0


if __name__ == "__main__":
    sys.exit(compare_with_onnxruntime(*sys.argv[1:]))
