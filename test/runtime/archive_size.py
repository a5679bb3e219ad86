#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if the runtime has grown beyond its budgets; prints the bytes of each of its features, from the linker's map.

What: five libraries are linked of nothing but the archive: what every model links, and what a model with states, with its
      weights in a file, with GPU code, or with GPU code and states links more. A feature is a list of the archive's members, and every member belongs to one.
Why:  a model should link only what it uses, and growth should be seen where it happens.
How:  budgets are sums of linked bytes, text and data. A real library has less: several members' copies of one inline function or
      string count once. test/e2e/driver/library_test.py limits whole libraries; the rest of those is for kernels and tables.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter

#: The members of each feature.
FEATURES = {
    "sessions": "functions session session_plan",
    "runs": "run steps launch",
    "threads": "thread_pool big_cores executor",
    "descriptions": "describe text reason",
    "platform": "allocator cpu_features platform",
    "no state": "no_state",
    "states": "stateful_functions state stored",
    "states: files": "json load platform_files save",
    "states: labels": "labels",
    "weights files": "apart_functions stateful_apart_functions weights_file",
    "GPU: device": "device loader traits",
    "GPU: pipelines": "cache_file pipelines special_values unpack_code",
    "GPU: memory": "layout memory_pool residence weights",
    "GPU: runs": "engine engine_run in_session recording submission",
    "GPU: states": "state_copies state_in_session state_plan state_run state_transfer",
    "GPU: cuts": "phases shares",
    "GPU: self-test and tuning": "agreement kernel_times measuring rehearsal self_test tuning",
    "GPU: descriptions": "report times",
}
#: What refers to the runtime in a model's tables: of every model, with states, with weights in a file, with GPU code.
ROOTS = {"every model": "nacre_runtime_functions", "states": "nacre_runtime_stateful_functions",
         "weights files": "nacre_runtime_apart_functions", "GPU": "nacre_runtime_gpu_vulkan", "GPU, states": "nacre_runtime_stateful_gpu_vulkan"}
#: Strings that the linker merged, and the tables that it made.
SHARED = "strings, relocations"
#: Not in the file, or the linker's own.
NOT_COUNTED = (".bss", ".bss.rel.ro", ".dynamic", ".relro_padding")


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
                bytes_of[found[1] if found else SHARED] += int(size, 16)
    return bytes_of


def link(linker, archive, symbols, folder):
    library = os.path.join(folder, "size.so")
    subprocess.run([linker, "-shared", "--gc-sections", "--hash-style=gnu", "-z", "now", *(f"--undefined={symbol}" for symbol in symbols),
                    f"-Map={library}.map", archive, "-o", library], check=True)
    return read_map(library + ".map")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--linker", required=True, help="ld.lld")
    parser.add_argument("--archive", required=True)
    parser.add_argument("--budget", action="append", metavar="GROUP=BYTES", help="of `every model`, `states`, `weights files`, `GPU` or `GPU, states`")
    arguments = parser.parse_args()
    feature_of = {member: feature for feature, members in FEATURES.items() for member in members.split()}
    with tempfile.TemporaryDirectory() as folder:
        linked = {name: link(arguments.linker, arguments.archive, {ROOTS["every model"], symbol}, folder) for name, symbol in ROOTS.items()}
    base = linked["every model"]
    budgets = {name: int(size) for name, size in (budget.split("=") for budget in arguments.budget)}
    failed = False
    for name, members in linked.items():
        rows = Counter()
        for member, size in members.items() if name == "every model" else (members - base).items():
            rows[feature_of.get(member, member)] += size
        total = sum(rows.values())
        print(f"{name}: {total} bytes of {budgets[name]}")
        for feature, size in rows.most_common():
            print(f"  {feature:28}{size:7}")
        failed |= not 1024 < total <= budgets[name]
    lost = {member for members in linked.values() for member in members} - set(feature_of) - {SHARED}
    if lost:
        sys.exit(f"FEATURES has no place for {', '.join(sorted(lost))}")
    if failed:
        sys.exit("a part of the runtime is larger than its budget, or was not found")


if __name__ == "__main__":
    main()
