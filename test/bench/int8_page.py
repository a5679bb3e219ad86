#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/benchmarks-int8.md from what int8.py, int8_costs.py and arm64.py wrote with --json.

usage: int8_page.py FIGURES.json...

How:  a table is below the mark `<!-- table: NAME -->` and ends at `<!-- end -->`; other tables stay as they are.
"""
import json
import os
import re
import sys

import rivals
from tables import line_of

PAGE = os.path.join(rivals.ROOT, "docs", "benchmarks-int8.md")


def text_of(facts):
    arguments = " ".join(a for a in facts["arguments"] if not re.match(r"--(json|work|bin)=", a))
    lines = [f"Measured on {facts['date']} on {facts['machine']}{f', `{arguments}`' if arguments else ''}:", "", line_of(facts["heads"]),
             "|---|" + "--:|" * (len(facts["heads"]) - 1), *map(line_of, facts["rows"])]
    if facts["notes"]:
        lines += ["", "```text", *facts["notes"], "```"]
    return "\n".join(lines)


def main(paths):
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    for path in paths:
        with open(path, encoding="utf-8") as file:
            facts = json.load(file)
        mark = f"<!-- table: {facts['name']} -->\n"
        begin = page.find(mark)
        if begin < 0:
            sys.exit(f"{PAGE} has no {mark.strip()} for {path}")
        begin += len(mark)
        page = page[:begin] + text_of(facts) + "\n" + page[page.index("<!-- end -->", begin):]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
