#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--time-trace: a Chrome trace of a compilation, with its phases, passes, kernels and threads; nothing else changes by it."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

COMPILE = os.path.join(nacre.BIN, "nacre-compile")
PHASES = ["import", "graph", "kernels", "encode", "place", "schedule", "codegen", "package"]


class TimeTraceTest(nacre.NacreTest):
    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def test_events(self):
        library, path = self.path("libconvnet.so"), self.path("trace.json")
        self.compile("convnet", f"--time-trace={path}", f"--report={self.path('report.json')}", "--jobs=2", "--place=gpu",
                     "--target=linux-x86_64", "--cpu=x86-64-v3,x86-64-v4", output=library)
        trace, report = self.read(path), self.read(self.path("report.json"))
        spans = [event for event in trace["traceEvents"] if event["ph"] == "X" and not event["name"].startswith("Total ")]
        for event in spans:
            self.assertGreaterEqual(min(event["ts"], event["dur"]), 0, event)
            self.assertLessEqual({"pid", "tid", "name"}, set(event), event)
        phases = sorted((event for event in spans if event["name"] in PHASES), key=lambda event: event["ts"])
        # A plan whose engines are known is made again from kernels formed for them. What takes less than a tenth of a millisecond is left out.
        self.assertRegex("".join(event["name"] + " " for event in phases),
                         r"^(import )+(graph )?((kernels )?(encode )?(place )*)+(schedule )?codegen package $")
        self.assertLessEqual({"import", "place", "codegen", "package"}, {event["name"] for event in phases})
        main = {event["tid"] for event in phases}
        self.assertEqual(len(main), 1)
        names = {row["kernel"] for row in report["launches"]}
        for kind, phase, details in (("cpu kernel", "codegen", {f"{name} for {cpu}" for name in names for cpu in ("x86-64-v3", "x86-64-v4")}),
                                     ("gpu kernel", "place", names)):
            kernels = [event for event in spans if event["name"] == kind]
            self.assertTrue(kernels)
            self.assertLessEqual({event["args"]["detail"] for event in kernels}, details)
            for event in kernels:
                self.assertTrue(any(around["name"] == phase and around["ts"] <= event["ts"] and
                                    event["ts"] + event["dur"] <= around["ts"] + around["dur"] for around in phases), event)
                self.assertNotIn(event["tid"], main)
        passes = {event["args"]["detail"] for event in spans if event["name"] == "pass"}
        self.assertTrue(any("FormKernels" in name for name in passes), passes)
        self.assertTrue(any(event["name"] == "Link" for event in spans), "LLD's own are there, too")

    def test_where_it_is_written(self):
        library = self.compile("relu", "--time-trace")
        self.assertIn("traceEvents", self.read(library + ".time-trace.json"))
        self.call(COMPILE, self.model("relu"), "-o", self.path("librelu.so"), "--target=android-arm64,android-x86_64", "--time-trace")
        for target in "android-arm64", "android-x86_64":
            self.assertIn("traceEvents", self.read(self.path(target, "librelu.so.time-trace.json")))

    def test_the_library_is_the_same(self):
        contents = []
        for options in [], ["--time-trace"]:
            with open(self.compile("convnet", *options), "rb") as file:
                contents.append(file.read())
        self.assertEqual(*contents)

    def test_a_compilation_that_fails_is_traced_to_its_end(self):
        self.compile("unsupported", f"--time-trace={self.path('trace.json')}", status=1)
        self.assertIn("traceEvents", self.read(self.path("trace.json")))

    def test_what_is_refused(self):
        said = self.compile("relu", "--emit=asm", "--time-trace", output="-", status=2)
        self.assertEqual(said, "nacre-compile: --time-trace requires a file name if the output goes to the terminal, as in --time-trace=trace.json\n")
        path = self.path("none", "trace.json")
        said = self.compile("relu", f"--time-trace={path}", "--quiet", status=1)
        self.assertEqual(said, f"nacre-compile: cannot write '{path}': No such file or directory\n")


if __name__ == "__main__":
    unittest.main()
