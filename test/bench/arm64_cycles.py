#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cycles that the contractions of a model take on models of arm64 cores, as a share of the multiply-add peak.

Why:  an instruction count says nothing of how instructions wait for one another; without a phone, LLVM's machine-code
      analyser does.
How:  1. qemu counts how often each block of a run was executed (qemu_insn_count.c, mode=blocks);
      2. the library's code is cut into basic blocks, each with its count, and dealt to kernels by symbol;
      3. blocks that follow one another as often make a stretch, with the loops between them, because a core that looks ahead
         multiplies for the next tile while it stores the last one; llvm-mca gives the cycles of each stretch as if it were
         repeated. They are added up, weighted by the counts: of the innermost loops that multiply, each alone / of all that
         the kernels execute. Caches count as hit, branches as foreseen.
The counts by kernel (--kernels) also say where a model's instructions go.
"""
import argparse
import bisect
import collections
import json
import os
import re
import subprocess
import sys

import arm64
import in_order_core
import rivals

# Multiply-adds of 128 bits that a core starts in a cycle. The analyser lets an A55 start two; the core itself has one, and
# `in-order` counts its cycles by rules of our own (in_order_core.py).
PEAK = {"neoverse-n1": 2, "neoverse-v1": 4, "cortex-a55": 2, "cortex-a72": 1, "in-order": 1}
CLASSES = ("all", "vfma", "vload", "vstore")
ITERATIONS = 50
# Of a loop within a stretch, so many iterations are analysed with what is around them; more of them take what they take alone.
LOOP_ITERATIONS = 4
STRETCH_ITERATIONS = 6


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.set_defaults(models="mobilenet_v2,resnet50_rand")
    parser.add_argument("--cpu", default="cortex-a76", help="qemu's model of a core")
    parser.add_argument("--cores", default=",".join(PEAK), help="comma-separated models of cores; neoverse-n1:4 dispatches four "
                        "operations a cycle, which the core does, where LLVM's model has another number")
    parser.add_argument("--for-cpu", help="compile for this CPU instead of the baseline")
    parser.add_argument("--cpu-precision", choices=("fp32", "fp16", "bf16"), default="fp32", help="of values and weights")
    parser.add_argument("--kernels", action="store_true", help="also a row for each kernel, of every kind")
    parser.add_argument("--blocks", metavar="KERNEL", help="print this kernel's blocks, those executed most first")
    return parser.parse_args()


# 1. ---- what was executed ----


def execute(model, library, arguments):
    """The blocks of one inference, as the plugin writes them."""
    log = os.path.join(model.work, "blocks.txt")
    plugin = os.path.join(arguments.bin, "qemu_insn_count.so") + ",mode=blocks"
    runner = [model.program("nacre-run-arm64"), library, *model.inputs, "--benchmark", "--threads=1", "--runs=1"]
    arm64.count(runner, rivals.ARM64_SYSROOT, plugin, arguments, log)
    regions = [[]]
    with open(log, encoding="ascii") as file:
        for line in file:
            record = json.loads(line)
            regions[-1].append(record) if "block" in record else regions.append([])
    return min(regions[1:], key=lambda blocks: sum(block["runs"] * block["all"] for block in blocks))


# 2. ---- the library's code ----


def disassemble(library):
    """Instructions of the library by address: (word, text). A symbol's first address by its name."""
    text = rivals.call("llvm-objdump-22", "-d", library)
    instructions, symbols, = {}, {}
    for line in text.splitlines():
        symbol = re.match(r"([0-9a-f]+) <([^>]*)>:$", line)
        instruction = re.match(r"\s*([0-9a-f]+): ([0-9a-f]{8})\s+(.*)$", line)
        if symbol:
            symbols[symbol[2]] = int(symbol[1], 16)
        elif instruction:
            instructions[int(instruction[1], 16)] = (instruction[2], instruction[3])
    return instructions, symbols


