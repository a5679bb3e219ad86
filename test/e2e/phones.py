# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of programs that use a phone by adb. The phones are folders, and their programs run by qemu (test/docs/stand-ins/adb)."""
import os
import shutil
import signal
import subprocess
import time
import unittest

import nacre

STAND_INS = os.path.join(nacre.ROOT, "test", "docs", "stand-ins")
PHONES = ("first", "second")
USAGE, REFUSED, INTERRUPTED = 2, 3, 130
SECONDS = 60


@unittest.skipUnless(shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"), "needs qemu and a compiler for arm64")
class PhoneTestCase(nacre.NacreTest):
    program = None  # what is tested, a name

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

    def assert_nothing_left(self):
        for name in PHONES:
            folder = self.path(name, "data", "local", "tmp")
            self.assertEqual(os.listdir(folder) if os.path.isdir(folder) else [], [])

    def assert_refused(self, says, *words, status=USAGE, **environment):
        done = subprocess.run([os.path.join(nacre.BIN, self.program), *words], env={**self.environment, **environment}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, status, done.stdout)
        for part in says if isinstance(says, tuple) else (says,):
            self.assertIn(part, done.stdout)
        self.assert_nothing_left()

    def assert_phones_are_checked(self, *words):
        """What stands against a phone is said by each program that uses one."""
        self.assert_refused(("several phones", "--device=adb:<serial>", "'first', 'second'"), *words, "--device=adb")
        self.assert_refused("no phone has the serial 'third'; connected: 'first', 'second'", *words, "--device=adb:third")
        for state, says in (("unauthorized", "confirm \"Allow USB debugging?\""), ("offline", "adb says that it is 'offline'"),
                            ("no permissions (user in plugdev group)", "cannot be opened by this user")):
            self.connect(("first", state))
            self.assert_refused(says, *words, "--device=adb")
        for abis, level, says in (("armeabi-v7a,armeabi", "30", "has no code for 32-bit phones"), ("arm64-v8a", "23", "but has API level 23")):
            self.connect(("first", "device", abis, level))
            self.assert_refused(says, *words, "--device=adb")
        with open(self.path("phones"), "w", encoding="ascii") as file:
            file.write("\n")
        self.assert_refused("adb sees no phone", *words, "--device=adb")
        self.connect(("first", "device"))
        os.makedirs(self.path("first"), exist_ok=True)
        with open(self.path("first", "full"), "w", encoding="ascii"):
            pass
        self.assert_refused(("has no space left", "free some"), *words, "--device=adb")
        os.remove(self.path("first", "full"))

    def assert_ctrl_c_leaves_nothing(self, *words):
        run = subprocess.Popen([os.path.join(nacre.BIN, self.program), *words, "--device=adb:first"], env=self.environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
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
