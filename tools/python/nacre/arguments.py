# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns keywords of compile() into the command line of nacre-compile."""
from __future__ import annotations

import operator
import os
from typing import Any, Iterator, List, Mapping

import numpy as np

from .errors import OptionError
from .names import nearest
from .options import COMMAS, NO_LIBRARY, OURS, PAIRS, CompileOptions

#: The keywords of compile() that are not options of nacre-compile.
OWN = ("target", "library", "compiler", "timeout", "cache", "progress")
# What others call it, or where it is.
_ELSEWHERE = {"batch": "shape={'<input>': (4, 3, 224, 224)} sets the batch", "threads": "model.session(threads=2) sets the threads of runs"}
# Their value `list` makes nacre-compile print the names that there are.
_LISTS = ("for", "device", "cpu")


def arguments(options: Mapping[str, Any], folder: str) -> Iterator[str]:
    """Yields the words of the command line. Arrays are written to files in `folder`."""
    for keyword, value in options.items():
        name = keyword.rstrip("_").replace("_", "-")
        _require_option(keyword, name)
        if name in _LISTS and value == "list":
            raise OptionError(f"{keyword}='list' makes no library; run nacre-compile --{name}=list")
        if value is True:
            yield f"--{name}"
        elif value is not None and value is not False:
            yield from (f"--{name}={text}" for text in _values(name, value, folder))


def _require_option(keyword: str, name: str) -> None:
    """Refuses keywords that are certainly wrong. The compiler judges the others: it may be newer, and LLVM has hidden options."""
    if name in OURS:
        raise OptionError(f"{keyword} is not an option of compile(), which sets --{name} itself")
    if name in NO_LIBRARY:
        raise OptionError(f"{keyword} is not an option of compile(), because it makes no library; run nacre-compile --{name}")
    known = [*sorted(CompileOptions.__annotations__), *OWN]
    if keyword not in known and f"{keyword}_" not in known:
        meant = nearest(keyword, known)
        if keyword in _ELSEWHERE:
            raise OptionError(f"unknown option '{keyword}'; {_ELSEWHERE[keyword]}")
        if meant:
            raise OptionError(f"unknown option '{keyword}'; did you mean '{meant}'?")


def _values(name: str, value: Any, folder: str) -> List[str]:
    if isinstance(value, Mapping):
        if name not in PAIRS:
            raise OptionError(f"{name.replace('-', '_')} does not accept a dict; options that do are {', '.join(sorted(PAIRS)).replace('-', '_')}")
        return [f"{tensor}{PAIRS[name]}{text}" for tensor, part in value.items()
                for text in (_shapes(tensor, part) if name == "shape" else [_spelled(name, tensor, part, folder)])]
    if isinstance(value, (list, tuple, set, frozenset)):
        parts = [_spelled(name, "", part, folder) for part in value]
        return [",".join(parts)] if name in COMMAS else parts
    return [_spelled(name, "", value, folder)]


def _spelled(name: str, tensor: str, value: Any, folder: str) -> str:
    if name == "set" and tensor and not isinstance(value, (str, os.PathLike)):
        path = os.path.join(folder, f"set-{len(os.listdir(folder))}.npy")
        np.save(path, np.asarray(value))
        return path
    return str(os.fspath(value) if isinstance(value, os.PathLike) else value)


def _shapes(tensor: str, value: Any) -> List[str]:
    """Returns the shapes of an input: a shape is sizes or a text, and a list of shapes is several.

    >>> _shapes("x", (1, 16)), _shapes("x", [(1, 16), (1, 64)])
    (['1x16'], ['1x16', '1x64'])
    """
    is_sized = hasattr(value, "__len__")
    has_several = is_sized and not isinstance(value, str) and any(hasattr(size, "__len__") for size in value)
    shapes = value if has_several else [value] if is_sized else [(value,)]
    try:
        return [shape if isinstance(shape, str) else "x".join(str(operator.index(size)) for size in shape) or "scalar" for shape in shapes]
    except TypeError:
        raise OptionError(f"the shape of '{tensor}' must be integers, such as (1, 3, 224, 224), or a list of shapes, but is {value!r}") from None
