# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Callbacks of fit(): functions that are called between steps and epochs, with the figures of these.

A Training names its model by TrainedModel, so that this file does not import the one of Model, whose fit() takes callbacks.
"""
from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Protocol, Union

from .entries import Entry
from .entry_choice import Inputs
from .history import History
from .session import Session
from .session_options import SessionOptions
from .state import Roles, State
from .tensors import Array, TensorInfo

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The figures of a step or an epoch by name.
Logs = Dict[str, float]


class TrainedModel(Protocol):
    """The part of a nacre.Model that training and callbacks use."""

    path: str

    @property
    def entries(self) -> List[Entry]: ...

    @property
    def inputs(self) -> List[TensorInfo]: ...

    @property
    def outputs(self) -> List[TensorInfo]: ...

    @property
    def state(self) -> State: ...

    def entry(self, name: Optional[str] = None) -> Entry: ...

    def session(self, entry: Optional[str] = None, *, state: Optional[State] = None, **options: Unpack[SessionOptions]) -> Session: ...

    def run(self, inputs: Optional[Inputs] = None, *more: Any, entry: Optional[str] = None) -> Dict[str, Array]: ...

    def new_state(self) -> State: ...

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None: ...


class Training:
    """A call of fit() in progress, as callbacks see it."""

    def __init__(self, model: TrainedModel, state: State, epochs: int, learning_rate: float) -> None:
        self.model = model
        self.state = state  #: The state that is trained.
        self.history = History()  #: The epochs before.
        self.epochs = epochs  #: The number of the last epoch.
        self.epoch = 0  #: The number of this epoch, from 1.
        self.step = 0  #: The number of steps so far.
        self.learning_rate = learning_rate  #: Of the next step; callbacks may change it if it is not a function.
        self.stop_reason = ""

    def stop(self, reason: str) -> None:
        """Ends training after this epoch; `reason` becomes History.stopped."""
        self.stop_reason = reason


class Callback:
    """The base of objects that fit() calls; override the methods that you need. `training` is the state of the fit (nacre.Training), and
    `logs` are the figures so far, which may be changed. A plain function in `callbacks` is called as on_epoch_end.

        class Print(nacre.Callback):
            def on_epoch_end(self, training, logs):
                print(training.epoch, logs["loss"])
    """

    def on_train_begin(self, training: Training) -> None:
        """Called before the first step."""

    def on_step_end(self, training: Training, logs: Logs) -> None:
        """Called after each step; `logs` are the means of the epoch so far."""

    def on_epoch_end(self, training: Training, logs: Logs) -> None:
        """Called after each epoch and its validation."""

    def on_train_end(self, training: Training) -> None:
        """Called after the last epoch, however training ended, except for an exception."""


class _Function(Callback):
    """A plain function, called after each epoch."""

    def __init__(self, function: Callable[[Training, Logs], object]) -> None:
        self._function = function

    def on_epoch_end(self, training: Training, logs: Logs) -> None:
        self._function(training, logs)


def as_callback(given: Union[Callback, Callable[[Training, Logs], object]]) -> Callback:
    if isinstance(given, Callback):
        return given
    if not callable(given):
        raise TypeError(f"a callback must be a nacre.Callback or a function of training and logs, but is {given!r}")
    return _Function(given)


class _Best:
    """Finds the best value of a figure."""

    def __init__(self, monitor: str, mode: str, min_delta: float = 0.0) -> None:
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"mode must be 'auto', 'min' or 'max', but is {mode!r}")
        if min_delta < 0:
            raise ValueError(f"min_delta must not be negative, but is {min_delta}")
        self.monitor = monitor
        self._sign = 1 if mode == "max" or (mode == "auto" and "acc" in monitor) else -1
        self._min_delta = min_delta
        self.value = -self._sign * math.inf

    def improves(self, logs: Logs) -> bool:
        if self.monitor not in logs:
            advice = "; pass validation_data or validation_split" if self.monitor.startswith("val_") else ""
            raise ValueError(f"'{self.monitor}' is to be monitored, but the figures are {', '.join(logs)}{advice}")
        value = logs[self.monitor]
        if not self._sign * (value - self.value) > self._min_delta:  # NaN is no improvement.
            return False
        self.value = value
        return True


class EarlyStopping(Callback):
    """Stops training when a figure has not improved for `patience` epochs (0 and 1: at the first epoch without improvement).

    - monitor: the figure, such as "val_loss" or "val_accuracy";
    - min_delta: changes that are not larger do not count;
    - mode: "min" or "max"; "auto", the default, is "max" for accuracies;
    - restore_best_weights: the state of the best epoch is restored at the end of the training.

        history = model.fit(x, y, epochs=100, learning_rate=0.01, validation_split=0.2,
                            callbacks=[nacre.EarlyStopping(patience=3, restore_best_weights=True)])
        history.stopped                                  # "val_loss has not improved since epoch 17"
    """

    def __init__(self, monitor: str = "val_loss", *, min_delta: float = 0.0, patience: int = 0, mode: str = "auto",
                 restore_best_weights: bool = False) -> None:
        if patience < 0:
            raise ValueError(f"patience must not be negative, but is {patience}")
        self._settings = (monitor, mode, min_delta)
        self._best = _Best(*self._settings)
        self._patience = patience
        self._restores = restore_best_weights
        self._kept: Optional[State] = None
        self.best_epoch = 0  #: The number of the best epoch; 0 before the first one.

    def on_train_begin(self, training: Training) -> None:
        self._best, self._kept, self.best_epoch = _Best(*self._settings), None, 0

    def on_epoch_end(self, training: Training, logs: Logs) -> None:
        if self._best.improves(logs) or not self.best_epoch:
            self.best_epoch = training.epoch
            if self._restores:
                self._kept = self._kept or training.model.new_state()
                self._kept.copy_from(training.state)
        elif training.epoch - self.best_epoch >= max(1, self._patience):
            training.stop(f"{self._best.monitor} has not improved since epoch {self.best_epoch}")

    def on_train_end(self, training: Training) -> None:
        if self._kept is not None:
            training.state.copy_from(self._kept)


class Checkpoint(Callback):
    """Saves the state after each epoch, atomically; with `monitor`, only if that figure has improved.

    `path` may contain the epoch and figures: "epoch-{epoch}.safetensors". `roles` are those of State.save. Infinite or NaN weights are
    not saved: fit() raises an error.

        model.fit(x, y, epochs=10, learning_rate=0.01, callbacks=[nacre.Checkpoint("net.safetensors")])
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], *, monitor: Optional[str] = None, mode: str = "auto", roles: Roles = None) -> None:
        self._path = os.fspath(path)
        self._settings = (monitor, mode)
        self._best = _Best(monitor, mode) if monitor else None
        self._roles = roles

    def on_train_begin(self, training: Training) -> None:
        monitor, mode = self._settings
        self._best = _Best(monitor, mode) if monitor else None

    def on_epoch_end(self, training: Training, logs: Logs) -> None:
        if self._best is None or self._best.improves(logs):
            training.state.save(self._path.format(epoch=training.epoch, **logs), self._roles)
