# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The entries of a library: their inputs, outputs and launches."""
from __future__ import annotations

import ctypes
from typing import Any, List, NamedTuple

from . import _native
from ._library import Library
from .tensors import TensorInfo, read_tensor_info


class Launch(NamedTuple):
    """A launch, a step of an entry that computes."""

    nodes: str  #: The model's nodes that it computes.
    kernel: str  #: The code that it runs; equal launches share a kernel.
    kind: str


class Entry(NamedTuple):
    """An entry, one way to run a model."""

    name: str
    inputs: List[TensorInfo]
    outputs: List[TensorInfo]
    launches: List[Launch]
    arena_bytes: int


def describe_entry(library: Library, number: int) -> Entry:
    """Returns entry `number` of a library."""
    functions, model = library.functions, library.address
    info = _native.EntryInfo()
    functions.entry_describe(model, number, ctypes.sizeof(info), ctypes.byref(info))

    def tensors(describe: Any, count: int) -> List[TensorInfo]:
        listed = []
        for index in range(count):
            tensor = _native.TensorInfo()
            describe(model, number, index, ctypes.sizeof(tensor), ctypes.byref(tensor))
            listed.append(read_tensor_info(tensor))
        return listed

    launches = []
    for index in range(info.launch_count):
        launch = _native.LaunchInfo()
        functions.launch_describe(model, number, index, ctypes.sizeof(launch), ctypes.byref(launch))
        launches.append(Launch(*map(_native.text, (launch.name, launch.kernel, launch.kind))))
    return Entry(_native.text(info.name), tensors(functions.input_describe, info.input_count),
                 tensors(functions.output_describe, info.output_count), launches, info.arena_bytes)
