# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of this package. Wrong names, shapes and types of arrays raise ValueError and TypeError instead."""
from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Optional

from ._native import Status


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


class NacreError(Exception):
    """Base of all exceptions of this package."""


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
        super().__init__(f"{reason or name} ({name}: {advice})" if advice else reason or name)
