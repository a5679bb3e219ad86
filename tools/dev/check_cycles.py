#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses folders whose files include one another: in each pair one folder must be readable without the other.

Why:  check_includes.py knows layers, and lets a layer include itself. The folders of the importer once formed one cycle of twenty, and
      none of them could be read, tested or moved alone.
How:  an include line of a C, C++ or TableGen file is an edge from its folder to that of the file it names. A strongly connected
      component of more than one folder (Tarjan, Depth-first search and linear graph algorithms, 1972) is a cycle.
"""
import collections
import os
import re

import tree

SOURCES = (".h", ".hpp", ".c", ".cpp", ".def", ".inc", ".td")
INCLUDE = re.compile(r'^\s*#?\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)
# What the files name paths from, besides their own folder and the root.
ROOTS = ("", "runtime/include", "runtime/src")


def edges_of(sources):
    """{folder: {folder that it includes: an include line}}."""
    known, edges = set(sources), collections.defaultdict(dict)
    for path in sources:
        text, folder = tree.read(path) or "", os.path.dirname(path)
        edges[folder] = edges[folder]  # a folder that includes nothing is one, too
        for match in INCLUDE.finditer(text):
            candidates = [os.path.normpath(os.path.join(root, match.group(1))) for root in (folder, *ROOTS)]
            named = next((candidate for candidate in candidates if candidate in known), None)
            if named and os.path.dirname(named) != folder:
                line = text.count("\n", 0, match.start(1)) + 1
                edges[folder].setdefault(os.path.dirname(named), f"{path}:{line} includes {named}")
    return edges


def components(edges):
    """The strongly connected components, each a list of folders."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in edges[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found


def main():
    edges, problems = edges_of([path for path in tree.files() if path.endswith(SOURCES)]), []
    for cycle in components(edges):
        if len(cycle) > 1:
            lines = [edges[folder][other] for folder in cycle for other in sorted(edges[folder]) if other in cycle]
            problems.append(f"{', '.join(cycle)}: include one another; move what both need to a folder below, or what knows both to one above:" +
                            "".join(f"\n    {line}" for line in lines))
    tree.finish(problems)


if __name__ == "__main__":
    main()
