# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains and evaluates models: Model.fit and Model.evaluate.

How:  A session of the entry `train` and one of `evaluate` share the model's state. A step is a run of the first with a batch.
"""
from __future__ import annotations

import contextlib
import logging
import math
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .callbacks import Callback, Logs, TrainedModel, Training, as_callback
from .errors import DivergedError, LabelError, RunError
from .examples import Batch, EntryInputs, Examples, Feed, as_feed, find_inputs, name_row
from .history import History
from .progress import Display, make_display
from .scores import SKIPPED, SKIPPED_COUNTER, Metrics, Scores, find_classes
from .session import Session
from .state import State
from .tensors import Array

log = logging.getLogger("nacre")

#: A learning rate, or a function of the number of steps before (from 0) that returns it.
LearningRate = Union[float, Callable[[int], float]]
#: Axes of examples by input, where it is not axis 0; None: the input has no examples.
BatchAxis = Mapping[str, Optional[int]]

_RATE = "learning_rate"
_LARGEST_RATE = float(np.finfo(np.float32).max)
_GROWTH = 1000  # A loss so many times the first one never shrinks again; nacre-run has the same limit.
_REMEDY = "lower the learning rate, or compile with clip='norm:1'"


class _Runner:
    """A session of an entry that takes batches."""

    def __init__(self, model: TrainedModel, name: str, state: State, metrics: Metrics, axes: Optional[BatchAxis], options: Mapping[str, Any]) -> None:
        entry = model.entry(name)
        inference = [info for other in model.entries if other.name == "main" for info in other.inputs]
        self.inputs = find_inputs(entry.inputs, inference, axes)
        self.has_rate = any(info.name == _RATE for info in entry.inputs)
        self.classes = find_classes(self.inputs, entry.outputs)
        self.size = self.inputs.batch()
        self.scores = Scores(self.inputs, entry.outputs, metrics)
        self.session: Session = model.session(name, state=state, **options)
        self.may_skip = any(info.name == SKIPPED for info in entry.outputs)
        self.skipped = 0  #: Steps since the scores began that changed nothing because gradients overflowed.
        self._skipped_before = int(state[SKIPPED_COUNTER]) if self.may_skip else 0

    def run(self, batch: Batch, more: Mapping[str, Any]) -> Dict[str, Array]:
        """Runs a batch, adds its scores unless the step is skipped, and returns the outputs, which are valid until the next run."""
        try:
            outputs = self.session.run({**batch.arrays, **more}, copy=False)
        except LabelError as error:
            raise name_row(error, batch, self.inputs) from None
        if not self._is_skipped(outputs):
            self.scores.add(batch, self.size, outputs)
        return outputs

    def _is_skipped(self, outputs: Mapping[str, Array]) -> bool:
        if not self.may_skip:
            return False
        skipped = int(outputs[SKIPPED].reshape(())) - self._skipped_before
        self._skipped_before += skipped
        self.skipped += skipped
        return skipped > 0

    def begin_scores(self) -> None:
        self.scores.reset()
        self.skipped = 0

    def logs(self) -> Logs:
        return {**self.scores.logs(), **({SKIPPED: self.skipped} if self.may_skip else {})}

    def evaluate(self, feed: Feed, show: Callable[[int], None]) -> Logs:
        self.scores.reset()
        for number, batch in enumerate(feed.all(), 1):
            self.run(batch, {})
            show(number)
        return self.scores.logs()

    def accepts(self, label: int) -> bool:
        """Returns whether the model skips this label, which is not a class (ignore= of its loss)."""
        arrays = {info.name: np.zeros(info.array_shape, info.dtype) for info in [*self.inputs.data, *self.inputs.labels]}
        assert self.classes
        arrays[self.classes[0]][...] = label
        try:
            self.session.run(arrays, copy=False)
        except LabelError:
            return False
        return True


def _check_labels(feed: Feed, runner: _Runner, find_tester: Callable[[], Optional[_Runner]]) -> None:
    """Refuses labels that are not classes before anything is trained. At most one value can be accepted: the one that the loss ignores."""
    if runner.classes is None or not isinstance(feed, Examples):
        return
    name, _, _, count = runner.classes
    labels = np.moveaxis(feed.labels(name), runner.inputs.axis(name) or 0, 0)
    wrong = (labels < 0) | (labels >= count)
    tester = find_tester() if wrong.any() else None
    for value in np.unique(labels[wrong])[:2] if tester else ():
        if tester and not tester.accepts(int(value)):
            raise LabelError(name, int(np.flatnonzero(labels == value)[0]), labels, count)


def _require_entry(model: TrainedModel, name: str) -> None:
    names = [entry.name for entry in model.entries]
    if name not in names:
        raise ValueError(f"the model must have an entry '{name}', but has {', '.join(names)}; compile it with train=True and a loss")


def _chosen_state(model: TrainedModel, state: Optional[State]) -> State:
    return model.state if state is None else state


def evaluate(model: TrainedModel, x: Any, y: Any, metrics: Optional[Metrics], axes: Optional[BatchAxis], state: Optional[State],
             progress: Optional[bool], options: Mapping[str, Any]) -> Logs:
    """See Model.evaluate."""
    _require_entry(model, "evaluate")
    runner = _Runner(model, "evaluate", _chosen_state(model, state), metrics or {}, axes, options)
    display = make_display(progress)
    with runner.session, display:
        feed = as_feed(runner.inputs, x, y)
        _check_labels(feed, runner, lambda: runner)
        logs = runner.evaluate(feed, lambda number: display.show(f"evaluation, step {number}"))
    return logs


class Trainer:
    """A call of Model.fit."""

    def __init__(self, model: TrainedModel, *, epochs: int, initial_epoch: int, learning_rate: Optional[LearningRate], metrics: Optional[Metrics],
                 callbacks: Sequence[Union[Callback, Callable[[Training, Logs], object]]], shuffle: bool, seed: int,
                 axes: Optional[BatchAxis], state: Optional[State], progress: Optional[bool], options: Mapping[str, Any]) -> None:
        _require_entry(model, "train")
        if not 0 <= initial_epoch <= epochs:
            raise ValueError(f"initial_epoch must be from 0 to epochs={epochs}, but is {initial_epoch}")
        self._callbacks = [as_callback(callback) for callback in callbacks]
        self._learning_rate = learning_rate
        self._seed = seed if shuffle else None
        self._first_epoch = initial_epoch
        self._progress = progress
        self._make: Callable[[str], _Runner] = lambda name: _Runner(model, name, _chosen_state(model, state), metrics or {}, axes, options)
        self._runner = self._make("train")
        self._tester: Optional[_Runner] = None
        self._cleanup = contextlib.ExitStack()
        self._has_rate = self._runner.has_rate
        if self._has_rate and learning_rate is None:
            raise ValueError("learning_rate must be given: a number, or a function of the step")
        rate = learning_rate if isinstance(learning_rate, (int, float)) else 0.0
        self.training = Training(model, _chosen_state(model, state), epochs, rate)

    def fit(self, x: Any, y: Any, validation_data: Any, validation_split: float) -> History:
        with self._cleanup, make_display(self._progress) as display:
            self._cleanup.enter_context(self._runner.session)
            feed, tests = self._feeds(x, y, validation_data, validation_split)
            self._train(feed, tests, display)
        return self.training.history

    def _find_tester(self) -> Optional[_Runner]:
        """Returns the runner of `evaluate`, if the model has that entry; it is created at first."""
        if self._tester is None and any(entry.name == "evaluate" for entry in self.training.model.entries):
            self._tester = self._make("evaluate")
            self._cleanup.enter_context(self._tester.session)
        return self._tester

    def _feeds(self, x: Any, y: Any, validation_data: Any, validation_split: float) -> Tuple[Feed, Optional[Feed]]:
        feed = as_feed(self._runner.inputs, x, y)
        tests: Optional[Feed] = None
        _check_labels(feed, self._runner, self._find_tester)
        if validation_split:
            if validation_data is not None or not isinstance(feed, Examples):
                raise ValueError("validation_split requires arrays, and cannot be combined with validation_data")
            feed, tests = feed.split(validation_split)
        elif validation_data is not None:
            is_pair = isinstance(validation_data, (list, tuple)) and len(validation_data) == 2
            tests = as_feed(self._runner.inputs, *(validation_data if is_pair else (validation_data, None)))
            _check_labels(tests, self._runner, self._find_tester)
        if tests is not None:
            _require_entry(self.training.model, "evaluate")
        return feed, tests

    def _train(self, feed: Feed, tests: Optional[Feed], display: Display) -> None:
        training = self.training
        training.step = self._first_epoch * feed.steps()
        for callback in self._callbacks:
            callback.on_train_begin(training)
        first_loss: Optional[float] = None
        for number in range(self._first_epoch, training.epochs):
            training.epoch = number + 1
            begin = time.perf_counter()
            self._runner.begin_scores()
            logs: Logs = {}
            for step, batch in enumerate(feed.epoch(number, self._seed), 1):
                loss = self._step(batch)
                first_loss = loss if first_loss is None else first_loss
                logs = self._runner.logs()
                self._show(display, step, feed.steps(), logs)
                for callback in self._callbacks:
                    callback.on_step_end(training, logs)
            seconds = time.perf_counter() - begin
            self._check_growth(first_loss, logs)
            tester = None if tests is None else self._find_tester()
            if tests is not None and tester:
                tested = tester.evaluate(tests, lambda step: display.show(f"epoch {training.epoch} of {training.epochs}, validation, step {step}"))
                logs.update((f"val_{name}", value) for name, value in tested.items())
            if self._has_rate:
                logs[_RATE] = training.learning_rate
            logs["seconds"] = seconds
            self._end_epoch(logs, display)
            if training.stop_reason:
                break
        for callback in self._callbacks:
            callback.on_train_end(training)
        training.history.stopped = training.stop_reason

    def _step(self, batch: Batch) -> Optional[float]:
        """Runs a step and returns its loss; None if the step was skipped."""
        training = self.training
        if callable(self._learning_rate):
            training.learning_rate = float(self._learning_rate(training.step))
        if self._has_rate and not 0 <= training.learning_rate <= _LARGEST_RATE:  # A step would make all weights NaN or infinite.
            raise ValueError(f"learning_rate must be a number from 0 on, but is {training.learning_rate} in step {training.step + 1}")
        skipped = self._runner.skipped
        outputs = self._runner.run(batch, {_RATE: np.float32(training.learning_rate)} if self._has_rate else {})
        training.step += 1
        if self._runner.skipped > skipped:
            return None
        loss = float(outputs["loss"].reshape(())) if "loss" in outputs else 0.0
        if not math.isfinite(loss):
            raise self._diverged(f"the loss is infinite or NaN in step {training.step} (epoch {training.epoch}); {_REMEDY}")
        return loss

    def _check_growth(self, first: Optional[float], logs: Logs) -> None:
        if logs.get(SKIPPED) and "loss" not in logs:
            raise self._diverged(f"gradients are infinite or NaN in all steps of epoch {self.training.epoch}; lower the learning rate, or compile "
                                 "with gpu_precision='fp32'")
        if first is not None and abs(logs.get("loss", 0.0)) > _GROWTH * max(abs(first), 1.0):
            raise self._diverged(f"the loss grew from {first:.6g} in the first step to a mean of {logs['loss']:.6g} in epoch "
                                 f"{self.training.epoch}; {_REMEDY}")

    def _diverged(self, message: str) -> DivergedError:
        error = DivergedError(message)
        error.history = self.training.history
        return error

    def _end_epoch(self, logs: Logs, display: Display) -> None:
        training = self.training
        for callback in self._callbacks:
            callback.on_epoch_end(training, logs)
        training.history.add(training.epoch, logs)
        line = f"epoch {training.epoch} of {training.epochs}: {_figures(logs)}, {logs['seconds']:.1f} s"
        log.info("%s", line)
        display.line(line)
        if training.stop_reason:
            display.line(f"stopped: {training.stop_reason}")

    def _show(self, display: Display, step: int, steps: int, logs: Logs) -> None:
        training = self.training
        done = None if not steps else (training.epoch - 1 - self._first_epoch + step / steps) / (training.epochs - self._first_epoch)
        display.show(f"epoch {training.epoch} of {training.epochs}, step {step}{f' of {steps}' if steps else ''}: {_figures(logs)}", done)


def _figures(logs: Logs) -> str:
    shown: List[str] = [f"{name.replace('_', ' ')} {value:.4g}" for name, value in logs.items() if name != "seconds"]
    return ", ".join(shown)
