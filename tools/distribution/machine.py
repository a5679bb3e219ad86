# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine that a wheel is for: this one, or another, whose root file system lies in a folder (tools/release --arm64)."""
import os
import platform
import re
import subprocess
import sys


def said(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


class Machine:
    """This machine, and how its files are linked and read."""

    name = platform.machine()
    binutils = ""  # prefix of nm and objdump
    sysroot = ""

    def __init__(self, compiler="c++"):
        self.compiler = [compiler]

    def libraries(self, program):
        """[(name, path)] of what the loader finds for the program, with the libraries of its libraries."""
        return re.findall(r"^\s*(\S+) => (.*?)(?: \(0x.*)?$", said("ldd", program), re.MULTILINE)

    def package(self, library):
        """The Debian package that a library is of, or None."""
        real = os.path.realpath(library)
        for path in (real, real.removeprefix("/usr")):
            owner = subprocess.run(["dpkg", "-S", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
            if owner.returncode == 0:
                return owner.stdout.split(":")[0]
        return None


class OtherMachine(Machine):
    """Another machine. Nothing of it runs here, so that its files are read with cross binutils."""

    def __init__(self, name, sysroot, compiler):
        super().__init__(compiler)
        self.name, self.sysroot = name, os.path.realpath(sysroot)
        self.triplet = f"{name}-linux-gnu"
        self.binutils = self.triplet + "-"
        self.compiler += [f"--target={self.triplet}", f"--sysroot={self.sysroot}"]

    def libraries(self, program):
        found = {}
        self.add_libraries(program, [], found)
        return list(found.items())

    def add_libraries(self, path, folders, found):
        dynamic = said(self.binutils + "objdump", "-p", path)
        for folder in re.findall(r"^\s*R(?:UN)?PATH\s+(\S+)", dynamic, re.MULTILINE):
            for place in folder.split(":"):  # as the loader would search, in the other machine's root
                own = place.replace("$ORIGIN", os.path.dirname(path))
                folders = folders + [own if "$ORIGIN" in place else self.sysroot + place]
        for name in re.findall(r"^\s*NEEDED\s+(\S+)", dynamic, re.MULTILINE):
            if name in found:
                continue
            places = [*folders, *(f"{self.sysroot}/{lib}/{self.triplet}" for lib in ("usr/lib", "lib")), f"{self.sysroot}/lib"]
            found[name] = next((os.path.join(place, name) for place in places if os.path.exists(os.path.join(place, name))), "not found")
            if found[name] != "not found":
                self.add_libraries(found[name], folders, found)

    def package(self, library):
        """Asks this machine: it has the same packages for itself, without which nothing could be cross-built."""
        real = os.path.realpath(library)
        if not real.startswith(self.sysroot + "/"):
            sys.exit(f"{library} must be in {self.sysroot}, but is not")
        here = real[len(self.sysroot):].replace(f"/{self.triplet}/", f"/{Machine.name}-linux-gnu/")
        return super().package(here)


def add_options(parser):
    parser.add_argument("--compiler", default="c++", help="the linker of libraries (default: %(default)s)")
    parser.add_argument("--machine", default=Machine.name, help="the machine that the programs are for (default: this one, %(default)s)")
    parser.add_argument("--sysroot", help="root file system of another machine, with its libraries")
    parser.add_argument("--any-system", action="store_true", help="allow symbols that systems older than this one lack")


def of_options(arguments):
    if arguments.machine == Machine.name:
        return Machine(arguments.compiler)
    if not arguments.sysroot:
        sys.exit(f"--machine={arguments.machine} requires --sysroot, the folder of its root file system")
    return OtherMachine(arguments.machine, arguments.sysroot, arguments.compiler)
