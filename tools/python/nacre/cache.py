# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps compiled libraries, so that compile() with the same model, options and compiler takes milliseconds.

How:  1. The key is a digest of the compiler, the options, and the contents of all files that it reads (sources.py).
      2. An entry is a folder with that name: library, C header, and a description. It is built aside and renamed, so that it is whole.
      3. Processes that want the same entry wait for the one that builds it. A model in use locks its entry, which is not removed then.
      4. After a new entry is stored, the ones that were not used for the longest time are removed until all fit into LIMIT.
"""
from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import logging
import os
import shutil
import tempfile
import time
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Union

from .errors import CompileError, OptionError

log = logging.getLogger("nacre")

#: Bytes that all entries may take together.
LIMIT = 2 << 30
#: Seconds after which what an interrupted process left is removed.
_LEFTOVER = 86400
DESCRIPTION = "entry.json"
_PAUSE = 0.05  # Seconds between two tries to get a lock.


def cache_folder() -> Optional[str]:
    """Returns the folder of the cache of compile(), or None if it is switched off.

    It is NACRE_CACHE, if that variable is set (`off` switches the cache off); else `nacre` in XDG_CACHE_HOME; else ~/.cache/nacre.
    """
    chosen = os.environ.get("NACRE_CACHE", "")
    if chosen:
        return None if chosen == "off" else os.path.abspath(chosen)
    home = os.environ.get("XDG_CACHE_HOME", "")
    return os.path.join(home if os.path.isabs(home) else os.path.expanduser("~/.cache"), "nacre")


def clear_cache() -> int:
    """Removes all libraries that are not in use, and all kernels, from the cache of compile(). Returns how many bytes that freed."""
    folder = cache_folder()
    return Cache(folder).clear() if folder and os.path.isdir(folder) else 0


class _Listed(NamedTuple):
    path: str
    size: int
    used: float


class CachedLibrary(NamedTuple):
    """A library in the cache."""

    path: str
    description: Dict[str, Any]
    lock: int  #: A file descriptor: the entry stays as long as it is open.


class Cache:
    """A folder of compiled libraries. Several processes may use it at the same time."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.digests = os.path.join(folder, "digests")
        self.kernels = os.path.join(folder, "kernels")  #: nacre-compile keeps kernels there (--kernel-cache).
        self._entries = os.path.join(folder, "compiled")

    def prepare(self) -> None:
        """Creates the folder, only for this user: what it holds is run."""
        for path in (self.folder, self._entries):
            os.makedirs(path, mode=0o700, exist_ok=True)
        probe = _lock(os.path.join(self.folder, "lock"), fcntl.LOCK_SH, os.O_RDWR | os.O_CREAT)  # Some file systems have no locks.
        if probe is not None:
            os.close(probe)
        if not os.access(self._entries, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), self._entries)

    def new_folder(self) -> str:
        """Returns a folder to build an entry in."""
        return tempfile.mkdtemp(prefix="new-", dir=self._entries)

    # --- Entries ----------------------------------------------------------------------------------------------------

    def find(self, key: str) -> Optional[CachedLibrary]:
        """Returns the library of a key. An entry whose files are not whole, as after a power failure, does not count."""
        entry = os.path.join(self._entries, key)
        try:
            with open(os.path.join(entry, DESCRIPTION), encoding="utf-8") as file:
                description = json.load(file)
            if any(os.path.getsize(os.path.join(entry, name)) != size for name, size in description["files"].items()):
                return None
            path = os.path.join(entry, description["library"])
            lock = _lock(path, fcntl.LOCK_SH)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        if lock is None:
            return None
        with contextlib.suppress(OSError):
            os.utime(entry)
        return CachedLibrary(path, description, lock)

    def store(self, key: str, built: str, description: Dict[str, Any]) -> Optional[CachedLibrary]:
        """Makes the folder `built` the entry of a key. Returns None if that is not possible; then `built` stays."""
        sizes = {name: os.path.getsize(os.path.join(built, name)) for name in os.listdir(built)}
        if sum(sizes.values()) > LIMIT:
            return None
        with open(os.path.join(built, DESCRIPTION), "w", encoding="utf-8") as file:
            json.dump({**description, "files": sizes}, file)
        entry = os.path.join(self._entries, key)
        if os.path.isdir(entry):  # It is not whole, or find() would have found it.
            self._remove(entry)
        lock = _lock(os.path.join(built, description["library"]), fcntl.LOCK_SH)
        assert lock is not None, "only this call knows the folder"
        try:
            os.rename(built, entry)
        except OSError:
            os.close(lock)
            return None
        self.shrink(LIMIT)
        return CachedLibrary(os.path.join(entry, description["library"]), description, lock)

    @contextlib.contextmanager
    def building(self, key: str, timeout: Optional[float]) -> Iterator[None]:
        """Waits until no other process or thread builds the entry of this key."""
        path = os.path.join(self._entries, f"{key}.lock")
        end = None if timeout is None else time.monotonic() + timeout
        lock = _lock(path, fcntl.LOCK_EX, os.O_RDWR | os.O_CREAT)
        while lock is None:
            if end is not None and time.monotonic() > end:
                raise CompileError(f"another process compiles the same model, for more than {timeout} s; wait for it, or pass cache=False")
            time.sleep(_PAUSE)
            lock = _lock(path, fcntl.LOCK_EX, os.O_RDWR | os.O_CREAT)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.remove(path)  # A process that has opened it finds that the path is another file now.
            os.close(lock)

    def shrink(self, limit: int) -> int:
        """Removes the entries that were not used for the longest time, until the others take at most `limit` bytes, and files
        that interrupted processes left. Returns how many bytes that freed."""
        entries = sorted(self._listed(), key=lambda entry: entry.used)
        total, freed = sum(entry.size for entry in entries), 0
        for entry in entries:
            is_leftover = os.path.basename(entry.path).startswith(("new-", "old-"))
            is_removed = time.time() - entry.used > _LEFTOVER if is_leftover else total - freed > limit
            if is_removed and self._remove(entry.path):
                freed += entry.size
        if limit == 0:
            shutil.rmtree(self.digests, ignore_errors=True)
        return freed

    def clear(self) -> int:
        """Removes all libraries that are not in use, and all kernels. Returns how many bytes that freed."""
        freed = 0
        with contextlib.suppress(FileNotFoundError), os.scandir(self.kernels) as files:
            freed = sum(file.stat().st_size for file in files)
        shutil.rmtree(self.kernels, ignore_errors=True)
        return freed + (self.shrink(0) if os.path.isdir(self._entries) else 0)

    def _listed(self) -> List[_Listed]:
        found = []
        with os.scandir(self._entries) as folders:
            for folder in folders:
                with contextlib.suppress(OSError):  # Removed by another process.
                    if folder.is_dir(follow_symlinks=False):
                        size = sum(file.stat().st_size for file in os.scandir(folder.path))
                        found.append(_Listed(folder.path, size, folder.stat().st_mtime))
                    elif folder.name.endswith(".lock") and time.time() - folder.stat().st_mtime > _LEFTOVER:
                        self._remove_lock(folder.path)
        return found

    @staticmethod
    def _remove_lock(path: str) -> None:
        """Removes the lock of a process that was killed."""
        lock = _lock(path, fcntl.LOCK_EX, os.O_RDWR)
        if lock is not None:
            os.remove(path)
            os.close(lock)

    def _remove(self, entry: str) -> bool:
        """Removes an entry, unless it is in use."""
        lock = None
        try:
            with open(os.path.join(entry, DESCRIPTION), encoding="utf-8") as file:
                path = os.path.join(entry, json.load(file)["library"])
            lock = _lock(path, fcntl.LOCK_EX, os.O_RDWR)  # Until the entry has another name.
            if lock is None and os.path.exists(path):
                return False
        except (OSError, ValueError, KeyError, TypeError):
            pass  # Not whole, so that no model uses it.
        aside = tempfile.mkdtemp(prefix="old-", dir=self._entries)
        try:
            os.rename(entry, aside)
        except OSError:  # Another process has removed it.
            return False
        finally:
            if lock is not None:
                os.close(lock)
            shutil.rmtree(aside, ignore_errors=True)
        return True


