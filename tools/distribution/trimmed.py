# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's and MLIR's shared libraries without what given programs never call.

Why:  Debian's have the code of twenty-two targets, of which Nacre uses two, and of each pass and dialect: 257 MB, and 60 MB more that
      they link. What is left is 116 MB, a fifth of that when compressed.
How:  the same libraries are linked anew from their archives, under the same names, so that the programs stay as they are and are
      those that were tested. Exported is what the programs' symbol tables name, and what is not reached from there is left out:
      1. libMLIR, against Debian's libLLVM,
      2. libLLVM, for the programs and for that libMLIR. LLD starts all targets that LLVM has; those that nobody compiles for are
         replaced by functions that do nothing, as is the hook of Polly, which is off.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

TARGETS = ("AArch64", "X86")  # As codegen/Target.cpp starts them.
STARTS_TARGET = re.compile(r"LLVMInitialize(\w+?)(TargetInfo|TargetMC|Target|AsmPrinter|AsmParser|Disassembler)$")
# Tests of LLVM, and its parts that are modules of other programs.
OF_OTHERS = re.compile(r"/lib(MLIRCAPI|MLIRMlirPython|\w*Python|\w*Test|LLVMExegesis)\w*\.a$")
# Virtual tables and names of types bring all their functions along, and are never compared by address.
TABLE = re.compile(r"_ZT[VIST]")


def said(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def symbols(path, *options):
    """{name: kind} of those that others can see."""
    return {row.split()[-1].split("@")[0]: row.split()[-2] for row in said("nm", "-D", *options, path).splitlines()}


def is_shared_by_address(kind, name):
    """Whether there must be one of it, wherever it is defined: an object that many translation units define."""
    return kind in "Vu" and not TABLE.match(name)


class Trimmer:
    def __init__(self, compiler, llvm, output):
        self.compiler, self.llvm, self.output = compiler, llvm, output
        self.work = tempfile.TemporaryDirectory(prefix="nacre-trimmed-")

    def write(self, name, lines):
        path = os.path.join(self.work.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        return path

    def archives(self, prefix):
        found = sorted(path for path in glob.glob(os.path.join(self.llvm, f"lib{prefix}*.a")) if not OF_OTHERS.search(path))
        if not found:
            sys.exit(f"{self.llvm} has no lib{prefix}*.a to make a smaller library of; install libmlir-22-dev and llvm-22-dev, "
                     "or carry the libraries as they are: --whole-libraries")
        return found

    def compile_stubs(self, names):
        path = self.write("stubs.cpp", [
            '#include "llvm/Plugins/PassPlugin.h"', *(f'extern "C" void {name}() {{}}' for name in names),
            'llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {LLVM_PLUGIN_API_VERSION, "Polly", "", [](llvm::PassBuilder &) {}}; }'])
        include = os.path.join(os.path.dirname(self.llvm), "include")
        subprocess.run([self.compiler, "-c", "-fPIC", "-O2", "-std=c++17", "-fno-rtti", f"-I{include}", path, "-o", path + ".o"], check=True)
        return path + ".o"

    def link(self, original, needed, seen, inputs):
        """`original` with what is `needed`; where what is `seen` elsewhere is in it, too, it is the same there."""
        name = os.path.basename(original)
        versions = set(re.findall(r"@@(\S+)", said("nm", "-D", "--defined-only", original)))
        if len(versions) > 1:
            sys.exit(f"{original} must have one version of its symbols, but has {', '.join(sorted(versions))}")
        exports = self.write(name + ".map", ["".join(versions) + " { global:", *(f"{symbol};" for symbol in sorted(seen)), "local: *; };"])
        roots = self.write(name + ".rsp", [f"-Wl,-u,{symbol}" for symbol in sorted(needed)])
        path = os.path.join(self.output, name)
        subprocess.run([self.compiler, "-shared", "-B", os.path.join(os.path.dirname(self.llvm), "bin"), "-fuse-ld=lld", "-o", path,
                        f"-Wl,--soname={name},--version-script={exports},--undefined-version,--gc-sections,--strip-all,--build-id=sha1,"
                        "--as-needed,--hash-style=gnu,-z,defs,-z,relro", f"@{roots}", *inputs], check=True)
        return path


def trim(programs, mlir, llvm, output, compiler="c++"):
    """Writes libMLIR and libLLVM to the folder `output`. `mlir` and `llvm` are the paths of those that the programs link."""
    folder = os.path.dirname(mlir)
    trimmer = Trimmer(compiler, folder, output)
    of_mlir, of_llvm = symbols(mlir, "--defined-only"), symbols(llvm, "--defined-only")
    needed, seen = set(), {name for name, kind in of_mlir.items() if name in of_llvm and is_shared_by_address(kind, name)}
    for program in programs:
        needed |= set(symbols(program, "-u"))
        seen |= set(symbols(program))

    smaller = trimmer.link(mlir, needed & set(of_mlir), seen & set(of_mlir), [*trimmer.archives("MLIR"), llvm])
    needed |= set(symbols(smaller, "-u"))
    seen |= set(symbols(smaller))
    starts = {name: STARTS_TARGET.match(name) for name in needed}
    stubs = trimmer.compile_stubs(sorted(name for name, match in starts.items() if match and match[1] not in TARGETS))
    trimmer.link(llvm, needed & set(of_llvm), seen & set(of_llvm), [stubs, *trimmer.archives("LLVM"), "-lz", "-lzstd"])
