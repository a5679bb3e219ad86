# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of many random QLinearConv and QLinearMatMul, and what they must compute.

How:  a sum of 32 bits; times (x_scale * w_scale) / y_scale, each rounded to float32; halves to even; then the zero point, and
      the ends of the type. So the specification says, and so ONNX Runtime's exact kernels compute.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre  # noqa: F401, which finds onnx_writer
from integer_layers import Draw, Window, ends
from onnx_writer import Graph, _tensor

TYPES = {np.dtype(np.float32): 1, np.dtype(np.uint8): 2, np.dtype(np.int8): 3, np.dtype(np.int32): 6}


def requantize(sums, factors, zero, element):
    steps = np.rint(sums.astype(np.int32).astype(np.float32) * factors.astype(np.float32))
    return np.clip(steps.astype(np.float64) + zero, *ends(element)).astype(element)


def ways_of(sums, x_scale, w_scales, zero, element):
    """Functions of y_scale that give all codes: as specified, and as is tempting."""
    def codes(factors):
        return requantize(sums, factors, zero, element)

    def unrounded(factors):
        return np.clip(np.rint(sums * np.float64(factors)) + zero, *ends(element)).astype(element)

    def halves_up(factors):
        return np.clip(np.floor(sums * np.float64(factors) + 0.5) + zero, *ends(element)).astype(element)
    return [lambda y_scale: codes(x_scale * w_scales / y_scale), lambda y_scale: codes(x_scale * (w_scales / y_scale)),
            lambda y_scale: codes(x_scale * w_scales.astype(np.float64) / y_scale), lambda y_scale: unrounded(x_scale * w_scales / y_scale),
            lambda y_scale: halves_up(x_scale * w_scales / y_scale)]


