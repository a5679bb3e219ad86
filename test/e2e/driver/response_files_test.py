#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Command lines in files: every program takes them, and says the same of those that it cannot take."""
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

# What each says in front of a message.
PROGRAMS = {"nacre-compile": "nacre-compile: ", "nacre-diff": "nacre-diff: error: ", "nacre-eval": "nacre-eval: error: ",
            "nacre-kernel": "nacre-kernel: ", "nacre-lsp-server": "nacre-lsp-server: error: ", "nacre-opt": "nacre-opt: error: ",
            "nacre-package": "nacre-package: ", "nacre-report": "nacre-report: ",
            "nacre-run": "nacre-run: error: ", "nacre-translate": "nacre-translate: ", "nacre-tune": "nacre-tune: "}


class ResponseFilesTest(nacre.NacreTest):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def program(self, name, *arguments, status=0):
        return self.call(os.path.join(nacre.BIN, name), *arguments, status=status, cwd=self.folder)

    def test_every_program_says_what_is_wrong(self):
        self.write("a", "--quiet @b")
        self.write("b", "'@a'")
        self.write("open", "one 'two")
        os.mkdir(self.path("folder"))
        for program, front in PROGRAMS.items():
            for argument, said in (
                    ("@missing", "cannot read the options in 'missing': No such file or directory; a file whose name begins with @ is ./@missing"),
                    ("@folder", "cannot read the options in 'folder': Is a directory; a file whose name begins with @ is ./@folder"),
                    ("@a", "the options in 'a' must not name that file again"),
                    ("@open", "the options in 'open' must end each quote that they begin, but one has no end")):
                self.assertEqual(self.program(program, argument, status=2), front + said + "\n", program)

    def test_every_program_takes_them(self):
        self.write("version", "--version\n")
        for program in PROGRAMS:
            self.assertIn("0.1", self.program(program, "@version"))
            self.assertIn("\nRESPONSE FILES\n  @<file>  Arguments in a file", self.program(program, "--help"))

    def test_a_model_from_files_to_files(self):
        """Names with spaces and quotes; a file in a file; words before and behind."""
        shutil.copyfile(self.model("relu"), self.path("odd \"name'.onnx"))
        os.mkdir(self.path("my answers"))
        self.write("names", "\"odd \\\"name'.onnx\"\n-o 'my library.so'\n")
        self.write("options", "--name=odd\n  @names\r\n--quiet")
        self.assertEqual(self.program("nacre-compile", "--seed=1", "@options", "--report=report.json"), "")
        self.write("run", "'my library.so' --seed=3 '--output=my answers'")
        self.assertIn("y", self.program("nacre-run", "@run", "--threads=1"))
        self.write("eval", "odd\\ \\\"name\\'.onnx --seed=3 --expect='y=my answers/y.npy'")
        self.assertIn("y", self.program("nacre-eval", "@eval"))
        self.write("diff", "'my library.so' --seed=3")
        self.program("nacre-diff", "odd \"name'.onnx", "@diff")
        self.write("report", "report.json -o 'my page.html'")
        self.program("nacre-report", "@report")
        self.assertTrue(os.path.exists(self.path("my page.html")))

    def test_a_name_that_begins_with_an_at(self):
        shutil.copyfile(self.compile("relu"), self.path("@lib.so"))
        self.assertIn("y", self.program("nacre-run", "./@lib.so"))
        self.assertEqual(self.program("nacre-run", "@", status=2), "nacre-run: error: cannot read '@': No such file or directory\n")


if __name__ == "__main__":
    unittest.main()
