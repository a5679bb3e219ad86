#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files about a compilation: the report and the profile as their schemas say, the page that holds both, and what is refused."""
import os
import re
import unittest

import report_models
from report_models import COMPILE, DEVICE, EVIL, REPORT, load

try:
    import jsonschema
except ImportError:
    jsonschema = None

DOCS = os.path.join(report_models.nacre.ROOT, "docs")
ADVICE = "; profile the library that was compiled with this report"


def data_of(page):
    with open(page, encoding="utf-8") as file:
        return re.search(r'<script type="application/json" id="data">(.*?)</script>', file.read(), re.DOTALL)[1]


class ReportFilesTest(report_models.ReportTest):
    parts = 2

    def check_schema(self, name, path):
        if jsonschema is None:
            self.skipTest("python3-jsonschema is not installed")
        schema = load(os.path.join(DOCS, f"{name}.schema.json"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(load(path))

    def test_reports_are_as_their_schema_says(self):
        for model, *options in (("convnet",), ("convnet", "--device=" + DEVICE), ("doubles", "--place=auto", "--device=" + DEVICE),
                                ("doubles", "--place=gpu"), ("recurrent", "--weight-type=bf16"), ("oddly_named",), ("evil",),
                                ("dense", "--emit=obj"), ("dense", "--for=phone")):
            with self.subTest(model=model, options=options):
                self.check_schema("report", self.report_of(model, *options)[1])

    def test_the_report_of_a_training_step_is_as_its_schema_says(self):
        graph = report_models.Graph("trained", seed=2)
        graph.node("MatMul", [graph.input("x", [4, 16]), graph.weight("w", [16, 3], -0.3, 0.3)], output="y")
        graph.output("y", [4, 3])
        graph.save(self.path("trained.onnx"))
        self.call(COMPILE, self.path("trained.onnx"), "-o", self.path("libtrained.so"), "--train", "--loss=softmax-cross-entropy:y",
                  "--device=" + DEVICE, "--report=" + self.path("report.json"))
        report = load(self.path("report.json"))
        self.assertIn("predicted_step_ms", report)
        self.assertIn("trained_weights", report)
        self.check_schema("report", self.path("report.json"))

    def test_profiles_are_as_their_schema_says(self):
        for model in ("convnet", "recurrent", "oddly_named"):
            with self.subTest(model):
                self.check_schema("profile", self.profile_of(self.report_of(model)[0])[1])

    def test_a_profile_adds_up_to_what_is_printed(self):
        said, path = self.profile_of(self.report_of("convnet")[0])
        profile = load(path)
        rows = [line.split() for line in said.splitlines()[1:]]
        self.assertEqual(sum(row["least_ns"] for row in profile["launches"]), profile["launches_ns"])
        self.assertEqual(f"{sum(row['median_ns'] for row in profile['launches']) / 1e3:.3f}", rows[len(profile["launches"])][0])
        self.assertTrue(all(row["least_ns"] <= row["median_ns"] for row in profile["launches"]))
        self.assertLessEqual(profile["least_run_ns"], profile["median_run_ns"])
        self.assertEqual(sorted(f"{row['median_ns'] / 1e3:.3f}" for row in profile["launches"]), sorted(row[0] for row in rows[:len(profile["launches"])]))
        self.assertEqual(profile["runs"], 3)
        machine = profile["machine"]
        self.assertEqual(machine["threads"], min(profile["threads"], machine["cores"]))
        self.assertIn(machine["vector_bits"], (128, 256, 512))
        self.assertTrue(all(machine[key] > 1e8 for key in ("flops_per_second", "bytes_per_second", "cache_bytes_per_second")), machine)
        self.assertGreaterEqual(profile["least_run_ns"], 0)

    def test_a_profile_without_a_file_is_a_table_alone(self):
        library = self.compile("relu")
        before = sorted(os.listdir(self.folder))
        self.assertIn("100.00%", self.run_model(library, "--profile", "--runs=1"))
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertEqual(self.run_model(library, "--profile=", status=2), "nacre-run: error: --profile must be a file, but is ''\n")
        missing = self.path("missing", "profile.json")
        self.assertIn(f"nacre-run: error: cannot write '{missing}': No such file or directory\n",
                      self.run_model(library, "--runs=1", f"--profile={missing}", status=2))

    def test_predictions_add_up(self):
        for options in (("--place=cpu",), ("--place=auto",)):
            report = load(self.report_of("convnet", "--device=" + DEVICE, *options)[1])
            rows = report["launches"]
            for row in rows:
                self.assertLessEqual(row["predicted_ms"], row["predicted_cpu_ms"] * row["iterations"] + 1e-9)
            if options == ("--place=cpu",):
                # Each launch is rounded down to a nanosecond.
                self.assertAlmostEqual(sum(row["predicted_ms"] for row in rows), report["predicted_ms"], delta=1e-6 * len(rows))

    def test_bytes_add_up(self):
        for model in ("convnet", "doubles"):
            library, path = self.report_of(model, *(("--place=gpu",) if model == "doubles" else ()))
            report = load(path)
            self.assertEqual(report["file_bytes"], os.path.getsize(library))
            parts = {key: report[key] for key in ("weight_bytes", "code_bytes", "gpu_packed_bytes", "table_bytes", "runtime_bytes")}
            self.assertGreaterEqual(report["file_bytes"], sum(parts.values()))
            self.assertEqual([key for key, value in parts.items() if value <= 0], [] if model == "doubles" else ["gpu_packed_bytes"])

    def test_launches_say_what_memory_they_use(self):
        for model in ("convnet", "recurrent"):
            report = load(self.report_of(model)[1])
            entry = report["entries"][0]
            roles = [port["role"] for port in entry["ports"]]
            self.assertTrue({"input", "output"} <= set(roles))
            written = set()
            for row in report["launches"]:
                self.assertEqual(", ".join(row["node_list"]), row["nodes"])
                for number in row["reads"] + row["writes"]:
                    storage = entry["storages"][number]
                    self.assertTrue(storage["first_step"] <= row["step"] <= storage["last_step"])
                self.assertEqual([port for port in row["port_writes"] if roles[port] == "input"], [])
                self.assertTrue(row["writes"] or row["port_writes"])
                written.update(row["writes"])
            self.assertEqual(written, set(range(len(entry["storages"]))))

    def test_the_compiler_and_nacre_report_write_the_same_page(self):
        library, report = self.report_of("convnet")
        pages = []
        # What a compilation took differs from one to the next.
        for page, command in ((self.path("a.html"), (COMPILE, self.path("convnet.onnx"), "-o", library, "--quiet", "--report=")),
                              (self.path("report.html"), (REPORT, report, "-o"))):
            self.call(*command[:-1], command[-1] + page) if command[-1].endswith("=") else self.call(*command, page)
            with open(page, encoding="utf-8") as file:
                pages.append(re.sub(r'"phase_ms":\{[^}]*\}|"total_ms":[\d.e+-]+', "", file.read()))
        self.assertEqual(*pages)

    def test_the_page_is_beside_the_report_and_the_same_each_time(self):
        _, report = self.report_of("relu")
        self.call(REPORT, report)
        page = self.path("relu.html")
        self.assertLess(os.path.getsize(page), 400_000, "what every page has")
        with open(page, "rb") as file:
            first = file.read()
        self.assertEqual(self.call(REPORT, report, "-o", "-").encode(), first)

    def test_no_name_is_markup(self):
        library, report = self.report_of("evil")
        page = self.page_of(report, self.profile_of(library)[1])
        self.assertNotIn("<", data_of(page))
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn(EVIL, text)
        self.assertNotIn("<img", text)
        self.assertEqual(text.count("</script"), 4)

    def test_a_page_asks_for_nothing(self):
        page = self.page_of(self.report_of("convnet")[1])
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("default-src 'none'", text)
        self.assertEqual(re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?!data:)[^"]*"', text), [])
        self.assertNotRegex(text.split('id="licences"')[0] + text.split("Dom = ")[1], r"fetch\(|XMLHttpRequest|import\(|@import|url\(")

    def test_one_command_measures_and_shows(self):
        _, report = self.report_of("convnet")
        self.call(REPORT, report, "--measure")
        data = data_of(self.path("convnet.html"))
        self.assertIn('"median_run_ns":', data)
        self.assertIn('"machine":{', data)
        value = load(report)
        value["output"] = self.path("none.so")
        with open(report, "w", encoding="utf-8") as file:
            report_models.json.dump(value, file)
        with open(value["output"], "w", encoding="utf-8") as file:
            file.write("no library")
        self.assertRegex(self.refused(report, "--measure"), rf"^nacre-report: cannot measure '{re.escape(value['output'])}': nacre-run: error: .*\n$")
        os.remove(value["output"])
        self.assertEqual(self.refused(report, "--measure"),
                         f"nacre-report: cannot measure '{value['output']}', which does not exist: {report} names the library where it was when it was "
                         "compiled; put it next to the report, or measure it with nacre-run <library> --profile=profile.json and pass "
                         "--profile=profile.json instead of --measure\n")

    def test_pages_of_trainings_and_comparisons_ask_for_nothing(self):
        log, page = self.path("log.jsonl"), self.path("page.html")
        with open(log, "w", encoding="utf-8") as file:
            file.write('{"epoch": 1, "step": 4, "loss": 0.5, "learning_rate": 0.1, "seconds": 0.2, "peak_memory_bytes": 1048576}\n')
        report = self.report_of("evil")[1]
        for files in ((log,), (log, log), (report, report)):
            self.call(REPORT, *files, "-o", page)
            with open(page, encoding="utf-8") as file:
                text = file.read()
            self.assertIn("default-src 'none'", text)
            self.assertEqual(re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?!data:)[^"]*"', text), [])
            self.assertNotRegex(text, r"fetch\(|XMLHttpRequest|import\(|@import|url\(|@[A-Z_]+@")
            self.assertNotIn("<", data_of(page))
            self.assertLess(len(text), 100_000)

    def test_the_documented_commands(self):
        """Those of docs/report.md run on a model of that name. The script that makes one is not installed here."""
        os.rename(self.model("convnet"), self.path("model.onnx"))
        with open(os.path.join(DOCS, "report.md"), encoding="utf-8") as file:
            lines = [line for block in re.findall(r"```sh\n(.*?)```", file.read(), re.DOTALL) for line in block.splitlines()
                     if "make_examples.py" not in line]
        self.assertEqual(len(lines), 9)
        with open(self.path("log.jsonl"), "w", encoding="utf-8") as file:
            file.write('{"epoch": 1, "step": 4, "loss": 0.5, "learning_rate": 0.1, "seconds": 0.2, "peak_memory_bytes": 1048576}\n')
        for line in lines:
            self.call("sh", "-c", line, cwd=self.folder, env={**os.environ, "PATH": f"{os.path.abspath(report_models.nacre.BIN)}:{os.environ['PATH']}"})
        self.assertIn("least_ns", data_of(self.path("report.html")))

    def test_why_a_launch_fell_back_is_told(self):
        for model, *options in (("convnet",), ("fallback",)):
            rows = load(self.report_of(model, *options)[1])["launches"]
            self.assertEqual([row["fallback"] for row in rows], [row["fallback_reason"] != "" for row in rows])
            self.assertEqual(any(row["fallback"] for row in rows), model == "fallback")
        self.check_schema("report", self.path("fallback.json"))

    def refused(self, *arguments):
        return self.call(REPORT, *arguments, status=2)

    def test_what_is_refused(self):
        library, report = self.report_of("convnet")
        profile = self.profile_of(library)[1]
        other, other_report = self.report_of("relu")
        other_profile = self.path("other.json")
        self.run_model(other, "--runs=1", "--profile=" + other_profile)
        said = "nacre-report: "
        missing, broken = self.path("missing.json"), self.path("broken.json")
        with open(broken, "w", encoding="utf-8") as file:
            file.write("[1, 2")
        self.assertEqual(self.refused(), said + "a report is required, as in nacre-report report.json; see --help\n")
        self.assertEqual(self.refused(missing), f"{said}cannot read '{missing}': No such file or directory\n")
        self.assertEqual(self.refused(report, report, report), f"{said}two reports can be compared, but there are 3\n")
        log = self.path("log.jsonl")
        with open(log, "w", encoding="utf-8") as file:
            file.write('{"epoch": 1, "step": 4}\n{"step": 5}\n')
        self.assertEqual(self.refused(log), f"{said}{log}:2: must be a line of nacre-run --train --log=<file>, but is not: it has no 'epoch'\n")
        self.assertEqual(self.refused(log, report), f"{said}a training log cannot be combined with a report; write one page for each\n")
        self.assertEqual(self.refused(log, "--measure"), f"{said}--profile and --measure cannot be combined with a training log, as '{log}' is\n")
        third = (report, report, *("--profile=" + profile for _ in range(3)))
        self.assertEqual(self.refused(*third), f"{said}{profile}: belongs to entry 'main' of {report}, which already has a profile; pass one of them\n")
        library = self.path("lib.so")
        with open(library, "wb") as file:
            file.write(b"\x7fELF\x02\x01")
        self.assertEqual(self.refused(library), f"{said}{library}: is a library; give the report of nacre-compile --report=<file>.json\n")
        self.assertRegex(self.refused(broken), rf"^{said}{re.escape(broken)}: must be JSON, but is not: .*\n$")
        self.assertEqual(self.refused(profile), f"{said}{profile}: must be a report of nacre-compile --report=<file>.json, but has no 'entries'\n")
        self.assertEqual(self.refused(report, "--profile=" + report), f"{said}{report}: must be a profile of nacre-run --profile=<file>, but has no 'entry'\n")
        launches = len(load(report)["launches"])
        self.assertEqual(self.refused(report, "--profile=" + other_profile), f"{said}{other_profile}: must have {launches} launches like {report}, but has 1{ADVICE}\n")
        self.assertEqual(self.refused(report, "--profile=" + profile, "--profile=" + profile),
                         f"{said}{profile}: belongs to entry 'main', like {profile}; pass one of them\n")
        folder = self.path("none", "page.html")
        self.assertRegex(self.refused(report, "-o", folder), rf"^{said}cannot write '{re.escape(folder)}': .*\n$")
        self.assertEqual(sorted(name for name in os.listdir(self.folder) if name.endswith(".html")), [], "nothing is left behind")
        self.check_damaged(report, profile, other_report)

    def test_profiles_of_other_libraries_are_refused(self):
        """Also if the launches are the same: those of another target, and those of another compilation."""
        library, report = self.report_of("relu")
        profile, ids = self.profile_of(library)[1], {}
        other, other_report = self.path("librelu_again.so"), self.path("again.json")
        self.compile("relu", f"--report={other_report}", output=other)
        for path in (report, other_report, profile):
            ids[path] = load(path)["build_id"]
            self.assertRegex(ids[path], "^[0-9a-f]{32}$")
        self.assertEqual(ids[profile], ids[report])
        self.assertIn(ids[report], self.call(os.path.join(report_models.nacre.LLVM_BIN, "llvm-readelf"), "--notes", library))
        self.assertEqual(self.refused(other_report, "--profile=" + profile),
                         f"nacre-report: {profile}: belongs to another library: its build ID is {ids[profile]}, but {ids[other_report]} in {other_report}{ADVICE}\n")
        # Of two reports with equal launches, a profile belongs to that of its library.
        self.call(REPORT, other_report, report, f"--profile={profile}", "-o", self.path("page.html"))
        sides = report_models.json.loads(data_of(self.path("page.html")))["sides"]
        self.assertEqual([len(dict(zip(sides["$keys"], side))["profiles"]) for side in sides["$rows"]], [0, 1])
        here = load(report)["target"]
        foreign = "linux-arm64" if here == "linux-x86_64" else "linux-x86_64"
        self.compile("relu", f"--report={other_report}", f"--target={foreign}", output=other)
        self.assertEqual(self.refused(other_report, "--profile=" + profile),
                         f"nacre-report: {profile}: belongs to another library: its target is {here}, but {foreign} in {other_report}{ADVICE}\n")
        # Nothing shows that a profile without these is of this library. The report of an object has no build ID.
        for key, words in (("build_id", "build ID"), ("target", "target")):
            value = load(profile)
            del value[key]
            without = self.path("without.json")
            with open(without, "w", encoding="utf-8") as file:
                report_models.json.dump(value, file)
            self.assertEqual(self.refused(report, "--profile=" + without),
                             f"nacre-report: {without}: has no {words}, so it may belong to another library than {report}{ADVICE}\n")
        value = load(report)
        del value["build_id"]
        with open(report, "w", encoding="utf-8") as file:
            report_models.json.dump(value, file)
        self.page_of(report, profile)

    def test_a_page_needs_a_compilation_to_the_end(self):
        model, page, report = self.model("relu"), self.path("page.html"), self.path("early.json")
        early = (COMPILE, model, "--compile-to=place", "-o", self.path("place.mlir"))
        self.assertEqual(self.call(*early, "--report=" + page, status=2),
                         f"nacre-compile: --report={page} cannot be combined with --compile-to; write JSON instead of a page\n")
        self.call(*early, "--report=" + report)
        self.assertEqual(self.refused(report), f"nacre-report: {report}: has no entry, because the compilation ended early\n")

    def check_damaged(self, report, profile, other_report):
        """Profiles and reports that are almost right."""
        said, damaged = "nacre-report: ", self.path("damaged.json")

        def save(value):
            with open(damaged, "w", encoding="utf-8") as file:
                report_models.json.dump(value, file)

        value = load(profile)
        value["entry"] = "train"
        save(value)
        self.assertEqual(self.refused(report, "--profile=" + damaged), f"{said}{damaged}: belongs to entry 'train', which {report} lacks; it has: main\n")
        value = load(profile)
        first = value["launches"][1]
        first["kernel"], was = "other_7", first["kernel"]
        save(value)
        self.assertEqual(self.refused(report, "--profile=" + damaged),
                         f"{said}{damaged}: launch 2 is '{first['nodes']}' by other_7, but '{first['nodes']}' by {was} in {report}{ADVICE}\n")
        value = load(profile)
        del value["launches"][0]["least_ns"]
        save(value)
        self.assertEqual(self.refused(report, "--profile=" + damaged), f"{said}{damaged}: launch 1 has no time 'least_ns'\n")
        value = load(other_report)
        del value["launches"][0]["reads"]
        save(value)
        self.assertEqual(self.refused(damaged), f"{said}{damaged}: is a report of another version; compile the model again\n")


if __name__ == "__main__":
    unittest.main()
