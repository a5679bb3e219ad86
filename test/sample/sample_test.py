#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples leave out no test for good."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "test", folder) for folder in ("e2e", "conformance", "sample")]
import nacre  # noqa: E402
import run  # noqa: E402
import write_shares  # noqa: E402

NEVER = {"conformance/address-sanitizer"}  # only tools/check --full runs it
SAMPLES = range(1000, 1060)  # all remainders of all numbers of parts


def read_tests(sample):
    """{name: its properties}, as ctest sees them."""
    environment = {**os.environ, "NACRE_SAMPLE": str(sample)} if sample is not None else {k: v for k, v in os.environ.items() if k != "NACRE_SAMPLE"}
    done = subprocess.run([os.environ["NACRE_CTEST"], "--test-dir", os.environ["NACRE_BUILD"], "--show-only=json-v1"], env=environment,
                          stdout=subprocess.PIPE, check=True)
    return {test["name"]: {item["name"]: item["value"] for item in test["properties"]} for test in json.loads(done.stdout)["tests"]}


class Divided(nacre.NacreTest):
    parts = 3

    def test_a(self):
        pass

    test_b = test_c = test_d = test_a


class Small(nacre.NacreTest):
    parts = 3

    def test_a(self):
        pass

    test_b = test_a


def read_shares():
    """[(thousandths of samples, seconds, name of a test)], as in the table."""
    with open(os.path.join(ROOT, "test", "sample", "shares.txt"), encoding="utf-8") as file:
        return [(int(share), float(seconds), name) for share, seconds, name in (line.split() for line in file if not line.startswith("#"))]


def take_tests(shares, point):
    """The rows of which a stretch holds `point`, or a number that is a multiple of 1000 from there."""
    begin, taken = 0, []
    for row in shares:
        if (point - begin) % 1000 < row[0]:
            taken.append(row)
        begin += row[0]
    return taken


class SampleTest(unittest.TestCase):
    def test_tests_of_ctest(self):
        everything, shares = read_tests(None), read_shares()
        self.assertFalse([name for name, properties in everything.items() if "DISABLED" in properties or "ENVIRONMENT_MODIFICATION" in properties])
        shards = set()
        for sample in (number * 161 * 60 + number for number in range(1, 7)):  # points all over the table, other remainders
            tests = read_tests(sample)
            left_out = NEVER | {name for _, _, name in shares} - {name for _, _, name in take_tests(shares, sample // 60 % 1000)}
            self.assertEqual({name for name, properties in tests.items() if properties.get("DISABLED")}, left_out)
            shards.add(tuple(tests["unit/codegen/gpu/GpuContraction"]["ENVIRONMENT_MODIFICATION"]))
        self.assertEqual(len(shards), 3)

    def test_table(self):
        shares = read_shares()
        self.assertGreater(len(shares), 100)
        self.assertEqual(write_shares.read_table(), {name: seconds for _, seconds, name in shares})
        self.assertEqual({name for _, _, name in shares} - set(read_tests(None)), set())
        taken = [take_tests(shares, point) for point in range(1000)]
        count = Counter(name for rows in taken for _, _, name in rows)
        self.assertEqual(count, {name: share for share, _, name in shares})
        # Neighbours take turns: samples take about the same time.
        times = [sum(seconds for _, seconds, _ in rows) for rows in taken]
        self.assertLess(max(times), 1.4 * sum(times) / len(times))

    def test_each_sample_has_a_sanitizer(self):
        shares = read_shares()
        for point in range(1000):
            self.assertTrue(any(name.startswith("runtime/sanitizer-") for _, _, name in take_tests(shares, point)), point)

    def test_processors(self):
        """Sanitizers compile with two processes."""
        processors = write_shares.read_processors(os.environ["NACRE_BUILD"])
        self.assertEqual(processors["runtime/sanitizer-thread-gpu"], 2)
        self.assertNotIn("lint/sample", processors)

    def test_shares(self):
        seconds = [0.2, 3.0, 12.0, 300.0]
        unit = write_shares.choose_unit(seconds, 45)
        shares = [write_shares.share_of(time, unit) for time in seconds]
        self.assertAlmostEqual(sum(share * time for share, time in zip(shares, seconds)) / 1000, 45, delta=1)
        self.assertEqual(shares[0], 1000)
        self.assertAlmostEqual(shares[1], 2 * shares[2], delta=1)
        self.assertEqual(shares[3], write_shares.LEAST)

    def test_results(self):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write("""<testsuite><testcase name="a/b" time="1.5" status="run"/><testcase name="c" time="2" status="fail"/>
<testcase name="d" time="0" status="disabled"/><testcase name="e" time="0" status="notrun"/></testsuite>""")
            file.flush()
            self.assertEqual(write_shares.read_results(file.name, {"c": 2}), {"a/b": 1.5, "c": 4})

    def test_tests_of_python(self):
        for case, most in (Divided, 2), (Small, 1):
            ran = set()
            for sample in SAMPLES:
                with mock.patch.dict(os.environ, NACRE_SAMPLE=str(sample)):
                    result = unittest.TestResult()
                    tests = list(unittest.defaultTestLoader.loadTestsFromTestCase(case))
                    unittest.TestSuite(tests).run(result)
                    skipped = {test.id() for test, _ in result.skipped}
                    names = {test.id() for test in tests} - skipped
                    self.assertIn(len(names), range(1, most + 1))
                    ran |= names
            self.assertEqual(ran, {test.id() for test in tests})

    def test_cases_of_a_group(self):
        for count in 1, 2, 9:
            taken = []
            for sample in SAMPLES:
                with mock.patch.dict(os.environ, NACRE_SAMPLE=str(sample)):
                    taken.append(run.take_part(list(range(count)), 4))
            self.assertEqual({case for part in taken for case in part}, set(range(count)))
            self.assertTrue(all(taken))


if __name__ == "__main__":
    unittest.main(defaultTest="SampleTest")
