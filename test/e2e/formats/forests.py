# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ensembles of decision trees (ai.onnx.ml), as lists of a node's attributes, and what they say of rows.

How:  a tree is a tuple, (mode, feature, split, whether a missing number is true, branch on true, branch on false), or a leaf, the
      weights that it has for targets. The model's lists are made of it, and so are the answers. A branch that is one object in two
      places is one node.
"""
import math
import os
import random

import nacre
from formulas import FLOAT
from onnx_writer import Graph, tensor

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


def choose_among(feature, categories, on_true, on_false):
    """LightGBM's split `feature in categories`, as onnxmltools writes it: a chain whose true branches are one node."""
    for category in reversed(categories):
        on_false = ("BRANCH_EQ", feature, category, False, on_true, on_false)
    return on_false


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

    for tree_id, tree in enumerate(trees):
        numbers, written, free, pending = {}, set(), 1, [(tree, 0)]
        while pending:
            node, number = pending.pop()
            if number in written:
                continue
            written.add(number)
            if not isinstance(node, tuple):
                add("nodes", treeids=tree_id, nodeids=number, featureids=0, modes="LEAF", values=0.0, truenodeids=0, falsenodeids=0,
                    missing_value_tracks_true=0)
                for target, weight in node.items():
                    add(scored, treeids=tree_id, nodeids=number, ids=target, weights=weight)
                continue
            mode, feature, split, is_missing_true, *branches = node
            on_true, on_false = (numbers.setdefault(id(branch), place) for branch, place in zip(branches, (free, free + 3)))
            add("nodes", treeids=tree_id, nodeids=number, featureids=feature, modes=mode, values=split, truenodeids=on_true,
                falsenodeids=on_false, missing_value_tracks_true=int(is_missing_true))
            free += 7
            pending += [(branches[1], on_false), (branches[0], on_true)]
    return lists


def sums(trees, row, targets):
    return [sum(reach(tree, row).get(target, 0.0) for tree in trees) for target in range(targets)]


ROWS = [[quarter() for _ in range(FEATURES)] for _ in range(37)]
for holed in ROWS[::3]:
    holed[draw.randrange(FEATURES)] = math.nan


class ForestTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        draw.seed(self.id())  # no test depends on those before it
        self.onnx = self.path("trees.onnx")

    def save(self, operator, attributes, outputs, dims=(len(ROWS), FEATURES), element_type=FLOAT, zips=None, version=1):
        """`outputs`: {name: (dims, element type)} of the node, or of the ZipMap behind its scores."""
        graph = Graph("trees")
        graph.domains["ai.onnx.ml"] = version
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

    def save_numbered(self, **changes):
        """TreeEnsemble: node 0 leads to nodes 1 and 2, which lead to leaves 0 and 1, and 1 and 2. None leaves an attribute out."""
        lists = {"nodes_featureids": [0, 1, 2], "nodes_modes": tensor([0, 4, 1], "B"), "nodes_splits": tensor([0.5, 0.0, -1.0]),
                 "nodes_truenodeids": [1, 0, 1], "nodes_trueleafs": [0, 1, 1], "nodes_falsenodeids": [2, 1, 2],
                 "nodes_falseleafs": [0, 1, 1], "tree_roots": [0], "leaf_targetids": [0, 0, 0], "leaf_weights": tensor([1.0, 2.0, 4.0])}
        lists.update(changes)
        self.save("TreeEnsemble", {name: value for name, value in lists.items() if value is not None},
                  {"y": ((len(ROWS), 1), FLOAT)}, version=5)
