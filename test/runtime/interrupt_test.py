#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nacre-run ends a run that would never end: by --max-iterations, and by Ctrl-C. usage: interrupt_test.py nacre-run LIBRARY"""
import signal
import subprocess
import sys
import time
import unittest

PROGRAM, LIBRARY = sys.argv[1:3]


def has_handler(process):
    """Whether the program listens for Ctrl-C already."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        caught = next(line.split()[1] for line in file if line.startswith("SigCgt:"))
    return int(caught, 16) >> (signal.SIGINT - 1) & 1


class InterruptTest(unittest.TestCase):
    def test_a_limit_of_iterations(self):
        done = subprocess.run([PROGRAM, LIBRARY, "--max-iterations=1000"], stderr=subprocess.PIPE, text=True, check=False, timeout=120)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("within max_iterations, 1000 in all, but that of 'loop_1' goes on (too many iterations: ", done.stderr)

    def interrupt(self, *options):
        """What the program said when it was interrupted in its endless run."""
        # A shell that starts a test in the background lets it ignore Ctrl-C.
        with subprocess.Popen([PROGRAM, LIBRARY, *options], stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
            while process.poll() is None and not has_handler(process):
                time.sleep(0.01)
            time.sleep(0.5)  # From here it reads no file; it is in the run.
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=120)[1]
            self.assertEqual(process.returncode, 130, said)
            return said

    def test_ctrl_c(self):
        for options in ((), ("--threads=4",), ("--benchmark",)):
            self.assertIn("interrupted", self.interrupt(*options))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
