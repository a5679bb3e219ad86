# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random networks that are exported at a batch, as frameworks do: each shape, constant and initial state holds the batch.

How:  a network of a seed has the same operators and weights for every batch. A dimension is a number, or Rows, which is as large as
      the batch asks. Constants with Rows repeat the same elements for each row.
"""
import math
import random
from dataclasses import dataclass

import nacre

FLOAT, INT64, BOOL = 1, 7, 9


@dataclass(frozen=True)
class Rows:
    """The dimension of the batch, or one that a Reshape has merged with others."""
    outer: int = 1
    inner: int = 1

    def size(self, batch):
        return self.outer * batch * self.inner


@dataclass
class Tensor:
    name: str
    dims: tuple


class Network:
    def __init__(self, seed, batch):
        self.random, self.batch = random.Random(seed), batch
        self.graph = nacre.Graph("network", seed=seed, opset=17)
        self.values, self.outputs = [], []

    # Sizes and constants

    def sizes(self, dims):
        return [dim.size(self.batch) if isinstance(dim, Rows) else dim for dim in dims]

    def name(self):
        return f"constant_{len(self.graph.initializers)}"

    def integers(self, values):
        return self.graph.integers(self.name(), values)

    def repeated(self, dims, values):
        """The elements for a batch, of those for a batch of 1."""
        for axis, dim in enumerate(dims):
            if not isinstance(dim, Rows):
                continue
            one = [other.size(1) if isinstance(other, Rows) else other for other in dims]
            inner = math.prod(one[axis + 1:]) * dim.inner
            blocks = [values[at:at + inner] for at in range(0, len(values), inner)]
            return [value for block in blocks for _ in range(self.batch) for value in block]
        return values

    def constant(self, dims, low=-1.0, high=1.0):
        one = math.prod(dim.size(1) if isinstance(dim, Rows) else dim for dim in dims)
        values = [self.random.uniform(low, high) for _ in range(one)]
        return self.graph.constant(self.name(), self.sizes(dims), self.repeated(dims, values))

    def indices(self, dims, limit):
        one = math.prod(dim.size(1) if isinstance(dim, Rows) else dim for dim in dims)
        values = [self.random.randrange(limit) for _ in range(one)]
        name = self.integers(self.repeated(dims, values))
        return self.graph.node("Reshape", [name, self.integers(self.sizes(dims))])

    def node(self, operator, inputs, dims, **attributes):
        return Tensor(self.graph.node(operator, inputs, **attributes), tuple(dims))

    # What is drawn

    def free_axes(self, x):
        """The axes that are no batch."""
        return [axis for axis, dim in enumerate(x.dims) if not isinstance(dim, Rows)]

    def is_large(self, dims):
        return math.prod(dim.outer * dim.inner if isinstance(dim, Rows) else dim for dim in dims) > 2000

    def draw(self, count):
        """Adds `count` values, each of one of the last ones, so that chains become long."""
        start = self.random.choice(((Rows(), 3, 4, 4), (5, Rows(), 6), (Rows(), 12), (Rows(), 2, 1, 6)))
        self.graph.input("flag", [], BOOL)
        self.values.append(Tensor(self.graph.input("x", self.sizes(start)), start))
        while len(self.values) <= count:
            x = self.random.choice(self.values[-3:])
            y = self.random.choice(OPERATORS)(self, x)
            if y and not self.is_large(y.dims):
                self.values.append(self.node("Tanh", [y.name], y.dims) if self.random.random() < 0.3 else y)
        self.outputs = self.values[-4:]
        for value in self.outputs:
            self.graph.output(value.name, self.sizes(value.dims))
        return self


def unary(net, x):
    return net.node(net.random.choice(("Relu", "Sigmoid", "Neg", "Abs", "Softplus")), [x.name], x.dims)


def add_constant(net, x):
    rank = net.random.randrange(len(x.dims) + 1)
    dims = [dim if net.random.random() < 0.7 or isinstance(dim, Rows) and dim != Rows() else 1 for dim in x.dims[rank:]]
    return net.node(net.random.choice(("Add", "Mul", "Sub", "Max")), [x.name, net.constant(dims)], x.dims)


def add_other(net, x):
    others = [y for y in net.values if y.dims == x.dims]
    return net.node("Add", [x.name, net.random.choice(others).name], x.dims)


def select(net, x):
    condition = net.graph.node("Greater", [x.name, net.constant(x.dims)])
    return net.node("Where", [condition, x.name, net.constant(x.dims)], x.dims)


def expand(net, x):
    units = [axis for axis in net.free_axes(x) if x.dims[axis] == 1]
    if not units:
        return None
    dims = list(x.dims)
    dims[net.random.choice(units)] = 3
    return net.node("Expand", [x.name, net.integers(net.sizes(dims))], dims)


def tile(net, x):
    axes = net.free_axes(x)
    if not axes:
        return None
    axis = net.random.choice(axes)
    repeats = [2 if other == axis else 1 for other in range(len(x.dims))]
    return net.node("Tile", [x.name, net.integers(repeats)], [dim * times if times > 1 else dim for dim, times in zip(x.dims, repeats)])


def transpose(net, x):
    order = list(range(len(x.dims)))
    net.random.shuffle(order)
    return net.node("Transpose", [x.name], [x.dims[axis] for axis in order], perm=order)


def merge(net, x):
    """Two neighbouring axes as one."""
    if len(x.dims) < 2:
        return None
    axis = net.random.randrange(len(x.dims) - 1)
    left, right = x.dims[axis:axis + 2]
    if isinstance(left, Rows):
        one = Rows(left.outer, left.inner * right)
    elif isinstance(right, Rows):
        one = Rows(left * right.outer, right.inner)
    else:
        one = left * right
    dims = (*x.dims[:axis], one, *x.dims[axis + 2:])
    return net.node("Reshape", [x.name, net.integers(net.sizes(dims))], dims)


def split(net, x):
    """A factor of an axis as an axis of its own; a merged batch on its own again."""
    axis = net.random.randrange(len(x.dims))
    dim = x.dims[axis]
    if isinstance(dim, Rows):
        if dim == Rows():
            return None
        parts = [part for part in (dim.outer, Rows(), dim.inner) if part != 1]
    elif dim % 2 == 0 and len(x.dims) < 6:
        parts = [dim // 2, 2]
    else:
        return None
    dims = (*x.dims[:axis], *parts, *x.dims[axis + 1:])
    return net.node("Reshape", [x.name, net.integers(net.sizes(dims))], dims)


def reduce(net, x):
    axes = net.free_axes(x)
    if not axes or len(x.dims) < 3:
        return None
    axis, keeps = net.random.choice(axes), net.random.randrange(2)
    dims = (*x.dims[:axis], *([1] if keeps else []), *x.dims[axis + 1:])
    kind = net.random.choice(("ReduceMean", "ReduceMax", "ReduceL2"))
    return net.node(kind, [x.name], dims, axes=[axis], keepdims=keeps)


def largest(net, x):
    axes = net.free_axes(x)
    if not axes or len(x.dims) < 3:
        return None
    axis = net.random.choice(axes)
    dims = (*x.dims[:axis], *x.dims[axis + 1:])
    return net.node("Cast", [net.graph.node("ArgMax", [x.name], axis=axis, keepdims=0)], dims, to=FLOAT)


def along(net, x):
    """Operators along an axis that leave the shape as it is."""
    axes = net.free_axes(x)
    if not axes:
        return None
    axis = net.random.choice(axes)
    kind = net.random.randrange(4)
    if kind == 0:
        return net.node("CumSum", [x.name, net.graph.count(net.name(), axis)], x.dims)
    if kind == 1:
        return net.node("GatherElements", [x.name, net.indices(x.dims, x.dims[axis])], x.dims, axis=axis)
    if kind == 2:
        updates = net.constant(x.dims)
        return net.node("ScatterElements", [x.name, net.indices(x.dims, x.dims[axis]), updates], x.dims, axis=axis)
    return net.node(net.random.choice(("Softmax", "LogSoftmax")), [x.name], x.dims, axis=axis)


def top(net, x):
    axes = net.free_axes(x)
    if not axes:
        return None
    axis = net.random.choice(axes)
    dims = list(x.dims)
    dims[axis] = 1 + dims[axis] // 2
    values = net.graph.node("TopK", [x.name, net.integers([dims[axis]])], output=[f"top_{len(net.graph.nodes)}", f"at_{len(net.graph.nodes)}"], axis=axis)
    return Tensor(values[0], tuple(dims))


def join(net, x):
    axes = net.free_axes(x)
    if not axes:
        return None
    axis = net.random.choice(axes)
    other, dims = list(x.dims), list(x.dims)
    other[axis] = 1
    dims[axis] += 1
    return net.node("Concat", [net.constant(other), x.name], dims, axis=axis)


def part(net, x):
    axes = [axis for axis in net.free_axes(x) if x.dims[axis] > 1]
    if not axes:
        return None
    axis = net.random.choice(axes)
    dims = list(x.dims)
    kind = net.random.randrange(3)
    if kind == 0:
        dims[axis] -= 1
        return net.node("Slice", [x.name, net.integers([1]), net.integers([1000]), net.integers([axis])], dims)
    if kind == 1:
        dims[axis] += 1
        pads = [0] * (2 * len(dims))
        pads[axis] = 1
        return net.node("Pad", [x.name, net.integers(pads)], dims, mode="reflect")
    dims[axis] = 2
    return net.node("Gather", [x.name, net.integers([dims[axis] - 1, 0])], dims, axis=axis)


def by_coordinates(net, x):
    if len(x.dims) < 2 or x.dims[0] != Rows() or isinstance(x.dims[1], Rows):
        return None
    if net.random.randrange(2):
        at = net.indices((Rows(), 2, 1), x.dims[1])
        return net.node("GatherND", [x.name, at], (Rows(), 2, *x.dims[2:]), batch_dims=1)
    turned = (x.dims[1], Rows(), *x.dims[2:])
    y = net.graph.node("Transpose", [x.name], perm=[1, 0, *range(2, len(x.dims))])
    at = net.graph.node("Reshape", [net.integers([0]), net.integers([1, 1])])
    return net.node("ScatterND", [y, at, net.constant((1, *turned[1:]))], turned)


def product(net, x):
    if len(x.dims) < 2 or isinstance(x.dims[-1], Rows):
        return None
    # A batch of 1 beside other axes of size 1 may be followed to one of them, which is an error in this product.
    if net.random.randrange(2) and not isinstance(x.dims[-2], Rows) and len(x.dims) > 2 and 1 not in x.dims:
        order = [*range(len(x.dims) - 2), len(x.dims) - 1, len(x.dims) - 2]
        turned = net.graph.node("Transpose", [x.name], perm=order)
        return net.node("MatMul", [x.name, turned], (*x.dims[:-1], x.dims[-2]))
    return net.node("MatMul", [x.name, net.constant((x.dims[-1], 5))], (*x.dims[:-1], 5))


def dense(net, x):
    if len(x.dims) != 2 or isinstance(x.dims[1], Rows):
        return None
    return net.node("Gemm", [x.name, net.constant((6, x.dims[1])), net.constant((x.dims[0], 6))], (x.dims[0], 6), transB=1)


def lookup(net, x):
    table = net.constant((7, 3))
    positive = net.graph.node("Relu", [x.name])
    return net.node("Gather", [table, net.graph.node("Cast", [positive], to=INT64)], (*x.dims, 3)) if len(x.dims) < 4 else None


def layer_norm(net, x):
    if isinstance(x.dims[-1], Rows):
        return None
    return net.node("LayerNormalization", [x.name, net.constant((x.dims[-1],))], x.dims, axis=-1)


def window(net, x):
    """Layers of pictures; a picture of a merged batch is one more picture."""
    if len(x.dims) != 4 or not isinstance(x.dims[0], Rows) or net.free_axes(x) != [1, 2, 3] or min(x.dims[2:]) < 3:
        return None
    rows, channels, height, width = x.dims
    kind = net.random.randrange(8)
    if kind == 0:
        return net.node("Conv", [x.name, net.constant((4, channels, 3, 3), -0.3, 0.3)], (rows, 4, height, width), pads=[1, 1, 1, 1])
    if kind == 1:
        return net.node("ConvTranspose", [x.name, net.constant((channels, 2, 2, 2), -0.3, 0.3)], (rows, 2, height + 1, width + 1))
    if kind == 2:
        return net.node(net.random.choice(("MaxPool", "AveragePool")), [x.name], (rows, channels, height - 1, width - 1), kernel_shape=[2, 2])
    if kind == 3:
        return net.node("GlobalAveragePool", [x.name], (rows, channels, 1, 1))
    if kind == 4:
        return net.node("LRN", [x.name], x.dims, size=3)
    if kind == 5:
        scale, bias = net.constant((channels,)), net.constant((channels,))
        return net.node("InstanceNormalization", [x.name, scale, bias], x.dims)
    if kind == 6:
        sizes = net.sizes((rows, channels, height + 2, width + 1))
        return net.node("Resize", [x.name, "", "", net.integers(sizes)], (rows, channels, height + 2, width + 1), mode="linear")
    grid = net.constant((rows, 3, 2, 2))
    return net.node("GridSample", [x.name, grid], (rows, channels, 3, 2))


def recurrence(net, x):
    """Steps first, as these operators have them."""
    if len(x.dims) != 3 or not isinstance(x.dims[1], Rows) or net.free_axes(x) != [0, 2]:
        return None
    steps, rows, size = x.dims
    operator, gates = net.random.choice((("LSTM", 4), ("GRU", 3), ("RNN", 1)))
    weights = [net.constant((1, gates * 3, inner), -0.4, 0.4) for inner in (size, 3)]
    number = len(net.graph.nodes)
    inputs = [x.name, *weights, "", "", net.constant((1, rows, 3))] + ([net.constant((1, rows, 3))] if operator == "LSTM" else [])
    states, last = net.graph.node(operator, inputs, output=[f"states_{number}", f"last_{number}"], hidden_size=3)
    if net.random.randrange(2):
        return net.node("Reshape", [states, net.integers(net.sizes((steps, rows, 3)))], (steps, rows, 3))
    return net.node("Reshape", [last, net.integers(net.sizes((rows, 3)))], (rows, 3))


def branch(net, x):
    """A branch that a constant selects only when the model runs, because it is an input; both hold the batch."""
    bodies = []
    for operator in ("Relu", "Neg"):
        body = nacre.Graph(operator)
        body.node(operator, [x.name], output=f"{operator}_{len(net.graph.nodes)}")
        body.output(f"{operator}_{len(net.graph.nodes)}", net.sizes(x.dims))
        bodies.append(body)
    return net.node("If", ["flag"], x.dims, then_branch=bodies[0], else_branch=bodies[1])


def scan(net, x):
    """The sum of the steps so far."""
    if isinstance(x.dims[0], Rows) or len(x.dims) < 2:
        return None
    row = x.dims[1:]
    number = len(net.graph.nodes)
    body = nacre.Graph("body")
    body.input("sum_in", net.sizes(row))
    body.input("step", net.sizes(row))
    body.node("Add", ["sum_in", "step"], output="sum_out")
    body.node("Relu", ["sum_out"], output="row")
    body.output("sum_out", net.sizes(row))
    body.output("row", net.sizes(row))
    outputs = net.graph.node("Scan", [net.constant(row), x.name], output=[f"final_{number}", f"rows_{number}"], body=body, num_scan_inputs=1)
    return Tensor(outputs[0], tuple(row)) if net.random.randrange(2) else Tensor(outputs[1], x.dims)


OPERATORS = (unary, add_constant, add_other, select, expand, tile, transpose, transpose, merge, split, split, reduce, largest, along, along, top,
             join, part, part, by_coordinates, product, product, dense, lookup, layer_norm, *[window] * 6, *[recurrence] * 4, branch, scan)
