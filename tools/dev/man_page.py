#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a manual page: a template of docs/man, completed with what the program itself says in --help.

usage: man_page.py TEMPLATE VERSION PROGRAM PAGE

A line of the template that holds nothing but @USAGE@, @OPTIONS@ or the heading of one of --help's closing sections, as
@EXAMPLES@, is replaced by that part of --help; @VERSION@ by the version. So an option is described once, in the program.
Of the passes that nacre-opt lists, the page has Nacre's own: MLIR's hundreds are MLIR's to document.
"""
import re
import subprocess
import sys

OWN_PASSES = "--nacre-"
OPTION = re.compile(r"(?P<indent> +)(?P<name>-[\w-]+)(?P<rest>.*?)(?: +- +(?P<text>.*))?$")
VALUE = re.compile(r" +=(?P<spec>\S+) +- +(?P<text>.*)$")
PASSES = ("    Passes:", "    Pass Pipelines:")
PASS_INDENT = 6  # of a pass below these; a pass's own options stand deeper, what is no pass less deep


def roff(text):
    """`text` as roff shows it: hyphens that can be copied, and nothing taken for an escape or a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return "\\&" + text if text.startswith(".") else text


def spelling(name, rest):
    """What is typed bold, what stands for something else italic."""
    return "\\fB" + roff(name) + "\\fR" + re.sub("<([^<>]*)>", r"\\fI\1\\fR", roff(rest))


def options(lines):
    """--help's list of options, in its groups."""
    among_passes = keep = False
    for line in lines:
        value, option = VALUE.fullmatch(line), OPTION.fullmatch(line)
        if value:
            if keep:
                yield from (".RS", ".TP", "\\fB" + roff(value["spec"]) + "\\fR", roff(value["text"]), ".RE")
        elif option:
            indent = len(option["indent"])
            among_passes = among_passes and indent >= PASS_INDENT
            if not among_passes:
                keep = True
            elif indent == PASS_INDENT:
                keep = option["name"].startswith(OWN_PASSES)
            if keep:
                inner = among_passes and indent > PASS_INDENT
                yield from [".RS"] * inner + [".TP", spelling(option["name"], option["rest"]), roff(option["text"] or "")] + [".RE"] * inner
        elif line in PASSES:
            among_passes = True
        elif line and not line.startswith(" "):
            yield from ([".SS " + roff(line.rstrip(":"))] if line.endswith(":") else [roff(line)])


def section(lines):
    """A closing section of --help: words and what they mean, or commands and what they do."""
    for line in filter(None, lines):
        meaning = re.fullmatch(r"  (\S+)  +(\S.*)", line)
        if meaning:
            yield from (".TP", "\\fB" + roff(meaning[1]) + "\\fR", roff(meaning[2]))
        elif line.startswith("   "):
            yield from (".RS 4", roff(line.strip()), ".RE")
        else:
            yield from (".PP", ".nf", "\\fB" + roff(line.strip()) + "\\fR", ".fi")


def split(text):
    """--help by its headings: OPTIONS: and lines of capitals, which may end with a remark."""
    parts, part = {}, []
    for line in text.splitlines():
        heading = re.fullmatch(r"([A-Z]{3}[A-Z ]*)(?:[:(].*| \(.*)?", line)
        if heading:
            part = parts.setdefault(heading[1].strip(), [])
            if line.startswith("USAGE: "):
                part.append(line.removeprefix("USAGE: "))
        else:
            part.append(line)
    return parts


def main():
    template, version, program, page = sys.argv[1:]
    parts = split(subprocess.run([program, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout)
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
