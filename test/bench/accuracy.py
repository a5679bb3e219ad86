#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How exact answers are: of each bench model, and each net of onnx-real, against its operators computed on doubles.

What: a table with a row per output: the largest difference over the largest element, with --accuracy=strict and fast, and of
      the stored answers (ONNX Runtime's, of the bench models). Exit status 1 where strict is beyond 1e-5 or fast beyond 2e-4.
Why:  other runtimes round as we do; what Winograd's method costs in exactness shows only against more exact numbers.
How:  test/conformance/references/onnx.py computes on doubles, which takes minutes for the largest networks; what it computed
      is kept in the work folder. Nets with operators that it does not have are named and left out.
"""
import argparse
import os
import re
import sys

import numpy as np
import rivals
from rivals import call

import agreement  # noqa: E402  (with test/conformance on the path)
from references import onnx  # noqa: E402

BOUNDS = {"strict": 1e-5, "fast": 2e-4}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.add_argument("--data", default=os.path.join(rivals.ROOT, "..", "shared", "data"), help="folder of onnx-real")
    parser.add_argument("--no-real", dest="real", action="store_false", help="leave out onnx-real")
    parser.add_argument("--target", default="host", help="of nacre-compile; an arm64 one runs under qemu")
    return parser.parse_args()


def exact_outputs(case, data_set, work):
    """Computed once: as long as neither the model nor the reference is newer than what is kept."""
    kept = os.path.join(work, "exact.npz")
    sources = [case.path, onnx.__file__, *data_set.inputs.values()]
    if not os.path.exists(kept) or os.path.getmtime(kept) < max(map(os.path.getmtime, sources)):
        outputs = onnx.compute(case.path, {name: onnx.load(file) for name, file in data_set.inputs.items()})
        np.savez(kept, **{str(n): outputs[name] for n, name in enumerate(data_set.outputs)})
    with np.load(kept) as arrays:
        return dict(zip(data_set.outputs, (arrays[str(n)] for n in range(len(data_set.outputs)))))


def our_outputs(case, data_set, accuracy, work, arguments):
    library, folder = os.path.join(work, f"lib{accuracy}.so"), os.path.join(work, accuracy)
    os.makedirs(folder, exist_ok=True)
    shapes = [f"--shape={name}={'x'.join(map(str, shape))}" for name, shape in case.shapes(data_set).items()]
    call(os.path.join(arguments.bin, "nacre-compile"), case.path, "-o", library, f"--target={arguments.target}",
         f"--accuracy={accuracy}", *shapes)
    emulated = arguments.target != "host"
    runner = ["qemu-aarch64", "-L", rivals.ARM64_SYSROOT, "-cpu", "max", os.path.join(arguments.bin, "nacre-run-arm64")] if emulated else \
        [os.path.join(arguments.bin, "nacre-run")]
    call(*runner, library, *(f"--input={name}={file}" for name, file in data_set.inputs.items()), f"--output={folder}")
    return {name: np.load(os.path.join(folder, re.sub(r"[^\w.-]", "_", name) + ".npy")) for name in data_set.outputs}


def distance(array, exact):
    return np.abs(array - exact).max() / max(np.abs(exact).max(), np.finfo(np.float32).tiny)


def rows_of(case, arguments):
    """Whether all outputs are within the bounds; None where the reference lacks an operator."""
    work = os.path.join(os.path.abspath(arguments.work), case.name, "accuracy")
    os.makedirs(work, exist_ok=True)
    data_set = next(iter(case.answers(work)))
    try:
        exact = exact_outputs(case, data_set, work)
    except onnx.Unknown as lacking:
        print(f"{case.name}: left out, the reference has no {lacking}", file=sys.stderr, flush=True)
        return None
    ours = {accuracy: our_outputs(case, data_set, accuracy, work, arguments) for accuracy in BOUNDS}
    is_within = True
    for name, file in data_set.outputs.items():
        errors = {accuracy: distance(ours[accuracy][name], exact[name]) for accuracy in BOUNDS}
        failed = [accuracy for accuracy, error in errors.items() if not error <= BOUNDS[accuracy]]
        is_within = is_within and not failed
        print(f"| {case.name} | {name} | {errors['strict']:.1e} | {errors['fast']:.1e} | {distance(onnx.load(file), exact[name]):.1e} |"
              + (f" {' and '.join(failed)} beyond" if failed else ""), flush=True)
    return is_within


def main():
    arguments = parse_arguments()
    print("| model | output | strict | fast | stored answer |\n|---|---|--:|--:|--:|")
    subjects = agreement.collect(arguments)
    if not subjects:
        print(f"no models in {arguments.data}", file=sys.stderr)
        return 77  # for ctest: skipped
    verdicts = [rows_of(case, arguments) for case in subjects]
    return 0 if True in verdicts and False not in verdicts else 1


if __name__ == "__main__":
    sys.exit(main())
