# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions: a model that is ready to run, with its memory and threads."""
from __future__ import annotations

import contextlib
import ctypes
import logging
import re
import threading
import weakref
from typing import Any, Dict, Iterator, List, Mapping, NoReturn, Optional, Sequence, Tuple

import numpy as np

from . import _native
from ._library import Library
from .entries import Entry
from .entry_buffers import EntryBuffers
from .entry_choice import Inputs, common_name, find_entries, find_fitting, find_input, numbered
from .errors import LabelError, RunError
from .forks import renew_lock_in_children
from .interrupt import cancelled_by_interrupt
from .names import refuse_keywords
from .session_options import SessionOptions
from .state import State
from .tensors import Array, TensorInfo, empty, fitting

log = logging.getLogger("nacre")

_REASON_BYTES = 1024
# How the runtime refuses a label (runtime/src/state/labels.cpp).
_REFUSED_LABEL = re.compile(r"'(?P<name>.*)' must be from 0 to (?P<last>\d+), but element (?P<element>\d+) is not$", re.DOTALL)


def _tell(_: Any, level: int, message: bytes) -> None:
    log.log(logging.INFO if level else logging.ERROR, "%s", _native.text(message))


_TELL = _native.LogFunction(_tell)


class _Owner:
    """Owns the runtime's session. Arrays over its memory keep this object alive, so closing a session early is safe."""

    def __init__(self, library: Library, options: Any, state: Optional[State]) -> None:
        reason = ctypes.create_string_buffer(_REASON_BYTES)
        options.reason, options.reason_capacity = ctypes.addressof(reason), _REASON_BYTES
        options.log = _TELL
        options.state = None if state is None else state.pointer
        pointer = _native.SessionPointer()
        status = library.functions.session_create(library.address, library.asked_version(options), ctypes.byref(options),
                                                  ctypes.byref(pointer))
        if status:
            raise RunError(status, _native.text(reason.value))
        self.library, self.state, self.pointer = library, state, pointer
        self.options = options  # The cache folder is read as long as a GPU is got ready.
        self._destroy = weakref.finalize(self, _destroy, library, state, pointer)
        # When the interpreter exits, a thread may still be in a run; but a thread that prepares a GPU must not outlive our log.
        self._destroy.atexit = bool(options.gpu_background)


def _destroy(library: Library, _state: Optional[State], pointer: Any) -> None:
    library.functions.session_destroy(pointer)


class _Memory:
    """Provides memory of a session to numpy.asarray; the array keeps this object alive, which keeps the session alive."""

    def __init__(self, owner: _Owner, address: int, info: TensorInfo, writable: bool) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "shape": info.array_shape, "typestr": info.dtype.str,
                                    "data": (address, not writable)}


