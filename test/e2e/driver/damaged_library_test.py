#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damaged libraries: every program refuses them with a message, and none dies of a signal; stripped ones are not damaged.

Python and Java have tests of their own (test/python/damage_test.py, test/java/DamageTest.java): all ask runtime/inspect.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import damage
import nacre

RUN, REPORT, TUNE, DIFF = (os.path.join(nacre.BIN, name) for name in ("nacre-run", "nacre-report", "nacre-tune", "nacre-diff"))
AGAIN = "; copy or download it again\n"


def read(path):
    with open(path, "rb") as file:
        return file.read()


class DamagedLibraryTest(nacre.NacreTest):
    parts = 3

    def write(self, name, data):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def outcome(self, *command, cwd=None):
        """The exit status, after checking that it is the program's own, and with it what was said."""
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True, errors="replace",
                              timeout=nacre.COMMAND_SECONDS, cwd=cwd or self.folder)
        self.assertIn(done.returncode, (0, 2, 3), f"{' '.join(command)}\n{done.stdout}")
        self.assertTrue(done.returncode == 0 or done.stdout)
        return done.returncode, done.stdout

    def check_all(self, damaged, *command, least):
        """Runs the command on each damaged library; at least a share of them must be refused."""
        counts = collections.Counter()
        for data in damaged:
            path = self.write("damaged.so", data)
            status, said = self.outcome(*(path if word == "LIBRARY" else word for word in command))
            counts[status != 0] += 1
            if status == 2:
                self.assertRegex(said, r"' (is damaged: .*|is incomplete: .*|must be .*)\n$")
        print(f"{' '.join(map(os.path.basename, command))}: {counts[True]} of {sum(counts.values())} refused")
        self.assertGreaterEqual(counts[True], least * sum(counts.values()))

    def test_cut_libraries_are_refused(self):
        """Whether their weights, their code or only their section headers are at the end."""
        for model, *options in (("convnet",), ("relu",), ("convnet", "--weights-in=file"), ("relu", "--place=gpu")):
            with self.subTest(model, options=options):
                data = read(self.compile(model, "--quiet", *options))
                self.check_all(damage.cuts(data, 200), RUN, "LIBRARY", "--runs=1", least=1)

    def test_flipped_bits_are_refused(self):
        """But for those in bytes that nobody reads."""
        for model in "convnet", "relu":
            data = read(self.compile(model, "--quiet"))
            self.check_all(damage.flips(data, 1000), RUN, "LIBRARY", "--runs=1", least=0.6)

    def test_what_is_said(self):
        library = self.compile("convnet", "--quiet")
        data = read(library)
        cut = self.write("cut.so", data[:-1])
        size = len(data)
        self.assertEqual(self.run_model(cut, status=2),
                         f"nacre-run: error: '{cut}' is incomplete: it must have at least {size} bytes, but has {size - 1}{AGAIN}")
        path = self.write("flipped.so", damage.flip_code(data))
        said = f"'{path}' is damaged: its contents do not have the checksum that nacre-compile wrote{AGAIN}"
        self.assertEqual(self.run_model(path, status=2), "nacre-run: error: " + said)
        self.assertIn(said, self.call(DIFF, self.model("convnet"), path, status=2))
        self.assertEqual(self.run_model(self.folder, status=2), f"nacre-run: error: cannot read '{self.folder}': Is a directory\n")
        self.assertEqual(self.run_model("/dev/null", status=2),
                         "nacre-run: error: '/dev/null' must be a .so made by nacre-compile, but is not a shared library\n")

    def test_other_programs_refuse_them(self):
        """nacre-report measures by nacre-run; nacre-tune opens its kernels."""
        report = self.path("relu.json")
        data = read(self.compile("relu", "--quiet", f"--report={report}"))
        refused = 0
        for damaged in [*damage.cuts(data, 10), *damage.flips(data, 10)]:
            self.write("librelu.so", damaged)
            status, said = self.outcome(REPORT, report, "--measure", "-o", self.path("page.html"), cwd=self.folder)
            self.assertTrue(status == 0 or "cannot measure" in said, said)
            refused += status != 0
        self.assertGreaterEqual(refused, 15)
        kernels = self.path("kernels")
        shutil.copytree(os.path.join(os.path.dirname(nacre.BIN), "lib", "nacre", "tune"), kernels)
        base = os.path.join(nacre.ROOT, "compiler", "place", "profiles", "snapdragon-778g.json")
        rates = os.path.join(kernels, "libtune_rates.so")
        data = read(rates)
        for damaged in (data[:len(data) // 2], data[:len(data) - 1], damage.flip_code(data)):
            with open(rates, "wb") as file:
                file.write(damaged)
            self.assertRegex(self.call(TUNE, f"--base={base}", f"--kernels={kernels}", "--gpu=0", status=2),
                             rf"^nacre-tune: the GPU cannot be measured: '{re.escape(rates)}' is (damaged|incomplete): .*{AGAIN}$")

    def test_stripped_libraries_are_whole(self):
        """Android's build tools strip libraries by llvm-strip, Debian's by strip; both move weights in the file."""
        library = self.compile("convnet", "--quiet", "--target=linux-x86_64" if os.uname().machine == "x86_64" else "--target=linux-arm64")
        expected = self.run_model(library)
        strippers = [(os.path.join(nacre.LLVM_BIN, "llvm-strip"), "--strip-unneeded"), (os.path.join(nacre.LLVM_BIN, "llvm-strip"), "--strip-all"),
                     (os.path.join(nacre.LLVM_BIN, "llvm-strip"), "--strip-sections"), ("strip",), ("strip", "--strip-unneeded")]
        for stripper in strippers:
            with self.subTest(stripper):
                stripped = shutil.copy(library, self.path("libstripped.so"))
                self.call(*stripper, stripped)
                self.assertLess(os.path.getsize(stripped), os.path.getsize(library))
                self.assertEqual(self.run_model(stripped), expected)
                data = bytearray(read(stripped))
                begin, end = next((s[2], s[2] + s[5]) for s in damage.segments(data) if s[0] == 1 and s[1] & 1)
                data[(begin + end) // 2] ^= 1
                self.assertIn("is damaged: its contents do not have the checksum", self.run_model(self.write("damaged.so", bytes(data)), status=2))

    def test_libraries_without_a_checksum_are_checked_by_their_structure(self):
        """Libraries of older versions. Flipped bits of code and addresses are not found in these."""
        data = damage.remove_sum(read(self.compile("convnet", "--quiet")))
        self.run_model(self.write("older.so", data))
        self.check_all(damage.cuts(data, 100), RUN, "LIBRARY", "--runs=1", least=1)
        self.check_all(damage.flips(data, 400, structures_only=True), RUN, "LIBRARY", "--info", least=0.5)

    def test_code_may_end_where_the_next_segment_begins(self):
        data = read(self.compile("convnet", "--quiet"))
        self.run_model(self.write("full.so", damage.lengthen_code(data)))

    def test_a_cut_weights_file_is_refused(self):
        library = self.compile("convnet", "--quiet", "--weights-in=file")
        weights = self.path("libconvnet.weights")
        data = read(weights)
        for damaged in damage.cuts(data, 50):
            with open(weights, "wb") as file:
                file.write(damaged)
            self.assertRegex(self.run_model(library, status=2), rf"^nacre-run: error: '{re.escape(weights)}': the weights file must have {len(data)} bytes, but has "
                             rf"{len(damaged)}: it is incomplete; copy or download it again; --weights-file names another one\n$")

    def test_libraries_of_other_programs(self):
        """A linker of another project makes no checksum; nobody confuses its libraries with damaged ones."""
        with open(self.path("own.c"), "w", encoding="utf-8") as file:
            file.write("int answer(void) { return 42; }\n")
        own = self.path("libown.so")
        self.call(os.environ.get("CC", "cc"), "-shared", "-fPIC", self.path("own.c"), "-o", own)
        said = f"nacre-run: error: '{own}' must be a .so made by nacre-compile, but exports no nacre_model_<name>\n"
        self.assertEqual(self.run_model(own, status=2), said)


if __name__ == "__main__":
    unittest.main()
