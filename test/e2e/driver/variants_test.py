#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A library for several CPUs: each takes the code that it can run and gives the same answers; no other gets past create.

qemu is every CPU that is not this one, so that each choice is seen on any machine; where the wrong code is taken, it faults.
"""
import os
import platform
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

NO_ANSWER = 3  # nacre-run's exit status where the model cannot run
X86_64 = platform.machine() == "x86_64" and shutil.which("qemu-x86_64")


class VariantsTest(nacre.NacreTest):
    parts = 2

    def output_of(self, library):
        """Runs `library` on seeded inputs; returns the options that expect what it answers."""
        folder = library + ".outputs"
        os.mkdir(folder)
        self.run_model(library, f"--output={folder}")
        return [f"--expect={os.path.splitext(name)[0]}={os.path.join(folder, name)}" for name in os.listdir(folder)]

    def compile_for(self, target, cpus, model):
        return self.compile(model, f"--target={target}", f"--cpu={cpus}", output=self.path(f"lib{model}.so"))

    def run_x86_64(self, library, *options, cpu, status=0):
        return self.call("qemu-x86_64", "-cpu", cpu, os.path.join(nacre.BIN, "nacre-run"), library, *options, status=status)

    @unittest.skipUnless(X86_64, "needs an x86-64 host with qemu-x86_64")
    def test_x86_64(self):
        """qemu has no AVX-512, so it takes the second: from panels that the first, in wider registers, reads too."""
        for model in ("convnet", "dense", "recurrent", "relu"):
            with self.subTest(model):
                expected = self.output_of(self.compile(model, output=self.path(f"lib{model}_host.so")))
                library = self.compile_for("linux-x86_64", "x86-64-v3,x86-64-v4", model)
                self.run_model(library, *expected)
                self.run_x86_64(library, *expected, cpu="Haswell")
                said = self.run_x86_64(library, cpu="Nehalem", status=NO_ANSWER)
                self.assertIn("the model needs a CPU with x86-64-v3, which this one lacks", said)

    @unittest.skipUnless(X86_64, "needs an x86-64 host with qemu-x86_64")
    def test_x86_64_without_avx(self):
        """The second variant has neither a fused multiply-add nor the first's wide registers, and reads the same panels."""
        for model in ("convnet", "dense", "recurrent", "relu"):
            with self.subTest(model):
                expected = self.output_of(self.compile(model, output=self.path(f"lib{model}_host.so")))
                self.run_x86_64(self.compile_for("linux-x86_64", "nehalem,x86-64-v3", model), *expected, cpu="Nehalem")
                self.run_x86_64(self.compile_for("linux-x86_64", "x86-64-v2", model), *expected, cpu="Nehalem")

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_arm64(self):
        for model in ("convnet", "dense", "recurrent", "relu"):
            with self.subTest(model):
                expected = self.output_of(self.compile(model, output=self.path(f"lib{model}_host.so")))
                library = self.compile_for("linux-arm64", "cortex-a53,cortex-a76", model)
                self.run_arm64(library, *expected, cpu="max")
                self.run_arm64(library, *expected, cpu="cortex-a53")
                library = self.compile_for("linux-arm64", "cortex-a76,cortex-a710", model)
                self.run_arm64(library, *expected, cpu="max")
                self.run_arm64(library, *expected, cpu="cortex-a76")
                said = self.run_arm64(library, cpu="cortex-a53", status=NO_ANSWER)
                self.assertIn("the model needs a CPU with fp16 dotprod lse rdm, which this one lacks", said)

    @unittest.skipUnless(X86_64, "needs an x86-64 host with qemu-x86_64")
    def test_neither_of_two_cpus_has_all_that_the_other_has(self):
        """What a model takes for granted is what all its variants need, whichever is the last."""
        for cpus in ("alderlake,skylake-avx512", "skylake-avx512,alderlake"):
            library = self.compile_for("linux-x86_64", cpus, "relu")
            said = self.run_x86_64(library, cpu="Haswell", status=NO_ANSWER)
            self.assertIn("relu_0 needs a CPU with", said)

    def test_cpus_that_the_runtime_cannot_tell_apart_are_refused(self):
        said = self.compile("relu", "--target=linux-arm64", "--cpu=cortex-a76,cortex-a78", status=2)
        self.assertIn("'cortex-a76' and 'cortex-a78'", said)


if __name__ == "__main__":
    unittest.main()
