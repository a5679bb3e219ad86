# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models with nacre-compile, or takes them from the cache.

How:  1. Turn keywords into the options of the same names; write arrays to files (arguments.py).
      2. Let the compiler write into a new folder, so that a failed or interrupted compilation leaves nothing (process.py).
      3. Make that folder an entry of the cache (cache.py), or move the results to their destination atomically, so that a library in use
         does not change.
"""
from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
import shutil
import tempfile
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Union

from .arguments import arguments
from .cache import DESCRIPTION, Cache, CachedLibrary, open_cache
from .errors import CompileError, Diagnostic, LoadError, MissingModelError, OptionError
from .model import Model
from .options import CompileOptions, Path
from .process import Said, libraries_of, run_compiler, version_of
from .programs import find_program
from .progress import make_display
from .sources import Identity, Sources, UncertainError, digest_of, identity_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

log = logging.getLogger("nacre")

#: A model: the path of a file or folder, an onnx.ModelProto, or its bytes.
Source = Union[str, "os.PathLike[str]", bytes, Any]

_FORMAT = 1  # Of the cache's keys and descriptions.
_PROGRESS_DELAY = 1  # Seconds; most models are compiled before.


class CompileKeywords(CompileOptions, total=False):
    """All keywords of compile(), for functions that pass them on."""

    target: str
    library: Optional[Path]
    compiler: Optional[str]
    timeout: Optional[float]
    cache: Union[bool, Path]
    progress: Optional[bool]


class _Request(NamedTuple):
    """A call of nacre-compile, except for the file that it writes."""

    program: str
    path: str
    words: List[str]
    cached: List[str]  # Options about the cache, which change no byte.
    name: str  # Of the library.
    timeout: Optional[float]
    progress: Optional[bool]


class _Result(NamedTuple):
    """A compiled library."""

    path: str
    report: Dict[str, Any]
    said: Said
    folder: Optional[str] = None  # To be removed with the model.
    lock: Optional[int] = None  # Of the cache's entry.


def compile(model: Source, *, target: str = "host", library: Optional[Path] = None,  # pylint: disable=redefined-builtin
            compiler: Optional[str] = None, timeout: Optional[float] = None, cache: Union[bool, Path] = True,
            progress: Optional[bool] = None, **options: Unpack[CompileOptions]) -> Model:
    """Compiles a model, and opens it if it is for this machine.

    `model` is a path (ONNX, TensorFlow, TensorFlow Lite, Caffe, CNNdroid), an onnx.ModelProto, or its bytes. `library` is the .so to write,
    with its C header next to it. By default, it is in the cache, or in a temporary folder that exists as long as the Model is used.
    Every other keyword is an option of nacre-compile (nacre.CompileOptions, nacre-compile --help), with _ instead of -:

    - accuracy="strict", jobs=2: the value;
    - train=True: an option without a value; False and None omit the option;
    - output=["a", "b"], cpu=["cortex-a76", "cortex-a55"]: several values;
    - shape={"x": (1, 3, 224, 224)}, set={"n": 5, "axes": array}, state={"h_in": "h_out"}, loss={"softmax-cross-entropy": "logits"}:
      a value per tensor;
    - shape={"ids": [(1, 16), (1, 64)]}: an entry for each shape, over the same weights. Model.run selects the one that its inputs fit.

    The same model, options and compiler give a library from the cache (nacre.cache_folder). cache=False switches that off; a path is
    another folder. Progress is shown in notebooks and on terminals; `progress` is True or False to decide that.

    Raises CompileError if the model cannot be compiled, OptionError for an unknown option or invalid value, and FileNotFoundError if the
    model does not exist; the last two are CompileErrors, too. Ctrl-C, or the `timeout` in seconds, also ends the compiler and removes
    unfinished files.

    >>> model = compile("convnet.onnx", accuracy="strict")
    >>> model.outputs[0].shape
    (1, 10)
    >>> compile("convnet.onnx", accuracy="best")
    Traceback (most recent call last):
      ...
    nacre.errors.OptionError: accuracy must be fast or strict, but is 'best'
    >>> compile("convnet.onnx", acuracy="strict")
    Traceback (most recent call last):
      ...
    nacre.errors.OptionError: unknown option 'acuracy'; did you mean 'accuracy'?
    """
    if "," in target:
        raise OptionError(f"target must be a single one, because a Model is one library, but is '{target}'; call compile for each")
    asked = None if library is None else os.path.abspath(os.fspath(library))
    if asked and not os.path.isdir(os.path.dirname(asked)):
        raise OptionError(f"the folder of library='{asked}' does not exist")
    with tempfile.TemporaryDirectory(prefix="nacre-") as inputs:
        path = _source_path(model, inputs)
        name = os.path.basename(asked) if asked else f"lib{_stem(path)}.so"
        words = [f"--target={target}", *arguments(options, inputs)]
        opened = None if options.get("time_trace") else open_cache(cache)
        cached = [] if options.get("kernel_cache") else [f"--kernel-cache={opened.kernels if opened else 'off'}"]
        request = _Request(compiler or find_program("nacre-compile"), path, words, cached, name, timeout, progress)
        if asked:
            _require_own_files(_outputs_of(asked, options), path, options, opened.digests if opened else inputs)
        result = _cached(request, opened, options, inputs) if opened else None
        if result is None:
            result = _built(request, os.path.dirname(asked) if asked else None)
    if asked:
        result = _delivered(result, asked)
    result.said.log()
    compiled = Model(result.path, report=result.report, diagnostics=result.said.diagnostics, folder=result.folder, lock=result.lock)
    if target == "host":
        compiled.open()
    return compiled


def load(library: Path, *, report: Optional[Path] = None) -> Model:
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


def _outputs_of(library: str, options: Mapping[str, Any]) -> Dict[str, str]:
    """Returns the files that a compilation writes: what each is, and its path."""
    stem = os.path.splitext(library)[0]
    folder, name = os.path.split(stem)
    outputs = {"library": library, "the header of library": os.path.join(folder, (name[3:] if name.startswith("lib") else name) + ".h")}
    if options.get("weights_in") == "file":
        outputs["the weights file of library"] = stem + ".weights"
    trace = options.get("time_trace")
    if trace and trace is not True:
        outputs["time_trace"] = os.fspath(trace)
    return outputs


def _require_own_files(outputs: Mapping[str, str], model: str, options: Mapping[str, Any], digests: str) -> None:
    """Raises OptionError if an output would take the place of a file that is read, or of another output. nacre-compile, which writes to
    another folder, compares all others."""
    for one, other in itertools.combinations(outputs, 2):
        if os.path.realpath(outputs[one]) == os.path.realpath(outputs[other]):
            raise OptionError(f"{other} must not name the file of {one}, but both are '{outputs[other]}'; choose another file")
    there = {what: path for what, path in outputs.items() if os.path.exists(path)}
    if not there or not os.path.exists(model):
        return
    try:
        inputs = Sources(digests).files(model, options)
    except (OSError, UncertainError):
        inputs = [model]
    if os.path.isdir(model):  # A library may be in it, from an earlier compilation.
        inputs = [path for path in inputs if not path.endswith((".so", ".h", ".weights"))]
    for what, path in there.items():
        for read in inputs:
            if os.path.exists(read) and os.path.samefile(path, read):
                raise OptionError(f"{what} must not name a file that is read, but '{path}' is '{read}'; choose another file")


def _source_path(model: Source, folder: str) -> str:
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if not isinstance(model, bytes):
        named = str(os.fspath(model))
        return os.path.join(".", named) if named.startswith("-") else named
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(model)
    return path


# --- Building -----------------------------------------------------------------------------------------------------------


def _built(request: _Request, parent: Optional[str]) -> _Result:
    """Compiles into a new folder in `parent`, or in a temporary one."""
    folder = tempfile.mkdtemp(prefix=".nacre-" if parent else "nacre-", dir=parent)
    try:
        return _built_in(request, folder)._replace(folder=folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _built_in(request: _Request, folder: str) -> _Result:
    output = os.path.join(folder, request.name)
    with tempfile.TemporaryDirectory(prefix="nacre-") as reports:
        report_path = os.path.join(reports, "report.json")
        try:
            said = run_compiler([request.program, request.path, "-o", output, *request.words, *request.cached, f"--report={report_path}"],
                                make_display(request.progress, _PROGRESS_DELAY), request.timeout)
        except CompileError as error:
            if error.status != 1 or os.path.exists(request.path):
                raise
            raise MissingModelError(str(error), request.path, error.diagnostics, error.output) from None
        if not os.path.exists(report_path):
            raise OptionError(f"these options make no library; run {os.path.basename(request.program)} {' '.join(request.words)}")
        with open(report_path, encoding="utf-8") as file:
            report = json.load(file)
    report["output"] = output
    return _Result(output, report, said)


def _delivered(result: _Result, asked: str) -> _Result:
    """Puts the library and its header where they were asked for."""
    source, target = os.path.dirname(result.path), os.path.dirname(asked)
    try:
        with tempfile.TemporaryDirectory(prefix=".nacre-", dir=target) as folder:
            names = [name for name in os.listdir(source) if name != DESCRIPTION]
            for name in names:
                shutil.copy(os.path.join(source, name), folder)
            for name in names:
                os.replace(os.path.join(folder, name), os.path.join(target, name))
    finally:
        if result.folder is not None:
            shutil.rmtree(result.folder, ignore_errors=True)
        if result.lock is not None:
            os.close(result.lock)
    return _moved(result, asked)._replace(folder=None, lock=None)


def _moved(result: _Result, path: str) -> _Result:
    """Names the new place in the report and the summary."""
    summary = [line.replace(result.path, path) for line in result.said.summary]
    return result._replace(path=path, report={**result.report, "output": path}, said=result.said._replace(summary=summary))


# --- The cache ----------------------------------------------------------------------------------------------------------


def _cached(request: _Request, cache: Cache, options: Mapping[str, Any], inputs: str) -> Optional[_Result]:
    """Returns the library from the cache, after it is compiled if needed. Returns None if this model cannot be cached."""
    sources = Sources(cache.digests)
    try:
        files = sources.files(request.path, options)
        identities = [identity_of(path) for path in files]
        key = _key(request, sources, files, inputs)
    except (OSError, UncertainError) as error:
        log.debug("not cached: %s", error)
        return None
    found = cache.find(key)
    if found is None:
        with cache.building(key, request.timeout):
            found = cache.find(key)
            if found is None:
                return _stored(request, cache, key, files, identities)
    log.debug("from the cache: %s", found.path)
    return _described(found, request.path)


def _key(request: _Request, sources: Sources, files: List[str], inputs: str) -> str:
    around = os.path.dirname(os.path.abspath(request.path))
    program = shutil.which(request.program) or request.program
    words = [word.replace(inputs, "") for word in request.words if not word.startswith(("--jobs=", "--kernel-cache="))]  # They change no byte.
    own = [os.path.join(inputs, name) for name in sorted(os.listdir(inputs))]
    is_native = any(word == "--target=host" or (word.startswith("--cpu=") and "native" in word) for word in words)
    return digest_of({
        "format": _FORMAT, "compiler": [sources.digest(program), version_of(program, request.timeout)], "options": words, "name": request.name,
        "libraries": [sources.build(path) for path in libraries_of(program, request.timeout)],
        "kind": os.path.splitext(request.path)[1], "cpu": _cpu() if is_native else None,
        "files": [[os.path.relpath(path, around) if index else "", sources.digest(path)] for index, path in enumerate(files)],
        "arrays": [[os.path.basename(path), sources.digest(path)] for path in own]})


def _cpu() -> List[str]:
    """Describes this machine's CPUs: folders of caches are shared between machines."""
    kinds = ("vendor_id", "cpu family", "model", "stepping", "flags", "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features")
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        return sorted({line.strip() for line in file if line.partition(":")[0].strip() in kinds})
    return list(os.uname())


def _stored(request: _Request, cache: Cache, key: str, files: List[str], identities: List[Identity]) -> _Result:
    folder = cache.new_folder()
    try:
        built = _built_in(request, folder)
        described = {"library": request.name, "model": request.path, "built": built.path, "report": built.report,
                     "summary": built.said.summary, "diagnostics": built.said.diagnostics}
        stored = None  # Also if the entry does not fit; then the library is the caller's.
        if identities == [identity_of(path) for path in files]:  # Else it may be a mixture of old and new files.
            stored = cache.store(key, folder, described)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return _described(stored, request.path) if stored else built._replace(folder=folder)


def _described(found: CachedLibrary, model: str) -> _Result:
    """Returns an entry of the cache as the result of compiling `model`, which may have had another path."""
    described = found.description
    diagnostics = [Diagnostic(*fields) for fields in described["diagnostics"]]
    diagnostics = [one._replace(file=model) if one.file == described["model"] else one for one in diagnostics]
    result = _Result(described["built"], {**described["report"], "model": model}, Said(described["summary"], diagnostics), lock=found.lock)
    return _moved(result, found.path)
