#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the options of nacre.compile with their types, from nacre-compile --help, so that type checkers know every option.

usage: python_options.py NACRE_COMPILE           exits with 1 if tools/python/nacre/options.py differs
       python_options.py NACRE_COMPILE --fix     writes it

The type of an option follows from the spelling of its value in --help: <on|off> are two words, <name[,name]> is one string or several.
A spelling that TYPES lacks is an error: add it there.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(os.path.dirname(HERE), "python", "nacre", "options.py")
FIX = "fix: tools/dev/python_options.py build/release/bin/nacre-compile --fix"

# Options that compile() sets itself, and options that make no library.
OURS = ("o", "quiet", "report", "target", "help", "version", "j")
NO_LIBRARY = ("check", "compile-to", "emit", "list-operators", "list-weights")
# Words that make nacre-compile print a list instead of a library.
LISTS = "list"
OPTION = re.compile(r"  --?([a-z][a-z-]*)(\[)?(?:[= ]<(.*?)>\]?)?(?: +- |   *|$)(.*)")
CONTINUED = re.compile(r" {16,}(\S.*)")  # The description goes on.
HEADING = re.compile(r"([A-Z][a-z]+):")
WORD = re.compile(r"[a-z][a-z0-9-]*")
SEVERAL = re.compile(r"^(?:all\|)?(\w+)\[,\1\]$")
PAIR = re.compile(r"^\w+([=:])")
TYPES = {
    "N": "int", "MiB": "int", "seed": "int", "number": "int", "N|auto": "Union[int, str]",
    "name": "str", "identifier": "str", "tensor": "str", "pattern": "str", "entry": "str", "all|tensor": "str",
    "cpu|gpu|split:percent|auto[,entry=cpu]": "str", "norm:X|value:X": "str", "kind[:constant=X,...]": "str",
    "file": "Path", "prefix|folder": "Path", "file.caffemodel": "Path", "file.caffemodel|folder": "Path", "name|file.json": "Path",
    # A value per tensor: the type of the value.
    "input[:key=value...]": "str",
    "input=1x3x224x224": "Union[str, Sequence[int], Sequence[Sequence[int]]]", "input=value|file": "Any", "input:output": "str",
    "input:axis|input:none": "Union[int, str]", "tensor:ratio": "float", "tensor=N": "int", "entry=number": "float", "kind:tensor[,label=name]": "str", "node[,loss=tensor]": "str",
}
HEAD = '''# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of nacre-compile. tools/dev/python_options.py writes this file from nacre-compile --help; do not edit it."""
from __future__ import annotations

import os
from typing import Any, Literal, Mapping, Sequence, TypedDict, Union

#: The path of a file or folder.
Path = Union[str, "os.PathLike[str]"]


class CompileOptions(TypedDict, total=False):
    """The options of nacre-compile as keywords of compile() and from_torch(); False omits an option without a value."""
'''


def read_options(text):
    """Returns (section, name, spelling of the value or None if there is no value, whether the value is optional, description) of each option."""
    section, found = "", []
    for line in text.splitlines():
        heading, option, continued = HEADING.fullmatch(line), OPTION.fullmatch(line), CONTINUED.fullmatch(line)
        if heading:
            section = heading[1]
        elif option:
            found.append([section, option[1], option[3], bool(option[2]), option[4]])
        elif continued and found:
            found[-1][-1] = f"{found[-1][-1]} {continued[1]}".strip()
        elif line.startswith("LOSSES"):
            break
    return found


def words_of(spelling):
    words = (spelling or "").split("|")
    is_choice = len(words) > 1 and spelling not in TYPES and all(WORD.fullmatch(word) for word in words)
    return [word for word in words if word != LISTS] if is_choice else []


def is_repeatable(description):
    return re.search(r"\brepeatable\b", description) is not None


def is_pair(spelling, description):
    return is_repeatable(description) and PAIR.match(spelling or "") is not None


def type_of(name, spelling, optional, description):
    if spelling is None:
        return "bool"
    words = words_of(spelling)
    if words:
        return f"Literal[{', '.join(repr(word) for word in words)}]".replace("'", '"')
    several = SEVERAL.match(spelling)
    plain = spelling.replace(f"[,{several[1]}]", "") if several else spelling
    if plain not in TYPES:
        sys.exit(f"--{name}=<{spelling}> has no type; add it to TYPES in tools/dev/python_options.py")
    kind = TYPES[plain]
    if is_pair(spelling, description):
        return f"Union[Mapping[str, {kind}], str, Sequence[str]]"
    if several or is_repeatable(description):
        return f"Union[{kind}, Sequence[{kind}]]"
    return f"Union[bool, {kind}]" if optional else kind


def table(name, comment, entries):
    return f"#: {comment}\n{name} = {{{', '.join(entries)}}}\n"


def quoted(names):
    return [f'"{name}"' for name in names]


def keyword(name):
    return "for_" if name == "for" else name.replace("-", "_")


def write(text):
    """The file for this text of --help."""
    out, former, pairs, several = [HEAD], "", [], []
    for section, name, spelling, optional, description in read_options(text):
        if name in OURS + NO_LIBRARY:
            continue
        if section != former:
            out.append(f"\n    # {section}\n")
            former = section
        out.append(f'    {keyword(name)}: {type_of(name, spelling, optional, description)}\n    """{description}"""\n')
        if is_pair(spelling, description):
            pairs.append(f'"{name}": "{PAIR.match(spelling)[1]}"')
        elif SEVERAL.match(spelling or ""):
            several += quoted([name])
    out += ["\n\n", table("PAIRS", "Options with a value per tensor, and the sign between both.", pairs),
            table("COMMAS", "Options whose values are separated by commas.", several),
            table("OURS", "Options that compile() sets itself.", quoted(OURS)),
            table("NO_LIBRARY", "Options that make no library.", quoted(NO_LIBRARY))]
    return "".join(out)


def main(program, *options):
    text = subprocess.run([program, "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout
    expected = write(text)
    if "--fix" in options:
        with open(FILE, "w", encoding="utf-8") as file:
            file.write(expected)
        return 0
    with open(FILE, encoding="utf-8") as file:
        if file.read() == expected:
            return 0
    print(f"tools/python/nacre/options.py must have the options of nacre-compile --help, but differs; {FIX}")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
