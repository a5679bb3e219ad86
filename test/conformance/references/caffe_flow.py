# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layers of FlowNet's Caffe, by their definitions: Correlation, FlowWarp, Resample, Accum, DataAugmentation in use."""
import math

import numpy as np
from references.caffe_images import resize


def correlate(p, left, right):
    """Of each displacement, the mean of the products of two windows."""
    pad, size, reach, stride, step = (p.one(name, missing) for name, missing in (
        ("pad", 0), ("kernel_size", 1), ("max_displacement", 0), ("stride_1", 1), ("stride_2", 1)))
    left, right = (np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad))) for x in (left, right))
    rows, columns = (math.ceil((extent - 2 * (reach + size // 2)) / stride) for extent in left.shape[2:])
    offsets = [step * number for number in range(-(reach // step), reach // step + 1)]
    combine = (lambda a, b: abs(a - b)) if p.one("correlation_type") == "SUBTRACT" else np.multiply
    result = np.empty((len(left), len(offsets) ** 2, rows, columns))
    for number, (down, across) in enumerate((down, across) for down in offsets for across in offsets):
        for i in range(rows):
            for j in range(columns):
                top, side = i * stride + reach, j * stride + reach
                result[:, number, i, j] = combine(left[:, :, top:top + size, side:side + size],
                                                  right[:, :, top + down:top + down + size, side + across:side + across + size]).mean((1, 2, 3))
    return result


def warp(image, flow):
    """The image at the places to which the flow points, linearly between its pixels; 0 outside."""
    rows, columns = image.shape[2:]
    result = np.zeros_like(image)
    for n, i, j in np.ndindex(len(image), rows, columns):
        x, y = j + flow[n, 0, i, j], i + flow[n, 1, i, j]
        if not (0 <= x < columns and 0 <= y < rows):
            continue
        left, top = int(x), int(y)
        right, bottom, a, b = min(left + 1, columns - 1), min(top + 1, rows - 1), x - left, y - top
        result[n, :, i, j] = ((1 - a) * (1 - b) * image[n, :, top, left] + a * (1 - b) * image[n, :, top, right] +
                              (1 - a) * b * image[n, :, bottom, left] + a * b * image[n, :, bottom, right])
    return result


def _triangle(distance):
    return max(0.0, 1 - abs(distance))


def _keys(distance):
    x = abs(distance)
    return (1.5 * x - 2.5) * x * x + 1 if x <= 1 else ((-0.5 * x + 2.5) * x - 4) * x + 2 if x < 2 else 0.0


def _resample_axis(x, axis, size, kind, antialias):
    extent = x.shape[axis]
    ratio = extent / size
    weights = np.zeros((size, extent))
    for to in range(size):
        place = (to + 0.5) * ratio - 0.5
        if kind == "NEAREST":
            weights[to, min(max(int(math.copysign(math.floor(abs(place) + 0.5), place)), 0), extent - 1)] = 1
            continue
        stretch = 1 / ratio if antialias and ratio > 1 else 1
        weights[to] = [(_keys if kind == "CUBIC" else _triangle)(stretch * (place - at)) for at in range(extent)]
        weights[to] /= weights[to].sum()
    return np.moveaxis(np.tensordot(weights, x, (1, axis)), 0, axis)


def resample(p, x, *reference):
    """Images in other sizes, between the middles of pixels; smoothed where they become smaller."""
    for axis, name in ((2, "height"), (3, "width")):
        size = reference[0].shape[axis] if reference else p.one(name) or int(x.shape[axis] * p.one("factor", 1))
        x = _resample_axis(x, axis, size, p.one("type", "LINEAR"), p.flag("antialias", True))
    return x


def accumulate(p, *xs):
    """Images in the size of the largest or of a reference, side by side."""
    images = xs[:-1] if p.flag("have_reference", False) else xs
    largest = [max(x.shape[axis] for x in images) for axis in (2, 3)]
    multiple = p.one("size_divisible_by", 0)
    sizes = [-(-extent // multiple) * multiple for extent in largest] if multiple else [p.one("top_height", 0), p.one("top_width", 0)]
    sizes = largest if any(size <= extent for size, extent in zip(sizes, largest)) else sizes
    sizes = xs[-1].shape[2:] if len(images) < len(xs) else sizes
    return np.concatenate([resize(resize(x, 2, sizes[0]), 3, sizes[1]) for x in images], 1)


def subtract_mean(p, blobs, x):
    """Images less the mean that the layer found during training, or that it says."""
    if not p.one("recompute_mean", 0):
        return x - np.reshape(p.all("mean") or [0], (-1, 1, 1))
    return x - (blobs[1].reshape(x.shape[1:]) if p.flag("mean_per_pixel", True) else blobs[2].reshape(-1, 1, 1))
