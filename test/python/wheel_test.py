#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel as its user meets it: installed without a network into a new environment, it compiles and runs with nothing else.

It is built here anew, uncompressed, by the script behind the target `wheel`. Needs setuptools, wheel and venv.
"""
import os
import re
import subprocess
import sys
import unittest
import zipfile

import packaged

packaged.need("setuptools", "wheel", "ensurepip")

PROGRAMS = ["nacre-compile", "nacre-diff", "nacre-eval", "nacre-package", "nacre-report", "nacre-run", "nacre-translate", "nacre-tune"]
BUILD = os.environ["NACRE_BUILD"]
MAKE_WHEEL = os.path.join(packaged.ROOT, "tools", "python", "make_wheel.py")
USE = """
import os, numpy, nacre
assert os.path.dirname(nacre.__file__).startswith({environment!r}), nacre.__file__
model = nacre.compile({model!r}, jobs=1)
a, b = numpy.ones((2, 3), "float32"), numpy.ones(3, "float32")
assert (model.run(a, b)["sum"] == 2).all()
model.save({library!r})
print(nacre.__version__, nacre.get_include())
"""


def version():
    with open(os.path.join(packaged.ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"^project\(Nacre VERSION (\S+)", file.read(), re.MULTILINE)[1]


class WheelTest(packaged.PackageTest):
    def wheel(self, *options):
        """The path of a new wheel."""
        self.call(sys.executable, MAKE_WHEEL, f"@{BUILD}/wheel-options", f"--output={self.path('wheel')}", "--uncompressed", *options)
        built, = os.listdir(self.path("wheel"))
        return self.path("wheel", built)

    def test_installed_and_used(self):
        wheel = self.wheel()
        self.assertRegex(wheel, r"-py3-none-manylinux_2_34_(x86_64|aarch64)\.whl$")  # RHEL 9, Ubuntu 22.04
        environment = self.path("environment")
        self.call(sys.executable, "-m", "venv", "--system-site-packages", environment)
        bare = {"PATH": "/usr/bin:/bin", "HOME": self.folder}
        python = os.path.join(environment, "bin", "python")
        self.call(python, "-m", "pip", "install", "--no-index", wheel, env=bare)
        said = self.call(python, "-c", USE.format(environment=environment, model=self.model("sums"), library=self.path("libsums.so")),
                         env=bare, cwd=self.folder)
        installed, include = said.split()
        self.assertEqual(installed, version())

        # The programs as commands, of the same version.
        package = os.path.dirname(include)
        self.assertEqual(sorted(os.listdir(os.path.join(package, "bin"))), PROGRAMS)
        for program in PROGRAMS:
            self.assertIn(version(), self.call(os.path.join(environment, "bin", program), "--version", env=bare))
        self.assertIn("a f32[2,3]", self.call(os.path.join(environment, "bin", "nacre-run"), self.path("libsums.so"), "--info", env=bare))
        # What phones, boards and Java need, as far as this build has it.
        carried = [f"lib/nacre/{target}/nacre-try" for target in ("android-arm64", "android-x86_64")]
        carried += ["lib/nacre/check/libnacre_check.so"]
        carried += [f"lib/nacre/{folder}tune/libtune_{name}.so" for folder in ("", "android-arm64/", "android-x86_64/") for name in ("rates", "halves", "latency")]
        if os.path.exists(os.path.join(BUILD, "runtime/java/nacre.jar")) and os.path.exists(os.path.join(BUILD, "lib/nacre/linux-arm64/nacre-run")):
            for page in ("android", "linux-board"):  # Readers who have the wheel write its folder in place of /usr.
                with open(os.path.join(packaged.ROOT, "docs", "start", page + ".md"), encoding="utf-8") as file:
                    carried += re.findall(r"/usr/((?:share/nacre|share/java|lib|include)/[\w./-]*\w)", file.read())
        for name in carried:
            self.assertTrue(os.path.exists(os.path.join(package, name)), name)
        self.assertTrue(os.access(os.path.join(package, carried[0]), os.X_OK))
        # Beside the C and C++ libraries they need nothing of this system.
        libraries = os.path.join(package, "lib", "nacre")
        linked = self.call("ldd", os.path.join(package, "bin", "nacre-compile"), env=bare)
        outside = {name for name, path in re.findall(r"(\S+) => (\S+)", linked) if not os.path.realpath(path).startswith(libraries)}
        self.assertLessEqual(outside, {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1"})
        # Of LLVM and MLIR what is called, and none of what only the rest of them would need.
        self.assertEqual([name for name in os.listdir(libraries) if re.match(r"lib(z3|icu|xml2|edit)", name)], [])
        for name in ("libLLVM", "libMLIR"):
            library, = (os.path.join(libraries, file) for file in os.listdir(libraries) if file.startswith(name))
            self.assertLess(os.path.getsize(library), 70_000_000)
        licences = " ".join(os.listdir(os.path.join(package, "licenses")))
        for name in ("libllvm", "libmlir", "liblld", "libprotobuf", "libsnappy", "libzstd", "zlib", "libjpeg", "libpng"):
            self.assertIn(name, licences)
        # A C program finds the header.
        with open(self.path("app.c"), "w", encoding="utf-8") as file:
            file.write("#include <nacre/runtime.h>\nint main(void) { return NACRE_OK; }\n")
        self.call(os.environ.get("CC", "cc"), "-I", include, self.path("app.c"), "-o", self.path("app"))
        # Its tests, on what is installed.
        test = os.path.join(os.path.dirname(os.path.abspath(__file__)), "state_test.py")
        self.call(python, "-B", test, env={**bare, "NACRE_INSTALLED": "1"}, cwd=self.folder)
        self.call(python, "-m", "pip", "uninstall", "--yes", "nacre", env=bare)
        self.assertFalse(os.path.exists(package))

    def test_small_where_the_libraries_are(self):
        wheel = self.wheel("--no-libraries")
        self.assertRegex(wheel, r"-py3-none-linux_(x86_64|aarch64)\.whl$")
        with zipfile.ZipFile(wheel) as file:
            names = file.namelist()
            self.assertFalse([name for name in names if re.match(r"nacre/lib/nacre/[^/]+\.so", name)])
            self.assertIn("nacre/py.typed", names)
            metadata = file.read(f"nacre-{version()}.dist-info/METADATA").decode()
        self.assertRegex(metadata, r"(?m)^Requires-Dist: numpy$")
        with open(wheel, "rb") as file:
            first = file.read()
        with open(self.wheel("--no-libraries"), "rb") as file:
            self.assertEqual(file.read(), first, "the same wheel, built again, has the same bytes")

    def test_a_package_without_programs_says_so(self):
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": os.path.join(packaged.ROOT, "tools", "python")}
        done = subprocess.run([sys.executable, "-B", "-c", "import nacre; nacre.compile('model.onnx')"], env=environment, check=False,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.stderr.splitlines()[-1], "nacre.errors.NacreError: nacre-compile is neither in this package nor on PATH; "
                         "install Nacre's wheel or its packages, or add the folder of its programs to PATH")


if __name__ == "__main__":
    unittest.main()
