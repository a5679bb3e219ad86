# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of many random integer convolutions and dense layers of TensorFlow Lite, and what they must compute.

How:  a sum of 32 bits; a multiplier of 31 bits and a shift for each channel, whose two roundings are those of the reference
      kernels (SaturatingRoundingDoublingHighMul, RoundingDivideByPOT); then the zero point and the activation's bounds.
      Ratios of scales are doubles, but dense layers and uint8 multiply their first two scales as floats.
"""
import math
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from integer_layers import Draw, Window, ends
from tflite_writer import INT8, INT32, UINT8, Net

CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED = 3, 4, 9
CONV_OPTIONS, DEPTHWISE_OPTIONS, DENSE_OPTIONS = 1, 2, 8
TYPES = {np.dtype(np.int8): INT8, np.dtype(np.uint8): UINT8, np.dtype(np.int32): INT32}
# What an activation keeps of the reals.
ACTIVATIONS = {0: (None, None), 1: (0, None), 2: (-1, 1), 3: (0, 6)}


def multiplier_and_shift(real):
    """QuantizeMultiplier."""
    fraction, shift = math.frexp(real)
    number = math.floor(fraction * 2**31 + 0.5)
    if number == 2**31:
        number, shift = number // 2, shift + 1
    return (0, 0) if shift < -31 else (number, shift)


def rescale(sums, reals):
    """MultiplyByQuantizedMultiplier, of a real for each element of the last axis, or one for all."""
    numbers, shifts = (np.array(part, np.int64) for part in zip(*map(multiplier_and_shift, reals)))
    products = (sums << np.maximum(shifts, 0)) * numbers
    nudged = products + np.where(products >= 0, 1 << 30, 1 - (1 << 30))
    doubled_high = np.where(nudged >= 0, nudged >> 31, -(-nudged >> 31))  # a division that cuts
    right = np.maximum(-shifts, 0)
    rest, threshold = doubled_high & ((1 << right) - 1), (((1 << right) - 1) >> 1) + (doubled_high < 0)
    return (doubled_high >> right) + (rest > threshold)


def rescale_in_one(sums, reals):
    """As newer kernels may be built to: one rounding."""
    numbers, shifts = (np.array(part, np.int64) for part in zip(*map(multiplier_and_shift, reals)))
    return (sums * numbers + (np.int64(1) << (30 - shifts))) >> (31 - shifts)


def clamped(codes, activation, scale, zero, element):
    low, high = ends(element)

    def code_of(real):
        steps = float(np.float32(real) / np.float32(scale))
        return int(math.copysign(math.floor(abs(steps) + 0.5), steps)) + zero
    least, most = ACTIVATIONS[activation]
    low = low if least is None else max(low, code_of(least))
    high = high if most is None else min(high, code_of(most))
    return np.clip(codes, low, high).astype(element)


class Model:
    """A graph whose outputs are its layers; `fed` and `wanted` are arrays by name, `about` says of an output what it is."""

    suffix = ".tflite"

    def __init__(self, seeds):
        self.net = Net()
        self.fed, self.wanted, self.about = {}, {}, {}
        for seed in seeds:
            draw = Draw(1_000_000 + seed)
            if seed % 4 == 0:
                self.add_dense(draw, f"y{seed}")
            else:
                self.add_convolution(draw, f"y{seed}", Window(draw, same_padding=True, wide=seed % 10 == 3))

    def feed(self, name, array, scale, zero):
        self.fed[name] = array
        return self.net.input(name, list(array.shape), TYPES[array.dtype], scale=float(scale), zero=zero)

    def constant(self, name, array, scales=None, zero=0, axis=0):
        scale = None if scales is None else [float(s) for s in scales]
        return self.net.tensor(name, list(array.shape), TYPES[array.dtype], array.tobytes(), scale=scale, zero=zero, axis=axis)

    def finish(self, code, kind, name, operands, values, scale, zero, options, about):
        result = self.net.output(name, list(values.shape), TYPES[values.dtype], scale=float(scale), zero=zero)
        self.net.op(code, operands, [result], kind, options)
        self.wanted[name] = values
        self.about[name] = about

    @staticmethod
    def with_bias(draw, sums):
        """Sums of the last axis' channels and a bias, or none."""
        if draw.chance(.25):
            return None, sums
        reach = max(int(np.abs(sums).max()), 1)
        bias = draw.random.integers(-reach, reach + 1, sums.shape[-1]).astype(np.int32)
        return bias, sums + bias

    @staticmethod
    def ways_of(sums, x_scale, w_scales, multiplies_floats, clamp):
        """Functions of y_scale that give all codes: as the reference kernels, and as is tempting. `clamp` is of codes and y_scale."""
        def reals(y_scale, are_floats):
            product = [float(x_scale * s) if are_floats else float(x_scale) * float(s) for s in w_scales]
            return [p / float(y_scale) for p in product]
        return [lambda y_scale: clamp(rescale(sums, reals(y_scale, multiplies_floats)), y_scale),
                lambda y_scale: clamp(rescale(sums, reals(y_scale, not multiplies_floats)), y_scale),
                lambda y_scale: clamp(rescale_in_one(sums, reals(y_scale, multiplies_floats)), y_scale),
                lambda y_scale: clamp(np.rint(sums.astype(np.float32) * np.float32(reals(y_scale, multiplies_floats))).astype(np.int64), y_scale)]

    def add_convolution(self, draw, name, window):
        element = np.uint8 if draw.chance(.15) else np.int8
        x_zero, y_zero = draw.zero(element), draw.zero(element)
        per_channel = element == np.int8 and draw.chance(.85)
        w_zero = draw.zero(element) if element == np.uint8 else 0
        x = draw.integers(element, (window.batch, window.inputs, *window.size), x_zero)
        w = draw.integers(element, (window.outputs, window.inputs // window.groups, *window.kernel), w_zero)
        x_scale, w_scales = draw.scales(1, .02)[0], draw.scales(window.outputs if per_channel else 1, .004)
        sums = np.moveaxis(window.convolve(x.astype(np.int64) - x_zero, w.astype(np.int64) - w_zero), 1, 3)
        bias, sums = self.with_bias(draw, sums)
        activation = draw.one_of([0, 0, 1, 2, 3, 3])
        ways = self.ways_of(sums, x_scale, w_scales, element == np.uint8, lambda codes, y_scale: clamped(codes + y_zero, activation, y_scale, y_zero, element))
        y_scale = draw.result_scale(sums, x_scale * w_scales, ways)
        values = ways[0](y_scale)
        is_depthwise = window.kind == "depthwise"
        filters = np.transpose(w, (1, 2, 3, 0) if is_depthwise else (0, 2, 3, 1))
        operands = [self.feed(f"{name}_x", np.ascontiguousarray(np.moveaxis(x, 1, 3)), x_scale, x_zero),
                    self.constant(f"{name}_w", np.ascontiguousarray(filters), w_scales, w_zero, 3 if is_depthwise else 0)]
        if bias is not None:
            operands.append(self.constant(f"{name}_bias", bias))
        padding = ("b", 1 if window.pads == ((0, 0), (0, 0)) else 0)
        strides, dilations = ({at: ("i", pair[1]), at + 1: ("i", pair[0])} for at, pair in
                              ((1, window.strides), (5 if is_depthwise else 4, window.dilations)))
        own = {3: ("i", window.outputs // window.inputs), 4: ("b", activation)} if is_depthwise else {3: ("b", activation)}
        self.finish(DEPTHWISE_CONV_2D if is_depthwise else CONV_2D, DEPTHWISE_OPTIONS if is_depthwise else CONV_OPTIONS, name, operands, values,
                    y_scale, y_zero, {0: padding, **strides, **dilations, **own},
                    f"{window}; {element.__name__}, zeros {x_zero}, {w_zero}, {y_zero}, activation {activation}"
                    f"{', a scale for each channel' * per_channel}{', the ends alone' * draw.has_ends}")

    def add_dense(self, draw, name):
        element = np.uint8 if draw.chance(.15) else np.int8
        rows, depth, columns = draw.one_of([1, 1, draw.between(2, 33)]), draw.one_of([draw.between(1, 17), draw.between(18, 700)]), draw.between(1, 90)
        x_zero, y_zero = draw.zero(element), draw.zero(element)
        w_zero = draw.zero(element) if element == np.uint8 else 0
        x, w = draw.integers(element, (rows, depth), x_zero), draw.integers(element, (columns, depth), w_zero)
        x_scale, w_scale = draw.scales(1, .02)[0], draw.scales(1, .004)
        sums = (x.astype(np.int64) - x_zero) @ (w.astype(np.int64) - w_zero).T
        bias, sums = self.with_bias(draw, sums)
        activation = draw.one_of([0, 0, 1, 2, 3, 3])
        ways = self.ways_of(sums, x_scale, w_scale, True, lambda codes, y_scale: clamped(codes + y_zero, activation, y_scale, y_zero, element))
        y_scale = draw.result_scale(sums, x_scale * w_scale, ways)
        values = ways[0](y_scale)
        operands = [self.feed(f"{name}_x", x, x_scale, x_zero), self.constant(f"{name}_w", w, w_scale, w_zero)]
        if bias is not None:
            operands.append(self.constant(f"{name}_bias", bias))
        self.finish(FULLY_CONNECTED, DENSE_OPTIONS, name, operands, values, y_scale, y_zero, {0: ("b", activation)},
                    f"dense {rows}x{depth} to {columns}; {element.__name__}, zeros {x_zero}, {w_zero}, {y_zero}, activation {activation}"
                    f"{', the ends alone' * draw.has_ends}")

    def save(self, path):
        self.net.save(path)
