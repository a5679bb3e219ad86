# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the files that a compilation reads, and computes digests of their contents.

How:  1. List the model's file, the files that it names or that lie next to it, and the files of options. A model whose files cannot be
         listed with certainty is not cached.
      2. Compute a digest of each. The digests of large files are kept with the file's identity (place, size, times), as git's index does,
         so that gigabytes of weights are not read again.
"""
from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import mmap
import os
import re
import time
from typing import Any, Callable, Iterator, List, Mapping, Tuple

#: Size from which results are kept.
_LARGE = 1 << 20
# A file that was written so recently may change again without a new time.
_SETTLED_NS = 2_000_000_000
_CHUNK = 1 << 22
# The entry of an ONNX tensor that names its file (StringStringEntryProto): the key "location", then the value.
_LOCATION = re.compile(rb"\x0a\x08location")
# The same of a CNNdroid layer.
_PARAMETERS = re.compile(rb'parameters_file[^"\n]{0,80}"([^"\n]+)"')
# The note of an ELF file that its linker wrote, near the beginning (NT_GNU_BUILD_ID, 20 bytes).
_BUILD_ID = re.compile(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", re.DOTALL)
_HEAD = 4096
# Options whose value is the path of a file or folder.
_PATHS = ("weights", "device")

#: What changes whenever the content of a file does.
Identity = Tuple[int, ...]


class UncertainError(Exception):
    """The files that a compilation reads are not certain."""


def identity_of(path: str) -> Identity:
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _in_folder(folder: str) -> Iterator[str]:
    for place, inner, names in os.walk(folder, followlinks=True):
        inner.sort()
        yield from (os.path.join(place, name) for name in sorted(names))


def _checkpoint(prefix: str) -> Iterator[str]:
    if os.path.isdir(prefix):
        yield from _in_folder(prefix)
        return
    stem = re.sub(r"\.(?:index|meta)$", "", prefix)
    yield from sorted(glob.glob(glob.escape(stem) + ".index") + glob.glob(glob.escape(stem) + ".data-*"))


def _locations(model: str) -> List[str]:
    """Returns the files of weights that a model names."""
    with open(model, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return []
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            ends = [match.end() for match in _LOCATION.finditer(data)]  # An open iterator would keep the map open.
            names = {_value_at(data, end) for end in ends} | set(_PARAMETERS.findall(data))
    return sorted(os.fsdecode(name) for name in names)


def _value_at(data: mmap.mmap, at: int) -> bytes:
    """Returns the value that follows a key."""
    if data[at:at + 1] != b"\x12":
        raise UncertainError("the value of a location does not follow its key")
    size = shift = 0
    while True:
        at += 1
        if at >= len(data) or shift > 28:
            raise UncertainError("the size of a location is damaged")
        size |= (data[at] & 0x7F) << shift
        shift += 7
        if not data[at] & 0x80:
            return data[at + 1:at + 1 + size]


def _read_digest(path: str) -> str:
    state = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        while True:
            chunk = file.read(_CHUNK)
            if not chunk:
                return state.hexdigest()
            state.update(chunk)


def digest_of(parts: Any) -> str:
    """Returns the digest of anything that JSON can hold.

    >>> digest_of([1, "a"]) == digest_of([1, "a"]), digest_of([1, "a"]) == digest_of(["1", "a"])
    (True, False)
    """
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class Sources:
    """Lists files of models and computes digests of files; keeps the results for large files in `folder`."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def digest(self, path: str) -> str:
        """Returns the digest of a file's content."""
        return str(self._kept(path, _read_digest))

    def build(self, library: str) -> Tuple[int, str]:
        """Returns the size of a shared library and its build ID, or the digest of one without."""
        with open(library, "rb") as file:
            found = _BUILD_ID.search(file.read(_HEAD))
        return os.path.getsize(library), found[1].hex() if found else self.digest(library)

    def files(self, model: str, options: Mapping[str, Any]) -> List[str]:
        """Returns the files that nacre-compile reads for this model. Raises UncertainError, or OSError if a file does not exist."""
        found = list(_in_folder(model)) if os.path.isdir(model) else [model, *self._next_to(model)]
        for keyword, value in options.items():
            if keyword == "checkpoint" and value:
                found += _checkpoint(os.fspath(value))
            elif keyword in _PATHS and value and os.path.exists(value):
                found += _in_folder(os.fspath(value)) if os.path.isdir(value) else [os.fspath(value)]
            elif keyword == "set" and isinstance(value, Mapping):
                found += [os.fspath(part) for part in value.values() if isinstance(part, (str, os.PathLike)) and os.path.isfile(part)]
            elif keyword == "set" and value:
                raise UncertainError("set is not a dict")
        return found

    def _next_to(self, model: str) -> Iterator[str]:
        """Yields the files that a model's file names, and those that belong to it by their names."""
        folder, name = os.path.split(model)
        yield from filter(os.path.exists, (os.path.join(folder, location) for location in self._kept(model, _locations)))
        stem = os.path.splitext(model)[0]
        yield from filter(os.path.isfile, [stem + ".caffemodel"])
        yield from _checkpoint(stem) if not os.path.isdir(stem) else ()
        if name.startswith("saved_model."):
            yield from _in_folder(os.path.join(folder, "variables"))

    def _kept(self, path: str, compute: Callable[[str], Any]) -> Any:
        """Computes a result for a file, unless it is known for a large file that has not changed."""
        identity = identity_of(path)
        if identity[2] < _LARGE:
            return compute(path)
        kept = os.path.join(self._folder, digest_of([compute.__name__, os.path.realpath(path)]))
        with contextlib.suppress(OSError, ValueError, TypeError), open(kept, encoding="ascii") as file:
            former, result = json.load(file)
            if tuple(former) == identity:
                return result
        now = time.time_ns()
        result = compute(path)
        if identity == identity_of(path) and now - max(identity[3:]) > _SETTLED_NS:
            with contextlib.suppress(OSError):  # Then the file is read again the next time.
                self._keep(kept, [identity, result])
        return result

    def _keep(self, kept: str, content: Any) -> None:
        os.makedirs(self._folder, exist_ok=True)
        aside = f"{kept}.{os.getpid()}.{time.monotonic_ns()}.new"
        with open(aside, "w", encoding="ascii") as file:
            json.dump(content, file)
        os.replace(aside, kept)
