# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers that stand for reals, as gemmlowp and TensorFlow Lite's reference kernels compute with them.

How:  arrays of int64, which hold each product of two integers of 32 bits.
"""
import math

import numpy as np

_MIN, _MAX = -(1 << 31), (1 << 31) - 1


def multiplier_of(real):
    """A factor as (integer of 31 bits, power of two)."""
    if real == 0:
        return 0, 0
    fraction, shift = math.frexp(real)
    quantized = math.floor(fraction * (1 << 31) + 0.5)
    if quantized == 1 << 31:
        quantized, shift = quantized // 2, shift + 1
    return (0, 0) if shift < -31 else (quantized, shift)


def doubling_high_product(a, b):
    """The high half of twice the product, rounded to nearest, halves away from zero."""
    product = np.asarray(a, np.int64) * np.asarray(b, np.int64)
    nudged = product + np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    truncated = np.where(nudged >= 0, nudged >> 31, -(-nudged >> 31))
    return np.where((np.asarray(a) == _MIN) & (np.asarray(b) == _MIN), _MAX, truncated)


def divide_by_power(x, exponent):
    """Rounded to nearest, halves away from zero."""
    x = np.asarray(x, np.int64)
    mask = (np.int64(1) << exponent) - 1
    return (x >> exponent) + ((x & mask) > (mask >> 1) + (x < 0))


def rescale(x, multiplier, shift):
    """x * multiplier * 2^(shift - 31), rounded twice."""
    left, right = np.maximum(shift, 0), np.maximum(-np.asarray(shift), 0)
    return divide_by_power(doubling_high_product(np.asarray(x, np.int64) << left, multiplier), right)


def _to_power(x, exponent):
    """x * 2^exponent, saturated."""
    return np.clip(np.asarray(x, np.int64) << exponent, _MIN, _MAX) if exponent >= 0 else divide_by_power(x, -exponent)


def _half_sum(a, b):
    total = a + b
    return np.where(total >= 0, (total + 1) // 2, -((1 - total) // 2))


def _exp_of_interval(a):
    """exp(a) of a in [-1/4, 0), all of 31 bits below the point: Taylor's series around -1/8."""
    product = doubling_high_product
    x = a + (1 << 28)
    x2 = product(x, x)
    x3, x4 = product(x2, x), product(x2, x2)
    third = 715827883
    series = divide_by_power(product(divide_by_power(x4, 2) + x3, third) + x2, 1)
    constant = 1895147668  # exp(-1/8)
    return constant + product(constant, x + series)


def exp_of_negative(a, integer_bits):
    """exp(a) of a <= 0 with so many bits before the point; the result has none."""
    fraction_bits = 31 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    rest = (a & (quarter - 1)) - quarter
    result = _exp_of_interval(_to_power(rest, integer_bits))
    remainder = rest - a
    for exponent, factor in ((-2, 1672461947), (-1, 1302514674), (0, 790015084), (1, 290630308), (2, 39332535), (3, 720401), (4, 242)):
        if exponent < integer_bits:
            bit = 1 << (fraction_bits + exponent)
            result = np.where(remainder & bit, doubling_high_product(result, factor), result)
    if integer_bits > 5:
        result = np.where(a < -(1 << (fraction_bits + 5)), 0, result)
    return np.where(a == 0, _MAX, result)


def one_over_one_plus(a):
    """1 / (1 + a) of a in [0, 1), no bits before the point: three of Newton's steps."""
    product = doubling_high_product
    half = _half_sum(a, np.int64(_MAX))
    x = 1515870810 + product(half, -1010580540)  # 48/17 - 32/17 * half, two bits before the point
    for _ in range(3):
        x = x + _to_power(product(x, (1 << 29) - product(half, x)), 2)
    return _to_power(x, 1)


def softmax(codes, scale, beta):
    """Codes of int8 of probabilities, a unit being 1/256, over the last axis."""
    codes = codes.astype(np.int64)
    multiplier, shift = multiplier_of(min(beta * scale * (1 << 26), _MAX))
    least = -math.floor(31 * (1 << 26) / (1 << shift))
    below = codes - codes.max(-1, keepdims=True)
    counts = below >= least
    exps = exp_of_negative(rescale(np.where(counts, below, 0), multiplier, shift), 5)
    total = np.where(counts, divide_by_power(exps, 12), 0).sum(-1, keepdims=True)
    zeros = np.vectorize(lambda n: 32 - int(n).bit_length())(total)
    inverse = one_over_one_plus((total << zeros) - (1 << 31))
    exponents = 12 - zeros + 31 - 8
    outputs = divide_by_power(doubling_high_product(inverse, exps), exponents)
    return np.where(counts, np.clip(outputs - 128, -128, 127), -128).astype(np.int8)
