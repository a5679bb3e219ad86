# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layers of Caffe that read windows of an image: convolutions, poolings and normalizations of neighbours."""
import math

import numpy as np

from references.caffe_parameters import Parameters
from references.windows import convolve, windows


def _last(x):
    return np.moveaxis(x, 1, -1)


def _first(x):
    return np.moveaxis(x, -1, 1)


def convolution(layer, blobs, *bottoms):
    p = Parameters(layer, "convolution_param")
    pads = [(n, n) for n in p.pair("pad", 0)]
    bias = blobs[1].reshape(-1) if p.flag("bias_term", True) else 0
    return [_first(convolve(_last(x), _last(blobs[0]), p.pair("stride", 1), pads, p.pair("dilation", 1)) + bias) for x in bottoms]


def deconvolution(layer, blobs, x):
    """Each element spreads the filter, times itself, from its place on."""
    p = Parameters(layer, "convolution_param")
    (high, wide), (step, aside), (above, left) = p.pair("kernel_size", 0), p.pair("stride", 1), p.pair("pad", 0)
    dilations, groups = p.pair("dilation", 1), p.one("group", 1)
    count, _, rows, columns = x.shape
    sums = np.zeros((count, p.one("num_output"), (rows - 1) * step + (high - 1) * dilations[0] + 1,
                     (columns - 1) * aside + (wide - 1) * dilations[1] + 1))
    parts = [np.einsum("nihw,iokl->nohwkl", part, filters) for part, filters in zip(np.split(x, groups, 1), np.split(blobs[0], groups))]
    spread = np.concatenate(parts, 1)
    for k in range(high):
        for l in range(wide):
            y, z = k * dilations[0], l * dilations[1]
            sums[:, :, y:y + (rows - 1) * step + 1:step, z:z + (columns - 1) * aside + 1:aside] += spread[..., k, l]
    sums = sums[:, :, above:sums.shape[2] - above, left:sums.shape[3] - left]
    return sums + (blobs[1].reshape(-1, 1, 1) if p.flag("bias_term", True) else 0)


def _pooled_size(size, kernel, stride, pad):
    """Rounded up; a last window that begins in the padding after the end is none."""
    count = math.ceil((size + 2 * pad - kernel) / stride) + 1
    return count - 1 if pad and (count - 1) * stride >= size + pad else count


def _average(x, kernel, strides, pads):
    """Divided by the part of a window that lies on the image with its padding, not beyond."""
    sums = _windows_of_pool(x, kernel, strides, pads, 0).sum((-2, -1))
    ones = np.ones((1, x.shape[1], *(n + 2 * p for n, p in zip(x.shape[2:], pads))), x.dtype)
    reach = [(n - 1) * s + k for n, s, k in zip(sums.shape[1:3], strides, kernel)]
    ones = np.pad(_last(ones), ((0, 0), *((0, max(0, r - n)) for r, n in zip(reach, ones.shape[2:])), (0, 0)))
    counts = windows(ones, kernel, strides)[:, :sums.shape[1], :sums.shape[2]].sum((-2, -1))
    return _first(sums / counts)


def _windows_of_pool(x, kernel, strides, pads, fill):
    counts = [_pooled_size(*sizes) for sizes in zip(x.shape[2:], kernel, strides, pads)]
    after = [max(p, (n - 1) * s + k - size - p) for n, s, k, size, p in zip(counts, strides, kernel, x.shape[2:], pads)]
    return windows(_last(x), kernel, strides, tuple(zip(pads, after)), fill=fill)[:, :counts[0], :counts[1]]


def pooling(layer, blobs, x):
    p = Parameters(layer, "pooling_param")
    kernel, strides, pads = p.pair("kernel_size", 0), p.pair("stride", 1), p.pair("pad", 0)
    if p.flag("global_pooling", False):
        kernel = x.shape[2:]
    if p.one("pool", "MAX") == "AVE":
        return _average(x, kernel, strides, pads)
    return _first(_windows_of_pool(x, kernel, strides, pads, -np.inf).max((-2, -1)))


def pyramid(layer, blobs, x):
    p = Parameters(layer, "spp_param")
    levels = []
    for level in range(p.one("pyramid_height")):
        kernel = tuple(math.ceil(n / 2 ** level) for n in x.shape[2:])
        pads = tuple((k * 2 ** level - n + 1) // 2 for k, n in zip(kernel, x.shape[2:]))
        if p.one("pool", "MAX") == "AVE":
            levels.append(_average(x, kernel, kernel, pads))
        else:
            levels.append(_first(_windows_of_pool(x, kernel, kernel, pads, -np.inf).max((-2, -1))))
    return levels[0] if len(levels) == 1 else np.concatenate([y.reshape(len(x), -1) for y in levels], 1)


def lrn(layer, blobs, x):
    p = Parameters(layer, "lrn_param")
    size, alpha, beta = p.one("local_size", 5), p.one("alpha", 1.0), p.one("beta", 0.75)
    if p.one("norm_region", "ACROSS_CHANNELS") == "WITHIN_CHANNEL":
        return x * (1 + alpha * _average(x * x, (size, size), (1, 1), ((size - 1) // 2,) * 2)) ** -beta
    padded = np.pad(x * x, ((0, 0), (size // 2, size - 1 - size // 2), (0, 0), (0, 0)))
    sums = sum(padded[:, i:i + x.shape[1]] for i in range(size))
    return x * (p.one("k", 1.0) + alpha / size * sums) ** -beta
