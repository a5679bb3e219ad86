# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nacre in Python: compile a trained network to machine code, and run it.

    model = nacre.compile("model.onnx")         or nacre.from_torch(module, example), nacre.load("libmodel.so")
    outputs = model.run({"image": array})       arrays by name; model.inputs and model.outputs have names, shapes and types
    nacre.image("cat.jpg", model, mean=0.5)     the array that a picture becomes; also nacre.sound
    model.benchmark(array)                      also profile, memory, report

    model.session(threads=2)                    for apps: own memory, inputs written in place, outputs without copies
    model.fit(x, y, epochs=3, learning_rate=0.1)     trains a model compiled with train=True; also evaluate
    model.state                                 what the model keeps between runs: trained weights, recurrent values

Failures raise CompileError with the compiler's diagnostics, LoadError, RunError with the runtime's reason, and ValueError or
TypeError for names, shapes and types of arrays. Messages go to the logger "nacre".

help(nacre.compile), help(nacre.Model) and help(nacre.Session) tell more; nacre.CompileOptions lists the compiler's options.
"""
# Names are exported as type checkers expect it, "X as X", and there is no __all__, so that help(nacre) prints only the text above. dir(nacre)
# lists the same names, without the modules that they come from.
from __future__ import annotations

import logging as _logging
import types as _types
from typing import List as _List

from .cache import cache_folder as cache_folder
from .cache import clear_cache as clear_cache
from .callbacks import Callback as Callback
from .callbacks import Checkpoint as Checkpoint
from .callbacks import EarlyStopping as EarlyStopping
from .callbacks import Training as Training
from .compiler import compile as compile  # pylint: disable=redefined-builtin
from .compiler import load as load
from .entries import Entry as Entry
from .entries import Launch as Launch
from .errors import CompileError as CompileError
from .errors import Diagnostic as Diagnostic
from .errors import DivergedError as DivergedError
from .errors import LabelError as LabelError
from .errors import LoadError as LoadError
from .errors import NacreError as NacreError
from .errors import OptionError as OptionError
from .errors import RunError as RunError
from .history import Curve as Curve
from .history import History as History
from .model import Model as Model
from .options import CompileOptions as CompileOptions
from .pictures import image as image
from .programs import find_program as find_program
from .programs import get_include as get_include
from .programs import get_sample as get_sample
from .session import Session as Session
from .session_options import SessionOptions as SessionOptions
from .sounds import sound as sound
from .state import State as State
from .state import StateInfo as StateInfo
from .tensors import TensorInfo as TensorInfo
from .tensors import empty as empty
from .tensors import from_bfloat16 as from_bfloat16
from .tensors import to_bfloat16 as to_bfloat16
from .timing import Benchmark as Benchmark
from .timing import LaunchCost as LaunchCost
from .timing import Profile as Profile
from .torch_export import from_torch as from_torch

try:
    from ._version import __version__ as __version__  # type: ignore[import]  # Made from the top CMakeLists.txt where it is installed.
except ImportError:
    __version__ = "0+source"

_logging.getLogger("nacre").addHandler(_logging.NullHandler())  # Silence, until the app asks for more.
del annotations


def __dir__() -> _List[str]:
    return ["__doc__", "__version__", *(name for name, value in globals().items() if not name.startswith("_") and not isinstance(value, _types.ModuleType))]
