# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory of a session for the inputs and outputs of one entry."""
from __future__ import annotations

import bisect
from typing import List, Set

from .entries import Entry
from .tensors import Array


class EntryBuffers:
    """An entry of a session, with arrays over the session's memory for its inputs and outputs."""

    def __init__(self, entry: Entry, number: int, inputs: List[Array], outputs: List[Array]) -> None:
        self.entry = entry
        self.number = number  #: Of the entry in the model.
        self.inputs = inputs
        self.outputs = outputs
        self.kept: Set[int] = set()  #: Numbers of inputs that the user writes in place.
        # Outputs do not overlap, so sorting by begins also sorts by ends.
        ranges = sorted((view.ctypes.data, view.ctypes.data + view.nbytes) for view in outputs if view.nbytes)
        self._begins, self._ends = [begin for begin, _ in ranges], [end for _, end in ranges]

    def overlaps_output(self, array: Array) -> bool:
        """Returns whether a run would overwrite a contiguous array while it is read, such as an array of run(copy=False)."""
        address = array.ctypes.data
        first = bisect.bisect_right(self._ends, address)
        return first < len(self._begins) and address + array.nbytes > self._begins[first]

    def release(self) -> None:
        """Drops the arrays, which keep the session's memory alive."""
        self.inputs, self.outputs = [], []
