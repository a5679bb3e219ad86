#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows every phrase that tools/dev/check_wording.py refuses, and texts that it does not check."""
import importlib
import os
import re
import subprocess
import sys
import tempfile
import unittest

from small_tree import CHECKS, LICENCE, SOURCE, answer, passes, said

# What the check says, and the change that it says it of.
CASES = {
    "tools/run/session/Options.cpp:2: has 'Of i'; begin with the subject": said('"Of inputs without a file (default: 0)"'),
    "tools/run/session/Options.cpp:3: has 'Of t'": said('R"(OPTIONS:\n  --rtol=<X>  - Of the element itself\n)"'),
    "has 'is none'": said('"fail where there is none"'),
    "has 'for want of'; write 'because there is no ...'": said('"slow for "\n    "want of a GPU"'),
    "has 'by turns'": said('"runs both by turns"'),
    "has 'all its turns'": said('"a loop with all its turns"'),
    "has 'what becomes of'": said('"see what\\nbecomes of it"'),
    "has 'whom'": said('"the one whom it names"'),
    "has 'is about training'; write '--X requires --Y'": said('"--loss is about training"'),
    "has 'what --bound is about'": said('"what --bound is about"'),
    "has 'give --train, too'": said('"give --train, too"'),
    "has 'must be without'; write 'cannot be combined with'": said('"--keep must be without --train"'),
    "has 'is what happens anyway'": said('"package is what happens anyway"'),
    "has 'without a thought'": said('"kept without a thought"'),
    "has 'nor less than'": said('"nor less than never"'),
    "has 'beats the'": said('"an option beats the word\'s"'),
    "has 'does without what'": said('"does without what is wrong"'),
    "has 'in place of what'": said('"in place of what computes it"'),
    "has 'that nothing else says'": said('"inputs that nothing else says"'),
    "has 'what others computed'": said('"compare with what others computed"'),
    "has 'plays a GPU'": said('"a CPU that plays a GPU"'),
    "has 'parted by'": said('"words parted by spaces"'),
    "has 'is no option'": said('"--turbo is no option"'),
    "has 'behind'; write 'after'": said('"rounded behind each operator"'),
    "has 'alone'; write 'only'": said('"the CPU alone"'),
    "README.md:1: has 'What it writes is a library.'; begin with the subject": {"README.md": "What it writes is a library.\n"},
    "README.md:3: has 'Is the GPU slow,'; write 'If ...'": {"README.md": "# Nacre\n\n- Is the GPU slow, use the CPU.\n"},
    "README.md:2: has 'Where it is slow,'; write 'If ...'": {"README.md": "It runs.\nWhere it is slow, it is cut.\n"},
    "README.md:1: has 'of what'": {"README.md": "a list of\nwhat runs\n"},
    "README.md:1: has 'that which'": {"README.md": "| that which runs |\n"},
    "README.md:1: has 'whoever'": {"README.md": "for whoever reads\n"},
    "README.md:1: has 'but for'; write 'except'": {"README.md": "all but for one\n"},
    "README.md:1: has 'anew'": {"README.md": "It is made anew.\n"},
    "README.md:1: has 'beside'": {"README.md": "a file beside it\n"},
    "README.md:1: has 'each turn'; write 'iteration'": {"README.md": "in each turn of a loop\n"},
    "README.md:1: has 'is told'": {"README.md": "as the runtime is told\n"},
    "README.md:1: has 'has to do'": {"README.md": "It has to do with memory.\n"},
    "README.md:1: has 'in place of'; write 'instead of'": {"README.md": "the CPU in place of the GPU\n"},
    "README.md:1: has 'nobody'": {"README.md": "a value that nobody reads\n"},
    "README.md:1: has 'far larger'": {"README.md": "a far larger one\n"},
    "docs/report.schema.json:2: has 'Of t'": {"docs/report.schema.json": '{\n  "description": "Of the library."\n}\n'},
    "tools/distribution/SDK.md.in:2: has 'alone'": {"tools/distribution/SDK.md.in": "# SDK\nthe CPU alone\n"},
    "docs/man/nacre-run.1.in:3: has 'Of a'": {"docs/man/nacre-run.1.in": f'.\\" {LICENCE}\n.SH DESCRIPTION\nOf an output it takes all.\n'},
    "compiler/graph/Split.cpp:2: has 'whom'": {"compiler/graph/Split.cpp": SOURCE + 'const char *kName = "whom";\n'},
    "compiler/graph/Passes.td:4: has 'by turns'": passes("Give each core a part", "Let cores compute by turns"),
    "compiler/graph/Passes.td:6: has 'alone'": passes("One core is slow.", "One core alone is slow."),
    "runtime/include/nacre/run.h:3: has 'of what'": {"runtime/include/nacre/run.h": SOURCE + "/** The size of an input.\n * Of it or of what\n * is read. */\n"},
    "runtime/java/dev/nacre/Run.java:2: has 'is none'": {"runtime/java/dev/nacre/Run.java": SOURCE + "/** Null where there is none. */\n"},
    "runtime/java/dev/nacre/Guard.java:2: has 'whom'": {"runtime/java/dev/nacre/Guard.java": SOURCE + 'String name = "whom";\n'},
    "tools/python/nacre/run.py:3: has 'is none'": {"tools/python/nacre/run.py": f'# {LICENCE}\ndef run():\n    """Runs; None where there is none."""\n'},
    "tools/python/nacre/run.py:2: has 'whom'": {"tools/python/nacre/run.py": f"# {LICENCE}\nraise ValueError(f'{{name}} is the one whom it names')\n"},
    "docs/man/nacre-run.1.in:2: has 'beats the'": {"docs/man/nacre-run.1.in": ".PP\nAn option beats\n.B the\nword.\n"},
}


