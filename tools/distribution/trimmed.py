# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's and MLIR's shared libraries without what given programs never call.

Why:  Debian's have the code of twenty-two targets, of which Nacre uses two, and of each pass and dialect: 257 MB, and 60 MB more that
      they link. What is left is 116 MB, a fifth of that when compressed.
How:  the same libraries are linked anew from their archives, under the same names, so that the programs stay as they are and are
      those that were tested. Exported is what the programs' symbol tables name, and what is not reached from there is left out:
      1. libMLIR, against Debian's libLLVM,
      2. libLLVM, for the programs and for that libMLIR. LLD starts all targets that LLVM has; those that nobody compiles for are
         replaced by functions that do nothing, as is the hook of Polly, which is off.
      Both get tools/cmake/standins, in place of functions that older systems lack.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

from machine import said

STANDINS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cmake", "standins")
TARGETS = ("AArch64", "X86")  # As codegen/Target.cpp starts them.
STARTS_TARGET = re.compile(r"LLVMInitialize(\w+?)(TargetInfo|TargetMC|Target|AsmPrinter|AsmParser|Disassembler)$")
# Tests of LLVM, and its parts that are modules of other programs.
OF_OTHERS = re.compile(r"/lib(MLIRCAPI|MLIRMlirPython|\w*Python|\w*Test|LLVMExegesis)\w*\.a$")
# Virtual tables and names of types bring all their functions along, and are never compared by address.
TABLE = re.compile(r"_ZT[VIST]")


def is_shared_by_address(kind, name):
    """Whether there must be one of it, wherever it is defined: an object that many translation units define."""
    return kind in "Vu" and not TABLE.match(name)


class Trimmer:
    def __init__(self, machine, llvm, output):
        self.machine, self.llvm, self.output = machine, llvm, output
        self.linker = os.path.join(os.path.dirname(llvm).removeprefix(machine.sysroot), "bin")  # this machine's
        self.work = tempfile.TemporaryDirectory(prefix="nacre-trimmed-")

    def write(self, name, lines):
        path = os.path.join(self.work.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        return path

    def list_symbols(self, path, *options):
        return said(self.machine.binutils + "nm", "-D", *options, path)

    def symbols(self, path, *options):
        """{name: kind} of those that others can see."""
        return {row.split()[-1].split("@")[0]: row.split()[-2] for row in self.list_symbols(path, *options).splitlines()}

    def archives(self, prefix):
        found = sorted(path for path in glob.glob(os.path.join(self.llvm, f"lib{prefix}*.a")) if not OF_OTHERS.search(path))
        if not found:
            sys.exit(f"{self.llvm} has no lib{prefix}*.a to make a smaller library of; install libmlir-22-dev and llvm-22-dev, "
                     "or carry the libraries as they are: --whole-libraries")
        return found

    def compile(self, path, *options):
        output = os.path.join(self.work.name, os.path.basename(path) + ".o")
        subprocess.run([*self.machine.compiler, "-c", "-fPIC", "-O2", "-std=c++17", "-fno-rtti", *options, path, "-o", output], check=True)
        return output

    def compile_standins(self):
        return [self.compile(path) for path in sorted(glob.glob(os.path.join(STANDINS, "*.cpp")))]

    def compile_stubs(self, names):
        path = self.write("stubs.cpp", [
            '#include "llvm/Plugins/PassPlugin.h"', *(f'extern "C" void {name}() {{}}' for name in names),
            'llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {LLVM_PLUGIN_API_VERSION, "Polly", "", [](llvm::PassBuilder &) {}}; }'])
        return self.compile(path, f"-I{os.path.join(os.path.dirname(self.llvm), 'include')}")

    def link(self, original, needed, seen, inputs):
        """`original` with what is `needed`; where what is `seen` elsewhere is in it, too, it is the same there."""
        name = os.path.basename(original)
        versions = set(re.findall(r"@@(\S+)", self.list_symbols(original, "--defined-only")))
        if len(versions) > 1:
            sys.exit(f"{original} must have one version of its symbols, but has {', '.join(sorted(versions))}")
        exports = self.write(name + ".map", ["".join(versions) + " { global:", *(f"{symbol};" for symbol in sorted(seen)), "local: *; };"])
        roots = self.write(name + ".rsp", [f"-Wl,-u,{symbol}" for symbol in sorted(needed)])
        path = os.path.join(self.output, name)
        subprocess.run([*self.machine.compiler, "-shared", "-B", self.linker, "-fuse-ld=lld", "-o", path,
                        f"-Wl,--soname={name},--version-script={exports},--undefined-version,--gc-sections,--strip-all,--build-id=sha1,"
                        "--as-needed,--hash-style=gnu,-z,defs,-z,relro", f"@{roots}", *inputs], check=True)
        return path


def trim(programs, mlir, llvm, output, machine):
    """Writes libMLIR and libLLVM to the folder `output`. `mlir` and `llvm` are the paths of those that the programs link."""
    folder = os.path.dirname(mlir)
    trimmer = Trimmer(machine, folder, output)
    of_mlir, of_llvm = trimmer.symbols(mlir, "--defined-only"), trimmer.symbols(llvm, "--defined-only")
    needed, seen = set(), {name for name, kind in of_mlir.items() if name in of_llvm and is_shared_by_address(kind, name)}
    for program in programs:
        needed |= set(trimmer.symbols(program, "-u"))
        seen |= set(trimmer.symbols(program))

    standins = trimmer.compile_standins()
    smaller = trimmer.link(mlir, needed & set(of_mlir), seen & set(of_mlir), [*standins, *trimmer.archives("MLIR"), llvm])
    needed |= set(trimmer.symbols(smaller, "-u"))
    seen |= set(trimmer.symbols(smaller))
    starts = {name: STARTS_TARGET.match(name) for name in needed}
    stubs = trimmer.compile_stubs(sorted(name for name, match in starts.items() if match and match[1] not in TARGETS))
    trimmer.link(llvm, needed & set(of_llvm), seen & set(of_llvm), [stubs, *standins, *trimmer.archives("LLVM"), "-lz", "-lzstd"])
