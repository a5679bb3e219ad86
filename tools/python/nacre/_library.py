# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens the .so of a model.

How:  1. Read the file's ELF header and symbols, so that errors can name a file for another machine or from another program.
      2. Open it, under a temporary name if an older file of that path is still open: the system's loader identifies files by path.
      3. Read the head of the model, and refuse a runtime that is too old for this package.
"""
from __future__ import annotations

import ctypes
import mmap
import os
import struct
import tempfile
import threading
import weakref
from typing import Any, Dict, Optional, Tuple

from . import _native
from .errors import LoadError

_PREFIX = "nacre_model_"
_MACHINES = {183: "arm64", 62: "x86-64"}
_DYNAMIC_SYMBOLS = 11
_dlclose = ctypes.CDLL(None).dlclose
_dlclose.argtypes = [ctypes.c_void_p]

_lock = threading.RLock()  # A collection of garbage, which may close a library, can come while one is being opened.


def _renew_lock() -> None:
    global _lock  # pylint: disable=global-statement
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)  # A thread of the parent may have had it.
_opened: Dict[str, Tuple[Tuple[int, ...], int]] = {}  # Of each path that is open: which file it was, and how often.


def _machine_here() -> int:
    with open("/proc/self/exe", "rb") as program:
        return int(struct.unpack_from("<H", program.read(20), 18)[0])


def _symbol_of(data: mmap.mmap) -> Optional[str]:
    """Returns the symbol that nacre-compile exports, or None."""
    sections, = struct.unpack_from("<Q", data, 0x28)
    count, = struct.unpack_from("<H", data, 0x3C)
    headers = [struct.unpack_from("<IIQQQQII", data, sections + 64 * i) for i in range(count)]
    for _, kind, _, _, offset, size, link, _ in headers:
        if kind != _DYNAMIC_SYMBOLS:
            continue
        strings = headers[link][4]
        for at in range(offset, offset + size, 24):
            name, _, _, section = struct.unpack_from("<IBBH", data, at)
            if section == 0:
                continue
            begin = strings + name
            spelled = data[begin:data.find(b"\0", begin)]
            if spelled.startswith(_PREFIX.encode()):
                return spelled.decode()
    return None


def find_symbol(path: str) -> str:
    """Returns the model's symbol, or raises a LoadError that describes the file."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size < 64:
                raise LoadError(f"'{path}' must be a .so made by nacre-compile, but is not a shared library")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _find_symbol(path, data)
    except OSError as error:
        raise LoadError(f"cannot open '{path}': {error.strerror}") from None


def _find_symbol(path: str, data: mmap.mmap) -> str:
    if data[:5] != b"\x7fELF\x02":
        raise LoadError(f"'{path}' must be a .so made by nacre-compile, but is not a shared library")
    machine, here = struct.unpack_from("<H", data, 18)[0], _machine_here()
    if machine != here:
        raise LoadError(f"'{path}' must be for {_MACHINES.get(here, 'this machine')}, but is for "
                        f"{_MACHINES.get(machine, 'another machine')}; run it there")
    try:
        symbol = _symbol_of(data)
    except (struct.error, IndexError, OverflowError, UnicodeDecodeError):
        raise LoadError(f"'{path}' must be a .so made by nacre-compile, but is damaged") from None
    if symbol is None:
        raise LoadError(f"'{path}' must be a .so made by nacre-compile, but exports no {_PREFIX}<name>")
    return symbol


class Library:
    """An open .so. It is closed when nothing uses it any more."""

    def __init__(self, path: str) -> None:
        self.path = os.path.realpath(path)
        symbol = find_symbol(self.path)
        library = _open(self.path)
        self._close = weakref.finalize(self, _shut, self.path, library._handle)
        self._close.atexit = False  # The system does it, when no thread runs in it any more.
        self.address = ctypes.addressof(_native.ModelHead.in_dll(library, symbol))
        self.functions: Any = _native.ModelHead.from_address(self.address).functions.contents
        version = self.functions.api_version
        if version < _native.OLDEST_VERSION:
            raise LoadError(f"'{path}' was compiled by a Nacre older than 0.1 (its interface is {version}, "
                            f"{_native.OLDEST_VERSION} is the oldest that this package supports); compile the model again")

    def asked_version(self, options: Any) -> int:
        """Returns the version to request from the model's runtime: at most its own, unless options need a newer one."""
        version = self.functions.api_version
        return int(min(version, _native.API_VERSION) if version >= (7 if options.max_iterations else _native.OLDEST_VERSION) else _native.API_VERSION)

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


def _shut(path: str, handle: int) -> None:
    with _lock:
        _dlclose(handle)
        known, count = _opened[path]
        if count > 1:
            _opened[path] = (known, count - 1)
        else:
            del _opened[path]
