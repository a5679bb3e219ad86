#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runs pages says what is wrong, and where; its stand-ins do the real thing; and what the site reads of Markdown and of manual pages."""
import os
import re
import shutil
import sys
import tempfile
import textwrap
import unittest
import unittest.mock

import blocks  # noqa: E402
import page as pages  # noqa: E402

sys.path += [os.path.join(blocks.ROOT, *folder) for folder in (("docs", "site"), ("samples", "models"))]
import gfm  # noqa: E402
import make_examples  # noqa: E402
import reference_programs  # noqa: E402


class RunnerTest(unittest.TestCase):
    def page(self, text):
        folder = tempfile.TemporaryDirectory(prefix="nacre-docs-")
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "page.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return pages.Page(path, folder.name)

    def run_page(self, text):
        page = self.page(text)
        page.run()
        return page

    def test_blocks_are_one_script(self):
        page = self.run_page("""\
            # Page

            ```sh
            x=1
            mkdir there && cd there
            ```

            <!-- not run: it would end everything -->
            ```sh
            exit 1
            ```

            1. In a list:
               ```sh
               echo "$x in $(basename "$PWD")"
               ```

            ```text
            rm -rf /
            ```
            """)
        self.assertEqual(page.answers("echo "), ["1 in there\n"])
        self.assertEqual([block.reason for block in blocks.blocks_of(page.path) if block.reason], ["it would end everything"])

    def test_a_block_that_names_a_file_is_that_file(self):
        page = self.run_page("""\
            ```c
            // src/main.c
            int main(void) { return 0; }
            ```
            ```c
            int is_only_read;
            ```
            ```sh
            cat src/main.c
            ```
            """)
        self.assertEqual(page.answers("cat"), ["int main(void) { return 0; }\n"])

    def test_what_fails_is_told_with_its_place(self):
        with self.assertRaises(pages.PageError) as caught:
            self.run_page("""\
                ```sh
                echo first
                ls missing-file
                echo never
                ```
                """)
        self.assertRegex(str(caught.exception), r"page\.md:3: exit status 2 of: ls missing-file\nls: cannot access 'missing-file'")
        with self.assertRaises(pages.PageError):
            self.run_page("```sh\nfalse | cat\n```\n")
        with self.assertRaises(ValueError):
            self.page("```sh\necho endless\n")

    def test_python_is_a_session_in_its_place(self):
        page = self.run_page("""\
            ```sh
            echo 20 > number
            ```
            ```python
            number = int(open("number").read())
            ```
            ```python
            print(number + 1)
            ```
            """)
        self.assertEqual(page.answers("page-block"), ["", "21\n"])
        with self.assertRaises(pages.PageError) as caught:
            self.run_page("```sh\ntrue\n```\n\n```python\nx = 1\nraise KeyError(x)\n```\n")
        self.assertRegex(str(caught.exception), r"page\.md\", line 7, in <module>\n(.*\n)*KeyError: 1")

    def test_what_a_page_takes_must_be_told(self):
        text = "# Page\n\n{}\n\n```sh\ncat model.onnx step.npy\n```\n"
        for told, lacking in (("It reads `model.onnx`.", ["model.onnx", "step.npy"]), ("**You need:** `model.onnx`.", ["step.npy"]),
                              ("**You need:** `model.onnx` and `step*.npy`.", []), ("```text\n**You need:** `*`\n```", ["model.onnx", "step.npy"])):
            page = self.page(text.format(told))
            for name in ("model.onnx", "step.npy"):
                with open(page.file(name), "w", encoding="ascii"):
                    pass
            self.assertEqual(sorted(page.untold()), lacking, told)
        page = self.page("# Page\n\n```sh\ncat folder/x\n```\n\n**You need:** `folder`.\n")
        with open(page.file("folder", "x"), "w", encoding="ascii"):
            pass
        self.assertEqual(list(page.untold()), ["folder/x"], "it is told too late")
        page = self.page("# Page\n\n```python\nprint(image, width)\n```\n")
        page.prelude = "import numpy; image = numpy.zeros(3); unused = 1\ntry:\n    width = 2\nexcept KeyError:\n    pass"
        self.assertEqual(list(page.untold()), ["Python's image", "Python's width"])
        page = self.page("# Page\n\n```sh\nls\n```\n")
        page.checkout()
        page.samples()
        self.assertEqual(list(page.untold()), ["nacre-doc", "the sources of Nacre"])

    def test_examples_are_those_of_pages(self):
        """Pages call make_examples.py for each of its sets of files, and for no other."""
        called = {name for page in blocks.pages() for block in blocks.blocks_of(page) for name in re.findall(r"make_examples\.py ([\w-]+)", block.text)}
        self.assertEqual(called, set(make_examples.PAGES))
        with self.assertRaises(SystemExit), unittest.mock.patch.object(sys, "argv", ["make_examples.py", "no-page"]):
            make_examples.main()

    def test_what_a_session_begins_with_may_fail(self):
        page = self.page("```python\nx = 1\n```\n")
        page.prelude = "import no_such_module"
        with self.assertRaisesRegex(pages.PageError, "page-block 0"):
            page.run()

    @unittest.skipUnless(shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"), "needs a cross compiler and qemu")
    def test_a_phone_and_a_board_run_arm64(self):
        page = self.run_page("""\
            ```c
            // which.c
            #include <stdio.h>
            int main(int count, char **arguments) {
            #ifdef __aarch64__
              return printf("arm64 %s\\n", arguments[count - 1]) < 0;
            #endif
            }
            ```
            ```sh
            aarch64-linux-gnu-gcc which.c -o which
            adb push which /data/local/tmp/
            adb shell "cd /data/local/tmp && ./which phone > answer"
            adb pull /data/local/tmp/answer .
            cat answer
            scp which board:
            ssh board ./which board
            ```
            """)
        self.assertEqual(page.answers("cat"), ["arm64 phone\n"])
        self.assertEqual(page.answers("ssh"), ["arm64 board\n"])


class SiteTest(unittest.TestCase):
    def test_lists_as_mkdocs_reads_them(self):
        self.assertEqual(gfm.for_mkdocs(textwrap.dedent("""\
            It follows:
            - one,
              of two lines
              ```sh
              - no list
              ```
              1. inner
            - two

            Text.""")), textwrap.dedent("""\
            It follows:

            - one,
                of two lines
                ```sh
                - no list
                ```
                1. inner
            - two

            Text."""))

    def test_manual_pages(self):
        page = '.TH X 1\n.SH NAME\nx \\- it\n.SH OPTIONS\n.TP\n\\fB\\-\\-far\\fR=\\fIN\\fR\nhow *far*\n.PP\nSee\n.BR nacre\\-run (1).\n.nf\n\\fBx \\-\\-far=1\\fR\n.fi\n'
        text = reference_programs.to_markdown(page, {"nacre-run"})
        for part in ("## Name\n", "- `--far`=*N*  \n    how \\*far\\*\n", "[nacre-run](nacre-run.md).", "```text\nx --far=1\n```"):
            self.assertIn(part, text)
        with self.assertRaises(ValueError):
            reference_programs.to_markdown(".XY what is this", set())


if __name__ == "__main__":
    unittest.main()
