#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses what makes a tree hard to enter: rooms that no README names, crowded and deep ones, files that are too long, READMEs and
docs that name lost paths, files without a licence line, paths of one machine, rooms for everything and nothing, binaries, names of
attributes that passes leave for one another away from where these are declared."""
import collections
import os
import re

import tree

README_LINES = 15
TABLE = "docs/decisions/README.md"  # It has a row for each decision.
DEPTH = 4  # Folders below the root; tests count from the folder that they mirror.
SOURCES = 20  # Of a room.
FILES = 40  # Of a room: sources, headers, tables and scripts.
SOURCES_WITH_README = 5  # So many want one of their own, tests apart.
LINES = 400
COUNTED = (".c", ".cpp", ".h", ".hpp", ".td", ".def", ".py")
HAND_WRITTEN = (".c", ".cpp", ".h", ".hpp", ".td", ".def", ".py", ".cmake", ".mlir", ".md", ".java", ".js", ".css", ".html", "CMakeLists.txt")
OVERVIEW = "docs/overview.md"
LICENSED = (".c", ".cpp", ".h", ".hpp", ".td", ".def", ".py", ".cmake", ".sh", ".java", ".js", ".css", ".html", "CMakeLists.txt", ".in", ".ifs")
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
MACHINE_PATH = re.compile(r"(?<![A-Za-z0-9_.])/(?:" + "work|root|farm|home" + r")/[\w.-]+|(?<![A-Za-z0-9_.])/tmp/[A-Za-z]")
CATCH_ALL = re.compile(r"(^|/)(utils?|common|misc|helpers?)(/|\.[a-z]+$)", re.IGNORECASE)
NAMED_PATH = re.compile(r"`([\w.-]+(?:/[\w.{},-]+)+/?)`|\]\(([^)#:\s]+)(?:#[^)]*)?\)")
MAX_BYTES = 1 << 20
# What passes and phases note for one another is declared once, with who writes it and who reads it.
NOTES = {"nacre": "codegen/KernelNotes.h", "plan": "dialects/plan/Notes.h"}
NOTE = re.compile(r'"(' + "|".join(NOTES) + r')\.[a-z_]+"')


def expand(path):
    """The paths that `a/{b,c}` stands for."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [p for part in match.group(1).split(",") for p in expand(path[:match.start()] + part + path[match.end():])]


def exists(document, path):
    bases = (tree.ROOT, os.path.join(tree.ROOT, os.path.dirname(document)))
    return any(os.path.exists(os.path.join(base, path)) for base in bases)


def ancestors(room):
    """The folders around a room, the nearest first; the root is empty."""
    while room:
        room = os.path.dirname(room)
        yield room


def mirrored(room):
    """What a room of tests is named by: the sources whose folders it mirrors."""
    for prefix in ("test/unit/", "test/"):
        if room.startswith(prefix) and os.path.isdir(os.path.join(tree.ROOT, room.removeprefix(prefix))):
            return True
    return os.path.basename(room) == "Inputs"


def depth_of(room):
    """The number of folders, without those around a mirror of the sources: `test/unit/codegen/gpu/points` is as deep as `codegen/gpu/points`."""
    for prefix in ("test/unit/", "test/"):
        rest = room.removeprefix(prefix)
        if rest != room and os.path.isdir(os.path.join(tree.ROOT, rest.split("/")[0])):
            return rest.count("/") + 1
    return room.count("/") + 1


def is_file(path):
    return os.path.isfile(os.path.join(tree.ROOT, path))


def is_named(room):
    documents = [os.path.join(around, "README.md") for around in ancestors(room)] + [OVERVIEW]
    name = re.compile(rf"(?<![\w/.-]){re.escape(room)}(?![\w-])")
    return any(name.search(tree.read(path)) for path in documents if is_file(path))


def of_rooms(paths):
    sources = collections.Counter(os.path.dirname(path) for path in paths if path.endswith((".c", ".cpp")))
    files = collections.Counter(os.path.dirname(path) for path in paths if path.endswith(COUNTED))
    for room in sorted({os.path.dirname(path) for path in paths if "/" in path and not path.startswith(".")}):
        if depth_of(room) > DEPTH:
            yield f"{room}: is more than {DEPTH} folders deep"
        if sources[room] > SOURCES:
            yield f"{room}: has {sources[room]} sources, but at most {SOURCES} are easy to find one's way in; divide it by what they are about"
        if files[room] > FILES:
            yield f"{room}: has {files[room]} files, but at most {FILES} are easy to find one's way in; divide it by what they are about"
        if is_file(os.path.join(room, "README.md")) or mirrored(room):
            continue
        if sources[room] >= SOURCES_WITH_README and not room.startswith("test/"):
            yield (f"{room}: has {sources[room]} sources and no README.md; say in {README_LINES} lines what the room reads and writes, "
                   "where to start, what never")
        elif not is_named(room):
            yield f"{room}: is named by no README; name its path in that of a folder around it, or give it one of its own"
    for path in paths:
        if path.endswith("README.md") and "/" in path and path != TABLE and len(tree.read(path).splitlines()) > README_LINES:
            yield f"{path}: must have at most {README_LINES} lines"


def of_document(path, text):
    for match in NAMED_PATH.finditer(text):
        for named in expand(match.group(1) or match.group(2)):
            if not named.startswith(("build/", "../shared", "nacre/", "mlir/", "llvm/", "io/")) and not exists(path, named):
                yield f"{path}: names {named}, which does not exist"


def of_file(path):
    if CATCH_ALL.search(path):
        yield f"{path}: is named for everything and nothing; name it after what it holds"
    if os.path.getsize(os.path.join(tree.ROOT, path)) > MAX_BYTES:
        yield f"{path}: is larger than 1 MiB; make it when it is needed"
    text = tree.read(path)
    if text is None:
        return
    if path.endswith(HAND_WRITTEN) and text.count("\n") > LINES:
        yield f"{path}: has {text.count(chr(10))} lines, but must have at most {LINES}; divide it by what it is about"
    if text.startswith("#!") and not os.access(os.path.join(tree.ROOT, path), os.X_OK):
        yield f"{path}: names its interpreter but cannot be executed; chmod +x {path}"
    if path.endswith(LICENSED) and SPDX not in text[:400]:
        yield f"{path}: must begin with the line {SPDX}"
    for match in MACHINE_PATH.finditer(text):
        yield f"{path}: has a path of one machine, {match.group(0)}"
    for match in NOTE.finditer(text) if path.endswith((".c", ".cpp", ".h", ".def")) else ():
        if path != NOTES[match.group(1)]:
            yield f"{path}: spells the note {match.group(0)}; use its name in {NOTES[match.group(1)]}, and declare it there if it is new"
    if path.endswith(".md"):
        yield from of_document(path, text)


def main():
    paths = tree.files()
    tree.finish([*of_rooms(paths), *(problem for path in paths for problem in of_file(path))])


if __name__ == "__main__":
    main()
