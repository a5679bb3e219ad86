# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes a net of TensorFlow Lite on floats, as its operators' documentation defines them; integer_tflite.py has those on codes.

Why:  most of the nets in ../shared/data come without answers.
How:  operators in the file's order, each a function of the operator, its operands and its options; options are asked for by
      their number in the schema.
"""
import numpy as np

from readers.tflite import read_net
from references import integer_tflite
from references.windows import convolve, same_pads, windows


def activate(x, kind):
    bounds = {1: (0, np.inf), 2: (-1, 1), 3: (0, 6)}
    return np.tanh(x) if kind == 4 else np.clip(x, *bounds[kind]) if kind else x


def _strides(options, at):
    return options.scalar(at + 1), options.scalar(at)


def window_pads(x, kernel, strides, dilations, is_valid):
    return [(0, 0) if is_valid else same_pads(n, *rest) for n, *rest in zip(x.shape[1:3], kernel, strides, dilations)]


def conv_geometry(op, x, kernel, dilation_at):
    """(strides, pads, dilations) of a convolution whose options begin with padding and strides."""
    strides, options = _strides(op.options, 1), op.options
    dilations = options.scalar(dilation_at + 1, default=1), options.scalar(dilation_at, default=1)
    return strides, window_pads(x, kernel, strides, dilations, options.scalar(0, "b")), dilations


def depthwise_as_groups(weights):
    """[1, H, W, C * M] as the weights of a convolution in groups of one channel."""
    return weights.transpose(3, 1, 2, 0)


def _conv(op, x, weights, bias=0):
    return activate(convolve(x, weights, *conv_geometry(op, x, weights.shape[1:3], 4)) + bias, op.options.scalar(3, "b"))


def _depthwise(op, x, weights, bias=0):
    weights = depthwise_as_groups(weights)
    return activate(convolve(x, weights, *conv_geometry(op, x, weights.shape[1:3], 5)) + bias, op.options.scalar(4, "b"))


def pool_windows(op, x, fill):
    options, kernel = op.options, (op.options.scalar(4), op.options.scalar(3))
    strides = _strides(options, 1)
    return windows(x, kernel, strides, window_pads(x, kernel, strides, (1, 1), options.scalar(0, "b")), fill=fill)


def _average_pool(op, x):
    return activate(np.nanmean(pool_windows(op, x, np.nan), (-2, -1)), op.options.scalar(5, "b"))


def _max_pool(op, x):
    return activate(pool_windows(op, x, -np.inf).max((-2, -1)), op.options.scalar(5, "b"))


def _fully_connected(op, x, weights, bias=None):
    y = x.reshape(-1, weights.shape[1]) @ weights.T + (0 if bias is None else bias)
    return activate(y.reshape(*x.shape[:-1], -1) if op.options.scalar(2, "b") else y, op.options.scalar(0, "b"))


def _arithmetic(function):
    return lambda op, a, b: activate(function(a, b), op.options.scalar(0, "b") if op.options else 0)


def _reduction(function):
    return lambda op, x, axes: function(x, tuple(np.atleast_1d(axes).tolist()), keepdims=bool(op.options.scalar(0, "b")))


def _resize_bilinear(op, x, size):
    for axis, n in ((1, int(size[0])), (2, int(size[1]))):
        old = x.shape[axis]
        if op.options.scalar(2, "b") and n > 1:  # corners on corners
            at = np.arange(n, dtype=np.float32) * np.float32((old - 1) / (n - 1))
        elif op.options.scalar(3, "b"):
            at = (np.arange(n, dtype=np.float32) + np.float32(0.5)) * np.float32(old / n) - np.float32(0.5)
        else:
            at = np.arange(n, dtype=np.float32) * np.float32(old / n)
        low = np.floor(at).astype(int)
        part = (at - low).reshape([-1 if i == axis else 1 for i in range(4)])
        first, second = (np.take(x, np.clip(i, 0, old - 1), axis) for i in (low, low + 1))
        x = first * (1 - part) + second * part
    return x


def _softmax(op, x):
    exps = np.exp((x - x.max(-1, keepdims=True)) * op.options.scalar(0, "f"))
    return exps / exps.sum(-1, keepdims=True)


def _strided_slice(op, x, begin, end, strides):
    begins, ends, ellipsis, new, shrink = (op.options.scalar(i) for i in range(5))
    assert not ellipsis and not new
    index = []
    for i, (b, e, s) in enumerate(zip(begin.tolist(), end.tolist(), strides.tolist())):
        index.append(b if shrink >> i & 1 else slice(None if begins >> i & 1 else b, None if ends >> i & 1 else e, s))
    return x[tuple(index)]


def _reshape(op, x, shape=None):
    return x.reshape(op.options.array(0, "i4") if shape is None else shape)


def _squeeze(op, x):
    axes = op.options.array(0, "i4") if op.options else None
    return np.squeeze(x, None if axes is None or not len(axes) else tuple(axes.tolist()))


def _lstm(op, x, *operands):
    """Gates i, f, c, o from the input and the former output; neither peepholes nor a projection."""
    wi, wf, wc, wo, ri, rf, rc, ro = operands[:8]
    bi, bf, bc, bo = operands[11:15]
    clip, time_major = op.options.scalar(1, "f"), op.options.scalar(3, "b")
    x = x if time_major else x.swapaxes(0, 1)
    h, c, outputs = np.zeros((x.shape[1], ro.shape[1]), x.dtype), np.zeros((x.shape[1], wi.shape[0]), x.dtype), []
    for step in x:
        i, f, g, o = (step @ w.T + h @ r.T + b for w, r, b in ((wi, ri, bi), (wf, rf, bf), (wc, rc, bc), (wo, ro, bo)))
        c = _sigmoid(f) * c + _sigmoid(i) * activate(g, op.options.scalar(0, "b"))
        c = np.clip(c, -clip, clip) if clip else c
        h = _sigmoid(o) * activate(c, op.options.scalar(0, "b"))
        outputs.append(h)
    return np.stack(outputs, 0 if time_major else 1)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


OPERATORS = {
    "ADD": _arithmetic(np.add), "SUB": _arithmetic(np.subtract), "MUL": _arithmetic(np.multiply), "DIV": _arithmetic(np.divide),
    "AVERAGE_POOL_2D": _average_pool, "MAX_POOL_2D": _max_pool, "CONV_2D": _conv, "DEPTHWISE_CONV_2D": _depthwise,
    "CONCATENATION": lambda op, *xs: activate(np.concatenate(xs, op.options.scalar(0)), op.options.scalar(1, "b")),
    "EQUAL": lambda op, a, b: a == b, "EXPAND_DIMS": lambda op, x, axis: np.expand_dims(x, int(np.ravel(axis)[0])),
    "FULLY_CONNECTED": _fully_connected, "LOG": lambda op, x: np.log(x), "LOGISTIC": lambda op, x: _sigmoid(x),
    "MEAN": _reduction(np.mean), "SUM": _reduction(np.sum), "REDUCE_MAX": _reduction(np.max), "REDUCE_MIN": _reduction(np.min),
    "MIRROR_PAD": lambda op, x, pads: np.pad(x, pads, "symmetric" if op.options.scalar(0, "b") else "reflect"),
    "NEG": lambda op, x: -x, "PACK": lambda op, *xs: np.stack(xs, op.options.scalar(1)), "PAD": lambda op, x, pads: np.pad(x, pads),
    "RESHAPE": _reshape, "RESIZE_BILINEAR": _resize_bilinear, "SELECT_V2": lambda op, c, a, b: np.where(c, a, b),
    "SHAPE": lambda op, x: np.array(x.shape, np.int32), "SOFTMAX": _softmax, "SQRT": lambda op, x: np.sqrt(x),
    "SQUARE": lambda op, x: x * x, "SQUEEZE": _squeeze, "STRIDED_SLICE": _strided_slice,
    "TRANSPOSE": lambda op, x, order: x.transpose(order), "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm}


def run(net, inputs):
    """The values of the net's outputs, of its inputs in order."""
    values = {i: t.value for i, t in enumerate(net.tensors)}
    values.update(zip(net.inputs, inputs))
    for op in net.operators:
        tensors = [net.tensors[i] if i >= 0 else None for i in (*op.inputs, *op.outputs)]
        operands = [values[i] if i >= 0 else None for i in op.inputs]
        if op.kind in integer_tflite.OPERATORS and tensors[0].dtype == "i1":
            value = integer_tflite.OPERATORS[op.kind](op, tensors, *operands)
        else:
            value = OPERATORS[op.kind](op, *operands)
        values[op.outputs[0]] = np.asarray(value).astype(tensors[-1].dtype)
    return [values[i] for i in net.outputs]


def run_file(path, inputs):
    """{name: value} of the first signature's outputs; of the tensors' own names where there is no signature."""
    net = read_net(path)
    names = net.signatures[0][1:] if net.signatures else [{net.tensors[i].name: i for i in side} for side in (net.inputs, net.outputs)]
    order = {i: name for name, i in names[0].items()}
    values = dict(zip(net.outputs, run(net, [inputs[order[i]] for i in net.inputs])))
    return {name: values[i] for name, i in names[1].items()}
