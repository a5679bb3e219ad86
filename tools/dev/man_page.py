#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a manual page: a template of docs/man, completed with what the program itself says in --help.

usage: man_page.py TEMPLATE VERSION PROGRAM PAGE

A line of the template that holds nothing but @USAGE@, @OPTIONS@ or the heading of one of --help's closing sections, as
@EXAMPLES@, is replaced by that part of --help; @VERSION@ by the version. So an option is described once, in the program.
"""
import re
import subprocess
import sys

import help_text


def roff(text):
    """`text` as roff shows it: hyphens that can be copied, and nothing taken for an escape or a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return "\\&" + text if text.startswith(".") else text


def spelling(name, rest):
    """What is typed bold, what stands for something else italic."""
    return "\\fB" + roff(name) + "\\fR" + re.sub("<([^<>]*)>", r"\\fI\1\\fR", roff(rest))


def options(lines):
    """--help's list of options, in its groups. Words that follow an option begin a paragraph at the left margin."""
    before = "group"
    for kind, *parts in help_text.options(lines):
        if kind == "group":
            yield ".SS " + roff(parts[0])
        elif kind == "words":
            yield from [".PP"] * (before in ("option", "inner")) + [roff(parts[0])]
        else:
            name, rest, text = parts
            inner = kind == "inner"
            yield from [".RS"] * inner + [".TP", spelling(name, rest), roff(text)] + [".RE"] * inner
        before = kind


def section(lines):
    """A closing section of --help: words and their texts, or commands and what they do."""
    waiting = list(filter(None, lines))
    while waiting:
        line = waiting.pop(0)
        meaning = help_text.DEFINITION.fullmatch(line)
        if meaning or help_text.DEEP.fullmatch(line):
            text = [meaning["text"] if meaning else line.strip()]
            while waiting and help_text.DEEP.fullmatch(waiting[0]):
                text.append(waiting.pop(0).strip())
            yield from [".TP", "\\fB" + roff(meaning["word"]) + "\\fR", roff(" ".join(text))] if meaning else [".RS 4", roff(" ".join(text)), ".RE"]
            continue
        command = [line.strip()]
        while command[-1].endswith("\\"):
            command.append("  " + waiting.pop(0).strip())
        yield from (".PP", ".nf", "\\fB" + "\n".join(map(roff, command)) + "\\fR", ".fi")


def main():
    template, version, program, page = sys.argv[1:]
    parts = help_text.sections(subprocess.run([program, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    written = []
    with open(template, encoding="ascii") as file:
        for line in file.read().splitlines():
            whole = re.fullmatch(r"@([A-Z ]+)@", line)
            if not whole:
                written.append(line.replace("@VERSION@", version))
            elif whole[1] == "USAGE":
                written.append(spelling(*re.fullmatch("([^ ]+)(.*)", parts["USAGE"][0]).groups()))
            else:
                written += (options if whole[1] == "OPTIONS" else section)(parts[whole[1]])
    with open(page, "w", encoding="ascii") as file:  # a page is ASCII: so it looks the same in every locale
        file.write("\n".join(written) + "\n")


if __name__ == "__main__":
    main()
