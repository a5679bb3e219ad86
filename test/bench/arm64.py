#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions that one inference executes on arm64, counted under qemu, against ONNX Runtime for arm64, or ncnn.

Why:  without a phone, instructions are what can be compared exactly; they are not times (no cache, no issue width).
How:  both programs put the hints of qemu_insn_count.c around a run; the smallest count of a few runs is kept. One thread. ncnn takes the precision that its driver is told. Its driver is called
      as docs/benchmarks-peers.md says, but is a program for arm64 with the hints, and prints "error" as well.
"""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys

import rivals
from tables import Table

COLUMNS = ("all", "vfma", "dot", "vload", "vstore")
CLASSES = "fma / dot / vload / vstore M"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.add_argument("--cpu", default="cortex-a76", help="qemu's model of a core; for products of rows of bytes (i8mm), max")
    parser.add_argument("--for-cpu", default="", help="compile for this CPU instead of the baseline")
    parser.add_argument("--cpu-precision", choices=("fp32", "fp16", "bf16"), default="fp32", help="of values and weights")
    parser.add_argument("--ncnn", metavar="PROGRAM", help="compare counts and errors with ncnn's instead of ONNX Runtime's: its driver, with "
                        "arguments if it needs any")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--json", help="also write the table to this file, for int8_page.py")
    return parser.parse_args()


def make_ort_root(root):
    """A root for `qemu -L` with the few files from which ONNX Runtime's CPU probe builds its core list: under qemu-user 7.2
    the probe would otherwise read this machine's, and crash."""
    cpus = os.path.join(root, "sys", "devices", "system", "cpu")
    os.makedirs(os.path.join(root, "proc"), exist_ok=True)
    os.makedirs(cpus, exist_ok=True)
    if not os.path.lexists(os.path.join(root, "lib")):
        os.symlink(os.path.join(rivals.ARM64_SYSROOT, "lib"), os.path.join(root, "lib"))
    files = {"possible": "0", "present": "0", "online": "0", "kernel_max": "0", "cpu0/topology/physical_package_id": "0",
             "cpu0/topology/cluster_id": "0", "cpu0/topology/core_id": "0", "cpu0/topology/thread_siblings_list": "0",
             "cpu0/topology/core_siblings_list": "0", "cpu0/topology/cluster_cpus_list": "0",
             "cpu0/topology/package_cpus_list": "0", "cpu0/cpufreq/cpuinfo_max_freq": "2400000",
             "cpu0/cpufreq/cpuinfo_min_freq": "600000", "cpu0/regs/identification/midr_el1": "0x00000000413fd0b1"}
    for index, (level, kind, size) in enumerate(((1, "Data", "64K"), (1, "Instruction", "64K"), (2, "Unified", "512K"),
                                                 (3, "Unified", "2048K"))):
        cache = f"cpu0/cache/index{index}/"
        files.update({cache + "level": str(level), cache + "type": kind, cache + "size": size, cache + "shared_cpu_list": "0",
                      cache + "coherency_line_size": "64", cache + "ways_of_associativity": "4"})
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(cpus, name)), exist_ok=True)
        with open(os.path.join(cpus, name), "w", encoding="ascii") as file:
            file.write(text + "\n")
    with open(os.path.join(root, "proc", "cpuinfo"), "w", encoding="ascii") as file:
        file.write("processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp "
                   "asimdhp cpuid asimdrdm lrcpc dcpop asimddp\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
                   "CPU variant\t: 0x3\nCPU part\t: 0xd0b\nCPU revision\t: 1\n\n")


def count(command, root, plugin, arguments, log):
    """The counters of the cheapest region of a run under qemu."""
    return count_and_read(command, root, plugin, arguments, log)[0]


