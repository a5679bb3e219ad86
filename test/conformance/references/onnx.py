# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes a model of ONNX on doubles, as its operators' documentation defines them.

Why:  how exact fp32 is can only be told by what is more exact; other runtimes round as we do.
How:  a node is computed once its operands are there (some files are in no order); each is a function of the node and its
      operands; only operators of the nets that are measured so (test/bench/accuracy.py) are there. Integers stay integers.
"""
import math

import numpy as np

from readers.wire import decode
from references.windows import convolve, windows

_TENSOR = {1: ("dims", ["int"]), 2: ("data_type", "int"), 4: ("float_data", ["float"]), 5: ("int32_data", ["int"]),
           7: ("int64_data", ["int"]), 8: ("name", "text"), 9: ("raw_data", "bytes"), 10: ("double_data", ["double"])}
_ATTRIBUTE = {1: ("name", "text"), 2: ("f", "float"), 3: ("i", "int"), 4: ("s", "text"), 5: ("t", _TENSOR),
              7: ("floats", ["float"]), 8: ("ints", ["int"])}
_NODE = {1: ("input", ["text"]), 2: ("output", ["text"]), 3: ("name", "text"), 4: ("op_type", "text"),
         5: ("attribute", [_ATTRIBUTE])}
_VALUE = {1: ("name", "text")}
_GRAPH = {1: ("node", [_NODE]), 5: ("initializer", [_TENSOR]), 11: ("input", [_VALUE]), 12: ("output", [_VALUE])}
_MODEL = {7: ("graph", _GRAPH), 8: ("opset_import", [{1: ("domain", "text"), 2: ("version", "int")}])}

_TYPES = {1: np.float32, 6: np.int32, 7: np.int64, 9: np.bool_, 11: np.float64}


def _array(tensor):
    dtype = np.dtype(_TYPES[tensor.data_type])
    listed = tensor.float_data or tensor.int32_data or tensor.int64_data or tensor.double_data
    values = np.array(listed, dtype) if listed else np.frombuffer(tensor.raw_data or b"", dtype)
    return _widened(values.reshape(tensor.dims))


def _widened(x):
    return x.astype(np.float64) if x.dtype == np.float32 else x


class _Attributes:
    def __init__(self, node, opset):
        self.opset = opset
        self._fields = {a.name: a for a in node.attribute}

    def _get(self, name, field, default):
        return getattr(self._fields[name], field) if name in self._fields else default

    def integer(self, name, default=0):
        return self._get(name, "i", default)

    def real(self, name, default=0.0):
        return self._get(name, "f", default)

    def text(self, name, default=""):
        return self._get(name, "s", default)

    def integers(self, name, default=None):
        return self._get(name, "ints", default)

    def tensor(self, name):
        return _array(self._fields[name].t)


def _channels_last(x):
    return np.moveaxis(x, 1, -1)


def _channels_first(x):
    return np.moveaxis(x, -1, 1)


def _pads(a, x, kernel, strides, dilations):
    sizes = x.shape[2:]
    if a.text("auto_pad", "NOTSET") in ("SAME_UPPER", "SAME_LOWER"):
        totals = [max(0, (-(-n // s) - 1) * s + (k - 1) * d + 1 - n) for n, k, s, d in zip(sizes, kernel, strides, dilations)]
        halves = [(t // 2, t - t // 2) for t in totals]
        return halves if a.text("auto_pad") == "SAME_UPPER" else [pair[::-1] for pair in halves]
    pads = a.integers("pads") or [0] * 4
    return list(zip(pads[:2], pads[2:]))


def _conv(a, x, w, bias=0):
    strides, dilations = a.integers("strides") or [1, 1], a.integers("dilations") or [1, 1]
    y = convolve(_channels_last(x), w.transpose(0, 2, 3, 1), strides, _pads(a, x, w.shape[2:], strides, dilations), dilations)
    return _channels_first(y + bias)


def _conv_transpose(a, x, w, bias=0):
    """Each element spreads the filter, times itself, from its place on."""
    (down, right), pads = a.integers("strides") or [1, 1], a.integers("pads") or [0] * 4
    (_, _, rows, columns), (high, wide) = x.shape, w.shape[2:]
    sums = np.zeros((len(x), w.shape[1], (rows - 1) * down + high, (columns - 1) * right + wide))
    for k in range(high):
        for l in range(wide):
            sums[:, :, k:k + (rows - 1) * down + 1:down, l:l + (columns - 1) * right + 1:right] += np.einsum(
                "nihw,io->nohw", x, w[:, :, k, l], optimize=True)
    sums = sums[:, :, pads[0]:sums.shape[2] - pads[2], pads[1]:sums.shape[3] - pads[3]]
    return sums + np.reshape(bias, (-1, 1, 1))


def _pool_windows(a, x, fill):
    kernel, strides = a.integers("kernel_shape"), a.integers("strides") or [1, 1]
    pads = _pads(a, x, kernel, strides, [1, 1])
    if a.integer("ceil_mode"):
        steps = [-(-(n + sum(p) - k) // s) for n, p, k, s in zip(x.shape[2:], pads, kernel, strides)]
        # A last window that begins behind the image is none.
        steps = [c - (c * s >= n + p[0]) for c, s, n, p in zip(steps, strides, x.shape[2:], pads)]
        pads = [(p[0], max(p[1], c * s + k - n - p[0])) for p, c, s, k, n in zip(pads, steps, strides, kernel, x.shape[2:])]
    return windows(_channels_last(x), kernel, strides, pads, fill=fill)


def _max_pool(a, x):
    return _channels_first(_pool_windows(a, x, -np.inf).max((-2, -1)))


def _average_pool(a, x):
    if a.integer("count_include_pad"):
        return _channels_first(_pool_windows(a, x, 0).mean((-2, -1)))
    return _channels_first(np.nanmean(_pool_windows(a, x, np.nan), (-2, -1)))


def _batch_norm(a, x, scale, bias, mean, variance):
    factor = scale / np.sqrt(variance + a.real("epsilon", 1e-5))
    return _channels_first((_channels_last(x) - mean) * factor + bias)


def _layer_norm(a, x, scale, bias=0):
    axes = tuple(range(a.integer("axis", -1) % x.ndim, x.ndim))
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axes, keepdims=True) + a.real("epsilon", 1e-5)) * scale + bias


def _lrn(a, x):
    size = a.integer("size")
    padded = np.pad(x * x, ((0, 0), ((size - 1) // 2, size // 2), (0, 0), (0, 0)))
    sums = sum(padded[:, i:i + x.shape[1]] for i in range(size))
    return x * (a.real("bias", 1.0) + a.real("alpha", 1e-4) / size * sums) ** -a.real("beta", 0.75)


def _gemm(a, x, w, bias=0):
    x, w = (x.T if a.integer("transA") else x), (w.T if a.integer("transB") else w)
    return a.real("alpha", 1.0) * (x @ w) + a.real("beta", 1.0) * bias


def _softmax_rows(a, x, function):
    """Before opset 13 of all axes from the one on, together."""
    axis = a.integer("axis", -1 if a.opset >= 13 else 1) % x.ndim
    if a.opset < 13:
        return function(x.reshape(*x.shape[:axis], -1)).reshape(x.shape)
    return np.moveaxis(function(np.moveaxis(x, axis, -1)), -1, axis)


def _shares(x):
    exps = np.exp(x - x.max(-1, keepdims=True))
    return exps / exps.sum(-1, keepdims=True)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _lstm(a, x, w, r, bias=None, lengths=None, h=None, c=None):
    """One direction; gates in the order i, o, f, c."""
    assert len(w) == 1 and lengths is None
    units = a.integer("hidden_size")
    bias = np.zeros(8 * units) if bias is None else bias[0]
    shape = (x.shape[1], units)
    h, c = (np.zeros(shape) if start is None else start[0] for start in (h, c))
    steps = []
    for row in x:
        i, o, f, g = np.split(row @ w[0].T + h @ r[0].T + bias[:4 * units] + bias[4 * units:], 4, 1)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
        h = _sigmoid(o) * np.tanh(c)
        steps.append(h)
    return np.stack(steps)[:, None], h[None], c[None]


def _axes(a, given):
    return tuple(given.tolist()) if given is not None else tuple(a.integers("axes") or ())


def _reshape(a, x, shape):
    return x.reshape([x.shape[i] if n == 0 and not a.integer("allowzero") else n for i, n in enumerate(shape.tolist())])


def _flatten(a, x):
    axis = a.integer("axis", 1) % (x.ndim + 1)
    return x.reshape(math.prod(x.shape[:axis]), -1)


def _slice(a, x, starts=None, ends=None, axes=None, steps=None):
    starts, ends = (a.integers(name) if given is None else given for name, given in (("starts", starts), ("ends", ends)))
    axes = a.integers("axes") if axes is None else axes
    index = [slice(None)] * x.ndim
    for n, (start, end) in enumerate(zip(starts, ends)):
        index[n if axes is None else int(axes[n])] = slice(int(start), int(end), None if steps is None else int(steps[n]))
    return x[tuple(index)]


def _division(a, x, y):
    return x / y if x.dtype == np.float64 else np.trunc(x / y).astype(x.dtype)


def _plain(function):
    return lambda a, *operands: function(*operands)


_FUNCTIONS = {
    "Add": _plain(np.add),
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_norm,
    "Cast": lambda a, x: _widened(x.astype(_TYPES[a.integer("to")])),
    "Clip": lambda a, x, low=None, high=None: np.clip(x, -np.inf if low is None else low, np.inf if high is None else high),
    "Concat": lambda a, *parts: np.concatenate(parts, a.integer("axis")),
    "Constant": lambda a: a.tensor("value"),
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "Div": _division,
    "Dropout": lambda a, x, *rest: x,
    "Erf": lambda a, x: np.vectorize(math.erf)(x),
    "Exp": _plain(np.exp),
    "Expand": lambda a, x, shape: x * np.ones(shape, x.dtype),
    "Flatten": _flatten,
    "Gather": lambda a, x, indices: np.take(x, indices, a.integer("axis")),
    "Gemm": _gemm,
    "GlobalAveragePool": lambda a, x: x.mean(tuple(range(2, x.ndim)), keepdims=True),
    "LRN": _lrn,
    "LSTM": _lstm,
    "LayerNormalization": _layer_norm,
    "LogSoftmax": lambda a, x: _softmax_rows(a, x, lambda rows: np.log(_shares(rows))),
    "MatMul": _plain(np.matmul),
    "MaxPool": _max_pool,
    "Min": _plain(np.minimum),
    "Mul": _plain(np.multiply),
    "Pow": _plain(np.power),
    "ReduceMean": lambda a, x, axes=None: x.mean(_axes(a, axes) or None, keepdims=bool(a.integer("keepdims", 1))),
    "Relu": _plain(lambda x: np.maximum(x, 0)),
    "Reshape": _reshape,
    "Shape": lambda a, x: np.array(x.shape),
    "Sigmoid": _plain(_sigmoid),
    "Slice": _slice,
    "Softmax": lambda a, x: _softmax_rows(a, x, _shares),
    "Sqrt": _plain(np.sqrt),
    "Squeeze": lambda a, x, axes=None: np.squeeze(x, _axes(a, axes) or None),
    "Sub": _plain(np.subtract),
    "Sum": _plain(lambda *terms: sum(terms)),
    "Tanh": _plain(np.tanh),
    "Transpose": lambda a, x: x.transpose(a.integers("perm")),
    "Unsqueeze": lambda a, x, axes=None: np.expand_dims(x, _axes(a, axes)),
}


class Unknown(Exception):
    """The model has operators that are not here; the text names them."""


def load(path):
    """The array in a NumPy file or a TensorProto's (.pb), as it is there."""
    if path.endswith(".npy"):
        return np.load(path)
    with open(path, "rb") as file:
        return _array(decode(memoryview(file.read()), _TENSOR))


def compute(path, inputs):
    """The outputs of the model, name: array, for inputs, name: array. Floats of 32 bits are widened first."""
    with open(path, "rb") as file:
        model = decode(memoryview(file.read()), _MODEL)
    unknown = {node.op_type for node in model.graph.node} - _FUNCTIONS.keys()
    if unknown:
        raise Unknown(", ".join(sorted(unknown)))
    opset = next(o.version for o in model.opset_import if not o.domain)
    values = {tensor.name: _array(tensor) for tensor in model.graph.initializer}
    values.update((name, _widened(np.asarray(array))) for name, array in inputs.items())
    waiting = model.graph.node
    while waiting:
        late = []
        for node in waiting:
            if any(name and name not in values for name in node.input):
                late.append(node)
                continue
            operands = [values[name] if name else None for name in node.input]
            results = _FUNCTIONS[node.op_type](_Attributes(node, opset), *operands)
            values.update(zip(node.output, results if isinstance(results, tuple) else (results,)))
        assert len(late) < len(waiting), f"nothing computes what {late[0].name} needs"
        waiting = late
    return {output.name: values[output.name] for output in model.graph.output}
