#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resident programs: each command line begins anew, and its crash or hang is its own.

How:  a command line waits for a response file that is a pipe, so that it can be killed while it runs.
"""
import argparse
import os
import signal
import tempfile
import threading
import unittest

from resident import Resident

OPTIONS = None


class ResidentTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(self.pipe)

    def start(self, program="compile", seconds=600):
        resident = Resident(os.path.join(OPTIONS.bin, f"nacre-resident-{program}"), seconds, self.folder, None)
        self.addCleanup(resident.close)
        return resident

    def test_options_and_output_of_the_command_line_before_are_forgotten(self):
        resident = self.start()
        status, said = resident.run(["--list-operators"])
        self.assertEqual((status, "Conv" in said), (0, True), said)
        status, said = resident.run([])
        self.assertEqual((status, "a model must be given" in said, "Conv" in said), (2, True, False), said)

    def test_more_command_lines_than_a_worker_runs(self):
        resident = self.start("eval")
        for number in range(120):
            status, said = resident.run([f"missing{number}.onnx"])
            self.assertEqual((status, f"missing{number}.onnx" in said), (3, True), said)

    def test_a_command_line_that_ends_the_process(self):
        resident = self.start()
        for _ in range(2):
            status, said = resident.run(["--help"])
            self.assertEqual((status, "nacre-compile" in said), (0, True), said)

    def test_a_crash_is_reported_and_the_next_command_line_runs(self):
        resident, outcomes = self.start(), []
        thread = threading.Thread(target=lambda: outcomes.append(resident.run([f"@{self.pipe}"])))
        thread.start()
        with open(self.pipe, "w", encoding="utf-8"):  # once the worker reads it
            with open(f"/proc/{resident.process.pid}/task/{resident.process.pid}/children", encoding="utf-8") as file:
                worker, = file.read().split()
            os.kill(int(worker), signal.SIGSEGV)
            thread.join()
        self.assertEqual(outcomes[0][0], -signal.SIGSEGV, outcomes[0][1])
        self.assertEqual(resident.run(["--list-operators"])[0], 0)

    def test_a_command_line_that_takes_too_long(self):
        resident = self.start(seconds=1)
        self.assertEqual(resident.run([f"@{self.pipe}"])[0], None)
        self.assertEqual(resident.run([])[0], 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[__file__, *rest])
