#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--place=auto and --device: what is predicted and reported, and that the reader of profiles and their schema agree."""
import copy
import glob
import json
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

sys.path.insert(0, os.path.join(nacre.ROOT, "tools", "tune"))
import make_kernels  # noqa: E402

PROFILES = os.path.join(nacre.ROOT, "compiler", "place", "profiles")
COMPILE, TUNE = os.path.join(nacre.BIN, "nacre-compile"), os.path.join(nacre.BIN, "nacre-tune")


# What nacre-tune takes each of its kernels to do, as its own compiler reads it.
PRINT_WORK = """#include "tools/measure/KernelWork.h"
#include <cstdio>
int main() {
  for (const nacre::measure::KernelWork &row : nacre::measure::kKernels)
    std::printf("%s %s %.17g\\n", row.name, row.kind, row.work);
}
"""


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


SCHEMA = load(os.path.join(nacre.ROOT, "docs", "device-profile.schema.json"))
WRONG = {"string": 7, "number": "fast", "integer": 1.5, "boolean": "yes", "object": 1, "array": 1}


def walk(schema, path=()):
    """(path of a member, its schema); the first element stands for all of an array."""
    for name, member in schema.get("properties", {}).items():
        yield (*path, name), member
        yield from walk(member, (*path, name))
        if member["type"] == "array":
            yield from walk(member["items"], (*path, name, 0))


def parent_of(profile, path):
    for name in path[:-1]:
        profile = profile[name]
    return profile


def as_said(path):
    return "".join(f"[{name}]" if isinstance(name, int) else f".{name}" for name in path).lstrip(".")


