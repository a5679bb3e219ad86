#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a feature of the runtime has grown beyond its budget; prints the bytes of each, from the linker's map.

What: for each feature of runtime/features.def, two libraries are linked of the archive and a table of functions: that of the simplest
      model with the feature, and the same without the feature's slots. The difference is what the feature adds.
Why:  a model should link only what it uses, and growth should be seen where it happens.
How:  budgets are sums of linked bytes, text and data. A real library has less: several members' copies of one inline function or
      string count once. test/e2e/driver/library_test.py limits whole libraries; the rest of those is for kernels and tables.
"""
import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from types import SimpleNamespace

#: The most bytes that each feature may add. To raise one needs a decision in docs/decisions.
BUDGETS = {
    "sessions": 19456,
    "states": 9344,
    "limits": 448,
    "weights_files": 3328,
    "entries": 1920,
    "gpu": 44352,
    "gpu_states": 8960,
}
#: Strings that the linker merged, and the tables that it made.
SHARED = "strings, relocations"
#: The table of functions, which the compiler writes.
TABLE = "table"
#: Not in the file, or the linker's own.
NOT_COUNTED = (".bss", ".bss.rel.ro", ".dynamic", ".relro_padding")


class Feature:
    def __init__(self, name, condition):
        self.name = name
        self.condition = condition.replace("&&", "and").replace("||", "or")
        self.members = []
        self.slots = {}  # slot: what fills it

    def is_in(self, model):
        return eval(self.condition, {"model": model, "true": True})  # pylint: disable=eval-used


def read_features(path):
    features = []
    with open(path, encoding="utf-8") as file:
        for kind, words in re.findall(r"^NACRE_(FEATURE|MEMBER|SLOT)\((.*)\)$", file.read(), flags=re.MULTILINE):
            if kind == "FEATURE":
                features.append(Feature(*words.split(", ", 1)))
            elif kind == "MEMBER":
                features[-1].members.append(os.path.splitext(os.path.basename(words))[0])
            else:
                slot, name = words.split(", ")
                features[-1].slots[slot] = name
    return features


def simplest(feature, features):
    """The features of the model that has this one and the fewest others."""
    fields = sorted({field for other in features for field in re.findall(r"model\.(\w+)", other.condition)})
    models = [SimpleNamespace(**dict(zip(fields, values))) for values in itertools.product((0, 2), repeat=len(fields))]
    found = [[other for other in features if other.is_in(model)] for model in models if feature.is_in(model)]
    return min(found, key=len)


def write_table(features, linked, path):
    """What nacre-compile writes for a model with the linked features, in assembly."""
    filled = {}
    for feature in linked:
        filled.update(feature.slots)
    slots = list(dict.fromkeys(slot for feature in features for slot in feature.slots))
    has_engine = any(slot.startswith("engine.") for slot in filled)
    with open(path, "w", encoding="utf-8") as file:
        file.write('.section .data.rel.ro,"aw"\n.globl table\n.hidden table\n.balign 8\ntable:\n.quad 0\n')  # its size and version
        for slot in slots:
            if slot in filled:
                symbol = "nacre_runtime_" + filled[slot]
                file.write(f".hidden {symbol}\n.quad {symbol}\n")
            elif has_engine or not slot.startswith("engine."):
                file.write(".quad 0\n")


def read_map(path):
    """Bytes of each member in sections that are loaded."""
    bytes_of, section = Counter(), None
    with open(path, encoding="utf-8") as file:
        for line in file.readlines()[1:]:  # the first has the names of the columns
            address, _, size, _ = line.split()[:4]
            text = line[49:].rstrip("\n")
            depth = len(text) - len(text.lstrip())  # 0: section of the library, 8: of an object, 16: symbol
            if depth == 0:
                section = text
            elif depth == 8 and int(address, 16) and section not in NOT_COUNTED:
                found = re.search(r"\.a\((\w+)\.o\):", text)
                bytes_of[found[1] if found else TABLE if "table.o" in text else SHARED] += int(size, 16)
    return bytes_of


class Linker:
    def __init__(self, arguments, features, folder):
        self.arguments = arguments
        self.features = features
        self.folder = folder

    def link(self, linked):
        source, table, library = (os.path.join(self.folder, name) for name in ("table.s", "table.o", "size.so"))
        write_table(self.features, linked, source)
        subprocess.run([self.arguments.clang, f"--target={self.arguments.triple}", "-c", source, "-o", table], check=True)
        subprocess.run([self.arguments.linker, "-shared", "--gc-sections", "--hash-style=gnu", "-z", "now", "--undefined=table", f"-Map={library}.map", table, self.arguments.archive, "-o", library], check=True)
        return read_map(library + ".map")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--linker", required=True, help="ld.lld")
    parser.add_argument("--clang", required=True)
    parser.add_argument("--triple", required=True, help="of the archive")
    parser.add_argument("--archive", required=True)
    parser.add_argument("--features", required=True, help="runtime/features.def")
    arguments = parser.parse_args()
    features = read_features(arguments.features)
    if [feature.name for feature in features] != list(BUDGETS):
        sys.exit(f"BUDGETS must have the features of features.def, {', '.join(feature.name for feature in features)}, in this order")
    feature_of = {member: feature.name for feature in features for member in feature.members} | {TABLE: TABLE, SHARED: SHARED}
    failed, lost = False, set()
    with tempfile.TemporaryDirectory() as folder:
        linker = Linker(arguments, features, folder)
        for feature in features:
            linked = simplest(feature, features)
            members = linker.link(linked)
            lost |= set(members) - set(feature_of)
            others = [other for other in linked if other is not feature]
            if others:
                before = linker.link(others)
                members.subtract(before)
            total = sum(members.values())
            print(f"{feature.name}: {total} bytes of {BUDGETS[feature.name]}, with {', '.join(other.name for other in others) or 'no other'}")
            for member, size in sorted(members.items(), key=lambda item: -item[1]):
                if size:
                    owner = feature_of.get(member, "?")
                    print(f"  {member if owner in (member, feature.name) else f'{member}, of {owner}':32}{size:7}")
            failed |= not 0 < total <= BUDGETS[feature.name]
    if lost:
        sys.exit(f"features.def has no place for {', '.join(sorted(lost))}")
    if failed:
        sys.exit("a feature of the runtime is larger than its budget, or was not found")


if __name__ == "__main__":
    main()
