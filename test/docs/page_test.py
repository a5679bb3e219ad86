#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of one page, as they stand there: page_test.py docs/training.md"""
import importlib.util
import sys
import tempfile
import unittest

import fixtures  # noqa: E402
import page as pages  # noqa: E402

SKIPPED = 77  # As ctest understands it.


class PageTest(unittest.TestCase):
    name = ""

    def test_commands(self):
        fixtures.read_all()
        with tempfile.TemporaryDirectory(prefix="nacre-docs-") as around:
            page = pages.Page(self.name, around)
            if not page.blocks:
                self.skipTest(f"{self.name} has no command that is run; not-run.txt says why")
            if page.has_session() and not importlib.util.find_spec("numpy"):
                self.skipTest("this Python has no numpy")
            fixtures.BEFORE.get(self.name, lambda _: None)(page)
            self.assertEqual(list(page.untold()), [], f"{self.name} must say what its commands take, in a paragraph that begins with {pages.NEEDS}, above the first use")
            page.run()
            for line, command, said in page.said:
                print(f"{self.name}:{line}: {command}\n{said}", end="")
            fixtures.AFTER.get(self.name, lambda *_: None)(self, page)


if __name__ == "__main__":
    PageTest.name = sys.argv.pop()
    outcome = unittest.main(exit=False).result
    if not outcome.wasSuccessful():
        sys.exit(1)
    if outcome.skipped:
        print(f"SKIPPED: {outcome.skipped[0][1]}")
        sys.exit(SKIPPED)
