#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the programs and libraries of the build are linked: where they look for libraries, and that they guard their stacks."""
import glob
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

BUILD = os.environ["NACRE_BUILD"]
# What is copied to a device by itself, of a few kilobytes, like models: without the guard, which would be most of it.
SMALL = ("nacre-try", "libnacre_jni.so")


class LoadingTest(nacre.NacreTest):
    def linked(self):
        """Our programs and libraries, tests among them, that the loader reads."""
        found = []
        for folder in ("bin", "lib/nacre/*", "runtime/java/*", "test/**"):
            for path in sorted(glob.glob(os.path.join(BUILD, folder, "*"), recursive=True)):
                if os.path.isfile(path) and not os.path.islink(path) and not path.endswith((".o", ".a")):
                    with open(path, "rb") as file:
                        head = file.read(18)
                    if head[:4] == b"\x7fELF" and head[16] in (2, 3):  # programs and shared libraries
                        found.append(path)
        names = {os.path.basename(path) for path in found}
        self.assertLessEqual({"nacre-compile", "nacre-run", "nacre-run-arm64", "runtime-tests", "libnacre-toy.so", *SMALL}, names)
        return found

    def dynamic(self, path):
        return self.call(os.path.join(nacre.LLVM_BIN, "llvm-readelf"), "--dynamic", path)

    def test_no_library_comes_from_the_current_folder(self):
        """An empty entry of a run path stands for it."""
        wrong = []
        for path in self.linked():
            for runpath in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", self.dynamic(path)):
                wrong += [f"{path}: {runpath}" for entry in runpath.split(":") if not re.match(r"/|\$ORIGIN(/|$)", entry)]
        self.assertEqual(wrong, [])

    def test_programs_guard_their_stacks(self):
        without = []
        for path in self.linked():
            name = os.path.basename(path)
            if name.startswith("nacre-") and not name.startswith("nacre-fuzz-") and name not in SMALL:
                symbols = self.call(os.path.join(nacre.LLVM_BIN, "llvm-nm"), "--dynamic", "--undefined-only", path)
                if "__stack_chk_fail" not in symbols:
                    without.append(name)
        self.assertEqual(without, [])


if __name__ == "__main__":
    unittest.main()
