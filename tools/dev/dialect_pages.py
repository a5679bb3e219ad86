#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the page of a dialect: each operation with its syntax, meaning, example and operands, then the values of its enumerations.

usage: tools/dev/dialect_pages.py path/to/mlir-tblgen dialect output.md -Ifolder...

How:  mlir-tblgen documents the dialect; this drops the names of C++ classes, shortens types, and makes Markdown tables of HTML ones.
"""
import os
import re
import subprocess
import sys

import tree

DROPPED = re.compile(r"^(?:<!--|\[TOC\]|####|Interfaces:|Effects:|## Operations)")
HTML_ROW = re.compile(r"^<tr><td><code>(.*?)</code></td><td>.*?</td><td>(.*?)</td></tr>$")
# How types are written in the IR.
TYPES = [(r"(\d+)-bit float", r"f\1"), (r"bfloat16 type", "bf16"), (r"(\d+)-bit signless integer", r"i\1"), (r"(\d+)-bit unsigned integer", r"ui\1"),
         (r"statically shaped ", ""), (r" values(?=$| or | \|)", ""), (r" or (?=u?i\d|f\d|bf16)", ", ")]


def shortened(text):
    for long, short in TYPES:
        text = re.sub(long, short, text)
    return text


def of_line(line, dialect):
    """The lines that stand for a line of mlir-tblgen's outside of code."""
    row = HTML_ROW.match(line)
    operation = re.match(r"### `([\w.]+)`", line)
    if row:
        yield f"| `{row[1]}` | {shortened(row[2])} |"
    elif line == "<tr><th>Attribute</th><th>MLIR Type</th><th>Description</th></tr>":
        yield from ("| Attribute | Description |", "|---|---|")
    elif operation:
        yield f"## {operation[1]}"
    elif line.startswith(f"# '{dialect}'"):
        yield f"# The dialect {dialect}"
    elif line.startswith("_") and line.endswith("_"):
        yield line.strip("_") + "."
    elif not DROPPED.match(line) and line not in ("<table>", "</table>", "Syntax:"):
        yield shortened(line) if line.startswith("|") else line


def operations(text, dialect):
    is_code = False
    for line in text.splitlines():
        if line.startswith("```"):
            yield "```text" if line == "```" and not is_code else line
            is_code = not is_code
        elif is_code:
            yield line
        else:
            yield from of_line(line, dialect)


def attributes(text, dialect):
    """Those with a description; all others only name an enumeration."""
    for name, words, syntax, description in re.findall(r"^### (\w+)Attr\n\n_([^\n]*)_\n\nSyntax:\n\n```\n(.*?)```\n\n(.*?)(?=^###|\Z)", text, re.MULTILINE | re.DOTALL):
        description = description.split("#### Parameters:")[0].strip()
        if description:
            yield from (f"## The attribute {name}", "", f"{words}.", "", "```text", syntax.replace(f"::nacre::{dialect}::", "").rstrip(), "```", "", description, "")


def enumerations(text):
    for name, words, cases in re.findall(r"^### (\w+)\n\n_([^\n]*)_\n\n#### Cases:\n\n(.*?)(?=^###|\Z)", text, re.MULTILINE | re.DOTALL):
        values = re.findall(r"^\| \w+ \| `\d+` \| (\w+) \|$", cases, re.MULTILINE)
        yield from (f"## Values of {name}", "", f"{words}. Values: {', '.join(f'`{value}`' for value in values)}.", "")


def page(text, dialect):
    before, _, after = text.partition("\n## Attributes\n")
    of_attributes, _, of_enumerations = after.partition("\n## Enums\n")
    lines = [*operations(before, dialect), "", *attributes(of_attributes, dialect), *enumerations(of_enumerations)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def main():
    tblgen, dialect, output, *includes = sys.argv[1:]
    folder = os.path.join("dialects", dialect)
    definitions = sorted(name for name in os.listdir(os.path.join(tree.ROOT, folder)) if name.endswith("Ops.td"))
    text = subprocess.run([tblgen, "-gen-dialect-doc", f"-dialect={dialect}", f"-I{tree.ROOT}", *includes, "-"], check=True, stdout=subprocess.PIPE, text=True,
                          input="".join(f'include "{folder}/{name}"\n' for name in definitions)).stdout
    with open(output, "w", encoding="utf-8") as file:
        file.write(page(text, dialect))


if __name__ == "__main__":
    main()
