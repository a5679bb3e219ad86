#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nacre-run --device=adb: measures on a phone, and leaves nothing there. The phones are folders, and their programs run by qemu."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from files_test import FILES
from onnx_writer import write_npy

STAND_INS = os.path.join(nacre.ROOT, "test", "docs", "stand-ins")
PHONES = ("first", "second")
DIFFERS, USAGE, REFUSED, INTERRUPTED = 1, 2, 3, 130
SECONDS = 60
# What options that name files do with a phone; all others must be refused.
ON_PHONE = {"--input", "--expect", "--weights-file", "--output", "--save-inputs", "--profile", "--report"}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


@unittest.skipUnless(shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"), "needs qemu and a compiler for arm64")
class PhoneTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        self.environment = dict(os.environ, NACRE_PAGE=self.folder, NACRE_ROOT=nacre.ROOT, PATH=f"{STAND_INS}:{os.environ['PATH']}")
        self.environment.pop("NACRE_ADB", None)
        self.connect(*((name, "device") for name in PHONES))

    def connect(self, *phones):
        """Makes these the phones of adb: serial, state, and if they are not the usual ones, ABIs and API level."""
        with open(self.path("phones"), "w", encoding="ascii") as file:
            for serial, state, abis, level in (phone + ("arm64-v8a,armeabi-v7a", "30")[len(phone) - 2:] for phone in phones):
                file.write(f"{serial}\t{state}\t{abis}\t{level}\n")

    def compile_for_phone(self, name, *options):
        return self.compile(name, "--target=android-arm64", *options, output=self.path(f"lib{name}_phone.so"))

    def run_on_phone(self, library, *options, serial="first", status=0):
        said = self.call(os.path.join(nacre.BIN, "nacre-run"), library, f"--device=adb:{serial}", *options, status=status, env=self.environment)
        self.assert_nothing_left()
        return said

    def assert_nothing_left(self):
        for name in PHONES:
            folder = self.path(name, "data", "local", "tmp")
            self.assertEqual(os.listdir(folder) if os.path.isdir(folder) else [], [])

    def assert_refused(self, says, *words, status=USAGE, **environment):
        done = subprocess.run([os.path.join(nacre.BIN, "nacre-run"), *words], env={**self.environment, **environment}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, status, done.stdout)
        for part in says if isinstance(says, tuple) else (says,):
            self.assertIn(part, done.stdout)
        self.assert_nothing_left()

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
        self.assert_refused(("several phones", "--device=adb:<serial>", "'first', 'second'"), library, "--device=adb")
        self.assert_refused("no phone has the serial 'third'; connected: 'first', 'second'", library, "--device=adb:third")
        for state, says in (("unauthorized", "confirm \"Allow USB debugging?\""), ("offline", "adb says that it is 'offline'"),
                            ("no permissions (user in plugdev group)", "cannot be opened by this user")):
            self.connect(("first", state))
            self.assert_refused(says, library, "--device=adb")
        for abis, level, says in (("armeabi-v7a,armeabi", "30", "has no code for 32-bit phones"), ("x86_64,x86", "30", "compile it with --target=android-x86_64"),
                                  ("arm64-v8a", "23", "but has API level 23")):
            self.connect(("first", "device", abis, level))
            self.assert_refused(says, library, "--device=adb")
        with open(self.path("phones"), "w", encoding="ascii") as file:
            file.write("\n")
        self.assert_refused("adb sees no phone", library, "--device=adb")
        self.connect(("first", "device"))
        os.makedirs(self.path("first"), exist_ok=True)
        with open(self.path("first", "full"), "w", encoding="ascii"):
            pass
        self.assert_refused(("has no space left", "free some"), library, "--device=adb")

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
        run = subprocess.Popen([os.path.join(nacre.BIN, "nacre-run"), library, "--device=adb:first", "--benchmark", f"--min-seconds={SECONDS}"],
                               env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        folder, pid = self.path("first", "data", "local", "tmp"), ""
        deadline = time.monotonic() + SECONDS
        while not pid and time.monotonic() < deadline and run.poll() is None:
            for name in os.listdir(folder) if os.path.isdir(folder) else ():
                if os.path.exists(os.path.join(folder, name, "pid")):
                    with open(os.path.join(folder, name, "pid"), encoding="ascii") as file:
                        pid = file.read().strip()
            time.sleep(0.05)
        self.assertRegex(pid, r"^\d+$")
        run.send_signal(signal.SIGINT)
        said, _ = run.communicate(timeout=SECONDS)
        self.assertEqual(run.returncode, INTERRUPTED, said)
        self.assertIn("interrupted", said)
        self.assert_nothing_left()
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(os.path.exists(f"/proc/{pid}"))


if __name__ == "__main__":
    unittest.main()
