# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small tensors, and what networks compute with them, written down as formulas."""
import array
import itertools
import math
import random
import struct

from onnx_writer import write_npy

FLOAT, INT32, INT64 = 1, 6, 7
CODES = {FLOAT: ("f", "<f4"), INT32: ("i", "<i4"), INT64: ("q", "<i8")}


class Tensor:
    """Numbers that broadcast: an index may have more axes than there are, and axes of one are read anywhere."""

    def __init__(self, dims, values, element_type=FLOAT):
        self.dims, self.values, self.element_type = tuple(dims), list(values), element_type

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        at = 0
        for position, size in zip(index[len(index) - len(self.dims):], self.dims):
            at = at * size + (position if size > 1 else 0)
        return self.values[at]

    def save(self, path):
        code, numpy = CODES[self.element_type]
        if self.element_type == FLOAT:
            return write_npy(path, self.dims, self.values)
        header = f"{{'descr': '{numpy}', 'fortran_order': False, 'shape': ({''.join(f'{d}, ' for d in self.dims)}), }}"
        header += " " * (-(len(header) + 11) % 64) + "\n"
        with open(path, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + array.array(code, self.values).tobytes())
        return None


def table(dims, f):
    return Tensor(dims, (f(*index) for index in itertools.product(*map(range, dims))))


def integers(values, dims=None, element_type=INT32):
    return Tensor(dims or (len(values),), values, element_type)


draw = random.Random(11)


def floats(*dims, low=-1.0, high=1.0):
    # What a float holds, so that formulas compute of the same numbers.
    return Tensor(dims, array.array("f", (draw.uniform(low, high) for _ in range(math.prod(dims)))))


def gelu(x):
    return x / 2 * (1 + math.erf(x / math.sqrt(2)))


def fast_gelu(x):
    return x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def quick_gelu(x, alpha=1.702):
    return x / (1 + math.exp(-alpha * x))


def normalize(x, epsilon, scale, shift=None, centred=True):
    """The last axis of `x` normalized."""
    rows, width = len(x.values) // x.dims[-1], x.dims[-1]
    result = []
    for row in range(rows):
        values = x.values[row * width:(row + 1) * width]
        mean = sum(values) / width if centred else 0
        deviation = math.sqrt(sum((v - mean)**2 for v in values) / width + epsilon)
        result += [(v - mean) / deviation * scale[c] + (shift[c] if shift else 0) for c, v in enumerate(values)]
    return Tensor(x.dims, result)


def split(x, heads, start=0, width=None):
    """[batch, steps, heads * width], from column `start` on, as [batch, heads, steps, width]."""
    width = width or x.dims[2] // heads
    return table((x.dims[0], heads, x.dims[1], width), lambda b, h, t, c: x[b, t, start + h * width + c])


def join(first, second):
    """Two tensors behind each other along axis 2."""
    steps = first.dims[2]
    return table((*first.dims[:2], steps + second.dims[2], first.dims[3]),
                 lambda b, h, t, c: first[b, h, t, c] if t < steps else second[b, h, t - steps, c])


def attend(q, k, v, bias=lambda b, h, i, j: 0.0, scale=None, softcap=0.0, sink=None):
    """[batch, queries, heads * width]; the bias is -inf where a key is not seen."""
    batch, heads, queries, width = q.dims
    group, keys, depth = heads // k.dims[1], k.dims[2], v.dims[3]
    scale = scale or 1 / math.sqrt(width)
    shares = {}
    for b, h, i in itertools.product(range(batch), range(heads), range(queries)):
        scores = [scale * sum(q[b, h, i, c] * k[b, h // group, j, c] for c in range(width)) for j in range(keys)]
        if softcap:
            scores = [softcap * math.tanh(s / softcap) for s in scores]
        scores = [s + bias(b, h, i, j) for j, s in enumerate(scores)]
        more = [sink[h]] if sink else []
        largest = max(scores + more)
        powers = [math.exp(s - largest) for s in scores + more]
        shares[b, h, i] = [p / sum(powers) for p in powers]
    return table((batch, queries, heads * depth), lambda b, i, c: sum(
        shares[b, c // depth, i][j] * v[b, c // depth // group, j, c % depth] for j in range(keys)))


def rotate(x, cosines, sines, position, interleaved=False):
    """`x` [batch, heads, steps, width]; `position(b, t)` is the row of the caches."""
    pairs = cosines.dims[1]

    def turn(b, h, t, c):
        if c >= 2 * pairs:
            return x[b, h, t, c]
        pair, is_second = (c // 2, c % 2) if interleaved else (c % pairs, c // pairs)
        first, second = (x[b, h, t, 2 * pair], x[b, h, t, 2 * pair + 1]) if interleaved else (x[b, h, t, pair], x[b, h, t, pair + pairs])
        cosine, sine = cosines[position(b, t), pair], sines[position(b, t), pair]
        return first * sine + second * cosine if is_second else first * cosine - second * sine

    return table(x.dims, turn)


def causal(past=0, window=10**6):
    return lambda b, h, i, j: 0.0 if past + i - window < j <= past + i else -math.inf
