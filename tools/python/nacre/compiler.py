# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs nacre-compile.

How:  1. Turn keywords into the options of the same names; write arrays to files.
      2. Let the compiler write into a new folder, so that a failed or interrupted compilation leaves nothing.
      3. Move the results to their destination atomically, so that a library in use does not change.
"""
from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from typing import Any, Iterator, List, Mapping, Optional, Union

import numpy as np

from .errors import CompileError, LoadError, OptionError, read_diagnostics
from .model import Model
from .programs import find_program

log = logging.getLogger("nacre")

#: A model: the path of a file or folder, an onnx.ModelProto, or its bytes.
Source = Union[str, "os.PathLike[str]", bytes, Any]

# How nacre-compile accepts several values or pairs (test/python/compile_test.py compares this with its --help).
COMMAS = frozenset({"cpu", "entries", "trainable", "frozen"})
PAIRS = {"shape": "=", "set": "=", "batch-axis": ":", "state": ":", "dropout": ":", "loss": ":"}
# Options that compile() sets itself, or that make no library.
OURS = frozenset({"o", "quiet", "report", "help", "help-hidden", "help-list", "version"})
NO_LIBRARY = frozenset({"check", "compile-to", "emit", "list-operators", "list-weights"})


def compile(model: Source, *, target: str = "host", library: Optional[Union[str, "os.PathLike[str]"]] = None,  # pylint: disable=redefined-builtin
            compiler: Optional[str] = None, timeout: Optional[float] = None, **options: Any) -> Model:
    """Compiles a model, and opens it if it is for this machine.

    `model` is a path (ONNX, TensorFlow, TensorFlow Lite, Caffe, CNNdroid), an onnx.ModelProto, or its bytes. `library` is the .so to write,
    with its C header next to it. By default, it is in a temporary folder that exists as long as the Model is used. Every other
    keyword is an option of nacre-compile (nacre-compile --help), with _ instead of -:

    - accuracy="strict", jobs=2: the value;
    - train=True: an option without a value; False and None omit the option;
    - output=["a", "b"], cpu=["cortex-a76", "cortex-a55"]: several values;
    - shape={"x": (1, 3, 224, 224)}, set={"n": 5, "axes": array}, state={"h_in": "h_out"}, loss={"softmax-cross-entropy": "logits"}:
      a value per tensor.

    Raises CompileError if the model cannot be compiled, and OptionError for an unknown option or invalid value. Ctrl-C, or the
    `timeout` in seconds, also ends the compiler and removes unfinished files.

    >>> model = compile("convnet.onnx", accuracy="strict")
    >>> model.outputs[0].shape
    (1, 10)
    >>> compile("convnet.onnx", accuracy="best")
    Traceback (most recent call last):
      ...
    nacre.errors.OptionError: --accuracy must be fast or strict, but is 'best'
    """
    if "," in target:
        raise OptionError(f"target must be a single one, because a Model is one library, but is '{target}'; call compile for each")
    program = compiler or find_program("nacre-compile")
    asked = None if library is None else os.path.abspath(os.fspath(library))
    if asked and not os.path.isdir(os.path.dirname(asked)):
        raise OptionError(f"the folder of library='{asked}' does not exist")
    folder = tempfile.mkdtemp(prefix=".nacre-" if asked else "nacre-", dir=os.path.dirname(asked) if asked else None)
    try:
        path = _source_path(model, folder)
        built = os.path.join(folder, "built")
        os.mkdir(built)
        output = os.path.join(built, os.path.basename(asked) if asked else f"lib{_stem(path)}.so")
        report_path = os.path.join(folder, "report.json")
        command = [program, path, "-o", output, f"--target={target}", f"--report={report_path}",
                   *_arguments(options, folder)]
        said = _run(command, timeout)
        with open(report_path, encoding="utf-8") as file:
            report = json.load(file)
        report["output"] = asked or output
        if asked:
            for name in os.listdir(built):
                os.replace(os.path.join(built, name), os.path.join(os.path.dirname(asked), name))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if asked:
        shutil.rmtree(folder)
    compiled = Model(asked or output, report=report, diagnostics=said, folder=None if asked else folder)
    if target == "host":
        compiled.open()
    return compiled


def load(library: Union[str, "os.PathLike[str]"], *, report: Optional[Union[str, "os.PathLike[str]"]] = None) -> Model:
    """Opens a library that nacre-compile wrote; `report` is the file of its --report, if any.

    >>> load("convnet.onnx")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
      ...
    nacre.errors.LoadError: '.../convnet.onnx' must be a .so made by nacre-compile, but is not a shared library
    """
    contents = None
    if report is not None:
        with open(report, encoding="utf-8") as file:
            contents = json.load(file)
        if not isinstance(contents, dict) or "launches" not in contents:
            raise LoadError(f"'{os.fspath(report)}' is not a report of nacre-compile --report")
    model = Model(os.path.abspath(os.fspath(library)), report=contents)
    model.open()
    return model


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(os.path.normpath(path)))[0] or "model"


def _source_path(model: Source, folder: str) -> str:
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if not isinstance(model, bytes):
        named = os.fspath(model)
        return os.path.join(".", named) if named.startswith("-") else named
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(model)
    return path


def _arguments(options: Mapping[str, Any], folder: str) -> Iterator[str]:
    for keyword, value in options.items():
        name = keyword.rstrip("_").replace("_", "-")
        if name in OURS:
            raise OptionError(f"{keyword} is not an option of compile(), which sets --{name} itself")
        if name in NO_LIBRARY:
            raise OptionError(f"{keyword} is not an option of compile(), because it makes no library; run nacre-compile --{name}")
        if value is True:
            yield f"--{name}"
        elif value is not None and value is not False:
            yield from (f"--{name}={text}" for text in _values(name, value, folder))


def _values(name: str, value: Any, folder: str) -> List[str]:
    if isinstance(value, Mapping):
        if name not in PAIRS:
            raise OptionError(f"{name.replace('-', '_')} does not accept a dict; options that do are {', '.join(sorted(PAIRS)).replace('-', '_')}")
        return [f"{tensor}{PAIRS[name]}{_spelled(name, tensor, part, folder)}" for tensor, part in value.items()]
    if isinstance(value, (list, tuple, set, frozenset)):
        parts = [_spelled(name, "", part, folder) for part in value]
        return [",".join(parts)] if name in COMMAS else parts
    return [_spelled(name, "", value, folder)]


def _spelled(name: str, tensor: str, value: Any, folder: str) -> str:
    if name == "set" and tensor and not isinstance(value, (str, os.PathLike)):
        path = os.path.join(folder, f"set-{len(os.listdir(folder))}.npy")
        np.save(path, np.asarray(value))
        return path
    if name == "shape" and isinstance(value, (list, tuple)):
        return "x".join(map(str, value)) or "scalar"
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


@contextlib.contextmanager
def _interrupts_later() -> Iterator[None]:
    """Delays Ctrl-C: until Popen returns, nothing could end the new process."""
    former = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(former):
        yield
        return
    late: list = []
    signal.signal(signal.SIGINT, lambda *arguments: late.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
        if late:
            former(*late[0])


def _run(command: List[str], timeout: Optional[float]) -> list:
    """Runs the compiler and returns its messages, or raises a CompileError."""
    log.debug("%s", " ".join(command))
    process = None
    try:
        with _interrupts_later():
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                                       encoding="utf-8", errors="replace")
        summary, said = process.communicate(timeout=timeout)
    except OSError as error:
        raise CompileError(f"cannot start '{command[0]}': {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise CompileError(f"the compiler took more than {timeout} s and was killed", status=-signal.SIGKILL) from None
    finally:  # KeyboardInterrupt, above all.
        if process is not None:
            with process:
                process.kill()  # One that has ended stays as it is.
    diagnostics = read_diagnostics(said)
    if process.returncode == 0:
        for line in summary.splitlines():
            log.info("%s", line)
        for diagnostic in diagnostics:
            log.log(logging.WARNING if diagnostic.severity == "warning" else logging.INFO, "%s", diagnostic)
        return diagnostics
    output = summary + said
    if process.returncode == 2:
        lines = [line.replace("nacre-compile: ", "") for line in said.splitlines() if line]
        raise OptionError("\n".join(lines) or "the options are wrong", diagnostics, output, 2)
    if process.returncode < 0:
        name = signal.Signals(-process.returncode).name
        raise CompileError(f"the compiler was killed by {name}\n{said.strip()}", diagnostics, output, process.returncode)
    errors = [str(diagnostic) for diagnostic in diagnostics if diagnostic.severity == "error"]
    raise CompileError("\n".join(errors) or output.strip(), diagnostics, output, process.returncode)
