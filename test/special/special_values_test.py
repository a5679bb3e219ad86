#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each engine makes of the numbers at which functions break is what nacre-eval makes of them.

What: models of one node for each elementwise and row operator and each element type (operators.py), on numbers such as the ends of types,
      infinities, NaNs of several payloads, numbers too small to be normal, ties and the borders of functions (values.py).
How:  a library runs on this machine, as arm64 under qemu, or on a GPU, which is lavapipe where there is no other; nacre-eval computes the same in
      double precision. A result must be within the operator's bound, or NaN alike. Numbers too small to be normal may be taken for zeros
      (docs/runtime.md, "Small numbers"), so a result may also be the one that nacre-eval has for zeros in their place. What differs all the same
      stands in exceptions.py with a reason; an exception that nothing needs fails the test.
"""
import argparse
import itertools
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import defaultdict, namedtuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "e2e"))
import nacre  # noqa: E402
import values  # noqa: E402
from element_types import TYPES  # noqa: E402
from exceptions import EXCEPTIONS  # noqa: E402
from onnx_writer import _tensor  # noqa: E402
from operators import make_families  # noqa: E402

RUN_ARM64 = ("qemu-aarch64", "-L", nacre.ARM64_SYSROOT, os.path.join(nacre.BIN, "nacre-run-arm64"))
Engine = namedtuple("Engine", "compile run")
ENGINES = {"host": Engine(("--target=host",), (os.path.join(nacre.BIN, "nacre-run"),)),
           "arm64": Engine(("--target=linux-arm64",), RUN_ARM64),
           "gpu": Engine(("--target=host", "--place=gpu"), (os.path.join(nacre.BIN, "nacre-run"), "--gpu"))}

# arguments: the elements that a result is computed of, one of each input, or the line of the first.
Difference = namedtuple("Difference", "engine type label arguments is_ must")


def call(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True, errors="replace")
    if done.returncode or "Validation" in done.stdout or "VUID-" in done.stdout:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")


#===-- Runs -----------------------------------------------------------------------------------------------------------------------------===#


def save_inputs(family, folder, change):
    """Options that give all inputs, each number of which has gone through `change`."""
    options = []
    os.mkdir(folder)
    for name, (element, shape, codes) in family.inputs.items():
        path = os.path.join(folder, name + ".pb")
        with open(path, "wb") as file:
            file.write(_tensor(name, element.onnx, shape, values.pack(element, change(element, codes))))
        options.append(f"--input={name}={path}")
    return options


def read_outputs(family, folder):
    outputs = {}
    for name, output in family.outputs.items():
        with open(os.path.join(folder, name + ".npy"), "rb") as file:
            data = file.read()
        outputs[name] = output.element.unpack(data[10 + struct.unpack("<H", data[8:10])[0]:])
        assert len(outputs[name]) == math.prod(output.shape)
    return outputs


def run(family, folder, command, inputs):
    os.mkdir(folder)
    call(*command, f"--output={folder}", *inputs)
    return read_outputs(family, folder)


#===-- Comparison -----------------------------------------------------------------------------------------------------------------------===#


def spacing(element, value):
    return math.ldexp(1.0, max(math.frexp(value)[1] - element.digits, math.frexp(element.smallest)[1] - element.digits))


def agrees(element, bound, largest, is_, must):
    """`largest` is the largest finite element of the line that the result is computed of."""
    if not element.is_float:
        return is_ == must
    if math.isnan(is_) or math.isnan(must):
        return math.isnan(is_) == math.isnan(must)
    if is_ == must == 0:
        return math.copysign(1, is_) == math.copysign(1, must)
    if is_ == must or max(abs(is_), abs(must)) <= element.smallest and bound.ulps + bound.near > 0 or max(abs(is_), abs(must)) < element.smallest:
        return True
    if is_ * must < 0 and math.inf in (abs(is_), abs(must)):
        return False
    # Beyond the largest number, infinity is the next power of two.
    beyond = math.ldexp(1.0, math.frexp(element.largest)[1]) if element.bits < 64 else math.inf
    is_, must = (math.copysign(min(abs(value), beyond), value) for value in (is_, must))
    if math.isinf(is_ - must):
        return False
    digits = max(element.digits, 24)  # halves are computed in f32
    unit = math.ldexp(1.0, 1 - digits)
    allowed = max(bound.ulps * math.ldexp(spacing(element, must), element.digits - digits), bound.near * unit, bound.row * largest * unit)
    if digits != element.digits and bound != (0, 0, 0):
        allowed += spacing(element, must)
    return abs(is_ - must) <= allowed


class Arguments:
    """What an output's elements are computed of."""

    def __init__(self, family, output):
        self.output = output
        inputs = [family.inputs[name] for name in output.inputs]
        self.columns = [values.decode(i.element, i.codes) for i in inputs]
        self.codes = [i.codes for i in inputs]
        if output.lines is None:
            return
        shape, axis = inputs[0].shape, output.lines
        inner = math.prod(shape[axis + 1:])
        extent = shape[axis]
        self.lines = [[self.columns[0][outer * extent * inner + i * inner + at] for i in range(extent)]
                      for outer in range(math.prod(shape[:axis])) for at in range(inner)]
        # A result has fewer elements along the axis, or as many.
        kept = math.prod(output.shape) // len(self.lines)
        self.line_of = [outer * inner + at for outer in range(math.prod(shape[:axis])) for _ in range(kept) for at in range(inner)]

    def __getitem__(self, i):
        if self.output.lines is None:
            return tuple(column[i] for column in self.columns)
        return tuple(self.lines[self.line_of[i]])

    def largest(self, i):
        return 0 if self.output.lines is None else max((abs(x) for x in self[i] if math.isfinite(x)), default=0)


