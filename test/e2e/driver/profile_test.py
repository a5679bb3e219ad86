#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nacre-run --profile and --trace: what viewers of traces and people who look for the slow node rely on."""
import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre


class ProfileTest(nacre.NacreTest):
    def trace_of(self, library, *options):
        """The table as printed, the launches that --info lists, and the trace's events by kind."""
        path = self.path("trace.json")
        table = self.run_model(library, "--profile", "--runs=3", f"--trace={path}", *options)
        launches = re.split(r" kernels?\n", self.run_model(library, "--info"))[1].splitlines()
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
        events = {kind: [e for e in trace["traceEvents"] if e["ph"] == kind] for kind in "MX"}
        self.assertEqual(len(trace["traceEvents"]), sum(map(len, events.values())))
        return table, launches, events

    def test_an_event_for_each_launch_in_order(self):
        _, launches, events = self.trace_of(self.compile("convnet"), "--threads=2")
        listed = [line.split(None, 2) for line in launches]
        self.assertEqual([[e["cat"], e["args"]["kernel"], e["name"]] for e in events["X"]], listed)
        end = 0
        for event in events["X"]:
            self.assertGreater(event["dur"], 0)
            self.assertGreaterEqual(event["ts"], end - 0.002)  # both are rounded to nanoseconds
            end = event["ts"] + event["dur"]

    def test_report_of_this_machine(self):
        report, page, profile = self.path("report.json"), self.path("report.html"), self.path("profile.json")
        library = self.compile("relu", f"--report={report}")
        for options in ((), (f"--profile={profile}",)):
            said = self.run_model(library, f"--report={report}", "--runs=2", *options)
            self.assertRegex(said, r"us +share +times +engine")
            self.assertIn(f"the page '{page}' shows the report with these times", said)
            with open(page, encoding="utf-8") as file:
                self.assertIn('"runs":2', file.read().replace(" ", ""))
            os.remove(page)
        self.assertTrue(os.path.exists(profile))
        self.run_model(library, f"--report={report}", f"--output={page}", status=2)
        other = self.compile("dense")
        self.assertIn("--report: nacre-report: ", self.run_model(other, f"--report={report}", "--runs=1", status=2))
        self.assertFalse(os.path.exists(page))

    def test_process_and_thread_are_named(self):
        _, _, events = self.trace_of(self.compile("convnet"), "--threads=2")
        names = {(e["pid"], e["tid"], e["name"]): e["args"]["name"] for e in events["M"]}
        self.assertEqual(names[0, 0, "process_name"], "convnet")
        self.assertEqual(names[0, 0, "thread_name"], "calling thread, with 1 more in each launch")
        self.assertTrue(all((e["pid"], e["tid"], "thread_name") in names for e in events["X"]))

    def test_a_loop_counts_its_iterations(self):
        table, _, events = self.trace_of(self.compile("recurrent"))
        self.assertIn(10, {e["args"]["executions"] for e in events["X"]})
        self.assertTrue(any(re.search(r"%\s+10 ", line) for line in table.splitlines()), table)

    def test_a_table_sorted_by_time_that_adds_up(self):
        table, launches, _ = self.trace_of(self.compile("convnet"))
        rows = [line.split() for line in table.splitlines()[1:]]
        times = [float(row[0]) for row in rows[:-1]]
        self.assertEqual(len(times), len(launches))
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertAlmostEqual(sum(times), float(rows[-1][0]), delta=0.001 * len(times))

    def test_any_name_that_a_model_may_have(self):
        report = self.path("report.json")
        _, _, events = self.trace_of(self.compile("oddly_named", f"--report={report}"))
        self.assertEqual([e["name"] for e in events["X"]], ['"\\\\x01\N{LATIN SMALL LETTER E WITH ACUTE}\\xff'])
        with open(report, encoding="utf-8") as file:
            self.assertEqual([row["nodes"] for row in json.load(file)["launches"]], [events["X"][0]["name"]])


if __name__ == "__main__":
    unittest.main()
