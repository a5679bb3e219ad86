#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads assembly, prints what the innermost loop with the most multiply-adds is made of, one count a line.

The scheduler interleaves instructions as it likes, so a test checks their numbers, not their order.
"""
import re
import sys

PATTERNS = {
    "multiply-adds": r"\b(vfmadd\w+|fmla|fmadd|vpdpbusd|v?pmaddwd|[us]+dot|u?s?mmla|[us]mull)\b",
    "zmm": r"\bvfmadd\w+.*%zmm",
    "by-element": r"\bfmla\b.*\.(s\[[0-3]\]|h\[[0-7]\])|\b[us]+dot\b.*\.4b\[[0-3]\]",
    "vector loads": r"\bvmovu?a?ps\b\s+-?\w*\([^)]*\), %[xyz]mm",
    "broadcasts": r"\bvbroadcastss\b|\{1to\d+\}",
    "word broadcasts": r"\bvpbroadcast[dq]\b\s+-?\w*\([^)]*\), %[xyz]mm",
    "ld1 of four": r"\bld1\b\s+\{(\s*v\d+\.\w+,){3}",
    "ldp": r"\bldp\b\s+q",
    "ldr": r"\bldr\b\s+q",
    "stack": r"%rsp|\[sp",
    "conversions": r"\b(v?cvtph2ps|fcvtl2?|v?pmovzxwd|u?shll2?)\b",
    "shifts": r"\b(vpslld|shl)\b",
    "masks": r"\b(vpand[dq]?|vpblendw|and)\b",
    "prefetches": r"\b(prefetcht1|prfm)\b",
    "ld2": r"\bld2\b",
    "widened": r"\bv?pmov[sz]xbw\b",
    "other arithmetic": r"\b(v(add|sub|mul)p[sd]|vfnmadd\w+|f(add|sub|mul)|fmls)\b",
}


def without_comments(assembly):
    return [re.split(r"//|#\s|##", line)[0].rstrip() for line in assembly]


def functions(lines):
    """(name, its lines) of each function."""
    name, body = None, []
    for line in lines:
        start = re.match(r"(\w[\w.$]*):", line)
        if start:
            if name:
                yield name, body
            name, body = start[1], []
        else:
            body.append(line)
    if name:
        yield name, body


def stack_accesses(function, loop):
    """The lines of a function's loop that read or write the stack, also by the frame's pointer where the function has one."""
    frame = r"|%rbp" if any(re.search(r"\bmovq\s+%rsp, %rbp", line) for line in function) else ""
    frame += r"|\[x29" if any(re.search(r"\b(mov|add)\s+x29, sp", line) for line in function) else ""
    return [line for line in loop if re.search(PATTERNS["stack"] + frame, line)]


def innermost_loops(lines):
    """Blocks that branch back to their own label."""
    label, body = None, []
    for line in lines:
        start = re.match(r"(\.L\w+):", line)
        if start:
            label, body = start[1], []
            continue
        body.append(line)
        if label and re.match(r"\s+(j\w+|b\.\w+|cbnz|tbnz)\s+.*" + re.escape(label) + r"$", line):
            yield list(body)
            label = None


def hottest_loop(assembly):
    """Of the innermost loops the one with the most multiply-adds."""
    loops = list(innermost_loops(without_comments(assembly)))
    if not loops:
        sys.exit("no loop")
    return max(loops, key=lambda loop: count(loop, "multiply-adds"))


def count(loop, name):
    return sum(bool(re.search(PATTERNS[name], line)) for line in loop)


if __name__ == "__main__":
    hottest = hottest_loop(sys.stdin)
    for name in PATTERNS:
        print(f"{name}: {count(hottest, name)}")
