#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the wheel of the Python package: its sources, all that cmake --install has for users, and the libraries that the programs need.

Why:  A newcomer should only need `pip install` of one file. nacre-compile links LLVM and MLIR, which few machines have in this
      version. So the wheel contains the parts of them that the programs call (tools/distribution/trimmed.py) and their dependencies,
      except the C and C++ libraries. With --no-libraries it is small, and needs a machine that has the libraries.
How:  1. Gather everything in a folder: the programs, headers, Java classes and programs for phones and boards, as the SDK has them.
      2. Fail if a program needs a newer system than RHEL 9 or Ubuntu 22.04 (tools/distribution/floor.py).
      3. Tag the wheel with the oldest C library that all parts run on, manylinux_<version>. A wheel without libraries is tagged
         linux, because it may not run on other machines.
      4. Let setuptools build it from files with equal times, so that the wheel is reproducible.
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tools", "distribution"))
import bundle  # noqa: E402
import floor  # noqa: E402
import machine  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], fromfile_prefix_chars="@")
    parser.add_argument("--build", required=True, help="the build folder, with everything built")
    parser.add_argument("--version", required=True, help="version of the package")
    parser.add_argument("--output", required=True, help="the folder for the wheel")
    parser.add_argument("--no-libraries", action="store_true", help="omit the libraries that the programs link")
    parser.add_argument("--whole-libraries", action="store_true", help="include LLVM's and MLIR's libraries untrimmed; needs --any-system")
    parser.add_argument("--with", dest="components", action="append", default=[], metavar="COMPONENT", help="install this component, too")
    machine.add_options(parser)
    parser.add_argument("--maintainer", default="", help="Name <address>, for the metadata")
    parser.add_argument("--home-page", default="", help="URL of the project, for the metadata")
    parser.add_argument("--uncompressed", action="store_true", help="compress less: a larger wheel, built faster")
    return parser.parse_args()


def gather(arguments, folder):
    """Returns the platform that the wheel is for."""
    package = os.path.join(folder, "nacre")
    shutil.copytree(os.path.join(HERE, "nacre"), package, ignore=shutil.ignore_patterns("__pycache__", "bin", "lib", "include", "share", "_version.py"))
    for name in ("pyproject.toml", "setup.py", "DESCRIPTION.md"):
        shutil.copy(os.path.join(HERE, name), folder)
    add_metadata(os.path.join(folder, "pyproject.toml"), arguments)
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(os.path.join(ROOT, name), folder)
    with open(os.path.join(package, "_version.py"), "w", encoding="utf-8") as file:
        file.write(f'__version__ = "{arguments.version}"\n')
    bundle.install(arguments.build, package, ("programs", "development", *arguments.components))
    share = os.path.join(package, "share")
    for name in set(os.listdir(share)) - {"cmake", "java", "nacre", "pkgconfig"}:  # pip installs no manual pages or completions.
        shutil.rmtree(os.path.join(share, name))
    programs = [os.path.join(package, "bin", name) for name in sorted(os.listdir(os.path.join(package, "bin")))]
    target = machine.of_options(arguments)
    libraries = [] if arguments.no_libraries else bundle.carry_libraries(programs, os.path.join(package, "licenses"), target,
                                                                         whole=arguments.whole_libraries)
    if not arguments.no_libraries and not arguments.any_system:
        bundle.check_floor(programs + libraries, target)
    for path in glob.glob(os.path.join(folder, "**"), recursive=True):
        os.utime(path, (315532800, 315532800))  # The first that a wheel can have, 1980.
    if arguments.no_libraries:
        return f"linux_{target.name}"
    return "manylinux_{}_{}_{}".format(*floor.newest_glibc(programs + libraries, target.binutils), target.name)


def add_metadata(path, arguments):
    """Adds the maintainer and the home page, if they are given."""
    name, _, address = arguments.maintainer.rstrip(">").partition(" <")
    lines = f"maintainers = [{{ name = {json.dumps(name)}, email = {json.dumps(address)} }}]\n" if address else ""
    lines += f"urls = {{ Homepage = {json.dumps(arguments.home_page)} }}\n" if arguments.home_page else ""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("[project.optional-dependencies]", lines + "\n[project.optional-dependencies]"))


def main():
    arguments = parse_arguments()
    os.makedirs(arguments.output, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="nacre-wheel-") as folder:
        tag = gather(arguments, folder)
        output = os.path.abspath(arguments.output)
        command = [sys.executable, "setup.py", "-q", "bdist_wheel", f"--dist-dir={output}"]
        command += ["--compression=stored"] if arguments.uncompressed else []
        environment = {**os.environ, "NACRE_WHEEL_PLATFORM": tag, "SOURCE_DATE_EPOCH": "315532800",
                       "PYTHONWARNINGS": "ignore"}
        subprocess.run(command, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    for path in glob.glob(os.path.join(output, f"nacre-{arguments.version}-*.whl")):
        print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
