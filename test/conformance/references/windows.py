# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows over arrays of [N, H, W, C], for whatever slides them: convolutions and poolings."""
import numpy as np


def same_pads(size, kernel, stride, dilation=1):
    """The pads of TensorFlow's SAME: as many windows as strides begin, the odd element after the end."""
    total = max(0, (-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size)
    return total // 2, total - total // 2


def windows(x, kernel, strides, pads=((0, 0), (0, 0)), dilations=(1, 1), fill=0):
    """The windows as a view [N, OH, OW, C, KH, KW]."""
    x = np.pad(x, ((0, 0), *pads, (0, 0)), constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    all_of_them = np.lib.stride_tricks.sliding_window_view(x, reach, (1, 2))
    return all_of_them[:, ::strides[0], ::strides[1], :, ::dilations[0], ::dilations[1]]


def convolve(x, weights, strides, pads, dilations=(1, 1), fill=0):
    """A convolution in groups, as many as the weights [O, KH, KW, I] are narrower than x."""
    outputs, *kernel, inputs = weights.shape
    groups = x.shape[-1] // inputs
    seen = windows(x, kernel, strides, pads, dilations, fill)
    if inputs == 1 and groups > 1:  # each channel alone
        weights = weights.reshape(groups, outputs // groups, *kernel)
        return np.einsum("nhwckl,cmkl->nhwcm", seen, weights, optimize=True).reshape(*seen.shape[:3], outputs)
    parts = [seen[:, :, :, g * inputs:(g + 1) * inputs].reshape(-1, inputs * kernel[0] * kernel[1])
             @ weights[g * outputs // groups:(g + 1) * outputs // groups].transpose(3, 1, 2, 0).reshape(-1, outputs // groups)
             for g in range(groups)]
    return np.concatenate(parts, 1).reshape(*seen.shape[:3], outputs)
