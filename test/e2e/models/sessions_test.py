#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several models in one process and one model in several threads; see Sessions.cpp."""
import glob
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre


MODELS = ("convnet", "recurrent", "relu")
CLANG = "clang++-22"


class SessionsTest(nacre.NacreTest):
    def test_models_and_threads(self):
        libraries = [self.compile(name) for name in MODELS]
        print(self.call(os.path.join(nacre.BIN, "e2e-sessions"), *libraries).strip())

    @unittest.skipUnless(shutil.which(CLANG), f"needs {CLANG}")
    def test_the_same_under_the_thread_sanitizer(self):
        """The runtime's sources, instrumented, with the compiled models as objects."""
        objects = [self.compile(name, "--emit=obj", output=self.path(name + ".o")) for name in MODELS]
        listing = self.path("models.c")
        with open(listing, "w", encoding="utf-8") as file:
            symbols = [f"nacre_model_{name}" for name in MODELS]
            file.write('#include "nacre/runtime.h"\n' + "".join(f"extern const nacre_model {s};\n" for s in symbols))
            file.write(f"const nacre_model *const linkedModels[] = {{{', '.join('&' + s for s in symbols)}, NULL}};\n")
        program = self.path("sessions")
        includes = ["-I" + nacre.ROOT, "-I" + os.path.join(nacre.ROOT, "runtime", "include")]
        sanitize = ["-g", "-O1", "-fsanitize=thread"]
        self.call("clang-22", "-c", listing, "-o", self.path("models.o"), *sanitize, *includes)
        runtime = [source for folder in ("src", "src/state")
                   for source in sorted(glob.glob(os.path.join(nacre.ROOT, "runtime", folder, "*.cpp")))]
        self.call(CLANG, "-std=c++17", "-fno-rtti", "-fno-exceptions", *sanitize, *includes,
                  os.path.join(nacre.ROOT, "test", "e2e", "models", "Sessions.cpp"), *runtime, self.path("models.o"), *objects, "-ldl",
                  "-pthread", "-o", program)
        self.call(program, env={**os.environ, "TSAN_OPTIONS": "halt_on_error=1"})


if __name__ == "__main__":
    unittest.main()
