#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses Markdown pages that a formatter of source code has joined or split: it destroys headings, lists, tables and paths."""
import os
import re

import pages
import tree

# Traces of a formatter: it takes `#` for a preprocessor's line, and `:` and `/` for operators.
HEADING = re.compile(r"^#+[^#\s]")
SPACED_COLON = re.compile(r"(?<=\w) : (?=\w)|(?<=\w) :$")
LIST_MARKER = re.compile(r"[.,;:)`]\s*-\s+[A-Z`*]|[.,;:)`]-\s+\w|[.;:]\s+\d\.\s+\*\*")
SPACED_PATH = re.compile(r"`([\w.-]+(?: ?/ ?[\w.-]+)* / ?[\w.-]+(?: ?/ ?[\w.-]+)*)`")
INDENT = 8  # Enough for a list in a list.
RULE = re.compile(r"^\|(?: *:?-+:? *\|)+$")
ESCAPED_PIPE = re.compile(r"\\\|")


def cells(row):
    return ESCAPED_PIPE.sub("", row).count("|") - 1


def of_tables(path, lines):
    """Yields what is wrong with tables: each needs a header, a rule, and rows of as many cells."""
    columns, before = 0, ("", 0)
    for number, line in lines:
        row = line.strip()
        if not row.startswith("|"):
            if "|" in ESCAPED_PIPE.sub("", pages.without_code(row)):
                yield f"{path}:{number}: has a table's row that begins in the middle of a line; give each row a line of its own"
            columns = 0
        elif RULE.match(row):
            columns = cells(row)
            if before != (columns, number - 1):
                yield f"{path}:{number}: has a table without a header of {columns} cells; write one above its rule"
        elif columns and cells(row) != columns:
            yield f"{path}:{number}: has {cells(row)} cells in a table of {columns}; complete the row, or write \\| inside of a cell"
        before = cells(row) if row.startswith("|") else "", number


def of_page(path, source):
    lines = list(pages.lines_of(source))
    for number, line in lines:
        text = pages.without_code(line)
        if HEADING.match(text):
            yield f"{path}:{number}: has '#' without a space after it; write '# ' before a heading"
        if SPACED_COLON.search(text):
            yield f"{path}:{number}: has a space before a colon; delete it"
        if LIST_MARKER.search(text):
            yield f"{path}:{number}: has a list's marker in the middle of a line; begin a line with it"
        if len(line) - len(line.lstrip()) > INDENT:
            yield f"{path}:{number}: is indented by more than {INDENT}; write prose at the left, or code in a fence"
        if text.count("``") * 2 != text.count("`"):
            yield f"{path}:{number}: has a code span that does not end on its line; write it on one line"
        for match in SPACED_PATH.finditer(line):
            joined = match[1].replace(" ", "")
            if os.path.exists(os.path.join(tree.ROOT, joined)):
                yield f"{path}:{number}: has spaces in a path; write {joined}"
    yield from of_tables(path, lines)


def main():
    tree.finish([problem for path in tree.files() if path.endswith(".md") for problem in of_page(path, tree.read(path))])


if __name__ == "__main__":
    main()
