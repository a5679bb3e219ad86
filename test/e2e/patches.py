# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The patches of docs/adding-*.md, which tests apply to a copy of the tree."""
import os
import re

import nacre


class Patch:
    """Hunks for one file: (lines that are there, lines that shall be there). A line that ends in ... may go on."""

    def __init__(self, document, path, body):
        self.document = document
        self.path = path
        self.hunks = []
        for hunk in re.split(r"^@@\n", body, flags=re.MULTILINE):
            lines = hunk.splitlines()
            self.hunks.append(([line[1:] for line in lines if not line.startswith("+")], lines))

    def get_new_sources(self):
        """Of a CMakeLists.txt: (its folder, a source that is there, one that shall be in the same library)."""
        if os.path.basename(self.path) != "CMakeLists.txt":
            return []
        return [(os.path.dirname(self.path), old[0].strip(), line[1:].strip())
                for old, hunk in self.hunks for line in hunk if line.startswith("+")]

    def apply(self, text):
        lines = text.splitlines()
        for old, hunk in self.hunks:
            at = [i for i in range(len(lines)) if self._matches(lines[i:i + len(old)], old)]
            if len(at) != 1:
                raise AssertionError(f"{self.document}: the lines of a patch must be once in {self.path}, but are {len(at)} times; "
                                     "update the patch:\n" + "\n".join(old))
            found = iter(lines[at[0]:at[0] + len(old)])
            lines[at[0]:at[0] + len(old)] = [line[1:] if line.startswith("+") else next(found) for line in hunk]
        return "\n".join(lines) + "\n"

    @staticmethod
    def _matches(lines, old):
        return len(lines) == len(old) and all(
            line.startswith(want[:-3].rstrip()) if want.endswith("...") else line == want for line, want in zip(lines, old))


def read_patches(sections):
    """(document, section): its patches, in order."""
    patches = {}
    for document in sorted({document for document, _ in sections}):
        with open(os.path.join(nacre.ROOT, document), encoding="utf-8") as file:
            text = file.read()
        for section in re.split(r"^##? ", text, flags=re.MULTILINE)[1:]:
            title = section.splitlines()[0].split(":")[0]
            for indent, body in re.findall(r"^( *)```diff\n(.*?)^ *```$", section, flags=re.MULTILINE | re.DOTALL):
                lines = [line[len(indent):] for line in body.splitlines()]
                patch = Patch(document, lines[0].split(" ", 1)[1], "".join(line + "\n" for line in lines[1:]))
                patches.setdefault((document, title), []).append(patch)
    return patches
