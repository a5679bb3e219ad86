#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses pass entries that do not teach: each has a summary of its own, a why, Requires, Ensures and an example, which is a test.

An example is named, not copied: `Example: test/compiler/graph/fold-scales.mlir`, the lit test of that pass, whose function or entry
`@documented_example` it is. tools/dev/pass_pages.py prints it with what the pass makes of it.
"""
import os
import re

import tree

DEFINITION = re.compile(r"^def (\w+)\s*:\s*(\w+)(.*)", re.MULTILINE)
FLAG = re.compile(r'\s*<\s*"([^"]+)"')
EXAMPLE = re.compile(r"Example: (test/[\w./-]+\.mlir)")


def entries(text):
    """[(record, flag or None, body)] of all definitions of passes, also of those that derive from a class of their own."""
    starts = list(DEFINITION.finditer(text))
    for match, following in zip(starts, [*starts[1:], None]):
        flag = FLAG.match(match.group(3))
        if flag or match.group(1).endswith("Pass"):
            yield match.group(1), flag and flag.group(1), text[match.start():following.start() if following else len(text)]


def words_of(body):
    """The description as one line of words."""
    description = re.search(r"let description = \[\{(.*?)\}\]", body, re.DOTALL)
    return " ".join(description.group(1).split()) if description else ""


def faults_of_example(flag, path):
    if not os.path.isfile(os.path.join(tree.ROOT, path)):
        return "which does not exist"
    if not os.path.basename(path).startswith(flag.removeprefix("nacre-")):
        return "which is not the test of this pass; name it after the pass"
    text = tree.read(path)
    if not re.search(rf"^// RUN:.*(?<![\w.]){re.escape(flag)}(?![\w-])", text, re.MULTILINE):
        return f"which does not run {flag}"
    if not re.search(r"^(?!\s*//).*@documented_example", text, re.MULTILINE):
        return "which has no @documented_example"
    if not re.search(r"^// [\w-]+: .*@documented_example|// expected-error", text, re.MULTILINE):
        return "which does not check what becomes of @documented_example"
    return None


def problems_of(path, text):
    for record, flag, body in entries(text):
        where = f"{path}: {record}"
        if not flag:
            yield f"{where}: give its flag as the first argument of its class, \"nacre-<verb>-<object>\""
            continue
        summary = re.search(r'let summary = "([^"]*)"', body)
        if not summary or summary.group(1).lower().rstrip(".") == flag.removeprefix("nacre-").replace("-", " "):
            yield f"{where}: write a summary that is a sentence of its own, not the pass's name again"
        description = words_of(body)
        if not description:
            yield f"{where}: write a description that says why the pass exists"
            continue
        for part in ("Requires:", "Ensures:"):
            if part not in description:
                yield f"{where}: the description must have a paragraph beginning with {part}"
        if "```" in body:
            yield f"{where}: name the test that the example is in instead of copying it"
        example = EXAMPLE.search(description)
        if not example:
            yield f"{where}: name the example, as 'Example: test/<room>/<pass>.mlir', a lit test with a @documented_example"
        elif fault := faults_of_example(flag, example.group(1)):
            yield f"{where}: names {example.group(1)} as its example, {fault}"


def main():
    found = [path for path in tree.files() if path.endswith("Passes.td")]
    tree.finish([problem for path in found for problem in problems_of(path, tree.read(path))])


if __name__ == "__main__":
    main()
