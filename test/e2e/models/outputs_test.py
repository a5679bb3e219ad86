#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that programs write: whole where several write one, under a link, in place of what is no file, and after an error.

What: dialects/OutputFile.h as its users see it; states are saved by the runtime, test/runtime/state.
"""
import os
import signal
import stat
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import growing_models  # after nacre, which says where its modules are

WRITERS = 6
NOBODY = 65534


class OutputsTest(nacre.NacreTest):
    parts = 2

    def setUp(self):
        super().setUp()
        self.place = self.path("place")
        os.mkdir(self.place)
        self.output = os.path.join(self.place, "libconvnet.so")

    def tool(self, name):
        return os.path.join(nacre.BIN, name)

    def report(self):
        """What nacre-report, which is quick, makes a page of."""
        path = self.path("report.json")
        if not os.path.exists(path):
            self.compile("convnet", f"--report={path}", "--quiet")
        return path

    def write_page(self, path, status=0, **options):
        return self.call(self.tool("nacre-report"), self.report(), "-o", path, status=status, **options)

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    def test_many_compilers_write_one_library(self):
        alone = self.content(self.compile("convnet", "--quiet", f"--report={self.path('alone.json')}"))
        report = os.path.join(self.place, "report.json")
        command = [self.tool("nacre-compile"), self.model("convnet"), "-o", self.output, f"--report={report}"]
        writers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(WRITERS)]
        for writer in writers:
            said = writer.communicate(timeout=nacre.COMMAND_SECONDS)[0]
            self.assertEqual(writer.returncode, 0, said)
        self.assertEqual(self.content(self.output), alone)
        self.assertEqual(sorted(os.listdir(self.place)), ["convnet.h", "libconvnet.so", "report.json"])
        self.run_model(self.output)

    def test_a_link_stays(self):
        real, link = os.path.join(self.place, "real.html"), os.path.join(self.place, "link.html")
        os.symlink("real.html", link)
        for _ in range(2):  # it leads to nothing first
            self.write_page(link)
            self.assertTrue(os.path.islink(link))
            self.assertIn(b"</html>", self.content(real))
            self.assertFalse(os.path.islink(real))
        self.assertEqual(sorted(os.listdir(self.place)), ["link.html", "real.html"])
        os.symlink("real.so", self.output)
        self.compile("relu", "--quiet", output=self.output)
        self.assertTrue(os.path.islink(self.output))
        self.run_model(os.path.join(self.place, "real.so"))

    def test_permissions_stay(self):
        page = os.path.join(self.place, "page.html")
        before = os.umask(0o027)
        self.addCleanup(os.umask, before)
        self.write_page(page)
        self.compile("relu", "--quiet", output=self.output)
        self.assertEqual([stat.S_IMODE(os.stat(path).st_mode) for path in (page, self.output)], [0o640, 0o750])
        for mode in (0o600, 0o666):
            for path in (page, self.output):
                os.chmod(path, mode)
            self.write_page(page)
            self.compile("relu", "--quiet", output=self.output)
            self.assertEqual([stat.S_IMODE(os.stat(path).st_mode) for path in (page, self.output)], [mode, mode])

    def test_what_is_no_file_is_refused_at_once(self):
        pipe, folder = os.path.join(self.place, "pipe"), os.path.join(self.place, "folder")
        os.mkfifo(pipe)
        os.mkdir(folder)
        there = sorted(os.listdir(self.place))
        library = self.compile("relu", "--quiet")
        outputs = self.path("outputs")
        os.mkdir(outputs)
        os.mkfifo(os.path.join(outputs, "y.npy"))
        for path in (pipe, folder, "/dev/null"):
            said = self.compile("relu", output=path, status=1)
            self.assertRegex(said, f"cannot write '{path}': it is (a folder|not a regular file)\n")
        self.assertIn("it is a folder", self.write_page(folder, status=2))
        # Where nobody reads a pipe, that is said, and not waited for.
        self.assertIn(f"cannot write '{pipe}': ", self.write_page(pipe, status=2))
        self.assertIn(f"cannot write '{pipe}': ", self.compile("relu", "--compile-to=graph", output=pipe, status=1))
        self.assertIn(f"cannot write '{pipe}': ", self.run_model(library, f"--profile={pipe}", status=2))
        self.assertIn("cannot write '", self.run_model(library, f"--output={outputs}", status=2))
        self.assertEqual(sorted(os.listdir(self.place)), there)

    def test_terminals_and_pipes_are_written_to(self):
        self.write_page("/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        said = self.call(self.tool("nacre-compile"), self.model("relu"), "--compile-to=import", "-o", "/dev/stdout")
        self.assertIn("nn.", said)
        self.assertTrue(os.path.lexists("/dev/stdout"))
        if os.path.exists("/dev/full"):
            self.assertIn("No space left", self.write_page("/dev/full", status=2))

    def test_a_compiler_that_is_ended_leaves_nothing(self):
        """Of a text, which is begun before the model is compiled."""
        model = self.path("chain.onnx")
        growing_models.chain(20000).save(model)
        for option in ("--emit=asm", "--compile-to=schedule"):
            with self.subTest(option):
                compiler = subprocess.Popen([self.tool("nacre-compile"), model, "-o", os.path.join(self.place, "chain"), "--quiet", option])
                while compiler.poll() is None and not os.listdir(self.place):
                    time.sleep(0.001)
                compiler.terminate()
                self.assertEqual(compiler.wait(), -signal.SIGTERM)
                self.assertEqual(os.listdir(self.place), [])

    def test_an_error_leaves_the_old_file(self):
        page = os.path.join(self.place, "page.html")
        self.write_page(page)
        old = self.content(page)
        if os.geteuid() != 0:
            who = {}
        else:
            who = {"user": NOBODY, "group": NOBODY}
            os.chmod(self.folder, 0o755)
            try:
                subprocess.run([self.tool("nacre-report"), "--version"], stdout=subprocess.DEVNULL, check=True, **who)
            except (OSError, subprocess.CalledProcessError):
                self.skipTest("no other user can run programs here, and nothing is read-only to root")
        os.chmod(self.place, 0o555)
        self.assertIn("Permission denied", self.write_page(page, status=2, **who))
        os.chmod(self.place, 0o755)
        self.assertEqual((self.content(page), os.listdir(self.place)), (old, ["page.html"]))


if __name__ == "__main__":
    unittest.main()
