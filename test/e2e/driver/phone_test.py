#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nacre-run --device=adb: measures on a phone, and leaves nothing there. The phones are folders, and their programs run by qemu."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from files_test import FILES
from onnx_writer import write_npy
from phones import PhoneTestCase, REFUSED, SECONDS, USAGE

DIFFERS = 1
# What options that name files do with a phone; all others must be refused.
ON_PHONE = {"--input", "--expect", "--weights-file", "--output", "--save-inputs", "--profile", "--report"}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class PhoneTest(PhoneTestCase):
    program = "nacre-run"

    def compile_for_phone(self, name, *options):
        return self.compile(name, "--target=android-arm64", *options, output=self.path(f"lib{name}_phone.so"))

    def run_on_phone(self, library, *options, serial="first", status=0):
        said = self.call(os.path.join(nacre.BIN, "nacre-run"), library, f"--device=adb:{serial}", *options, status=status, env=self.environment)
        self.assert_nothing_left()
        return said

    def test_two_models_on_two_phones(self):
        required = load(os.path.join(nacre.ROOT, "docs", "benchmark.schema.json"))["required"]
        for model, serial in (("relu", "first"), ("convnet", "second")):
            report, profile = self.path(f"{model}.json"), self.path(f"{model}.profile.json")
            library = self.compile_for_phone(model, f"--report={report}")
            line = json.loads(self.run_on_phone(library, "--benchmark", "--runs=2", "--threads=1", serial=serial))
            self.assertEqual(list(line), required)
            self.assertEqual((line["model"], line["runs"], line["threads"], line["device"]), (f"{model}_phone", 2, 1, "cpu"))
            self.assertGreater(line["peak_rss_mb"], 0)
            self.assertGreater(line["code_bytes"], 0)

            said = self.run_on_phone(library, f"--profile={profile}", "--runs=2", serial=serial)
            self.assertRegex(said, r"us +share +times +engine")
            self.assertIn("nacre-report <report.json> --profile=", said)
            written, schema = load(profile), load(os.path.join(nacre.ROOT, "docs", "profile.schema.json"))
            self.assertEqual(set(written), set(schema["properties"]))
            self.assertEqual(set(written["machine"]), set(schema["properties"]["machine"]["properties"]))
            self.assertEqual(set(written["launches"][0]), set(schema["properties"]["launches"]["items"]["properties"]))
            self.assertEqual((written["target"], written["runs"]), ("android-arm64", 2))

            page = self.path(f"{model}.html")
            self.assertIn(f"the page '{page}'", self.run_on_phone(library, f"--report={report}", "--runs=1", serial=serial))
            with open(page, encoding="utf-8") as file:
                self.assertIn(written["build_id"], file.read())
        # The report of another library.
        self.assertIn("--report: nacre-report: ", self.run_on_phone(library, f"--report={self.path('relu.json')}", "--runs=1", status=USAGE))

    def test_outputs_are_this_machines(self):
        here, there = self.path("here"), self.path("there")
        library, on_phone = self.compile("dense"), self.compile_for_phone("dense")
        for folder in (here, there):
            os.mkdir(folder)
        self.run_model(library, "--seed=3", f"--output={here}", f"--save-inputs={here}")
        written = sorted(os.listdir(here))
        options = [f"--expect={name[:-4]}={os.path.join(here, name)}" for name in written if name[:-4] not in ("x", "input")]
        self.run_on_phone(on_phone, "--seed=3", f"--output={there}", f"--save-inputs={there}", *options)
        self.assertEqual(sorted(os.listdir(there)), written)
        self.assertRegex(self.run_on_phone(on_phone, "--seed=4", *options, status=DIFFERS), r"output '\w+' differs at")

    def test_inputs_from_files(self):
        library, x = self.compile_for_phone("relu"), self.path("x.npy")
        write_npy(x, [1, 64], [i - 32 for i in range(64)])
        said = self.run_on_phone(library, f"--input=x={x}")
        self.assertIn("y f32[1,64]: smallest 0, largest 31, mean 7.75\n", said)
        self.assertRegex(said, r"CPU, \d+ threads?; \d+ bytes")
        self.assertIn("must be f32[1,64], but", self.run_on_phone(library, f"--input=x={self.wrong_array()}", status=USAGE))

    def wrong_array(self):
        write_npy(self.path("wrong.npy"), [2, 3], [0] * 6)
        return self.path("wrong.npy")

    def test_weights_in_a_file(self):
        library = self.compile_for_phone("dense", "--weights-in=file")
        self.assertIn(": smallest", self.run_on_phone(library))
        os.rename(library.replace(".so", ".weights"), self.path("moved"))
        self.assertIn(": smallest", self.run_on_phone(library, f"--weights-file={self.path('moved')}"))
        self.assertIn("cannot copy", self.run_on_phone(library, status=REFUSED))

    def test_phones_that_cannot_be_used(self):
        library = self.compile_for_phone("relu")
        self.assert_phones_are_checked(library)
        self.connect(("first", "device", "x86_64,x86", "30"))
        self.assert_refused("compile it with --target=android-x86_64", library, "--device=adb")

    def test_adb_that_is_missing(self):
        library = self.compile_for_phone("relu")
        sdk = self.path("sdk", "platform-tools")
        os.makedirs(sdk)
        bare = self.path("bare")
        os.mkdir(bare)
        self.assert_refused(("needs the program adb", "apt install adb", "NACRE_ADB"), library, "--device=adb", PATH=bare)
        self.assert_refused("NACRE_ADB must be the adb program, but is '/none'", library, "--device=adb", NACRE_ADB="/none")
        adb = os.path.join(sdk, "adb")
        with open(adb, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\necho 'adb of the SDK' >&2\nexit 1\n")
        os.chmod(adb, 0o755)
        for name in ("ANDROID_HOME", "ANDROID_SDK_ROOT"):
            self.assert_refused("adb of the SDK", library, "--device=adb", status=REFUSED, PATH=bare, **{name: self.path("sdk")})
        self.assert_refused("adb of the SDK", library, "--device=adb", status=REFUSED, NACRE_ADB=adb)

    def test_libraries_and_options_that_cannot_be_used(self):
        self.assert_refused("must be for Android, but is for linux-x86_64; compile it with --target=android-arm64", self.compile("relu"), "--device=adb:first")
        library = self.compile_for_phone("relu")
        self.assert_refused("--device must be adb or adb:<serial>, but is 'usb'", library, "--device=usb")
        self.assert_refused("--device must be adb or adb:<serial>, but is 'adb:'", library, "--device=adb:")
        self.assert_refused("--entry must be one of 'main', but is 'other'", library, "--device=adb:first", "--entry=other")
        with open(library, "rb") as file:
            whole = file.read()
        for size in range(1000, len(whole), len(whole) // 7):
            with open(library, "wb") as file:
                file.write(whole[:size])
            self.assert_refused(library, library, "--device=adb:first")

    def test_every_option_that_names_a_file(self):
        """An option is done here, or its file goes to the phone and back, or it is refused: none is ignored."""
        options = {option: words for option, (_, words) in FILES["nacre-run"].items() if option.startswith("-")}
        self.assertLess(ON_PHONE, set(options))
        library = self.compile_for_phone("relu")
        for option in set(options) - ON_PHONE:
            self.assert_refused(f"{option} ", library, "--device=adb:first", options[option].format("file"))

    def test_ctrl_c_leaves_nothing(self):
        library = self.compile_for_phone("relu")
        self.assert_ctrl_c_leaves_nothing(library, "--benchmark", f"--min-seconds={SECONDS}")


if __name__ == "__main__":
    unittest.main()
