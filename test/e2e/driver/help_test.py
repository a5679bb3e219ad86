#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--help of every program: options by task, the most used ones first, on lines of 80 columns."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

sys.path.insert(0, os.path.join(nacre.ROOT, "tools", "dev"))
import help_text

COLUMNS = 80
# The tasks of each program, and the options that come first.
TASKS = {
    "nacre-compile": ["Input", "Target", "Output", "Training", "Diagnostics"],
    "nacre-run": ["Inputs and outputs", "Pictures and sounds", "Measurements", "Phones", "Model and threads", "GPUs", "State", "Training"],
    "nacre-eval": ["Inputs and outputs", "Model", "Computation in double precision"],
    "nacre-diff": ["Comparison", "Library", "Model", "Computation in double precision"],
    "nacre-translate": ["Action, one of these", "Output", "Model"],
    "nacre-report": ["Files"],
    "nacre-package": ["Android library", "Maven repository"],
    "nacre-try": ["Inputs and outputs", "Measurement", "GPUs", "The phone itself, for nacre-tune --device=adb"],
    "nacre-tune": ["Profile", "GPUs", "Phones"],
    "nacre-kernel": ["Output", "CPUs", "GPUs"],
    "nacre-opt": ["Input and output", "Inspection", "Pipelines", "Phase train", "Phase graph", "Phase graph, control flow", "Phase graph, quantized models",
                  "Phase kernels", "Phase encode",
                  "Phase place", "Phase schedule", "Phase codegen, CPUs", "Phase codegen, GPUs"],
    "nacre-lsp-server": ["Protocol"],
}
FIRST = {"nacre-compile": "--shape", "nacre-run": "--input", "nacre-eval": "--input", "nacre-diff": "--input", "nacre-translate": "--import", "nacre-report": "--profile",
         "nacre-package": "-o", "nacre-try": "--input", "nacre-tune": "--base", "nacre-kernel": "--kernel", "nacre-opt": "-o", "nacre-lsp-server": "--log"}
LLVM = set(TASKS) - {"nacre-run", "nacre-tune", "nacre-try"}  # Those whose options LLVM reads, and lists in its own way.


class HelpTest(nacre.NacreTest):
    def help(self, program, option="--help"):
        path = os.path.join(nacre.BIN, program)
        if program == "nacre-try":  # It is for phones; its text is the same here.
            path = self.build_try()
        return self.call(path, option)

    def listed(self, program):
        """{task: [option]}, the tasks and the options in their order."""
        text, tasks = self.help(program), {}
        lines = text.splitlines() if program == "nacre-try" else help_text.sections(text)["OPTIONS"]
        for kind, *parts in help_text.options(lines):
            if kind == "group":
                tasks[parts[0]] = []
            elif kind == "option":
                list(tasks.values())[-1].append(parts[0])
                self.assertTrue(parts[2], f"{program} says nothing about {parts[0]}")
        return tasks

    def test_lines_are_short(self):
        for program in TASKS:
            long = [line for line in self.help(program).splitlines() if len(line) > COLUMNS]
            self.assertEqual(long, [], f"{program} --help has more than {COLUMNS} columns")

    def test_options_are_in_tasks(self):
        for program, tasks in TASKS.items():
            listed = self.listed(program)
            self.assertEqual(list(listed), tasks + ["General"], program)
            self.assertEqual([task for task, options in listed.items() if not options], [], program)
            self.assertEqual(listed[tasks[0]][0], FIRST[program], f"{program} begins with the option that is used most")
            every = sum(listed.values(), [])
            self.assertEqual(len(every), len(set(every)), f"{program} lists an option twice")
            self.assertIn("--help", listed["General"])

    def test_what_is_listed_exists(self):
        """And the other way round: each pass of Nacre is listed."""
        for program in LLVM:
            known = set(re.findall(r"^ +(--?[\w-]+)", self.help(program, "--help-hidden"), re.MULTILINE))
            every = set(sum(self.listed(program).values(), []))
            self.assertEqual(every - known, set(), program)
            passes = {name for name in known if name.startswith("--nacre-")}
            self.assertEqual(passes - every, set())
            self.assertEqual(bool(passes), program == "nacre-opt")

    def test_a_misspelt_option_suggests_the_nearest(self):
        for program in set(TASKS) - {"nacre-try"}:  # It is for phones, and small.
            for word, says in (("--hlep", "unknown option '--hlep'; did you mean '--help'?"), ("--frobnicate", "unknown option '--frobnicate'; --help lists them")):
                said = self.call(os.path.join(nacre.BIN, program), word, status=2)
                self.assertTrue(said.endswith(says + "\n"), said)
                self.assertEqual(said.count("\n"), 1, said)

    def test_nacre_run_lists_what_it_reads(self):
        """Its help is a text of its own, next to the table of its options."""
        with open(os.path.join(nacre.ROOT, "tools", "run", "session", "Options.cpp"), encoding="utf-8") as file:
            rows = set(re.findall(r'^    \{"([a-z-]+)", ', file.read(), re.MULTILINE))
        self.assertGreater(len(rows), 30)
        self.assertEqual({name.lstrip("-") for name in sum(self.listed("nacre-run").values(), [])}, rows)

    def test_reading_it(self):
        """help_text.py reads spellings of each kind, and texts that go on."""
        lines = ["Task:", "Words on it.", "", "  -o <file>             A file", "  --name=<a|b>[,c]", "                        Text that", "                        goes on",
                 "    inner=<value>       More", "  --flag[=<x>]          Last"]
        self.assertEqual(list(help_text.options(lines)), [
            ("group", "Task"), ("words", "Words on it."), ("option", "-o", " <file>", "A file"), ("option", "--name", "=<a|b>[,c]", "Text that goes on"),
            ("inner", "inner", "=<value>", "More"), ("option", "--flag", "[=<x>]", "Last")])


if __name__ == "__main__":
    unittest.main()
