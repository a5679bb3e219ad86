#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several targets in one call, and what is the same whatever the call: the library's bytes."""
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

COMPILE = os.path.join(nacre.BIN, "nacre-compile")
ANDROID = ("android-arm64", "android-x86_64")


class TargetsTest(nacre.NacreTest):
    parts = 3

    def test_each_target_has_a_folder(self):
        said = self.call(COMPILE, self.model("relu"), "-o", self.path("librelu.so"), "--target=" + ",".join(ANDROID),
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
        self.call(COMPILE, self.model("relu"), "-o", self.path("librelu.so"), targets,
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

    def chips_in_help(self):
        """The lines of --help with chips' names, by vendor."""
        said = self.call(COMPILE, "--help")
        return said[said.index("\nCHIPS OF PHONES (--cpu=)\n"):].split("\n\n")[0].split("\n", 2)[2] + "\n"

    def test_phones_chips_have_names(self):
        """Each name in the list is accepted; the page has the same names; a device profile of a chip has its cores."""
        listed = re.sub(r"\n {5,}", " ", self.call(COMPILE, "--cpu=list"))
        chips = {}
        for line in listed.splitlines():
            name, rest = line.split(None, 1)
            cores, features, *models = rest.split("; ")
            chips[name] = {core: int(count) for count, core in (part.split() for part in cores.split(", "))}
            self.assertRegex(features, r"^(only NEON|[a-z0-9]+(, [a-z0-9]+)*)$")
            for model in models:
                self.assertRegex(model, r"^also [a-z0-9-]+(, [a-z0-9-]+)*$")
        self.assertGreaterEqual(len(chips), 40)
        help_text = self.chips_in_help()
        self.assertEqual(re.findall(r"[a-z]+-[a-z0-9-]+|\btensor\b", help_text), list(chips))
        with open(os.path.join(nacre.ROOT, "docs", "compiling.md"), encoding="utf-8") as page:
            self.assertIn("```text\n" + re.sub(r"(?m)^  ", "", help_text) + "```", page.read())
        folder = os.path.join(nacre.ROOT, "compiler", "place", "profiles")
        compared = 0
        for file in os.listdir(folder):
            name = file[:-len(".json")]
            if name == "lavapipe-host":
                continue
            with open(os.path.join(folder, file), encoding="utf-8") as text:
                clusters = json.load(text)["cpu"]["clusters"]
            cores = {}
            for cluster in clusters:
                core = cluster["core"].lower()
                cores[core] = cores.get(core, 0) + cluster["cores"]
            self.assertEqual(chips[name], cores, name)
            compared += 1
        self.assertGreaterEqual(compared, 5)

    def report_of(self, *options):
        self.compile("dense", f"--report={self.path('report.json')}", *options)
        with open(self.path("report.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_a_chip_is_also_the_device(self):
        """The CPU's name chooses the profile of the same chip, by either name; an explicit device wins, a preset's does not."""
        for options, device in ((["--cpu=snapdragon-8-gen-2"], "snapdragon-8-gen-2"), (["--cpu=SM8550", "--place=auto"], "snapdragon-8-gen-2"),
                                (["--cpu=sm8550", "--device=helio-g99"], "helio-g99"), (["--device=mt6789"], "helio-g99"),
                                (["--cpu=sm8550", "--for=phone"], "snapdragon-8-gen-2"), (["--cpu=snapdragon-845", "--for=phone"], "exynos-2100"),
                                (["--cpu=snapdragon-845"], None), (["--cpu=generic, sm8550"], "snapdragon-8-gen-2"),
                                (["--cpu=sm8550,helio-g99"], None)):
            with self.subTest(options):
                self.assertEqual(self.report_of("--target=android-arm64", *options).get("device"), device)
        said = self.compile("dense", "--target=android-arm64", "--device=snapdragon-845", status=2)
        self.assertIn("but is 'snapdragon-845', a chip with no profile of its GPU; --cpu=snapdragon-845 compiles for its CPU", said)

    def test_code_for_a_chip_is_what_all_of_its_cores_can_run(self):
        """An assembler that knows only the common features takes it; one that knows less does not."""
        graph = nacre.Graph("integers")
        u8, i8, i32 = 2, 3, 6
        for name, kind, dims in (("a", u8, [32, 64]), ("b", i8, [64, 32])):
            graph.input(name, dims, kind)
        graph.output(graph.node("MatMulInteger", ["a", "b"], output="product"), [32, 32], i32)
        graph.save(self.path("integers.onnx"))

        def assemble(chip, features):
            assembly = self.path(chip + ".s")
            self.call(COMPILE, self.path("integers.onnx"), "-o", assembly, "--emit=asm", "--target=android-arm64", "--cpu=" + chip)
            said = subprocess.run([os.path.join(nacre.LLVM_BIN, "llvm-mc"), "--triple=aarch64", "--mattr=" + features, "--filetype=null", assembly],
                                  capture_output=True, text=True, check=False).stderr
            # Kernels follow each other in one file, so labels occur twice.
            return [line for line in said.splitlines() if "error:" in line and not re.search(r"symbol '\.L\w+' is already defined", line)]
        old, dot = "+neon,+fullfp16,+lse,+rdm", "+neon,+fullfp16,+lse,+rdm,+dotprod"
        for chip, features in (("snapdragon-835", "+neon"), ("snapdragon-845", old), ("tensor", dot), ("exynos-9820", old)):
            self.assertEqual(assemble(chip, features), [], chip)
        self.assertIn("requires: dotprod", "\n".join(assemble("tensor", old)))

    def test_what_is_refused(self):
        chips = "chips of phones (--cpu=list prints their cores):\n" + self.chips_in_help()
        for options, words in (
                (["--target=android-arm64,android-arm64"],
                 "nacre-compile: --target must name each target once, but names 'android-arm64' twice\n"),
                (["--target=android-arm64,mars"],
                 "nacre-compile: target must be host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64, but is 'mars'\n"),
                (["--target=android-arm46"],
                 "nacre-compile: target must be host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64, but is 'android-arm46'; did you mean 'android-arm64'?\n"),
                (["--target=android-arm64", "--cpu=cortex-a67"],
                 "nacre-compile: cpu must be a phone's chip or an arm64 CPU that LLVM knows, but is 'cortex-a67'; did you mean 'cortex-a57'?\n" + chips),
                (["--target=android-arm64", "--cpu=snapdragon-9-gen-2"],
                 "nacre-compile: cpu must be a phone's chip or an arm64 CPU that LLVM knows, but is 'snapdragon-9-gen-2'; "
                 "did you mean 'snapdragon-8-gen-2'?\n" + chips),
                (["--target=android-x86_64", "--cpu=snapdragon-8-gen-2"],
                 "nacre-compile: cpu must be an x86-64 CPU that LLVM knows, but is 'snapdragon-8-gen-2'\n"),
                (["--target=linux-x86_64", "--cpu=hasswell,znver4"],
                 "nacre-compile: cpu must be an x86-64 CPU that LLVM knows, but is 'hasswell'; did you mean 'haswell'?\n"),
                (["--target=android-arm64", "--cpu=native"],
                 "nacre-compile: cpu must be named for target android-arm64, but is 'native'\n"),
                (["--target=android-arm64,android-x86_64", "--cpu=z80"],
                 "nacre-compile: --cpu must be of one of the targets, but 'z80' is not\n" + chips),
                (["--target=android-arm64,android-x86_64", "--cpu=cortex-a67"],
                 "nacre-compile: --cpu must be of one of the targets, but 'cortex-a67' is not; did you mean 'cortex-a57'?\n" + chips),
                (["--target=android-arm64,android-x86_64", "--emit=asm"],
                 "nacre-compile: --emit=asm, --emit=llvm-ir and --compile-to require exactly one --target, not 2\n")):
            said = self.compile("relu", *options, output=self.path("librelu.so"), status=2)
            self.assertEqual(said, words)
        said = self.compile("relu", "--target=" + ",".join(ANDROID), output=self.path("none", "librelu.so"), status=1)
        self.assertIn("none/android-arm64/librelu.so': No such file or directory", said)


if __name__ == "__main__":
    unittest.main()
