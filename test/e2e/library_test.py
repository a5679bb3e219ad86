#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled library is to its app and its loader: size, symbols, pages, what it needs, where it loads."""
import json
import os
import shutil
import unittest

import nacre

KIB = 1024
PAGE = 16 * KIB
PT_LOAD, SHF_ALLOC = 1, 2
NEEDED = {"linux-x86_64": {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0"},
          "linux-arm64": {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0"},
          "android-arm64": {"libc.so", "libm.so", "libdl.so"}}


class LibraryTest(nacre.NacreTest):
    def readelf(self, library, *what):
        program = os.path.join(nacre.LLVM_BIN, "llvm-readelf")
        return json.loads(self.call(program, "--elf-output-style=JSON", *what, library))[0]

    def exported(self, library):
        lines = self.call(os.path.join(nacre.LLVM_BIN, "llvm-nm"), "-D", "--defined-only", library).splitlines()
        return [line.split()[-1] for line in lines]

    def test_one_operator_takes_64_kib_at_most(self):
        library = self.compile("relu", "--target=linux-arm64")
        sections = [entry["Section"] for entry in self.readelf(library, "--sections")["Sections"]]
        allocated = sum(s["Size"] for s in sections if s["Flags"]["Value"] & SHF_ALLOC)
        print(f"allocated sections of a one-operator model, arm64: {allocated} bytes")
        self.assertLessEqual(allocated, 64 * KIB)

    def test_symbols_pages_and_needs(self):
        for target, allowed in NEEDED.items():
            with self.subTest(target):
                library = self.compile("relu", f"--target={target}", output=self.path(f"librelu-{target}.so"))
                symbols = self.exported(library)
                self.assertEqual(symbols, ["nacre_model_relu_" + target.replace("-", "_")])
                dynamic = self.call(os.path.join(nacre.LLVM_BIN, "llvm-readelf"), "--dynamic", library)
                needed = {line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line}
                self.assertLessEqual(needed, allowed)
                self.assertIn(f"[{os.path.basename(library)}]", dynamic)
                self.assertNotIn("TEXTREL", dynamic)
                segments = [e["ProgramHeader"] for e in self.readelf(library, "--segments")["ProgramHeaders"]]
                loads = [s for s in segments if s["Type"]["Value"] == PT_LOAD]
                self.assertEqual({s["Alignment"] for s in loads}, {PAGE})

    def test_the_name_can_be_chosen(self):
        library = self.compile("relu", "--name=my_model")
        self.assertEqual(self.exported(library), ["nacre_model_my_model"])

    def test_header_is_pedantic_c99_and_cxx17(self):
        header = self.compile("relu")[:-len(".so")].replace("librelu", "relu") + ".h"
        include = "-I" + os.path.join(nacre.ROOT, "runtime", "include")
        for compiler, language, standard in (("gcc", "c", "c99"), ("g++", "c++", "c++17")):
            self.call(compiler, "-x", language, f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                      include, header)

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_android_library_runs_over_a_shim_of_libc(self):
        library = self.compile("convnet", "--target=android-arm64")
        shim = self.path("shim")
        os.mkdir(shim)
        for name, real in (("libc.so", "libc.so.6"), ("libm.so", "libm.so.6"), ("libdl.so", "libdl.so.2")):
            os.symlink(os.path.join(nacre.ARM64_SYSROOT, "lib", real), os.path.join(shim, name))
        self.call("python3", "-B", os.path.join(nacre.ROOT, "samples", "models", "make_convnet.py"), self.folder)
        expected = os.path.join(nacre.ROOT, "samples", "models", "convnet.expected.npy")
        self.run_arm64(library, f"--input=image={self.path('convnet.input.npy')}", f"--expect=probabilities={expected}",
                       environment=[("LD_LIBRARY_PATH", shim)])

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_baseline_arm64_library_runs_on_the_oldest_core(self):
        self.run_arm64(self.compile("convnet", "--target=linux-arm64"), cpu="cortex-a53")


if __name__ == "__main__":
    unittest.main()
