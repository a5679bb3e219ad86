#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ensembles of decision trees (ai.onnx.ml), against trees that are walked one by one.

How:  a tree is a tuple, (mode, feature, split, whether a missing number is true, branch on true, branch on false), or a leaf, the
      weights that it has for targets. The model's lists are made of it, and so are the answers.
"""
import array
import math
import os
import random
import unittest

import nacre
from formulas import FLOAT, INT32, INT64, Tensor, integers
from onnx_writer import Graph

HOLDS = {"BRANCH_LEQ": lambda x, s: x <= s, "BRANCH_LT": lambda x, s: x < s, "BRANCH_GTE": lambda x, s: x >= s,
         "BRANCH_GT": lambda x, s: x > s, "BRANCH_EQ": lambda x, s: x == s, "BRANCH_NEQ": lambda x, s: x != s}
FEATURES = 5
draw = random.Random(5)


def quarter():
    """A number that floats hold, and that rows and splits have in common often enough."""
    return draw.randrange(-8, 9) / 4


def grow(depth, weigh, modes=tuple(HOLDS)):
    if depth == 0 or draw.random() < 0.1:
        return weigh()
    return (draw.choice(modes), draw.randrange(FEATURES), quarter(), draw.random() < 0.5,
            grow(depth - 1, weigh, modes), grow(depth - 1, weigh, modes))


def reach(tree, row):
    while isinstance(tree, tuple):
        mode, feature, split, is_missing_true, on_true, on_false = tree
        x = row[feature]
        tree = on_true if HOLDS[mode](x, split) or (is_missing_true and math.isnan(x)) else on_false
    return tree


def attributes_of(trees, scored):
    """The lists of a node. Numbers of nodes have gaps, so that none is taken for a place in a list."""
    lists = {f"nodes_{name}": [] for name in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids",
                                              "missing_value_tracks_true")}
    lists.update({f"{scored}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")})

    def add(prefix, **entries):
        for name, entry in entries.items():
            lists[f"{prefix}_{name}"].append(entry)

    def flatten(tree, number, following):
        """`following` is where free numbers begin; gives where they begin then."""
        if not isinstance(tree, tuple):
            add("nodes", treeids=tree_id, nodeids=number, featureids=0, modes="LEAF", values=0.0, truenodeids=0, falsenodeids=0,
                missing_value_tracks_true=0)
            for target, weight in tree.items():
                add(scored, treeids=tree_id, nodeids=number, ids=target, weights=weight)
            return following
        mode, feature, split, is_missing_true, on_true, on_false = tree
        add("nodes", treeids=tree_id, nodeids=number, featureids=feature, modes=mode, values=split, truenodeids=following,
            falsenodeids=following + 3, missing_value_tracks_true=int(is_missing_true))
        return flatten(on_false, following + 3, flatten(on_true, following, following + 7))

    for tree_id, tree in enumerate(trees):
        flatten(tree, 0, 1)
    return lists


def sums(trees, row, targets):
    return [sum(reach(tree, row).get(target, 0.0) for tree in trees) for target in range(targets)]


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


ROWS = [[quarter() for _ in range(FEATURES)] for _ in range(37)]
for holed in ROWS[::3]:
    holed[draw.randrange(FEATURES)] = math.nan


class TreesTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        self.onnx = self.path("trees.onnx")

    def save(self, operator, attributes, outputs, dims=(len(ROWS), FEATURES), element_type=FLOAT, zips=None):
        """`outputs`: {name: (dims, element type)} of the node, or of the ZipMap behind its scores."""
        graph = Graph("trees")
        x = graph.input("x", dims, element_type)
        names = list(outputs)
        graph.node("ai.onnx.ml." + operator, [x], names, name="forest", **attributes)
        if zips:
            graph.node("ai.onnx.ml.ZipMap", [names[1]], output="maps", name="zip", **zips)
            names = [names[0], "maps"]
        for name, (shape, kind) in zip(names, outputs.values()):
            if kind:
                graph.output(name, shape, kind)
        graph.save(self.onnx)

    def compiled(self, *options, status=0):
        library = self.path("libtrees.so")
        return library, self.call(os.path.join(nacre.BIN, "nacre-compile"), self.onnx, "-o", library, *options, status=status)

    def check(self, rows, answers, tolerance="1e-4"):
        """`answers`: tensors by the names of outputs."""
        library, _ = self.compiled()
        rows.save(self.path("x.npy"))
        for name, answer in answers.items():
            answer.save(self.path(name + ".npy"))
        said = self.run_model(library, f"--rtol={tolerance}", f"--atol={tolerance}", f"--input=x={self.path('x.npy')}",
                              *(f"--expect={name}={self.path(name + '.npy')}" for name in answers))
        self.assertEqual(said.count("agrees"), len(answers), said)

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

        def of_second(row):
            scores = sums(second, row, 2)
            return scores, int(scores[1] > 0)
        self.check_classifier(shares, [3, 5], share)
        self.check_classifier(signed, [0, 1], sign)
        self.check_classifier(signed, [0, 1], logistic, post_transform="LOGISTIC")
        self.check_classifier(second, [0, 1], of_second)

    def test_maps_and_labels_of_texts(self):
        trees = [grow(3, lambda: {target: quarter() for target in range(2)}) for _ in range(3)]
        attributes = {**attributes_of(trees, "class"), "classlabels_strings": ["no", "yes"]}
        dims = (len(ROWS), 2)
        self.save("TreeEnsembleClassifier", attributes, {"label": (dims[:1], 8), "scores": (dims, FLOAT)},
                  zips={"classlabels_strings": ["no", "yes"]})
        _, said = self.compiled(status=1)
        self.assertIn('"label": error: an output must hold numbers, but this one holds elements of the type \'string\'; leave it out: '
                      "name the outputs that you want with --output", said)
        library, said = self.compiled("--output=maps")
        self.assertIn('"zip": note: gives a tensor of the scores in place of a list of maps: a column for each of the 2 labels', said)
        Tensor(dims, (y for row in ROWS for y in sums(trees, row, 2))).save(self.path("y.npy"))
        Tensor((len(ROWS), FEATURES), array.array("f", (x for row in ROWS for x in row))).save(self.path("x.npy"))
        said = self.run_model(library, "--rtol=1e-4", "--atol=1e-4", f"--input=x={self.path('x.npy')}", f"--expect=maps={self.path('y.npy')}")
        self.assertEqual(said.count("agrees"), 1, said)

    def refused(self, changes, targets=1):
        tree = ("BRANCH_LEQ", 1, 0.5, False, ("BRANCH_LEQ", 2, 0.0, False, {0: 1.0}, {0: 2.0}), {0: 3.0})
        lists = attributes_of([tree], "target")
        for (name, place), value in changes.items():
            lists[name][place] = value
        self.save("TreeEnsembleRegressor", {**lists, "n_targets": targets}, {"y": ((len(ROWS), targets), FLOAT)})
        return self.compiled(status=1)[1]

    def test_what_is_refused(self):
        # Nodes 0, 1, 8, 11 and 4, in this order.
        for changes, words in (
                ({("nodes_featureids", 1): 5}, "node 1 of tree 0 must read one of the 5 features of a row, but reads feature 5"),
                ({("nodes_truenodeids", 0): 99}, "node 0 of tree 0 must have branches to nodes of its tree, but has one to node 99"),
                ({("nodes_truenodeids", 1): 1}, "node 1 of tree 0 must be the branch of one node, but is that of two, or of a cycle"),
                # A cycle of both branches, which leaves a leaf alone.
                ({("nodes_truenodeids", 1): 0}, "node 0 of tree 0 must be reached from the root of its tree, but is part of a cycle"),
                ({("nodes_nodeids", 4): 8}, "node 8 of tree 0 must be defined once, but is defined twice"),
                ({("nodes_modes", 0): "BRANCH_XOR"}, "node 0 of tree 0 must have one of the modes BRANCH_LEQ, "),
                ({("target_ids", 0): 1}, "node 8 of tree 0 must have weights for targets or classes from 0 to 0, but has one for 1"),
                ({("target_nodeids", 0): 77}, "attribute 'target_nodeids' must name nodes of the trees, but names node 77 of tree 0"),
                ({("target_nodeids", 1): 8}, "node 8 of tree 0 must have one weight for each target or class, but has two for 0")):
            with self.subTest(words):
                self.assertIn('"forest": error: ' + words, self.refused(changes))

    def test_a_tree_that_is_too_deep(self):
        tree = {0: 1.0}
        for _ in range(300):
            tree = ("BRANCH_LEQ", 0, 0.0, False, tree, {0: 0.0})
        self.save("TreeEnsembleRegressor", attributes_of([tree], "target"), {"y": ((len(ROWS), 1), FLOAT)})
        self.assertIn("must be at most 256 branches away from its root, but is further", self.compiled(status=1)[1])


if __name__ == "__main__":
    unittest.main()
