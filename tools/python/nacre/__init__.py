# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nacre in Python: compile a trained network to machine code, and run it.

>>> import numpy, nacre
>>> model = nacre.compile("convnet.onnx")
>>> answer = model.run({"image": numpy.zeros((1, 3, 96, 96), "float32")})
>>> answer["probabilities"].shape
(1, 10)

compile() and from_torch() return a Model; load() opens a compiled one. Model.run is enough to try a network. Apps use a
Session (Model.session), which has its own memory, inputs written in place, and outputs without copies.
nacre.onnx_backend implements the interface of ONNX's own tests. Messages go to the logger "nacre".

Failures raise exceptions: CompileError with the compiler's diagnostics, LoadError, RunError with the runtime's reason, and
ValueError or TypeError for names, shapes and types of arrays.
"""
from __future__ import annotations

import logging

from .compiler import compile, load  # pylint: disable=redefined-builtin
from .errors import CompileError, Diagnostic, LoadError, NacreError, OptionError, RunError
from .model import Entry, Launch, Model
from .programs import find_program, get_include, get_sample
from .session import Session
from .state import State, StateInfo
from .tensors import TensorInfo, empty, from_bfloat16, to_bfloat16
from .timing import Benchmark, LaunchCost, Profile
from .torch_export import from_torch

try:
    from ._version import __version__  # type: ignore[import]  # Made from the top CMakeLists.txt where the package is installed.
except ImportError:
    __version__ = "0+source"

logging.getLogger("nacre").addHandler(logging.NullHandler())  # Silence, until the app asks for more.

__all__ = ["Benchmark", "CompileError", "Diagnostic", "Entry", "Launch", "LaunchCost", "LoadError", "Model", "NacreError", "OptionError",
           "Profile", "RunError", "Session", "State", "StateInfo", "TensorInfo", "__version__", "compile", "empty", "find_program",
           "from_bfloat16", "from_torch", "get_include", "get_sample", "load", "to_bfloat16"]
