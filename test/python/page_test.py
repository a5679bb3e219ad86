#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands and the code of docs/python.md, as they stand there; the wheel is made of what is built already."""
import os
import re
import shlex
import subprocess
import sys
import unittest

import packaged
from wheel_test import MAKE_WHEEL, PROGRAMS, version

PAGE = os.path.join(packaged.ROOT, "docs", "python.md")
NEEDED = {"import torch": "torch", "import onnx": "onnx"}


def cell_model():
    graph = packaged.Graph("cell")
    graph.node("Add", [graph.input("x", [4]), graph.input("h_in", [4])], output="h_out")
    graph.node("Tanh", ["h_out"], output="y")
    graph.output("y", [4])
    graph.output("h_out", [4])
    return graph


def digits_model():
    graph = packaged.Graph("digits", seed=5)
    x = graph.input("x", ["batch", 6])
    graph.node("Gemm", [x, graph.weight("w", [3, 6], -0.1, 0.1), graph.weight("b", [3], 0, 0)], transB=1, output="logits")
    graph.output("logits", ["batch", 3])
    return graph


class PageTest(packaged.PackageTest):
    def setUp(self):
        super().setUp()
        with open(PAGE, encoding="utf-8") as file:
            self.page = file.read()

    def blocks(self, language):
        return re.findall(rf"^```{language}\n(.*?)^```$", self.page, re.MULTILINE | re.DOTALL)

    def test_getting_started(self):
        block, = self.blocks("sh")
        commands = block.splitlines()
        self.assertLessEqual(len(commands), 5)
        # Where ctest says of which build these tests are, what the target runs there, but a wheel that is soon built.
        self.assertEqual(commands[0], "cmake --build build/release --target wheel")
        make = [sys.executable, "-B", MAKE_WHEEL, f"--version={version()}", *(os.path.join(packaged.BIN, program) for program in PROGRAMS)]
        if "NACRE_BUILD" in os.environ:
            last = self.call("ninja", "-C", os.environ["NACRE_BUILD"], "-t", "commands", "wheel").splitlines()[-1]
            make = [word for word in shlex.split(last.rpartition(" && ")[2]) if not word.startswith(("--output=", "--no-libraries"))]
            self.assertEqual([make[2], make[3]], [MAKE_WHEEL, f"--version={version()}"])
        self.call(*make, f"--output={self.path('build', 'release', 'wheel')}", "--uncompressed", "--no-libraries")
        os.symlink(os.path.join(packaged.ROOT, "samples"), self.path("samples"))
        path = os.path.dirname(sys.executable) + ":/usr/bin:/bin"  # Where python3 is the one that has NumPy.
        for command in commands[1:]:
            said = self.call("bash", "-c", command, cwd=self.folder, env={"PATH": path, "HOME": self.folder, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertIn("'probabilities': array([[", said)

    def test_code(self):
        packaged.make_convnet().save(self.path("convnet.onnx"))
        cell_model().save(self.path("cell.onnx"))
        digits_model().save(self.path("digits.onnx"))
        self.model("unsupported")
        packaged.numpy.save(self.path("convnet.input.npy"), packaged.numpy.zeros((1, 3, 96, 96), "float32"))
        lacking = [module for module in NEEDED.values() if subprocess.run([sys.executable, "-c", f"import {module}"], stderr=subprocess.DEVNULL,
                                                                         check=False).returncode]
        blocks = [block for block in self.blocks("python") if not any(f"import {module}\n" in block for module in lacking)]
        self.assertEqual(len(blocks) + len(lacking), 9)
        environment = {**os.environ, "PYTHONPATH": os.path.join(packaged.ROOT, "tools", "python")}
        said = self.call(sys.executable, "-B", "-W", "ignore", "-c", "".join(blocks), cwd=self.folder, env=environment)
        self.assertIn("discombobulate_0 unsupported operator 'Discombobulate' (opset 13)", said)
        self.assertRegex(said, r"\nleast [\d.]+ ms, median [\d.]+ ms, p90 [\d.]+ ms of \d+ runs, 1 threads\n")
        loss = float(re.search(r"^([\d.]+) \[\[", said, re.MULTILINE)[1])
        self.assertLess(loss, 0.3)

    def test_links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#]+)\)", self.page):
            self.assertTrue(os.path.exists(os.path.join(os.path.dirname(PAGE), target)), target)


if __name__ == "__main__":
    unittest.main()
