# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model."""
from __future__ import annotations

import ctypes
import os
import shutil
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union

from . import _native
from ._library import Library
from .cache import lock_entry
from .callbacks import Callback, Logs, Training
from .entries import Entry, describe_entry
from .entry_choice import Inputs, common_name, find_entries, find_fitting, find_smallest, numbered
from .errors import Diagnostic, LoadError
from .forks import renew_lock_in_children
from .history import History
from .names import refuse_keywords
from .scores import Metrics
from .session import Session
from .session_options import SessionOptions, make_options
from .state import State, StateInfo, create_state, describe_state
from .tensors import Array, TensorInfo
from .timing import Benchmark, Profile, measure, profile
from .training import BatchAxis, LearningRate, Trainer, evaluate

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Model:
    """A compiled model from compile() or load(). Any thread may use it; sessions belong to one thread at a time.

    A pickled model is the path of its library, so that processes of a pool can open it: neither `report` nor the state is in it.

    >>> model = load("libconvnet.so")
    >>> print(*model.inputs, *model.outputs)
    image: f32[1, 3, 96, 96] probabilities: f32[1, 10]
    >>> answer = model.run({"image": numpy.zeros((1, 3, 96, 96), "float32")})
    >>> round(float(answer["probabilities"].sum()), 5)
    1.0
    """

    def __init__(self, path: str, *, report: Optional[Dict[str, Any]] = None, diagnostics: Optional[List[Diagnostic]] = None,
                 folder: Optional[str] = None, lock: Optional[int] = None) -> None:
        self.path = path  #: The library.
        self.report = report  #: The report of nacre-compile --report as an object, or None.
        self.diagnostics = diagnostics or []  #: The compiler's warnings and notes.
        if folder is not None:
            weakref.finalize(self, _remove, folder, os.getpid())
        if lock is not None:
            weakref.finalize(self, os.close, lock)  # The cache's entry may be removed then.
        self._library: Optional[Library] = None
        self._sessions: Dict[str, Session] = {}
        self._state: Optional[State] = None
        self.renew_lock()
        renew_lock_in_children(self)

    def __repr__(self) -> str:
        return f"<nacre.Model '{self.path}'>"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (self.path,)

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
            self._entries = [describe_entry(library, number) for number in range(info.entry_count)]
            self._has_shapes = len({common_name(entry) for entry in self._entries}) < len(self._entries)
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
        return int(self._info.weight_bytes)

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
        """Returns the entry called `name`; by default, the first one. "main" means the first of main@16 and main@64."""
        return find_entries(self.entries, name)[0]

    def entry_for(self, shapes: Mapping[str, Sequence[int]], *, entry: Optional[str] = None) -> Entry:
        """Returns the smallest of the entries for several shapes whose inputs have room for arrays of these shapes. Inputs that are not
        given are not compared. `entry` is the name before the @; by default, that of the first entry.

        >>> model = compile("convnet.onnx", shape={"image": [(1, 3, 96, 96), (4, 3, 96, 96)]})
        >>> model.entry_for({"image": (3, 3, 96, 96)}).name
        'main@4'
        >>> model.run(numpy.zeros((4, 3, 96, 96), "float32"))["probabilities"].shape
        (4, 10)
        """
        return find_smallest(find_entries(self.entries, entry), shapes)

    def memory(self, entry: Optional[str] = None, **options: Unpack[SessionOptions]) -> Dict[str, int]:
        """Returns the memory of a session with these options: block_bytes in total, including arena_bytes and others.

        >>> load("libconvnet.so").memory(threads=1)["input_bytes"]
        110592
        """
        library, info = self._opened(), _native.MemoryInfo()
        native = self._make_options(entry, options, "memory")
        library.functions.session_memory(library.address, library.asked_version(native), ctypes.byref(native), ctypes.sizeof(info),
                                         ctypes.byref(info))
        return {name: getattr(info, name) for name, _ in info._fields_}

    def _make_options(self, entry: Optional[str], options: SessionOptions, function: str = "session") -> Any:
        found = find_entries(self.entries, entry)
        native = make_options(found[0].name, options, function)
        if options.get("all_entries") is None:
            native.all_entries = len(found) > 1
        return native

    # --- Running ----------------------------------------------------------------------------------------------------

    def session(self, entry: Optional[str] = None, *, state: Optional[State] = None, **options: Unpack[SessionOptions]) -> Session:
        """Creates a session of an entry, by default the first one; `with` closes it. A session of entries for several shapes has all of
        them: run() selects the one for its inputs. `state` is one that sessions share, from new_state() or another session. Options are
        those of nacre.SessionOptions.

        >>> with load("libconvnet.so").session(threads=1) as session:
        ...     session.input("image")[...] = 0
        ...     answer = session.run()
        >>> answer["probabilities"].shape
        (1, 10)
        """
        if state is not None and state.of is not self._library:
            raise ValueError("the state of a session belongs to another model")
        return Session(self._opened(), self.entries, self.entry(entry), self._make_options(entry, options), state)

    def run(self, inputs: Optional[Inputs] = None, *more: Any, entry: Optional[str] = None, **unknown: NoReturn) -> Dict[str, Array]:
        """Computes the outputs and returns them by name. Pass inputs by name ({"x": array}) or in the model's order (run(a, b)). If there
        are entries for several shapes, computes the one that the inputs fit.

        Uses a session that the model keeps for each entry, or for all if there are several shapes; threads that call it at the same time
        wait for each other. All entries share `state`, which is kept between runs.
        """
        if unknown:
            refuse_keywords(unknown, [info.name for info in self.entry(entry).inputs], SessionOptions.__annotations__)
        given = [inputs, *more] if more else inputs
        with self._lock:
            chosen = self.entry(entry)
            key = "" if self._has_shapes else chosen.name
            if key not in self._sessions:
                self._sessions[key] = self.session(chosen.name, state=self.state if self.states else None, all_entries=self._has_shapes)
            name = (entry or common_name(chosen)) if self._has_shapes else None
            return self._sessions[key].run(given, entry=name)

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
                  min_seconds: Optional[float] = None, **options: Unpack[SessionOptions]) -> Benchmark:
        """Times runs after a warm-up: at least `runs`, for at least `min_seconds` (default: 1, or 0 if `runs` is given).
        Missing inputs are generated from a seed; options are those of session().

        >>> load("libconvnet.so").benchmark(runs=3, threads=1).runs
        3
        """
        if min_seconds is None:
            min_seconds = 1.0 if runs is None else 0.0
        with self.session(self._entry_of(inputs, entry).name, **options) as session:
            return measure(session, inputs, runs, min_seconds)

    def profile(self, inputs: Optional[Inputs] = None, *, entry: Optional[str] = None, runs: int = 10, **options: Unpack[SessionOptions]) -> Profile:
        """Returns the time of each launch, the median of some runs; the result can be printed.

        >>> profile = load("libconvnet.so").profile(runs=2)
        >>> profile.launches[1].nodes
        'conv_0, batchnormalization_1, relu_2'
        """
        options["profile"] = True
        measured = self._entry_of(inputs, entry)
        with self.session(measured.name, **options) as session:
            return profile(session, measured.launches, inputs, runs)

    def _entry_of(self, inputs: Optional[Inputs], name: Optional[str]) -> Entry:
        """Returns the entry called `name`; of several for other shapes, the one that the inputs fit."""
        entries = find_entries(self.entries, name)
        return find_fitting(entries, numbered(entries[0], inputs))

    # --- Training ---------------------------------------------------------------------------------------------------

    def fit(self, x: Any, y: Any = None, *, epochs: int = 1, learning_rate: Optional[LearningRate] = None, validation_data: Any = None,
            validation_split: float = 0.0, metrics: Optional[Metrics] = None,
            callbacks: Sequence[Union[Callback, Callable[[Training, Logs], object]]] = (), shuffle: bool = True, seed: int = 0,
            initial_epoch: int = 0, batch_axis: Optional[BatchAxis] = None, state: Optional[State] = None,
            progress: Optional[bool] = None, **options: Unpack[SessionOptions]) -> History:
        """Trains a model that was compiled with train=True, and returns the figures of each epoch. The trained weights are in `state`,
        which run() uses.

        - x, y: arrays of all examples, along axis 0, and their labels; dicts by name if there are several inputs. Instead of both, an
          iterable of batches, such as a DataLoader: pairs of data and labels. Labels of classes are integers from 0 on, of any type.
          The batch is that of the compiled model (train_batch); in each epoch, examples that do not fill a batch are left out;
        - learning_rate: a number, or a function of the number of steps before;
        - validation_data: (x, y) to evaluate after each epoch; validation_split: the share of examples, the last ones, to use for that;
        - metrics: functions by name, metric(y_true, y_pred), whose means over batches become figures, besides loss and accuracy;
        - callbacks: nacre.EarlyStopping, nacre.Checkpoint, other objects of nacre.Callback, or functions of training and logs;
        - shuffle, seed: the order of examples, which is that of `nacre-run --train --seed`;
        - initial_epoch: the number of epochs before, which continues their order and schedule;
        - batch_axis: the axis of examples of an input, if it is not 0, as for compile();
        - state: the state to train instead of the model's;
        - progress: True shows figures during training, False never; by default, in notebooks and on terminals.

        Raises LabelError if a label is not a class, and DivergedError if the loss is infinite, NaN or has grown a thousandfold.

            history = model.fit(images, classes, epochs=10, learning_rate=0.05, validation_split=0.1)
            history["val_accuracy"][-1]
            history.plot().save("curve.svg")
        """
        trainer = Trainer(self, epochs=epochs, initial_epoch=initial_epoch, learning_rate=learning_rate, metrics=metrics, callbacks=callbacks,
                          shuffle=shuffle, seed=seed, axes=batch_axis, state=state, progress=progress, options=options)
        return trainer.fit(x, y, validation_data, validation_split)

    def evaluate(self, x: Any, y: Any = None, *, metrics: Optional[Metrics] = None, batch_axis: Optional[BatchAxis] = None,
                 state: Optional[State] = None, progress: Optional[bool] = None, **options: Unpack[SessionOptions]) -> Logs:
        """Returns loss, accuracy and metrics of examples, without training. Arguments are those of fit()."""
        return evaluate(self, x, y, metrics, batch_axis, state, progress, options)

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


def _restored(path: str) -> Model:
    """Opens a pickled model, when it is used first: it may be for another machine."""
    if not os.path.exists(path):
        raise LoadError(f"the library of the pickled model, '{path}', does not exist here; compile the model with library=..., which stays, "
                        "and where this process can read it")
    return Model(path, lock=lock_entry(path))


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:  # A child, by fork(), leaves it to its parent.
        shutil.rmtree(folder, ignore_errors=True)
