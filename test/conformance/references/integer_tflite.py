# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of TensorFlow Lite on codes of int8, exactly as its reference kernels round.

How:  sums in integers, then a factor of 31 bits and a shift (fixed_point.py); which product of scales is of floats and which of
      doubles is as in the kernels' Prepare.
"""
import numpy as np

from references import fixed_point, integer_lstm, tflite
from references.windows import convolve


def _scale(tensor):
    return float(tensor.scales[0])


def _zero(tensor):
    return int(tensor.zero_points[0])


def _clamp(codes, tensor, activation):
    low, high = -128, 127
    if activation in (1, 3):
        low = max(low, _zero(tensor))
    if activation == 2:
        low = max(low, round(-1 / _scale(tensor)) + _zero(tensor))
    if activation in (2, 3):
        high = min(high, round((1 if activation == 2 else 6) / _scale(tensor)) + _zero(tensor))
    return np.clip(codes, low, high).astype(np.int8)


def _conv_like(op, tensors, x, weights, bias, dilation_at, activation_at):
    source, kernel, result = tensors[0], tensors[1], tensors[-1]
    sums = convolve(x.astype(np.int64) - _zero(source), weights.astype(np.int64),
                    *tflite.conv_geometry(op, x, weights.shape[1:3], dilation_at)) + (0 if bias is None else bias)
    factors = [fixed_point.multiplier_of(_scale(source) * float(s) / _scale(result)) for s in kernel.scales]
    multipliers, shifts = (np.array(column) for column in zip(*factors))
    return _clamp(fixed_point.rescale(sums, multipliers, shifts) + _zero(result), result, op.options.scalar(activation_at, "b"))


def _conv(op, tensors, x, weights, bias=None):
    return _conv_like(op, tensors, x, weights, bias, 4, 3)


def _depthwise(op, tensors, x, weights, bias=None):
    return _conv_like(op, tensors, x, tflite.depthwise_as_groups(weights), bias, 5, 4)


def _fully_connected(op, tensors, x, weights, bias=None):
    source, kernel, result = tensors[0], tensors[1], tensors[-1]
    assert len(kernel.scales) == 1
    sums = (x.astype(np.int64).reshape(-1, weights.shape[1]) - _zero(source)) @ (weights.astype(np.int64) - _zero(kernel)).T
    product = float(np.float32(source.scales[0]) * np.float32(kernel.scales[0]))
    factor = fixed_point.multiplier_of(product / _scale(result))
    return _clamp(fixed_point.rescale(sums + (0 if bias is None else bias), *factor) + _zero(result), result, op.options.scalar(0, "b"))


def _add(op, tensors, a, b):
    twice = 2 * max(_scale(tensors[0]), _scale(tensors[1]))
    parts = [fixed_point.rescale((codes.astype(np.int64) - _zero(t)) << 20, *fixed_point.multiplier_of(_scale(t) / twice))
             for t, codes in zip(tensors, (a, b))]
    result = tensors[-1]
    factor = fixed_point.multiplier_of(twice / ((1 << 20) * _scale(result)))
    return _clamp(fixed_point.rescale(sum(parts), *factor) + _zero(result), result, op.options.scalar(0, "b"))


def _rounded_mean(sums, counts):
    """To nearest, halves away from zero."""
    magnitude = (np.abs(sums) + counts // 2) // counts
    return np.where(sums > 0, magnitude, -magnitude)


def _average_pool(op, tensors, x):
    sums = tflite.pool_windows(op, x.astype(np.int64), 0).sum((-2, -1))
    counts = tflite.pool_windows(op, np.ones_like(x, np.int64), 0).sum((-2, -1))
    return _clamp(_rounded_mean(sums, counts), tensors[-1], op.options.scalar(5, "b"))


def _mean(op, tensors, x, axes):
    axes = tuple(np.atleast_1d(axes).tolist())
    count = int(np.prod([x.shape[axis] for axis in axes]))
    multiplier, shift = fixed_point.multiplier_of(_scale(tensors[0]) / _scale(tensors[-1]))
    less = min(count.bit_length() - 1, 32, 31 + shift)
    sums = x.astype(np.int64).sum(axes, keepdims=bool(op.options.scalar(0, "b"))) - _zero(tensors[0]) * count
    return _clamp(fixed_point.rescale(sums, (multiplier << less) // count, shift - less) + _zero(tensors[-1]), tensors[-1], 0)


def _softmax(op, tensors, x):
    return fixed_point.softmax(x, _scale(tensors[0]), op.options.scalar(0, "f"))


def _lstm(op, tensors, x, *operands):
    time_major = op.options.scalar(3, "b")
    states = integer_lstm.run(op, tensors, x if time_major else x.swapaxes(0, 1), operands[:4], operands[4:8], operands[11:15])
    return states if time_major else states.swapaxes(0, 1)


OPERATORS = {"ADD": _add, "AVERAGE_POOL_2D": _average_pool, "CONV_2D": _conv, "DEPTHWISE_CONV_2D": _depthwise,
             "FULLY_CONNECTED": _fully_connected, "MEAN": _mean, "SOFTMAX": _softmax, "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm}
