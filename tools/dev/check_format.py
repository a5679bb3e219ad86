#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses C and C++ that clang-format would write otherwise; `--fix` lets it.

The version is pinned, since each formats a little differently.
"""
import os
import subprocess
import sys

import tree

FORMATTER = "clang-format-22"

sources = [os.path.join(tree.ROOT, path) for path in tree.files() if path.endswith((".cpp", ".h", ".hpp", ".c"))]
if "--fix" in sys.argv[1:]:
    sys.exit(subprocess.run([FORMATTER, "-i", *sources]).returncode)

done = subprocess.run([FORMATTER, "--dry-run", "-Werror", "--ferror-limit=1", *sources], capture_output=True, text=True)
problems = [line for line in done.stderr.split("\n") if "error:" in line]
if done.returncode and not problems:
    problems = [done.stderr.strip()]
if problems:
    problems.append("fix: tools/dev/check_format.py --fix")
tree.finish(problems)
