#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses turns of phrase that readers must parse twice, and names the plain words for each.

Looks at the string literals of C and C++ sources in tools/, which are messages and --help, and at the templates of manual pages in
docs/man. Comments, names of files and other folders are not checked.
"""
import bisect
import re

import tree

SOURCES = (".c", ".cpp", ".h")
# (phrase, the plain alternative). A space stands for any white space; case matters.
BANNED = [
    (r"\bOf [a-z]", "begin with the subject, as in 'Seed of generated inputs'"),
    (r"\b(?:is|are) none\b", "write 'there is no ...', 'no ... exists' or 'is not ...'"),
    (r"\bfor want of\b", "write 'because there is no ...' or 'without'"),
    (r"\bby turns\b", "write 'alternately'"),
    (r"\b(?:all|many|several) (?:its |their )?turns\b", "write 'iterations'"),
    (r"\bwhat becomes? of\b", "write 'the result of' or 'what happens to'"),
    (r"\b(?:whom|whose batch)\b", "name the subject and what it does"),
    (r"\bis about (?:training|single runs|a loss)\b", "write '--X requires --Y' or '--X cannot be combined with --Y'"),
    (r"\bwhat [\w-]+ is about\b", "say what it limits or sets"),
    (r"\b(?:give|name) --[\w-]+, too\b", "write '--X requires --Y'"),
    (r"\bmust (?:be|go) without\b", "write 'cannot be combined with'"),
    (r"\bis what happens anyway\b", "write 'is the default; omit ...'"),
    (r"\bwithout a (?:thought|word)\b", "write 'automatically'"),
    (r"\bnor less than\b|\boftener\b", "write 'clamped to [a, b]' or 'at most'"),
    (r"\bbeats the\b", "write 'explicit options win'"),
    (r"\bdo(?:es)? without what\b", "write 'disable ...'"),
    (r"\bin place of what\b", "write 'instead of'"),
    (r"\bthat nothing else says\b", "write 'by default' or name the value"),
    (r"\bwhat (?:others|nodes?|the model|it) (?:computed?s?|means?|remembers?|takes|reads)\b", "write 'the result', 'the state', 'the inputs'"),
    (r"\bplays (?:a GPU|one)\b", "write 'emulates'"),
    (r"\bparted by\b|\bparts? from what\b", "write 'separated by' or 'differs from'"),
    (r"\bis no (?:model|option|shared library|number)\b", "write 'is not a ...' or 'unknown ...'"),
    (r"\bbehind\b", "write 'after' or 'follows'"),
    (r"\balone\b", "write 'only'"),
]
BANNED = [(re.compile(phrase.replace(" ", r"\s+")), plain) for phrase, plain in BANNED]

TOKEN = re.compile(r"""
    (?P<comment> //(?:[^\\\n]|\\.|\\\n)* | /\*.*?\*/ )
  | (?P<include> ^[ \t]*\#[ \t]*include[^\n]* )
  | R"(?P<mark>[^()\s]{0,16})\((?P<raw>.*?)\)(?P=mark)"
  | "(?P<text>(?:[^"\\\n]|\\.|\\\n)*)"
  | '(?:[^'\\\n]|\\.)+'
  | [A-Za-z_0-9]+(?:'[0-9A-Fa-f]+)*
""", re.VERBOSE | re.DOTALL | re.MULTILINE)
ESCAPES = {"n": "\n", "t": "\t", "\n": ""}
FONT = re.compile(r"\\f[A-Z]|\\[&~]")


class Text:
    """Words for a reader, and the line of the file where each character is."""

    def __init__(self):
        self.parts, self.starts, self.lines, self.length = [], [], [], 0

    def add(self, part, line):
        self.parts.append(part)
        self.starts.append(self.length)
        self.lines.append(line)
        self.length += len(part)

    def problems(self, path):
        text = "".join(self.parts)
        for phrase, plain in BANNED:
            for match in phrase.finditer(text):
                line = self.lines[bisect.bisect_right(self.starts, match.start()) - 1]
                yield line, f"{path}:{line}: has '{' '.join(match.group(0).split())}'; {plain}"


def literals(source):
    """The string literals of a source; adjacent ones are one."""
    text, end = Text(), 0
    for token in TOKEN.finditer(source):
        if source[end:token.start()].strip() or token.lastgroup not in ("raw", "text", "comment"):
            yield text
            text = Text()
        end = token.end()
        kind = "raw" if token["raw"] is not None else "text" if token["text"] is not None else None
        if not kind:
            continue
        line = source.count("\n", 0, token.start(kind)) + 1
        for piece in re.findall(r"\\.|[^\\\n]+|\n" if kind == "text" else r"[^\n]+|\n", token[kind], re.DOTALL):
            text.add(ESCAPES.get(piece[1:], piece[1:]) if kind == "text" and piece[0] == "\\" else piece, line)
            line += piece.count("\n")
    yield text


def page(source):
    """The words of a manual page's template, without macros, fonts and comments."""
    text = Text()
    for number, line in enumerate(source.splitlines(), 1):
        if line.startswith('.\\"'):
            continue
        line = FONT.sub("", line).replace("\\-", "-").replace("\\(aq", "'")
        macro = re.match(r"\.([A-Z]{1,2})\b *", line)
        text.add(line[macro.end():] + "\n" if macro else line + "\n", number)
    yield text


def main():
    problems = []
    for path in tree.files():
        is_source = path.startswith("tools/") and path.endswith(SOURCES)
        if is_source or path.startswith("docs/man/") and path.endswith(".1.in"):
            found = [problem for text in (literals if is_source else page)(tree.read(path)) for problem in text.problems(path)]
            problems += [message for _, message in sorted(found)]
    tree.finish(problems)


if __name__ == "__main__":
    main()
