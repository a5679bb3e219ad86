# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of many random small networks with constants from 1e-12 to 1e12, and what they must compute.

How:  each network is drawn by its number: an input with a row of zeros and a row of small numbers, perhaps a product, and blocks of
      elementwise operators, sums and norms around their constants, written in double beside the nodes. A product may compute with halves: its
      operands and its result are off by a step of 2^-11. What such errors make of a result, by trying some, is allowed for
      in it, beside 2 % of each element; so are errors of fp32 in all nodes.
"""
import math
import os
import random
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

ROWS, COLUMNS = 6, 16
TRIES = 4  # of errors
RELATIVE = 0.02
EPSILONS = (1e-3, 1e-5, 1e-6, 1e-8, 1e-9, 1e-12)
LARGEST, SMALLEST = 1e30, 1e-30  # what fp32 itself has, and some room
LEAST = 1e-37  # which fp32 may flush to 0


class Value:
    """A tensor: its name, what it is, and what it is with errors of halves, once for each try."""

    def __init__(self, name, tries):
        self.name, self.tries = name, tries

    @property
    def exact(self):
        return self.tries[0]


class Network:
    """Adds nodes to a graph, and computes with them."""

    def __init__(self, graph, number):
        self.graph, self.number = graph, number
        self.draw = random.Random(number)
        self.noise = np.random.default_rng(number)
        self.about = []
        self.fed = {}

    def name(self):
        self.count = getattr(self, "count", 0) + 1
        return f"n{self.number}_{self.count}"

    def input(self, array):
        name = self.name()
        self.fed[name] = array.astype(np.float32)
        self.graph.input(name, list(array.shape))
        return Value(name, [self.fed[name].astype(np.float64)] * (1 + TRIES))

    def constant(self, array):
        array = np.asarray(array, np.float32)
        name = self.graph.constant(self.name(), list(array.shape), array.ravel().tolist())
        return Value(name, [array.astype(np.float64)] * (1 + TRIES))

    def node(self, operator, operands, function, **attributes):
        operands = [operand if isinstance(operand, Value) else self.constant(operand) for operand in operands]
        name = self.graph.node(operator, [operand.name for operand in operands], name=self.name(), **attributes)
        self.about.append(operator)
        with np.errstate(all="ignore"):
            return self.with_errors(Value(name, [function(*numbers) for numbers in zip(*(operand.tries for operand in operands))]), 2.0**-23)

    def product(self, x, size=1.0):
        """Times a matrix whose weights are about `size` / sqrt(COLUMNS)."""
        weights = self.constant(self.noise.standard_normal((COLUMNS, COLUMNS)) * size / math.sqrt(COLUMNS))
        y = self.node("MatMul", [self.with_errors(x), self.with_errors(weights)], np.matmul)
        return self.with_errors(y)

    def with_errors(self, x, step=2.0**-11):
        return Value(x.name, [x.exact] + [numbers * (1 + step * self.noise.uniform(-1, 1, numbers.shape)) for numbers in x.tries[1:]])

    # Elementwise.
    def add(self, a, b):
        return self.node("Add", [a, b], np.add)

    def sub(self, a, b):
        return self.node("Sub", [a, b], np.subtract)

    def mul(self, a, b):
        return self.node("Mul", [a, b], np.multiply)

    def div(self, a, b):
        return self.node("Div", [a, b], np.divide)

    def max(self, a, b):
        return self.node("Max", [a, b], np.maximum)

    def sqrt(self, a):
        return self.node("Sqrt", [a], np.sqrt)

    def abs(self, a):
        return self.node("Abs", [a], np.abs)

    def log(self, a):
        return self.node("Log", [a], np.log)

    # Of rows.
    def mean(self, a):
        return self.node("ReduceMean", [a], lambda x: x.mean(axis=1, keepdims=True), axes=[1], keepdims=1)

    def sum(self, a):
        self.graph_axes = getattr(self, "graph_axes", None) or self.graph.integers(self.name(), [1])
        name = self.graph.node("ReduceSum", [a.name, self.graph_axes], name=self.name(), keepdims=1)
        self.about.append("ReduceSum")
        return Value(name, [x.sum(axis=1, keepdims=True) for x in a.tries])

    def length(self, a):
        return self.node("ReduceL2", [a], lambda x: np.sqrt((x * x).sum(axis=1, keepdims=True)), axes=[1], keepdims=1)

    def softmax(self, a):
        def compute(x):
            e = np.exp(x - x.max(axis=1, keepdims=True))
            return e / e.sum(axis=1, keepdims=True)
        return self.node("Softmax", [a], compute, axis=1)

    def number_of(self, low=-12, high=12):
        return 10 ** self.draw.uniform(low, high)

    def epsilon(self):
        return self.draw.choice(EPSILONS)


def keep_in_range(net, x, factor):
    """`factor` or its inverse, whichever leaves the numbers of x in the range of fp32."""
    sizes = np.abs(x.exact)[np.abs(x.exact) > 0]
    largest, smallest = (sizes.max(), sizes.min()) if sizes.size else (1, 1)
    fits = largest * factor < LARGEST and smallest * factor > SMALLEST
    return factor if fits else 1 / factor


# Blocks: each makes a tensor of another one of the same shape.

def scaled(net, x):
    c = keep_in_range(net, x, net.number_of())
    return net.mul(x, c) if net.draw.random() < 0.5 else net.div(x, np.float64(np.float32(1 / c)))


def scaled_by_channel(net, x):
    factors = [keep_in_range(net, x, net.number_of()) for _ in range(COLUMNS)]
    return net.mul(x, factors)


def there_and_back(net, x):
    c = keep_in_range(net, x, net.number_of())
    y = net.mul(x, c)
    y = net.draw.choice((net.abs, lambda v: net.add(v, 0.25 * c), lambda v: net.max(v, -c), lambda v: net.node("Relu", [v], lambda n: np.maximum(n, 0))))(y)
    return net.div(y, c)


def squared(net, x):
    c = net.number_of(-4, 4)
    y = net.mul(x, c)
    return net.div(net.mul(y, y), c * c)


def logarithm(net, x):
    return net.log(net.add(net.abs(x), net.epsilon()))


def logarithm_of_softmax(net, x):
    return net.log(net.add(net.softmax(x), net.epsilon()))


def root(net, x):
    return net.sqrt(net.add(net.mul(x, x), net.epsilon()))


def inverse(net, x):
    y = net.add(net.abs(x), net.epsilon())
    return net.node("Reciprocal", [y], np.reciprocal) if net.draw.random() < 0.5 else net.div(1.0, y)


def power(net, x):
    p = net.draw.choice((-0.5, 0.5, -1.0, 2.0, 3.0))
    return net.node("Pow", [net.add(net.abs(x), net.epsilon()), p], np.power)


def normalized(net, x):
    epsilon, length = net.epsilon(), net.length(x)
    which = net.draw.randrange(3)
    if which == 0:
        return net.div(x, net.max(length, epsilon))
    if which == 1:
        return net.div(x, net.add(length, epsilon))
    return net.div(x, net.sqrt(net.add(net.sum(net.mul(x, x)), epsilon)))


def root_mean_square(net, x):
    return net.div(x, net.sqrt(net.add(net.mean(net.mul(x, x)), net.epsilon())))


def layer_norm(net, x):
    d = net.sub(x, net.mean(x))
    return net.div(d, net.sqrt(net.add(net.mean(net.mul(d, d)), net.epsilon())))


def layer_norm_operator(net, x):
    epsilon = net.epsilon()

    def compute(numbers, scale):
        d = numbers - numbers.mean(axis=1, keepdims=True)
        return d / np.sqrt((d * d).mean(axis=1, keepdims=True) + epsilon) * scale
    return net.node("LayerNormalization", [x, [1.5] * COLUMNS], compute, axis=1, epsilon=epsilon)


def batch_norm(net, x):
    epsilon = net.epsilon()
    variance = [0.0 if net.draw.random() < 0.2 else net.number_of(-6, 2) for _ in range(COLUMNS)]
    scale, shift, mean = ([net.draw.uniform(0.5, 2) for _ in range(COLUMNS)] for _ in range(3))

    def compute(numbers, s, b, m, v):
        return (numbers - m) / np.sqrt(v + epsilon) * s + b
    return net.node("BatchNormalization", [x, scale, shift, mean, variance], compute, epsilon=epsilon)


def variance_of_large_mean(net, x):
    y = net.add(x, net.number_of(1, 2.5))
    d = net.sub(y, net.mean(y))
    variance = net.mean(net.mul(d, d))
    return net.add(net.mul(x, 0.0), variance) if net.draw.random() < 0.5 else net.div(d, net.sqrt(net.add(variance, net.epsilon())))


def masked_mean(net, x):
    mask = (np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS) % 3 > 0).astype(np.float64)
    mask[2] = 0  # a row of which nothing is left
    m = net.input(mask)
    count = net.sum(m)
    epsilon = net.epsilon()
    divisor = net.max(count, epsilon) if net.draw.random() < 0.5 else net.add(count, epsilon)
    return net.add(net.mul(x, 0.0), net.div(net.sum(net.mul(x, m)), divisor))


def masked_softmax(net, x):
    mask = np.zeros((1, COLUMNS))
    mask[0, 5:9] = net.draw.choice((-1e4, -1e9, -1e12, -3.4e38))
    return net.softmax(net.add(x, mask))


def clipped(net, x):
    low, high = -net.number_of(-12, 0), net.number_of(0, 12)
    return net.node("Clip", [x, np.float64(low), np.float64(high)], np.clip)


def chosen(net, x):
    c = net.number_of(-12, -1)
    condition = net.node("Greater", [x, c], np.greater)
    return net.node("Where", [condition, x, c], np.where)


def exponential(net, x):
    c = net.number_of(-12, 12)
    y = net.node("Exp", [net.node("Neg", [net.node("Clip", [net.abs(x), 0.0, 20.0], np.clip)], np.negative)], np.exp)
    return net.div(net.mul(y, c), c)


BLOCKS = (scaled, scaled_by_channel, there_and_back, squared, logarithm, logarithm_of_softmax, root, inverse, power, normalized, root_mean_square, layer_norm,
          layer_norm_operator, batch_norm, variance_of_large_mean, masked_mean, masked_softmax, clipped, chosen, exponential)


class Model:
    """A graph whose outputs are its networks. `fed` and `wanted` are arrays by name; `allowed` is the error of each element, and `about`
    says what an output is."""

    def __init__(self, numbers):
        self.graph = nacre.Graph("networks", opset=17)
        self.fed, self.wanted, self.allowed, self.about = {}, {}, {}, {}
        for number in numbers:
            self.add(number)

    def add(self, number):
        net = Network(self.graph, number)
        x = net.input(draw_input(net))
        ofProduct = net.draw.random() < 0.6
        if ofProduct:
            x = net.product(x)
        # The first block is each in turn, so that all are tried as often.
        x = BLOCKS[number % len(BLOCKS)](net, x)
        for _ in range(net.draw.randrange(3)):
            sizes = np.abs(x.exact)
            if sizes.max() > 1e8 or sizes.max() < 1e-8:
                break
            x = net.draw.choice(BLOCKS)(net, x)
        if net.draw.random() < 0.3 and np.abs(x.exact).max() < 1e12 and has_rows_alike(x):
            x = net.product(x, size=keep_in_range(net, x, net.number_of(-6, 6)))
        output = f"y{number}"
        self.graph.node("Identity", [x.name], output=output)
        self.graph.output(output, list(x.exact.shape))
        errors = np.max([np.abs(tried - x.exact) for tried in x.tries[1:]], axis=0)
        self.fed.update(net.fed)
        self.wanted[output] = x.exact
        self.allowed[output] = RELATIVE * np.abs(x.exact) + 3 * errors + LEAST
        self.about[output] = " ".join(net.about)


def has_rows_alike(x):
    """Whether halves that hold the largest row hold all others that are not zero: a product has no other numbers for a small row."""
    sizes = np.abs(x.exact).max(axis=1)
    return sizes[sizes > 0].min() > 1e-3 * sizes.max() if sizes.any() else True


def draw_input(net):
    array = net.noise.standard_normal((ROWS, COLUMNS))
    array[0] = 0
    array[1] *= 0.1
    return array
