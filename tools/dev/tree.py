# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of the repository, for the checks beside this file, and how they report."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def files():
    """Paths relative to the root: what git tracks, or everything outside build/ where there is no git."""
    try:
        listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, check=True, text=True).stdout.split("\n")
        found = [path for path in listed if path]
    except (OSError, subprocess.CalledProcessError):
        found = [os.path.relpath(os.path.join(folder, name), ROOT) for folder, _, names in os.walk(ROOT) for name in names]
        found = [path for path in found if not path.startswith(("build/", ".git/"))]
    return sorted(path for path in found if os.path.isfile(os.path.join(ROOT, path)))


def read(path):
    """The text of a file, or None where it is not text."""
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError:
        return None


def finish(problems):
    """Prints the problems and ends the program."""
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problem{'s' * (len(problems) != 1)}")
    sys.exit(1 if problems else 0)
