# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random cases of TensorFlow's gradient operators: for each, the forward operator at a point, and the gradient operators there."""
import math
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import tensorflow_writer as tf
from onnx_writer import write_npy

FLOAT = tf.Type(tf.FLOAT)
STEP = 1e-4


class Cases:
    """A graph of many cases. All values come from inputs, so nothing folds: from one, or from one for each tensor."""

    def __init__(self, seed, is_split=False):
        self.draw = random.Random(seed)
        self.is_split = is_split
        self.nodes, self.values, self.slopes = [], [], []
        self.places = {}  # of tensors among the values
        self.sums, self.gradients = [], []  # of each case forward(x) * dy; (gradient, place of x)
        self.is_new = False
        self.places, self.sums, self.gradients = {}, [], []  # of tensors among the values; of all forward(x) * dy; (gradient, place of x)

    def node(self, op, inputs, **attributes):
        name = f"{op}_{len(self.nodes)}"
        self.nodes.append(tf.node(name, op, inputs, T=FLOAT, **attributes))
        return name

    def integers(self, values, shape=None):
        name = f"integers_{len(self.nodes)}"
        constant = tf.integers([len(values)] if shape is None else shape, values)
        self.nodes.append(tf.node(name, "Const", dtype=tf.Type(tf.INT32), value=constant))
        return name

    def number(self, value):
        name = f"number_{len(self.nodes)}"
        self.nodes.append(tf.node(name, "Const", dtype=FLOAT, value=tf.floats([], [value])))
        return name

    def tensor(self, shape, values=None):
        """A tensor of these values, or of random ones that are all at least 0.01 apart and 0.1 from zero."""
        count = math.prod(shape)
        if values is None:
            values = [(1 + place) * 1.6 / count + 0.1 for place in range(count)]
            self.draw.shuffle(values)
            values = [value if self.draw.random() < 0.5 else -value for value in values]
        if self.is_split:
            name = f"at_{len(self.values)}"
            self.nodes.append(tf.node(name, "Placeholder", dtype=FLOAT, shape=tf.Shape(shape)))
            self.places[name] = slice(len(self.values), len(self.values) + count)
            self.values += values
            return name
        piece = self.node("Slice", ["values", self.integers([len(self.values)]), self.integers([count])], Index=tf.Type(tf.INT32))
        name = self.node("Reshape", [piece, self.integers(shape)], Tshape=tf.Type(tf.INT32))
        self.places[name] = slice(len(self.values), len(self.values) + count)
        self.values += values
        return name

    def positive(self, shape):
        return self.tensor(shape, [self.draw.uniform(0.3, 2) for _ in range(math.prod(shape))])

    def sum_of_products(self, a, b):
        product = self.node("Reshape", [self.node("Mul", [a, b]), self.integers([-1])], Tshape=tf.Type(tf.INT32))
        return self.node("Sum", [product, self.integers([0])], Tidx=tf.Type(tf.INT32), keep_dims=False)

    def compare(self, forward, x, shape, gradient, dy):
        """The slope of sum(forward * dy) at x, along a random direction."""
        u = self.tensor(shape, [self.draw.uniform(-1, 1) for _ in range(math.prod(shape))])
        step = self.node("Mul", [u, self.number(STEP)])
        beyond, before = (self.sum_of_products(forward(self.node(op, [x, step])), dy) for op in ("Add", "Sub"))
        difference = self.node("RealDiv", [self.node("Sub", [beyond, before]), self.number(2 * STEP)])
        self.slopes += [self.sum_of_products(gradient, u), difference]
        if self.is_split:
            self.gradients.append((gradient, self.places[x]))
            if self.is_new:  # all comparisons of a case are at one point
                self.sums.append(self.sum_of_products(forward(x), dy))
            self.is_new = False

    def add(self, case):
        self.is_new = True
        case(self)

    def save(self, model, values):
        placeholder = tf.node("values", "Placeholder", dtype=FLOAT, shape=tf.Shape([len(self.values)]))
        y = tf.node("y", "Pack", self.slopes, T=FLOAT, N=len(self.slopes), axis=0)
        with open(model, "wb") as file:
            file.write(tf.graph([placeholder, *self.nodes, y]))
        write_npy(values, [len(self.values)], self.values)

    def save_gradients(self, model, values):
        """With the gradients as one output, and what they are of as another."""
        rows = [self.node("Reshape", [gradient, self.integers([-1])], Tshape=tf.Type(tf.INT32)) for gradient, _ in self.gradients]
        gradients = tf.node("gradients", "ConcatV2", [*rows, self.integers([0], [])], T=FLOAT, N=len(rows), Tidx=tf.Type(tf.INT32))
        sums = tf.node("sums", "Pack", self.sums, T=FLOAT, N=len(self.sums), axis=0)
        with open(model, "wb") as file:
            file.write(tf.graph([*self.nodes, gradients, sums]))
        with open(values, "wb") as file:
            file.write(struct.pack(f"<{len(self.values)}f", *self.values))

    def sizes(self, rank, most=5):
        return [self.draw.randint(1, most) for _ in range(rank)]


