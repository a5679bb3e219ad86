#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no tile of the bench models' kernels spills its sums; exits with 1 if one does.

What: for each CPU, how many innermost loops have 16 multiply-adds or more, and how many of these read or write the stack. Loops that
      also add and subtract are transforms, Winograd's, and have columns of their own: they hold a whole tile of numbers, which
      may be more than there are registers, so they are only reported.
Why:  a tile is as large as the registers allow. A sum that is spilled takes a load and a store for each multiply-add, and whether
      it is spilled depends on LLVM's scheduling model of the CPU that is named.
How:  nacre-compile writes assembly; test/codegen/cpu/Inputs/inner_loop.py finds its loops.
"""
import argparse
import os
import sys

import rivals

sys.path.insert(0, os.path.join(rivals.ROOT, "test", "codegen", "cpu", "Inputs"))
import inner_loop  # noqa: E402

CPUS = {
    "linux-x86_64": ("x86-64-v3", "x86-64-v4", "skylake-avx512", "cascadelake", "icelake-server", "tigerlake", "rocketlake",
                     "sapphirerapids", "znver4", "znver5"),
    "linux-arm64": ("generic", "cortex-a55", "cortex-a76"),
    "host": ("native",),
}
FEWEST = 16  # multiply-adds in a loop that counts


class Loops:
    """The loops of one kind: how many there are, and (function, the lines that touch the stack) of those that do."""

    def __init__(self):
        self.count, self.spilled = 0, []


def loops_of(assembly):
    """(loops of products, loops of transforms)"""
    products, transforms = Loops(), Loops()
    for name, lines in inner_loop.functions(inner_loop.without_comments(assembly)):
        for loop in inner_loop.innermost_loops(lines):
            if inner_loop.count(loop, "multiply-adds") < FEWEST:
                continue
            kind = transforms if inner_loop.count(loop, "other arithmetic") else products
            kind.count += 1
            accesses = inner_loop.stack_accesses(lines, loop)
            if accesses:
                kind.spilled.append((name, accesses))
    return products, transforms


def measure(compiler, model, target, cpu, assembly):
    rivals.call(compiler, model, "-o", assembly, "--emit=asm", f"--target={target}", f"--cpu={cpu}")
    with open(assembly, encoding="utf-8") as file:
        return loops_of(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.add_argument("--cpus", help="comma-separated names (default: all)")
    parser.add_argument("--verbose", action="store_true", help="name the functions, and print the lines that touch the stack")
    arguments = parser.parse_args()
    spilled = 0
    print("| model | CPU | loops | that touch the stack | transforms | that touch the stack |")
    print("|---|---|--:|--:|--:|--:|")
    for model in rivals.selected(arguments):
        os.makedirs(model.work, exist_ok=True)
        for target, cpus in CPUS.items():
            for cpu in cpus:
                if arguments.cpus and cpu not in arguments.cpus.split(","):
                    continue
                try:
                    kinds = measure(model.program("nacre-compile"), model.path, target, cpu, os.path.join(model.work, "spills.s"))
                except rivals.Failure as failure:
                    sys.exit(str(failure))
                columns = (f"{kind.count} | {len(kind.spilled)}" for kind in kinds)
                print(f"| {model.name} | {cpu} | {' | '.join(columns)} |", flush=True)
                spilled += len(kinds[0].spilled)
                for name, lines in kinds[0].spilled if arguments.verbose else ():
                    print(f"{name}:", *lines, sep="\n")
    return 1 if spilled else 0


if __name__ == "__main__":
    sys.exit(main())
