# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can go wrong, as exceptions. Wrong names, shapes and types of arrays are ValueError and TypeError, as everywhere."""
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
    node: Optional[str]  #: The model's node; None where the message is about none.
    severity: str  #: error, warning or note
    message: str

    def __str__(self) -> str:
        return self.file + (f':"{self.node}"' if self.node else "") + f": {self.severity}: {self.message}"


_LINE = re.compile(r'^(?P<file>.*?)(?::"(?P<node>(?:[^"\\]|\\.)*)")?: (?P<severity>error|warning|note): (?P<message>.*)$')


def read_diagnostics(text: str) -> List[Diagnostic]:
    """The messages among the lines that nacre-compile wrote.

    >>> read_diagnostics('a.onnx:"n": error: unsupported operator')
    [Diagnostic(file='a.onnx', node='n', severity='error', message='unsupported operator')]
    """
    matches = (_LINE.match(line) for line in text.splitlines())
    return [Diagnostic(**match.groupdict()) for match in matches if match]


class NacreError(Exception):
    """What all exceptions of this package are."""


class CompileError(NacreError):
    """The model cannot be compiled. `diagnostics` has the compiler's messages one by one, `output` all that it wrote, and
    `status` how it ended: 1 where the model is at fault, 2 where an option is, less than 0 where a signal ended it."""

    def __init__(self, message: str, diagnostics: Optional[List[Diagnostic]] = None, output: str = "", status: int = 1) -> None:
        super().__init__(message)
        self.diagnostics: List[Diagnostic] = diagnostics or []
        self.output = output
        self.status = status


class OptionError(CompileError, ValueError):
    """An option of compile() that the compiler does not have, or a value that it does not take."""


class LoadError(NacreError):
    """A file is no model that this machine can run; the message says what it is instead."""


_ADVICE: Dict[int, str] = {Status.BAD_ARGUMENT: "correct the call", Status.OUT_OF_MEMORY: "free some memory and try again",
           Status.UNSUPPORTED: "this device or runtime cannot run this model",
           Status.FAILED: "close the session; a new one may succeed",
           Status.CANCELLED: "run again whenever you like",
           Status.TOO_MANY_ITERATIONS: "change the inputs, or raise max_iterations"}


class RunError(NacreError):
    """The runtime refused a call, or a run failed. `status` says what to do next, `reason` is the runtime's own words."""

    def __init__(self, status: int, reason: str) -> None:
        try:
            self.status: int = Status(status)
            name = self.status.name.lower().replace("_", " ")
        except ValueError:
            self.status, name = status, f"status {status} of a newer runtime"
        self.reason = reason
        advice = _ADVICE.get(status)
        super().__init__(f"{reason or name} ({name}: {advice})" if advice else reason or name)
