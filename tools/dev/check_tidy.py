#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses C++ in which clang-tidy finds a mistake, or a name that is none of ours; .clang-tidy says what it looks for.

usage: tools/dev/check_tidy.py [--build=FOLDER] [--all | path ...]

Without --all, what is compiled without MLIR's headers: that takes seconds. The others take minutes, and their headers must be
precompiled: build first. In the suite, a sample (NACRE_SAMPLE) checks one file in four of those without MLIR, and tools/check --full all files.
The version is pinned, since each finds a little more.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess

import tree

TIDY = "clang-tidy-22"
QUICK = ("runtime/", "samples/", "test/runtime/", "test/vulkan/", "tools/phone/", "tools/process/", "tools/run/", "tools/tune/")
PARTS = 4
FINDING = re.compile(r"^(/[^:]+):(\d+):\d+: (?:error|warning): (.*)$", re.MULTILINE)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(tree.ROOT, "build", "release"), help="folder of compile_commands.json")
    parser.add_argument("--all", action="store_true", help="everything")
    parser.add_argument("paths", nargs="*", help="files and folders, from the root of the repository")
    return parser.parse_args()


def sources(arguments):
    """C++ that the build compiles, but what it generates, and within what is asked for."""
    with open(os.path.join(arguments.build, "compile_commands.json"), encoding="utf-8") as file:
        compiled = {os.path.relpath(os.path.join(row["directory"], row["file"]), tree.ROOT) for row in json.load(file)}
    sample = os.environ.get("NACRE_SAMPLE")
    everything = arguments.all or arguments.paths or os.environ.get("NACRE_FULL")
    wanted = tuple(arguments.paths) or ("",) if everything else QUICK
    paths = sorted(path for path in compiled.intersection(tree.files()) if path.startswith(wanted) and path.endswith(".cpp"))
    return paths[int(sample) % PARTS::PARTS] if sample and not everything else paths


def findings(path, build):
    """[(file, line, message)] of one source and of the headers that it includes."""
    done = subprocess.run([TIDY, "--experimental-custom-checks", "-p", build, "--quiet", os.path.join(tree.ROOT, path)], capture_output=True, text=True)
    found = [(os.path.relpath(file, tree.ROOT), int(line), message) for file, line, message in FINDING.findall(done.stdout)]
    return found if found or done.returncode == 0 else [(path, 0, (done.stderr or done.stdout).strip())]


def main():
    arguments = parse_arguments()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = {one for some in pool.map(lambda path: findings(path, arguments.build), sources(arguments)) for one in some}
    problems = [f"{file}:{line}: {message}" for file, line, message in sorted(found)]
    if problems:
        problems.append(f"fix: {TIDY} --experimental-custom-checks -p {os.path.relpath(arguments.build)} --fix FILE mends some")
    tree.finish(problems)


if __name__ == "__main__":
    main()
