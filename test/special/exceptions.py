# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that differ from nacre-eval's, each with a reason.

`when` returns whether the exception covers a difference. A difference has a type, the arguments that a result is computed of, the result `is_`, and
what it `must` be.
"""
import math
from collections import namedtuple

from element_types import TYPES

Exception_ = namedtuple("Exception_", "engines types labels when reason")

ALL, CPU, GPU = ("host", "arm64", "gpu"), ("host", "arm64"), ("gpu",)
HALVES, FLOATS = ("bf16", "f16"), ("bf16", "f16", "f32", "f64")


def finite(difference):
    return [x for x in difference.arguments if math.isfinite(x)]


def range_of(difference):
    """The smallest and the largest number of the type."""
    return TYPES[difference.type].smallest, TYPES[difference.type].largest


def magnitude(difference):
    """The sum of all magnitudes, as a share of the largest number; a sum in some order may be as large."""
    largest = range_of(difference)[1]
    return sum(abs(x) / largest for x in finite(difference))


def sum_overflows(difference):
    return magnitude(difference) > 1 and not math.isfinite(difference.is_)


def norm_overflows(difference):
    return magnitude(difference) > 1


def squares_leave_the_range(difference):
    """The sum of the squares of what differs from zero, or from the mean, is infinite or has lost digits."""
    smallest, largest = range_of(difference)
    most = max(map(abs, finite(difference)), default=0)
    return most * math.sqrt(len(difference.arguments)) > math.sqrt(largest) / 2 or 0 < most < math.sqrt(smallest) * 2**12


def product_leaves_the_range(difference):
    """In some order, a product of some elements is infinite or too small to be normal."""
    smallest, largest = range_of(difference)
    exponents = [math.log2(abs(x)) for x in finite(difference) if x]
    large, small = (sum(e for e in exponents if e * sign > 0) for sign in (1, -1))
    return large >= math.log2(largest) or small <= math.log2(smallest)


def sum_cancels(difference):
    """What is left of the largest element is rounding."""
    return abs(math.fsum(finite(difference))) < 1e-3 * max(map(abs, finite(difference)), default=0)


def is_near(difference):
    return abs(difference.is_ - difference.must) < 0.02


def are_equal(difference):
    return len(set(difference.arguments)) == 1


def is_zero(difference):
    return difference.is_ == difference.must == 0


def has_nan(difference):
    return any(math.isnan(x) for x in difference.arguments)


EXCEPTIONS = [
    Exception_(ALL, FLOATS, ("Mean", "ReduceMean", "AveragePool", "ReduceLogSum"), sum_overflows,
               "a sum of the type is infinite before it is divided, or its logarithm taken; the reference's doubles are not"),
    Exception_(ALL, ("bf16", "f16", "f32"), ("LpNormalization 1",), norm_overflows, "a norm is infinite that the reference's doubles have"),
    Exception_(ALL, ("bf16", "f16", "f32"), ("ReduceL2", "LpNormalization 2", "RMSNormalization", "LayerNormalization", "MeanVarianceNormalization",
                                  "InstanceNormalization"), squares_leave_the_range, "squares leave the type's range, not that of the reference's doubles"),
    Exception_(ALL, ("bf16", "f32", "f64"), ("ReduceProd", "CumProd"), product_leaves_the_range,
               "a product on the way leaves the type's range; in another order, or in the reference's doubles, none does"),
    Exception_(CPU, FLOATS, ("ReduceLogSum",), sum_cancels, "the logarithm of a sum of which only rounding is left"),
    Exception_(GPU, HALVES, ("MeanVarianceNormalization",), is_near, "a mean is rounded to 16 bits before it is subtracted"),
    Exception_(GPU, ("f32",), ("MeanVarianceNormalization",), are_equal,
               "the mean of equal numbers is rounded; what is left of them is divided by its own deviation"),
    Exception_(("gpu",), FLOATS, ("ReduceSum", "ReduceMean", "CumSum", "CumSum exclusive, reverse", "AveragePool"), is_zero,
               "a sum that begins with its first number, and not with 0, is -0 if all are"),
    Exception_(ALL, ("f64",), ("LayerNormalization", "MeanVarianceNormalization", "InstanceNormalization"), is_zero,
               "a number of no deviation, or of an infinite one, is 0 of any sign"),
    Exception_(("arm64",), FLOATS, ("Min", "Max", "Relu"), is_zero, "of zeros of both signs, either is the largest, and the smallest"),
    Exception_(("arm64",), ("bf16", "f32", "f64"), ("Cast to u8", "Cast to u16", "Cast to u32", "ArgMax first", "ArgMax last",
                                                "ArgMin first", "ArgMin last", "Hardmax"), has_nan,
               "a signalling NaN, which no arithmetic gives: FMAXNM makes it quiet where it drops a quiet one"),
]
