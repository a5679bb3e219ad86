#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nacre-run ends a run that would never end: by --max-iterations, and by Ctrl-C. usage: interrupt_test.py nacre-run LIBRARY"""
import os
import signal
import subprocess
import sys
import time
import unittest

PROGRAM, LIBRARY = sys.argv[1:3]
SECONDS = float(os.environ.get("NACRE_COMMAND_SECONDS", "1200"))


def has_handler(process):
    """Whether the program listens for Ctrl-C already."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        caught = next(line.split()[1] for line in file if line.startswith("SigCgt:"))
    return int(caught, 16) >> (signal.SIGINT - 1) & 1


class InterruptTest(unittest.TestCase):
    def test_a_limit_of_iterations(self):
        done = subprocess.run([PROGRAM, LIBRARY, "--max-iterations=1000"], stderr=subprocess.PIPE, text=True, check=False, timeout=SECONDS)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("exceeded max_iterations (1000) in the loop of 'loop_1' (too many iterations: ", done.stderr)

    def interrupt(self, *options, number=signal.SIGINT, pause=0.5):
        """What the program said when it was interrupted in its endless run."""
        # A shell that starts a test in the background lets it ignore Ctrl-C.
        with subprocess.Popen([PROGRAM, LIBRARY, *options], stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
            while process.poll() is None and not has_handler(process):
                time.sleep(0.01)
            time.sleep(pause)  # After the usual one it reads no file; it is in the run.
            process.send_signal(number)
            said = process.communicate(timeout=SECONDS)[1]
            self.assertEqual(process.returncode, 130, said)
            return said

    def test_ctrl_c(self):
        for options in ((), ("--threads=4",), ("--benchmark",)):
            self.assertIn("interrupted", self.interrupt(*options))

    def test_a_signal_as_the_run_begins(self):
        for attempt in range(20):
            self.assertIn("interrupted", self.interrupt(number=signal.SIGTERM, pause=attempt * 0.0001))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
