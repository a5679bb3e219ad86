# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of the repository, for the checks beside this file, and how they report.

Each check takes `--root=FOLDER`, another tree to look at: test/lint/rules_test.py shows each rule a tree that breaks it.
"""
import os
import subprocess
import sys


def take_root():
    """The tree to look at; the option is taken out of sys.argv."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for argument in [argument for argument in sys.argv[1:] if argument.startswith("--root=")]:
        root = os.path.abspath(argument.removeprefix("--root="))
        sys.argv.remove(argument)
    return root


ROOT = take_root()


def files():
    """Paths relative to the root: what git tracks, or everything outside build/ where there is no git."""
    try:
        if not os.path.exists(os.path.join(ROOT, ".git")):
            raise OSError("a folder inside some other repository, perhaps")
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
