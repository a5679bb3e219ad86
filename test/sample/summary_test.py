#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/dev/summarize_run.py counts what ctest wrote."""
import os
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "dev"))
import summarize_run  # noqa: E402

RESULTS = """<testsuite time="120" timestamp="2026-11-24T10:00:00">
<testcase name="unit/a" time="1.4" status="run"><system-out>fine</system-out></testcase>
<testcase name="unit/b" time="2" status="fail"><failure/></testcase>
<testcase name="unit/c" time="0" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
<testcase name="unit/d" time="0" status="notrun"><failure message="no such program"/></testcase>
<testcase name="fuzz/reader" time="36" status="run"><system-out>19 files, 253747 mutations</system-out></testcase>
<testcase name="conformance/onnx" time="9" status="run"><system-out>
group               target            passed  expected    failed     --set     extra   refused    on gpu    on cpu
node                gpu                  308         6         0        38         1         0       686         6
simple              gpu                    5         0         0         3         0         2         5         0
expected: fails as it says

313 passed, 0 failed
</system-out></testcase>
</testsuite>"""


def read_rows(section):
    """[the cells of each row] of all tables."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in section.splitlines() if line.startswith("| ")]
    return [row for row in rows if row[0] != "---"]


class SummaryTest(unittest.TestCase):
    def test_counts(self):
        section = summarize_run.summarize(ElementTree.fromstring(RESULTS), "2 cores")
        self.assertIn("`tools/check --full`, 2026-11-24, 2 cores, 2 minutes of tests.", section)
        rows = read_rows(section)
        self.assertIn(["unit", "4", "1", "2", "1", "3"], rows)
        self.assertIn(["all", "6", "3", "2", "1", "48"], rows)
        self.assertIn(["gpu", "313", "6", "0", "1", "2"], rows)
        self.assertIn("253,747 inputs in 0.01 hours, 0 findings", section)
        self.assertEqual(re.findall("Failed: (.*)", section), ["unit/b", "unit/d"])


if __name__ == "__main__":
    unittest.main()
