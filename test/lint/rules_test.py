#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows a tree that breaks each rule of tools/dev/check_*.py, and one that does not; check_tidy.py and check_wording.py have own tests.

What: a small tree that keeps all rules; each case changes it in one place and says what the check must answer.
Why:  a rule that cannot fail is none: one let pass entries by that derived from a class of their own.
"""
import os
import subprocess
import sys
import tempfile
import unittest

from small_tree import CHECKS, LICENCE, LIT, PASSES, ROW, SOURCE, answer, comment, decided, lit, passes, rate

CASES = {
    "captures": {
        "may capture anything": lit("[^ ,:()]+", ".*"),
    },
    "comments": {
        "runtime/include/nacre/run.h:2: the comment begins with 'Whether'; write 'True if ...'": comment("/// Whether it has run."),
        "run.h:2: the comment begins with 'What'; name the thing": comment("/// What runs."),
        "run.h:2: the comment begins with 'Is'; write 'True if ...'": comment("/// Is `a` after `b`?"),
        "run.h:2: the comment begins with 'has'; write 'True if it has ...'": comment("/// has a batch."),
        "run.h:2: the comment begins with 'How'; write 'Returns how ...'": comment("/// How many there are."),
        "run.h:2: the comment begins with 'In'; begin with the subject": comment("/// In bytes."),
        "run.h:2: the comment begins with 'To'; begin with a verb or a noun": comment("int id; ///< To compare sessions"),
        "run.h:3: the comment begins with 'None'": comment("int id; ///< Number of the session\n/// None"),
        "run.h:3: the comment begins with 'By'": comment("int id; ///< Number of the session\nint key; ///< By which it is found"),
        "run.h:2: the first sentence has 26 words; split it at 25 or fewer": comment("/// Returns" + 12 * " a\n///" + 13 * " b" + "."),
        "run.h:2: the comment has 121 columns; wrap it at 120": comment("// " + 118 * "a"),
        "compiler/graph/Ops.td:1: the comment has 121 columns; wrap it at 120": {"compiler/graph/Ops.td": "// " + 118 * "a" + "\n"},
        "compiler/graph/CMakeLists.txt:1: the comment has 121 columns; wrap it at 120": {"compiler/graph/CMakeLists.txt": "# " + 119 * "a" + "\n"},
        "compiler/graph/Ops.td:1: has 'is said'": {"compiler/graph/Ops.td": "// What is said here.\n"},
        "test/unit/RunTest.cpp:1: the comment begins with 'Whether'": {"test/unit/RunTest.cpp": "/// Whether it runs.\n"},
        "run.h:2: has 'whom'": comment("/// The one\n/// whom it names."),
        "run.h:4: has 'alone'": comment("/// Runs.\n///\n/// - The CPU alone computes."),
        "run.h:5: has 'by turns'": comment("//\n// Runs:\n//\n// both by turns."),
    },
    "cycles": {
        "compiler/graph, compiler/kernels: include one another": {
            "compiler/graph/Split.cpp": SOURCE + '#include "compiler/kernels/Form.h"\n', "compiler/kernels/Form.h": SOURCE,
            "compiler/kernels/Form.cpp": SOURCE + '#include "compiler/graph/Split.h"\n'},
        "compiler/graph/Passes.td:2 includes compiler/graph/control/Loops.td": {
            "compiler/graph/Passes.td": PASSES.replace("\n", '\ninclude "compiler/graph/control/Loops.td"\n', 1),
            "compiler/graph/control/Loops.td": SOURCE, "compiler/graph/control/Loops.cpp": SOURCE + '#include "compiler/graph/Split.h"\n'},
        "runtime/src, runtime/src/state: include": {
            "runtime/src/run.cpp": SOURCE + '#include "nacre/run.h"\n', "runtime/include/nacre/run.h": SOURCE + '#include "state/state.h"\n',
            "runtime/src/state/state.h": SOURCE + '#include "../session.h"\n', "runtime/src/session.h": SOURCE + '#include "nacre/run.h"\n'},
    },
    "format": {
        "clang-format": {"compiler/graph/Split.cpp": SOURCE + "int  x ;\n"},
    },
    "includes": {
        "must not include compiler/kernels/Passes.h": {"compiler/graph/Split.cpp": SOURCE + '#include "compiler/kernels/Passes.h"\n'},
        "the runtime includes llvm/": {"runtime/src/run.cpp": SOURCE + '#include "llvm/ADT/Twine.h"\n'},
        "costs 15 s": {"compiler/graph/Split.cpp": SOURCE + '#include "mlir/Conversion/Passes.h"\n'},
        "write the path from the root": {"compiler/graph/Split.cpp": SOURCE + '#include "Split.h"\n'},
    },
    "pages": {
        "has '2026-11-23' on a page for users": {"docs/start/board.md": "# Board\n\nIt takes 2 ms (2026-11-23).\n"},
        "has 'vCPUs' on a page for users": {"docs/training.md": "# Training\n\nOn two vCPUs it takes an hour.\n"},
        "has 'test/docs' on a page for users": {"samples/README.md": "# Samples\n\n`test/docs` runs them.\n"},
        "has 'this tree' on a page for users": {"docs/python.md": "# Python\n\nA build of this tree has a wheel.\n"},
        "docs/training.md:3: has '2 to 3 MB', as another page does": {
            "docs/training.md": "# Training\n\nIt takes 2 to 3 MB.\n", "docs/shapes.md": "# Shapes\n\nIt takes 2 to 3 MB ([sizes](benchmarks.md)).\n"},
        "docs/training.md:3: has 'about an hour', as another page does": {
            "docs/training.md": "# Training\n\nIt takes about an hour.\n", "docs/shapes.md": "# Shapes\n\nIt takes about an hour ([time](commands.md)).\n"},
        "docs/training.md:3: has '0.45 ms', as another page does": {
            "docs/training.md": "# Training\n\nIt takes 0.45 ms.\n", "docs/shapes.md": "# Shapes\n\nIt takes 0.45 ms.\n"},
        "has code of 119 columns": {"docs/shapes.md": "# Shapes\n\n```sh\nnacre-compile" + 106 * "x" + "\n```\n"},
        "docs/decisions/one-axis.md: has 0 rows in docs/decisions/README.md": {**decided(), "docs/decisions/README.md": "# Decisions\n"},
        "docs/decisions/one-pool.md: has 0 rows in docs/decisions/README.md": {**decided(), "docs/decisions/README.md": None},
        "docs/decisions/one-axis.md: has 2 rows in docs/decisions/README.md": decided(ROW + ROW),
        "docs/decisions/README.md:5: has a row for lost.md, which does not exist": decided("| [Lost](lost.md) | It is lost. | in force |\n" + ROW),
        "docs/decisions/README.md:5: has the status 'old'": decided(ROW.replace("in force", "old")),
        "docs/decisions/one-axis.md: has the status 'in force', but its row in README.md has 'replaced by [One pool](one-pool.md)'":
            decided(ROW.replace("in force", "replaced by [One pool](one-pool.md)")),
        "docs/decisions/one-axis.md: has the status 'replaced by [One pool](one-pool.md)', but its row in README.md has 'in force'":
            decided(page="# One axis\n\nStatus: replaced by [One pool](one-pool.md).\n"),
        "docs/phases/graph.md:3: has a paragraph or list item of 91 words": {"docs/phases/graph.md": "# graph\n\n" + 45 * "two words\n" + "more.\n"},
        "docs/phases/graph.md:4: has a paragraph or list item of 92 words": {"docs/phases/graph.md": "# graph\n\n- Short.\n  - " + 91 * "word " + "`a b`\n- Short.\n"},
        "docs/phases/graph.md:5: has a paragraph or list item of 91 words": {"docs/phases/graph.md": "# graph\n\n1. Short.\n\n2. " + 91 * "word " + "\n"},
        "README.md:1: has '#' without a space": {"README.md": "#Nacre\n"},
        "README.md:1: has a space before a colon": {"README.md": "# compiler : phases\n"},
        "README.md:3: has a space before a colon": {"README.md": "# Nacre\n\nStart at :\n"},
        "README.md:3: has a list's marker in the middle": {"README.md": "# Nacre\n\n- Start at: `compiler`.- Never: a cycle.\n"},
        "README.md:1: has a list's marker in the middle": {"README.md": "In two steps: 1. **Build.** 2. **Run.**\n"},
        "README.md:2: is indented by more than 8": {"README.md": "# Nacre\n" + " " * 40 + "a picture\n"},
        "README.md:1: has a code span that does not end on its line": {"README.md": "Read `docs /\nREADME.md` first.\n"},
        "README.md:1: has spaces in a path; write compiler/graph/Split.h": {"README.md": "Read `compiler / graph / Split.h`.\n"},
        "README.md:3: has a table's row that begins in the middle": {"README.md": "| a | b |\n|---|---|\nIt has | 1 | 2 |\n"},
        "README.md:1: has a table without a header": {"README.md": "|---|---|\n| 1 | 2 |\n"},
        "README.md:3: has 3 cells in a table of 2": {"README.md": "| a | b |\n|---|---|\n| 1 | 2 | 3 |\n"},
    },
    "passes": {
        "write a summary": passes("Give each core a part", "Split work"),
        "write a description": passes("let description", "let title"),
        "beginning with Requires:": passes("Requires:", "Wants:"),
        "beginning with Ensures:": passes("Ensures:", "Gives:"),
        "name the example": passes("Example:", "Look at"),
        "instead of copying it": passes("One core is slow.", "```mlir\n    nn.constant\n    ```"),
        "give its flag as the first argument": passes('RoomPass<"nacre-split-work">', "RoomPass"),
        "which does not exist": {"test/compiler/graph/split-work.mlir": None},
        "is not the test of this pass": {**passes("split-work.mlir", "other.mlir"), "test/compiler/graph/other.mlir": LIT},
        "does not run nacre-split-work": lit("--nacre-split-work", "--nacre-split-work-again"),
        "has no @documented_example": lit("func.func @documented_example() {", "func.func @other() {"),
        "does not check what becomes of": lit("// CHECK-LABEL: func.func @documented_example\n", ""),
    },
    "rates": {
        "compiler/graph/Split.cpp:2: bytesPerNanosecond is a figure of a machine": rate("constexpr double bytesPerNanosecond = 12;"),
        "kSecondsPerThread is a figure": rate("constexpr double kSecondsPerThread = 10e-6;"),
        "launchMs is a figure": rate("static constexpr double smallest = 1, launchMs = 3e-3;"),
        "compiler/graph/Split.cpp:3: others is a figure": rate("// In a nanosecond.\nconstexpr double products = 32, others = 8;"),
        "waits is a figure": rate("constexpr int64_t waits = 20; // cycles"),
        "flopsPerNs is a figure": rate("const double flopsPerNs = 4.0 * lanes * 2.5;"),
        "kCacheLine is a figure": rate("constexpr int64_t kCacheLine = 64;"),
        "l2Bytes is a figure": rate("  uint64_t l2Bytes = 512 << 10;"),
        "rowCost is a figure": rate("double rowCost = f(1, 2) + 3;"),
        "add it to codegen/MachineModel.h": rate("constexpr double memoryLatency = 90;"),
    },
    "tree": {
        "graph/a/b/c: is more than 4 folders deep": {"compiler/graph/a/b/c/README.md": "# c\n"},
        "other/graph/a/b: is more than 4 folders deep": {"test/other/graph/a/b/README.md": "# b\n"},
        "test/unit/compiler/graph/a/b/c: is more than 4 folders deep": {"test/unit/compiler/graph/a/b/c/README.md": "# c\n"},
        "has 22 sources, but at most 20": {f"compiler/graph/Split{number}.cpp": SOURCE for number in range(21)},
        "has 42 files, but at most 40": {f"compiler/graph/Split{number}.{end}": SOURCE for number in range(13) for end in ("h", "def", "py")},
        "and no README.md": {f"compiler/graph/Split{number}.cpp": SOURCE for number in range(5)},
        "is named by no README": {"compiler/other/Split.cpp": SOURCE},
        "but must have at most 400": {"compiler/graph/Split.cpp": SOURCE + "\n" * 400},
        "must have at most 15 lines": {"docs/README.md": "# Documents\n" * 16},
        "which does not exist": {"docs/README.md": "# Documents\n\nSee `compiler/graph/Lost.cpp`.\n"},
        "must begin with the line": {"compiler/graph/Split.h": "// Nobody's.\n"},
        "has a path of one machine": {"compiler/graph/Split.h": SOURCE + "// /" + "root/models\n"},
        "named for everything and nothing": {"compiler/graph/utils.h": SOURCE},
        "larger than 1 MiB": {"compiler/graph/weights": b"\0" * (1 << 20) + b"\0"},
        "spells the note": {"compiler/graph/Split.cpp": SOURCE + 'constexpr char kParts[] = "nacre.parts";\n'},
        "cannot be executed": {"compiler/graph/split.py": "#!/usr/bin/env python3\n# " + LICENCE + "\n"},
    },
}


class Rules(unittest.TestCase):
    def test_a_tree_that_keeps_all_rules(self):
        for check in CASES:
            with self.subTest(check=check):
                code, said = answer(check, {})
                self.assertEqual(code, 0, said)

    def test_decisions_that_their_table_lists(self):
        status = "changed in part by [One pool](one-pool.md)"
        for changes in (decided(), decided(ROW.replace("in force", status), f"# One axis\n\nStatus: {status}.\n")):
            self.assertEqual(answer("pages", changes), (0, "0 problems\n"))

    def test_lengths_of_prose_about_phases_only(self):
        """Each item of a list counts by itself; tables, code, code spans, targets of links and other pages do not count."""
        long = 91 * "word "
        page = f"# graph\n\n{90 * 'word '}\n\n" + 60 * "- two words\n" + f"\n| {long}|\n|---|\n| {long}|\n\n```text\n{long}\n```\nIt is `{long}`, [here](../README.md).\n"
        self.assertEqual(answer("pages", {"docs/phases/graph.md": page, "docs/overview.md": f"# Overview\n\n{long}\n"}), (0, "0 problems\n"))

    def test_what_git_ignores(self):
        """Bytecode that a developer's Python has left is no part of the tree; a file that git does not know yet is."""
        ignored = {".gitignore": "/build/\n*.pyc\n__pycache__/\n", "compiler/graph/__pycache__/utils.cpython-311.pyc": b"\0",
                   "compiler/utils.pyc": b"\0", "build/utils.cpp": "", ".git": "gitdir: elsewhere\n"}
        self.assertEqual(answer("tree", ignored), (0, "0 problems\n"))
        code, said = answer("tree", {**ignored, "compiler/build/utils.h": SOURCE})
        self.assertEqual(code, 1, said)
        self.assertIn("compiler/build/utils.h: is named for everything and nothing", said)

    def test_a_tree_that_breaks_one(self):
        for check, cases in CASES.items():
            for expected, changes in cases.items():
                with self.subTest(check=check, expected=expected):
                    code, said = answer(check, changes)
                    self.assertEqual(code, 1, said)
                    self.assertIn(expected, said)

    def test_comments_of_declarations_only(self):
        """Code, plain comments, later paragraphs, sentences and items may begin with any word."""
        plain = f"""// What:  a header.
// Why:   it is read: a title is not prose.
// How:   1. One item.
/// Runs `whom`. In a loop, it runs {24 * "b "}. At the end it returns.
///
/// If it fails, it returns 1.
/// - To stop it, end the process.
/// @code
/// @endcode
int run(); ///< Returns 0
/// In-place runs; "{25 * "b "}".
// Whether it behind alone https://nacre.dev/{120 * "a"}
const char *kPath = "///Of it";
"""
        self.assertEqual(answer("comments", comment(plain)), (0, "0 problems\n"))

    def test_comments_of_a_folder(self):
        """--under checks only this folder, and --count counts the problems of each folder."""
        with tempfile.TemporaryDirectory() as root:
            for path in ("codegen/Split.h", "samples/split.h"):
                os.makedirs(os.path.join(root, os.path.dirname(path)))
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(SOURCE + "/// To split.\n")

            def said(option):
                return subprocess.run([sys.executable, os.path.join(CHECKS, "check_comments.py"), f"--root={root}", option],
                                      capture_output=True, text=True, check=False).stdout
            self.assertEqual(said("--under=samples/"), "samples/split.h:2: the comment begins with 'To'; begin with a verb or a noun\n1 problem\n")
            self.assertRegex(said("--count"), r"^ +1 codegen\n +1 samples\n +2 in all\n$")

    def test_rates_of_the_model_only(self):
        """The model has them. Counts, conversions of units, what is computed from the model, and costs of reading files are none."""
        plain = """constexpr int64_t wantedUnits = 16, mostRows = 32; // of a unit
const double seconds = nanoseconds * 1e-9, cycles = 2 * model.rowCycles;
"""
        self.assertEqual(answer("rates", {**rate(plain), "codegen/MachineModel.h": SOURCE + "inline constexpr double kUnitNanoseconds = 2000;\n",
                                          "compiler/import/Wire.cpp": SOURCE + "constexpr int64_t stringCost = 40;\n"}), (0, "0 problems\n"))

    def test_every_check_is_here(self):
        found = {name[len("check_"):-len(".py")] for name in os.listdir(CHECKS) if name.startswith("check_")}
        self.assertEqual(found - {"tidy", "wording"}, set(CASES))


if __name__ == "__main__":
    unittest.main()
