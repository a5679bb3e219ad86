# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of the repository, for the checks beside this file, and how they report.

Each check takes `--root=FOLDER`, another tree to look at: test/lint/rules_test.py shows each rule a tree that breaks it.
"""
import fnmatch
import os
import sys


def take_root():
    """The tree to look at; the option is taken out of sys.argv."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for argument in [argument for argument in sys.argv[1:] if argument.startswith("--root=")]:
        root = os.path.abspath(argument.removeprefix("--root="))
        sys.argv.remove(argument)
    return root


ROOT = take_root()


def ignored_patterns():
    """The patterns of .gitignore; `/name` stands for a path of the root, `name` for a name anywhere."""
    lines = (read(".gitignore") or "").splitlines() if os.path.exists(os.path.join(ROOT, ".gitignore")) else []
    return ["/.git", *(line.strip().rstrip("/") for line in lines if line.strip() and not line.startswith("#"))]


def files():
    """Paths of all files, relative to the root, except those that .gitignore names. It does not ask git: a machine may have no git,
    and a source archive has no repository. A file that is not yet added to git is checked like any other."""
    patterns, found = ignored_patterns(), []

    def is_ignored(path):
        return any(fnmatch.fnmatch("/" + path if pattern.startswith("/") else os.path.basename(path), pattern) for pattern in patterns)

    for folder, inner, names in os.walk(ROOT):
        paths = {name: os.path.relpath(os.path.join(folder, name), ROOT) for name in inner + names}
        inner[:] = [name for name in inner if not is_ignored(paths[name])]
        found += [paths[name] for name in names if not is_ignored(paths[name]) and os.path.isfile(os.path.join(ROOT, paths[name]))]
    return sorted(found)


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
