# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens the .so of a model.

How:  1. Check the file by the code of all programs (runtime/inspect): the system's loader ends the process if a file is damaged.
      2. Open it, under a temporary name if an older file of that path is still open: the system's loader identifies files by path.
      3. Read the head of the model, and refuse a runtime that is too old for this package.
"""
from __future__ import annotations

import ctypes
import functools
import os
import tempfile
import threading
import weakref
from typing import Any, Dict, Tuple

from . import _native
from .errors import LoadError
from .programs import find_library

_dlclose = ctypes.CDLL(None).dlclose
_dlclose.argtypes = [ctypes.c_void_p]

_lock = threading.RLock()  # A collection of garbage, which may close a library, can come while one is being opened.


def _renew_lock() -> None:
    global _lock  # pylint: disable=global-statement
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)  # A thread of the parent may have had it.
_opened: Dict[str, Tuple[Tuple[int, ...], int]] = {}  # Of each path that is open: which file it was, and how often.


@functools.lru_cache(maxsize=None)
def _check_function() -> Any:
    check = ctypes.CDLL(find_library("check", "libnacre_check.so")).nacre_library_check
    check.argtypes = [ctypes.c_char_p, ctypes.POINTER(_native.LibraryFacts)]
    return check


def find_symbol(path: str) -> str:
    """Returns the model's symbol, or raises a LoadError that describes the file."""
    facts = _native.LibraryFacts()
    verdict = _check_function()(os.fsencode(path), ctypes.byref(facts))
    if verdict == _native.LibraryVerdict.UNREADABLE:
        raise LoadError(f"cannot open '{path}': {os.strerror(facts.system_error)}")
    if verdict:
        advice = "; run it there" if verdict == _native.LibraryVerdict.OTHER_MACHINE else ""
        raise LoadError(f"'{path}' {_native.text(facts.reason)}{advice}")
    if not facts.symbol:
        raise LoadError(f"'{path}' must be a .so made by nacre-compile, but exports no nacre_model_<name>")
    return _native.text(facts.symbol)


class Library:
    """An open .so. It is closed when nothing uses it any more."""

    def __init__(self, path: str) -> None:
        self.path = os.path.realpath(path)
        symbol = find_symbol(self.path)
        library = _open(self.path)
        self._weights = _native.Weights()  # Of a model with a weights file; opened when it is first needed.
        self._close = weakref.finalize(self, _shut, self.path, library._handle, self._weights, library, symbol)
        self._close.atexit = False  # The system does it, when no thread runs in it any more.
        self.address = ctypes.addressof(_native.ModelHead.in_dll(library, symbol))
        self.functions: Any = _native.ModelHead.from_address(self.address).functions.contents
        version = self.functions.api_version
        if version < _native.OLDEST_VERSION:
            raise LoadError(f"'{path}' was compiled by a Nacre older than 0.1 (its interface is {version}, "
                            f"{_native.OLDEST_VERSION} is the oldest that this package supports); compile the model again")

    def asked_version(self, options: Any) -> int:
        """Returns the version to request from the model's runtime: at most its own, unless options need a newer one. Gives the options
        the weights, if they are in a file."""
        self._give_weights(options)
        version = self.functions.api_version
        least = 10 if options.all_entries else 7 if options.max_iterations else _native.OLDEST_VERSION
        return int(min(version, _native.API_VERSION) if version >= least else _native.API_VERSION)

    def _give_weights(self, options: Any) -> None:
        if self.functions.api_version < 8 or not self.functions.weights:
            return
        with _lock:
            if not self._weights.data:
                path = os.path.splitext(self.path)[0] + ".weights"
                reason = ctypes.create_string_buffer(256)
                status = self.functions.weights.contents.open(self.address, os.fsencode(path), ctypes.sizeof(self._weights),
                                                              ctypes.byref(self._weights), ctypes.addressof(reason), len(reason))
                if status:
                    raise LoadError(f"'{path}': {_native.text(reason.value)}")
        options.weights, options.weights_bytes = self._weights.data, self._weights.bytes

    @property
    def state(self) -> Any:
        """Returns the function table for states."""
        return self.functions.state.contents


def _identity(path: str) -> Tuple[int, ...]:
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _open(path: str) -> ctypes.CDLL:
    with _lock:
        now = _identity(path)
        known, count = _opened.get(path, (now, 0))
        try:
            library = _load(path) if known == now else _load_by_another_name(path)
        except OSError as error:
            raise LoadError(f"'{path}' cannot be loaded here: {error}") from None
        _opened[path] = (known, count + 1)
        return library


def _load(name: str) -> ctypes.CDLL:
    return ctypes.CDLL(name, mode=os.RTLD_NOW | os.RTLD_LOCAL)


def _load_by_another_name(path: str) -> ctypes.CDLL:
    """Opens a copy if the path is already open as another file, which the loader would return."""
    with tempfile.TemporaryDirectory(prefix="nacre-") as folder:
        name = os.path.join(folder, os.path.basename(path))
        os.symlink(path, name)
        return _load(name)


def _shut(path: str, handle: int, weights: Any, library: ctypes.CDLL, symbol: str) -> None:
    with _lock:
        if weights.data:
            _native.ModelHead.in_dll(library, symbol).functions.contents.weights.contents.close(weights.data, weights.bytes)
        _dlclose(handle)
        known, count = _opened[path]
        if count > 1:
            _opened[path] = (known, count - 1)
        else:
            del _opened[path]
