# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes a net of Caffe on floats, as its layers' documentation defines them.

How:  layers in the file's order, each a function of its parameters, its blobs and its bottoms; arrays are [N, C, H, W]. A blob that
      a layer writes in place takes the name's place.
"""
import math

import numpy as np

from references.windows import convolve, windows


class Parameters:
    """The fields of one message of parameters."""

    def __init__(self, layer, message):
        self.fields = layer.get(message, [{}])[0]

    def all(self, name):
        return self.fields.get(name, [])

    def one(self, name, default=None):
        return self.fields.get(name, [default])[0]

    def flag(self, name, default):
        return self.one(name, str(default).lower()) == "true"

    def pair(self, name, default):
        """A size along the height and the width: of each, or one of both."""
        stem = name.removesuffix("_size")
        if f"{stem}_h" in self.fields:
            return self.one(f"{stem}_h"), self.one(f"{stem}_w")
        both = self.all(name) or [default]
        return both[0], both[-1]


def _last(x):
    return np.moveaxis(x, 1, -1)


def _first(x):
    return np.moveaxis(x, -1, 1)


def _convolution(layer, blobs, *bottoms):
    p = Parameters(layer, "convolution_param")
    pads = [(n, n) for n in p.pair("pad", 0)]
    bias = blobs[1].reshape(-1) if p.flag("bias_term", True) else 0
    return [_first(convolve(_last(x), _last(blobs[0]), p.pair("stride", 1), pads, p.pair("dilation", 1)) + bias) for x in bottoms]


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


def _pooling(layer, blobs, x):
    p = Parameters(layer, "pooling_param")
    kernel, strides, pads = p.pair("kernel_size", 0), p.pair("stride", 1), p.pair("pad", 0)
    if p.flag("global_pooling", False):
        kernel = x.shape[2:]
    if p.one("pool", "MAX") == "AVE":
        return _average(x, kernel, strides, pads)
    return _first(_windows_of_pool(x, kernel, strides, pads, -np.inf).max((-2, -1)))


def _lrn(layer, blobs, x):
    p = Parameters(layer, "lrn_param")
    size, alpha, beta = p.one("local_size", 5), p.one("alpha", 1.0), p.one("beta", 0.75)
    if p.one("norm_region", "ACROSS_CHANNELS") == "WITHIN_CHANNEL":
        return x * (1 + alpha * _average(x * x, (size, size), (1, 1), ((size - 1) // 2,) * 2)) ** -beta
    padded = np.pad(x * x, ((0, 0), (size // 2, size - 1 - size // 2), (0, 0), (0, 0)))
    sums = sum(padded[:, i:i + x.shape[1]] for i in range(size))
    return x * (p.one("k", 1.0) + alpha / size * sums) ** -beta


def _inner_product(layer, blobs, x):
    p = Parameters(layer, "inner_product_param")
    axis = p.one("axis", 1)
    flat = x.reshape(*x.shape[:axis], -1)
    weights = blobs[0].reshape(p.one("num_output"), flat.shape[-1]) if not p.flag("transpose", False) else blobs[0].T
    return flat @ weights.T + (blobs[1].reshape(-1) if p.flag("bias_term", True) else 0)


def _reshape(layer, blobs, x):
    p = Parameters(layer, "reshape_param")
    dims = p.one("shape")["dim"]
    return x.reshape([x.shape[i] if d == 0 else d for i, d in enumerate(dims)])


def _eltwise(layer, blobs, *xs):
    p = Parameters(layer, "eltwise_param")
    kind, factors = p.one("operation", "SUM"), p.all("coeff") or [1] * len(xs)
    if kind == "SUM":
        return sum(np.float32(f) * x for f, x in zip(factors, xs))
    result = xs[0]
    for x in xs[1:]:
        result = result * x if kind == "PROD" else np.maximum(result, x)
    return result


def _softmax(layer, blobs, x):
    axis = Parameters(layer, "softmax_param").one("axis", 1)
    exps = np.exp(x - x.max(axis, keepdims=True))
    return exps / exps.sum(axis, keepdims=True)


def _concat(layer, blobs, *xs):
    p = Parameters(layer, "concat_param")
    return np.concatenate(xs, p.one("axis", p.one("concat_dim", 1)))


LAYERS = {"Concat": _concat, "Convolution": _convolution, "Dropout": lambda layer, blobs, x: x, "Eltwise": _eltwise,
          "InnerProduct": _inner_product, "LRN": _lrn,
          "Permute": lambda layer, blobs, x: x.transpose(Parameters(layer, "permute_param").all("order")), "Pooling": _pooling,
          "ReLU": lambda layer, blobs, x: np.where(x > 0, x, np.float32(Parameters(layer, "relu_param").one("negative_slope", 0)) * x),
          "Reshape": _reshape, "Softmax": _softmax}


def inputs_of(net):
    """{name: shape}."""
    shapes = [layer["dim"] for layer in net.get("input_shape", [])]
    shapes = shapes or [net["input_dim"][i:i + 4] for i in range(0, len(net.get("input_dim", [])), 4)]
    found = dict(zip(net.get("input", []), shapes))
    for layer in net["layer"]:
        if layer["type"][0] == "Input":
            given = Parameters(layer, "input_param").all("shape")
            found.update(zip(layer["top"], (shape["dim"] for shape in given)))
    return found


def _weight_shapes(layer, x):
    """The blobs that a layer has, of its first bottom."""
    kind = layer["type"][0]
    p = Parameters(layer, {"Convolution": "convolution_param", "InnerProduct": "inner_product_param"}.get(kind, ""))
    if kind == "Convolution":
        outputs = p.one("num_output")
        return [(outputs, x.shape[1] // p.one("group", 1), *p.pair("kernel_size", 0))] + [(outputs,)] * p.flag("bias_term", True)
    if kind == "InnerProduct":
        outputs = p.one("num_output")
        return [(outputs, int(np.prod(x.shape[p.one("axis", 1):])))] + [(outputs,)] * p.flag("bias_term", True)
    return []


def run(net, inputs, weights, random=None):
    """{name: value} of the tops that nobody reads. With `random`, layers without weights draw some, which are put into `weights`."""
    values, read = dict(inputs), set()
    for layer in net["layer"]:
        name, kind = layer["name"][0], layer["type"][0]
        if kind == "Input" or any(rule.get("phase") == ["TRAIN"] for rule in layer.get("include", [])):
            continue
        bottoms, tops = layer.get("bottom", []), layer["top"]
        if random is not None and name not in weights:
            shapes = _weight_shapes(layer, values[bottoms[0]])
            scale = (3 / np.prod(shapes[0][1:])) ** 0.5 if shapes else 0
            weights[name] = [random.uniform(-scale, scale, shape).astype(np.float32) for shape in shapes]
        read.update(bottoms)
        results = LAYERS[kind](layer, weights.get(name, []), *(values[b] for b in bottoms))
        read.difference_update(tops)
        values.update(zip(tops, results if isinstance(results, list) else [results]))
    return {name: value for name, value in values.items() if name not in read and name not in inputs}
