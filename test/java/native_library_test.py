#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libnacre_jni.so of each ABI: small, fit for pages of 16 KiB, with what Native.java declares and nothing else."""
import json
import os
import re
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILT = os.environ["NACRE_JNI_FOLDER"]
LLVM_BIN = os.environ.get("NACRE_LLVM_BIN", "/usr/lib/llvm-22/bin")
NEEDED = {"aarch64-linux-android24": ["libc.so", "libdl.so"], "x86_64-linux-android24": ["libc.so", "libdl.so"],
          "x86_64-linux-gnu": ["libc.so.6", "libdl.so.2"], "aarch64-linux-gnu": ["libc.so.6", "libdl.so.2"]}
KIB = 1024
PAGE = 16 * KIB
PT_LOAD, PT_GNU_RELRO = 1, 0x6474E552
PF_X, PF_W = 1, 2


def call(*command):
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


class NativeLibraryTest(unittest.TestCase):
    def for_each_abi(self):
        built = [triple for triple in NEEDED if os.path.exists(os.path.join(BUILT, triple))]
        self.assertIn("aarch64-linux-android24", built)
        for triple in built:
            with self.subTest(triple):
                yield triple, os.path.join(BUILT, triple, "libnacre_jni.so")

    def test_takes_32_kib_at_most(self):
        for triple, library in self.for_each_abi():
            print(f"libnacre_jni.so, {triple}: {os.path.getsize(library)} bytes")
            self.assertLessEqual(os.path.getsize(library), 32 * KIB)

    def test_has_what_java_declares(self):
        with open(os.path.join(ROOT, "runtime", "java", "dev", "nacre", "Native.java"), encoding="utf-8") as file:
            declared = re.findall(r"static native \S+ (\w+)\(", file.read())
        for _, library in self.for_each_abi():
            exported = call(os.path.join(LLVM_BIN, "llvm-nm"), "-D", "--defined-only", "--format=just-symbols", library)
            self.assertEqual(sorted(exported.split()), sorted("Java_dev_nacre_Native_" + name for name in declared))

    def test_needs_the_c_library_alone(self):
        for triple, library in self.for_each_abi():
            dynamic = call(os.path.join(LLVM_BIN, "llvm-readelf"), "--dynamic", library)
            self.assertEqual(re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", dynamic), NEEDED[triple])

    def test_segments_fit_pages_of_16_kib(self):
        for _, library in self.for_each_abi():
            elf = json.loads(call(os.path.join(LLVM_BIN, "llvm-readelf"), "--elf-output-style=JSON", "--segments", library))[0]
            segments = [e["ProgramHeader"] for e in elf["ProgramHeaders"]]
            for load in (s for s in segments if s["Type"]["Value"] == PT_LOAD):
                self.assertEqual(load["Alignment"], PAGE)
                self.assertNotEqual(load["Flags"]["Value"] & (PF_X | PF_W), PF_X | PF_W)
            for relro in (s for s in segments if s["Type"]["Value"] == PT_GNU_RELRO):
                self.assertEqual((relro["VirtualAddress"] + relro["MemSize"]) % PAGE, 0)

    def test_is_stripped(self):
        for _, library in self.for_each_abi():
            sections = call(os.path.join(LLVM_BIN, "llvm-readelf"), "--sections", library)
            self.assertNotIn(".symtab", sections)
            self.assertNotIn(".debug", sections)


if __name__ == "__main__":
    unittest.main()
