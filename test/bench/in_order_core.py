# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cycles of a block on a core like Cortex-A55, which issues in order, by rules that are known of it.

Why:  LLVM's machine-code analyser lets an A55 start two multiply-adds of 128 bits a cycle, and a load of 128 bits beside one
      of them; the core has two vector pipes of 64 bits and loads 64 bits a cycle.
How:  instructions start in the order of the text, at most two a cycle, each when what it reads is there:
      - a vector operation of 128 bits takes both vector pipes, one of 64 bits takes one; a result is there after 4 cycles;
      - a load of 64 bits or a move into half a register goes beside anything but its like; a load is there after 3 cycles;
      - a longer load goes alone, a cycle for every 64 bits; a store of several registers a cycle for each.
      Caches count as hit, branches as foreseen.
"""
import re

LOADS, STORES, BRANCHES = ("ld", "prfm"), ("st",), ("b", "bl", "br", "ret", "cbz", "cbnz", "tbz", "tbnz")
# Operations that add to what their first operand holds.
READ_FIRST = ("fmla", "fmls", "sdot", "udot", "smlal", "sadalp", "bsl", "bit", "bif")
WHOLE = r"\.(4s|2d|16b|8h)"
ITERATIONS = 12


def registers(text):
    return [("v" if kind in "vqdsbh" else "x") + number for kind, number in re.findall(r"\b([vqdsxw])(\d+)\b", text)]


class Instruction:
    """What an instruction reads; what it writes, with the cycles until that is there; its unit, and for how long it has it."""

    def __init__(self, text):
        text = re.sub(r"\s*//.*|\s+<.*>", "", text).strip()
        self.name, _, operands = text.replace("\t", " ", 1).partition(" ")
        self.reads, self.writes, self.unit, self.busy = [], [], "scalar", 1
        if self.name.startswith(LOADS + STORES):
            self.read_memory(operands)
        else:
            self.read_operation(operands)

    def read_memory(self, operands):
        before, address, after = re.fullmatch(r"(.*)\[([^][]*)\](.*)", operands).groups()
        base = registers(address)
        moved, is_load = registers(before), self.name.startswith(LOADS)
        whole = re.search(r"\bq\d|" + WHOLE, before) is not None
        self.unit = "load" if is_load else "store"
        self.busy = max(1, len(moved) * (2 if whole and is_load else 1)) if is_load or whole else 1
        self.reads = base if is_load else base + moved
        if is_load:
            self.writes = [(register, 2 + self.busy) for register in moved]
        if after and base:
            self.writes.append((base[0], 1))

    def read_operation(self, operands):
        parts = [registers(part) for part in operands.split(",")]
        first, others = parts[0] if parts else [], sum(parts[1:], [])
        is_vector = any(register[0] == "v" for register in first)
        self.reads = others + (first if self.name in READ_FIRST + BRANCHES else [])
        if self.name in BRANCHES or self.name.startswith("b."):
            self.unit = "branch"
            self.reads += ["flags"] if "." in self.name else []
        elif self.name in ("cmp", "cmn", "tst"):
            self.reads, self.writes = first + others, [("flags", 1)]
        elif self.name in ("mov", "ins") and re.match(r"v\d+\.[sd]\[", operands):
            self.unit, self.reads, self.writes = "insert", first + others, [(first[0], 2)]
        elif is_vector:
            self.unit, self.writes = "whole" if re.search(WHOLE, operands) else "half", [(first[0], 4)]
        else:
            self.reads += ["flags"] if self.name.startswith("cs") else []
            self.writes = [(register, 3 if self.name.startswith("m") and self.name != "mov" else 1) for register in first[:1]]
            self.writes += [("flags", 1)] if self.name in ("subs", "adds", "ands") else []


def go_together(first, second):
    if max(first.busy, second.busy) > 1:
        return False
    if first.unit == second.unit:
        return first.unit in ("scalar", "half")
    return {first.unit, second.unit} != {"whole", "half"}


def cycles(texts):
    """Of one iteration among many."""
    block, ready, ends = [Instruction(text) for text in texts], {}, []
    now, started = 0, []
    for _ in range(ITERATIONS):
        for instruction in block:
            at = max([now] + [ready.get(register, 0) for register in instruction.reads])
            if at == now and started and (len(started) == 2 or not go_together(started[0], instruction)):
                at += 1
            started = started + [instruction] if at == now else [instruction]
            now = at
            if instruction.busy > 1:
                now, started = at + instruction.busy, []
            for register, wait in instruction.writes:
                ready[register] = at + wait
        ends.append(now)
    half = ITERATIONS // 2
    return (ends[-1] - ends[half - 1]) / (ITERATIONS - half)
