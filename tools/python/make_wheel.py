#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the wheel of the Python package: its sources, the programs, nacre/runtime.h, and the libraries that the programs need.

Why:  A newcomer should only need `pip install` of one file. nacre-compile links LLVM and MLIR, which few machines have in this
      version. So the wheel contains the parts of them that the programs call (tools/distribution/trimmed.py) and their dependencies,
      except the C and C++ libraries. With --no-libraries it is small, and needs a machine that has the libraries.
How:  1. Gather everything in a folder.
      2. Tag the wheel with the oldest C library that all parts run on, manylinux_<version>. A wheel without libraries is tagged
         linux, because it may not run on other machines.
      3. Let setuptools build it from files with equal times, so that the wheel is reproducible.
"""
import argparse
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tools", "distribution"))
import bundle  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", help="the programs to include")
    parser.add_argument("--version", required=True, help="version of the package")
    parser.add_argument("--output", required=True, help="the folder for the wheel")
    parser.add_argument("--no-libraries", action="store_true", help="omit the libraries that the programs link")
    parser.add_argument("--whole-libraries", action="store_true", help="include LLVM's and MLIR's libraries untrimmed")
    parser.add_argument("--compiler", default="c++", help="the linker of libraries (default: %(default)s)")
    parser.add_argument("--maintainer", default="", help="Name <address>, for the metadata")
    parser.add_argument("--home-page", default="", help="URL of the project, for the metadata")
    parser.add_argument("--uncompressed", action="store_true", help="compress less: a larger wheel, built faster")
    return parser.parse_args()


def said(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def gather(arguments, folder):
    package = os.path.join(folder, "nacre")
    shutil.copytree(os.path.join(HERE, "nacre"), package, ignore=shutil.ignore_patterns("__pycache__", "bin", "lib", "include", "share", "_version.py"))
    for name in ("pyproject.toml", "setup.py", "README.md"):
        shutil.copy(os.path.join(HERE, name), folder)
    add_metadata(os.path.join(folder, "pyproject.toml"), arguments)
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(os.path.join(ROOT, name), folder)
    with open(os.path.join(package, "_version.py"), "w", encoding="utf-8") as file:
        file.write(f'__version__ = "{arguments.version}"\n')
    shutil.copytree(os.path.join(ROOT, "runtime", "include", "nacre"), os.path.join(package, "include", "nacre"))
    share = os.path.join(package, "share", "nacre")
    os.makedirs(share)
    subprocess.run([sys.executable, "-B", os.path.join(ROOT, "samples", "models", "make_convnet.py"), share], check=True)
    os.mkdir(os.path.join(package, "bin"))
    carried = [shutil.copy(program, os.path.join(package, "bin")) for program in arguments.programs]
    subprocess.run(["strip", *carried], check=True)
    if not arguments.no_libraries:
        bundle.carry_libraries(carried, os.path.join(package, "licenses"), whole=arguments.whole_libraries, compiler=arguments.compiler)
    for path in glob.glob(os.path.join(folder, "**"), recursive=True):
        os.utime(path, (315532800, 315532800))  # The first that a wheel can have, 1980.


def add_metadata(path, arguments):
    """Adds the maintainer and the home page, if they are given."""
    name, _, address = arguments.maintainer.rstrip(">").partition(" <")
    lines = f"maintainers = [{{ name = {json.dumps(name)}, email = {json.dumps(address)} }}]\n" if address else ""
    lines += f"urls = {{ Homepage = {json.dumps(arguments.home_page)} }}\n" if arguments.home_page else ""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("[project.optional-dependencies]", lines + "\n[project.optional-dependencies]"))


def platform_tag(arguments, folder):
    if arguments.no_libraries:
        return f"linux_{platform.machine()}"
    machine_code = glob.glob(os.path.join(folder, "nacre", "bin", "*")) + glob.glob(os.path.join(folder, "nacre", "lib", "nacre", "*"))
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