# --- activations


def activation(op, gradient, reads, is_gradient_first, domain=None, **attributes):
    def add(cases):
        shape = cases.sizes(cases.draw.randint(1, 4))
        x = cases.positive(shape) if domain == "positive" else cases.tensor(shape)
        if domain == "wide":
            x = cases.tensor(shape, [cases.draw.choice((-3, 0.5, 3, 5.5, 7)) for _ in range(math.prod(shape))])
        dy = cases.tensor(shape)

        def forward(operand):
            return cases.node(op, [operand], **attributes)

        other = x if reads == "operand" else forward(x)
        operands = [dy, other] if is_gradient_first else [other, dy]
        cases.compare(forward, x, shape, cases.node(gradient, operands, **attributes), dy)
    return add


def bias(cases):
    is_first = cases.draw.random() < 0.5
    shape = cases.sizes(cases.draw.randint(2, 5))
    channels = shape[1] if is_first else shape[-1]
    x, b, dy = cases.tensor(shape), cases.tensor([channels]), cases.tensor(shape)
    layout = "NCHW" if is_first else "NHWC"
    gradient = cases.node("BiasAddGrad", [dy], data_format=layout)
    cases.compare(lambda value: cases.node("BiasAdd", [x, value], data_format=layout), b, [channels], gradient, dy)


# --- windows


def ordered(is_first, batch, spatial, channels):
    return [batch, channels, *spatial] if is_first else [batch, *spatial, channels]