def find_base(instructions, blocks):
    """Where the library was loaded: its longest executed blocks lie so far from where the file says."""
    addresses = sorted(instructions)
    code = "".join(instructions[address][0] for address in addresses)
    votes = collections.Counter()
    for block in sorted(blocks, key=lambda block: -len(block["words"]))[:20]:
        at = code.find(block["words"])
        if at >= 0 and at % 8 == 0:
            votes[block["block"] - addresses[at // 8]] += 1
    if not votes:
        raise rivals.Failure("no executed block is of the library")
    return votes.most_common(1)[0][0]


def executions(instructions, blocks, base):
    """How often each instruction of the library was executed, by address."""
    counts = collections.Counter()
    for block in blocks:
        for number in range(len(block["words"]) // 8):
            address = block["block"] - base + 4 * number
            if address in instructions:
                counts[address] += block["runs"]
    return counts


def is_branch(text):
    return re.match(r"(b|bl|blr|br|ret|cbn?z|tbn?z|b\.\w+)\b", text) is not None


def target_of(text):
    target = re.search(r"0x([0-9a-f]+) <", text)
    return int(target[1], 16) if target and is_branch(text) else None


def basic_blocks(instructions, counts):
    """Runs of executed instructions that are only entered at their first, as (count, [text])."""
    targets = {target_of(text) for _, text in instructions.values()}
    found, current, last = [], None, None
    for address in sorted(counts):
        text = instructions[address][1]
        if current is None or address in targets or address != last + 4 or counts[address] != found[-1][1]:
            current = []
            found.append((address, counts[address], current))
        current.append(text)
        last = None if is_branch(text) else address
        if last is None:
            current = None
    return found


# 3. ---- cycles ----


def analysed(text):
    """An instruction as the analyser reads it: branches go to a place without a name."""
    text = re.sub(r"\s*//.*|\s+<.*>", "", text)
    return re.sub(r"0x[0-9a-f]+$", "there", text) if is_branch(text) else text


def cycles_of(blocks, core, iterations=ITERATIONS):
    """Of one execution of each block among many, in one call of the analyser."""
    if core == "in-order":
        return [in_order_core.cycles(texts) for _, _, texts in blocks]
    lines = []
    for number, (_, _, texts) in enumerate(blocks):
        lines += [f"// LLVM-MCA-BEGIN {number}", *(analysed(text) for text in texts), "// LLVM-MCA-END"]
    model, _, width = core.partition(":")
    command = ["llvm-mca-22", "-mtriple=aarch64-linux-gnu", f"-mcpu={model}", f"--iterations={iterations}", "--json"]
    done = subprocess.run(command + [f"--dispatch={width}"] * bool(width),
                          input="\n".join(lines) + "\n", stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    if done.returncode != 0:
        raise rivals.Failure(f"llvm-mca-22 ended with {done.returncode}: {done.stderr[:400]}")
    cycles = {int(region["Name"]): region["SummaryView"]["TotalCycles"] / iterations
              for region in json.loads(done.stdout)["CodeRegions"]}
    return [cycles.get(number, 0) for number in range(len(blocks))]


def loops_to_itself(block):
    address, _, texts = block
    return target_of(texts[-1]) == address


def stretches_of(blocks):
    """Neighbours that are executed as often, and the loops of one block between them: [(count, [(block, iterations)])]."""
    found, end = [], None
    for block in blocks:
        address, count, texts = block
        if found and end == address and count == found[-1][0] and not loops_to_itself(block):
            found[-1][1].append((block, 1))
        elif found and end == address and loops_to_itself(block) and count % found[-1][0] == 0:
            found[-1][1].append((block, count // found[-1][0]))
        else:
            found.append((count, [(block, 1)]))
        end = address + 4 * len(texts)
    return found


def cycles_of_stretches(stretches, core, alone):
    """Of one execution of each; `alone`: of one iteration of each block, by address."""
    regions = [(None, None, [text for (_, _, texts), iterations in parts for text in texts * min(iterations, LOOP_ITERATIONS)])
               for _, parts in stretches]
    rest = [sum((iterations - LOOP_ITERATIONS) * alone[block[0]] for block, iterations in parts if iterations > LOOP_ITERATIONS)
            for _, parts in stretches]
    return [cycles + more for cycles, more in zip(cycles_of(regions, core, STRETCH_ITERATIONS), rest)]


def products_of(texts):
    return sum(text.startswith("fml") for text in texts)


def is_product_loop(block):
    """Whether the block is a loop of its own and mostly multiplies."""
    return loops_to_itself(block) and 2 * products_of(block[2]) > len(block[2])


class Kernel:
    """A kernel's share of a run."""

    def __init__(self, name, kind):
        self.name, self.kind, self.blocks = name, kind, []
        self.counts, self.cycles, self.loop_cycles = collections.Counter(), {}, {}

    def analyse(self, cores):
        for core in cores:
            rows = list(zip(self.blocks, cycles_of(self.blocks, core) if self.blocks else []))
            stretches, alone = stretches_of(self.blocks), {block[0]: cycles for block, cycles in rows}
            self.cycles[core] = sum(stretch[0] * cycles for stretch, cycles in
                                    zip(stretches, cycles_of_stretches(stretches, core, alone) if stretches else []))
            self.loop_cycles[core] = sum(block[1] * cycles for block, cycles in rows if is_product_loop(block))

    def loop_products(self):
        return sum(block[1] * products_of(block[2]) for block in self.blocks if is_product_loop(block))


def count_classes(kernels, starts, blocks, base):
    """Adds what was executed to the counters of the kernel that it lies in."""
    for block in blocks:
        kernel = kernel_at(kernels, starts, block["block"] - base)
        for name in CLASSES:
            kernel.counts[name] += block["runs"] * block[name]


def kernel_at(kernels, starts, address):
    place = bisect.bisect_right(starts, (address, "~")) - 1
    return kernels.get(starts[place][1] if place >= 0 else None, kernels[None])


def measure(model, arguments):
    library = model.compile("linux-arm64", *arm64.options_of(arguments))
    with open(model.report("linux-arm64"), encoding="utf-8") as file:
        launches = json.load(file)["launches"]
    prefix = f"nacre_{model.name}_"
    kernels = {prefix + launch["kernel"]: Kernel(launch["kernel"], launch["kind"]) for launch in launches}
    kernels[None] = Kernel("(others)", "")
    blocks = execute(model, library, arguments)
    instructions, symbols = disassemble(library)
    base = find_base(instructions, blocks)
    # Of several CPUs the run has chosen one; the others' code has not been executed.
    starts = sorted((address, re.sub(r"\.variant\d+$", "", name)) for name, address in symbols.items())
    count_classes(kernels, starts, blocks, base)
    for block in basic_blocks(instructions, executions(instructions, blocks, base)):
        kernel_at(kernels, starts, block[0]).blocks.append(block)
    return list(kernels.values())


def print_blocks(kernel, core):
    for (address, count, texts), cycles in sorted(zip(kernel.blocks, cycles_of(kernel.blocks, core)),
                                                  key=lambda row: -row[0][1] * len(row[0][2])):
        print(f"\n{count} x {len(texts)} instructions at {address:#x}, {cycles:.1f} cycles on {core}")
        for text in texts:
            print("\t" + text)


def share(products, core, cycles):
    return f"{products / PEAK[core.partition(':')[0]] / cycles * 100:.1f}%" if cycles else "-"


def row_of(name, kernels, cores):
    total = collections.Counter()
    for kernel in kernels:
        total.update(kernel.counts)
    other = total["all"] - total["vfma"] - total["vload"] - total["vstore"]
    cells = [f"{total[c] / 1e6:.3f}" for c in CLASSES] + [f"{other / 1e6:.3f}"]
    for core in cores:
        cycles = sum(kernel.cycles.get(core, 0) for kernel in kernels)
        loops = sum(kernel.loop_cycles.get(core, 0) for kernel in kernels)
        products = sum(kernel.loop_products() for kernel in kernels)
        cells.append(f"{share(products, core, loops)} / {share(total['vfma'], core, cycles)}" if cycles else "")
    return f"| {name} | {' | '.join(cells)} |"


def main():
    arguments = parse_arguments()
    arguments.bin, arguments.work = os.path.abspath(arguments.bin), os.path.abspath(arguments.work)
    cores = arguments.cores.split(",")
    print(f"| kernel | M insns | fma | vload | vstore | other | {' | '.join(cores)} |")
    print("|---" + "|--:" * (5 + len(cores)) + "|")
    for model in rivals.selected(arguments):
        kernels = measure(model, arguments)
        contractions = [kernel for kernel in kernels if kernel.kind == "contraction"]
        for kernel in contractions:
            kernel.analyse(cores)
        if arguments.kernels:
            for kernel in kernels:
                print(row_of(kernel.name, [kernel], cores))
        print(row_of(f"**{model.name}**: contractions", contractions, cores), flush=True)
        for kernel in kernels:
            if kernel.name == arguments.blocks:
                print_blocks(kernel, cores[0])


if __name__ == "__main__":
    try:
        main()
    except rivals.Failure as error:
        sys.exit(str(error))
