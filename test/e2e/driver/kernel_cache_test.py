#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code of kernels that is kept for later compilations: --kernel-cache and NACRE_CACHE."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

COMPILE = os.path.join(nacre.BIN, "nacre-compile")


class KernelCacheTest(nacre.NacreTest):
    def build(self, *options, cache=None, model="convnet", status=0, **variables):
        """Compiles with the cache `cache`, by default the one of the test; returns the library's bytes, or what was said."""
        output = self.path("libmodel.so")
        if cache is None and not variables:
            cache = self.path("cache")
        words = [f"--kernel-cache={cache}"] if cache is not None else []
        environment = {name: value for name, value in os.environ.items() if name not in ("NACRE_CACHE", "XDG_CACHE_HOME")}
        said = self.call(COMPILE, self.model(model), "-o", output, *words, *options, status=status, env={**environment, **variables})
        if status:
            return said
        with open(output, "rb") as file:
            return file.read()

    def entries(self, folder="cache"):
        """{path: when it was written} of the kernels in a folder."""
        folder = self.path(folder)
        names = [name for name in os.listdir(folder) if name.startswith("llvmcache-")] if os.path.isdir(folder) else []
        return {os.path.join(folder, name): os.stat(os.path.join(folder, name)).st_mtime_ns for name in names}

    def test_libraries_are_the_same(self):
        """Without the cache, when it is filled, and from it, on all engines, and for two CPUs."""
        for options in ([], ["--cpu=x86-64-v3,x86-64-v4", "--target=linux-x86_64"], ["--target=linux-arm64"], ["--place=gpu"], ["--place=split:50"]):
            before = self.entries()
            plain = self.build(*options, cache="off")
            self.assertEqual(self.entries(), before)
            self.assertEqual(self.build(*options), plain)
            filled = self.entries()
            self.assertGreater(set(filled), set(before))
            self.assertEqual(self.build(*options), plain)
            self.assertEqual(self.entries(), filled, "each kernel was found")

    def test_objects_are_the_same(self):
        """They show the names of functions and sections, which the linker drops from libraries."""
        for target in ("host", "linux-arm64"):
            self.build(f"--target={target}")
            filled = self.entries()
            self.assertEqual(self.build(f"--target={target}", "--emit=obj"), self.build(f"--target={target}", "--emit=obj", cache="off"))
            self.assertEqual(self.entries(), filled, "libraries have the same kernels")

    def test_names_do_not_count(self):
        """A model with another name finds all kernels, and its own names are in the library."""
        self.build("--name=first")
        filled = self.entries()
        renamed = self.build("--name=second")
        self.assertEqual(self.entries(), filled)
        self.assertEqual(renamed, self.build("--name=second", cache="off"))
        self.assertNotIn(b"first", renamed)

    def test_damaged_entries_are_replaced(self):
        plain = self.build()
        filled = self.entries()
        damages = [lambda data: b"", lambda data: data[:-1], lambda data: data[:-8] + bytes(8 * [0x90]), lambda data: b"{}" + data[data.index(b"\n"):],
                   lambda data: data.replace(b'"flops"', b'"other"'), lambda data: b"[" + data, lambda data: data.replace(b'"needs":', b'"needs":-')]
        for damage in damages:
            whole = {}
            for path in filled:
                with open(path, "rb") as file:
                    whole[path] = file.read()
                with open(path, "wb") as file:
                    file.write(damage(whole[path]))
            self.assertEqual(self.build(), plain)
            for path, data in whole.items():
                with open(path, "rb") as file:
                    self.assertEqual(file.read(), data)

    def test_text_is_not_kept(self):
        self.build("--emit=asm")
        self.assertEqual(self.entries(), {})

    def test_folders(self):
        """NACRE_CACHE, XDG_CACHE_HOME and HOME, in this order; --kernel-cache comes first."""
        for variables, folder in (({"NACRE_CACHE": self.path("own")}, "own/kernels"), ({"XDG_CACHE_HOME": self.path("xdg")}, "xdg/nacre/kernels"),
                                  ({"XDG_CACHE_HOME": "", "HOME": self.path("home")}, "home/.cache/nacre/kernels")):
            self.build(**variables)
            self.assertTrue(self.entries(folder), folder)
            self.assertEqual(os.stat(self.path(folder)).st_mode & 0o777, 0o700, "what is linked into libraries is only this user's to write")
        self.build(cache=self.path("named"), NACRE_CACHE=self.path("other"))
        self.assertTrue(self.entries("named"))
        self.build(NACRE_CACHE="off", HOME=self.path("nowhere"))
        self.build(cache="off", NACRE_CACHE=self.path("other"))
        self.assertFalse(os.path.exists(self.path("other")) or os.path.exists(self.path("nowhere")))

    def test_unusable_folders(self):
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        below = self.path("file", "folder")
        said = self.build(cache=below, status=1)
        self.assertIn(f"--kernel-cache: no file can be created in '{below}': Not a directory; name another folder, or use --kernel-cache=off", said)
        self.assertEqual(self.build(NACRE_CACHE=below), self.build(cache="off"))
        self.assertIn("--kernel-cache must be folder or off, but is ''", self.build(cache="", status=2))


if __name__ == "__main__":
    unittest.main()
