#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of TensorFlow Lite that place, count, combine and draw elements, as their definitions say."""
import bisect
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import tflite_test
from tflite_test import at, f32, indices
from tflite_writer import FLOAT16, FLOAT32, INT32, INT64


def philox(counter, key):
    """Four words (Salmon et al. 2011)."""
    for iteration in range(10):
        first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [second >> 32 ^ counter[1] ^ (key[0] + iteration * 0x9E3779B9) % 2**32, second % 2**32,
                   first >> 32 ^ counter[3] ^ (key[1] + iteration * 0xBB67AE85) % 2**32, first % 2**32]
    return counter


class OperatorsTest(nacre.NacreTest):
    save, check = tflite_test.TfliteTest.save, tflite_test.TfliteTest.check

    def test_blocks_and_places(self):
        model = tflite_test.Model(41)
        shape = [3, 4, 2]
        x, a = model.feed("x", shape)
        block, b = model.feed("block", [2, 2, 2])
        for name, begin in (("inside", [1, 1, 0]), ("moved", [5, -3, 7])):
            begins, _ = model.feed(f"{name}_begins", [3], INT32, begin)
            start = [max(0, min(begin[0], 1)), max(0, min(begin[1], 2)), 0]
            model.want(151, [x, block, begins], name, shape,
                       [next((v for v in [at([2, 2, 2], b, [i - s for i, s in zip(index, start)])] if v is not None), at(shape, a, index)) for index in indices(shape)])
        model.want(68, [model.list(1, 3), model.list(5), model.tensor("v", [2], values=[5, 6]), model.tensor("m", [], values=[-1])],
                   "dense", [5], [-1, 5, -1, 6, -1], kind=50, options={})
        rows, _ = model.feed("rows", [2, 2], INT64, [0, 1, 2, 0])
        model.want(68, [rows, model.list(3, 2), model.tensor("one", [], values=[4]), model.tensor("none", [], values=[0])],
                   "dense_rows", [3, 2], [0, 4, 0, 0, 4, 0], kind=50, options={})
        d, diagonals = model.feed("d", [2, 3])
        model.want(113, [d], "matrices", [2, 3, 3], [diagonals[3 * n + r] if r == c else 0 for n, r, c in indices([2, 3, 3])])
        y, wide = model.feed("y", [2, 3, 4])
        model.want(115, [y, d], "replaced", [2, 3, 4], [diagonals[3 * n + r] if r == c else at([2, 3, 4], wide, (n, r, c)) for n, r, c in indices([2, 3, 4])])
        self.check(model)

    def test_segments(self):
        model = tflite_test.Model(42)
        x, a = model.feed("x", [4, 2])
        model.want(125, [x, model.list(0, 0, 2, 2)], "sorted", [3, 2], [a[0] + a[2], a[1] + a[3], 0, 0, a[4] + a[6], a[5] + a[7]])
        ids, numbers = model.feed("ids", [4], INT32, [3, 0, -1, 3])
        largest = largest_float()
        for code, name, combine, empty in ((155, "sum", sum, 0), (153, "product", math.prod, 1), (154, "most", max, -largest), (157, "least", min, largest)):
            def cell(n, c, combine=combine, empty=empty):
                own = [a[2 * row + c] for row, number in enumerate(numbers) if number == n]
                return combine(own) if own else empty
            model.want(code, [x, ids, model.list(5, shape=[])], name, [5, 2], [cell(n, c) for n, c in indices([5, 2])])
        self.check(model)

    def test_counts(self):
        model = tflite_test.Model(43)
        boundaries = [-1, 0.5, 0.5, 2]
        x, a = model.feed("x", [6], FLOAT32, [-2, -1, 0.4, 0.5, 7, 1.9])
        model.want(147, [x], "bucket", [6], [bisect.bisect_right(boundaries, v) for v in a], INT32, kind=115, options={0: [("f", b) for b in boundaries]})
        i, n = model.feed("i", [3], INT32, [-1, 2, 1])
        model.want(147, [i], "bucket_of_integers", [3], [bisect.bisect_right(boundaries, v) for v in n], INT32, kind=115, options={0: [("f", b) for b in boundaries]})
        u, _ = model.feed("u", [7], INT32, [4, 2, 4, 9, 2, 2, 0])
        parts = [model.output("different", [7], INT32), model.output("which", [7], INT32)]
        model.op(103, [u], parts, 80, {})
        model.wanted.update({"different": (INT32, [4], [4, 2, 9, 0]), "which": (INT32, [7], [0, 1, 0, 2, 1, 1, 3])})
        self.check(model)

    def test_sparse_weights(self):
        """Rows of blocks of 2 by 2, of which the file has three; and single elements by columns, as halves."""
        model = tflite_test.Model(46)
        x, a = model.feed("x", [1, 4])
        def level(size=None, segments=(), indices=()):
            if size:
                return {0: ("b", 0), 1: ("i", size)}
            return {0: ("b", 1), 2: ("B", 1), 3: {0: [("i", n) for n in segments]}, 4: ("B", 3), 5: {0: [("B", n) for n in indices]}}
        blocks = {0: [("i", n) for n in (0, 1, 2, 3)], 1: [("i", n) for n in (0, 1)], 2: [level(3), level(None, (0, 1, 1, 3), (1, 0, 1)), level(2), level(2)]}
        stored = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
        whole = [[0, 0, 1, 2], [0, 0, 3, 4], [0] * 4, [0] * 4, [5, 6, 9, 10], [7, 8, 11, 12]]
        w = model.tensor("w", [6, 4], values=stored, more={6: blocks})
        model.want(9, [x, w, -1], "by_blocks", [1, 6], [sum(p * q for p, q in zip(a, row)) for row in whole], kind=8, options={})
        columns = {0: [("i", n) for n in (1, 0)], 2: [level(4), level(None, (0, 0, 2, 2, 3), (0, 1, 1))]}
        h = model.tensor("h", [2, 4], FLOAT16, [0.5, -2, 3], more={6: columns})
        dense = model.tensor("dense", [2, 4], FLOAT16)
        model.op(124, [h], [dense])
        model.want(6, [dense], "halves", [2, 4], [0, 0.5, 0, 0, 0, -2, 0, 3])
        self.check(model)

    def test_sparse_weights_lie_inside(self):
        for indices in ((0, 2), (0, 200), (0, 1, 1), (0,)):
            model = tflite_test.Model(47)
            x, _ = model.feed("x", [2])
            csr = {0: ("b", 1), 2: ("B", 1), 3: {0: [("i", 0), ("i", 2)]}, 4: ("B", 3), 5: {0: [("B", n) for n in indices]}}
            w = model.tensor("w", [2], values=[1, 2], more={6: {0: [("i", 0)], 2: [csr]}})
            model.op(0, [x, w], [model.output("y", [2])], 11, {})
            model.save(self.path("model.tflite"))
            said = self.call(f"{nacre.BIN}/nacre-compile", self.path("model.tflite"), "-o", self.path("libm.so"), status=1)
            self.assertIn('"w": error: must have valid positions for its elements, but does not', said)

    def test_random_numbers(self):
        """Of a seed the same in every run: a function of the element's place."""
        model = tflite_test.Model(44)
        words = [word for block in range(2) for word in philox([block, 0, 0, 0], [7, 0])]
        model.want(148, [model.list(3, 2)], "uniform", [3, 2], [math.floor((word >> 8) / 2) / 2**23 for word in words[:6]], kind=114, options={0: ("q", 7)})
        words = [word for block in range(2) for word in philox([block, 0, 0, 0], [5 ^ 1 << 16, 1])]
        reals = [(word >> 8) / 2**24 for word in words]
        normal = [math.sqrt(-2 * math.log(reals[n - n % 2] + 2**-24)) * (math.sin if n % 2 else math.cos)(2 * math.pi * reals[n - n % 2 + 1]) for n in range(5)]
        model.want(146, [model.list(5)], "normal", [5], [f32(v) for v in normal], kind=114, options={0: ("q", 5), 1: ("q", 1)})
        self.check(model)

    def test_volumes(self):
        model = tflite_test.Model(45)
        x, a = model.feed("x", [1, 2, 3, 2, 2])
        weights = [f32(model.random.uniform(-1, 1)) for _ in range(2 * 2 * 3 * 3 * 2)]
        filters = model.tensor("filters", [2, 2, 3, 3, 2], values=weights)
        bias = model.tensor("bias", [3], values=[0.5, -1, 0.25])
        # Twice the planes and rows; columns have one pad at both ends.
        out = [1, 4, 6, 2, 3]
        answer = [[0.5, -1, 0.25][n % 3] for n in range(math.prod(out))]
        for p, r, c, k, i, j, l, o in indices([2, 3, 2, 2, 2, 2, 3, 3]):
            plane, row, column = 2 * p + i, 2 * r + j, c + l - 1
            if 0 <= column < 2:
                answer[((plane * 6 + row) * 2 + column) * 3 + o] += at([1, 2, 3, 2, 2], a, (0, p, r, c, k)) * at([2, 2, 3, 3, 2], weights, (i, j, l, o, k))
        model.want(141, [model.list(*out), filters, x, bias], "spread", out, answer, kind=106,
                   options={1: ("i", 2), 2: ("i", 1), 3: ("i", 2)})
        self.check(model)


def largest_float():
    """The largest float."""
    return (2 - 2**-23) * 2.0**127


if __name__ == "__main__":
    unittest.main()
