# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model."""
from __future__ import annotations

import ctypes
import os
import shutil
import threading
import weakref
from typing import Any, Dict, List, NamedTuple, Optional, Union

import numpy as np

from . import _native
from ._library import Library
from .errors import Diagnostic
from .forks import renew_lock_in_children
from .session import Inputs, Session, make_options
from .state import State, StateInfo, create_state, describe_state
from .tensors import TensorInfo, read_tensor_info
from .timing import Benchmark, Profile, measure, profile


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


class Model:
    """A compiled model from compile() or load(). Any thread may use it; sessions belong to one thread at a time.

    >>> model = load("libconvnet.so")
    >>> print(*model.inputs, *model.outputs)
    image: f32[1, 3, 96, 96] probabilities: f32[1, 10]
    >>> answer = model.run({"image": numpy.zeros((1, 3, 96, 96), "float32")})
    >>> round(float(answer["probabilities"].sum()), 5)
    1.0
    """

    def __init__(self, path: str, *, report: Optional[Dict[str, Any]] = None, diagnostics: Optional[List[Diagnostic]] = None,
                 folder: Optional[str] = None) -> None:
        self.path = path  #: The library.
        self.report = report  #: The report of nacre-compile --report as an object, or None.
        self.diagnostics = diagnostics or []  #: The compiler's warnings and notes.
        if folder is not None:
            weakref.finalize(self, _remove, folder, os.getpid())
        self._library: Optional[Library] = None
        self._sessions: Dict[str, Session] = {}
        self._state: Optional[State] = None
        self.renew_lock()
        renew_lock_in_children(self)

    def __repr__(self) -> str:
        return f"<nacre.Model '{self.path}'>"

    def renew_lock(self) -> None:
        self._lock = threading.RLock()

    def open(self) -> None:
        """Opens the library, if it is not open yet. Raises a LoadError if it is for another machine."""
        with self._lock:
            if self._library is not None:
                return
            library = Library(self.path)
            info = _native.ModelInfo()
            library.functions.model_describe(library.address, ctypes.sizeof(info), ctypes.byref(info))
            self._info = info
            self._entries = [_describe_entry(library, number) for number in range(info.entry_count)]
            self._states = describe_state(library, info.variable_count)
            self._library = library

    def _opened(self) -> Library:
        self.open()
        assert self._library is not None
        return self._library

    # --- Properties -------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        self.open()
        return _native.text(self._info.name)

    @property
    def target(self) -> str:
        """The target, as passed to nacre-compile --target."""
        self.open()
        return _native.text(self._info.target)

    @property
    def compiler(self) -> str:
        """The compiler and its version."""
        self.open()
        return _native.text(self._info.compiler)

    @property
    def weight_bytes(self) -> int:
        self.open()
        return self._info.weight_bytes

    @property
    def entries(self) -> List[Entry]:
        self.open()
        return self._entries

    @property
    def inputs(self) -> List[TensorInfo]:
        """The inputs of the first entry; for another, use entry("train").inputs."""
        return self.entries[0].inputs

    @property
    def outputs(self) -> List[TensorInfo]:
        """The outputs of the first entry."""
        return self.entries[0].outputs

    @property
    def states(self) -> List[StateInfo]:
        """The tensors of its state."""
        self.open()
        return self._states

    def entry(self, name: Optional[str] = None) -> Entry:
        """Returns the entry called `name`; by default, the first one."""
        if name is None:
            return self.entries[0]
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise ValueError(f"the model has no entry '{name}'; it has {', '.join(entry.name for entry in self.entries)}")

    def memory(self, entry: Optional[str] = None, **options: Any) -> Dict[str, int]:
        """Returns the memory of a session with these options: block_bytes in total, including arena_bytes and others.

        >>> load("libconvnet.so").memory(threads=1)["input_bytes"]
        110592
        """
        library, info = self._opened(), _native.MemoryInfo()
        native = make_options(self.entry(entry).name, **options)
        library.functions.session_memory(library.address, library.asked_version(native), ctypes.byref(native), ctypes.sizeof(info),
                                         ctypes.byref(info))
        return {name: getattr(info, name) for name, _ in info._fields_}

    # --- Running ----------------------------------------------------------------------------------------------------

    def session(self, entry: Optional[str] = None, *, state: Optional[State] = None, **options: Any) -> Session:
        """Creates a session of an entry, by default the first one; `with` closes it.

        - threads: the number of threads, including the caller; 0, the default: one per big core;
        - gpu: None or "auto": the GPU computes what was placed on it, if there is one; True: it is required; False: never;
        - gpu_cut: the GPU's share of every launch in percent; gpu_device: a number of `nacre-run --list-devices`, from 0 (in C from 1);
          gpu_sequential, gpu_background, gpu_self_test, tune_budget_ms, cache_folder: as in nacre/runtime.h;
        - profile: records times for Session.launch_time;
        - max_iterations: a run with more loop iterations than that ends with a RunError; 0, the default: no limit;
        - state: a state that sessions share, from new_state() or another session.

        >>> with load("libconvnet.so").session(threads=1) as session:
        ...     session.input("image")[...] = 0
        ...     answer = session.run()
        >>> answer["probabilities"].shape
        (1, 10)
        """
        chosen = self.entry(entry)
        if state is not None and state.of is not self._library:
            raise ValueError("the state of a session belongs to another model")
        return Session(self._opened(), chosen.name, chosen.inputs, chosen.outputs, make_options(chosen.name, **options), state)

    def run(self, inputs: Optional[Inputs] = None, *more: Any, entry: Optional[str] = None) -> Dict[str, np.ndarray]:
        """Computes the outputs and returns them by name. Pass inputs by name ({"x": array}) or in the model's order (run(a, b)).

        Uses a session that the model keeps for each entry; threads that call it at the same time wait for each other. All entries
        share `state`, which is kept between runs.
        """
        given = [inputs, *more] if more else inputs
        with self._lock:
            name = self.entry(entry).name
            if name not in self._sessions:
                self._sessions[name] = self.session(name, state=self.state if self.states else None)
            return self._sessions[name].run(given)

    @property
    def state(self) -> State:
        """The state that run() uses, if the model has one."""
        with self._lock:
            if self._state is None:
                self._state = self.new_state()
            return self._state

    def new_state(self) -> State:
        """Creates a state that sessions can share: `model.session(state=...)`."""
        if not self.states:
            raise ValueError("the model has no state; compile it with state={input: output} or train=True")
        return create_state(self._opened())

    def benchmark(self, inputs: Optional[Inputs] = None, *, entry: Optional[str] = None, runs: Optional[int] = None,
                  min_seconds: Optional[float] = None, **options: Any) -> Benchmark:
        """Times runs after a warm-up: at least `runs`, for at least `min_seconds` (default: 1, or 0 if `runs` is given).
        Missing inputs are generated from a seed; options are those of session().

        >>> load("libconvnet.so").benchmark(runs=3, threads=1).runs
        3
        """
        if min_seconds is None:
            min_seconds = 1.0 if runs is None else 0.0
        with self.session(entry, **options) as session:
            return measure(session, inputs, runs, min_seconds)

    def profile(self, inputs: Optional[Inputs] = None, *, entry: Optional[str] = None, runs: int = 10, **options: Any) -> Profile:
        """Returns the time of each launch, the median of some runs; the result can be printed.

        >>> profile = load("libconvnet.so").profile(runs=2)
        >>> profile.launches[1].nodes
        'conv_0, batchnormalization_1, relu_2'
        """
        with self.session(entry, profile=True, **options) as session:
            return profile(session, self.entry(entry).launches, inputs, runs)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Copies the library to a file that load() can open; an existing file is replaced atomically."""
        target = os.fspath(path)
        aside = f"{target}.{os.getpid()}.new"
        try:
            shutil.copyfile(self.path, aside)
            os.replace(aside, target)
        finally:
            if os.path.exists(aside):
                os.remove(aside)


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:  # A child, by fork(), leaves it to its parent.
        shutil.rmtree(folder, ignore_errors=True)


def _describe_entry(library: Library, number: int) -> Entry:
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