def compare(engine, element, family, is_, references):
    for name, output in family.outputs.items():
        arguments = Arguments(family, output)
        for i, x in enumerate(is_[name]):
            if not any(agrees(output.element, output.bound, arguments.largest(i), x, reference[name][i]) for reference in references):
                yield Difference(engine, element.name, output.label, arguments[i], x, references[0][name][i])


def differences(engine, element, family, work):
    model = os.path.join(work, "model.onnx")
    family.graph.save(model)
    library = os.path.join(work, "libmodel.so")
    inputs = save_inputs(family, os.path.join(work, "inputs"), lambda _, codes: codes)
    zeros = save_inputs(family, os.path.join(work, "zeros"), values.flushed)
    call(os.path.join(nacre.BIN, "nacre-compile"), model, "-o", library, "--quiet", *ENGINES[engine].compile)
    is_ = run(family, os.path.join(work, engine), [*ENGINES[engine].run, library], inputs)
    evaluate = [os.path.join(nacre.BIN, "nacre-eval"), model]
    references = [run(family, os.path.join(work, "exact"), evaluate, inputs), run(family, os.path.join(work, "flushed"), evaluate, zeros)]
    return list(compare(engine, element, family, is_, references))


#===-- Exceptions -----------------------------------------------------------------------------------------------------------------------===#


def is_known(exception, difference):
    return (difference.engine in exception.engines and difference.type in exception.types and difference.label in exception.labels
            and exception.when(difference))


def describe(difference):
    arguments = ", ".join(f"{x:.9g}" if isinstance(x, float) else str(x) for x in difference.arguments)
    return f"{difference.engine} {difference.type} {difference.label}({arguments}) is {difference.is_!r}, must be {difference.must!r}"


def judge(engine, types, found, shown):
    """Prints what is wrong; returns whether anything is."""
    unused = [e for e in EXCEPTIONS if engine in e.engines and any(t in e.types for t in types)]
    wrong = defaultdict(list)
    for difference in found:
        known = [e for e in EXCEPTIONS if is_known(e, difference)]
        unused = [e for e in unused if e not in known]
        if not known:
            wrong[difference.type, difference.label].append(difference)
    for (element, label), cells in wrong.items():
        print(f"{engine} {element} {label}: {len(cells)} results differ from nacre-eval's")
        for difference in itertools.islice(cells, shown):
            print("   ", describe(difference))
    for exception in unused:
        print(f"exceptions.py: nothing needs the exception of {', '.join(exception.labels)} on {engine}: {exception.reason}")
    return bool(wrong or unused)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("--type", action="append", choices=TYPES, help="element type; may be repeated (default: all)")
    parser.add_argument("--family", default="", help="only families whose name begins so")
    parser.add_argument("--shown", type=int, default=3, help="differences shown for each operator")
    options = parser.parse_args()
    if options.engine == "arm64" and not (shutil.which("qemu-aarch64") and os.path.isdir(nacre.ARM64_SYSROOT)):
        print("skipped: needs qemu-aarch64 and an arm64 sysroot")
        sys.exit(77)
    types = options.type or list(TYPES)
    found, cells = [], 0
    for element in (TYPES[name] for name in types):
        for family in make_families(element):
            if not family.graph.name.startswith(options.family):
                continue
            with tempfile.TemporaryDirectory(prefix="nacre-special-") as work:
                found += differences(options.engine, element, family, work)
            cells += sum(math.prod(output.shape) for output in family.outputs.values())
    failed = judge(options.engine, types, found, options.shown)
    print(f"{cells} results compared on {options.engine}, {len(found)} differ")
    sys.exit(failed)


if __name__ == "__main__":
    main()