class PlacementTest(nacre.NacreTest):
    parts = 2

    def place(self, model, *options, status=0):
        report = self.path("report.json")
        said = self.call_resident(self.model(model), "--compile-to=place", "-o", self.path("place.mlir"), f"--report={report}", *options,
                                  status=status)
        return said if status else load(report)

    def test_list_names_the_shipped_profiles(self):
        said = self.call(COMPILE, "--device=list")
        names = sorted(os.path.basename(path)[:-len(".json")] for path in glob.glob(os.path.join(PROFILES, "*.json")))
        self.assertGreaterEqual(len(names), 6)
        self.assertEqual(sorted(line.split()[0] for line in said.splitlines()), names)

    def test_auto_is_never_predicted_to_be_slower(self):
        for path in glob.glob(os.path.join(PROFILES, "*.json")):
            for model in ("convnet", "recurrent", "relu"):
                with self.subTest(f"{path}, {model}"):
                    report = self.place(model, "--place=auto", f"--device={path}")
                    self.assertLessEqual(report["predicted_ms"], report["predicted_cpu_only_ms"])
                    self.assertGreater(report["predicted_ms"], 0)

    def test_a_library_without_a_gpu_launch_is_the_cpus(self):
        """Byte for byte, whether a search or a lack of GPU code has decided it; what a search gives the GPU pays."""
        report, path = self.path("report.json"), self.path("library.so")

        def library(*options):
            self.call_resident(self.model(model), "-o", path, "--quiet", f"--report={report}", *options)
            with open(path, "rb") as file:
                return file.read(), load(report)

        profile = f"--device={os.path.join(PROFILES, 'helio-g99.json')}"
        for model in ("convnet", "recurrent", "relu", "only_doubles"):
            on_cpu, alone = library("--place=cpu", profile)
            for options in (["--place=auto"], ["--place=auto", "--gpu-precision=fp16"], ["--place=gpu"]):
                with self.subTest(f"{model}, {options}"):
                    found, chosen = library(profile, *options)
                    if any(launch["gpu_share"] for launch in chosen["launches"]):
                        if options != ["--place=gpu"]:
                            self.assertLess(chosen["predicted_ms"], alone["predicted_ms"])
                    else:
                        self.assertEqual(found, on_cpu)

    def test_report_has_predictions_where_a_device_is_named(self):
        report = self.path("report.json")
        self.compile("convnet", f"--report={report}", "--device=snapdragon-778g")
        for launch in load(report)["launches"]:
            self.assertGreater(launch["predicted_cpu_ms"], 0)
            self.assertGreater(launch["predicted_gpu_ms"], 0)
            self.assertEqual(launch["engine"], "cpu")
        self.compile("convnet", f"--report={report}")
        self.assertNotIn("predicted_ms", load(report))
        self.assertNotIn("predicted_cpu_ms", load(report)["launches"][0])

    def test_a_gpu_that_costs_nothing_gets_work(self):
        profile = load(os.path.join(PROFILES, "snapdragon-778g.json"))
        profile["latency"].update(dispatch_us=1e-3, meeting_us=1e-3)
        profile["gpu"].update(fp32_gflops=1e6, invocations=1, bandwidth_gbps=1e5, cache_bandwidth_gbps=1e5)
        self.assertEqual(self.place("convnet", "--place=auto", self.save(profile))["predicted_meetings"], 1)
        profile["latency"].update(meeting_us=1e6)
        self.assertEqual(self.place("convnet", "--place=auto", self.save(profile))["predicted_meetings"], 0)

    def check_code(self, model, *options):
        """That no launch is given to a GPU that has no code for it, and that what is predicted is what was placed. Returns how
        many launches were declined."""
        path = self.path("compiled.json")
        self.compile(model, *options, f"--report={path}")
        report = load(path)
        self.assertEqual({name: value for name, value in self.place(model, *options).items() if name.startswith("predicted_")},
                         {name: value for name, value in report.items() if name.startswith("predicted_")})
        declined = [row for row in report["launches"] if row["gpu_declined"]]
        for row in declined:
            self.assertEqual((row["engine"], row["gpu_share"]), ("cpu", 0), row)
            self.assertNotIn("predicted_gpu_ms", row)
        # The CPU computes one launch after the other.
        on_cpu = sum(row["predicted_cpu_ms"] * row["iterations"] for row in report["launches"] if row["engine"] == "cpu")
        self.assertGreaterEqual(report["predicted_ms"], on_cpu * 0.999)
        return len(declined)

    def test_what_has_no_gpu_code_is_predicted_for_the_cpu(self):
        fast = load(os.path.join(PROFILES, "snapdragon-778g.json"))
        fast["latency"].update(dispatch_us=1e-3, meeting_us=1e-3)
        fast["gpu"].update(fp32_gflops=1e6, invocations=1, bandwidth_gbps=1e5, cache_bandwidth_gbps=1e5)
        device = self.save(fast)
        for options in (["--place=auto"], ["--place=gpu"], ["--place=split:50"], ["--place=auto", "--gpu-precision=fp16"]):
            with self.subTest(options):
                self.assertGreater(self.check_code("doubles", device, *options), 0)
        for path in glob.glob(os.path.join(PROFILES, "*.json")):
            with self.subTest(path):
                self.check_code("doubles", f"--device={path}", "--place=auto")

    def test_halves_are_for_a_gpu_that_has_code(self):
        report = self.path("report.json")
        self.compile("only_doubles", "--place=gpu", "--gpu-precision=fp16", f"--report={report}")
        self.assertEqual(load(report)["gpu_precision"], "fp32")

    def test_halves_are_for_a_gpu_that_has_work(self):
        profile = load(os.path.join(PROFILES, "snapdragon-778g.json"))
        report = self.path("report.json")

        def library(precision):
            path = self.compile("convnet", "--place=auto", self.save(profile), f"--gpu-precision={precision}",
                                f"--report={report}")
            with open(path, "rb") as file:
                return file.read(), load(report)["gpu_precision"], load(report)["operators"]

        profile["latency"].update(meeting_us=1e6)
        self.assertEqual(library("fp16"), library("fp32"))
        profile["latency"].update(dispatch_us=1e-3, meeting_us=1e-3)
        profile["gpu"].update(fp32_gflops=1e6, invocations=1, bandwidth_gbps=1e5, cache_bandwidth_gbps=1e5)
        half, precision, _ = library("fp16")
        self.assertEqual(precision, "fp16")
        self.assertLess(len(half), len(library("fp32")[0]))

    def test_bad_options_are_refused(self):
        said = self.place("relu", "--place=auto", status=2)
        self.assertIn("--device=list", said)
        self.assertIn("snapdragon-778g", self.place("relu", "--device=typewriter", status=2))
        self.assertIn("missing.json", self.place("relu", "--device=missing.json", status=2))

    def save(self, profile):
        with open(self.path("device.json"), "w", encoding="utf-8") as file:
            json.dump(profile, file)
        return f"--device={self.path('device.json')}"

    def test_schema_describes_what_the_reader_takes(self):
        good = load(os.path.join(PROFILES, "snapdragon-778g.json"))
        good["gpu"]["rates"] = {name: 1 for name in SCHEMA["properties"]["gpu"]["properties"]["rates"]["required"]}
        self.place("relu", self.save(good))
        members = list(walk(SCHEMA))
        self.assertGreater(len(members), 30)
        for path, schema in members:
            if path == ("memory", "copy_bandwidth_gbps"):
                continue  # depends on another figure; the unit test has it
            with self.subTest(as_said(path)):
                missing = copy.deepcopy(good)
                del parent_of(missing, path)[path[-1]]
                if path == ("gpu", "rates"):  # the one member that may be left out
                    self.place("relu", self.save(missing))
                else:
                    self.assertIn(f"{as_said(path)} is missing", self.place("relu", self.save(missing), status=2))
                wrong = copy.deepcopy(good)
                parent_of(wrong, path)[path[-1]] = WRONG[schema["type"]]
                self.assertIn(f"{as_said(path)} must be", self.place("relu", self.save(wrong), status=2))
        for path in [(), *(path for path, schema in members if schema["type"] == "object")]:
            unknown = copy.deepcopy(good)
            parent_of(unknown, (*path, "surprise"))["surprise"] = 1
            self.assertIn(f"{as_said((*path, 'surprise'))} is unknown", self.place("relu", self.save(unknown), status=2))

    def test_tune_writes_a_profile_with_this_machines_cpu(self):
        base, tuned = os.path.join(PROFILES, "snapdragon-778g.json"), self.path("tuned.json")
        self.call(TUNE, f"--base={base}", "--gpu=no", "-o", tuned)
        self.assertGreater(self.place("convnet", "--place=auto", f"--device={tuned}")["predicted_ms"], 0)
        before, after = load(base), load(tuned)
        self.assertIn("nacre-tune", after["cpu"]["source"])
        self.assertEqual(sum(cluster["cores"] for cluster in after["cpu"]["clusters"]), len(os.sched_getaffinity(0)))
        for cluster in after["cpu"]["clusters"]:  # of any machine, however busy
            self.assertTrue(0.01 < cluster["clock_ghz"] < 20, cluster)
            self.assertTrue(0.5 < cluster["fp32_flops_per_cycle"] < 512, cluster)
            self.assertTrue(0.5 < cluster["fp16_flops_per_cycle"] < 1024, cluster)
            self.assertTrue(1 < cluster["int8_ops_per_cycle"] < 2048, cluster)
        for group in ("gpu", "latency", "memory"):
            self.assertEqual(before[group], after[group])

    def test_tune_writes_a_profile_with_this_machines_gpu(self):
        """lavapipe's, where there is no other."""
        base, tuned = os.path.join(PROFILES, "snapdragon-778g.json"), self.path("tuned.json")
        self.call(TUNE, f"--base={base}", "--gpu=0", "-o", tuned)
        self.assertGreater(self.place("convnet", "--place=auto", f"--device={tuned}")["predicted_ms"], 0)
        before, after = load(base), load(tuned)
        self.assertIn("nacre-tune", after["gpu"]["source"])
        self.assertIn("nacre-tune", after["latency"]["source"])
        self.assertEqual(before["memory"], after["memory"])
        self.assertEqual(before["gpu"]["cache_kib"], after["gpu"]["cache_kib"])
        for name, rate in after["gpu"]["rates"].items():  # of any device, however busy
            self.assertTrue(1e-4 < rate < 1e5, name)

    def test_tune_says_what_stands_against_it(self):
        base = os.path.join(PROFILES, "snapdragon-778g.json")
        self.call(TUNE, status=2)
        self.call(TUNE, "--base=missing.json", status=2)
        self.call(TUNE, f"--base={base}", "--gpu=first", status=2)
        self.assertIn("libtune_rates.so", self.call(TUNE, f"--base={base}", "--gpu=0", "--kernels=nowhere", status=2))
        apart = load(base)
        apart["memory"].update(shared=False, copy_bandwidth_gbps=10)
        self.save(apart)
        said = self.call(TUNE, f"--base={self.path('device.json')}", "--gpu=0", status=2)
        self.assertIn("the base must be of a device whose GPU shares memory with the CPU", said)

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_tune_opens_kernels_of_another_machine(self):
        """As far as a machine without a GPU lets it."""
        make_kernels.make_rates().save(self.path("tune_rates.onnx"))
        self.call(COMPILE, self.path("tune_rates.onnx"), "-o", self.path("libtune_rates.so"), "--target=linux-arm64", "--place=gpu")
        base = os.path.join(PROFILES, "helio-g99.json")
        said = self.call("qemu-aarch64", "-L", nacre.ARM64_SYSROOT, TUNE + "-arm64", f"--base={base}", "--gpu=0",
                         f"--kernels={self.path('')}", status=2)
        self.assertIn("the GPU cannot be measured: there is no Vulkan", said)

    def test_tune_counts_work_as_the_cost_model_does(self):
        with open(self.path("table.cpp"), "w", encoding="utf-8") as file:
            file.write(PRINT_WORK)
        self.call(os.environ.get("CXX", "c++"), "-std=c++17", f"-I{nacre.ROOT}", self.path("table.cpp"), "-o", self.path("table"))
        rows = [line.split() for line in self.call(self.path("table")).splitlines()]
        counted = {(name, kind): float(work) for name, kind, work in rows}
        self.assertEqual(len(counted), len(rows))
        self.assertIn(("product", "contraction"), counted)
        profile = load(os.path.join(PROFILES, "snapdragon-778g.json"))
        profile["latency"]["dispatch_us"] = 1e-6
        # Of what large products reach, the model takes 80 %; a nanosecond for each operation and each access.
        profile["gpu"].update(fp32_gflops=1 / 0.8, invocations=1, bandwidth_gbps=1e9, cache_bandwidth_gbps=1e9,
                              rates={name: 1 for name in SCHEMA["properties"]["gpu"]["properties"]["rates"]["required"]})
        make_kernels.make_rates().save(self.path("tune_rates.onnx"))
        report = self.path("report.json")
        self.call(COMPILE, self.path("tune_rates.onnx"), "-o", self.path("libtune_rates.so"), self.save(profile), f"--report={report}")
        predicted = {(row["nodes"], row["kind"]): row["predicted_gpu_ms"] * 1e6 for row in load(report)["launches"]}
        for key, work in counted.items():
            work += 768 * 768 if key[0] == "product" else 0  # its results
            self.assertAlmostEqual(predicted[key] / work, 1, places=3, msg=key)

    def test_shipped_profiles_have_what_the_schema_names(self):
        def compare(value, schema, where):
            if schema["type"] == "object":
                self.assertLessEqual(set(value), set(schema["properties"]), where)
                self.assertLessEqual(set(schema["required"]), set(value), where)
                for name, member in value.items():
                    compare(member, schema["properties"][name], f"{where}.{name}")
            elif schema["type"] == "array":
                for member in value:
                    compare(member, schema["items"], where)
        for path in glob.glob(os.path.join(PROFILES, "*.json")):
            compare(load(path), SCHEMA, os.path.basename(path))


if __name__ == "__main__":
    unittest.main()
