# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs link, gathered in a folder, with its licences: what a wheel and the SDK have so that they run on any Linux that is not
older than the limits of floor.py."""
import os
import re
import shutil
import subprocess
import sys

import floor
import trimmed

# Every Linux has these; a driver of a GPU brings newer ones than ours would be.
OF_THE_SYSTEM = re.compile(r"^(ld-linux.*|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so\b")


# In nacre-run, which decodes pictures; a build without them needs no licence of theirs.
DECODERS = ("libjpeg.a", "libpng16.a", "libz.a")
# They are of those who change the compiler; whoever does has built it.
OF_DEVELOPERS = ("nacre-kernel", "nacre-lsp-server", "nacre-opt")


def install(build, folder, components):
    """cmake --install, without the programs of developers."""
    environment = {name: value for name, value in os.environ.items() if name != "DESTDIR"}
    for component in components:
        subprocess.run(["cmake", "--install", build, "--prefix", folder, "--component", component, "--strip"], check=True, env=environment,
                       stdout=subprocess.DEVNULL)
    for program in OF_DEVELOPERS:
        if os.path.exists(os.path.join(folder, "bin", program)):  # No cross build has them.
            os.remove(os.path.join(folder, "bin", program))


def linked_libraries(programs, machine):
    """{name: path} of what the programs load, but for what every system has."""
    found = {}
    for program in programs:
        for name, path in machine.libraries(program):
            if path == "not found":
                sys.exit(f"{program} needs {name}, which is not there")
            if not OF_THE_SYSTEM.match(name):
                found[name] = path
    return found


def carry_licence(library, folder, machine):
    """What Debian says of a library's licence goes with it."""
    package = machine.package(library)
    if not package:
        sys.exit(f"{library} is of no package, so that its licence is not known; carry no libraries: --no-libraries")
    shutil.copyfile(f"/usr/share/doc/{package}/copyright", os.path.join(folder, f"{package}.txt"))


def carry_libraries(programs, licences, machine, whole=False):
    """Puts what the programs link where they look for it first, ../lib/nacre. `whole`: LLVM's and MLIR's libraries as they are."""
    folder = os.path.join(os.path.dirname(os.path.dirname(programs[0])), "lib", "nacre")
    os.makedirs(folder, exist_ok=True)
    os.makedirs(licences, exist_ok=True)
    libraries = linked_libraries(programs, machine)
    originals = dict(libraries)
    mlir = next((path for name, path in libraries.items() if name.startswith("libMLIR.so")), None)
    llvm = next((path for name, path in libraries.items() if name.startswith("libLLVM.so")), None)
    if mlir and llvm and not whole:
        trimmed.trim(programs, mlir, llvm, folder, machine)
        libraries = linked_libraries(programs, machine)
    for name, path in libraries.items():
        if not os.path.exists(os.path.join(folder, name)):
            shutil.copyfile(path, os.path.join(folder, name))
        carry_licence(originals[name], licences, machine)
    if mlir:  # The linker of models is in the programs themselves.
        carry_licence(os.path.join(os.path.dirname(mlir), "liblldELF.a"), licences, machine)
    for name in DECODERS:
        decoder = f"{machine.sysroot}/usr/lib/{machine.name}-linux-gnu/{name}"
        if os.path.exists(decoder):
            carry_licence(decoder, licences, machine)
    return sorted(os.path.join(folder, name) for name in libraries)


def check_floor(files, machine):
    """Ends this program if a file needs a newer system than floor.py allows."""
    violations = [line for path in files for line in floor.violations(path, machine.binutils)]
    if violations:
        sys.exit("\n".join(["older systems lack these symbols; build on Debian 12, or pass --any-system to allow them:", *violations]))
