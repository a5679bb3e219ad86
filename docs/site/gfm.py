# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The difference between Markdown as repositories show it, which pages are written in, and as mkdocs reads it.

A list may follow a paragraph at once and what belongs to an entry is indented as the entry's text is; mkdocs wants an empty line
before and four blanks.
"""
import re

ENTRY = re.compile(r"^( *)([-*]|\d+\.)( +)")
FENCE = re.compile(r"^ *```")


def for_mkdocs(text):
    out, open_entries, fenced, before = [], [], False, ""  # Of each open entry the column of its text.
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        entry = None if fenced else ENTRY.match(line)
        if line.strip() and not fenced:
            column = len(entry[1]) if entry else indent
            goes_on = before.strip() and not entry and not FENCE.match(line)  # A line of the same paragraph, however it is indented.
            while open_entries and column < open_entries[-1] and not goes_on:
                open_entries.pop()
            if entry and before.strip() and not open_entries and not ENTRY.match(before) and not before.startswith(" "):
                out.append("")
        depth = len(open_entries)
        inside = open_entries[-1] if open_entries else 0
        if FENCE.match(line):
            fenced = not fenced
        out.append(" " * (4 * depth) + line[min(inside, indent):] if line.strip() else "")
        if entry:
            open_entries.append(len(entry[0]))
        before = line
    return "\n".join(out)


def cell(text):
    """Text that fits into a cell of a table."""
    return " ".join(text.replace("|", "\\|").split())


def code(text, language=""):
    return f"```{language}\n{text.rstrip()}\n```\n"
