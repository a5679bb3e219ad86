#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses comments of C, C++ and TableGen sources that readers must parse twice.

- A comment of a declaration (`///`, `///<`) begins with a verb ("Returns", "Reports", "True if") or is a noun phrase, and its first
  sentence has at most 25 words. `OPENINGS` are the words that begin neither.
- Neither such a comment nor the header of a file has a phrase of check_wording.py.
- No line with a comment is longer than the column limit of .clang-format. This is so in CMake's files, too, and in TableGen's for lines
  that are only a comment: code examples of descriptions may be longer.

Other comments, and code in backticks, are not checked. `--under=FOLDER` checks only this folder, and `--count` prints how many problems
each folder has.
"""
import collections
import re
import sys

import check_wording
import tree

SOURCES = (".c", ".cpp", ".h", ".td")
CMAKE = (".cmake", ".cmake.in", "CMakeLists.txt")
FOLDERS = ("CMakeLists.txt", "docs/", "test/", *check_wording.FOLDERS)
COLUMNS = 120
MOST_WORDS = 25
# (words that begin neither a verb's phrase nor a noun's, what to write instead)
OPENINGS = [
    ("are can does if is may must was", "write 'True if ...'"),
    ("has", "write 'True if it has ...'"),
    ("whether", "write 'True if ...' or 'Returns whether ...'"),
    ("how where why", "write 'Returns {} ...' or name the number, the place or the reason"),
    ("it none nothing of that them then they those what whose", "name the thing"),
    ("and as but in not on or so who whoever", "begin with the subject"),
    ("at by for from to with", "begin with a verb or a noun"),
]
OPENINGS = {word: better.format(word) for words, better in OPENINGS for word in words.split()}
# The mark of a list's item, or the title of a part of a file's header
ITEM = re.compile(r"(?:-|\d+\.|What:|Why:|How:) +")


class Paragraph:
    """Lines of a comment up to an empty one or an item of a list."""

    def __init__(self, line, is_first):
        self.line, self.is_first, self.text = line, is_first, ""

    def problems(self):
        if self.is_first:
            sentence = re.split(r"(?<=[\w)\]'\"])[.:;?!] ", self.text)[0]
            words = re.findall(r"[\w'-]+", sentence)
            opening = words[0] if words else ""
            if opening.lower() in OPENINGS:
                yield f"the comment begins with '{opening}'; {OPENINGS[opening.lower()]}"
            if len(words) > MOST_WORDS:
                yield f"the first sentence has {len(words)} words; split it at {MOST_WORDS} or fewer"
        for phrase, better in check_wording.BANNED:
            for match in phrase.finditer(self.text):
                yield f"has '{' '.join(match.group(0).split())}'; {better}"


def without_code(line):
    return re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|[\\@][cpa] \S+", "X", line.strip())


def paragraphs(source):
    """The paragraphs of a source's comments of declarations and of its header."""
    paragraph, comment, is_header = None, None, True
    for number, line in enumerate(source.split("\n"), 1):
        is_header &= line.startswith("//") or not line.strip()
        match = re.search(r"(?:^|[^/:\"])(///<?) ?(.*)", line) or (re.match(r"(//)(?!/) ?(.*)", line) if is_header else None)
        if not match or "SPDX" in line or "===" in line:
            comment = None
            continue
        is_trailing = bool(line[:match.start(1)].strip())
        is_first = comment != match[1] or is_trailing
        comment, words = match[1], without_code(match[2])
        is_item = ITEM.match(words) or words.startswith(("@", "\\"))
        if paragraph and (is_first or is_item or not words):
            yield paragraph
            paragraph = None
        if not words or words.startswith(("@code", "\\code")):
            continue
        paragraph = paragraph or Paragraph(number, is_first and comment != "//")
        paragraph.text += ITEM.sub("", words) + " "
    if paragraph:
        yield paragraph


def problems_of(path):
    source = tree.read(path)
    comment = re.compile(r"^\s*#" if path.endswith(CMAKE) else r"^\s*//" if path.endswith(".td") else "//")
    found = [(number, f"the comment has {len(line)} columns; wrap it at {COLUMNS}") for number, line in enumerate(source.split("\n"), 1)
             if len(line) > COLUMNS and comment.search(line) and "http" not in line]
    if not path.endswith(CMAKE):
        found += [(paragraph.line, problem) for paragraph in paragraphs(source) for problem in paragraph.problems()]
    return [f"{path}:{line}: {problem}" for line, problem in sorted(found)]


def main():
    folders = tuple(argument.removeprefix("--under=") for argument in sys.argv[1:] if argument.startswith("--under=")) or FOLDERS
    problems = {path: problems_of(path) for path in tree.files() if path.startswith(folders) and path.endswith(SOURCES + CMAKE)}
    if "--count" not in sys.argv[1:]:
        tree.finish([problem for found in problems.values() for problem in found])
    counts = collections.Counter()
    for path, found in problems.items():
        counts[path.rpartition("/")[0]] += len(found)
    for folder, number in sorted(counts.items()):
        print(f"{number:6} {folder}")
    print(f"{counts.total():6} in all")


if __name__ == "__main__":
    main()
