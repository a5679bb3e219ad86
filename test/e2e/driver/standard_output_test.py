#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A standard output that is full or closed is an error of every program, and no file takes its place."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

# The status of each program whose output is lost: that of a file that cannot be written.
STATUS = {"nacre-compile": 1, "nacre-run": 2, "nacre-eval": 2, "nacre-diff": 2, "nacre-translate": 1, "nacre-report": 2, "nacre-package": 1,
          "nacre-tune": 2, "nacre-kernel": 1, "nacre-opt": 1, "nacre-lsp-server": 1}


class StandardOutputTest(nacre.NacreTest):
    def run_into(self, target, path, *words):
        """Runs a program whose standard output is a full disk, or closed. Returns its status and its messages."""
        command = [path, *map(str, words)]
        if target == "closed":  # Python's pipes would take the place of a closed stream.
            command = ["sh", "-c", 'exec "$@" >&-', "sh", *command]
            done = subprocess.run(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False, cwd=self.folder, timeout=nacre.COMMAND_SECONDS)
        else:
            with open("/dev/full", "wb") as full:
                done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False, cwd=self.folder,
                                      timeout=nacre.COMMAND_SECONDS)
        return done.returncode, done.stderr.decode("utf-8", "replace")

    def assert_lost(self, name, *words, status=None):
        for target, why in (("full", "No space left on device"), ("closed", "it is closed")):
            with self.subTest(program=name, words=words, target=target):
                found, said = self.run_into(target, os.path.join(nacre.BIN, name), *words)
                self.assertEqual(found, STATUS[name] if status is None else status, said)
                self.assertEqual(said.splitlines()[-1], f"{name}: error: cannot write the standard output: {why}")
                self.assertNotIn("LLVM ERROR", said)
                self.assertNotIn("IO failure", said)

    def test_texts_about_the_program(self):
        for name in STATUS:
            self.assert_lost(name, "--help")
            self.assert_lost(name, "--version")
        for option in ("--list-operators", "--device=list", "--for=list", "--cpu=list", "--help-hidden"):
            self.assert_lost("nacre-compile", option)
        self.assert_lost("nacre-opt", "--show-dialects")

    def test_results(self):
        library = self.compile("relu", f"--report={self.path('report.json')}")
        model = self.model("relu")
        for options in ((), ("--info",), ("--benchmark", "--min-seconds=0"), ("--profile", "--min-seconds=0")):
            self.assert_lost("nacre-run", library, *options)
        for options in ((), ("--compile-to=graph",), ("--emit=asm",), ("--check",), ("--report=-",), ("--compile-to=schedule", "-o", "-")):
            self.assert_lost("nacre-compile", model, *options)
        self.assert_lost("nacre-eval", model)
        self.assert_lost("nacre-diff", model, library)
        self.assert_lost("nacre-translate", "--import", model)
        self.assert_lost("nacre-report", self.path("report.json"), "-o", "-")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), model, "--compile-to=schedule", "-o", self.path("plan.mlir"))
        self.assert_lost("nacre-opt", self.path("plan.mlir"))

    def test_an_error_keeps_its_status(self):
        library = self.compile("relu")
        os.mkdir(self.path("one"))
        self.run_model(library, f"--output={self.path('one')}")
        self.assert_lost("nacre-run", library, "--runs=1", "--seed=3", "--benchmark", f"--expect=y={self.path('one', 'y.npy')}", "--info")
        found, said = self.run_into("full", os.path.join(nacre.BIN, "nacre-run"), library, "--seed=3", f"--expect=y={self.path('one', 'y.npy')}")
        self.assertEqual(found, 1, said)
        self.assertIn("differs", said)

    def test_no_file_takes_the_place_of_a_closed_output(self):
        library = self.compile("relu")
        for folder in ("open", "closed"):
            os.mkdir(self.path(folder))
        self.run_model(library, f"--output={self.path('open')}", f"--trace={self.path('open', 'trace.json')}")
        self.run_into("closed", os.path.join(nacre.BIN, "nacre-run"), library, f"--output={self.path('closed')}")
        contents = []
        for folder in ("open", "closed"):
            with open(self.path(folder, "y.npy"), "rb") as file:
                contents.append(file.read())
        self.assertEqual(*contents)
        self.run_into("closed", os.path.join(nacre.BIN, "nacre-compile"), self.model("relu"), "-o", self.path("libclosed.so"))
        self.run_model(self.path("libclosed.so"))

    def test_nothing_to_say_is_no_error(self):
        found, said = self.run_into("closed", os.path.join(nacre.BIN, "nacre-compile"), self.model("relu"), "-o", self.path("libquiet.so"), "--quiet")
        self.assertEqual((found, said), (0, ""))

    def test_nacre_try(self):
        """It is for phones; here it is built for this machine."""
        path = self.build_try()
        library = self.compile("relu")
        for words in (["--help"], [library, "--runs=1"]):
            for target in ("full", "closed"):
                self.assertEqual(self.run_into(target, path, *words), (2, "nacre-try: the standard output: cannot be written\n"))
        for option in ("--cache=", "--weights-file="):
            self.assertIn(option, self.call(path, library, option, status=2))


if __name__ == "__main__":
    unittest.main()
