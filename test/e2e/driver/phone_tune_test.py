#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nacre-tune --device=adb: the profile of a phone, and nothing left there."""
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from phones import PhoneTestCase, SECONDS

BASE = os.path.join(nacre.ROOT, "compiler", "place", "profiles", "exynos-2100.json")
NOT_MEASURED = "nacre-tune: note: the GPU is not measured, and its figures are the base's: "
LIBRARIES = ("libtune_rates.so", "libtune_halves.so", "libtune_latency.so")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class PhoneTuneTest(PhoneTestCase):
    program = "nacre-tune"

    def tune(self, *options, status=0):
        """Returns the two streams."""
        done = subprocess.run([os.path.join(nacre.BIN, "nacre-tune"), f"--base={BASE}", *options], env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, text=True, timeout=2 * SECONDS)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assert_nothing_left()
        return done.stdout, done.stderr

    def check_cpu(self, profile):
        """The processor of a phone that is played here has as many cores as this machine."""
        clusters = profile["cpu"]["clusters"]
        self.assertEqual(sum(cluster["cores"] for cluster in clusters), len(os.sched_getaffinity(0)))
        for cluster in clusters:  # of any machine, however busy
            self.assertTrue(0.001 < cluster["clock_ghz"] < 20, cluster)
            self.assertTrue(0.01 < cluster["fp32_flops_per_cycle"] < 512, cluster)
            self.assertTrue(0.001 < cluster["fp16_flops_per_cycle"] < 1024, cluster)
            self.assertTrue(0.01 < cluster["int8_ops_per_cycle"] < 2048, cluster)
        self.assertIn("Measured by nacre-tune", profile["cpu"]["source"])

    def test_a_phone_without_a_gpu(self):
        """What qemu plays has no Vulkan; the profile goes to the standard output, the progress does not."""
        profile, said = self.tune("--device=adb:first")
        self.assertIn("nacre-tune: copying 4 files to the phone\nmeasuring the GPU\nmeasuring core 1 of ", said)
        self.assertIn("measuring memory\n", said)
        self.assertIn(NOT_MEASURED + "there is no Vulkan", said)
        after, before = json.loads(profile), load(BASE)
        self.check_cpu(after)
        for group in ("gpu", "latency", "memory"):
            self.assertEqual(after[group], before[group])

    def test_processor_only(self):
        mine = self.path("mine.json")
        self.assertEqual(self.tune("--device=adb:second", "--gpu=no", "-o", mine)[0], "")
        self.check_cpu(load(mine))
        self.assertIn("predicted", self.call(os.path.join(nacre.BIN, "nacre-compile"), self.model("convnet"), "-o", self.path("libc.so"),
                                             "--target=android-arm64", "--place=auto", f"--device={mine}"))

    @unittest.skipUnless(shutil.which("readelf") and os.uname().machine == "x86_64", "needs a machine that runs programs of an emulator")
    def test_an_emulator_with_a_gpu(self):
        """Android's programs for x86-64 over this machine's libraries and its Vulkan, lavapipe's if there is no other."""
        self.connect(("first", "device", "x86_64,arm64-v8a", "34"))
        mine = self.path("mine.json")
        said = self.tune("--device=adb", "--gpu=0", "-o", mine)[1]
        self.assertNotIn("not measured", said)
        after, before = load(mine), load(BASE)
        self.check_cpu(after)
        self.assertIn("Measured by nacre-tune", after["gpu"]["source"])
        self.assertIn("Measured by nacre-tune", after["latency"]["source"])
        self.assertEqual(after["memory"], before["memory"])
        for name, rate in after["gpu"]["rates"].items():
            self.assertTrue(1e-4 < rate < 1e5, name)

    def test_a_gpu_that_cannot_be_measured(self):
        self.assert_refused("nacre-try: the GPU cannot be measured: there is no Vulkan", f"--base={BASE}", "--device=adb:first", "--gpu=0")
        empty = self.path("empty")
        os.mkdir(empty)
        kernels = f"--kernels={empty}"
        self.assert_refused(("the GPU cannot be measured", "libtune_rates.so", "--target=android-arm64"), f"--base={BASE}", "--device=adb:first", "--gpu=0", kernels)
        self.assertIn(NOT_MEASURED + f"cannot read '{empty}/libtune_rates.so'", self.tune("--device=adb:first", kernels)[1])
        for library in LIBRARIES:  # of this machine
            shutil.copy(os.path.join(nacre.BIN, "..", "lib", "nacre", "tune", library), empty)
        self.assert_refused("libtune_rates.so' must be for arm64, but is for x86-64", f"--base={BASE}", "--device=adb:first", "--gpu=0", kernels)

    def test_phones_that_cannot_be_used(self):
        self.assert_phones_are_checked(f"--base={BASE}", "--gpu=no")
        self.assert_refused("needs the program adb", f"--base={BASE}", "--device=adb", PATH=self.folder)

    def test_command_lines_that_are_wrong(self):
        for value in ("usb", "adb:", "", "adbs"):
            self.assert_refused(f"--device must be adb or adb:<serial>, but is '{value}'", f"--base={BASE}", f"--device={value}")
        self.assert_refused("--base=<profile.json> is required", "--device=adb")
        self.assert_refused("cannot read '/none'", "--base=/none", "--device=adb:first")

    def test_ctrl_c_leaves_nothing(self):
        self.assert_ctrl_c_leaves_nothing(f"--base={BASE}")


if __name__ == "__main__":
    unittest.main()
