# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of figures: printed as they grow, and kept as JSON, of which int8_page.py makes a page."""
import datetime
import json
import re
import sys


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.MULTILINE)
    return model.group(1) if model else "unknown"


def line_of(cells):
    return "| " + " | ".join(cells) + " |"


class Table:
    """Rows of text below heads; the first column is left-aligned."""

    def __init__(self, heads):
        self.heads, self.rows, self.notes = heads, [], []
        print(line_of(heads))
        print("|---|" + "--:|" * (len(heads) - 1), flush=True)

    def add(self, *cells):
        self.rows.append(list(cells))
        print(line_of(cells), flush=True)

    def note(self, text):
        """A line below the table."""
        if not self.notes:
            print()
        self.notes.append(text)
        print(text, flush=True)

    def save(self, path, name):
        """`name` is the mark on the page below which the table belongs."""
        facts = {"name": name, "date": datetime.date.today().isoformat(), "machine": machine(), "arguments": sys.argv[1:], "heads": self.heads,
                 "rows": self.rows, "notes": self.notes}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(facts, file, indent=1)
