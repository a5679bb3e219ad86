# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what a program says to --help, for its manual page and for the completions of shells.

A line of capitals heads a section, a line that ends with a colon a group of options. What is explained is indented by two blanks, what
belongs to an option by four. Its text begins two or more blanks after it, or on the next line, and goes on at that column.
"""
import re

HEADING = re.compile(r"([A-Z]{3}[A-Z ]*)(?:[:(].*| \(.*)?")
OPTION = re.compile(r"  (?P<inner>  )?(?P<name>-{0,2}[A-Za-z][\w-]*)(?P<rest>(?:\S| (?! ))*)(?:  +(?P<text>\S.*))?")
DEFINITION = re.compile(r"  (?P<word>\S+)  +(?P<text>\S.*)")
DEEP = re.compile(r" {5,}(?P<text>\S.*)")


def sections(text):
    """{heading: [line]}"""
    parts, part = {}, []
    for line in text.splitlines():
        heading = HEADING.fullmatch(line)
        if heading:
            part = parts.setdefault(heading[1].strip(), [])
            if line.startswith("USAGE: "):
                part.append(line.removeprefix("USAGE: "))
        else:
            part.append(line)
    return parts


def joined(lines):
    """The lines, with the text of each option on its own line."""
    whole = []
    for line in lines:
        deep = DEEP.fullmatch(line)
        if deep and whole and whole[-1].startswith("  "):
            whole[-1] += (" " if "  " in whole[-1].strip() else "  ") + deep["text"]
        else:
            whole.append(line)
    return whole


def options(lines):
    """Of each line ("group", title), ("words", line), ("option", name, rest of the spelling, text), or ("inner", ...) for an option's own."""
    for line in joined(lines):
        option = OPTION.fullmatch(line)
        if option and (option["inner"] or option["name"].startswith("-")):
            yield "inner" if option["inner"] else "option", option["name"], option["rest"], option["text"] or ""
        elif line.endswith(":") and not line.startswith(" "):
            yield "group", line[:-1]
        elif line:
            yield "words", line
