# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs command lines of nacre-compile and nacre-eval in processes that stay (Resident.h)."""
import json
import os
import signal
import subprocess
import tempfile
import threading


class Resident:
    """One process. Its standard error is a file, which has what the latest command line printed."""

    def __init__(self, program, seconds, folder, limit_memory):
        self.said = tempfile.TemporaryFile(dir=folder)  # pylint: disable=consider-using-with
        # Appended to, so that it can be emptied.
        output = os.open(f"/proc/self/fd/{self.said.fileno()}", os.O_WRONLY | os.O_APPEND)
        self.process = subprocess.Popen([program, str(seconds)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,  # pylint: disable=consider-using-with
                                        stderr=output, preexec_fn=limit_memory, cwd=folder)
        os.close(output)

    def run(self, arguments):
        """The exit status of a command line (None after the time limit), and what it said."""
        self.process.stdin.write(json.dumps(arguments).encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        self.said.seek(0)
        said = self.said.read().decode(errors="replace")
        if not answer:
            raise RuntimeError(f"a resident program ended: {said}")
        status = int(answer)
        return None if status == -signal.SIGALRM else status, said

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        status = self.process.wait()
        self.said.close()
        if status != 0:
            raise RuntimeError(f"a resident program ended with {status}")


class Residents:
    """Those of all threads: each has its own, which begins with its first command line."""

    def __init__(self, folder_of_programs, seconds, work, limit_memory):
        self.folder_of_programs, self.seconds, self.work, self.limit_memory = folder_of_programs, max(1, round(seconds)), work, limit_memory
        self.own, self.lock, self.all = threading.local(), threading.Lock(), []

    def run(self, name, arguments):
        """Runs `nacre-<name>` with these arguments."""
        programs = self.own.__dict__.setdefault("programs", {})
        if name not in programs:
            programs[name] = Resident(os.path.join(self.folder_of_programs, f"nacre-resident-{name}"), self.seconds, self.work,
                                      self.limit_memory)
            with self.lock:
                self.all.append(programs[name])
        return programs[name].run(arguments)

    def close(self):
        while self.all:
            self.all.pop().close()
