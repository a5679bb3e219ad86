#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that gets too little memory succeeds, or says so and ends with the exit status for that: never a signal, never half a file."""
import os
import resource
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

MIB = 1 << 20
OUT_OF_MEMORY = 4
STEPS = 12


os.environ["NACRE_CACHE"] = "off"  # A program that finds all kernels needs little memory.


class OutOfMemoryTest(nacre.NacreTest):
    parts = 3

    def limited(self, mib, program, *arguments):
        """The exit status and the messages of a program that has so many MiB of addresses."""
        done = subprocess.run([os.path.join(nacre.BIN, program), *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (mib * MIB, mib * MIB)), text=True, check=False)
        return done.returncode, done.stderr

    def least(self, enough, accept):
        """The least number of MiB, to 8, for which `accept` holds."""
        few = 0
        while enough - few > 8:
            middle = (few + enough) // 2
            few, enough = (few, middle) if accept(middle) else (middle, enough)
        return enough

    def check(self, program, output, *arguments):
        """From what the program needs to begin with, to what it needs to succeed."""
        begin = self.least(2048, lambda mib: self.limited(mib, program, "--version")[0] == 0)
        end = self.least(2048, lambda mib: self.limited(mib, program, *arguments)[0] == 0)
        self.assertGreater(end, begin)
        ended = 0
        # The last steps of a program, such as linking, need little more than it has by then.
        for mib in (*(begin + (end - begin) * step // STEPS for step in range(STEPS + 1)), *range(max(begin, end - 24), end, 3)):
            if output and os.path.exists(self.path(output)):
                os.remove(self.path(output))
            status, said = self.limited(mib, program, *arguments)
            with self.subTest(program=program, mib=mib, said=said):
                self.assertIn(status, (0, OUT_OF_MEMORY))
                if status:
                    ended += 1
                    self.assertRegex(said.splitlines()[-1], f"^{program}: error: (memory ran out|the system refused a thread); .+$")
                    self.assertNotIn("LLVM", said)
                    self.assertEqual([name for name in os.listdir(self.folder) if "partial" in name], [])
                if output:
                    self.assertEqual(os.path.exists(self.path(output)), status == 0)
        self.assertGreater(ended, 0)

    def test_compile(self):
        model = self.model("convnet")
        self.check("nacre-compile", "libconvnet.so", model, "-o", "libconvnet.so", "--jobs=2", "--quiet")

    def test_eval(self):
        """The reference, which has every value as doubles."""
        self.check("nacre-eval", None, self.model("convnet"), "--output=.")

    def test_run(self):
        """A session's memory is none of the program's own allocations."""
        graph, size = nacre.Graph("large"), 256 * MIB // 4
        graph.node("Relu", [graph.input("x", [size])], output="y")
        graph.output("y", [size])
        graph.save(self.path("large.onnx"))
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("large.onnx"), "-o", self.path("liblarge.so"), "--quiet")
        status, said = self.limited(384, "nacre-run", self.path("liblarge.so"))
        self.assertEqual(status, OUT_OF_MEMORY)
        self.assertRegex(said, "^nacre-run: error: .*out of memory")


if __name__ == "__main__":
    unittest.main()
