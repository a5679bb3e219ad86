#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses turns of phrase that readers must parse twice, and names the plain words for each.

Looks at messages and --help (the string literals of C, C++, Python and Java sources), at what TableGen files say of passes, options and
operators, at the comments of public headers and the docstrings of the Python package, at the templates of manual pages in docs/man, and
at the prose of Markdown pages and JSON schemas. Other comments, code on pages, names of files and other folders are not checked.

`--count` prints how many there are per 1,000 words of each kind of text instead.
"""
import ast
import bisect
import collections
import re
import sys

import pages
import tree

SOURCES = (".c", ".cpp", ".h", ".java")
FOLDERS = ("codegen/", "compiler/", "dialects/", "runtime/", "samples/", "tools/")
# Installed files whose comments users read.
PUBLIC = ("runtime/include/", "runtime/java/dev/")
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
BANNED = [(phrase.replace(" ", r"\s+"), plain) for phrase, plain in BANNED]
# Longer texts, which the whole list of phrases applies to.
PAGES = (".md", ".md.in", ".1.in", ".schema.json")
# Sentences that begin with a clause, and idioms of longer texts.
BANNED += [
    (r"(?:^|(?<=[.:;|]\s))(?:What|Who|Whoever)\b(?! (?:next|is new)\b)[^.?!:|\n]*[.:;|]", "begin with the subject: 'The compiler ...', 'To ..., run ...'"),
    (r"(?:^|(?<=[.:;|]\s))(?:Is|Are|Does|Do|Has|Have|Was) [^.?!|\n]*,(?!\d)", "write 'If ...'"),
    (r"(?:^|(?<=[.:;|]\s))Where [^.?!|\n]*,(?!\d)", "write 'If ...' or 'When ...'"),
    (r"\b(?:of|by|for|from|with|in|to|than|after|before|beside|into|as|on|but|and|or|at) what\b", "name the thing, or write 'the ... that'"),
    (r"\b(?:all|everything|anything) what\b|\bthat which\b", "write 'everything that' or name the thing"),
    (r"\bwhoever\b|\bthose who\b", "name who does it"),
    (r"\bbut for\b", "write 'except'"),
    (r"\banew\b", "write 'again'"),
    (r"\bbeside\b", "write 'next to', 'besides' or 'in addition to'"),
    (r"\b(?:each|every|one|zero|no|first|last|next|per|same|a loop's) turns?\b|\bturns of (?:a|the) loop", "write 'iteration'"),
    (r"\bis said\b|\bas is said\b|\bis told\b|\bmay be said\b", "say who states it where, or write 'is given'"),
    (r"\bhave to do\b|\bhas to do\b|\bcomes of (?:it|them|that)\b|\bcame of (?:it|them|that)\b", "name the result"),
    (r"\bin (?:the )?place of\b", "write 'instead of'"),
    (r"\bnobody\b", "write 'nothing' or 'no ...'"),
    (r"\bfar (?:larger|smaller|slower|faster)\b", "give the factor, or write 'much'"),
]
BANNED = [(re.compile(phrase), plain) for phrase, plain in BANNED]

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

    def words(self):
        return len(re.findall(r"[A-Za-z]+", "".join(self.parts)))

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


def comments(source):
    """The comments of a source, a paragraph at a time, without code in backticks."""
    text = Text()
    for token in TOKEN.finditer(source):
        if token.lastgroup != "comment" or "SPDX" in token[0]:
            continue
        for number, line in enumerate(token[0].split("\n"), source.count("\n", 0, token.start()) + 1):
            line = re.sub(r"^\s*(?:/\*\*?|//[/!]?<?|\*/|\*)\s?|\s*\*/$", "", line)
            if not line.strip() or line.startswith(("- ", "@", " ")) or number != (text.lines or [0])[-1] + 1:
                yield text
                text = Text()
            text.add(re.sub(r"`[^`]*`|\{@\w+ [^}]*\}", "X", line) + " ", number)
    yield text


def documented(source):
    """The literals and the comments of a file that users read."""
    yield from literals(source)
    yield from comments(source)


def descriptions(source):
    """The literals of a TableGen file, and its descriptions without examples and code."""
    yield from literals(source)
    for found in re.finditer(r"\[\{(.*?)\}\]", source, re.DOTALL):
        first = source.count("\n", 0, found.start()) + 1
        if not re.search(r"\bdescription\s*=\s*$", source[:found.start()]):
            continue
        text, is_code = Text(), False
        for number, line in enumerate(found[1].split("\n"), first):
            is_code ^= line.strip().startswith("```")
            if not line.strip() or is_code or line.strip().startswith("```"):
                yield text
                text = Text()
            else:
                text.add(re.sub(r"`[^`]*`", "X", line.strip()) + " ", number)
        yield text


def strings(source):
    """The strings of a Python source, docstrings among them."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = Text()
            for number, line in enumerate(node.value.splitlines(keepends=True), node.lineno):
                text.add(line, min(number, node.end_lineno))
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


