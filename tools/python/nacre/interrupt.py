# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Handles Ctrl-C during a run.

Why:  Python raises KeyboardInterrupt in the main thread between two steps of the interpreter. A run is a single step, however
      long it takes.
How:  The interpreter's handler writes the signal's number into a pipe at once (signal.set_wakeup_fd). A thread reads it and
      cancels the run. Afterwards, the main thread raises KeyboardInterrupt. Raising earlier would not work: a run may call
      Python to log, and exceptions of that call are lost.
"""
from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
from typing import Callable, Iterator, Optional

_PAUSE = 0.01  # Seconds between two tries to cancel a run that has not begun yet.


class _Watcher:
    """The thread, its pipe, and the run in progress."""

    def __init__(self) -> None:
        self._read_end, self.write_end = os.pipe()
        for end in (self._read_end, self.write_end):
            os.set_inheritable(end, False)
            os.set_blocking(end, False)
        self._changed = threading.Condition()
        self._cancel: Optional[Callable[[], object]] = None
        self._former: Optional[int] = None  # Who is woken when no run is in progress; None before it is known.
        self._noted = False
        self._runner = 0  # The thread that runs.
        threading.Thread(target=self._watch, name="nacre-interrupt", daemon=True).start()

    def begin(self, cancel: Callable[[], object]) -> None:
        """Begins a run; end() must follow, even after an exception."""
        self._noted, self._former, self._runner = False, None, threading.get_ident()
        with self._changed:
            late = self._read()  # What came too late for the run before.
            self._cancel = cancel
            self._former = signal.set_wakeup_fd(self.write_end, warn_on_full_buffer=False)
            self._pass_on(late)
        signal.signal(signal.SIGINT, self._note)  # Until now KeyboardInterrupt is raised at once.

    def end(self) -> bool:
        """Ends the run and returns whether SIGINT arrived."""
        with self._changed:
            self._cancel = None
            self._changed.notify()
        if self._former is not None:
            signal.set_wakeup_fd(self._former)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return self._noted

    def forget(self) -> None:
        """Resets the state in a child process, which does not have the watching thread."""
        if self._cancel and self._runner == threading.get_ident():
            return  # Forked inside of a run, whose end() follows.
        if self._cancel:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGINT, signal.default_int_handler)
        os.close(self._read_end)
        os.close(self.write_end)

    def _note(self, *_: object) -> None:
        self._noted = True

    def _read(self) -> bytes:
        with contextlib.suppress(BlockingIOError):
            return os.read(self._read_end, 256)
        return b""

    def _pass_on(self, numbers: bytes) -> None:
        """Forwards signals to other readers, such as asyncio."""
        if numbers and self._former is not None and self._former >= 0:
            with contextlib.suppress(OSError):
                os.write(self._former, numbers)

    def _watch(self) -> None:
        while True:
            select.select([self._read_end], [], [])
            with self._changed:
                numbers = self._read()
                self._pass_on(numbers)
                cancel = self._cancel if signal.SIGINT in numbers else None
                while cancel and self._cancel is cancel:
                    with contextlib.suppress(Exception):  # The thread goes on, whatever a run says of it.
                        cancel()
                    self._changed.wait(_PAUSE)


_watcher: Optional[_Watcher] = None


def _forget_watcher() -> None:
    global _watcher  # pylint: disable=global-statement
    if _watcher:
        _watcher.forget()
    _watcher = None


os.register_at_fork(after_in_child=_forget_watcher)  # Its thread is the parent's.


@contextlib.contextmanager
def cancelled_by_interrupt(cancel: Callable[[], object]) -> Iterator[None]:
    """Calls `cancel` when SIGINT arrives, if this is the main thread, where Python would raise KeyboardInterrupt."""
    global _watcher  # pylint: disable=global-statement
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    if _watcher is None:
        _watcher = _Watcher()
    watcher = _watcher
    try:
        watcher.begin(cancel)
        yield
    finally:
        if watcher.end():
            raise KeyboardInterrupt
