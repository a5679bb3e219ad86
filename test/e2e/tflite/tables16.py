# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables with which TensorFlow Lite's reference kernels compute functions of 16 bits."""
import math

from tflite_test import RANGES, f32, saturate
from tflite_writer import INT16


def rounded(real):
    """Halves away from zero."""
    return int(math.copysign(math.floor(abs(real) + 0.5), real))


def entries16(function, input_scale, input_zero, result_scale, result_zero, single=True):
    """The 513 entries of a function of 16 bits."""
    cut = f32 if single else float
    to_real = lambda code, scale, zero: cut(cut(scale) * (code - zero))  # noqa: E731
    first, last = (to_real(code, input_scale, input_zero) for code in RANGES[INT16])
    step = cut(cut(last - first) / 512)
    least, most = (to_real(code, result_scale, result_zero) for code in RANGES[INT16])
    per_real = cut(65536 / cut(most - least))
    value = lambda real: cut(cut(function(real)) * per_real)  # noqa: E731
    at = lambda index: cut(first + cut(index * step))  # noqa: E731
    entries = []
    for index in range(512):
        here, middle_value = rounded(value(at(index))), rounded(value(cut(at(index) + cut(step / 2))))
        off = rounded(cut(cut(value(at(index + 1)) + here) / 2)) - middle_value
        entries.append(saturate(here - rounded(off / 2), *RANGES[INT16]))
    return entries + [saturate(rounded(value(last)), *RANGES[INT16])]


def interpolate(entries, code):
    index, offset = 256 + (code >> 7), code & 127
    return entries[index] + (((entries[index + 1] - entries[index]) * offset + 64) >> 7)
