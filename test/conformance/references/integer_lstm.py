# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LSTM on codes of int8, exactly as TensorFlow Lite's reference kernel rounds: gates of 16 bits with 3 before the point.

How:  exponentials and their kin by gemmlowp's arithmetic of 16 bits, on arrays of int64.
"""
import math

import numpy as np

from references import fixed_point

_ONE = 32767  # in Q0, as near as it gets


def _cut(x):
    return np.clip(x, -32768, _ONE)


def _wrap(x):
    return (x + 32768) % 65536 - 32768


def _product(a, b):
    product = np.asarray(a, np.int64) * np.asarray(b, np.int64)
    nudged = product + np.where(product >= 0, 1 << 14, 1 - (1 << 14))
    return _cut(np.where(nudged >= 0, nudged >> 15, -(-nudged >> 15)))


def _constant(raw):
    """Of 32 bits, as one of 16."""
    return int(fixed_point.divide_by_power(raw, 16))


def _exp_of_negative(a, integer_bits):
    fraction_bits = 15 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    rest = (a & (quarter - 1)) - quarter
    x = _cut(rest << integer_bits) + (1 << 12)
    x2 = _product(x, x)
    x3, x4 = _product(x2, x), _product(x2, x2)
    series = fixed_point.divide_by_power(_product(fixed_point.divide_by_power(x4, 2) + x3, _constant(715827883)) + x2, 1)
    constant = _constant(1895147668)
    result = _cut(constant + _product(constant, x + series))
    remainder = _wrap(rest - a)
    for exponent, factor in ((-2, 1672461947), (-1, 1302514674), (0, 790015084), (1, 290630308), (2, 39332535), (3, 720401), (4, 242)):
        if exponent < integer_bits:
            result = np.where(remainder & (1 << (fraction_bits + exponent)), _product(result, _constant(factor)), result)
    if integer_bits > 5:
        result = np.where(a < -(1 << (fraction_bits + 5)), 0, result)
    return np.where(a == 0, _ONE, result)


def _one_over_one_plus(a):
    """Two bits before the point; half of it is the quotient."""
    half = (a + _ONE + 1) // 2
    x = _wrap(_constant(1515870810) + _product(half, _constant(-1010580540)))
    for _ in range(3):
        x = _wrap(x + _cut(_product(x, (1 << 13) - _product(half, x)) << 2))
    return x


def sigmoid(x):
    ends = _cut(_one_over_one_plus(_exp_of_negative(-np.abs(x), 3)) << 1)
    return np.where(x == 0, 1 << 14, np.where(x > 0, ends, _ONE - ends))


def tanh(x, integer_bits):
    ends = _cut((_one_over_one_plus(_exp_of_negative(-np.abs(x), integer_bits + 1)) - (1 << 13)) << 2)
    return np.where(x == 0, 0, np.where(x > 0, ends, -ends))


def run(op, tensors, x, weights, recurrences, biases):
    """Hidden states of [T, B, I]; gates are i, f, c, o. Neither peepholes nor a projection."""
    f32 = np.float32
    source, hidden, cells, on_the_way = tensors[0], tensors[18], tensors[19], op.intermediates[4]
    cell_shift = round(math.log2(cells.scales[0]))
    unit, zero = f32(2.0**-15), int(hidden.zero_points[0])
    scale_of = lambda a, b: fixed_point.multiplier_of(float(f32(f32(a) * f32(b)) / f32(2.0**-12)))  # noqa: E731
    of_input = [scale_of(t.scales[0], source.scales[0]) for t in tensors[1:5]]
    of_state = [scale_of(t.scales[0], hidden.scales[0]) for t in tensors[5:9]]
    of_hidden = fixed_point.multiplier_of(float(f32(unit / f32(on_the_way.scales[0])) * unit))
    clip = op.options.scalar(1, "f")
    most = min(int(f32(clip) / f32(cells.scales[0])), 32767) if clip > 0 else 0
    h, c = np.zeros((x.shape[1], recurrences[1].shape[1]), np.int64), np.zeros((x.shape[1], weights[1].shape[0]), np.int64)
    states = []
    for step in x.astype(np.int64) - int(source.zero_points[0]):
        gates = []
        for gate in range(4):
            sums = _cut(fixed_point.rescale(step @ weights[gate].astype(np.int64).T + biases[gate], *of_input[gate]))
            gates.append(_cut(fixed_point.rescale((h - zero) @ recurrences[gate].astype(np.int64).T, *of_state[gate]) + sums))
        i, f, g, o = sigmoid(gates[0]), sigmoid(gates[1]), tanh(gates[2], 3), sigmoid(gates[3])
        c = _cut(fixed_point.divide_by_power(f * c, 15) + fixed_point.divide_by_power(i * g, 30 + cell_shift))
        c = np.clip(c, -most, most) if most else c
        h = np.clip(fixed_point.rescale(o * tanh(c, 15 + cell_shift), *of_hidden) - int(on_the_way.zero_points[0]), -128, 127)
        states.append(h)
    return np.stack(states).astype(np.int8)