class Session:
    """A model that is ready to run, from Model.session. It is closed by `with`, by close(), or when it is garbage-collected.

    A session belongs to one thread at a time: a call during a call of another thread raises RuntimeError, except for cancel().
    To run in several threads at once, give each its own session. A run does not block other Python threads. Ctrl-C ends a run of
    the main thread.

    A session of a model for several shapes has all entries, as one with all_entries=True. One of them is in use: the one of the latest
    run() or use(). The properties, input() and the times of launches concern this entry. Each entry keeps its inputs and outputs
    while another one is in use.

    After os.fork(), the child may use the session without its threads and its GPU. If a run was in progress at the fork, the
    child can only close the session.
    """

    def __init__(self, library: Library, entries: Sequence[Entry], first: Entry, options: Any, state: Optional[State]) -> None:
        self._owner: Optional[_Owner] = _Owner(library, options, state)
        self._shared_state = state
        self.renew_lock()
        renew_lock_in_children(self)
        self._functions = library.functions
        self._number = entries.index(first)  # Of the entry that the runtime uses.
        self._all: Dict[str, EntryBuffers] = {}
        self._used: EntryBuffers
        with self._entered() as owner:
            for number, entry in enumerate(entries):
                if options.all_entries or entry is first:
                    self._all[entry.name] = self._buffers(owner, number, entry)
            self._use(owner, first)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<nacre.Session of entry '{self.entry}'{'' if self._owner else ', closed'}>"

    def renew_lock(self) -> None:
        self._lock = threading.Lock()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a session cannot be pickled, because it has memory and threads of this process; pickle its model, and create a "
                        "session from that: model.session()")

    def close(self) -> None:
        """Joins the threads and frees the memory, as soon as no array of input() or run(copy=False) uses it."""
        with self._entered(closed=True):
            self._owner = None
            for buffers in self._all.values():
                buffers.release()

    @property
    def entry(self) -> str:
        """The name of the entry in use."""
        return self._used.entry.name

    @property
    def inputs(self) -> List[TensorInfo]:
        return self._used.entry.inputs

    @property
    def outputs(self) -> List[TensorInfo]:
        return self._used.entry.outputs

    def use(self, entry: str) -> None:
        """Uses another entry of a session that has all, such as "main@64" or "train". Allocates nothing."""
        with self._entered() as owner:
            self._use(owner, self._named(entry)[0])

    def input(self, name: str) -> Array:
        """Returns the session's buffer of an input, as an array to write in place. run() then does not need this input, and the
        buffer keeps its contents between runs."""
        with self._entered():
            number = find_input(self._used.entry, name)
            self._used.kept.add(number)
            return self._used.inputs[number]

    def run(self, inputs: Optional[Inputs] = None, *, entry: Optional[str] = None, copy: bool = True, **unknown: NoReturn) -> Dict[str, Array]:
        """Computes the outputs of the entry in use, or of the one called `entry`. If there are several for other shapes, computes those of
        the one with the shapes of `inputs`.

        `inputs` are arrays by name, or in the model's order. A contiguous array whose address is a multiple of 64 (as from
        nacre.empty) is read in place; others are copied. With copy=False, the outputs are arrays over the session's memory:
        they need no copy, but the next run overwrites them.

        If cancel() or max_iterations ends the run, this raises a RunError with that status, and the state is unchanged.
        """
        if unknown:
            refuse_keywords(unknown, [info.name for info in self.inputs], SessionOptions.__annotations__)
        with self._entered() as owner:
            feeds = self._feeds(owner, inputs, entry)
            bound: List[Tuple[int, Array]] = []
            try:
                for number, array in feeds.items():
                    self._feed(owner, number, array, bound)
                self._run(owner, feeds)
                outputs = (self._output(owner, number, info) for number, info in enumerate(self.outputs))
                return {info.name: array.copy() if copy else array for info, array in zip(self.outputs, outputs)}
            finally:
                for number, _ in bound:
                    self._functions.session_bind_input(owner.pointer, number, None)

    def run_bare(self) -> None:
        """Runs with the inputs' current contents and returns nothing, for benchmarks."""
        with self._entered() as owner:
            self._run(owner, {})

    def _run(self, owner: _Owner, feeds: Mapping[int, Array]) -> None:
        can_be_cancelled = self._functions.api_version >= 7
        with cancelled_by_interrupt(self.cancel) if can_be_cancelled else contextlib.nullcontext():
            status = self._functions.session_run(owner.pointer)
        if status == _native.Status.BAD_ARGUMENT:
            self._check_label(_native.text(self._functions.session_reason(owner.pointer)), feeds)
        self._check(owner, status)

    def _check_label(self, reason: str, feeds: Mapping[int, Array]) -> None:
        """Raises a LabelError if the runtime has refused a label."""
        refused = _REFUSED_LABEL.match(reason)
        numbers = [number for number, info in enumerate(self.inputs) if refused and info.name == refused["name"]]
        if refused and numbers:
            labels = feeds.get(numbers[0], self._used.inputs[numbers[0]])
            raise LabelError(refused["name"], int(refused["element"]), labels, int(refused["last"]) + 1)

    def cancel(self) -> bool:
        """Cancels the run of another thread, which gets a RunError with the status CANCELLED. Returns at once; call it from any
        thread.

        Returns False if no run is in progress: later runs are not affected.
        """
        owner = self._owner
        if owner is None:
            return False
        if self._functions.api_version < 7:
            raise RunError(_native.Status.UNSUPPORTED, "the model was compiled by a Nacre without cancellation; compile it again")
        return int(self._functions.session_cancel(owner.pointer)) == _native.Status.OK

    @property
    def state(self) -> State:
        """The state: the session's own, or the one that it was created with."""
        if self._shared_state is not None:
            return self._shared_state
        with self._entered() as owner:
            pointer = _native.StatePointer()
            owner.library.state.of_session(owner.pointer, ctypes.byref(pointer))
            return State(owner.library, pointer, owner)

    def describe(self) -> Dict[str, Any]:
        """Describes the session: device ("" if only the CPU computes), threads, launches of each engine, times of the GPU's start in ns."""
        info = _native.SessionInfo()
        with self._entered() as owner:
            self._functions.session_describe(owner.pointer, ctypes.sizeof(info), ctypes.byref(info))
        values = ((name, getattr(info, name)) for name, _ in _native.SessionInfo._fields_)
        return {name: _native.text(value) if isinstance(value, bytes) else value for name, value in values}

    @property
    def reason(self) -> str:
        """The cause of the latest failure, or why the CPU computes launches placed on the GPU; "" if neither has happened."""
        with self._entered() as owner:
            return _native.text(self._functions.session_reason(owner.pointer))

    def launch_time(self, number: int) -> Any:
        """Returns the times of a launch in the latest run, for a session with profile=True."""
        time = _native.LaunchTime()
        with self._entered() as owner:
            self._check(owner, self._functions.session_launch_time(owner.pointer, number, ctypes.sizeof(time), ctypes.byref(time)))
        return time

    @contextlib.contextmanager
    def _entered(self, closed: bool = False) -> Iterator[_Owner]:
        """Locks the runtime's session for this thread."""
        lock = self._lock
        if not lock.acquire(blocking=False):
            raise RuntimeError("another thread is using this session; give each thread its own session: model.session()")
        try:
            if self._owner is None and not closed:
                raise ValueError("this session is closed")
            yield self._owner  # type: ignore[misc]
        finally:
            lock.release()

    def _check(self, owner: _Owner, status: int) -> None:
        if status:
            raise RunError(status, _native.text(self._functions.session_reason(owner.pointer)))

    def _buffers(self, owner: _Owner, number: int, entry: Entry) -> EntryBuffers:
        self._switch(owner, number)
        inputs = [self._view(owner, False, index, info) for index, info in enumerate(entry.inputs)]
        outputs = [self._view(owner, True, index, info) for index, info in enumerate(entry.outputs)]
        return EntryBuffers(entry, number, inputs, outputs)

    def _view(self, owner: _Owner, of_output: bool, number: int, info: TensorInfo) -> Array:
        """Returns an array over the session's own buffer."""
        where = ctypes.c_void_p()
        ask = self._functions.session_output if of_output else self._functions.session_input
        self._check(owner, ask(owner.pointer, number, ctypes.byref(where)))
        return np.asarray(_Memory(owner, where.value or 0, info, writable=not of_output))

    def _switch(self, owner: _Owner, number: int) -> None:
        if number != self._number:
            self._check(owner, self._functions.session_use(owner.pointer, number))
            self._number = number

    def _use(self, owner: _Owner, entry: Entry) -> None:
        self._used = self._all[entry.name]
        self._switch(owner, self._used.number)

    def _named(self, name: Optional[str]) -> List[Entry]:
        """Returns the entries that `name` means, the one in use first; by default, those that differ from it only in shapes."""
        used = self._used.entry
        if len(self._all) == 1 and name is None:
            return [used]
        advice = "; create it with all_entries=True" if len(self._all) == 1 else ""
        entries = find_entries([buffers.entry for buffers in self._all.values()], common_name(used) if name is None else name, "session", advice)
        return sorted(entries, key=lambda entry: entry is not used)

    def _feeds(self, owner: _Owner, inputs: Optional[Inputs], name: Optional[str]) -> Dict[int, Array]:
        """Uses the entry that the inputs fit, and returns an array for each of its inputs; only inputs written in place may be missing."""
        entries = self._named(name)
        given = numbered(entries[0], inputs)
        entry = find_fitting(entries, given)
        kept = self._all[entry.name].kept
        missing = [str(info) for number, info in enumerate(entry.inputs) if number not in given and number not in kept]
        if missing:
            raise ValueError(f"inputs are missing: {'; '.join(missing)}")
        feeds = {number: fitting(value, entry.inputs[number]) for number, value in given.items()}
        self._use(owner, entry)
        return feeds

    def _feed(self, owner: _Owner, number: int, array: Array, bound: List[Tuple[int, Array]]) -> None:
        aligned = array.flags.c_contiguous and array.ctypes.data % _native.ALIGNMENT == 0
        if not (aligned and array.nbytes and not self._used.overlaps_output(array)):
            if number not in self._used.kept:
                self._used.inputs[number][...] = array
                return
            # Values that the user wrote in place remain for the next run.
            aside = empty(array.shape, array.dtype)
            aside[...] = array
            array = aside
        self._check(owner, self._functions.session_bind_input(owner.pointer, number, array.ctypes.data))
        bound.append((number, array))

    def _output(self, owner: _Owner, number: int, info: TensorInfo) -> Array:
        array = self._used.outputs[number]
        if info.open_axes:
            dims = (ctypes.c_int64 * max(1, len(info.shape)))()
            self._check(owner, self._functions.session_output_dims(owner.pointer, number, dims))
            array = array[tuple(slice(0, extent) for extent in dims[:len(info.shape)])]
        return array
