# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes a net of Caffe on floats, as its layers' documentation defines them.

How:  layers in the file's order, each a function of its parameters, its blobs and its bottoms; arrays are [N, C, H, W]. A blob that
      a layer writes in place takes the name's place.
"""
import math

import numpy as np

from references import caffe_boxes, caffe_flow, caffe_images, caffe_windows
from references.caffe_parameters import Parameters


def _inner_product(layer, blobs, x):
    p = Parameters(layer, "inner_product_param")
    axis = p.one("axis", 1)
    flat = x.reshape(*x.shape[:axis], -1)
    weights = blobs[0].reshape(p.one("num_output"), flat.shape[-1]) if not p.flag("transpose", False) else blobs[0].T
    return flat @ weights.T + (blobs[1].reshape(-1) if p.flag("bias_term", True) else 0)


def _embed(layer, blobs, x):
    return blobs[0][x.astype(int)] + (blobs[1] if Parameters(layer, "embed_param").flag("bias_term", True) else 0)


def _reshape(layer, blobs, x):
    p = Parameters(layer, "reshape_param")
    first = p.one("axis", 0) % (x.ndim + 1)
    last = x.ndim if p.one("num_axes", -1) == -1 else first + p.one("num_axes")
    dims = [x.shape[first + i] if d == 0 else d for i, d in enumerate(p.one("shape")["dim"])]
    return x.reshape([*x.shape[:first], *dims, *x.shape[last:]])


def _flatten(layer, blobs, x):
    p = Parameters(layer, "flatten_param")
    first, last = p.one("axis", 1) % x.ndim, p.one("end_axis", -1) % x.ndim
    return x.reshape(*x.shape[:first], -1, *x.shape[last + 1:])


def _permute(layer, blobs, x):
    order = Parameters(layer, "permute_param").all("order")
    return x.transpose(order + [axis for axis in range(x.ndim) if axis not in order])


def _crop(layer, blobs, x, like):
    p = Parameters(layer, "crop_param")
    first = p.one("axis", 2) % x.ndim
    offsets = p.all("offset") or [0]
    offsets = [0] * first + (offsets * (x.ndim - first) if len(offsets) == 1 else offsets)
    sizes = x.shape[:first] + like.shape[first:]
    return x[tuple(slice(o, o + n) for o, n in zip(offsets, sizes))]


def _slice(layer, blobs, x):
    p = Parameters(layer, "slice_param")
    return np.split(x, p.all("slice_point") or len(layer["top"]), p.one("axis", p.one("slice_dim", 1)))


def _tile(layer, blobs, x):
    p = Parameters(layer, "tile_param")
    return np.concatenate([x] * p.one("tiles"), p.one("axis", 1))


def _argmax(layer, blobs, x):
    """Of equal elements the last one comes first: pairs of an element and its index are compared."""
    p = Parameters(layer, "argmax_param")
    axis, count, has_values = p.one("axis"), p.one("top_k", 1), p.flag("out_max_val", False)
    rows = x.reshape(len(x), -1) if axis is None else np.moveaxis(x, axis, -1)
    order = np.flip(np.argsort(rows, -1, kind="stable"), -1)[..., :count]
    values = np.take_along_axis(rows, order, -1)
    if axis is not None:
        return np.moveaxis(values if has_values else order, -1, axis)
    both = np.stack([order, values] if has_values else [order], 1)
    return both.reshape(*both.shape, *[1] * (x.ndim - 3))


def _reduction(layer, blobs, x):
    p = Parameters(layer, "reduction_param")
    rest = tuple(range(p.one("axis", 0) % x.ndim, x.ndim))
    term, reduce = {"SUM": (x, np.sum), "ASUM": (np.abs(x), np.sum), "SUMSQ": (x * x, np.sum),
                    "MEAN": (x, np.mean)}[p.one("operation", "SUM")]
    return p.one("coeff", 1) * reduce(term, rest)


def _along(p, x, y):
    """`y` with its axes at those of `x` from `axis` on."""
    first = p.one("axis", 1) % x.ndim
    return y.reshape([1] * first + list(y.shape) + [1] * (x.ndim - first - y.ndim))


def _scale(layer, blobs, x, *factor):
    p = Parameters(layer, "scale_param")
    blobs = [*factor, *blobs]
    return x * _along(p, x, blobs[0]) + (_along(p, x, blobs[1]) if p.flag("bias_term", False) else 0)


def _bias(layer, blobs, x, *term):
    return x + _along(Parameters(layer, "bias_param"), x, [*term, *blobs][0])


def _batch_norm(layer, blobs, x):
    p = Parameters(layer, "batch_norm_param")
    mean, variance = ((blob / blobs[2]).reshape(-1, *[1] * (x.ndim - 2)) for blob in blobs[:2])
    return (x - mean) / np.sqrt(variance + p.one("eps", 1e-5))


def _mvn(layer, blobs, x):
    p = Parameters(layer, "mvn_param")
    axes = tuple(range(1 if p.flag("across_channels", False) else 2, x.ndim))
    centered = x - x.mean(axes, keepdims=True)
    if not p.flag("normalize_variance", True):
        return centered
    return centered / (np.sqrt((centered ** 2).mean(axes, keepdims=True)) + p.one("eps", 1e-9))


def _normalize(layer, blobs, x):
    p = Parameters(layer, "norm_param")
    axes = tuple(range(1, x.ndim)) if p.flag("across_spatial", True) else (1,)
    length = np.sqrt((x * x).sum(axes, keepdims=True) + p.one("eps", 1e-10))
    return x / length * blobs[0].reshape(-1, *[1] * (x.ndim - 2))


def _prelu(layer, blobs, x):
    return np.where(x > 0, x, blobs[0].reshape(-1, *[1] * (x.ndim - 2)) * x)


def _affine(p, x):
    return p.one("shift", 0) + p.one("scale", 1) * x


def _power(layer, blobs, x):
    p = Parameters(layer, "power_param")
    return _affine(p, x) ** p.one("power", 1)


def _exp(layer, blobs, x):
    p = Parameters(layer, "exp_param")
    return p.one("base", math.e) ** _affine(p, x)


def _log(layer, blobs, x):
    p = Parameters(layer, "log_param")
    return np.log(_affine(p, x)) / math.log(p.one("base", math.e))


def _elu(layer, blobs, x):
    return np.where(x > 0, x, Parameters(layer, "elu_param").one("alpha", 1) * np.expm1(x))


def _clip(layer, blobs, x):
    p = Parameters(layer, "clip_param")
    return np.clip(x, p.one("min"), p.one("max"))


def _detections(layer, blobs, *bottoms):
    p = Parameters(layer, "detection_output_param")
    return caffe_boxes.detections(p, p.within("nms_param"), *bottoms)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


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


LAYERS = {"AbsVal": lambda layer, blobs, x: np.abs(x), "Accum": lambda layer, blobs, *xs: caffe_flow.accumulate(Parameters(layer, "accum_param"), *xs), "ArgMax": _argmax, "BNLL": lambda layer, blobs, x: np.log1p(np.exp(x)),
          "BatchNorm": _batch_norm, "BatchReindex": lambda layer, blobs, x, which: x[which.astype(int)], "Bias": _bias,
          "Clip": _clip, "Concat": _concat, "Convolution": caffe_windows.convolution,
          "Correlation": lambda layer, blobs, left, right: caffe_flow.correlate(Parameters(layer, "correlation_param"), left, right), "Crop": _crop, "Deconvolution": caffe_windows.deconvolution,
          "DataAugmentation": lambda layer, blobs, x: caffe_flow.subtract_mean(Parameters(layer, "augmentation_param"), blobs, x),
          "DetectionOutput": _detections, "Dropout": lambda layer, blobs, x: x, "ELU": _elu, "Eltwise": _eltwise, "Embed": _embed,
          "Exp": _exp, "Flatten": _flatten, "FlowWarp": lambda layer, blobs, image, flow: caffe_flow.warp(image, flow), "InnerProduct": _inner_product, "Interp": lambda layer, blobs, x: caffe_images.interpolate(Parameters(layer, "interp_param"), x), "LRN": caffe_windows.lrn, "Log": _log, "MVN": _mvn,
          "Normalize": _normalize, "PReLU": _prelu, "Permute": _permute, "Pooling": caffe_windows.pooling, "Power": _power,
          "PriorBox": lambda layer, blobs, grid, image: caffe_boxes.prior_boxes(Parameters(layer, "prior_box_param"), grid.shape[2:], image.shape[2:]),
          "ROIPooling": lambda layer, blobs, x, rois: caffe_images.region_maxima(Parameters(layer, "roi_pooling_param"), x, rois),
          "ReLU": lambda layer, blobs, x: np.where(x > 0, x, np.float32(Parameters(layer, "relu_param").one("negative_slope", 0)) * x),
          "Reduction": _reduction, "Resample": lambda layer, blobs, x, *reference: caffe_flow.resample(Parameters(layer, "resample_param"), x, *reference),
          "Reshape": _reshape, "SPP": caffe_windows.pyramid, "Scale": _scale, "Sigmoid": lambda layer, blobs, x: _sigmoid(x),
          "Slice": _slice, "Softmax": _softmax,
          "Swish": lambda layer, blobs, x: x * _sigmoid(Parameters(layer, "swish_param").one("beta", 1) * x), "Threshold":
          lambda layer, blobs, x: (x > Parameters(layer, "threshold_param").one("threshold", 0)) * 1.0, "Tile": _tile}


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
    kind, outputs, channels = layer["type"][0], 0, x.shape[1:2]
    p = Parameters(layer, {"Deconvolution": "convolution_param", "InnerProduct": "inner_product_param", "Normalize": "norm_param"}.get(
        kind, kind.lower() + "_param"))
    outputs, groups, has_bias = p.one("num_output"), p.one("group", 1), p.flag("bias_term", True)
    if kind == "Convolution":
        return [(outputs, *(n // groups for n in channels), *p.pair("kernel_size", 0))] + [(outputs,)] * has_bias
    if kind == "Deconvolution":
        return [(*channels, outputs // groups, *p.pair("kernel_size", 0))] + [(outputs,)] * has_bias
    if kind == "InnerProduct":
        return [(outputs, int(np.prod(x.shape[p.one("axis", 1):])))] + [(outputs,)] * has_bias
    if kind == "Embed":
        return [(p.one("input_dim"), outputs)] + [(outputs,)] * has_bias
    if kind == "BatchNorm":
        return [channels, channels, (1,)]
    if kind == "DataAugmentation":
        return [(1,), x.shape[1:], channels] * bool(Parameters(layer, "augmentation_param").one("recompute_mean", 0))
    if kind in ("PReLU", "Normalize"):
        return [() if p.flag("channel_shared", kind == "Normalize") else channels]
    if kind in ("Scale", "Bias"):
        first, count = p.one("axis", 1) % x.ndim, p.one("num_axes", 1)
        along = x.shape[first:] if count == -1 else x.shape[first:first + count]
        return [along] * ((len(layer["bottom"]) == 1) + (kind == "Scale" and p.flag("bias_term", False)))
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
            low = {"BatchNorm": 0.5, "DataAugmentation": 1.0}.get(kind, -scale)  # a variance is above 0, and a mean is of a batch
            weights[name] = [random.uniform(low, scale, shape).astype(np.float32) for shape in shapes]
        read.update(bottoms)
        results = LAYERS[kind](layer, weights.get(name, []), *(values[b] for b in bottoms))
        read.difference_update(tops)
        values.update(zip(tops, results if isinstance(results, list) else [results]))
    return {name: value for name, value in values.items() if name not in read and name not in inputs}
