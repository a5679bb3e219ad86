# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Caffe's layers that resize images and pool regions of them: DeepLab's Interp, Fast R-CNN's ROIPooling."""
import math

import numpy as np


def resize(x, axis, size):
    """Linearly between elements of an axis, of which the first and the last stay where they are."""
    extent = x.shape[axis]
    places = np.arange(size) * ((extent - 1) / (size - 1) if size > 1 else 0)
    below = np.minimum(places.astype(int), extent - 1)
    share = (places - below).reshape(-1, *[1] * (x.ndim - 1 - axis))
    return x.take(below, axis) * (1 - share) + x.take(np.minimum(below + 1, extent - 1), axis) * share


def interpolate(p, x):
    """Images of other sizes, of what the pads leave of them."""
    begin, end, zoom, shrink = -p.one("pad_beg", 0), -p.one("pad_end", 0), p.one("zoom_factor"), p.one("shrink_factor")
    x = x[:, :, begin:x.shape[2] - end, begin:x.shape[3] - end]
    for axis, given in ((2, p.one("height")), (3, p.one("width"))):
        size = (x.shape[axis] - 1) // (shrink or 1) + 1
        size += (size - 1) * ((zoom or 1) - 1)
        x = resize(x, axis, given if given and bool(zoom) == bool(shrink) else size)
    return x


def region_maxima(p, x, rois):
    """The largest element of each part of a region, whose ends are rounded outwards; 0 where there is none."""
    bins, scale = (p.one("pooled_h"), p.one("pooled_w")), np.float32(p.one("spatial_scale", 1))
    result = np.zeros((len(rois), x.shape[1], *bins), np.float32)
    for region, (image, *corners) in enumerate(rois.astype(np.float32)):
        left, top, right, bottom = (int(math.copysign(math.floor(abs(place) + 0.5), place)) for place in (c * scale for c in corners))
        parts = []
        for begin, end, count, extent in ((top, bottom, bins[0], x.shape[2]), (left, right, bins[1], x.shape[3])):
            step = np.float32(max(end - begin + 1, 1)) / np.float32(count)
            ends = [(np.floor(np.float32(i) * step), np.ceil(np.float32(i + 1) * step)) for i in range(count)]
            parts.append([slice(*np.clip([int(first) + begin, int(last) + begin], 0, extent)) for first, last in ends])
        for i, rows in enumerate(parts[0]):
            for j, columns in enumerate(parts[1]):
                part = x[int(image), :, rows, columns]
                if part.size:
                    result[region, :, i, j] = part.max((1, 2))
    return result
