#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of com.microsoft that ONNX Runtime's quantizers and optimizers write, against formulas in NumPy.

How:  one model for each family, with a node for each form of its operands; engines.py compares all engines, and the formulas with ONNX
      Runtime where it is found.
"""
import os
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: needs numpy")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from engines import EnginesTest, Model

f32 = np.float32


def ends(element):
    info = np.iinfo(element)
    return info.min, info.max


def quantize(x, scale, zero, element):
    """Halves to even, and what is outside becomes the nearest end."""
    return np.clip(np.rint((x / scale).astype(np.float64)) + zero, *ends(element)).astype(element)


def dequantize(codes, scale, zero):
    return ((codes.astype(np.int64) - zero) * scale).astype(f32)


class ConversionsTest(EnginesTest):
    """QuantizeLinear and DequantizeLinear: those of the standard, which has had 16 bits only since opset 21."""

    def test_one_scale(self):
        model, random = Model(opset=13), np.random.default_rng(1)
        x = random.uniform(-3, 3, (2, 5, 4)).astype(f32)
        for element, scale, zero in ((np.uint8, .02, 117), (np.int8, .03, -5), (np.uint16, 8e-5, 30111), (np.int16, 1.1e-4, -77)):
            scale, zero = f32(scale), element(zero)
            codes = quantize(x, scale, int(zero), element)
            q, = model.node("com.microsoft.QuantizeLinear", [model.feed(x), scale, zero], codes)
            model.node("com.microsoft.DequantizeLinear", [q, scale, zero], dequantize(codes, scale, int(zero)))
        model.node("com.microsoft.QuantizeLinear", [model.feed(x), f32(.05)], quantize(x, f32(.05), 0, np.uint8))
        self.check(model, ort=False)

    def test_a_scale_for_each_index(self):
        model, random = Model(opset=13), np.random.default_rng(2)
        x = random.uniform(-3, 3, (2, 3, 4)).astype(f32)
        for element in (np.uint8, np.int8, np.uint16, np.int16):
            for axis in (0, 1, -1):
                count, shape = x.shape[axis], [1, 1, 1]
                shape[axis] = count
                scales = random.uniform(.02, .04, count).astype(f32) / (1 if element in (np.uint8, np.int8) else f32(256))
                zeros = random.integers(*ends(element), count).astype(element)
                codes = quantize(x, scales.reshape(shape), zeros.reshape(shape).astype(np.int64), element)
                model.node("com.microsoft.QuantizeLinear", [model.feed(x), scales, zeros], codes, axis=axis)
                model.node("com.microsoft.DequantizeLinear", [model.feed(codes), scales, zeros],
                           dequantize(codes, scales.reshape(shape), zeros.reshape(shape).astype(np.int64)), axis=axis)
        biases, scales = random.integers(-999, 999, (3, 4)).astype(np.int32), random.uniform(.01, .02, 3).astype(f32)
        model.node("com.microsoft.DequantizeLinear", [model.feed(biases), scales], dequantize(biases, scales[:, None], 0), axis=0)
        self.check(model, ort=False)

    def test_a_convolution_of_16_bits(self):
        model, random = Model(opset=13), np.random.default_rng(3)
        x = random.uniform(-1, 1, (1, 3, 6, 5)).astype(f32)
        weights, scales = random.integers(-127, 128, (4, 3, 1, 1)).astype(np.int8), random.uniform(.004, .008, 4).astype(f32)
        x_scale, y_scale, zero = f32(2 / 65535), f32(6 / 65535), np.uint16(32768)
        codes = quantize(x, x_scale, 32768, np.uint16)
        q, = model.node("com.microsoft.QuantizeLinear", [model.feed(x), x_scale, zero])
        real, = model.node("com.microsoft.DequantizeLinear", [q, x_scale, zero])
        w, = model.node("com.microsoft.DequantizeLinear", [weights, scales, np.zeros(4, np.int8)], axis=0)
        y, = model.node("Conv", [real, w])
        sums = np.einsum("nchw,oc->nohw", dequantize(codes, x_scale, 32768).astype(np.float64), weights[:, :, 0, 0] * scales[:, None].astype(np.float64))
        q, = model.node("com.microsoft.QuantizeLinear", [y, y_scale, zero])
        model.node("com.microsoft.DequantizeLinear", [q, y_scale, zero], dequantize(quantize(sums, y_scale, 32768, np.uint16), y_scale, 32768))
        self.check(model, tolerance=1.1 * float(y_scale))  # a tie may be broken the other way


if __name__ == "__main__":
    unittest.main()
