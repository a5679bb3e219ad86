#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses figures of machines outside the machine model: rates, latencies, costs of launches, sizes of caches.

Why:  a launch used to cost 500 ns, 1.5 us or 3 us, depending on the phase that asked; one struct for each class of CPUs has them now.
How:  in compiler/ and codegen/ a variable must not begin with a number of its own if its name, or the comment of a constant, says
      that it is such a figure. Read codegen::Target::model instead, and add to codegen/MachineModel.h what it lacks.
"""
import re

import tree

ROOMS = ("compiler/", "codegen/")
SOURCES = (".h", ".cpp", ".def", ".inc")
# The model, what single instructions cost on it, and what GPUs do.
MODEL = ("codegen/MachineModel.h", "codegen/cpu/tiles/MachineRows.", "codegen/cpu/tiles/CoreRows.h", "codegen/cpu/tiles/IntegerRows.", "codegen/gpu/contraction/GpuMachines.")
READERS = "compiler/import/"  # of files, whose costs are a file's
TIMES = r"(?:nano|micro|milli)?seconds?|ns|us|ms|cycles?"
# What a name's words say, in lower case with _ between them: bytes_per_nanosecond.
NAME = re.compile(rf"(?:^|_)(?:{TIMES}|gigahertz|ghz|latency|bandwidth|cached|rate|cost|per_(?:function|launch|thread)"
                  r"|(?:cache|line|way|l1|l2|l3|memory|stream)_(?:bytes|line|size))(?:_|$)|^launch(?:ing)?$")
COMMENT = re.compile(r"\b(?:(?:nano|micro|milli)seconds?|cycles?|GHz|GB/s)\b", re.IGNORECASE)
DECLARATION = re.compile(r"(?P<constant>\bconst(?:expr)?\s+)?\b(?:double|float|auto|int|unsigned|size_t|u?int\d+_t)\s+"
                         r"(?P<rest>k?[a-z]\w*\s*=\s*[^;{}]*?);(?P<comment>[^\n]*//[^\n]*)?", re.IGNORECASE)
# Conversions of units, and what any formula has.
PLAIN = re.compile(r"^(?:[012](?:\.0?)?|1e-?[369]|1000(?:\.0?)?)$")
NUMBER = re.compile(r"(?<![\w.])(?:0x[\da-fA-F.]+(?:p-?\d+)?|\d[\d']*\.?\d*(?:e[+-]?\d+)?|\.\d+)", re.IGNORECASE)
EXEMPT = {("compiler/driver/CompileKernels.h", "kTraceGranularityUs")}  # of the compiler's own trace


def words(name):
    return "_".join(re.findall(r"[lL]\d|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", re.sub(r"^k(?=[A-Z])", "", name))).lower()


def declarators(rest):
    """`a = f(1, 2), b = 3` as its names and what they begin with."""
    depth, parts, start = 0, [], 0
    for at, letter in enumerate(rest):
        depth += letter in "([<"
        depth -= letter in ")]>"
        if letter == "," and depth <= 0:
            parts.append(rest[start:at])
            start = at + 1
    for part in (*parts, rest[start:]):
        name, _, value = part.partition("=")
        yield name.strip(), value


def has_figure(value):
    return any(not PLAIN.match(number) for number in NUMBER.findall(value))


def problems_of(path, text):
    for match in DECLARATION.finditer(text):
        before = text[:match.start()].rstrip(" ").splitlines()
        above = before[-1] if before and before[-1].lstrip().startswith("//") else ""
        says = match["constant"] and COMMENT.search(f"{above} {match['comment'] or ''}")
        for name, value in declarators(match["rest"]):
            if (says or NAME.search(words(name))) and has_figure(value) and (path, name) not in EXEMPT:
                yield (f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {name} is a figure of a machine; "
                       "add it to codegen/MachineModel.h, if it is not there, and read it from the target")


def main():
    paths = [path for path in tree.files() if path.startswith(ROOMS) and path.endswith(SOURCES) and not path.startswith((*MODEL, READERS))]
    tree.finish([problem for path in paths for problem in problems_of(path, tree.read(path) or "")])


if __name__ == "__main__":
    main()
