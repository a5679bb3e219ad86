# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder for the cache of each test, and a compiler that counts its calls."""
import os
import shutil
import stat
import unittest.mock

import packaged

import nacre

# Counts its calls, and is the compiler.
COUNTER = """#!/bin/sh
[ "$1" = --version ] || echo x >> {calls}
{more}
exec {compiler} "$@"
"""


class CachedTest(packaged.PackageTest):
    def setUp(self):
        super().setUp()
        patched = unittest.mock.patch.dict(os.environ, NACRE_CACHE=self.path("cache"))
        patched.start()
        self.addCleanup(patched.stop)

    def counter(self, more="", name="counter"):
        """A compiler that notes its calls."""
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(COUNTER.format(calls=self.path("calls"), more=more, compiler=nacre.find_program("nacre-compile")))
        os.chmod(self.path(name), stat.S_IRWXU)
        return self.path(name)

    def calls(self):
        """How often it was called since the last question."""
        count = os.path.getsize(self.path("calls")) if os.path.exists(self.path("calls")) else 0
        shutil.rmtree(self.path("calls"), ignore_errors=True)
        if count:
            os.remove(self.path("calls"))
        return count // 2

    def compile(self, model, **options):
        return nacre.compile(model, **{"compiler": self.counter(), **options})

    def kernels(self):
        """{file: its size} of the kernels in the cache."""
        folder = self.path("cache", "kernels")
        return {name: os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)} if os.path.isdir(folder) else {}

    def entries(self):
        return sorted(name for name in os.listdir(self.path("cache", "compiled")))