def markdown(source):
    """The prose of a Markdown page, a paragraph at a time: without code, targets of links and comments."""
    text, before = Text(), 0
    for number, line in pages.lines_of(source):
        line = pages.without_code(line).strip()
        is_new = number != before + 1 or not line or line.startswith(("#", "|", "- ")) or re.match(r"\d+\. ", line)
        if is_new:
            yield text
            text = Text()
        text.add(re.sub(r"^(?:[#-]+|\d+\.) ", "", line) + " ", number)
        before = number
    yield text


def schema(source):
    """The titles and descriptions of a JSON schema, one on a line."""
    for number, line in enumerate(source.splitlines(), 1):
        for words in re.findall(r'"(?:title|description)": "((?:[^"\\]|\\.)*)"', line):
            text = Text()
            text.add(words, number)
            yield text


def kind_of(path):
    """(kind of text, how to read it), or None where the lint reads nothing."""
    if path.startswith(PUBLIC) and path.endswith((*SOURCES, ".hpp")):
        return "public headers", documented
    if path.startswith(FOLDERS) and path.endswith(SOURCES):
        is_of_options = path.startswith("tools/") and re.search(r"(?:Options|Declarations|HelpText|Presets)\.", path)
        return ("options" if is_of_options else f"messages of {path.split('/')[0]}"), literals
    if path.startswith(FOLDERS) and path.endswith(".td"):
        return "descriptions", descriptions
    if path.startswith(("tools/python/", "samples/")) and path.endswith(".py"):
        return "Python package", strings
    if path.startswith("docs/man/") and path.endswith(".1.in"):
        return "manual pages", page
    if path.endswith(".schema.json"):
        return "JSON schemas", schema
    if path.endswith(PAGES):
        return f"pages of {path.split('/')[0] if '/' in path else 'the root'}", markdown
    return None


def count(files):
    """Prints a table of the phrases in each kind of text."""
    words, phrases = collections.Counter(), collections.Counter()
    for path, (kind, read) in files:
        for text in read(tree.read(path)):
            words[kind] += text.words()
            phrases[kind] += len(list(text.problems(path)))
    for kind in sorted(words):
        print(f"{kind:<20} {phrases[kind]:>5} in {words[kind]:>6} words, {1000 * phrases[kind] / max(words[kind], 1):5.2f} per 1,000")
    print(f"{'all':<20} {phrases.total():>5} in {words.total():>6} words, {1000 * phrases.total() / max(words.total(), 1):5.2f} per 1,000")


def main():
    files = [(path, kind_of(path)) for path in tree.files() if kind_of(path)]
    if "--count" in sys.argv[1:]:
        count(files)
        return
    problems = []
    for path, (_, read) in files:
        problems += [message for _, message in sorted(problem for text in read(tree.read(path)) for problem in text.problems(path))]
    tree.finish(problems)


if __name__ == "__main__":
    main()
