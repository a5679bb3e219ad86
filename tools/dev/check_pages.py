#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses Markdown pages that a formatter of source code has joined or split: it destroys headings, lists, tables and paths.

On pages for users it also refuses facts that only matter to those who change Nacre (dates and machines of measurements, sources, tests), code
that is wider than the site's column, and measured figures that stand on several pages without a link to their owner.

On pages about phases it refuses paragraphs and list items that are too long.

The table of decisions must have one row for each, and both must say whether it is in force.
"""
import collections
import os
import re

import pages
import tree

# Traces of a formatter: it takes `#` for a preprocessor's line, and `:` and `/` for operators.
HEADING = re.compile(r"^#+[^#\s]")
SPACED_COLON = re.compile(r"(?<=\w) : (?=\w)|(?<=\w) :$")
LIST_MARKER = re.compile(r"[.,;:)`]\s*-\s+[A-Z`*]|[.,;:)`]-\s+\w|[.;:]\s+\d\.\s+\*\*")
SPACED_PATH = re.compile(r"`([\w.-]+(?: ?/ ?[\w.-]+)* / ?[\w.-]+(?: ?/ ?[\w.-]+)*)`")
INDENT = 8  # Enough for a list in a list.
RULE = re.compile(r"^\|(?: *:?-+:? *\|)+$")
ESCAPED_PIPE = re.compile(r"\\\|")

# What a reader who knows nothing of the project can make no use of.
OF_THE_INSIDE = [
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "a date; measurements and their dates belong on a page of benchmarks"),
    (re.compile(r"\b(?:vCPUs?|EPYC|Xeon|Zen \d|under other load|busy (?:cores?|machine|vCPUs?))\b"),
     "a machine of ours; measurements belong on a page of benchmarks"),
    (re.compile(r"(?<![\w/.-])(?:test|compiler|codegen|dialects|runtime/(?:include|java|session|src))/[\w./-]+"), "a file of the sources; say what it shows, or leave it out"),
    (re.compile(r"\.\./shared\b|\bctest\b|\bthis tree\b|\bour own\b|\b(?:is|are) a test\b"), "a fact about how Nacre is made; leave it out"),
]
CODE_COLUMNS = 113  # In the site's column at a window of 1440 pixels (test/docs/look_test.py).
# A range with a unit, such as '50 to 550 KiB', comes from a measurement; so do 'about an hour', 'up to 5 GB' and '0.45 ms'.
NUMBER = r"(?:\d[\d.,]*|two|three|four|five)"
UNIT = r"(?:KiB|MiB|GiB|KB|MB|GB|ns|us|ms|s|%|times|minutes?|hours?)(?!\w)"
ABOUT = r"(?:about|some|up to|at most|nearly)"
FIGURE = re.compile(rf"\b{NUMBER} to {NUMBER} ?{UNIT}|\b{ABOUT} (?:\d[\d.,]* ?|(?:an?|two|three|four|five|half an?) ){UNIT}|(?<![\w.])\d+\.\d+ ?{UNIT}")
TARGET = re.compile(r"\]\(([^)#\s]*)")
DECISIONS = "docs/decisions/"
DECISION_ROW = re.compile(r"^\| \[[^\]]+\]\(([^)]+)\) \|.*\| ([^|]+) \|$")
STATUS = re.compile(r"^(?:in force|(?:changed in part|replaced) by \[.+)$")
PHASES = "docs/phases/"
MOST_WORDS = 90  # In a paragraph or a list item of these pages.
NO_PROSE = ("#", "|", "<!--", "![")
ITEM = re.compile(r"^(?:[-*+]|\d+[.)])\s")
WRAPPED = ("text", "mlir")  # The site wraps the first; users need not read the second.


def cells(row):
    return ESCAPED_PIPE.sub("", row).count("|") - 1


def of_tables(path, lines):
    """Yields what is wrong with tables: each needs a header, a rule, and rows of as many cells."""
    columns, before = 0, ("", 0)
    for number, line in lines:
        row = line.strip()
        if not row.startswith("|"):
            if "|" in ESCAPED_PIPE.sub("", pages.without_code(row)):
                yield f"{path}:{number}: has a table's row that begins in the middle of a line; give each row a line of its own"
            columns = 0
        elif RULE.match(row):
            columns = cells(row)
            if before != (columns, number - 1):
                yield f"{path}:{number}: has a table without a header of {columns} cells; write one above its rule"
        elif columns and cells(row) != columns:
            yield f"{path}:{number}: has {cells(row)} cells in a table of {columns}; complete the row, or write \\| inside of a cell"
        before = cells(row) if row.startswith("|") else "", number


def of_page(path, source):
    lines = list(pages.lines_of(source))
    for number, line in lines:
        text = pages.without_code(line)
        if HEADING.match(text):
            yield f"{path}:{number}: has '#' without a space after it; write '# ' before a heading"
        if SPACED_COLON.search(text):
            yield f"{path}:{number}: has a space before a colon; delete it"
        if LIST_MARKER.search(text):
            yield f"{path}:{number}: has a list's marker in the middle of a line; begin a line with it"
        if len(line) - len(line.lstrip()) > INDENT:
            yield f"{path}:{number}: is indented by more than {INDENT}; write prose at the left, or code in a fence"
        if text.count("``") * 2 != text.count("`"):
            yield f"{path}:{number}: has a code span that does not end on its line; write it on one line"
        for match in SPACED_PATH.finditer(line):
            joined = match[1].replace(" ", "")
            if os.path.exists(os.path.join(tree.ROOT, joined)):
                yield f"{path}:{number}: has spaces in a path; write {joined}"
    yield from of_tables(path, lines)


def for_users(path, source):
    """Yields what is wrong with a page only because it is for users."""
    for number, line in pages.lines_of(source):
        text = pages.LINK.sub("]", pages.COMMENT.sub("", line))
        for phrase, what in OF_THE_INSIDE:
            for match in phrase.finditer(text):
                yield f"{path}:{number}: has '{match[0]}' on a page for users: {what}"
    language = ""
    for number, line in enumerate(source.splitlines(), 1):
        fence = pages.FENCE.match(line)
        if fence:
            language = "" if language else line.strip().removeprefix("```") or "text"
        elif language and language not in WRAPPED and len(line) > CODE_COLUMNS:
            yield f"{path}:{number}: has code of {len(line)} columns; break it before column {CODE_COLUMNS}"


def of_lengths(path, source):
    """Yields paragraphs and list items that have too many words. A code span is one word."""
    words = collections.Counter()  # By the line where a paragraph or an item begins.
    first = before = 0
    for number, line in pages.lines_of(source):
        text = pages.without_code(line).strip()
        if text and not text.startswith(NO_PROSE):
            if ITEM.match(text) or number != before + 1:
                first = number
            words[first] += len(ITEM.sub("", text).split())
            before = number
    for first, count in words.items():
        if count > MOST_WORDS:
            yield f"{path}:{first}: has a paragraph or list item of {count} words, but at most {MOST_WORDS} are allowed; divide it"


def of_figures(sources):
    """Yields figures that stand on two or more pages, on lines that have no link to the page that owns them. The owner needs none if all others link to it."""
    places = collections.defaultdict(list)
    for path, source in sources.items():
        for number, line in pages.lines_of(source):
            for figure in FIGURE.findall(pages.CODE.sub("``", line)):
                links = {os.path.normpath(os.path.join(os.path.dirname(path), target)) for target in TARGET.findall(line)}
                places[figure].append((path, number, links))
    for figure, found in places.items():
        if len({path for path, _, _ in found}) > 1:
            for path, number, links in found:
                if not links and not all(path in others for other, _, others in found if other != path):
                    yield f"{path}:{number}: has '{figure}', as another page does; link to the page that owns it, or leave it out"


def of_decisions(paths):
    """Yields what is wrong with the table of decisions."""
    names = [path.removeprefix(DECISIONS) for path in paths if path.startswith(DECISIONS) and path.endswith(".md") and path != DECISIONS + "README.md"]
    if not names:
        return
    table = tree.read(DECISIONS + "README.md") if DECISIONS + "README.md" in paths else ""
    rows = collections.defaultdict(list)
    for number, line in pages.lines_of(table):
        row = DECISION_ROW.match(line)
        if row:
            rows[row[1]].append((f"{DECISIONS}README.md:{number}", row[2]))
    for name in sorted(set(names) | set(rows)):
        found = rows[name]
        if name not in names:
            yield f"{found[0][0]}: has a row for {name}, which does not exist; delete the row"
        elif len(found) != 1:
            yield f"{DECISIONS}{name}: has {len(found)} rows in {DECISIONS}README.md; write one, with a link, a sentence and a status"
        elif not STATUS.match(found[0][1]):
            yield f"{found[0][0]}: has the status '{found[0][1]}'; write 'in force', or 'changed in part by' or 'replaced by' with links"
        else:
            said = re.findall(r"^Status: (.*)\.$", tree.read(DECISIONS + name), re.MULTILINE) or ["in force"]
            if said != [found[0][1]]:
                yield f"{DECISIONS}{name}: has the status '{'; '.join(said)}', but its row in README.md has '{found[0][1]}'; write the same in both"


def main():
    problems, shown = [], {}
    for path in tree.files():
        if path.endswith(".md"):
            problems += of_page(path, tree.read(path))
            if path.startswith(PHASES):
                problems += of_lengths(path, tree.read(path))
            if pages.is_for_users(path):
                shown[path] = tree.read(path)
                problems += for_users(path, shown[path])
    tree.finish(problems + list(of_figures(shown)) + list(of_decisions(tree.files())))


if __name__ == "__main__":
    main()
