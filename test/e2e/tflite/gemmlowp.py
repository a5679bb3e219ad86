# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fixed-point arithmetic that TensorFlow Lite's reference kernels are defined by, in Python's integers.

How:  a number of Q(n) is raw / 2^(31 - n); products are of 32 bits, rounded to nearest and saturated.
"""
import math

MOST, LEAST = 2**31 - 1, -2**31


def saturate32(x):
    return max(LEAST, min(MOST, x))


def wrap(x):
    return (x + 2**31) % 2**32 - 2**31


def high(a, b):
    """SaturatingRoundingDoublingHighMul."""
    if a == b == LEAST:
        return MOST
    product = a * b
    nudged = product + (1 << 30 if product >= 0 else 1 - (1 << 30))
    return nudged // 2**31 if nudged >= 0 else -(-nudged // 2**31)


def divide(x, exponent):
    """RoundingDivideByPOT: halves away from zero."""
    half = (1 << exponent) >> 1
    return (x + half) >> exponent if x >= 0 else -((-x + half) >> exponent)


def rescaled(x, number):
    """MultiplyByQuantizedMultiplier, of a multiplier and a shift."""
    multiplier, shift = number
    return divide(high(wrap(x << max(shift, 0)), multiplier), max(-shift, 0))


def quantized(real):
    """QuantizeMultiplier."""
    fraction, shift = math.frexp(real)
    multiplier = math.floor(fraction * 2**31 + 0.5)
    return (multiplier // 2, shift + 1) if multiplier == 2**31 else (multiplier, shift)


def leading_zeros(x):
    return 32 - x.bit_length()


def radius(integer_bits, left_shift):
    return math.floor(((1 << integer_bits) - 1) * (1 << (31 - integer_bits)) / (1 << left_shift))


def exp_of_negative(a, bits):
    if a == 0:
        return MOST
    fraction = 31 - bits
    quarter = 1 << (fraction - 2)
    last = (a & (quarter - 1)) - quarter
    x = (last << bits) + (1 << 28)
    x2 = high(x, x)
    x3, x4 = high(x2, x), high(x2, x2)
    rest = divide(high(divide(x4, 2) + x3, 715827883) + x2, 1)
    result = saturate32(1895147668 + high(1895147668, x + rest))
    for exponent, factor in zip(range(-2, bits), (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)):
        if (last - a) & (1 << (fraction + exponent)):
            result = high(result, factor)
    return result


def newton(x):
    """2 / (1 + x) / 2 in Q2."""
    half = (x + MOST + 1) // 2
    quotient = 1515870810 + high(half, -1010580540)
    for _ in range(3):
        quotient += saturate32(high(quotient, (1 << 29) - high(half, quotient)) << 2)
    return quotient


def reciprocal_of_one_plus(x):
    return saturate32(newton(x) << 1)


def logistic(a):
    """Of Q4, in Q0."""
    if a == 0:
        return 1 << 30
    positive = reciprocal_of_one_plus(exp_of_negative(-abs(a), 4))
    return positive if a > 0 else MOST - positive


def tanh(a):
    if a == 0:
        return 0
    positive = saturate32((newton(exp_of_negative(-abs(a), 5)) - (1 << 29)) << 2)
    return positive if a > 0 else -positive


def reciprocal(x, integer_digits):
    """GetReciprocal: in Q0, and the bits over 1."""
    headroom = leading_zeros(x)
    return reciprocal_of_one_plus((x << headroom) - 2**31), integer_digits - headroom


def inverse_root(x):
    """GetInvSqrtQuantizedMultiplierExp, as a multiplier and a left shift."""
    if x <= 1:
        return MOST, 0
    shift = 11
    while x >= 1 << 29:
        x //= 4
        shift += 1
    pairs = (leading_zeros(x) - 1) // 2 - 1
    shift -= pairs
    x = (x << (2 * pairs)) >> 1
    half, root = divide(x, 1), 1 << 28
    for _ in range(5):
        cube = saturate32(high(high(root, root), root) << 6)
        root = saturate32((high((1 << 28) + (1 << 27), root) - high(half, cube)) << 3)
    root = high(root, 1518500250)
    return (root << -shift, 0) if shift < 0 else (root, -shift)


def logarithm(z):
    """Of Q12 at least 1, in Q5 (log_x_for_x_greater_than_or_equal_to_1)."""
    root_half, center, quarter = 1518500250, 1805811301, 1 << 23
    headroom = leading_zeros(z)
    first = saturate32(high(z << (headroom - 1), root_half) << 1)
    smaller = leading_zeros(high(z, root_half)) - 1
    second = saturate32(z << smaller)
    r = min(first, second)
    power = max(((12 - headroom) << 25) + quarter, ((12 - smaller) << 25) - quarter)
    p, q = (r + center + 1) // 2, (r - center) * 2
    q2 = high(q, q)
    above = high(q, r) + high(high(q, q2), 117049297)
    below = high(p, 1057819769 + q + high(127690142, q2)) + high(638450708, q)
    return saturate32((high(power, 1488522236) + high(divide(above, 6), reciprocal_of_one_plus(below))) << 1)
