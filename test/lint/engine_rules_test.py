#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows the rule of tools/dev/check_passes.py for passes of one engine trees that break it, and trees that do not.

Why: a pass that tests engines by itself may forget an operator, and its entry in Passes.td would not say what it changes.
"""
import unittest

from rules_test import SOURCE, answer, passes

FLAG = 'RoomPass<"nacre-split-work">'
PASS = SOURCE + "#define GEN_PASS_DEF_SPLITWORKPASS\n"
TEST = "if (plan::isOnCpu(op))\n  return;\n"


def for_engines(engines):
    return passes(FLAG, f'EnginePass<"nacre-split-work", "::mlir::ModuleOp", [{engines}]>')


def row_for(engines):
    return {"docs/phases/graph.md": f"# graph\n\n| pass | for | result |\n|---|---|---|\n| split-work | {engines} | parts |\n"}


CASES = {
    "which Passes.td names already": {**for_engines('"Cpu"'), "compiler/graph/Split.cpp": PASS + TEST},
    "declare the pass as EnginePass": {"compiler/graph/Split.cpp": PASS + TEST},
    "add the file to ENGINE_DECISIONS": {"codegen/Split.cpp": SOURCE + "return plan::engineOf(op) == plan::Engine::Cpu;\n"},
    "remove it from ENGINE_DECISIONS": {"compiler/kernels/storages/Overwritten.cpp": SOURCE},
    'EnginePass<..., ["Gpu"]>': {**for_engines('"Gpu", "Any"'), "compiler/graph/gpu/Split.cpp": PASS},
    'EnginePass<..., ["Cpu"]>': {"compiler/graph/cpu/Split.cpp": PASS},
    "says that split-work is for 'all', but Passes.td says 'not CPU'": {**for_engines('"Gpu", "Any"'), **row_for("all")},
    "says that split-work is for 'CPU', but Passes.td says 'all'": row_for("CPU"),
    "is for the engines Any, Cpu": for_engines('"Any", "Cpu"'),
}


class EngineRules(unittest.TestCase):
    def test_trees_that_break_the_rule(self):
        for expected, changes in CASES.items():
            with self.subTest(expected=expected):
                code, said = answer("passes", changes)
                self.assertEqual(code, 1, said)
                self.assertIn(expected, said)

    def test_passes_that_list_their_operators(self):
        kept = {**for_engines('"Cpu"'), **row_for("CPU"), "compiler/graph/cpu/Split.cpp": PASS + "if (isGiven(op))\n  return;\n"}
        self.assertEqual(answer("passes", kept), (0, "0 problems\n"))

    def test_decisions_about_a_launch(self):
        self.assertEqual(answer("passes", {"compiler/kernels/storages/Overwritten.cpp": SOURCE + TEST}), (0, "0 problems\n"))


if __name__ == "__main__":
    unittest.main()
