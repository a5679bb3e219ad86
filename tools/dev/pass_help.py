#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what nacre-opt --help says of Nacre's passes: by phase, in the order of Passes.td, each with its options.

usage: pass_help.py OUTPUT    writes a C++ string literal for tools/opt/Opt.cpp
"""
import os
import re
import sys
import textwrap

import check_passes
import tree

PHASES = ("train", "graph", "kernels", "encode", "place", "schedule")
FILES = [(f"Phase {phase}", f"compiler/{phase}/Passes.td") for phase in PHASES]
FILES.insert(PHASES.index("graph") + 1, ("Phase graph, control flow", "compiler/graph/ControlPasses.td"))
FILES.insert(PHASES.index("graph") + 2, ("Phase graph, quantized models", "compiler/graph/QuantizedPasses.td"))
FILES += [("Phase codegen, CPUs", "codegen/cpu/Passes.td"), ("Phase codegen, GPUs", "codegen/gpu/Passes.td")]
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Of each kind of option the numbers of the strings that are its name and its text.
KINDS = {"Option": (1, -1), "ListOption": (1, 3), "WordOption": (1, 4), "GpuPrecisionOption": (0, 1)}
COLUMN, COLUMNS = 24, 80  # As tools/Help.cpp.


def entry(word, text, indent):
    word = " " * indent + word
    lines = textwrap.wrap(text, COLUMNS - COLUMN, break_long_words=False, break_on_hyphens=False)
    first = [word.ljust(COLUMN) + lines.pop(0)] if len(word) + 2 <= COLUMN else [word]
    return first + [" " * COLUMN + line for line in lines]


def options_of(body):
    """(name, text) of each option of a pass."""
    listed = re.search(r"let options = \[(.*?)\];", body, re.DOTALL)
    for option in re.split(r"(?=\b\w*Option<)", listed[1])[1:] if listed else ():
        # Strings that stand next to one another are one.
        strings = STRING.findall(re.sub(r'"\s*\n\s*"', "", option))
        name, text = KINDS[re.match(r"\w+", option)[0]]
        yield strings[name], strings[text]


def main():
    lines = []
    found = {path for path in tree.files() if path.endswith("Passes.td")}
    if found != {path for _, path in FILES}:
        sys.exit(f"tools/dev/pass_help.py must know every Passes.td, but knows {', '.join(path for _, path in FILES)}")
    for title, path in FILES:
        lines += [f"{title}:", ""]
        for _, flag, body in check_passes.entries(tree.read(path)):
            lines += entry("--" + flag, re.search(r'let summary = "([^"]*)"', body)[1], 2)
            for name, text in options_of(body):
                lines += entry(name + "=<value>", text, 4)
        lines.append("")
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        # A literal may have 64 KiB with some compilers, so each line is one.
        file.write("".join('"' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"\n' for line in lines))


if __name__ == "__main__":
    main()