class Windows:
    """Random windows over one to three times as many cells."""

    def __init__(self, cases, axes, is_pool=False):
        draw = cases.draw
        self.is_first = draw.random() < 0.3
        self.kernel = [draw.randint(1, 3) for _ in range(axes)]
        self.strides = [draw.randint(1, 3) for _ in range(axes)]
        self.dilations = [1 if is_pool else draw.randint(1, 2) for _ in range(axes)]
        self.spatial = [(k - 1) * d + 1 + draw.randint(0, 4) for k, d in zip(self.kernel, self.dilations)]
        self.padding = draw.choice(("SAME", "VALID"))
        extents = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations)]
        self.positions = [-(-size // stride) if self.padding == "SAME" else (size - extent) // stride + 1
                          for size, extent, stride in zip(self.spatial, extents, self.strides)]
        layout = {2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}[axes][self.is_first]
        self.attributes = {"strides": self.list(self.strides), "padding": self.padding, "data_format": layout}
        if not is_pool:
            self.attributes["dilations"] = self.list(self.dilations)

    def list(self, values):
        return ordered(self.is_first, 1, values, 1)

    def input(self, batch, channels):
        return ordered(self.is_first, batch, self.spatial, channels)

    def output(self, batch, channels):
        return ordered(self.is_first, batch, self.positions, channels)


def convolution(op, axes, input_gradient, filter_gradient):
    def add(cases):
        windows, (batch, channels, filters) = Windows(cases, axes), cases.sizes(3, 3)
        is_depthwise = op.startswith("Depthwise")
        kernel = [*windows.kernel, channels, filters]
        shape, out = windows.input(batch, channels), windows.output(batch, channels * filters if is_depthwise else filters)
        x, w, dy = cases.tensor(shape), cases.tensor(kernel), cases.tensor(out)
        by_filter = cases.node(filter_gradient, [x, cases.integers(kernel), dy], **windows.attributes)
        cases.compare(lambda value: cases.node(op, [x, value], **windows.attributes), w, kernel, by_filter, dy)
        by_input = cases.node(input_gradient, [cases.integers(shape), w, dy], **windows.attributes)
        cases.compare(lambda value: cases.node(op, [value, w], **windows.attributes), x, shape, by_input, dy)
    return add


def pool(op, axes):
    def add(cases):
        windows, (batch, channels) = Windows(cases, axes, is_pool=True), cases.sizes(2, 3)
        attributes = {**windows.attributes, "ksize": windows.list(windows.kernel)}
        shape = windows.input(batch, channels)
        x, dy = cases.tensor(shape), cases.tensor(windows.output(batch, channels))

        def forward(value):
            return cases.node(op, [value], **attributes)

        operands = [x, forward(x), dy] if op.startswith("Max") else [cases.integers(shape), dy]
        cases.compare(forward, x, shape, cases.node(op + "Grad", operands, **attributes), dy)
    return add


# --- normalizations


def lrn(cases):
    shape, attributes = cases.sizes(4), {"depth_radius": cases.draw.randint(0, 3), "bias": 1.5, "alpha": 0.25, "beta": 0.75}
    x, dy = cases.tensor(shape), cases.tensor(shape)

    def forward(value):
        return cases.node("LRN", [value], **attributes)

    cases.compare(forward, x, shape, cases.node("LRNGrad", [dy, x, forward(x)], **attributes), dy)


def batch_norm(version):
    def add(cases):
        is_training, is_first = cases.draw.random() < 0.5, cases.draw.random() < 0.3
        batch, rows, columns, channels = cases.sizes(4, 4)
        shape = ordered(is_first, batch, [rows + 1, columns], channels)
        attributes = {"epsilon": 0.01, "is_training": is_training, "data_format": "NCHW" if is_first else "NHWC"}
        if version:
            attributes["U"] = FLOAT
        x, dy = cases.tensor(shape), cases.tensor(shape)
        scale, offset, mean = (cases.tensor([channels]) for _ in range(3))
        variance = cases.positive([channels])
        forward = cases.node("FusedBatchNorm" + version, [x, scale, offset, mean, variance], **attributes)
        operands = [dy, x, scale, forward + ":3", forward + ":4"]
        if version == "V3":
            operands.append(forward + ":5")
        gradient = cases.node("FusedBatchNormGrad" + version, operands, **attributes)
        for place, (value, of) in enumerate(((x, shape), (scale, [channels]), (offset, [channels]))):
            def again(other, place=place):
                given = [x, scale, offset, mean, variance]
                given[place] = other
                return cases.node("FusedBatchNorm" + version, given, **attributes)

            cases.compare(again, value, of, f"{gradient}:{place}" if place else gradient, dy)
    return add


# --- movement


def strided_slice(cases):
    shape = cases.sizes(cases.draw.randint(1, 4), 6)
    begin, end, strides, out, shrink = [], [], [], [], 0
    for axis, size in enumerate(shape):
        first, step = cases.draw.randrange(size), cases.draw.choice((1, 1, 2, -1))
        if cases.draw.random() < 0.2:
            shrink |= 1 << axis
            begin, end, strides = [*begin, first], [*end, first + 1], [*strides, 1]
            continue
        last = cases.draw.randint(first + 1, size) if step > 0 else cases.draw.randint(-1, first - 1)
        out.append(-((first - last) // step) if step > 0 else -((last - first) // -step))
        # -1 is the end of the axis; before its beginning there is no number but one that counts from the end.
        begin, end, strides = [*begin, first], [*end, last if last >= 0 else -size - 1], [*strides, step]
    lists = [cases.integers(values) for values in (begin, end, strides)]
    attributes = {"Index": tf.Type(tf.INT32), "shrink_axis_mask": shrink}
    x, dy = cases.tensor(shape), cases.tensor(out)
    gradient = cases.node("StridedSliceGrad", [cases.integers(shape), *lists, dy], **attributes)
    cases.compare(lambda value: cases.node("StridedSlice", [value, *lists], **attributes), x, shape, gradient, dy)


def resize(op):
    def add(cases):
        shape, sizes = cases.sizes(4), cases.sizes(2, 7)
        style = cases.draw.choice(("align_corners", "half_pixel_centers", ""))
        attributes = {style: True} if style else {}
        x, dy = cases.tensor(shape), cases.tensor([shape[0], *sizes, shape[3]])
        other = cases.integers(shape[1:3]) if op == "ResizeNearestNeighbor" else x
        gradient = cases.node(op + "Grad", [dy, other], **attributes)
        cases.compare(lambda value: cases.node(op, [value, cases.integers(sizes)], **attributes), x, shape, gradient, dy)
    return add


def mirror_pad(cases):
    mode = cases.draw.choice(("REFLECT", "SYMMETRIC"))
    shape = cases.sizes(cases.draw.randint(1, 4))
    pads = [cases.draw.randint(0, size - (mode == "REFLECT")) for size in shape for _ in range(2)]
    out = [size + pads[2 * axis] + pads[2 * axis + 1] for axis, size in enumerate(shape)]
    paddings = cases.integers(pads, [len(shape), 2])
    x, dy = cases.tensor(shape), cases.tensor(out)
    gradient = cases.node("MirrorPadGrad", [dy, paddings], Tpaddings=tf.Type(tf.INT32), mode=mode)
    cases.compare(lambda value: cases.node("MirrorPad", [value, paddings], mode=mode), x, shape, gradient, dy)


OPERATORS = {
    "relu": activation("Relu", "ReluGrad", "result", True),
    "relu6": activation("Relu6", "Relu6Grad", "operand", True, "wide"),
    "elu": activation("Elu", "EluGrad", "result", True),
    "selu": activation("Selu", "SeluGrad", "result", True),
    "softplus": activation("Softplus", "SoftplusGrad", "operand", True),
    "softsign": activation("Softsign", "SoftsignGrad", "operand", True),
    "leaky_relu": activation("LeakyRelu", "LeakyReluGrad", "operand", True, alpha=0.3),
    "sigmoid": activation("Sigmoid", "SigmoidGrad", "result", False),
    "tanh": activation("Tanh", "TanhGrad", "result", False),
    "sqrt": activation("Sqrt", "SqrtGrad", "result", False, "positive"),
    "rsqrt": activation("Rsqrt", "RsqrtGrad", "result", False, "positive"),
    "reciprocal": activation("Reciprocal", "ReciprocalGrad", "result", False, "positive"),
    "inv": activation("Inv", "InvGrad", "result", False, "positive"),
    "bias_add": bias,
    "conv2d": convolution("Conv2D", 2, "Conv2DBackpropInput", "Conv2DBackpropFilter"),
    "conv3d": convolution("Conv3D", 3, "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"),
    "depthwise_conv": convolution("DepthwiseConv2dNative", 2, "DepthwiseConv2dNativeBackpropInput",
                                  "DepthwiseConv2dNativeBackpropFilter"),
    "avg_pool": pool("AvgPool", 2),
    "avg_pool_3d": pool("AvgPool3D", 3),
    "max_pool": pool("MaxPool", 2),
    "max_pool_3d": pool("MaxPool3D", 3),
    "lrn": lrn,
    "batch_norm": batch_norm(""),
    "batch_norm_v2": batch_norm("V2"),
    "batch_norm_v3": batch_norm("V3"),
    "strided_slice": strided_slice,
    "resize_bilinear": resize("ResizeBilinear"),
    "resize_bicubic": resize("ResizeBicubic"),
    "resize_nearest": resize("ResizeNearestNeighbor"),
    "mirror_pad": mirror_pad,
}
