#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether GPUs give the reference's answers: every bench model and onnx-real, at each placement and precision.

What: a table with a row per model and way to run it: the worst error, launches of each engine, messages of a validation
      layer. Ends with how many agree; exit status 1 where one does not.
Why:  a model is hundreds of kernels on each other's results; what is right by itself may be wrong in their midst.
How:  the conformance runner on whatever device there is, lavapipe where there is no other; with
      VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation under the eyes of the validation layer, whose messages are failures.
      fp32 agrees within 1e-3 of an element + 1e-4 of the largest, fp16 within 2e-2 of the largest. Models with operators
      that Nacre does not have are left out; answers that test/conformance knows to be wrong are `expected` to differ.
"""
import argparse
import os
import shutil
import sys
import tempfile

import rivals

sys.path.insert(0, os.path.join(rivals.ROOT, "test", "conformance"))
import cases  # noqa: E402
import onnx_cases  # noqa: E402
import run  # noqa: E402
import runner  # noqa: E402

PRECISIONS = {"fp32": {"rtol": 1e-3, "atol": 1e-4}, "fp16": {"rtol": 0, "atol": 2e-2}}
WAYS = (("gpu", "fp32"), ("split:50", "fp32"), ("gpu", "fp16"), ("split:50", "fp16"))


def bench_case(name):
    path, data = os.path.join(rivals.FOLDER, name + ".onnx"), os.path.join(rivals.FOLDER, "io", name)
    model = rivals.read_model(path)
    files = {side: {tensor.name: os.path.join(data, f"{side}_{n}.npy") for n, tensor in enumerate(tensors)}
             for side, tensors in (("input", model.free_inputs()), ("output", model.outputs))}
    known = [cases.DataSet(files["input"], files["output"])]
    return onnx_cases.OnnxCase("bench", name, path, answers=lambda scratch: known, model=model)


def collect(arguments):
    bench = [bench_case(name) for name in arguments.models.split(",") if name]
    operators = run.read_operators()
    real = onnx_cases.read_group(arguments.data, "onnx-real") if arguments.real else []
    return [*bench, *(case for case in real if not case.unlisted(*operators))]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=rivals.BIN, help="folder of nacre-compile and nacre-run")
    parser.add_argument("--models", default=",".join(rivals.MODELS), help="comma-separated bench models; empty: none")
    parser.add_argument("--data", default=os.path.join(rivals.ROOT, "..", "shared", "data"), help="folder of onnx-real")
    parser.add_argument("--no-real", dest="real", action="store_false", help="leave out onnx-real")
    parser.add_argument("--way", action="append", choices=["/".join(way) for way in WAYS], help="may be repeated (default: all)")
    parser.add_argument("--seconds", type=int, default=1800, help="limit of each program")
    return parser.parse_args()


def row_of(case, way, arguments, work, expected):
    placement, precision = way
    options = argparse.Namespace(bin=os.path.abspath(arguments.bin), seconds=arguments.seconds, memory_gib=0, keep=False,
                                 **PRECISIONS[precision])
    target = runner.Target("gpu", ("--target=host", f"--place={placement}", f"--gpu-precision={precision}"), ("--gpu",))
    outcome = runner.Runner(options, work).case(case, [target])[0]
    is_expected = outcome.kind == "wrong" and (case.id, "gpu") in expected
    verdict = "agrees" if outcome.kind == "passed" else "expected" if is_expected else "FAILED"
    error = f"{outcome.error:.1e}" if outcome.kind == "passed" else "-"
    print(f"| {case.name} | {placement} | {precision} | {error} | {outcome.gpu} | {outcome.cpu} | {outcome.messages} | "
          f"{verdict} |", flush=True)
    if verdict == "FAILED":
        print(f"{case.name}: {outcome.text}", file=sys.stderr, flush=True)
    return verdict


def main():
    arguments = parse_arguments()
    ways = [tuple(way.split("/")) for way in arguments.way] if arguments.way else WAYS
    expected = run.read_expected_failures([runner.TARGETS["gpu"]])
    work = tempfile.mkdtemp(prefix="nacre-agreement-")
    print("| model | placement | precision | worst error / largest element | launches, GPU | launches, CPU | validation messages | |")
    print("|---|---|---|--:|--:|--:|--:|---|")
    try:
        verdicts = [row_of(case, way, arguments, work, expected) for case in collect(arguments) for way in ways]
    finally:
        shutil.rmtree(work, ignore_errors=True)
    failed = verdicts.count("FAILED")
    print(f"\n{len(verdicts) - failed} of {len(verdicts)} as they must be"
          + (f", {verdicts.count('expected')} of them known to differ from a wrong answer" if "expected" in verdicts else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