def _lock(path: str, kind: int, flags: int = os.O_RDONLY) -> Optional[int]:
    """Locks a file and returns its descriptor; None if another holds it, or if the path has become another file."""
    descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.stat(path)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def open_cache(cache: Union[bool, str, "os.PathLike[str]"]) -> Optional[Cache]:
    """Returns the cache for an argument `cache` of compile(), or None without a cache."""
    is_named = not isinstance(cache, bool)
    folder = os.path.abspath(os.fspath(cache)) if not isinstance(cache, bool) else cache_folder() if cache else None
    if folder is None:
        return None
    opened = Cache(folder)
    try:
        opened.prepare()
    except OSError as error:
        if is_named or os.environ.get("NACRE_CACHE"):
            raise OptionError(f"the cache '{folder}' cannot be written: {error.strerror}; choose another folder, or pass cache=False") from None
        log.info("no cache: '%s' cannot be written: %s", folder, error.strerror)
        return None
    return opened


def lock_entry(path: str) -> Optional[int]:
    """Keeps the entry of a library as long as the returned descriptor is open. Returns None for a library that is not in a cache."""
    if not os.path.exists(os.path.join(os.path.dirname(path), DESCRIPTION)):
        return None
    with contextlib.suppress(OSError):
        return _lock(path, fcntl.LOCK_SH)
    return None
