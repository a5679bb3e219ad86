#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes CHANGELOG.md as Debian's packages have it, compressed: each version a block, each of its points a line.

usage: debian_changelog.py CHANGELOG.md MAINTAINER VERSION changelog.gz

The first version of CHANGELOG.md must be VERSION, so that no package is made whose changes are not told.
"""
import datetime
import gzip
import re
import sys
import textwrap

HEADING = re.compile(r"## (\d+\.\d+\.\d+), (\d{4}-\d{2}-\d{2})")


def versions(text):
    """[(version, date, [point])], newest first."""
    found = []
    for line in text.splitlines():
        heading = HEADING.fullmatch(line)
        if heading:
            found.append((heading[1], datetime.datetime.fromisoformat(heading[2]), []))
        elif line.startswith("- ") and found:
            found[-1][2].append(line[2:])
        elif line.startswith("  ") and found:
            found[-1][2][-1] += " " + line.strip()
    return found


def block(version, date, points, maintainer):
    lines = [f"nacre ({version}) stable; urgency=medium", ""]
    for point in points:
        lines += textwrap.wrap(point.replace("`", ""), 78, initial_indent="  * ", subsequent_indent="    ")
    return "\n".join(lines + ["", f" -- {maintainer}  {date:%a, %d %b %Y} 00:00:00 +0000", ""])


def main(source, maintainer, version, path):
    with open(source) as file:
        found = versions(file.read())
    if not found or found[0][0] != version:
        sys.exit(f"{source}: its first version must be {version}, project()'s, but is {found[0][0] if found else 'missing'}")
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write("\n".join(block(*version, maintainer) for version in found).encode())


main(*sys.argv[1:])
