# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads Markdown pages for the checks beside this file: which lines are prose, and what a reader sees of them."""
import re

FENCE = re.compile(r"^ *```")
COMMENT = re.compile(r"<!--.*?-->")
LINK = re.compile(r"\]\([^)\s]*\)")
CODE = re.compile(r"`[^`\n]*`")


def lines_of(source):
    """Yields (number, line) of each line outside of fenced blocks."""
    is_code = False
    for number, line in enumerate(source.splitlines(), 1):
        if FENCE.match(line):
            is_code = not is_code
        elif not is_code:
            yield number, line


def without_code(line):
    """Returns a line with the contents of code spans, targets of links and comments left out."""
    return COMMENT.sub("", LINK.sub("]", CODE.sub("``", line)))


# Pages that people read who use Nacre, and do not change it; of docs, all but those about the inside and about measurements.
OF_DEVELOPERS = re.compile(r"docs/(?:README|overview|one-convolution|internal-glossary|quality|adding-[\w-]+|benchmarks[\w-]*|zoo)\.md$|docs/(?:decisions|phases|man|site)/")
USER_PAGE = re.compile(r"README\.md$|docs/[\w./-]+\.md$|samples/[\w./-]*README\.md$")


def is_for_users(path):
    return bool(USER_PAGE.match(path)) and not OF_DEVELOPERS.match(path)
