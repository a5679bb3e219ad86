# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a page has in fences: commands that are run, files that they need, and what is only read.

`sh`: a part of the page's script. A block of any other language whose first line is a comment that names a file (`// main.c`,
`# CMakeLists.txt`) is that file. `python` without a name: a part of the page's session of Python. Of all others nothing is run. The
line `<!-- not run: reason -->` before a fence takes it out. Of a manual page, `man/nacre-run`, what stands under EXAMPLES is run.
"""
import dataclasses
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "dev"))
import tree  # noqa: E402

BUILD = os.environ.get("NACRE_BUILD", os.path.join(ROOT, "build", "release"))
FENCE = re.compile(r"^( *)```([\w-]*)\s*$")
NOT_RUN = re.compile(r"^ *<!-- not run: (.+) -->$")
NAME = re.compile(r"^(?://|#|/\*|<!--) ((?:[\w.-]+/)*[\w-]+\.\w+)(?: \*/| -->)?$")
LANGUAGES = {"sh", "text", "python", "c", "cpp", "java", "kotlin", "groovy", "cmake", "xml", "json", "diff", "mlir", "dart", "csharp", "swift"}


@dataclasses.dataclass
class Block:
    page: str
    line: int  # Of the opening fence, counted from 1.
    language: str
    text: str
    file: str  # That it is, or empty.
    reason: str  # Why it is not run, or empty.

    def where(self):
        return f"{self.page}:{self.line}"

    def is_run(self):
        return not self.reason and (self.language in ("sh", "python") or bool(self.file))


def read(page):
    """A page's text; of a manual page that of this build, which has the examples of --help."""
    path = os.path.join(BUILD, "man", "man1", page.removeprefix("man/") + ".1") if page.startswith("man/") else os.path.join(ROOT, page)
    with open(path, encoding="utf-8") as file:
        return file.read()


def blocks_of_manual(page):
    """Lines that are shown as they stand, behind the heading EXAMPLES."""
    section, opened, found = "", 0, []
    for number, line in enumerate(read(page).split("\n"), 1):
        if line.startswith(".SH "):
            section = line.removeprefix(".SH ")
        elif line == ".nf" and section == "EXAMPLES":
            opened = number
            found.append(Block(page, number, "sh", "", "", ""))
        elif line == ".fi":
            opened = 0
        elif opened:
            line = re.sub(r"\\f[BIRP]|\\&", "", line).replace(r"\(aq", "'").replace(r"\(dq", '"').replace(r"\(ga", "`").replace(r"\-", "-")
            found[-1].text += line.replace(r"\e", "\\") + "\n"
    return found


def blocks_of(page):
    """All blocks of a page, in its order."""
    if page.startswith("man/"):
        return blocks_of_manual(page)
    lines = read(page).split("\n")
    found, opened = [], None
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if fence and opened is None:
            opened = number, len(fence[1]), fence[2]
        elif fence:
            start, indent, language = opened
            body = [inner[indent:] for inner in lines[start:number - 1]]
            name = NAME.match(body[0]) if body and language not in ("sh", "text") else None
            reason = NOT_RUN.match(lines[start - 2]) if start > 1 else None
            found.append(Block(page, start, language, "\n".join(body) + "\n", name[1] if name else "", reason[1] if reason else ""))
            opened = None
    if opened:
        raise ValueError(f"{page}:{opened[0]}: the block must end with a fence of its own")
    return found


def pages():
    """Every page of the tree that somebody may have written commands in."""
    return [path for path in tree.files() if path.endswith(".md")]
