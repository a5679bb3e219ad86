#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples leave out no test for good, and no group of tests at all."""
import json
import os
import re
import subprocess
import sys
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "test", "e2e"), os.path.join(ROOT, "test", "conformance")]
import nacre  # noqa: E402
import run  # noqa: E402

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


class SampleTest(unittest.TestCase):
    def test_tests_of_ctest(self):
        everything = read_tests(None)
        self.assertFalse([name for name, properties in everything.items() if "DISABLED" in properties or "ENVIRONMENT_MODIFICATION" in properties])
        samples = [read_tests(61 * number) for number in range(1, 13)]  # other digits, other remainders
        run_by = [{name for name, properties in tests.items() if not properties.get("DISABLED")} for tests in samples]
        self.assertEqual(set.union(*run_by), set(everything))
        for names in run_by:
            labels = {label for name in names for label in everything[name]["LABELS"]}
            self.assertEqual(labels, {label for properties in everything.values() for label in properties["LABELS"]})
        shards = {tuple(tests["unit/codegen/gpu/GpuContraction"]["ENVIRONMENT_MODIFICATION"]) for tests in samples}
        self.assertEqual(len(shards), 3)

    def test_names_are_those_of_tests(self):
        with open(os.path.join(ROOT, "test", "sample", "sample.cmake.in"), encoding="utf-8") as file:
            listed = re.findall(r"^set\((\w+) ([^)]*)\)", file.read(), re.MULTILINE)
        names = {name for group, words in listed if group != "groups" for name in words.split()}
        self.assertGreater(len(names), 15)
        self.assertEqual(names - set(read_tests(None)), set())

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
