# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds Nacre's programs: in this package, where a wheel puts them, then on PATH."""
from __future__ import annotations

import os
import shutil
import sys
from typing import NoReturn

from .errors import NacreError

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def find_program(name: str) -> str:
    """The path of a program, as nacre-compile."""
    own = os.path.join(_PACKAGE, "bin", name)
    found = own if os.access(own, os.X_OK) else shutil.which(name)
    if not found:
        raise NacreError(f"{name} is neither in this package nor on PATH; install Nacre's wheel or its packages, or add the folder "
                         "of its programs to PATH")
    return found


def get_sample(name: str = "convnet.onnx") -> str:
    """The path of a small network to try things on, a classifier of pictures with random weights, or of convnet.input.npy, a
    picture for it."""
    for program in filter(None, [os.path.join(_PACKAGE, "bin", "nacre-compile"), shutil.which("nacre-compile")]):
        path = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(program))), "share", "nacre", name)
        if os.path.exists(path):
            return path
    raise NacreError(f"{name} is not there; Nacre's wheel and the package nacre have it, and a build makes it")


def get_include() -> str:
    """The folder of nacre/runtime.h in an installed wheel, for C and C++ apps that run what compile() wrote."""
    folder = os.path.join(_PACKAGE, "include")
    if not os.path.isdir(folder):
        raise NacreError("this package was installed without nacre/runtime.h; it is in the package libnacre-dev, or where "
                         "cmake --install put it")
    return folder


def main() -> NoReturn:
    """Becomes the program that this script is named after; a wheel installs one script for each."""
    name = os.path.basename(sys.argv[0])
    own = os.path.join(_PACKAGE, "bin", name)
    if not os.access(own, os.X_OK):  # Not from PATH, where this script itself would be found.
        sys.exit(f"{name}: this package was installed without programs")
    os.execv(own, [name, *sys.argv[1:]])
