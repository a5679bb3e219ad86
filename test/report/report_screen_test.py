#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pages say to a reader: the first screen of a report, nodes of the graph, a training step, the comparison, and curves of a training.

Skipped where Selenium or Chromium is missing. Pictures are kept in build/<preset>/doc/report.
"""
import re

import report_browser
import report_models
from report_browser import By, NARROW, NO_BREAK
from report_models import COMPILE, DEVICE, REPORT, load

# A model, what limits it on any machine, changes that the first screen must have, and words of its most expensive operators.
VERDICTS = (
    ("mlp", "Memory-bound: ", {"weights", "batch"}, "MatMul"),
    ("vgg", "Compute-bound: ", {"shrink"}, "Conv"),
    ("turned", None, {"transpose"}, "Transpose"),
    ("padded", None, {"padding"}, "Conv"),
)
SCREEN = (1440, 900)
PHONE = (390, 844)


def seconds_of(text):
    """The seconds of a time as pages write it."""
    number, unit = text.replace(NARROW, "").split()
    return float(number) * {"µs": 1e-6, "ms": 1e-3, "s": 1}[unit]


class ScreenTest(report_browser.BrowserTest):
    def sized(self, browser, size):
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE})
        self.addCleanup(browser.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})

    def text(self, browser, name):
        return browser.find_element(By.ID, name).text.replace(NO_BREAK, " ")

    def figures(self, browser):
        return {row.find_element(By.TAG_NAME, "dt").text: row.find_element(By.TAG_NAME, "dd").text.split("\n")[0] for row in browser.find_elements(By.CSS_SELECTOR, "#figures div")}

    def check_pictures(self, page, name):
        """Nothing is wider than the screen; a picture of each screen is kept."""
        for dark in (False, True):
            for size in (SCREEN, PHONE):
                browser = self.browser(dark)
                self.sized(browser, size)
                self.open(page, dark)
                self.assertLessEqual(browser.execute_script("return document.documentElement.scrollWidth"), size[0])
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
        self.assertIn("nacre-report report.json --measure", self.text(browser, "verdict-more"))
        self.assertNotRegex(self.text(browser, "operators-part"), r"\d [µm]?s\b")
        self.assertRegex(self.text(browser, "changes"), "Split conv[12]_2 into a depthwise and a 1×1 convolution")
        self.assertRegex(self.text(browser, "changes"), "The two need (7.9|8.4) times less arithmetic.", "for 64 or 128 channels")

    #===---- What must not contradict ----===#

    def changed(self, model, change, *options):
        """The page of a model whose profile has been changed."""
        library, report = self.report_of(model, *options)
        profile = self.profile_of(library)[1]
        value = load(profile)
        change(value, load(report))
        with open(profile, "w", encoding="utf-8") as file:
            report_models.json.dump(value, file)
        return self.open(self.page_of(report, profile))

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

    def test_a_gather_reads_rows_of_its_table(self):
        graph = report_models.Graph("table", seed=5)
        graph.node("Relu", [graph.node("Gather", [graph.weight("table", [30000, 64], -1, 1), graph.input("ids", [16], report_models.INT64)])], output="y")
        graph.output("y", [16, 64])
        graph.save(self.path("table.onnx"))
        rows = load(self.made("table")[1])["launches"]
        self.assertEqual([row["weight_bytes"] for row in rows], [16 * 64 * 4])

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
