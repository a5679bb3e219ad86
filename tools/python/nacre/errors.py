# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of this package. Wrong names, shapes and types of arrays raise ValueError and TypeError instead."""
from __future__ import annotations

import errno
import os
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Type

from ._native import Status
from .wording import in_python


class Diagnostic(NamedTuple):
    """One message of the compiler.

    >>> Diagnostic("model.onnx", "conv_17", "error", "unsupported operator 'LRN' (opset 13)").node
    'conv_17'
    """

    file: str
    node: Optional[str]  #: The model's node, if any.
    severity: str  #: error, warning or note
    message: str

    def __str__(self) -> str:
        return self.file + (f':"{self.node}"' if self.node else "") + f": {self.severity}: {self.message}"


_LINE = re.compile(r'^(?P<file>.*?)(?::"(?P<node>(?:[^"\\]|\\.)*)")?: (?P<severity>error|warning|note): (?P<message>.*)$')


def read_diagnostics(text: str) -> List[Diagnostic]:
    """Returns the messages in the output of nacre-compile.

    >>> read_diagnostics('a.onnx:"n": error: unsupported operator')
    [Diagnostic(file='a.onnx', node='n', severity='error', message='unsupported operator')]
    """
    matches = (_LINE.match(line) for line in text.splitlines())
    return [Diagnostic(**match.groupdict()) for match in matches if match]


def _restored(kind: Type[NacreError], arguments: Tuple[Any, ...], members: Dict[str, Any]) -> NacreError:
    error = kind.__new__(kind)
    error.args = arguments
    for name, value in members.items():
        setattr(error, name, value)
    return error


class NacreError(Exception):
    """Base of all exceptions of this package."""

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)  # Processes of a pool return exceptions pickled.


class CompileError(NacreError):
    """The model cannot be compiled. `diagnostics` has the compiler's messages, `output` its whole output, and `status` its exit
    status: 1 for a fault of the model, 2 for a fault of an option, negative if a signal killed it."""

    def __init__(self, message: str, diagnostics: Optional[List[Diagnostic]] = None, output: str = "", status: int = 1) -> None:
        super().__init__(message)
        self.diagnostics: List[Diagnostic] = diagnostics or []
        self.output = output
        self.status = status


class OptionError(CompileError, ValueError):
    """An unknown option of compile(), or an invalid value."""


class MissingModelError(CompileError, FileNotFoundError):
    """The model does not exist."""

    def __init__(self, message: str, path: str, diagnostics: List[Diagnostic], output: str) -> None:
        super().__init__(message, diagnostics, output)
        self.errno, self.strerror, self.filename = errno.ENOENT, os.strerror(errno.ENOENT), path

    def __str__(self) -> str:
        return str(self.args[0])  # OSError would begin with the number.

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (type(self), self.args, {**self.__dict__, "errno": self.errno, "strerror": self.strerror, "filename": self.filename})


class LoadError(NacreError):
    """The file is not a model that this machine can run; the message describes it."""


_ADVICE: Dict[int, str] = {Status.BAD_ARGUMENT: "correct the call", Status.OUT_OF_MEMORY: "free some memory and try again",
           Status.UNSUPPORTED: "this device or runtime cannot run this model",
           Status.FAILED: "close the session; a new one may succeed",
           Status.CANCELLED: "run again at any time",
           Status.TOO_MANY_ITERATIONS: "change the inputs, or raise max_iterations"}


class RunError(NacreError):
    """The runtime refused a call, or a run failed. `status` classifies the failure; `reason` is the runtime's text."""

    def __init__(self, status: int, reason: str) -> None:
        try:
            self.status: int = Status(status)
            name = self.status.name.lower().replace("_", " ")
        except ValueError:
            self.status, name = status, f"status {status} of a newer runtime"
        self.reason = reason
        advice = _ADVICE.get(status)
        said = in_python(reason) or name
        super().__init__(f"{said} ({name}: {advice})" if advice else said)


class DivergedError(NacreError, ArithmeticError):
    """Training has failed: the loss is infinite or NaN, or has grown a thousandfold. `history` has the epochs until then."""

    history: Any


class LabelError(RunError, ValueError):
    """A label is not a class of the model. `row` is its place in the batch, or in the data of fit(); `value` is the label, and `classes`
    the number of classes."""

    def __init__(self, name: str, element: int, labels: Any, classes: int) -> None:
        shape = tuple(labels.shape) or (1,)
        place: List[int] = []
        for extent in reversed(shape):
            element, index = divmod(element, extent)
            place.insert(0, index)
        value = int(labels[tuple(place)]) if labels.shape else int(labels)
        self._set(name, tuple(place), value, classes)

    def _set(self, name: str, place: Tuple[int, ...], value: int, classes: int) -> None:
        within = f" at {list(place[1:])}" if len(place) > 1 else ""
        super().__init__(Status.BAD_ARGUMENT, f"'{name}' must be from 0 to {classes - 1}, but row {place[0]} has {value}{within}")
        self.name, self.row, self.place, self.value, self.classes = name, place[0], place, value, classes

    def in_data(self, row: int) -> "LabelError":
        """Names the row of all data instead of the row of the batch."""
        self._set(self.name, (row, *self.place[1:]), self.value, self.classes)
        return self
