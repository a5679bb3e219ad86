# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds Nacre's programs: first in this package, where a wheel puts them, then on PATH."""
from __future__ import annotations

import os
import shutil
import sys
from typing import NoReturn

from .errors import NacreError

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def find_program(name: str) -> str:
    """Returns the path of a program, such as nacre-compile."""
    own = os.path.join(_PACKAGE, "bin", name)
    found = own if os.access(own, os.X_OK) else shutil.which(name)
    if not found:
        raise NacreError(f"{name} is neither in this package nor on PATH; install Nacre's wheel or its packages, or add the folder "
                         "of its programs to PATH")
    return found


def find_library(folder: str, name: str) -> str:
    """Returns the path of a library that is installed with the programs, in lib/nacre/<folder>."""
    own = os.path.join(_PACKAGE, "bin", "nacre-run")
    for program in filter(None, [own, shutil.which("nacre-run"), shutil.which("nacre-compile")]):
        path = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(program))), "lib", "nacre", folder, name)
        if os.path.exists(path):
            return path
    raise NacreError(f"{name} is neither in this package nor next to nacre-run on PATH; install Nacre's wheel or its packages")


def get_sample(name: str = "convnet.onnx") -> str:
    """Returns the path of a small example: a picture classifier with random weights, or a picture for it
    (convnet.input.npy)."""
    for program in filter(None, [os.path.join(_PACKAGE, "bin", "nacre-compile"), shutil.which("nacre-compile")]):
        path = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(program))), "share", "nacre", name)
        if os.path.exists(path):
            return path
    raise NacreError(f"{name} does not exist; install Nacre's wheel or the package nacre, or build it")


def get_include() -> str:
    """Returns the folder of nacre/runtime.h in an installed wheel, for C and C++ apps that run compiled libraries."""
    folder = os.path.join(_PACKAGE, "include")
    if not os.path.isdir(folder):
        raise NacreError("this package was installed without nacre/runtime.h; it is in the package libnacre-dev, or where "
                         "cmake --install put it")
    return folder


def main() -> NoReturn:
    """Replaces this script by the program of the same name; a wheel installs one script per program."""
    name = os.path.basename(sys.argv[0])
    own = os.path.join(_PACKAGE, "bin", name)
    if not os.access(own, os.X_OK):  # Not from PATH, where this script itself would be found.
        sys.exit(f"{name}: this package was installed without programs")
    os.execv(own, [name, *sys.argv[1:]])