class Model:
    """A graph whose outputs are its layers; `fed` and `wanted` are arrays by name, `about` says of an output what it is."""

    suffix = ".onnx"

    def __init__(self, seeds):
        self.graph = Graph("layers", opset=13)
        self.fed, self.wanted, self.about = {}, {}, {}
        for seed in seeds:
            draw = Draw(seed)
            if seed % 5 == 0:
                self.add_product(draw, f"y{seed}")
            else:
                self.add_convolution(draw, f"y{seed}", Window(draw, wide=seed % 10 == 3))

    def feed(self, name, array):
        self.graph.input(name, list(array.shape), TYPES[array.dtype])
        self.fed[name] = array
        return name

    def constant(self, name, array):
        array = np.asarray(array)
        self.graph.initializers.append(_tensor(name, TYPES[array.dtype], list(array.shape), array.tobytes()))
        return name

    def scale_and_zero(self, name, scale, zero, element):
        return [self.constant(name + "_scale", np.asarray(scale, np.float32)), self.constant(name + "_zero", np.asarray(zero, element))]

    def finish(self, operator, name, operands, values, about, **attributes):
        self.graph.node(operator, operands, output=name, **attributes)
        self.graph.output(name, list(values.shape), TYPES[values.dtype])
        self.wanted[name], self.about[name] = values, f"{operator} {about}"

    def add_convolution(self, draw, name, window):
        x_type, y_type, w_type = (draw.one_of([np.uint8, np.int8]) for _ in range(3))
        y_type = x_type if draw.chance(.85) else y_type
        w_type = np.int8 if draw.chance(.7) else w_type
        per_channel = draw.chance(.6)
        count = window.outputs if per_channel else 1
        x_zero, y_zero = draw.zero(x_type), draw.zero(y_type)
        w_zeros = np.full(count, 0 if w_type == np.int8 and draw.chance(.8) else draw.zero(w_type), w_type)
        if draw.chance(.05):
            w_zeros = draw.integers(w_type, count)
        x = draw.integers(x_type, (window.batch, window.inputs, *window.size), x_zero)
        w = draw.integers(w_type, (window.outputs, window.inputs // window.groups, *window.kernel), w_zeros[0])
        x_scale, w_scales = draw.scales(1, .02)[0], draw.scales(count, .004)
        sums = window.convolve(x.astype(np.int64) - x_zero, w.astype(np.int64) - w_zeros.astype(np.int64).reshape(-1, 1, 1, 1))
        bias = None
        if draw.chance(.7):
            reach = max(int(np.abs(sums).max()), 1)
            bias = draw.random.integers(-reach, reach + 1, window.outputs).astype(np.int32)
            sums = sums + bias.reshape(1, -1, 1, 1)
        ways = ways_of(sums, x_scale, w_scales.reshape(1, -1, 1, 1), y_zero, y_type)
        y_scale = draw.result_scale(sums, (x_scale * w_scales).reshape(1, -1, 1, 1), ways)
        values = ways[0](y_scale)
        shape = (lambda a: a) if per_channel else (lambda a: a[0])
        operands = [self.feed(f"{name}_x", x), *self.scale_and_zero(f"{name}_x", x_scale, x_zero, x_type), self.constant(f"{name}_w", w),
                    *self.scale_and_zero(f"{name}_w", shape(w_scales), shape(w_zeros), w_type), *self.scale_and_zero(name, y_scale, y_zero, y_type)]
        if bias is not None:
            operands.append(self.constant(f"{name}_bias", bias))
        (top, bottom), (left, right) = window.pads
        self.finish("QLinearConv", name, operands, values,
                    f"{window}; {x_type.__name__} by {w_type.__name__} to {y_type.__name__}, zeros {x_zero}, {w_zeros[0]}, {y_zero}"
                    f"{', a scale for each channel' * per_channel}{', the ends alone' * draw.has_ends}", group=window.groups,
                    strides=list(window.strides), dilations=list(window.dilations), pads=[top, left, bottom, right])

    def add_product(self, draw, name):
        a_type, b_type = draw.one_of([np.uint8, np.int8]), draw.one_of([np.uint8, np.int8, np.int8])
        y_type = a_type if draw.chance(.85) else draw.one_of([np.uint8, np.int8])
        rows, columns = draw.one_of([1, 1, 2, 5, draw.between(1, 40)]), draw.one_of([draw.between(1, 17), draw.between(18, 130)])
        depth = draw.one_of([draw.between(1, 17), draw.between(18, 300), 2048])
        batch = draw.one_of([(), (), (3,), (2, 2)])
        is_constant, is_batched = draw.chance(.7), bool(batch) and draw.chance(.4)
        per_column = is_constant and not is_batched and draw.chance(.5)
        count = columns if per_column else 1
        a_zero, y_zero = draw.zero(a_type), draw.zero(y_type)
        b_zeros = np.asarray([0 if b_type == np.int8 and draw.chance(.7) else draw.zero(b_type) for _ in range(count)], b_type)
        a = draw.integers(a_type, (*batch, rows, depth), a_zero)
        b = draw.integers(b_type, (*(batch if is_batched else ()), depth, columns), b_zeros[0])
        a_scale, b_scales = draw.scales(1, .02)[0], draw.scales(count, .004)
        sums = np.matmul(a.astype(np.int64) - a_zero, b.astype(np.int64) - b_zeros.astype(np.int64))
        assert np.abs(sums).max() < 2**31
        ways = ways_of(sums, a_scale, b_scales, y_zero, y_type)
        y_scale = draw.result_scale(sums, a_scale * b_scales, ways)
        values = ways[0](y_scale)
        shape = (lambda array: array) if per_column else (lambda array: array[0])
        operands = [self.feed(f"{name}_a", a), *self.scale_and_zero(f"{name}_a", a_scale, a_zero, a_type),
                    (self.constant if is_constant else self.feed)(f"{name}_b", b),
                    *self.scale_and_zero(f"{name}_b", shape(b_scales), shape(b_zeros), b_type), *self.scale_and_zero(name, y_scale, y_zero, y_type)]
        self.finish("QLinearMatMul", name, operands, values,
                    f"{a.shape} by {'constant' * is_constant} {b.shape}; {a_type.__name__} by {b_type.__name__} to {y_type.__name__}, zeros {a_zero}, "
                    f"{b_zeros[0]}, {y_zero}{', a scale for each column' * per_column}{', the ends alone' * draw.has_ends}")

    def save(self, path):
        self.graph.save(path)
