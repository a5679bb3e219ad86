#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several targets in one call, and what is the same whatever the call: the library's bytes."""
import json
import os
import platform
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

ANDROID = ("android-arm64", "android-x86_64")


class TargetsTest(nacre.NacreTest):
    parts = 2

    def test_each_target_has_a_folder(self):
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.model("relu"), "-o", self.path("librelu.so"), "--target=" + ",".join(ANDROID),
                         "--target=linux-arm64", f"--report={self.path('report.json')}")
        self.assertFalse(os.path.exists(self.path("librelu.so")))
        for target in (*ANDROID, "linux-arm64"):
            self.assertEqual(sorted(os.listdir(self.path(target))), ["librelu.so", "relu.h", "report.json"])
            with open(self.path(target, "report.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["target"], target)
            self.assertIn(target, said)
            # As if it had been compiled alone.
            alone = self.compile("relu", "--target=" + target, output=self.path("librelu.so"))
            with open(alone, "rb") as one, open(self.path(target, "librelu.so"), "rb") as other:
                self.assertEqual(one.read(), other.read())
            os.remove(alone)

    def test_umask_decides_who_may_read_a_folder(self):
        before = os.umask(0o022)
        try:
            self.compile("relu", "--target=" + ",".join(ANDROID), output=self.path("librelu.so"))
        finally:
            os.umask(before)
        for target in ANDROID:
            self.assertEqual(os.stat(self.path(target)).st_mode & 0o777, 0o755)

    def test_bytes_are_the_same_every_time(self):
        for target in ANDROID:
            contents = []
            for jobs in 1, 2:
                with open(self.compile("convnet", "--target=" + target, f"--jobs={jobs}"), "rb") as library:
                    contents.append(library.read())
            self.assertEqual(*contents)

    def test_cpus_go_to_the_targets_that_have_them(self):
        targets = "--target=" + ",".join(ANDROID)
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.model("relu"), "-o", self.path("librelu.so"), targets,
                  "--cpu=cortex-a76,znver4,cortex-a53", f"--report={self.path('report.json')}")
        for target, cpus in zip(ANDROID, ("cortex-a76,cortex-a53", "znver4")):
            with open(self.path(target, "report.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["cpu"], cpus)

    @unittest.skipUnless(platform.machine() == "x86_64", "needs an x86-64")
    def test_android_on_x86_runs_here(self):
        """Its kernels are those of Linux; only what it asks the loader for differs. Also on a CPU without AVX, as an emulator's may be."""
        library = self.compile("convnet", "--target=android-x86_64", output=self.path("libconvnet.so"))
        self.call("python3", os.path.join(nacre.ROOT, "samples", "models", "make_convnet.py"), self.folder)
        expected = os.path.join(nacre.ROOT, "samples", "models", "convnet.expected.npy")
        folder = self.path("android")
        os.makedirs(folder)
        for name, real in (("libc.so", "libc.so.6"), ("libm.so", "libm.so.6"), ("libdl.so", "libdl.so.2")):
            os.symlink(os.path.join("/usr/lib/x86_64-linux-gnu", real), os.path.join(folder, name))
        command = [os.path.join(nacre.BIN, "nacre-run"), library, f"--input=image={self.path('convnet.input.npy')}",
                   f"--expect=probabilities={expected}"]
        self.call(*command, env=dict(os.environ, LD_LIBRARY_PATH=folder))
        if shutil.which("qemu-x86_64"):
            self.call("qemu-x86_64", "-cpu", "Nehalem", "-E", f"LD_LIBRARY_PATH={folder}", *command)

    def test_what_is_refused(self):
        for options, words in (
                (["--target=android-arm64,android-arm64"],
                 "nacre-compile: --target must name each target once, but names 'android-arm64' twice\n"),
                (["--target=android-arm64,mars"],
                 "nacre-compile: target must be host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64, but is 'mars'\n"),
                (["--target=android-arm46"],
                 "nacre-compile: target must be host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64, but is 'android-arm46'; did you mean 'android-arm64'?\n"),
                (["--target=android-arm64", "--cpu=cortex-a67"],
                 "nacre-compile: cpu must be an arm64 CPU that LLVM knows, but is 'cortex-a67'; did you mean 'cortex-a57'?\n"),
                (["--target=linux-x86_64", "--cpu=hasswell,znver4"],
                 "nacre-compile: cpu must be an x86-64 CPU that LLVM knows, but is 'hasswell'; did you mean 'haswell'?\n"),
                (["--target=android-arm64", "--cpu=native"],
                 "nacre-compile: cpu must be named for target android-arm64, but is 'native'\n"),
                (["--target=android-arm64,android-x86_64", "--cpu=z80"],
                 "nacre-compile: --cpu must be of one of the targets, but 'z80' is not\n"),
                (["--target=android-arm64,android-x86_64", "--cpu=cortex-a67"],
                 "nacre-compile: --cpu must be of one of the targets, but 'cortex-a67' is not; did you mean 'cortex-a57'?\n"),
                (["--target=android-arm64,android-x86_64", "--emit=asm"],
                 "nacre-compile: --emit=asm, --emit=llvm-ir and --compile-to require exactly one --target, not 2\n")):
            said = self.compile("relu", *options, output=self.path("librelu.so"), status=2)
            self.assertEqual(said, words)
        said = self.compile("relu", "--target=" + ",".join(ANDROID), output=self.path("none", "librelu.so"), status=1)
        self.assertIn("none/android-arm64/librelu.so': No such file or directory", said)


if __name__ == "__main__":
    unittest.main()
