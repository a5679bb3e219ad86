#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses FileCheck captures that may take more than a name: `%[[X:.*]] = ` also matches across a comma, an operand, half a line.

What such a capture swallows is not checked, and a later use of the variable looks for the whole of it. `[[X:[^ ,:()]+]]` takes a name.
"""
import re

import tree

LOOSE = re.compile(r"\[\[[$#]?\w+:[^\]]*\.[*+].*?\]\]")


def problems_of(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        for capture in LOOSE.findall(line):
            yield f"{path}:{number}: {capture} may capture anything; write [^ ,:()]+ for a name"


def main():
    tests = [path for path in tree.files() if path.startswith("test/") and path.endswith((".mlir", ".test"))]
    tree.finish([problem for path in tests for problem in problems_of(path, tree.read(path) or "")])


if __name__ == "__main__":
    main()
