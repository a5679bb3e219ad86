#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Summarizes a full run of the suite as the section of docs/quality.md, from what ctest wrote with --output-junit.

usage: tools/dev/summarize_run.py RESULTS.xml           print the section
       tools/dev/summarize_run.py --write RESULTS.xml   replace it in docs/quality.md
"""
import argparse
import datetime
import os
import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "quality.md")
TITLE = "## The last full run\n"
KINDS = ("passed", "failed", "skipped")
VERDICTS = ("passed", "expected", "failed", "extra", "refused")  # columns of test/conformance/run.py
FUZZED = re.compile(r"\d+ files, (\d+) mutations")


def read_kind(case):
    """One of KINDS. A test that did not run at all has failed."""
    if case.find("skipped") is not None and case.get("status") == "notrun":
        return "skipped"
    return "passed" if case.get("status") == "run" else "failed"


def read_conformance(text):
    """{target: {verdict: cases}} of what test/conformance/run.py printed."""
    counts, columns = defaultdict(lambda: dict.fromkeys(VERDICTS, 0)), None
    for line in text.splitlines():
        words = line.replace("on gpu", "on-gpu").replace("on cpu", "on-cpu").split()
        if words[:2] == ["group", "target"]:
            columns = words[2:]
        elif columns and len(words) == len(columns) + 2 and words[-1].isdigit():
            for column, number in zip(columns, words[2:]):
                if column in VERDICTS:
                    counts[words[1]][column] += int(number)
    return counts


def table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def read_cpu():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = re.findall(r"^model name\s*: (.*)$", file.read(), re.MULTILINE)
    return names[0] if names else os.uname().machine


def summarize(suite, machine):
    rings, seconds = defaultdict(lambda: dict.fromkeys(KINDS, 0)), defaultdict(float)
    verdicts, mutations, fuzzed = defaultdict(lambda: dict.fromkeys(VERDICTS, 0)), 0, 0.0
    failed = []
    for case in suite.iter("testcase"):
        name, kind, text = case.get("name"), read_kind(case), case.findtext("system-out") or ""
        ring = name.split("/")[0]
        rings[ring][kind] += 1
        seconds[ring] += float(case.get("time"))
        if kind == "failed":
            failed.append(name)
        if ring == "conformance":
            for target, counts in read_conformance(text).items():
                for verdict, number in counts.items():
                    verdicts[target][verdict] += number
        for number in FUZZED.findall(text) if ring == "fuzz" else ():
            mutations += int(number)
            fuzzed += float(case.get("time"))
    findings = sum(name.startswith("fuzz/") for name in failed)
    day = datetime.datetime.fromisoformat(suite.get("timestamp")).date()
    rows = [(ring, sum(rings[ring].values()), *rings[ring].values(), round(seconds[ring])) for ring in sorted(rings)]
    total = ["all", *(sum(row[i] for row in rows) for i in range(1, len(KINDS) + 3))]
    text = (f"{TITLE}\n`tools/check --full`, {day}, {machine}, {round(float(suite.get('time')) / 60)} minutes of tests.\n\n"
            + table(("tests of", "all", *KINDS, "seconds"), [*rows, total])
            + "\nCases of conformance by target. `expected` fail as `expected-failures.txt` says; `extra` pass without being promised.\n\n"
            + table(("target", *VERDICTS), [(target, *counts.values()) for target, counts in sorted(verdicts.items())])
            + f"\nFuzzing: {mutations:,} inputs in {fuzzed / 3600:.2f} hours, {findings} findings.\n")
    return text + "".join(f"\nFailed: {name}\n" for name in failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", help="what ctest --output-junit wrote")
    parser.add_argument("--write", action="store_true", help="replace the section in docs/quality.md")
    arguments = parser.parse_args()
    section = summarize(ElementTree.parse(arguments.results).getroot(), f"{os.cpu_count()} cores of {read_cpu()}")
    if not arguments.write:
        print(section, end="")
        return
    with open(PAGE, encoding="utf-8") as file:
        above = file.read().split(TITLE)[0]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(above + section)


if __name__ == "__main__":
    main()
