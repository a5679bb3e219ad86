#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/adding-a-runtime-feature.md says is all there is to do: its patches add a feature, which models with it link and others do not.

How:  1. the patches and the new source are put into a copy of the runtime, and the files they touch counted,
      2. the new member is compiled by the archives' own command, and put into copies of the archives,
      3. the compiler's choice of slots is compiled, and asked which models have the feature; the hand-made model is linked and run;
         and the bytes of each feature are measured.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))
import nacre
from patches import read_patches

BUILD = os.environ.get("NACRE_BUILD", os.path.join(nacre.ROOT, "build", "release"))
LLVM = os.environ.get("NACRE_LLVM_BIN", nacre.LLVM_BIN)
DOCUMENT = "docs/adding-a-runtime-feature.md"
# The most existing files that a feature may touch. To raise it needs a decision in docs/decisions.
MOST = 2
COPIED = ("runtime", "test/runtime", "codegen/package")
SYMBOL = "nacre_runtime_describe_and_do_nothing"
HOST, PHONE = "x86_64-linux-gnu", "aarch64-linux-android24"

SLOTS = """
#include "codegen/package/RuntimeSlots.h"
#include <cstdio>
int main() {
  for (unsigned variables = 0; variables < 2; ++variables) {
    nacre_model_table model = {};
    model.variable_count = variables;
    for (auto [offset, symbol] : nacre::package::runtimeSlots(model).symbols)
      if (offset == offsetof(nacre::runtime::Slots, functions.entry_describe))
        std::puts(symbol);
  }
}
"""


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{shlex.join(words)}:\n{done.stdout}")
    return done.stdout


class AddingFeatureTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        self.tree = self.path("tree")
        for folder in COPIED:
            shutil.copytree(os.path.join(nacre.ROOT, folder), os.path.join(self.tree, folder))
        patches = [patch for section in read_patches([(DOCUMENT, "")]).values() for patch in section]
        self.touched = {patch.path for patch in patches}
        for patch in patches:
            with open(os.path.join(self.tree, patch.path), encoding="utf-8") as file:
                text = patch.apply(file.read())
            with open(os.path.join(self.tree, patch.path), "w", encoding="utf-8") as file:
                file.write(text)
        with open(os.path.join(nacre.ROOT, DOCUMENT), encoding="utf-8") as file:
            (name, folder, source), = re.findall(r"^The new source, `(.+)` in `(.+)`:\n\n```cpp\n(.*?)^```$", file.read(), flags=re.MULTILINE | re.DOTALL)
        self.source = os.path.join(self.tree, folder, name)
        self.assertFalse(os.path.exists(self.source))
        with open(self.source, "w", encoding="utf-8") as file:
            file.write(source)

    def archive(self, triple):
        """The archive of the build with the new member."""
        member, archive = self.path(f"{triple}-nothing.o"), self.path(f"{triple}.a")
        *_, command = run("ninja", "-C", BUILD, "-t", "commands", "-s", f"runtime/{triple}/text.o").splitlines()
        words = shlex.split(command.split(" && ")[1])
        words[words.index("-c") + 1], words[words.index("-o") + 1] = self.source, member
        words[words.index("-MF") + 1] = member + ".d"
        subprocess.run(["-I" + self.tree if word == "-I" + nacre.ROOT else word for word in words], cwd=BUILD, check=True)
        shutil.copy(os.path.join(BUILD, "runtime", triple, "libnacre_runtime.a"), archive)
        run(os.path.join(LLVM, "llvm-ar"), "rs", archive, member)
        return archive

    def compile(self, *words):
        return run(os.path.join(LLVM, "clang++"), "-std=c++17", "-I" + self.tree, "-I" + nacre.ROOT, *words)

    def test_files_touched(self):
        self.assertLessEqual(len(self.touched), MOST, f"a feature touches {sorted(self.touched)}")

    def test_the_build_has_its_source(self):
        script = self.path("sources.cmake")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"include({self.tree}/runtime/sources.cmake)\nmessage(\"${{NACRE_RUNTIME_SOURCES}}\")\n")
        sources = run("cmake", "-P", script).strip().split(";")
        self.assertIn(os.path.relpath(self.source, os.path.join(self.tree, "runtime")), sources)
        self.assertIn("src/session.cpp", sources)

    def test_the_compiler_names_its_symbol(self):
        source, program = self.path("slots.cpp"), self.path("slots")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SLOTS)
        self.compile(source, os.path.join(self.tree, "codegen/package/RuntimeSlots.cpp"), "-o", program)
        self.assertEqual(run(program).split(), ["nacre_runtime_entry_describe", SYMBOL])

    def test_a_model_with_it_runs(self):
        library = self.path("libtoy.so")
        sources = [os.path.join(self.tree, "test/runtime", name) for name in ("ToyModel.cpp", "toy_library.cpp")]
        self.compile("-fPIC", "-shared", *sources, self.archive(HOST), "-o", library)
        self.assertIn(SYMBOL, run(os.path.join(LLVM, "llvm-nm"), library))
        self.assertIn("x f32[64,48]", run(os.path.join(nacre.BIN, "nacre-run"), library, "--info"))

    def test_it_has_a_budget_and_others_do_not_grow(self):
        def measure(tree, archive):
            return dict(re.findall(r"^(\w+): (\d+) bytes", run(
                sys.executable, os.path.join(tree, "test/runtime/archive_size.py"), "--linker=" + os.path.join(LLVM, "ld.lld"),
                "--clang=" + os.path.join(LLVM, "clang++"), "--triple=" + PHONE, "--archive=" + archive,
                "--features=" + os.path.join(tree, "runtime/features.def")), flags=re.MULTILINE))
        before = measure(nacre.ROOT, os.path.join(BUILD, "runtime", PHONE, "libnacre_runtime.a"))
        after = measure(self.tree, self.archive(PHONE))
        self.assertLess(int(after.pop("nothing")), 256)
        self.assertEqual(after, before)


if __name__ == "__main__":
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        sys.exit(print("skipped: the build's own commands are asked of ninja alone"))
    unittest.main()
