# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resized pictures, with the bits of nacre/resize.hpp, which are those of Pillow's filter BILINEAR."""
from __future__ import annotations

from typing import NamedTuple, Tuple

import numpy as np

from .tensors import Array

#: The longest side of a picture, before and after it is resized.
LONGEST_SIDE = 65535
_WEIGHT_BITS = 22


class Window(NamedTuple):
    """The part of a resized picture that is kept."""

    resized: Tuple[int, int]  # Height and width of the whole picture after resizing.
    begin: Tuple[int, int]  # Top and left of the part in it.
    size: Tuple[int, int]  # Height and width of the part.


def resize(pixels: Array, window: Window) -> Array:
    """Resizes rows of pixels, uint8[height, width, channels]: columns first, then rows. Each direction rounds to 8 bits."""
    across = _Taps(pixels.shape[1], window, 1)
    down = _Taps(pixels.shape[0], window, 0)
    rows = slice(int(down.begin[0]), int(down.begin[-1]) + int(down.count[-1]))  # Only these are needed.
    mixed = across.mix(pixels[rows].transpose(1, 0, 2), 0).transpose(1, 0, 2)
    return down.mix(mixed, rows.start)


class _Taps:
    """The source pixels of each resulting pixel along one axis, and their weights in fixed point."""

    def __init__(self, size: int, window: Window, axis: int) -> None:
        scale = size / window.resized[axis]
        support = max(scale, 1.0)
        middle = (np.arange(window.begin[axis], window.begin[axis] + window.size[axis]) + 0.5) * scale
        self.begin = np.maximum(middle - support + 0.5, 0).astype(np.int64)
        self.count = np.minimum(middle + support + 0.5, size).astype(np.int64) - self.begin
        most = np.arange(int(self.count.max()))
        taps = self.begin[:, None] + most
        distance = np.abs((taps - middle[:, None] + 0.5) * (1 / support))
        exact = np.where((distance < 1) & (most < self.count[:, None]), 1 - distance, 0.0)
        total = np.add.accumulate(exact, axis=1)[:, -1:]  # numpy.sum adds in another order.
        share = np.divide(exact, total, out=exact, where=total != 0)
        self._weights = (0.5 + share * (1 << _WEIGHT_BITS)).astype(np.int32)
        self._taps = np.minimum(taps, size - 1)  # Those beyond have the weight 0.

    def mix(self, pixels: Array, first: int) -> Array:
        """Mixes pixels along axis 0, whose index 0 is number `first` of the source."""
        total = np.full((len(self.begin), *pixels.shape[1:]), 1 << _WEIGHT_BITS - 1, np.int32)
        last = len(pixels) - 1
        for tap, weights in zip(self._taps.T, self._weights.T):
            total += pixels[np.minimum(tap - first, last)] * weights.reshape(-1, 1, 1)
        mixed: Array = np.minimum(total >> _WEIGHT_BITS, 255).astype(np.uint8)
        return mixed
