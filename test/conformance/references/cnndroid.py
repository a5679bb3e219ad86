# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes a network of CNNdroid on floats, as its sequential mode does.

How:  layers in the order of the text, each a function of its keys, its parameters and the value before it; images are [N, C, H, W].
"""
import math
import re

import numpy as np

from references.windows import convolve, windows

_LAYER = re.compile(r"layer\s*\{(.*?)\}", re.DOTALL)
_KEY = re.compile(r'(\w+)\s*:\s*("[^"]*"|\S+)')


def read_layers(path):
    """One dictionary of keys for each layer."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return [{key.lower(): value.strip('"') for key, value in _KEY.findall(body)} for body in _LAYER.findall(text)]


def _last(x):
    return np.moveaxis(x, 1, -1)


def _first(x):
    return np.moveaxis(x, -1, 1)


def _steps(size, kernel, stride):
    return math.ceil((size - kernel) / stride) + 1


def _padded(x, kernel, stride, pad, fill):
    """The padded image, and cells of `fill` after it for the last steps."""
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    after = [(0, (_steps(n, k, stride) - 1) * stride + k - n) for n, k in zip(x.shape[2:], kernel)]
    return np.pad(x, ((0, 0), (0, 0), *after), constant_values=fill)


def _convolution(layer, x, weights, bias):
    stride = int(layer.get("stride", 1))
    x = _padded(x, weights.shape[2:], stride, int(layer.get("pad", 0)), 0)
    assert weights.shape[1] * int(layer.get("group", 1)) == x.shape[1]
    return _first(convolve(_last(x), _last(weights), (stride, stride), ((0, 0), (0, 0))) + bias)


def _pooling(layer, x):
    kernel, stride, pad = (int(layer["kernel_size"]),) * 2, int(layer.get("stride", 1)), int(layer.get("pad", 0))
    if layer["pool"] == "max":
        return _first(windows(_last(_padded(x, kernel, stride, pad, -np.inf)), kernel, (stride, stride)).max((-2, -1)))
    assert layer["pool"] == "ave"
    cells = _padded(x, kernel, stride, pad, np.nan)
    return _first(np.nanmean(windows(_last(cells), kernel, (stride, stride)), (-2, -1)))


def _lrn(layer, x):
    size = int(layer["local_size"])
    assert layer["norm_region"] == "across_channels" and size % 2
    squares = np.pad(x * x, ((0, 0), (size // 2, size // 2), (0, 0), (0, 0)))
    sums = sum(squares[:, i:i + x.shape[1]] for i in range(size))
    return x / (1 + np.float32(layer["alpha"]) / size * sums) ** np.float32(layer["beta"])


def _fully_connected(_layer, x, weights, bias):
    return x.reshape(len(x), -1) @ weights.reshape(len(bias), -1).T + bias


def _softmax(_layer, x):
    x = x if x.ndim == 2 else x[:, :, 0, 0]
    exps = np.exp(x - x.max(1, keepdims=True))
    return exps / exps.sum(1, keepdims=True)


def _accuracy(layer, x, labels):
    best = np.argsort(x, 1)[:, -int(layer["topk"]):]
    return np.float32(np.mean([int(label.flat[0]) in row for label, row in zip(labels, best)]))


_LAYERS = {"convolution": _convolution, "pooling": _pooling, "lrn": _lrn, "fullyconnected": _fully_connected,
           "relu": lambda layer, x: np.maximum(x, 0), "softmax": _softmax, "accuracy": _accuracy}


def draw(layer, outputs, x, random):
    """Parameters of a layer that reads `x`: weights of the usual size, and a bias."""
    kernel = layer.get("_kernel")
    shape = (outputs, x.shape[1] // int(layer.get("group", 1)), kernel, kernel) if kernel else (outputs, int(np.prod(x.shape[1:])))
    scale = (3 / np.prod(shape[1:])) ** 0.5
    return random.uniform(-scale, scale, shape).astype(np.float32), random.uniform(-scale, scale, outputs).astype(np.float32)


def run_layer(layer, x, parameters):
    return _LAYERS[layer["type"].lower()](layer, x, *parameters)
