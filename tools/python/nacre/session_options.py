# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of sessions."""
from __future__ import annotations

import ctypes
import operator
from typing import Any, Mapping, Optional, TypedDict, Union

from . import _native
from .names import require_known

_GPU = {None: _native.GpuChoice.IF_USEFUL, "auto": _native.GpuChoice.IF_USEFUL, False: _native.GpuChoice.NEVER,
        "never": _native.GpuChoice.NEVER, True: _native.GpuChoice.REQUIRED, "required": _native.GpuChoice.REQUIRED}


class SessionOptions(TypedDict, total=False):
    """The options of a session as keywords of Model.session() and the methods that create one."""

    threads: int
    """The number of threads, including the caller; 0, the default: one per big core"""
    gpu: Union[str, bool, None]
    """None or "auto": the GPU computes what was placed on it, if there is one; True: it is required; False: never"""
    profile: bool
    """Record times for Session.launch_time"""
    gpu_cut: Optional[float]
    """The GPU's share of every launch in percent"""
    gpu_device: Optional[int]
    """A number of `nacre-run --list-devices`, from 0 (in C from 1)"""
    gpu_sequential: bool
    """As in nacre/runtime.h, like the following options"""
    gpu_background: bool
    gpu_self_test: bool
    tune_budget_ms: int
    cache_folder: Optional[str]
    """The folder of GPU pipelines and measurements"""
    max_iterations: int
    """A run with more loop iterations than that ends with a RunError; 0, the default: no limit"""
    all_entries: Optional[bool]
    """Whether the session has all entries, over one memory; by default, if there are entries for several shapes and none is named"""


def _integer(name: str, given: Mapping[str, Any]) -> Optional[int]:
    """Returns an option, or None without it. Raises a TypeError if it is no integer, with the one that was probably meant."""
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, bool) and hasattr(value, "__index__"):
        return operator.index(value)
    text = str(value).strip()
    meant = f"; did you mean {name}={text}?" if isinstance(value, str) and text.isdecimal() else ""
    raise TypeError(f"{name} must be an integer, but is {value!r}{meant}")


def make_options(entry: str, given: Mapping[str, Any], function: str = "session") -> Any:
    """Converts the keywords of `function` to nacre_session_options."""
    require_known(given, SessionOptions.__annotations__, function)
    gpu, gpu_cut = given.get("gpu"), given.get("gpu_cut")
    if gpu not in _GPU:
        raise ValueError(f"gpu must be None, 'auto', True, 'required', False or 'never', but is {gpu!r}")
    threads, tune_budget_ms, max_iterations = (_integer(name, given) or 0 for name in ("threads", "tune_budget_ms", "max_iterations"))
    gpu_device = _integer("gpu_device", given)
    if gpu_cut is not None and not hasattr(gpu_cut, "__float__"):
        raise TypeError(f"gpu_cut must be a number, but is {gpu_cut!r}")
    if gpu_cut is not None and not 0 <= gpu_cut <= 100:
        raise ValueError(f"gpu_cut must be percent, from 0 to 100, but is {gpu_cut}")
    for name, value in (("threads", threads), ("gpu_device", gpu_device or 0), ("tune_budget_ms", tune_budget_ms)):
        if not 0 <= value < 1 << 31:
            raise ValueError(f"{name} must not be negative, but is {value}")
    if not 0 <= max_iterations < 1 << 64:
        raise ValueError(f"max_iterations must be from 0 to 2^64 - 1, but is {max_iterations}")
    options = _native.SessionOptions()
    options.struct_size = ctypes.sizeof(options)
    options.entry = _native.encoded(entry)
    options.threads, options.gpu = threads, _GPU[gpu]
    options.gpu_cut = 0 if gpu_cut is None else round(gpu_cut) + 1
    options.gpu_device = 0 if gpu_device is None else gpu_device + 1
    for name in ("profile", "gpu_sequential", "gpu_background", "gpu_self_test", "all_entries"):
        setattr(options, name, bool(given.get(name)))
    options.tune_budget_ms = tune_budget_ms
    options.max_iterations = max_iterations
    cache_folder = given.get("cache_folder")
    options.cache_folder = None if cache_folder is None else _native.encoded(cache_folder)
    return options
