#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The manual pages: one for each program, complete, at one with --help, and readable by the programs that show such pages."""
import glob
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

PROGRAMS = {"nacre-compile", "nacre-diff", "nacre-eval", "nacre-kernel", "nacre-lsp-server", "nacre-opt", "nacre-package", "nacre-report", "nacre-run", "nacre-translate", "nacre-tune"}
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"]
OF_OTHERS = {"--mtriple", "--mcpu"}  # llvm-mca's
FOLDER = os.path.join(os.environ.get("NACRE_BUILD", os.path.join(nacre.ROOT, "build", "release")), "man", "man1")
# Each with what makes it say all that it dislikes, and show nothing else on the standard error.
READERS = {"groff": ["-ww", "-man", "-Tutf8", "-z"], "man": ["--warnings", "-l"], "mandoc": ["-T", "lint", "-W", "error"]}


def plain(text):
    """A page as its reader sees its words."""
    text = re.sub(r"\\f[BIR]|\\&", "", text).replace(r"\(aq", "'").replace(r"\(dq", '"').replace(r"\~", " ")
    return text.replace(r"\-", "-").replace(r"\e", "\\")


class ManualTest(nacre.NacreTest):
    def for_each_page(self):
        for page in sorted(glob.glob(os.path.join(FOLDER, "*.1"))):
            program = os.path.basename(page)[:-len(".1")]
            with self.subTest(program), open(page, encoding="ascii") as file:
                yield program, page, file.read()

    def help(self, program, option="--help"):
        return self.call(os.path.join(nacre.BIN, program), option)

    def test_every_program_has_one(self):
        self.assertEqual({program for program, _, _ in self.for_each_page()}, PROGRAMS)

    def test_all_sections_are_there(self):
        for program, _, text in self.for_each_page():
            sections = re.findall(r'^\.SH "?([A-Z ]+?)"?$', text, re.MULTILINE)
            self.assertEqual([s for s in sections if s in SECTIONS], SECTIONS)
            self.assertIn(f"\n{program} - ", plain(text), "whatis and apropos read this line")
            for section in re.split(r"^\.SH .*$", text, flags=re.MULTILINE)[1:]:
                self.assertTrue(section.strip(), "a section is empty")

    def test_options_are_those_of_help(self):
        for program, _, text in self.for_each_page():
            listed = text.split(".SH OPTIONS")[1].split(".SH ")[0]
            on_page = set(re.findall(r"^\.TP\n(-[\w-]+)", plain(listed), re.MULTILINE))
            said = self.help(program).split("OPTIONS:")[1]
            in_help = re.findall(r"^( +)(-[\w-]+)", said, re.MULTILINE)
            own = {name for indent, name in in_help if len(indent) == 2 or name.startswith("--nacre-")}
            self.assertGreaterEqual(on_page, own)
            self.assertLessEqual(on_page, {name for _, name in in_help})
            self.assertIn("--help", on_page)
            self.assertFalse({"--canonicalize", "--aarch64-use-aa"} & on_page, "those are of MLIR and LLVM")

    def test_options_are_apart_from_their_texts(self):
        """Each option has a line of its own, one line of text, and then another option or paragraph."""
        for _, _, text in self.for_each_page():
            listed = text.split(".SH OPTIONS")[1].split(".SH ")[0]
            for spelling, after in re.findall(r"^\.TP\n(\S.*)\n.*\n(.*)$", listed, re.MULTILINE):
                self.assertRegex(plain(spelling).replace(" ...", ""), r"^(-\w )?\S+$", "a text follows its option on the same line")
                self.assertTrue(after == "" or after.startswith("."), f"{spelling} is followed by: {after}")

    def test_prose_names_no_option_that_is_gone(self):
        known = OF_OTHERS.union(*(re.findall(r"--?[\w-]+", self.help(program)) for program in PROGRAMS))
        for _, _, text in self.for_each_page():
            named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", plain(text)))
            self.assertEqual(named - known - {"--help-hidden", "--help-list-hidden"}, set())

    def test_pages_refer_to_pages(self):
        for program, _, text in self.for_each_page():
            others = set(re.findall(r"^\.BR (\S+) \(1\)", plain(text.split(".SH SEE ALSO")[1]), re.MULTILINE))
            self.assertTrue(others)
            self.assertLessEqual(others, PROGRAMS - {program})

    @unittest.skipUnless(any(map(shutil.which, READERS)), f"needs one of {', '.join(READERS)}")
    def test_readers_have_nothing_to_complain_of(self):
        readers = [reader for reader in READERS if shutil.which(reader)]
        print("read by", *readers)
        for _, page, _ in self.for_each_page():
            for reader in readers:
                said = self.call(reader, *READERS[reader], page, env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
                if reader == "man":
                    self.assertIn("SEE ALSO", re.sub("\x1b\\[[0-9;]*m|.\b", "", said))
                    self.assertNotIn("warning:", said)
                else:
                    self.assertEqual(said, "")


if __name__ == "__main__":
    unittest.main()
