#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ensembles of decision trees that are refused: what is wrong, in the model's words."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from forests import ROWS, ForestTest, attributes_of, grow, quarter
from formulas import FLOAT, INT64
from onnx_writer import tensor


class TreesRefusedTest(ForestTest):
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
                ({("nodes_falsenodeids", 0): 99}, "node 0 of tree 0 must have branches to nodes of its tree, but has one to node 99, "
                                                  "which does not exist"),
                ({("nodes_truenodeids", 1): 1}, "node 1 of tree 0 must not be its own descendant, but is part of a cycle"),
                # A cycle of both branches, which leaves a leaf without a parent.
                ({("nodes_truenodeids", 1): 0}, "node 0 of tree 0 must not be its own descendant, but is part of a cycle"),
                ({("nodes_truenodeids", 1): 4}, "node 8 of tree 0 must be a branch of another node, because its tree already has a root"),
                ({("nodes_nodeids", 4): 8}, "node 8 of tree 0 is defined twice; remove one definition"),
                ({("nodes_modes", 0): "BRANCH_XOR"}, "node 0 of tree 0 must have one of the modes BRANCH_LEQ, "),
                ({("target_ids", 0): 1}, "node 8 of tree 0 must have weights for targets or classes from 0 to 0, but has one for 1"),
                ({("target_nodeids", 0): 77}, "attribute 'target_nodeids' must name nodes of the trees, but names node 77 of tree 0"),
                ({("target_nodeids", 1): 8}, "node 8 of tree 0 must have one weight for each target or class, but has two for 0")):
            with self.subTest(words):
                self.assertIn('"forest": error: ' + words, self.refused(changes))

    def test_a_tree_that_is_too_deep(self):
        tree = {0: 1.0}
        for _ in range(4097):
            tree = ("BRANCH_LEQ", 0, 0.0, False, tree, {0: 0.0})
        self.save("TreeEnsembleRegressor", attributes_of([tree], "target"), {"y": ((len(ROWS), 1), FLOAT)})
        self.assertIn("must be at most 4096 branches below its root, but is deeper; train shallower trees, or trees with fewer categories per split", self.compiled(status=1)[1])

    def test_labels_of_two_kinds(self):
        trees = [grow(3, lambda: {target: quarter() for target in range(2)}) for _ in range(3)]
        both = {"classlabels_int64s": [3, 4], "classlabels_strings": ["no", "yes"]}
        words = "error: attributes 'classlabels_int64s' and 'classlabels_strings' cannot be combined; remove one"
        outputs = {"label": ((len(ROWS),), INT64), "scores": ((len(ROWS), 2), FLOAT)}
        self.save("TreeEnsembleClassifier", {**attributes_of(trees, "class"), **both}, outputs)
        self.assertIn('"forest": ' + words, self.compiled(status=1)[1])
        self.save("TreeEnsembleClassifier", {**attributes_of(trees, "class"), "classlabels_int64s": [3, 4]}, outputs, zips=both)
        self.assertIn('"zip": ' + words, self.compiled(status=1)[1])

    def test_attributes_that_are_refused(self):
        trees = [grow(3, lambda: {0: 0.5}) for _ in range(3)]
        labels = {"classlabels_int64s": [3, 4]}
        for operator, more, words in (
                ("Regressor", {"post_transform": "SOFTMAX"},
                 "attribute 'post_transform' must be NONE or PROBIT for one target, but is SOFTMAX, which ONNX and ONNX Runtime define differently; set post_transform to NONE and add a Sigmoid or Softmax node after this one"),
                ("Regressor", {"base_values": [0.5, 1.0]},
                 "attribute 'base_values' must have 1 number, one per scored target or class, but has 2"),
                ("Classifier", {"base_values": [0.5, 1.0, 2.0], **labels},
                 "attribute 'base_values' must have 1 number, one per scored target or class, or 2, but has 3"),
                ("Classifier", {"base_values": [0.5], "post_transform": "PROBIT", **labels}, "attribute 'post_transform' must not be PROBIT")):
            with self.subTest(words):
                scored = "target" if operator == "Regressor" else "class"
                outputs = ["y"] if operator == "Regressor" else ["label", "y"]
                self.save("TreeEnsemble" + operator, {**attributes_of(trees, scored), **more},
                          {name: ((len(ROWS), 1), FLOAT if name == "y" else 0) for name in outputs})
                self.assertIn('"forest": error: ' + words, self.compiled(status=1)[1])

    def test_numbered_nodes_that_are_refused(self):
        for changes, words in (
                ({"nodes_truenodeids": [3, 0, 1]}, "node 0 must have branches to nodes from 0 to 2, but has one to 3"),
                ({"nodes_falsenodeids": [2, -1, 2]}, "node 1 must have branches to leaves from 0 to 2, but has one to -1"),
                ({"nodes_trueleafs": [0, 0, 1]}, "node 0 must not be its own descendant, but is part of a cycle"),
                ({"nodes_falsenodeids": [1, 1, 2]}, "node 2 must be reachable from a root, but is not"),
                ({"tree_roots": []}, "attribute 'tree_roots' must name a root, but is empty"),
                ({"tree_roots": [3]}, "attribute 'tree_roots' must name nodes from 0 to 2, but names 3"),
                ({"tree_roots": [0, -1]}, "attribute 'tree_roots' must name nodes from 0 to 2, but names -1"),
                ({"nodes_splits": None}, "attribute 'nodes_splits' must have an entry for each of the 3 in 'nodes_featureids', but has 0"),
                ({"nodes_modes": tensor([0, 6, 1], "B")}, "node 1 must compare its feature with one number"),
                ({"leaf_targetids": [], "leaf_weights": None}, "node 1 must have branches to leaves, but 'leaf_targetids' is empty"),
                (dict.fromkeys(("nodes_featureids", "nodes_truenodeids", "nodes_trueleafs", "nodes_falsenodeids", "nodes_falseleafs"), []) |
                 {"nodes_modes": None, "nodes_splits": None}, "attribute 'nodes_featureids' must have an entry for each node, but is empty")):
            with self.subTest(words):
                self.save_numbered(**changes)
                self.assertIn('"forest": error: ' + words, self.compiled(status=1)[1])


if __name__ == "__main__":
    unittest.main()
