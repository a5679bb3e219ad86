# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that programs and libraries start on systems older than the one that built them.

Why:  A wheel's tag promises the oldest C library that it runs with (PEP 600), and the same systems have a C++ library of their time.
      One symbol too new and no program starts there.
How:  binutils lists the versions of the symbols that a file needs. The limits are those of manylinux_2_34: RHEL 9, with glibc 2.34 and
      the C++ library of GCC 11.
"""
import re
import subprocess

LIMITS = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (11, 0)}
NEEDED = re.compile(r"\b(GLIBC|GLIBCXX|CXXABI|GCC)_([\d.]+|ABI_DT_RELR)\b")


def parse(version):
    # A file with packed relocations needs glibc 2.36.
    return (2, 36) if version == "ABI_DT_RELR" else tuple(map(int, version.split(".")))


def said(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def needed(path, binutils=""):
    """{library: newest version} that the file needs; `binutils` is the prefix of another machine's tools."""
    references = said(binutils + "objdump", "-p", path).partition("Version References:")[2]
    newest = {}
    for library, version in NEEDED.findall(references):
        newest[library] = max(newest.get(library, ()), parse(version))
    return newest


def violations(path, binutils=""):
    """A line for each symbol of the file that the oldest system lacks."""
    too_new = {library for library, version in needed(path, binutils).items() if version > LIMITS[library]}
    lines = []
    for symbol in re.findall(r" [Uwv] (\S+@\S+)", said(binutils + "nm", "-D", path)) if too_new else []:
        name, _, version = symbol.replace("@@", "@").partition("@")
        found = NEEDED.fullmatch(version)
        if found and parse(found[2]) > LIMITS[found[1]]:
            lines.append(f"{path}: {name} of {version}")
    named = {line.rpartition(" of ")[2].split("_")[0] for line in lines}
    return lines + [f"{path}: a symbol of {library}_{'.'.join(map(str, needed(path, binutils)[library]))}" for library in sorted(too_new - named)]


def newest_glibc(files, binutils=""):
    """The oldest C library that all of the files run with, (2, 34)."""
    return max(needed(path, binutils).get("GLIBC", (2, 17)) for path in files)
