# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows the progress of long calls: in a notebook, on a terminal, or not at all."""
from __future__ import annotations

import html
import importlib
import sys
import time
from typing import Any, List, Optional

_PAUSE = 0.2  # Seconds between two changes, which readers can follow.
_LINES = 12  # Of those that stay, the latest ones.


class Display:
    """Shows a text that changes, and lines that stay. This one shows nothing."""

    is_shown = False

    def __enter__(self) -> Display:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def show(self, text: str, fraction: Optional[float] = None) -> None:
        """Shows the text instead of the previous one; `fraction` is how much is done, from 0 to 1."""

    def line(self, text: str) -> None:
        """Adds a line that stays."""

    def close(self) -> None:
        """Removes the text; lines stay."""


class _Changing(Display):
    """Shows texts after a delay, and not too often."""

    is_shown = True

    def __init__(self, delay: float) -> None:
        self._next = time.monotonic() + delay

    def is_time(self) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + _PAUSE
        return True


class _Terminal(_Changing):
    """Writes to the standard error; the text is replaced in place."""

    def __init__(self, delay: float) -> None:
        super().__init__(delay)
        self._has_text = False

    def show(self, text: str, fraction: Optional[float] = None) -> None:
        if self.is_time():
            self._write(f"\r\x1b[K{text if fraction is None else f'{100 * fraction:3.0f} % {text}'}")
            self._has_text = True

    def line(self, text: str) -> None:
        self.close()
        self._write(text + "\n")

    def close(self) -> None:
        if self._has_text:
            self._write("\r\x1b[K")
        self._has_text = False

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


class _Lines(Display):
    """Writes only lines, for files."""

    def line(self, text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


class _Notebook(_Changing):
    """Shows one output of the cell, which is replaced."""

    def __init__(self, delay: float) -> None:
        super().__init__(delay)
        self._handle: Any = None
        self._lines: List[str] = []

    def show(self, text: str, fraction: Optional[float] = None) -> None:
        if self.is_time():
            bar = "" if fraction is None else f'<progress value="{fraction:.3f}" max="1"></progress> '
            self._put(f"<div>{bar}{html.escape(text)}</div>")

    def line(self, text: str) -> None:
        self._lines = [*self._lines[1 - _LINES:], text]
        if self.is_time():
            self._put("")

    def close(self) -> None:
        if self._handle is not None or self._lines:
            self._put("")

    def _put(self, below: str) -> None:
        shown = importlib.import_module("IPython.display")
        lines = "".join(html.escape(line) + "\n" for line in self._lines)
        content = shown.HTML((f"<pre>{lines}</pre>" if lines else "") + below)
        if self._handle is None:
            self._handle = shown.display(content, display_id=True)
        else:
            self._handle.update(content)


def in_notebook() -> bool:
    """Returns whether a kernel of Jupyter runs this process."""
    ipython = sys.modules.get("IPython")  # A notebook has imported it.
    shell = ipython.get_ipython() if ipython and hasattr(ipython, "get_ipython") else None
    return getattr(shell, "kernel", None) is not None


def make_display(progress: Optional[bool], delay: float = 0) -> Display:
    """Returns the display for an argument `progress`: True and False decide, None shows it in notebooks and on terminals. Nothing is
    shown in the first `delay` seconds."""
    if progress is False:
        return Display()
    if in_notebook():
        return _Notebook(delay)
    if sys.stderr is not None and sys.stderr.isatty():
        return _Terminal(delay)
    return _Lines() if progress else Display()
