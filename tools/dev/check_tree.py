#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses what makes a tree hard to enter: rooms without a README, READMEs and docs that name lost paths, files without a
licence line, paths of one machine, rooms for everything and nothing, deep folders, binaries."""
import os
import re

import tree

ROOMS = ("dialects/nn", "dialects/plan", "compiler", "compiler/import", "compiler/graph", "compiler/kernels", "compiler/kernels/forms",
         "compiler/kernels/storages", "compiler/place", "compiler/schedule", "codegen", "codegen/form", "codegen/cpu",
         "codegen/cpu/contraction", "codegen/cpu/fallback", "codegen/cpu/nest", "codegen/gpu", "codegen/gpu/contraction",
         "codegen/gpu/points", "codegen/package", "runtime", "runtime/src/gpu_vulkan/trials", "tools", "test", "samples", "docs")
README_LINES = 15
DEPTH = 5
LICENSED = (".c", ".cpp", ".h", ".hpp", ".td", ".def", ".py", ".cmake", ".sh", "CMakeLists.txt", ".in", ".ifs")
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
MACHINE_PATH = re.compile(r"(?<![A-Za-z0-9_.])/(?:" + "work|root|farm|home" + r")/[\w.-]+|(?<![A-Za-z0-9_.])/tmp/[A-Za-z]")
CATCH_ALL = re.compile(r"(^|/)(utils?|common|misc|helpers?)(/|\.[a-z]+$)", re.IGNORECASE)
NAMED_PATH = re.compile(r"`([\w.-]+(?:/[\w.{},-]+)+/?)`|\]\(([^)#:\s]+)(?:#[^)]*)?\)")
MAX_BYTES = 1 << 20


def expand(path):
    """The paths that `a/{b,c}` stands for."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [p for part in match.group(1).split(",") for p in expand(path[:match.start()] + part + path[match.end():])]


def exists(document, path):
    bases = (tree.ROOT, os.path.join(tree.ROOT, os.path.dirname(document)))
    return any(os.path.exists(os.path.join(base, path)) for base in bases)


def of_rooms():
    for room in ROOMS:
        path = f"{room}/README.md"
        if not os.path.isfile(os.path.join(tree.ROOT, path)):
            yield f"{path}: is missing; say in {README_LINES} lines what the room reads and writes, where to start, what never"
        elif len(tree.read(path).splitlines()) > README_LINES:
            yield f"{path}: must have at most {README_LINES} lines"


def of_document(path, text):
    for match in NAMED_PATH.finditer(text):
        for named in expand(match.group(1) or match.group(2)):
            if not named.startswith(("build/", "../shared", "nacre/", "mlir/", "llvm/", "io/")) and not exists(path, named):
                yield f"{path}: names {named}, which does not exist"


def of_file(path):
    if path.count("/") > DEPTH:
        yield f"{path}: is more than {DEPTH} folders deep"
    if CATCH_ALL.search(path):
        yield f"{path}: is named for everything and nothing; name it after what it holds"
    if os.path.getsize(os.path.join(tree.ROOT, path)) > MAX_BYTES:
        yield f"{path}: is larger than 1 MiB; make it when it is needed"
    text = tree.read(path)
    if text is None:
        return
    if text.startswith("#!") and not os.access(os.path.join(tree.ROOT, path), os.X_OK):
        yield f"{path}: names its interpreter but cannot be executed; chmod +x {path}"
    if path.endswith(LICENSED) and SPDX not in text[:400]:
        yield f"{path}: must begin with the line {SPDX}"
    for match in MACHINE_PATH.finditer(text):
        yield f"{path}: has a path of one machine, {match.group(0)}"
    if path.endswith(".md"):
        yield from of_document(path, text)


def main():
    tree.finish([*of_rooms(), *(problem for path in tree.files() for problem in of_file(path))])


if __name__ == "__main__":
    main()
