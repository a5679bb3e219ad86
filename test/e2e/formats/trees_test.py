#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ensembles of decision trees, against trees that are walked one by one (forests.py)."""
import array
import math
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from forests import FEATURES, ROWS, ForestTest, attributes_of, choose_among, draw, grow, quarter, reach, sums
from formulas import FLOAT, INT32, INT64, Tensor, integers


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def softmax(scores):
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def softmax_of_nonzero(scores):
    most = max(scores)
    total = sum(math.exp(score - most) for score in scores if score)
    return [(math.exp(score - most) if score else 0.0) / total for score in scores]


def probit(score):
    """sqrt(2) times the inverse error function, by Newton's method."""
    x = 0.0
    for _ in range(50):
        x -= (math.erf(x) - (2 * score - 1)) * math.sqrt(math.pi) / 2 * math.exp(x * x)
    return math.sqrt(2) * x


class TreesTest(ForestTest):
    def check_regressor(self, trees, targets, expected, tolerance="1e-4", **more):
        dims = (len(ROWS), targets)
        self.save("TreeEnsembleRegressor", {**attributes_of(trees, "target"), "n_targets": targets, **more}, {"y": (dims, FLOAT)})
        rows = Tensor((len(ROWS), FEATURES), array.array("f", (x for row in ROWS for x in row)))
        self.check(rows, {"y": Tensor(dims, (y for row in ROWS for y in expected(row)))}, tolerance)

    def test_aggregates(self):
        # Leaves have weights for some of the targets, and none for others.
        trees = [grow(4, lambda: {target: quarter() for target in range(3) if draw.random() < 0.6}) for _ in range(7)]
        base = [0.5, -0.25, 2.0]

        def extremes(choose):
            found = lambda row, target: [leaf[target] for tree in trees if target in (leaf := reach(tree, row))]  # noqa: E731
            return lambda row: [choose(found(row, target), default=0.0) + base[target] for target in range(3)]
        for name, expected in (("SUM", lambda row: [y + b for y, b in zip(sums(trees, row, 3), base)]),
                               ("AVERAGE", lambda row: [y / 7 + b for y, b in zip(sums(trees, row, 3), base)]),
                               ("MIN", extremes(min)), ("MAX", extremes(max))):
            with self.subTest(name):
                self.check_regressor(trees, 3, expected, aggregate_function=name, base_values=base)

    def test_transforms(self):
        trees = [grow(3, lambda: {target: draw.choice((0.0, quarter())) for target in range(3)}) for _ in range(3)]
        small = [grow(3, lambda: {target: draw.randrange(1, 5) / 16 for target in range(2)}) for _ in range(3)]
        each = lambda f: lambda row: [f(y) for y in sums(trees, row, 3)]  # noqa: E731
        for name, expected in (("LOGISTIC", each(sigmoid)), ("SOFTMAX", lambda row: softmax(sums(trees, row, 3))),
                               ("SOFTMAX_ZERO", lambda row: softmax_of_nonzero(sums(trees, row, 3)))):
            with self.subTest(name):
                self.check_regressor(trees, 3, expected, post_transform=name)
        # ONNX Runtime approximates the inverse error function to some thousandths.
        self.check_regressor(small, 2, lambda row: [probit(y) for y in sums(small, row, 2)], "1e-2", post_transform="PROBIT")

    def test_hundreds_of_trees(self):
        trees = [grow(7, lambda: {0: quarter()}, ("BRANCH_LEQ",)) for _ in range(200)]
        self.check_regressor(trees, 1, lambda row: sums(trees, row, 1))

    def test_categories_that_share_a_branch(self):
        shared_leaf = {0: 1.0, 1: -0.5}
        inner = choose_among(1, [-1.0, 0.5, 0.75], shared_leaf, {0: 2.0})
        # The shared branch is two steps away from the root on one way, and more on the other.
        deep = ("BRANCH_LEQ", 2, 0.0, True, inner, choose_among(0, [0.25, 1.0, -0.75, 2.0], inner, shared_leaf))
        same = ("BRANCH_LT", 3, 0.0, False, shared_leaf, shared_leaf)
        trees = [deep, choose_among(4, [quarter() for _ in range(40)], deep, {1: 3.0}), same]
        self.check_regressor(trees, 2, lambda row: sums(trees, row, 2))

    def test_hundreds_of_categories(self):
        tree = choose_among(4, [8.0 + place for place in range(700)] + [quarter()], {0: 1.0}, {0: 2.0})
        self.check_regressor([tree], 1, lambda row: sums([tree], row, 1))

    def test_a_row_and_integers(self):
        trees = [grow(3, lambda: {0: quarter()}) for _ in range(4)]
        row = [1, -2, 0, 2, -1]
        for dims, kind in (((FEATURES,), INT32), ((1, FEATURES), INT64)):
            self.save("TreeEnsembleRegressor", attributes_of(trees, "target"), {"y": ((1, 1), FLOAT)}, dims, kind)
            self.check(integers(row, dims, kind), {"y": Tensor((1, 1), sums(trees, row, 1))})

    def check_classifier(self, trees, labels, expected, **more):
        """`expected`: the scores of a row, and the place of its label."""
        dims = (len(ROWS), len(labels))
        self.save("TreeEnsembleClassifier", {**attributes_of(trees, "class"), "classlabels_int64s": labels, **more},
                  {"label": (dims[:1], INT64), "scores": (dims, FLOAT)})
        rows = Tensor((len(ROWS), FEATURES), array.array("f", (x for row in ROWS for x in row)))
        answers = [expected(row) for row in ROWS]
        self.check(rows, {"label": Tensor(dims[:1], [labels[place] for _, place in answers], INT64),
                          "scores": Tensor(dims, (y for scores, _ in answers for y in scores))})

    def test_several_classes(self):
        trees = [grow(4, lambda: {target: quarter() for target in range(3)}) for _ in range(5)]
        base = [0.125, 0.0625, -0.5]

        def expected(row):
            scores = [y + b for y, b in zip(sums(trees, row, 3), base)]
            return softmax(scores), scores.index(max(scores))
        self.check_classifier(trees, [7, 11, -2], expected, post_transform="SOFTMAX", base_values=base)

    def test_one_tree_for_each_class(self):
        # A class that nothing scores is never chosen, be the others below 0.
        trees = [grow(3, lambda of=of: {of: -1 - abs(quarter()) - of / 64}) for of in (0, 2, 3, 0, 2, 3)]

        def expected(row):
            scores = sums(trees, row, 4)
            return scores, max((0, 2, 3), key=lambda place: scores[place])
        self.check_classifier(trees, [1, 2, 3, 4], expected)

    def test_two_classes_of_which_one_is_scored(self):
        shares = [grow(3, lambda: {0: draw.randrange(0, 9) / 40}) for _ in range(5)]
        signed = [grow(3, lambda: {0: quarter() + 0.125}) for _ in range(5)]
        second = [grow(3, lambda: {1: quarter() + 0.125}) for _ in range(5)]

        def share(row):
            score, = sums(shares, row, 1)
            return [1 - score, score], int(score > 0.5)

        def sign(row):
            score, = sums(signed, row, 1)
            return [-abs(score), abs(score)], int(score > 0)

        def logistic(row):
            score, = sums(signed, row, 1)
            return [sigmoid(-score), sigmoid(score)], int(score > 0)

        def based(row):
            score = sums(signed, row, 1)[0] + 0.25
            return softmax([score, -0.75]), int(score > 0)

        def of_second(row):
            scores = sums(second, row, 2)
            return scores, int(scores[1] > 0)
        self.check_classifier(shares, [3, 5], share)
        self.check_classifier(signed, [0, 1], sign)
        self.check_classifier(signed, [0, 1], logistic, post_transform="LOGISTIC")
        self.check_classifier(second, [0, 1], of_second)
        # ONNX Runtime scores the second class by its base value, and chooses by the first.
        self.check_classifier(signed, [0, 1], based, post_transform="SOFTMAX", base_values=[0.25, -0.75])

    def test_maps_and_labels_of_texts(self):
        trees = [grow(3, lambda: {target: quarter() for target in range(2)}) for _ in range(3)]
        attributes = {**attributes_of(trees, "class"), "classlabels_strings": ["no", "yes"]}
        dims = (len(ROWS), 2)
        self.save("TreeEnsembleClassifier", attributes, {"label": (dims[:1], 8), "scores": (dims, FLOAT)},
                  zips={"classlabels_strings": ["no", "yes"]})
        _, said = self.compiled(status=1)
        self.assertIn('"label": error: an output must hold numbers, but this one has element type \'string\'; exclude it by '
                      "naming the outputs you need with --output", said)
        library, said = self.compiled("--output=maps")
        self.assertIn('"zip": note: returns a tensor of scores instead of a list of maps: one column for each of the 2 labels', said)
        Tensor(dims, (y for row in ROWS for y in sums(trees, row, 2))).save(self.path("y.npy"))
        Tensor((len(ROWS), FEATURES), array.array("f", (x for row in ROWS for x in row))).save(self.path("x.npy"))
        said = self.run_model(library, "--rtol=1e-4", "--atol=1e-4", f"--input=x={self.path('x.npy')}", f"--expect=maps={self.path('y.npy')}")
        self.assertEqual(said.count("agrees"), 1, said)

    def test_numbered_nodes_that_share_branches(self):
        one, two, four = {0: 1.0}, {0: 2.0}, {0: 4.0}
        last = ("BRANCH_LT", 2, -1.0, False, two, four)
        rows = Tensor((len(ROWS), FEATURES), array.array("f", (x for row in ROWS for x in row)))
        # Then node 1 leads to node 2, too, and both are roots of trees as well.
        for tree, more, changes in (
                (("BRANCH_LEQ", 0, 0.5, False, ("BRANCH_EQ", 1, 0.0, False, one, two), last), [], {}),
                (("BRANCH_LEQ", 0, 0.5, False, ("BRANCH_EQ", 1, 0.0, False, one, last), last), [last],
                 {"nodes_falsenodeids": [2, 2, 2], "nodes_falseleafs": [0, 0, 1], "tree_roots": [0, 2]})):
            with self.subTest(changes):
                self.save_numbered(**changes)
                self.check(rows, {"y": Tensor((len(ROWS), 1), (sums([tree, *more], row, 1)[0] for row in ROWS))})

    def test_a_table_of_weights_is_made_once(self):
        """A table of 64 MiB costs about that much memory, though its file has some KiB."""
        targets = 1 << 20
        tree = {0: 1.0}
        for _ in range(15):
            tree = ("BRANCH_LEQ", 0, 0.0, False, tree, {1: 0.0})
        used = []
        for count in (1, targets):
            self.save("TreeEnsembleRegressor", {**attributes_of([tree], "target"), "n_targets": max(count, 2)}, {"y": ((1, max(count, 2)), FLOAT)},
                      dims=(1, FEATURES))
            with subprocess.Popen([os.path.join(nacre.BIN, "nacre-compile"), "--check", self.onnx], stdout=subprocess.DEVNULL) as program:
                _, status, usage = os.wait4(program.pid, 0)
                program.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(program.returncode, 0)
            used.append(usage.ru_maxrss >> 10)
        self.assertLess(used[1] - used[0], 160, "MiB")


if __name__ == "__main__":
    unittest.main()