class Wording(unittest.TestCase):
    def test_a_tree_that_breaks_no_rule(self):
        self.assertEqual(answer("wording", {}), (0, "0 problems\n"))

    def test_trees_that_break_one(self):
        for expected, changes in CASES.items():
            with self.subTest(expected=expected):
                code, output = answer("wording", changes)
                self.assertEqual(code, 1, output)
                self.assertIn(expected, output)

    def test_wording_of_messages_only(self):
        """Comments of sources, includes, names, examples and code are not messages, nor are tests."""
        plain = SOURCE + """#include "alone/behind.h"
// Of a comment: whom it is about.
/* "behind" */
int behind = 'a' + 1'000'000; const char *kPath = "there is no GPU" /* alone */ "Offset";
"""
        self.assertEqual(answer("wording", {"tools/run/session/Options.cpp": plain, "test/unit/SplitTest.cpp": SOURCE + 'const char *kWhom = "whom";\n',
                                            "runtime/include/nacre/run.h": SOURCE + "/** Returns `behind`. */\nint alone;\n",
                                            "tools/python/nacre/run.py": f"# {LICENCE}\nalone = None  # whom\n",
                                            **passes("One core is slow.", "One core is `alone`.\n\n    ```mlir\n    nn.behind\n    ```\n"),
                                            "docs/man/nacre-run.1.in": '.\\" whom\nOutputs are written.\n'}), (0, "0 problems\n"))

    def test_every_phrase_is_shown(self):
        """Each banned phrase has a case above."""
        sys.path.insert(0, CHECKS)
        self.addCleanup(sys.path.remove, CHECKS)
        banned = importlib.import_module("check_wording").BANNED
        shown = ". ".join(re.search("has '(.*?)'(?:;|$)", expected)[1] for expected in CASES)
        self.assertEqual([phrase.pattern for phrase, _ in banned if not phrase.search(shown + " x")], [])

    def test_wording_of_prose_only(self):
        """Code on pages and targets of links are not prose, and a question may begin with What."""
        page = "# What next\n\nWhat is a cut? See [the page](beside.md), or `behind`.\n\n```sh\nalone # Of it\n```\n\n<!-- whom -->\n"
        self.assertEqual(answer("wording", {"docs/README.md": page}), (0, "0 problems\n"))

    def test_wording_is_counted(self):
        """One phrase in eight words is 125 in 1,000, a row for each kind of text."""
        with tempfile.TemporaryDirectory() as root:
            with open(os.path.join(root, "README.md"), "w", encoding="utf-8") as file:
                file.write("The GPU alone computes this.\n\nIt is fast.\n")
            said = subprocess.run([sys.executable, os.path.join(CHECKS, "check_wording.py"), f"--root={root}", "--count"],
                                  capture_output=True, text=True, check=True).stdout
        self.assertRegex(said, r"^pages of the root +1 in +8 words, 125\.00 per 1,000\nall +1 in +8 words, 125\.00 per 1,000\n$")


if __name__ == "__main__":
    unittest.main()
