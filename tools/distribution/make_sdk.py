#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes nacre-sdk-<version>-linux-<machine>.tar.xz: one folder with all that an app's developer needs, for Linux without its packages.

How:  1. cmake --install, in a folder that finds its own parts wherever it is unpacked,
      2. beside the programs what they link (bundle.py), with its licences,
      3. documents and samples where one looks for them,
      4. an archive whose entries have one order, one owner and one time, so that it is the same each time.
"""
import argparse
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

import bundle
import machine

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TIME = 1767225600  # 2026-01-01


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], fromfile_prefix_chars="@")
    parser.add_argument("--build", required=True, help="the folder of the build, in which everything is built")
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", required=True, help="the folder to write the archive to")
    machine.add_options(parser)
    parser.add_argument("--with", dest="components", action="append", default=[], metavar="COMPONENT", help="install this, too; repeatable")
    parser.add_argument("--foreign", action="append", default=[], metavar="PROGRAM", help="a program for other machines; repeatable")
    parser.add_argument("--uncompressed", action="store_true", help="a large .tar, soon built")
    return parser.parse_args()


def install(arguments, folder):
    bundle.install(arguments.build, folder, ("programs", "development", "documentation", *arguments.components))
    for program in bundle.OF_DEVELOPERS:
        for name in (f"share/man/man1/{program}.1", f"share/bash-completion/completions/{program}",
                     f"share/zsh/vendor-completions/_{program}", f"share/fish/vendor_completions.d/{program}.fish"):
            os.remove(os.path.join(folder, name))


def arrange(arguments, folder):
    """What is read is found at the top."""
    documents = os.path.join(folder, "share", "doc", "nacre")
    for name in sorted(os.listdir(documents), key=lambda name: name != "docs"):
        # Pages that are made (passes.md) go to the others.
        shutil.move(os.path.join(documents, name), os.path.join(folder, "docs" if name.endswith(".md") else "", name))
    for name in ("share/doc", "share/lintian"):
        shutil.rmtree(os.path.join(folder, name))
    for name in ("changelog.gz", "copyright"):  # As Debian wants them.
        os.remove(os.path.join(folder, name))
    shutil.copy(os.path.join(ROOT, "CHANGELOG.md"), folder)
    with open(os.path.join(HERE, "SDK.md.in"), encoding="utf-8") as file:
        text = file.read().replace("@VERSION@", arguments.version)
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
        file.write(text)


def carry(arguments, folder):
    programs = os.path.join(folder, "bin")
    paths = [os.path.join(programs, name) for name in sorted(os.listdir(programs))]
    target = machine.of_options(arguments)
    libraries = bundle.carry_libraries(paths, os.path.join(folder, "licences"), target)
    if not arguments.any_system:
        bundle.check_floor(paths + libraries, target)
    for program in arguments.foreign:
        shutil.copy(program, programs)


def entry(info):
    """As everyone unpacks it, whoever made it."""
    info.mtime, info.uid, info.gid, info.uname, info.gname = TIME, 0, 0, "root", "root"
    info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
    return info


def archive(folder, path, compressed):
    beside = path + ".new"
    # Several programs have the same libraries of ours in them, megabytes apart.
    filters = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 64 << 20}]
    with (lzma.open(beside, "wb", filters=filters) if compressed else open(beside, "wb")) as stream:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as file:
            file.add(folder, os.path.basename(folder), filter=entry)  # sorted, as tarfile does
    os.replace(beside, path)


def main():
    sys.dont_write_bytecode = True
    arguments = parse_arguments()
    os.makedirs(arguments.output, exist_ok=True)
    name = f"nacre-sdk-{arguments.version}-linux-{arguments.machine}"
    with tempfile.TemporaryDirectory(prefix="nacre-sdk-") as work:
        folder = os.path.join(work, name)
        install(arguments, folder)
        carry(arguments, folder)
        arrange(arguments, folder)
        path = os.path.join(arguments.output, name + (".tar" if arguments.uncompressed else ".tar.xz"))
        archive(folder, path, not arguments.uncompressed)
    print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
