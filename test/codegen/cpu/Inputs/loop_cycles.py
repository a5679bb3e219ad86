#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads assembly of arm64; prints, for each core named, how much of its multiply-add peak the innermost loop with the most
multiply-adds reaches.

Why:  without a phone, LLVM's machine-code analyser says how a loop's instructions wait for one another; it says the same on
      every machine.
How:  the analyser repeats the loop; caches count as hit, branches as foreseen.
"""
import re
import subprocess
import sys

from inner_loop import count, hottest_loop

# Multiply-adds of 128 bits that a core starts in a cycle, as the analyser has it.
PEAK = {"neoverse-n1": 2, "neoverse-n2": 2, "neoverse-v1": 4, "cortex-a55": 2}
ITERATIONS = 100


def cycles_of(loop, core):
    done = subprocess.run(["llvm-mca", "-mtriple=aarch64-linux-gnu", f"-mcpu={core}", f"--iterations={ITERATIONS}"],
                          input="\n".join(loop) + "\n", stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return int(re.search(r"Total Cycles:\s+(\d+)", done.stdout)[1]) / ITERATIONS


hottest = hottest_loop(sys.stdin)
for name in sys.argv[1:]:
    cycles = cycles_of(hottest, name)
    print(f"{name}: {count(hottest, 'multiply-adds') / PEAK[name] / cycles * 100:.0f}% of peak, {cycles:.1f} cycles")
