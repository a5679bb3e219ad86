#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pages say to a reader: the first screen of a report, nodes of the graph, a training step, the comparison, and curves of a training.

Skipped where Selenium or Chromium is missing. Pictures are kept in build/<preset>/doc/report.
"""
import os
import re

import report_browser
import report_models
from report_browser import By, NARROW, NO_BREAK, seconds_of
from report_models import COMPILE, DEVICE, REPORT, load

# A model, what limits it on any machine, changes that the first screen must have, and words of its most expensive operators.
VERDICTS = (
    ("mlp", "Memory-bound: ", {"weights", "batch"}, "MatMul"),
    ("vgg", "Compute-bound: ", {"shrink"}, "Conv"),
    ("turned", None, {"transpose"}, "Transpose"),
    ("padded", None, {"padding"}, "Conv"),
)
with open(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "look_rules.js"), encoding="utf-8") as rules:
    RULES = rules.read()
SCREEN = (1440, 900)
PHONE = (390, 844)


class ScreenTest(report_browser.BrowserTest):
    def sized(self, browser, size):
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE})
        self.addCleanup(browser.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})

    def check_pictures(self, page, name):
        """Nothing is wider than the screen, and no rule of accessibility is broken; a picture of each screen is kept."""
        for dark in (False, True):
            for size in (SCREEN, PHONE):
                browser = self.browser(dark)
                self.sized(browser, size)
                self.open(page, dark)
                self.assertLessEqual(browser.execute_script("return document.documentElement.scrollWidth"), size[0])
                self.assertEqual(browser.execute_script(f"{RULES}; return faults();"), {}, f"{name}, {size[0]}")
                self.keep(browser, f"{name}-{'dark' if dark else 'light'}-{size[0]}")

    #===---- The first screen ----===#

    def test_the_first_screen_says_what_limits_a_model_and_what_to_do(self):
        for model, limit, kinds, operator in VERDICTS:
            with self.subTest(model):
                page, _, profile = self.made(model)
                browser = self.browser()
                self.sized(browser, SCREEN)
                self.open(page)
                verdict = self.text(browser, "verdict")
                self.assertRegex(verdict, r"^(Memory|Compute)-bound: .* take \d+ % of the time\.$")
                if limit:
                    self.assertTrue(verdict.startswith(limit), verdict)
                self.assertRegex(self.text(browser, "verdict-more"), r"^It reaches [\d.]+ [KMGT]?(B/s|FLOP/s) of the [\d.]+ [GT]?(B/s|FLOP/s) that ")
                changes = browser.find_elements(By.CSS_SELECTOR, "#changes > li")
                self.assertIn(len(changes), (1, 2, 3))
                shown = {change.get_attribute("data-kind") for change in changes}
                self.assertTrue(kinds <= shown, f"{model}: {shown}")
                for change in changes:
                    self.assertRegex(change.text.replace(NO_BREAK, " "), r"up to [\d.]+ %")
                self.assertLess(browser.execute_script("return document.getElementById('changes').getBoundingClientRect().bottom"), SCREEN[1])
                rows = browser.find_elements(By.CSS_SELECTOR, "#operators tbody tr")
                self.assertLessEqual(len(rows), 5)
                self.assertIn(operator, " ".join(row.text for row in rows))
                self.assertTrue(all(row.find_element(By.CSS_SELECTOR, "td[data-label=Advice]").text for row in rows))
                self.assertLess(browser.execute_script("return document.querySelector('#operators tbody tr').getBoundingClientRect().bottom"), SCREEN[1])
                self.keep(browser, "verdict-" + model)
                self.check_quiet(browser, page)

    def test_figures_are_those_of_nacre_run(self):
        page, report, profile = self.made("vgg")
        browser = self.open(page)
        measured, figures = load(profile), self.figures(browser)
        for name, nanoseconds in (("Median run", measured["median_run_ns"]), ("Best run", measured["least_run_ns"])):
            self.assertAlmostEqual(seconds_of(figures[name]), nanoseconds * 1e-9, delta=0.006 * nanoseconds * 1e-9)
            self.assertRegex(figures[name], r"^[\d\u202f]{1,4}(\.\d{1,2})? [µm]?s$")
        self.assertAlmostEqual(float(figures["Throughput"].replace(NARROW, "").removesuffix("/s")), 1e9 / measured["median_run_ns"], delta=0.006e9 / measured["median_run_ns"])
        machine = measured["machine"]
        cache = lambda size: machine["near_cache_bytes_per_second" if size <= machine["near_cache_bytes"] else "cache_bytes_per_second" if size <= machine["cache_bytes"] else "bytes_per_second"]  # noqa: E731
        launches = load(report)["launches"]
        run_bytes = load(report)["entries"][0]["arena_bytes"] + sum(row["weight_bytes"] for row in launches)
        least = sum(max(row["executed_flops"] / machine["flops_per_second"], row["weight_bytes"] / cache(run_bytes) + (row["read_bytes"] + row["written_bytes"]) / cache(row["read_bytes"] + row["written_bytes"])) for row in launches)
        if "faster than the peaks" in self.text(browser, "verdict-more"):
            self.assertLess(seconds_of(figures["Least possible time"]), least)
        else:
            self.assertAlmostEqual(seconds_of(figures["Least possible time"]), least, delta=0.006 * least)
        times = [seconds_of(cell.text.split("\n")[0]) for cell in browser.find_elements(By.CSS_SELECTOR, "#operators td[data-label=Time]")]
        expected = sorted((row["median_ns"] * 1e-9 for row in measured["launches"]), reverse=True)[:5]
        for shown, time in zip(times, expected):
            self.assertAlmostEqual(shown, time, delta=0.006 * time)
        self.assertNotRegex(browser.find_element(By.TAG_NAME, "body").text, r"\d\.\d{3,} ?[µm]s|[Ff]ell back|[Ff]allback")

    def test_no_panel_is_empty(self):
        pages = [self.made("vgg")[0], self.made("convnet", "--device=" + DEVICE)[0], self.page_of(self.report_of("relu")[1])]
        for page in pages:
            browser = self.open(page)
            empty = browser.execute_script("""
                const shown = (part) => part.getClientRects().length > 0;
                return [...document.querySelectorAll('section, aside')].filter(shown)
                  .filter((part) => part.innerText.trim().length <= (part.querySelector('h2')?.innerText.length ?? 0) + 1 ||
                                    [...part.querySelectorAll('table, ul, ol, dl')].some((list) => shown(list) && !list.closest('details:not([open])') && !list.childElementCount))
                  .map((part) => part.id)""")
            self.assertEqual(empty, [])
            targets = browser.execute_script("return [...document.querySelectorAll('nav a')].filter((link) => link.getClientRects().length && !document.querySelector(link.getAttribute('href'))?.getClientRects().length).map((link) => link.textContent)")
            self.assertEqual(targets, [], "links lead to sections that are shown")

    def test_inputs_of_a_batch_are_counted(self):
        graph = report_models.Graph("batched")
        graph.node("Softmax", [graph.input("x", [8, 3, 4, 4])], output="y", axis=1)
        graph.output("y", [8, 3, 4, 4])
        graph.save(self.path("batched.onnx"))
        page, _, profile = self.made("batched")
        browser = self.open(page)
        shown = float(self.figures(browser)["Throughput"].replace(NARROW, "").removesuffix("/s"))
        expected = 8e9 / load(profile)["median_run_ns"]
        self.assertAlmostEqual(shown, expected, delta=0.006 * expected)

    def test_without_peaks_of_the_gpu_it_says_so(self):
        page = self.made("exponentials", "--place=gpu")[0]
        browser = self.open(page)
        self.assertEqual(self.text(browser, "verdict"), "The limits of this model are unknown.")
        self.assertEqual(self.text(browser, "verdict-more"), "There are no peaks of the GPU: compile with --device.")
        self.check_quiet(browser, page)

    def test_without_a_measurement_it_says_how_to_measure(self):
        page = self.page_of(self.report_of("vgg")[1])
        browser = self.open(page)
        self.assertRegex(self.text(browser, "verdict"), r"^Compute-bound: .*, as estimated\.$")
        self.assertRegex(self.text(browser, "verdict-more"), r"^Nothing was measured: the estimate assumes one core of .*, with [\d.]+ GFLOP/s and [\d.]+ GB/s from memory\. Measure on ")
        self.assertIn("nacre-report report.json --measure", self.text(browser, "verdict-more"))
        self.assertNotRegex(self.text(browser, "operators-part"), r"\d [µm]?s\b")
        self.assertRegex(self.text(browser, "changes"), "Split conv[12]_2 into a depthwise and a 1×1 convolution")
        self.assertRegex(self.text(browser, "changes"), "The two need (7.9|8.4) times less arithmetic.", "for 64 or 128 channels")

    def test_the_title_names_model_and_folder(self):
        page = self.page_of(self.report_of("relu")[1])
        folder = report_models.os.path.basename(self.folder)
        self.assertEqual(self.open(page).title, f"relu.onnx in {folder} — Nacre report")
        self.assertTrue(self.text(self.open(page), "subtitle").startswith(f"in {folder} · compiled for "))

    def test_pictures_of_a_report(self):
        self.check_pictures(self.made("vgg")[0], "vgg")

    #===---- The graph ----===#

    def test_nodes_show_operator_shape_kernel_and_stride(self):
        page, report, _ = self.made("vgg")
        browser = self.open(page)
        rows = {row["name"]: row for row in load(report)["nodes"]}
        self.assertEqual(rows["conv1_2"], {"name": "conv1_2", "operator": "Conv", "inputs": [[1, 64, 64, 64]], "outputs": [[1, 64, 64, 64]], "weights": rows["conv1_2"]["weights"],
                                           "window": [3, 3], "strides": [1, 1], "groups": 1})
        self.assertEqual((rows["pool1"]["operator"], rows["pool1"]["window"], rows["pool1"]["strides"]), ("MaxPool", [2, 2], [2, 2]))
        self.assertEqual(rows["last"]["weights"], [[128, 10]])
        texts = browser.execute_script("""
            const said = [], context = CanvasRenderingContext2D.prototype, fillText = context.fillText;
            context.fillText = function (text, ...place) { said.push(text); return fillText.call(this, text, ...place); };
            Graph.draw(document.getElementById('graph-canvas').getContext('2d'));
            context.fillText = fillText;
            return said""")
        drawn = " | ".join(texts)
        for words in ("Conv 3×3 + Relu", "1×3×64×64 → 1×64×64×64", "MaxPool 2×2, stride 2", "MatMul", "contraction"):
            self.assertIn(words, drawn)

    def test_forward_and_backward_are_side_by_side(self):
        self.call(COMPILE, self.model("training"), "-o", self.path("libtraining.so"), "--train", "--loss=softmax-cross-entropy:y", "--device=" + DEVICE,
                  "--report=" + self.path("training.json"))
        page = self.page_of(self.path("training.json"))
        browser = self.open(page, place="#entry=train")
        rows = [row for row in load(self.path("training.json"))["launches"] if row["entry"] == "train"]
        boxes = browser.execute_script("return arguments[0].map((_, index) => Graph.boxOf(index))", rows)
        self.assertEqual({row["part"] for row in rows}, {"forward", "backward", "update"})
        forward = {node: box for row, box in zip(rows, boxes) for node in row["node_list"] if row["part"] == "forward"}
        pairs = 0
        for row, box in zip(rows, boxes):
            self.assertEqual([other for other in boxes if other is not box and abs(other["x"] - box["x"]) < box["width"] and other["y"] < box["y"] + box["height"] and box["y"] < other["y"] + other["height"]], [], "boxes do not overlap")
            if row["part"] == "backward":
                matching = [forward[base] for base in (re.sub(r"( dX| dW| update)+$", "", node) for node in row["node_list"]) if base in forward]
                for other in matching[:1]:
                    self.assertGreater(box["x"], other["x"])
                    pairs += any(abs(each["y"] - box["y"]) < 300 for each in matching)
        self.assertGreaterEqual(pairs, 2)
        browser.execute_script("document.getElementById('graph').scrollIntoView()")
        self.keep(browser, "training-graph")
        self.check_quiet(browser, page)

    #===---- Two reports ----===#

    def test_two_reports_are_compared(self):
        before, after = self.report_of("mlp"), self.path("after.json")
        after_library = self.path("libafter.so")
        self.call(COMPILE, self.model("mlp"), "-o", after_library, "--weight-type=bf16", "--report=" + after)
        profiles = []
        for library, name in ((before[0], "before_profile.json"), (after_library, "after_profile.json")):
            profiles.append(self.path(name))
            self.run_model(library, "--runs=5", "--profile=" + profiles[-1])
        page = self.path("comparison.html")
        self.call(REPORT, before[1], after, *(f"--profile={profile}" for profile in profiles), "-o", page)
        browser = self.open(page)
        verdict = self.text(browser, "verdict")
        first, second = (load(profile)["median_run_ns"] for profile in profiles)
        change = second / first
        self.assertTrue(verdict.startswith("As fast as before" if abs(change - 1) < 0.01 else "Faster by" if change < 1 else "Slower by"), verdict)
        self.assertAlmostEqual(seconds_of(re.search(r"takes ([\d.\u202f]+ .?s)", verdict)[1]), second * 1e-9, delta=0.006 * second * 1e-9)
        table = self.text(browser, "figures")
        for words in ("Median run", "Best run", "as in the model 2 weights as bf16 different", "mlp.json", "after.json"):
            self.assertIn(words, table)
        rows = browser.find_elements(By.CSS_SELECTOR, "#differences tbody tr")
        self.assertEqual(len(rows), len(load(after)["launches"]))
        self.assertIn("dense_", rows[0].text)
        self.assertIn("Store weights as fp16", self.text(browser, "advice-content").split("New")[0])
        self.check_pictures(page, "comparison")

    #===---- A training ----===#

    def test_the_curves_of_a_training(self):
        log = self.path("log.jsonl")
        with open(log, "w", encoding="utf-8") as file:
            file.write('{"epoch": 0, "test_loss": 2.3}\n')
            for epoch in range(1, 6):
                file.write(f'{{"epoch": {epoch}, "step": {10 * epoch}, "loss": {2 / epoch}, "accuracy": {1 - 1 / (epoch + 1)}, "test_loss": {[2, 1, 0.9, 1, 1.5][epoch - 1]}, '
                           f'"learning_rate": 0.1, "seconds": 0.5, "peak_memory_bytes": {(40 + epoch) << 20}}}\n')
        self.call(REPORT, log)
        page = self.path("log.html")
        browser = self.open(page)
        self.assertEqual(self.text(browser, "verdict"), "The model overfits since epoch 3: its test loss rose from 0.9 to 1.5.")
        figures = self.figures(browser)
        self.assertEqual((figures["Loss"], figures["A step"], figures["Peak memory"]), ("0.4", "50.0 ms", "45.0 MiB"))
        self.assertEqual([title.text for title in browser.find_elements(By.CSS_SELECTOR, "#curves h2")], ["Loss", "Accuracy", "Time of a step", "Peak memory"])
        for svg in browser.find_elements(By.CSS_SELECTOR, "#curves svg"):
            self.assertGreaterEqual(len(svg.find_elements(By.CLASS_NAME, "tick")), 4)
        points = browser.execute_script("return [...document.querySelectorAll('#curves svg:first-of-type circle title')].map((title) => title.textContent)")
        self.assertIn("training, epoch 5: 0.4", points)
        self.assertIn("test, epoch 0: 2.3", points)
        self.assertEqual(len(browser.find_elements(By.CSS_SELECTOR, "#epochs tbody tr")), 6)
        self.check_quiet(browser, page)
        self.check_pictures(page, "training-log")


if __name__ == "__main__":
    report_browser.main()
