# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime as it runs on a CPU with fewer features than this one.

How:  a copy of its library in which each `cpuid` is `ud2`, as long, and a preloaded handler that answers it (cpuid_mask.c).
"""
import os
import re
import shutil

import rivals

# Our --cpu, and the level of cpuid_mask.c that hides as much from others.
LEVELS = {"x86-64-v3": "avx2", "haswell": "avx2", "skylake": "avx2", "znver3": "avx2", "alderlake": "avxvnni", "skylake-avx512": "avx512",
          "x86-64-v4": "avx512"}
CPUID, UD2 = b"\x0f\xa2", b"\x0f\x0b"


def segments(text):
    """[(address, size, offset in the file)] of the sections with code, from `objdump -h`."""
    rows = re.findall(r"^\s*\d+ (\S+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)\s+\S+\n\s+(.*)$", text, re.M)
    return [(int(address, 16), int(size, 16), int(offset, 16)) for _, size, address, offset, flags in rows if "CODE" in flags]


def copy_without_cpuid(library, copy):
    """Writes `copy`; addresses are those of a disassembly, because the two bytes may also be a part of another instruction."""
    sections = segments(rivals.call("objdump", "-h", library))
    addresses = [int(line, 16) for line in re.findall(r"^\s*([0-9a-f]+):\s+cpuid", rivals.call("objdump", "-d", "--no-show-raw-insn", library), re.M)]
    shutil.copyfile(library, copy)
    with open(copy, "r+b") as file:
        for address in addresses:
            offset = next(address - begin + at for begin, size, at in sections if begin <= address < begin + size)
            file.seek(offset)
            if file.read(2) != CPUID:
                raise rivals.Failure(f"{library} has no cpuid at {address:#x}, where its disassembly has one")
            file.seek(offset)
            file.write(UD2)
    if not addresses:
        raise rivals.Failure(f"{library} has no cpuid instruction; its features cannot be hidden")


def options_for(cpu, arguments):
    """Arguments of Model.benchmark_ort that hide what `cpu` lacks; none for this machine's own CPU."""
    if not cpu:
        return {}
    if cpu not in LEVELS:
        raise rivals.Failure(f"--cpu={cpu}: no features are hidden for it; known: {', '.join(sorted(LEVELS))}")
    library = rivals.ort_library("x64")
    copy = os.path.join(os.path.abspath(arguments.work), "onnxruntime-without-cpuid.so")
    if not os.path.exists(copy) or os.path.getmtime(copy) < os.path.getmtime(library):
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        copy_without_cpuid(library, copy)
    mask = os.path.join(os.path.abspath(arguments.bin), "cpuid_mask.so")
    return {"library": copy, "env": dict(os.environ, LD_PRELOAD=mask, CPUID_LEVEL=LEVELS[cpu])}
