# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs nacre-compile: its messages become a log or an exception, its progress is shown, and Ctrl-C ends it.

How:  A terminal is the only place that the compiler writes its progress to, so its standard error is a pseudoterminal if the progress
      is shown. Each text of the progress begins with a sign that clears the line.
"""
from __future__ import annotations

import contextlib
import logging
import os
import re
import selectors
import signal
import subprocess
import threading
import time
import tty
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

from .errors import CompileError, Diagnostic, OptionError, read_diagnostics
from .progress import Display
from .wording import in_python

log = logging.getLogger("nacre")

_CLEAR = b"\r\x1b[K"
# A line of the dynamic linker: "libLLVM.so.22.1 => /usr/lib/libLLVM.so.22.1 (0x7f...)".
_LOADED = re.compile(r"^\s*(?:\S+ => )?(/.+) \(0x[0-9a-f]+\)$", re.MULTILINE)


class Said(NamedTuple):
    """The output of a successful compilation."""

    summary: List[str]
    diagnostics: List[Diagnostic]

    def log(self) -> None:
        for line in self.summary:
            log.info("%s", line)
        for diagnostic in self.diagnostics:
            log.log(logging.WARNING if diagnostic.severity == "warning" else logging.INFO, "%s", diagnostic)


@contextlib.contextmanager
def _interrupts_later() -> Iterator[None]:
    """Delays Ctrl-C: until Popen returns, nothing could end the new process."""
    former = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(former):
        yield
        return
    late: List[Any] = []
    signal.signal(signal.SIGINT, lambda *arguments: late.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
        if late:
            former(*late[0])


class _Messages:
    """The standard error of the compiler: its progress is shown, its messages are kept."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._rest = b""  # What follows the last sign or line.
        self._is_progress = False
        self.messages = b""

    def add(self, data: bytes) -> None:
        *whole, self._rest = (self._rest + data).split(_CLEAR)
        for part in whole:
            self._keep(part)
            self._is_progress = True
        end = self._rest.rfind(b"\n") + 1
        if end:
            self._keep(self._rest[:end])
            self._rest, self._is_progress = self._rest[end:], False
        elif self._is_progress and self._rest:
            self._display.show(self._rest.decode("utf-8", "replace"))

    def end(self) -> str:
        self._keep(self._rest)
        return self.messages.decode("utf-8", "replace")

    def _keep(self, part: bytes) -> None:
        if b"\n" in part or not self._is_progress:
            self.messages += part


def _streams(display: Display) -> Tuple[int, int]:
    """Returns both ends of the compiler's standard error."""
    if display.is_shown:
        with contextlib.suppress(OSError):  # A container may have no terminals; then nothing is shown.
            read_end, write_end = os.openpty()
            tty.setraw(write_end)  # Lines end as they are written.
            return read_end, write_end
    return os.pipe()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # A pseudoterminal that nothing writes to any more.
        return b""


def _communicate(process: "subprocess.Popen[bytes]", errors: int, display: Display, timeout: Optional[float]) -> Tuple[str, str]:
    """Returns the standard output and the messages."""
    assert process.stdout
    summary, messages = b"", _Messages(display)
    end = None if timeout is None else time.monotonic() + timeout
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        selector.register(errors, selectors.EVENT_READ)
        while selector.get_map():
            left = None if end is None else end - time.monotonic()
            ready = selector.select(left) if left is None or left > 0 else []
            if not ready:
                raise subprocess.TimeoutExpired(process.args, timeout or 0)
            for key, _ in ready:
                data = _read(key.fd)
                if not data:
                    selector.unregister(key.fileobj)
                elif key.fd == errors:
                    messages.add(data)
                else:
                    summary += data
    process.wait(None if end is None else max(0, end - time.monotonic()))
    return summary.decode("utf-8", "replace"), messages.end()


def run_compiler(command: List[str], display: Display, timeout: Optional[float]) -> Said:
    """Runs the compiler and returns its output, or raises a CompileError."""
    log.debug("%s", " ".join(command))
    process: Optional["subprocess.Popen[bytes]"] = None
    errors, theirs = _streams(display)
    try:
        with _interrupts_later():
            try:
                process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, stdin=subprocess.DEVNULL)
            finally:
                os.close(theirs)
        summary, said = _communicate(process, errors, display, timeout)
    except subprocess.TimeoutExpired:
        raise CompileError(f"the compiler took more than {timeout} s and was killed", status=-signal.SIGKILL) from None
    except OSError as error:
        raise CompileError(f"cannot start '{command[0]}': {error.strerror}") from None
    finally:  # KeyboardInterrupt, above all.
        display.close()
        os.close(errors)
        if process is not None:
            with process:
                process.kill()  # One that has ended stays as it is.
    worded = in_python(said)
    diagnostics = read_diagnostics(worded)
    if process.returncode == 0:
        return Said(summary.splitlines(), diagnostics)
    raise _failure(process.returncode, worded, diagnostics, summary + said)


def version_of(program: str, timeout: Optional[float]) -> str:
    """Returns what a script says of its version: the file does not change when the program that it calls is upgraded."""
    return _asked(program, timeout) if _is_script(program) else ""


def libraries_of(program: str, timeout: Optional[float]) -> List[str]:
    """Returns the paths of the shared libraries that a program loads: it does not change when LLVM is upgraded. The dynamic linker lists
    them instead of starting the program."""
    if _is_script(program):
        return []
    said = _asked(program, timeout, LD_TRACE_LOADED_OBJECTS="1")
    return sorted(match[1] for match in _LOADED.finditer(said))


def _is_script(program: str) -> bool:
    with open(program, "rb") as file:
        return file.read(2) == b"#!"


def _asked(program: str, timeout: Optional[float], **variables: str) -> str:
    try:
        done = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=timeout,
                              check=False, env={**os.environ, **variables})
    except subprocess.TimeoutExpired:
        raise CompileError(f"the compiler took more than {timeout} s and was killed", status=-signal.SIGKILL) from None
    return done.stdout.decode("utf-8", "replace")


def _failure(status: int, said: str, diagnostics: List[Diagnostic], output: str) -> CompileError:
    if status == 2:
        lines = [line.replace("nacre-compile: ", "") for line in said.splitlines() if line]
        return OptionError("\n".join(lines) or "the options are wrong", diagnostics, output, 2)
    if status < 0:
        return CompileError(f"the compiler was killed by {signal.Signals(-status).name}\n{said.strip()}", diagnostics, output, status)
    errors = [str(diagnostic) for diagnostic in diagnostics if diagnostic.severity == "error"]
    return CompileError("\n".join(errors) or output.strip(), diagnostics, output, status)
