#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the page of all passes: what Passes.td says of each, its example from the lit test, and what the pass makes of it now.

usage: tools/dev/pass_pages.py path/to/nacre-opt output.md
"""
import os
import re
import shlex
import subprocess
import sys
import textwrap

import check_passes
import tree

TITLE = """# The passes of nacre-opt

This page is generated from the `Passes.td` of each folder and their lit tests. The output of the pass follows the arrow.
"""
LINES = 60  # Of what a pass wrote; the tests have the rest.
OPTIONS_OF_TESTS = ("--split-input-file", "--verify-diagnostics")
ENGINES = {"all": "", "CPU": "Engine: changes only what `plan.engine` gives the CPU.\n\n", "GPU": "Engine: changes only what `plan.engine` gives the GPU.\n\n",
           "not CPU": "Engine: leaves what `plan.engine` gives the CPU as it is.\n\n"}


def example_of(path):
    """The part of a lit test that holds @documented_example, without comments."""
    parts = re.split(r"^// -----$", tree.read(path), flags=re.MULTILINE)
    part = next(part for part in parts if re.search(r"^(?!\s*//).*@documented_example", part, re.MULTILINE))
    lines = [line for line in part.splitlines() if not line.lstrip().startswith("//")]
    return "\n".join(lines).strip("\n")


def options_of(path, flag):
    """What the test's first run of the pass gives nacre-opt. A line may go on in the next one, as lit allows."""
    text = re.sub(r"\\\n// RUN:", "", tree.read(path))
    run = next(run for run in re.findall(r"^// RUN: (.*)$", text, re.MULTILINE) if flag in run)
    words = shlex.split(run.split("|")[0].replace("2>&1", ""))
    return [word for word in words if word.startswith("-") and word not in OPTIONS_OF_TESTS]


def result_of(opt, path, flag, example):
    done = subprocess.run([opt, *options_of(path, flag), "-"], input=example, capture_output=True, text=True, check=False)
    if done.returncode and "-invalid" not in path:
        sys.exit(f"{path}: {flag} fails on its documented example:\n{done.stderr}")
    errors = [line.split(": ", 1)[-1] for line in done.stderr.splitlines() if re.match(r"<stdin>|-:", line) and "see current" not in line]
    lines = errors if done.returncode else done.stdout.strip("\n").split("\n")
    more = [f"// ... and {len(lines) - LINES} more lines"] if len(lines) > LINES else []
    return "\n".join(lines[:LINES] + more)


def page_of(opt, flag, body):
    summary = re.search(r'let summary = "([^"]*)"', body).group(1)
    description = textwrap.dedent(re.search(r"let description = \[\{\n(.*?)\n\s*\}\]", body, re.DOTALL).group(1))
    path = check_passes.EXAMPLE.search(check_passes.words_of(body)).group(1)
    example = example_of(path)
    engine = ENGINES[check_passes.WORDS_FOR[check_passes.engines_of(body)]]
    return (f"## {flag}\n\n{summary}.\n\n{description.strip()}\n\n{engine}```mlir\n{example}\n```\n\n→\n\n"
            f"```mlir\n{result_of(opt, path, flag, example)}\n```\n")


def main():
    opt, output = sys.argv[1:]
    rooms = [path for path in tree.files() if path.endswith("Passes.td")]
    pages = [page_of(opt, flag, body) for path in rooms for _, flag, body in check_passes.entries(tree.read(path)) if flag]
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join([TITLE, *pages]))


if __name__ == "__main__":
    main()
