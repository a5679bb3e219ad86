#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses pass entries that do not teach: each has a summary of its own, a why, Requires, Ensures and an example."""
import re

import tree

ENTRY = re.compile(r"^def (\w+)\s*:\s*Pass<\s*\"([^\"]+)\"", re.MULTILINE)


def entries(text):
    starts = list(ENTRY.finditer(text))
    for match, following in zip(starts, [*starts[1:], None]):
        yield match.group(1), match.group(2), text[match.start():following.start() if following else len(text)]


def problems_of(path, text):
    for record, flag, body in entries(text):
        summary = re.search(r'let summary = "([^"]*)"', body)
        words = flag.removeprefix("nacre-").replace("-", " ")
        if not summary or summary.group(1).lower().rstrip(".") == words:
            yield f"{path}: {record}: write a summary that is a sentence of its own, not the pass's name again"
        if "let description" not in body:
            yield f"{path}: {record}: write a description that says why the pass exists"
            continue
        for part in ("Requires:", "Ensures:"):
            if part not in body:
                yield f"{path}: {record}: the description must have a paragraph beginning with {part}"
        if "```mlir" not in body and not flag.startswith("nacre-verify-"):  # a verifier rewrites nothing
            yield f"{path}: {record}: show an example in a block ```mlir, and put it into the lit test as @documented_example"


def main():
    found = [path for path in tree.files() if path.endswith("Passes.td")]
    tree.finish([problem for path in found for problem in problems_of(path, tree.read(path))])


if __name__ == "__main__":
    main()
