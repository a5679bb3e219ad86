# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws shapes, numbers and scales of layers of 8-bit integers, and computes their sums.

How:  sums are NumPy's 64-bit integers, tap by tap; a convolution is [N, C, H, W] by [M, C / groups, kh, kw].
"""
import math

import numpy as np

RANGES = {np.dtype(np.int8): (-128, 127), np.dtype(np.uint8): (0, 255)}
# Sums of products that one layer may have, so that neither the reference nor an emulator takes long.
MOST_PRODUCTS = 12_000_000


def ends(element):
    return RANGES[np.dtype(element)]


def out_size(size, kernel, stride, dilation, pads):
    return (size + sum(pads) - (kernel - 1) * dilation - 1) // stride + 1


def convolve(x, w, strides, dilations, pads, groups):
    """`x` and `w` without their zero points; `pads` are ((top, bottom), (left, right))."""
    batch, channels, *_ = x.shape
    outputs, inner, *kernel = w.shape
    x = np.pad(x.astype(np.int64), ((0, 0), (0, 0), *pads)).reshape(batch, groups, channels // groups, *(s + sum(p) for s, p in zip(x.shape[2:], pads)))
    w = w.astype(np.int64).reshape(groups, outputs // groups, inner, *kernel)
    height, width = ((size - (k - 1) * d - 1) // s + 1 for size, k, d, s in zip(x.shape[3:], kernel, dilations, strides))
    sums = np.zeros((batch, groups, outputs // groups, height, width), np.int64)
    for i, j in np.ndindex(*kernel):
        top, left = i * dilations[0], j * dilations[1]
        seen = x[:, :, :, top:top + (height - 1) * strides[0] + 1:strides[0], left:left + (width - 1) * strides[1] + 1:strides[1]]
        sums += np.matmul(w[None, :, :, :, i, j], seen.reshape(batch, groups, inner, -1)).reshape(sums.shape)
    sums = sums.reshape(batch, outputs, height, width)
    assert np.abs(sums).max(initial=0) < 2**31
    return sums


class Window:
    """A convolution's geometry: groups, kernels and strides of all kinds. `wide` ones have 3x3 filters of stride 1 over many channels,
    for which there are other algorithms."""

    def __init__(self, draw, same_padding=False, wide=False):
        one_of = draw.one_of
        self.batch = one_of([1, 1, 1, 2])
        self.kernel = one_of([(1, 1), (1, 1), (3, 3), (3, 3), (3, 3), (5, 5), (7, 7), (1, 3), (4, 1), (2, 2), (draw.between(1, 5), draw.between(1, 5))])
        self.strides = one_of([(1, 1), (1, 1), (1, 1), (2, 2), (2, 2), (1, 2), (3, 1)])
        self.dilations = one_of([(1, 1)] * 5 + [(2, 2), (1, 3)]) if self.strides == (1, 1) else (1, 1)
        self.size = tuple(draw.between(reach, reach + one_of([2, 6, 13])) for reach in self.reach())
        if wide:
            self.kernel, self.strides, self.dilations, self.batch = (3, 3), (1, 1), (1, 1), 1
            self.size = (draw.between(4, 15), draw.between(4, 15))
        self.kind = "wide" if wide else one_of(["dense", "dense", "dense", "dense", "depthwise", "depthwise", "groups"])
        self._channels(draw)
        if same_padding:
            self.pads = tuple(self._same(axis) for axis in (0, 1)) if draw.chance(.6) else ((0, 0), (0, 0))
        else:
            most = [min(reach - 1, 3) for reach in self.reach()]
            self.pads = one_of([((0, 0), (0, 0)), tuple((k // 2, k // 2) for k in most), tuple((draw.between(0, m), draw.between(0, m)) for m in most)])
        while self.products() > MOST_PRODUCTS:
            self._channels(draw)

    def _channels(self, draw):
        small = lambda: draw.between(1, 17)  # noqa: E731
        large = lambda: draw.one_of([24, 32, 48, 64, 64, 96, 128])  # noqa: E731
        if self.kind == "wide":
            # Only whole groups of four or eight channels are transformed.
            self.groups, self.inputs, self.outputs = 1, draw.one_of([4, 4, 8, 1]) * draw.between(14, 17), draw.between(60, 130)
        elif self.kind == "dense":
            self.groups = 1
            self.inputs, self.outputs = (large(), large()) if draw.chance(.3) else (small(), small())
        elif self.kind == "depthwise":
            self.groups = self.inputs = large() if draw.chance(.3) else small()
            self.outputs = self.inputs * draw.one_of([1, 1, 1, 2, 3])
        else:
            self.groups = draw.between(2, 4)
            self.inputs, self.outputs = self.groups * draw.between(1, 9), self.groups * draw.between(1, 9)

    def _same(self, axis):
        """TensorFlow's SAME: the odd element is after the end."""
        size, stride = self.size[axis], self.strides[axis]
        total = max((-(-size // stride) - 1) * stride + self.reach()[axis] - size, 0)
        return total // 2, total - total // 2

    def reach(self):
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations))

    def products(self):
        out = [out_size(*axis) for axis in zip(self.size, self.kernel, self.strides, self.dilations, self.pads)] if hasattr(self, "pads") else self.size
        return self.batch * math.prod(out) * self.outputs * self.inputs // self.groups * math.prod(self.kernel)

    def convolve(self, x, w):
        return convolve(x, w, self.strides, self.dilations, self.pads, self.groups)

    def __str__(self):
        return (f"{self.batch}x{self.inputs}x{self.size[0]}x{self.size[1]} by {self.outputs} of {self.kernel[0]}x{self.kernel[1]}, groups {self.groups}, "
                f"strides {self.strides}, dilations {self.dilations}, pads {self.pads}")


class Draw:
    """Random numbers of one layer."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        # Powers of two make ratios that meet halves exactly, in particular of small sums.
        self.is_exact = self.chance(.3)
        self.has_ends = self.chance(.2)
        self.is_small = not self.has_ends and self.chance(.5 if self.is_exact else .1)

    def between(self, low, high):
        return int(self.random.integers(low, high + 1))

    def chance(self, share):
        return self.random.random() < share

    def one_of(self, choices):
        return choices[self.between(0, len(choices) - 1)]

    def integers(self, element, shape, zero=None):
        """Some layers have the ends of the type alone, where pairs of products overflow 16 bits; some only few codes about `zero`."""
        least, most = ends(element)
        if self.has_ends:
            return self.random.choice([least, most], shape).astype(element)
        if self.is_small and zero is not None:
            least, most = max(least, int(zero) - 2), min(most, int(zero) + 2)
        return self.random.integers(least, most + 1, shape).astype(element)

    def zero(self, element):
        low, high = ends(element)
        return self.one_of([low, high, self.between(low, high), self.between(low, high), (low + high + 1) // 2])

    def scales(self, count, about):
        """Of float32; `about` is the order of their size."""
        if self.is_exact:
            return np.ldexp(np.float32(1), np.round(np.log2(about)).astype(int) - self.random.integers(0, 3, count)).astype(np.float32)
        return (np.float32(about) * self.random.uniform(.4, 1.6, count)).astype(np.float32)

    def result_scale(self, sums, ratios, ways):
        """The scale of a result, float32, so that most codes are within the range, or most beyond it, or nearly all are the same.

        A sum times its ratio, over the scale, is the code. `ways` are functions of the scale that give all codes, the first one right,
        the others nearly: of scales that bring some sum as close to a half as can be, that is taken for which most ways differ.
        """
        reals = sums * np.float64(ratios)
        scale = self.scales(1, max(float(reals.std()), 1e-9) / self.one_of([40, 40, 40, 40, 300, 1.5]))[0]
        inside = np.argwhere((np.abs(reals) < 60 * scale) & (reals != 0))
        if self.is_exact or not len(inside):
            return scale
        best, found = scale, -1
        for _ in range(4):
            real = float(reals[tuple(self.one_of(inside))])
            candidate = np.float32(abs(real) / (math.floor(abs(real) / float(scale)) + 0.5))
            for ulps in range(-3, 4):
                tried = candidate + np.float32(ulps) * np.spacing(candidate)
                right, *others = (way(tried) for way in ways)
                count = sum((other != right).any() for other in others)
                if count > found:
                    best, found = tried, count
            if found == len(ways) - 1:
                break
        return best