def count_and_read(command, root, plugin, arguments, log):
    """The counters of the cheapest region of a run under qemu, and what the run printed."""
    with open(log, "w", encoding="ascii"):
        pass
    done = subprocess.run(["qemu-aarch64", "-L", root, "-cpu", arguments.cpu, "-plugin", plugin, "-d", "plugin", "-D", log,
                           *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    if done.returncode != 0:
        raise rivals.Failure(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()}")
    with open(log, encoding="ascii") as file:
        regions = [json.loads(line) for line in file if line.startswith("{")]
    if not regions:
        raise rivals.Failure(f"{command[0]} marked no region")
    return min(regions, key=lambda region: region["all"]), done.stdout


def options_of(arguments):
    """For nacre-compile."""
    return [f"--cpu-precision={arguments.cpu_precision}"] + ([f"--cpu={arguments.for_cpu}"] if arguments.for_cpu else [])


def cells_of(region):
    return [f"{region['all'] / 1e6:.2f}", " / ".join(f"{region[c] / 1e6:.2f}" for c in COLUMNS[1:])]


def compare_with_ort(models, count_run, arguments, root):
    table = Table(["model", "nacre M insns", CLASSES, "ort M insns", CLASSES, "ratio"])
    for model, ours in models:
        nacre, _ = count_run(ours, rivals.ARM64_SYSROOT)
        ort, _ = count_run([model.program("ort_run-arm64"), "--lib", rivals.ort_library("arm64"), "--threads", 1, "--warmup", 1, "--runs",
                            arguments.runs, "--data", model.io, model.path], root)
        table.add(model.name, *cells_of(nacre), *cells_of(ort), f"{nacre['all'] / ort['all']:.2f}")
    return table


def compare_with_ncnn(models, count_run, arguments):
    table = Table(["model", "nacre M insns", CLASSES, "error", "SNR dB", "ncnn M insns", CLASSES, "error", "ratio"])
    runner = ["qemu-aarch64", "-L", rivals.ARM64_SYSROOT, "-cpu", arguments.cpu]
    ratios = []
    for model, ours in models:
        nacre, _ = count_run(ours, rivals.ARM64_SYSROOT)
        answers = model.answers([*runner, model.program("nacre-run-arm64")], "linux-arm64")
        cells = [*cells_of(nacre), f"{max(rivals.largest_error(*pair) for pair in answers):.1e}",
                 f"{min(rivals.signal_to_noise(*pair) for pair in answers):.1f}"]
        try:
            ncnn, said = count_run([*shlex.split(arguments.ncnn), "--threads", 1, "--runs", arguments.runs, "--max-seconds", 1000, "--data",
                                    model.io, model.path], rivals.ARM64_SYSROOT)
        except rivals.Failure as failure:
            print(f"note: ncnn has no figure of {model.name}: {str(failure).splitlines()[-1]}", file=sys.stderr)
            table.add(model.name, *cells, "-", "-", "-", "-")
            continue
        ratios.append(nacre["all"] / ncnn["all"])
        table.add(model.name, *cells, *cells_of(ncnn), f"{rivals.json_line(said)['error']:.1e}", f"{ratios[-1]:.2f}")
    if ratios:
        table.note(f"geomean nacre/ncnn {statistics.geometric_mean(ratios):.3f} (worst {max(ratios):.2f}, {len(ratios)} of {len(models)} models)")
    return table


def main():
    arguments = parse_arguments()
    arguments.bin, arguments.work = os.path.abspath(arguments.bin), os.path.abspath(arguments.work)
    root, log = os.path.join(arguments.work, "ort-root"), os.path.join(arguments.work, "instructions.txt")
    plugin = os.path.join(arguments.bin, "qemu_insn_count.so")
    models = [(model, [model.program("nacre-run-arm64"), model.compile("linux-arm64", *options_of(arguments)), *model.inputs, "--benchmark", "--threads=1",
                       f"--runs={arguments.runs}"]) for model in rivals.selected(arguments)]

    def count_run(command, sysroot):
        return count_and_read(command, sysroot, plugin, arguments, log)

    if arguments.ncnn:
        table = compare_with_ncnn(models, count_run, arguments)
    else:
        make_ort_root(root)
        table = compare_with_ort(models, count_run, arguments, root)
    if arguments.json:
        table.save(arguments.json, f"arm64 {arguments.for_cpu or 'baseline'}")


if __name__ == "__main__":
    try:
        main()
    except rivals.Failure as error:
        sys.exit(str(error))
