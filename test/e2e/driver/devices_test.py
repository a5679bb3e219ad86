#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nacre-run --list-devices, and what is said if Vulkan finds a driver's file but cannot load its library."""
import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

RUN = os.path.join(nacre.BIN, "nacre-run")
FAILED = "nacre-run: error: the GPU failed at vkCreateInstance: no driver can be loaded (VK_LOADER_DEBUG=error says why)"


class DevicesTest(nacre.NacreTest):
    def environment(self, driver):
        return {**os.environ, "VK_DRIVER_FILES": driver, "VK_ICD_FILENAMES": driver}

    def need_vulkan(self):
        said = subprocess.run([RUN, "--list-devices"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True).stdout
        if "there is no Vulkan: " in said:
            self.skipTest(said)
        return said

    def driver(self):
        """The file of a driver whose library needs a library that is missing."""
        source, needed, library, path = (self.path(name) for name in ("empty.c", "libneeded.so", "libdriver.so", "driver.json"))
        with open(source, "w", encoding="utf-8") as file:
            file.write("int empty;\n")
        compiler = os.environ.get("CC", "cc")
        self.call(compiler, "-shared", "-fPIC", source, "-Wl,-soname,libneeded.so", "-o", needed)
        self.call(compiler, "-shared", "-fPIC", source, "-Wl,--no-as-needed", needed, "-o", library)
        os.remove(needed)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"file_format_version": "1.0.0", "ICD": {"library_path": library, "api_version": "1.3.0"}}, file)
        return path

    def test_devices_are_listed_without_a_library(self):
        said = self.need_vulkan()
        if FAILED in said:
            self.skipTest(said)
        self.assertRegex(said, r"^0: .+\n   .+Vulkan 1\.\d")
        # Neither a library nor its code matters, but a damaged one is not passed over.
        self.assertEqual(self.call(RUN, self.compile("relu", "--place=cpu", "--quiet"), "--list-devices"), said)
        self.assertIn("is not a shared library", self.call(RUN, self.model("relu"), "--list-devices", status=2))
        library, count = self.compile("relu", "--place=gpu", "--quiet", output=self.path("libgpu.so")), len(re.findall(r"(?m)^\d+: ", said))
        self.assertIn(f"there is no GPU number {count}: Vulkan has {count}",
                      self.call(RUN, library, f"--gpu-device={count}", status=3))

    def test_without_devices_the_status_says_so(self):
        self.need_vulkan()
        none = self.path("none.json")
        said = self.call(RUN, "--list-devices", env=self.environment(none), status=3)
        self.assertTrue(said.startswith(FAILED), said)

    def test_a_driver_that_cannot_be_loaded_is_no_missing_driver(self):
        self.need_vulkan()
        environment = self.environment(self.driver())
        library = self.compile("relu", "--place=gpu", "--quiet")
        for command in (RUN, "--list-devices"), (RUN, library, "--gpu"):
            said = self.call(*command, env=environment, status=3)
            self.assertTrue(said.startswith(FAILED), said)
        self.assertIn("y f32[1,64]: smallest 0", self.call(RUN, library, env=environment), "the CPU computes")


if __name__ == "__main__":
    unittest.main()
