#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the first screen of a report says, about any measurement: no figure, verdict or advice contradicts another one.

Skipped where Selenium or Chromium is missing.
"""
import re

import report_browser
import report_models
from report_browser import By, NO_BREAK, seconds_of
from report_models import load


class VerdictTest(report_browser.BrowserTest):
    def test_no_launch_is_faster_than_its_limit(self):
        """Peaks that were measured while other programs ran are raised, and the page says so."""
        def slow(profile, _):
            for key in ("flops_per_second", "bytes_per_second", "cache_bytes_per_second", "near_cache_bytes_per_second"):
                profile["machine"][key] //= 1000
        for model in ("mlp", "vgg"):
            with self.subTest(model):
                browser = self.changed(model, slow)
                self.assertIn("ome operators are faster than the peaks that nacre-run measured", self.text(browser, "verdict-more"))
                shares = [float(share) for share in re.findall(r"^([\d.]+) %$", self.text(browser, "operators"), re.MULTILINE)]
                self.assertTrue(shares and max(shares) <= 100, shares)
                numbers = re.search(r"It reaches ([\d.]+) (.)\S+ of the ([\d.]+) (.)", self.text(browser, "verdict-more"))
                reached, most = (float(numbers[at]) * {"K": 1, "M": 1e3, "G": 1e6, "T": 1e9}[numbers[at + 1]] for at in (1, 3))
                self.assertLessEqual(reached, most)

    def test_no_run_is_faster_than_possible(self):
        """Other programs prolong most runs, and the best run shows what is possible."""
        def interrupt(profile, _):
            profile["least_run_ns"] = profile["median_run_ns"] // 20
        for model in ("mlp", "vgg"):
            with self.subTest(model):
                browser = self.changed(model, interrupt)
                figures = self.figures(browser)
                self.assertLessEqual(seconds_of(figures["Least possible time"]), 1.01 * seconds_of(figures["Best run"]))
                self.assertRegex(self.text(browser, "verdict-more"), r"Runs differ much[.:].* Measure again while nothing else runs\.")

    def test_times_that_do_not_add_up_are_explained(self):
        def wait(profile, _):
            profile["median_run_ns"] = 3 * sum(row["median_ns"] for row in profile["launches"])
            profile["least_run_ns"] = profile["median_run_ns"] // 3
        browser = self.changed("vgg", wait)
        said = re.search(r"Runs differ much: a run takes ([\d.]+ .s), but the times of its operators add up to only ([\d.]+ .s), of which their shares are parts\.", self.text(browser, "verdict-more"))
        self.assertAlmostEqual(seconds_of(said[1]) / seconds_of(said[2]), 3, delta=0.05)

    def test_operators_that_take_no_time_have_no_advice(self):
        """A short launch is not among the most expensive ones, and its details ask for nothing."""
        def hurry(profile, _):
            for row in profile["launches"][1:]:
                row["median_ns"] = row["least_ns"] = 1
        browser = self.changed("vgg", hurry)
        self.assertEqual(self.text(browser, "operators-title"), "The most expensive operator")
        self.assertEqual(len(browser.find_elements(By.CSS_SELECTOR, "#operators tbody tr")), 1)
        browser = self.open(self.path("page.html"), place="#launch=2")
        self.assertEqual(self.text(browser, "details-advice"), "It takes less than 1 % of the time, so a change here makes no difference.")

    def test_a_copy_of_the_compiler_is_not_an_operator(self):
        """However slow it is, the app cannot leave it out."""
        def slow(profile, report):
            for measured, row in zip(profile["launches"], report["launches"]):
                if row["kind"] == "permute":
                    measured["median_ns"] = measured["least_ns"] = 10 ** 9
        browser = self.changed("vgg", slow)
        self.assertIn("permute", self.text(browser, "operators"))
        self.assertTrue(self.text(browser, "operators").count("The compiler added this copy to change the layout of data."))
        self.assertNotIn("Leave it out", self.text(browser, "operators"))

    def test_the_same_advice_is_not_repeated(self):
        def alike(profile, _):
            for row in profile["launches"]:
                row["median_ns"] = row["least_ns"] = 10 ** 6
        browser = self.changed("vgg", alike)
        advice = [cell.text for cell in browser.find_elements(By.CSS_SELECTOR, "#operators td[data-label=Advice]")]
        self.assertEqual(len(advice), 5)
        self.assertLess(len({text for text in advice if not text.startswith("As for ")}), 5)
        self.assertEqual(len([text for text in advice if not text.startswith("As for ")]), len({text for text in advice if not text.startswith("As for ")}))

    def test_figures_of_a_loop_are_those_of_an_iteration(self):
        page, report, _ = self.made("recurrent")
        number, row = next((at + 1, row) for at, row in enumerate(load(report)["launches"]) if row["iterations"] > 1 and row["flops"])
        details = self.text(self.open(page, place=f"#launch={number}"), "details")
        for name in ("work", "reads", "writes"):
            self.assertIn(f"{name} per iteration\n", details)
        self.assertIn(f"work per iteration\n{row['flops'] / 1e3:.2f} KFLOP", details)
        first = load(report)["launches"][0]
        self.assertEqual(first["iterations"], 1)
        self.assertNotIn("per iteration", self.text(self.open(page, place="#launch=1"), "details"))

    def test_another_verdict_without_the_measurement_is_explained(self):
        """A machine whose memory is slow turns a compute-bound model into a memory-bound one."""
        def starve(profile, report):
            machine = profile["machine"]
            machine.update(flops_per_second=10 ** 15, near_cache_bytes=1, cache_bytes=1)
            for measured, row in zip(profile["launches"], report["launches"]):  # each as long as its bytes take
                measured["median_ns"] = measured["least_ns"] = max(1, round(2e9 * (row["weight_bytes"] + row["read_bytes"] + row["written_bytes"]) / machine["bytes_per_second"]))
        browser = self.changed("vgg", starve)
        self.assertTrue(self.text(browser, "verdict").startswith("Memory-bound: "))
        self.assertRegex(self.text(browser, "verdict-more"), r"Without the measurement, the verdict is compute-bound: the compiler assumed one core of .*, with [\d.]+ GFLOP/s and [\d.]+ GB/s from memory\. "
                         r"The measured machine has [\d.,]+ [TP]FLOP/s and [\d.]+ [MG]B/s from memory\.")
        self.assertNotIn("Without the measurement", self.text(self.open(self.page_of(self.report_of("vgg")[1])), "verdict-more"))

    def test_results_are_shown_and_not_options(self):
        browser = self.open(self.page_of(self.report_of("vgg", "--weight-type=fp16")[1]))
        self.assertIn("none as fp16: no layer waits for them", self.text(browser, "figures"))
        self.assertIn("none as fp16: no layer waits for them", self.text(browser, "about"))
        self.assertIn("no launch", self.text(browser, "about"))
        browser = self.open(self.page_of(self.report_of("mlp", "--weight-type=fp16")[1]))
        self.assertIn("2 weights as fp16", self.text(browser, "figures"))
        browser = self.open(self.page_of(self.report_of("mlp")[1]))
        self.assertIn("as in the model", self.text(browser, "figures"))
        browser = self.open(self.page_of(self.report_of("vgg", "--for=phone")[1]))
        self.assertRegex(self.text(browser, "about"), r"assumed\na phone like this one: Samsung Exynos 2100: .*; its GPU gets ")

    def test_what_is_explained_is_explained_once(self):
        """The limit, another training; a launch below its limit that no option helps has a reason."""
        for page in (self.made("vgg")[0], self.made("mlp")[0], self.page_of(self.report_of("vgg")[1])):
            browser = self.open(page)
            text = browser.find_element(By.TAG_NAME, "body").text.replace(NO_BREAK, " ")
            self.assertEqual(text.count("train it again"), 1)
            self.assertEqual(text.count("The limit of an operator is"), 1)
            self.assertNotIn("trained again", text)
            reasons = browser.execute_script("""
                return State.state.data.entries[0].launches.map((launch) => [launch.peakShare ?? null, AdviceOf.ofLaunch(launch, State.state.entry, State.state.data.report)])""")
            for share, advice in reasons:
                if share is not None and share < 0.6 and "smaller operator would be faster" in advice:
                    self.assertIn(" because ", advice)

    def test_integers_are_not_stored_as_fp16(self):
        graph = report_models.Graph("bytes", seed=3)
        graph.input("x", [1, 1024], 2)
        graph.constant("scale", [], [0.01])
        weight = graph.node("Cast", [graph.weight("w", [1024, 2048], -100, 100)], to=3)
        graph.output(graph.node("MatMulInteger", ["x", weight], output="y"), [1, 2048], 6)
        graph.save(self.path("bytes.onnx"))
        browser = self.open(self.made("bytes")[0])
        self.assertEqual(load(self.made("bytes")[1])["launches"][0]["contraction_type"], "int8")
        self.assertNotIn("fp16", self.text(browser, "changes") + self.text(browser, "operators"))
        self.assertIn("FLOP counts operations on integers, too.", self.text(browser, "verdict-more"))

        def slow(profile, _):
            profile["machine"]["flops_per_second"] //= 1000
            profile["least_run_ns"] = profile["median_run_ns"] = sum(row["median_ns"] for row in profile["launches"])
        browser = self.changed("bytes", slow)
        self.assertIn("The peak is the rate of the fastest operator: integers are faster than the floats that nacre-run measures.", self.text(browser, "verdict-more"))

    def test_a_gather_reads_rows_of_its_table(self):
        graph = report_models.Graph("table", seed=5)
        graph.node("Relu", [graph.node("Gather", [graph.weight("table", [30000, 64], -1, 1), graph.input("ids", [16], report_models.INT64)])], output="y")
        graph.output("y", [16, 64])
        graph.save(self.path("table.onnx"))
        rows = load(self.made("table")[1])["launches"]
        self.assertEqual([row["weight_bytes"] for row in rows], [16 * 64 * 4])


if __name__ == "__main__":
    report_browser.main()
