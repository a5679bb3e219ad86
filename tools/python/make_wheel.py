#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the wheel of the Python package: its sources, the programs, nacre/runtime.h, and the libraries that the programs need.

Why:  `pip install` of one file is all that a newcomer should need. nacre-compile links LLVM and MLIR, which few machines have in
      this version, so the wheel carries them, and what they need but the C and C++ libraries; without (--no-libraries) it is small,
      and for machines that have them.
How:  1. gathers everything in a folder,
      2. names the oldest C library that all of it runs on: the wheel's tag, manylinux_<its version>; a wheel without libraries
         promises nothing of other machines, and is tagged linux,
      3. lets setuptools build it, of files that all have one time, so that it is the same wheel each time.
"""
import argparse
import glob
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Every Linux that the tag admits has these.
OF_THE_SYSTEM = re.compile(r"^(ld-linux.*|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so\b")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", help="the programs to carry")
    parser.add_argument("--version", required=True, help="of the package")
    parser.add_argument("--output", required=True, help="the folder to write the wheel to")
    parser.add_argument("--no-libraries", action="store_true", help="leave out what the programs link")
    parser.add_argument("--uncompressed", action="store_true", help="a large wheel, soon built")
    return parser.parse_args()


def said(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def linked_libraries(programs):
    """{name: path} of what the programs load, but for what every system has."""
    found = {}
    for program in programs:
        for name, path in re.findall(r"^\s*(\S+) => (.*?)(?: \(0x.*)?$", said("ldd", program), re.MULTILINE):
            if path == "not found":
                sys.exit(f"{program} needs {name}, which is not there")
            if not OF_THE_SYSTEM.match(name):
                found[name] = os.path.realpath(path)
    return found


def carry_licence(library, folder):
    """What Debian says of a library's licence goes with it."""
    plain = library.removeprefix("/usr")
    for path in (library, plain):
        owner = subprocess.run(["dpkg", "-S", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        if owner.returncode == 0:
            package = owner.stdout.split(":")[0]
            shutil.copyfile(f"/usr/share/doc/{package}/copyright", os.path.join(folder, f"{package}.txt"))
            return
    sys.exit(f"{library} is of no package, so that its licence is not known; build the wheel with --no-libraries")


def gather(arguments, folder):
    package = os.path.join(folder, "nacre")
    shutil.copytree(os.path.join(HERE, "nacre"), package, ignore=shutil.ignore_patterns("__pycache__", "bin", "lib", "include", "share", "_version.py"))
    for name in ("pyproject.toml", "setup.py", "README.md"):
        shutil.copy(os.path.join(HERE, name), folder)
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(os.path.join(ROOT, name), folder)
    with open(os.path.join(package, "_version.py"), "w", encoding="utf-8") as file:
        file.write(f'__version__ = "{arguments.version}"\n')
    shutil.copytree(os.path.join(ROOT, "runtime", "include", "nacre"), os.path.join(package, "include", "nacre"))
    share = os.path.join(package, "share", "nacre")
    os.makedirs(share)
    subprocess.run([sys.executable, "-B", os.path.join(ROOT, "samples", "models", "make_convnet.py"), share], check=True)
    os.mkdir(os.path.join(package, "bin"))
    for program in arguments.programs:
        carried = shutil.copy(program, os.path.join(package, "bin"))
        subprocess.run(["strip", carried], check=True)
    if not arguments.no_libraries:
        os.mkdir(os.path.join(package, "lib"))
        os.mkdir(os.path.join(package, "licenses"))
        for name, path in linked_libraries(arguments.programs).items():
            shutil.copyfile(path, os.path.join(package, "lib", name))
            carry_licence(path, os.path.join(package, "licenses"))
    for path in glob.glob(os.path.join(folder, "**"), recursive=True):
        os.utime(path, (315532800, 315532800))  # The first that a wheel can have, 1980.


def platform_tag(arguments, folder):
    if arguments.no_libraries:
        return f"linux_{platform.machine()}"
    machine_code = glob.glob(os.path.join(folder, "nacre", "bin", "*")) + glob.glob(os.path.join(folder, "nacre", "lib", "*"))
    versions = {tuple(map(int, found)) for path in machine_code for found in re.findall(r" GLIBC_(\d+)\.(\d+)", said("objdump", "-p", path))}
    return "manylinux_{}_{}_{}".format(*max(versions), platform.machine())


def main():
    arguments = parse_arguments()
    os.makedirs(arguments.output, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="nacre-wheel-") as folder:
        gather(arguments, folder)
        output = os.path.abspath(arguments.output)
        command = [sys.executable, "setup.py", "-q", "bdist_wheel", f"--dist-dir={output}"]
        command += ["--compression=stored"] if arguments.uncompressed else []
        environment = {**os.environ, "NACRE_WHEEL_PLATFORM": platform_tag(arguments, folder), "SOURCE_DATE_EPOCH": "315532800",
                       "PYTHONWARNINGS": "ignore"}
        subprocess.run(command, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    for path in glob.glob(os.path.join(output, f"nacre-{arguments.version}-*.whl")):
        print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
