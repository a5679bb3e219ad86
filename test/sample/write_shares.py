#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes test/sample/shares.txt: how often a test runs in a sample, by how long it takes there.

usage: test/sample/write_shares.py [--minutes M] [--build FOLDER] RESULTS.xml ...

RESULTS.xml is what ctest wrote with --output-junit while NACRE_SAMPLE was set. A test that keeps several cores busy (PROCESSORS) counts the
seconds of each core. Tests that did not run there keep the seconds that the table has. All tests of a second or less run in each sample; the share of the others falls with the root of their time, so that the longest run
seldom and the sum is as long as asked for. The root is the best division where tests find as many defects (Neyman's allocation).
"""
import argparse
import json
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shares.txt")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHORT = 1.0  # seconds
LEAST = 125  # thousandths: a test runs in one sample of eight at least, so that no defect hides for long
ROW = re.compile(r"^ *(\d+) +([\d.]+) +(\S+)$")
HEAD = """# Written by write_shares.py: thousandths of all samples that run a test, the seconds of cores that it takes there, its name. Tests that are not
# listed run in each sample.
"""


def read_table():
    """{name: seconds} of the table."""
    if not os.path.exists(TABLE):
        return {}
    with open(TABLE, encoding="utf-8") as file:
        return {row[3]: float(row[2]) for row in map(ROW.match, file) if row}


def read_processors(build):
    """{name: PROCESSORS} of the tests that have the property, as ctest sees them."""
    environment = {name: value for name, value in os.environ.items() if name != "NACRE_SAMPLE"}
    done = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], env=environment, stdout=subprocess.PIPE, check=True)
    return {test["name"]: item["value"] for test in json.loads(done.stdout)["tests"] for item in test["properties"] if item["name"] == "PROCESSORS"}


def read_results(path, processors):
    """{name: seconds of cores} of the tests that ran."""
    return {case.get("name"): float(case.get("time")) * processors.get(case.get("name"), 1)
            for case in ElementTree.parse(path).iter("testcase") if case.get("status") in ("run", "fail")}


def share_of(seconds, unit):
    """Thousandths of samples: 1000 for all, so that a test of `unit` seconds or less is in each."""
    return 1000 if seconds <= SHORT else max(LEAST, min(1000, round(1000 * (unit / seconds) ** 0.5)))


def choose_unit(seconds, total):
    """The unit of share_of() by which a sample takes `total` seconds on the average; as small as it gets if no unit is small enough."""
    least, most = 0.0, max(seconds)
    for _ in range(60):
        middle = (least + most) / 2
        if sum(time * share_of(time, middle) for time in seconds) / 1000 > total:
            most = middle
        else:
            least = middle
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10, help="how long a sample shall take on two cores (default 10)")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), help="folder of the build that ran the tests")
    parser.add_argument("results", nargs="*", metavar="RESULTS.xml")
    arguments = parser.parse_args()
    seconds, processors = read_table(), read_processors(arguments.build)
    for path in arguments.results:
        seconds.update(read_results(path, processors))
    unit = choose_unit(list(seconds.values()), arguments.minutes * 60 * arguments.cores)
    rows = [(name, time, share_of(time, unit)) for name, time in sorted(seconds.items())]
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write(HEAD)
        file.writelines(f"{share:4} {time:5.1f} {name}\n" for name, time, share in rows if share < 1000)
    print(f"{sum(time * share for _, time, share in rows) / 1000 / 60 / arguments.cores:.1f} minutes, {sum(share < 1000 for *_, share in rows)} tests in the table")


if __name__ == "__main__":
    main()
