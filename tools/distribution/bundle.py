# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs link, gathered in a folder, with its licences: what a wheel and the SDK have so that they run on any Linux whose C
library is not older than this one's."""
import os
import re
import shutil
import subprocess
import sys

import trimmed

# Every Linux has these; a driver of a GPU brings newer ones than ours would be.
OF_THE_SYSTEM = re.compile(r"^(ld-linux.*|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so\b")


def linked_libraries(programs):
    """{name: path} of what the programs load, but for what every system has."""
    found = {}
    for program in programs:
        listed = subprocess.run(["ldd", program], check=True, stdout=subprocess.PIPE, text=True).stdout
        for name, path in re.findall(r"^\s*(\S+) => (.*?)(?: \(0x.*)?$", listed, re.MULTILINE):
            if path == "not found":
                sys.exit(f"{program} needs {name}, which is not there")
            if not OF_THE_SYSTEM.match(name):
                found[name] = path
    return found


def carry_licence(library, folder):
    """What Debian says of a library's licence goes with it."""
    real = os.path.realpath(library)
    for path in (real, real.removeprefix("/usr")):
        owner = subprocess.run(["dpkg", "-S", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        if owner.returncode == 0:
            package = owner.stdout.split(":")[0]
            shutil.copyfile(f"/usr/share/doc/{package}/copyright", os.path.join(folder, f"{package}.txt"))
            return
    sys.exit(f"{library} is of no package, so that its licence is not known; carry no libraries: --no-libraries")


def carry_libraries(programs, licences, whole=False, compiler="c++"):
    """Puts what the programs link where they look for it first, ../lib/nacre. `whole`: LLVM's and MLIR's libraries as they are."""
    folder = os.path.join(os.path.dirname(os.path.dirname(programs[0])), "lib", "nacre")
    os.makedirs(folder, exist_ok=True)
    os.makedirs(licences, exist_ok=True)
    libraries = linked_libraries(programs)
    originals = dict(libraries)
    mlir = next((path for name, path in libraries.items() if name.startswith("libMLIR.so")), None)
    llvm = next((path for name, path in libraries.items() if name.startswith("libLLVM.so")), None)
    if mlir and llvm and not whole:
        trimmed.trim(programs, mlir, llvm, folder, compiler)
        libraries = linked_libraries(programs)
    for name, path in libraries.items():
        if not os.path.exists(os.path.join(folder, name)):
            shutil.copyfile(path, os.path.join(folder, name))
        carry_licence(originals[name], licences)
    if mlir:  # The linker of models is in the programs themselves.
        carry_licence(os.path.join(os.path.dirname(mlir), "liblldELF.a"), licences)
