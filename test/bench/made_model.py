# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts a network that a script makes beside the bench models: the model, a seeded input, and ONNX Runtime's answer."""
import argparse
import math
import os
import random
import sys

import rivals

sys.path.insert(0, os.path.join(rivals.ROOT, "samples", "models"))
from onnx_writer import Graph, write_npy  # noqa: E402, F401  (the scripts build with it)


def add_arguments(parser):
    parser.add_argument("--bin", default=rivals.BIN, help="folder of ort_run")
    parser.add_argument("--folder", default=rivals.FOLDER, help="folder of the bench models")


def save(graph, name, shape, arguments):
    """`shape`: of the one input, whose numbers are between -1 and 1."""
    path, io = os.path.join(arguments.folder, name + ".onnx"), os.path.join(arguments.folder, "io", name)
    os.makedirs(io, exist_ok=True)
    graph.save(path)
    seeded = random.Random(1)
    write_npy(os.path.join(io, "input_0.npy"), shape, (seeded.uniform(-1, 1) for _ in range(math.prod(shape))))
    rivals.call(os.path.join(arguments.bin, "ort_run"), "--lib", rivals.ort_library("x64"), "--threads", 1, "--runs", 1,
                "--data", io, "--dump", io, path)
    print(path)


def main(doc, build, name, shape):
    """The command of a script that makes one network; `doc` is the script's, `build` makes its graph."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    add_arguments(parser)
    try:
        save(build(), name, shape, parser.parse_args())
    except rivals.Failure as error:
        sys.exit(str(error))
