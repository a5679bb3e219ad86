#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a report in Chromium: nothing fails, sums are the profile's, it sorts, filters, and is used by keys alone.

Skipped where Selenium or Chromium is missing. Pictures are kept in build/<preset>/doc/report; times are printed and decide nothing.
"""
import os

import report_browser
import report_models
from report_browser import ActionChains, By, Keys, NARROW, NO_BREAK, Select
from report_models import DEVICE, EVIL, LARGE_LAUNCHES, load


TEXTS = ("nodes", "operators", "shapes", "window", "engine", "kind", "kernel", "level", "remark", "part")


class PageTest(report_browser.BrowserTest):
    def test_sums_are_those_of_nacre_run_and_of_the_report(self):
        page, report, profile = self.made("convnet", "--device=" + DEVICE)
        browser = self.open(page)
        measured, report = load(profile), load(report)
        shown = {cell.get_attribute("data-sum"): cell.text.replace(NARROW, "") for cell in browser.find_elements(By.CSS_SELECTOR, "#table tfoot [data-sum]")}
        exact = browser.execute_script("return [...document.querySelectorAll('#table td[data-ns]')].map((cell) => Number(cell.dataset.ns))")
        self.assertEqual(exact[:-1], [row["median_ns"] for row in measured["launches"]])
        self.assertEqual(exact[-1], sum(row["median_ns"] for row in measured["launches"]))
        self.check_microseconds(shown["measured"], exact[-1] / 1e3)
        for row, text in zip(measured["launches"], self.column(browser, "measured"), strict=True):
            self.check_microseconds(text.replace(NARROW, ""), row["median_ns"] / 1e3)
        self.check_microseconds(shown["predicted"], 1e3 * sum(row["predicted_ms"] for row in report["launches"]))
        self.assertAlmostEqual(float(shown["predicted"]), 1e3 * report["predicted_ms"], delta=0.05 + 1e-3 * len(report["launches"]))
        self.assertEqual(shown["weight_bytes"], str(sum(row["weight_bytes"] for row in report["launches"])))
        self.assertEqual(browser.find_element(By.ID, "file-bytes").text.replace(NARROW, ""), str(report["file_bytes"]))
        cells = browser.execute_script("return [...document.querySelectorAll('#bytes-content table td:nth-child(2)')].map((cell) => cell.textContent)")
        values = [int(text.replace(NARROW, "")) for text in cells]
        self.assertEqual(sum(values[:-1]), values[-1])
        self.check_quiet(browser, page)

    def check_microseconds(self, text, expected):
        """One digit after the point; of two that are as near, Python and JavaScript need not choose the same."""
        self.assertRegex(text, r"^\d+\.\d$")
        self.assertAlmostEqual(float(text), expected, delta=0.05 + 1e-9 * expected)

    def test_any_column_sorts_both_ways_by_mouse_and_by_key(self):
        browser = self.open(self.made("convnet", "--device=" + DEVICE)[0])
        keys = browser.execute_script("return [...document.querySelectorAll('#table thead button')].map((button) => button.dataset.key)")
        self.assertTrue({"number", "nodes", "engine", "kind", "measured", "predicted", "kernel", "remark"} <= set(keys))
        all_rows = sorted(self.numbers(browser, "number"))
        for key in keys:
            for iteration in range(2):
                button = browser.find_element(By.CSS_SELECTOR, f"#table button[data-key={key}]")
                button.send_keys(Keys.ENTER) if iteration else browser.execute_script("arguments[0].click()", button)
                self.assertEqual(browser.execute_script("return document.activeElement.dataset.key"), key, "the focus stays")
                order = browser.execute_script("return document.activeElement.closest('th').ariaSort")
                texts = self.column(browser, key)
                known = [text for text in texts if text]
                values = [float(text.replace(NARROW, "").removesuffix(NO_BREAK + "%")) for text in known] if key not in TEXTS else known
                if values is not known:
                    self.assertEqual(texts[:len(known)], known, "what has no figure stands last")
                self.assertEqual(values, sorted(values, reverse=order == "descending"), key)
                self.assertEqual(sorted(self.numbers(browser, "number")), all_rows)
        self.assertEqual(len(browser.find_elements(By.CSS_SELECTOR, "#table th[aria-sort=ascending], #table th[aria-sort=descending]")), 1)

    def test_from_a_node_to_its_launch_and_back(self):
        page, report, _ = self.made("convnet", "--device=" + DEVICE)
        browser = self.open(page)
        row = next(row for row in load(report)["launches"] if len(row["node_list"]) > 1)
        number = load(report)["launches"].index(row) + 1
        box = browser.find_element(By.ID, "search")
        box.send_keys(row["node_list"][-1])
        self.assertEqual(box.get_attribute("aria-expanded"), "true")
        self.assertTrue(browser.find_elements(By.CSS_SELECTOR, "#matches [aria-selected=true]"))
        box.send_keys(Keys.ENTER)
        self.assertEqual(self.chosen(browser), number)
        names = [button.text for button in browser.find_elements(By.CSS_SELECTOR, "#details .nodes")[0].find_elements(By.TAG_NAME, "button")]
        self.assertEqual(names, row["node_list"])
        browser.find_elements(By.CSS_SELECTOR, "#details .nodes button")[0].click()
        self.assertEqual(box.get_attribute("value"), row["node_list"][0])
        box.send_keys(Keys.ESCAPE)
        browser.find_element(By.ID, "to-table").click()
        self.assertEqual(browser.execute_script("return document.activeElement.closest('tr').dataset.launch"), str(number - 1))
        self.assertIn(f"launch={number}", browser.current_url)
        browser = self.open(page, place=f"#entry=main&launch={number}")
        self.assertEqual(self.chosen(browser), number)

    def test_keys_alone(self):
        page, report, _ = self.made("convnet", "--device=" + DEVICE)
        launches = load(report)["launches"]
        browser = self.open(page)
        reached = []
        for _ in range(200):
            ActionChains(browser).send_keys(Keys.TAB).perform()
            reached.append(browser.execute_script("const at = document.activeElement; return at.id || at.dataset.key || at.dataset.filter || at.getAttribute('href') || at.tagName"))
            if reached[-1] == "roofline-canvas":
                break
        wanted = ["#graph", "search", "measure", "graph-canvas", "number", "arena-canvas", "roofline-canvas"]
        self.assertEqual([reached.index(name) for name in wanted], sorted(reached.index(name) for name in wanted), reached)
        canvas = browser.find_element(By.ID, "graph-canvas")
        canvas.send_keys(Keys.HOME)
        self.assertEqual(self.chosen(browser), 1)
        for _ in launches[1:]:
            canvas.send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.chosen(browser), len(launches))
        canvas.send_keys(Keys.ARROW_UP)
        before = self.chosen(browser)
        self.assertTrue(set(launches[before - 1]["writes"]) & set(launches[-1]["reads"]))
        canvas.send_keys(Keys.ARROW_DOWN)
        self.assertTrue(set(launches[before - 1]["writes"]) & set(launches[self.chosen(browser) - 1]["reads"]))
        scale = "return d3.zoomTransform(document.getElementById('graph-canvas')).k"
        was = browser.execute_script(scale)
        canvas.send_keys("+")
        self.assertGreater(browser.execute_script(scale), was)
        canvas.send_keys(Keys.ENTER)
        self.assertEqual(browser.execute_script("return document.activeElement.id"), "details")
        self.assertRegex(browser.find_element(By.ID, "said").get_attribute("textContent"), r", cpu, [\d.]+ [µm]s$")
        arena = browser.find_element(By.ID, "arena-canvas")
        arena.send_keys(Keys.HOME, Keys.ARROW_RIGHT)
        first = load(report)["entries"][0]["steps"][1]
        said = browser.find_element(By.ID, "arena-said").text.replace(NARROW, "")
        self.assertIn("Step 2, launch 2", said)
        self.assertIn(f"{first['arena_bytes_in_use']} bytes in use", said)
        roofline = browser.find_element(By.ID, "roofline-canvas")
        roofline.send_keys(Keys.HOME, Keys.ENTER)
        self.assertIn(f"Launch {self.chosen(browser)},", browser.find_element(By.ID, "roofline-said").text)
        self.check_quiet(browser, page)

    def test_the_mouse_chooses_moves_and_zooms(self):
        page = self.made("convnet", "--device=" + DEVICE)[0]
        browser = self.open(page)
        canvas = browser.find_element(By.ID, "graph-canvas")
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
        x, y = browser.execute_script("const box = document.getElementById('graph-canvas').getBoundingClientRect(); const [x, y] = Graph.centreOf(2); return [box.left + x, box.top + y]")
        ActionChains(browser).move_by_offset(int(x), int(y)).click().perform()
        self.assertEqual(self.chosen(browser), 3)
        scale = "const t = d3.zoomTransform(document.getElementById('graph-canvas')); return [t.k, t.x, t.y]"
        was = browser.execute_script(scale)
        browser.execute_script(
            "arguments[0].dispatchEvent(new WheelEvent('wheel', {deltaY: -200, clientX: arguments[1], clientY: arguments[2], bubbles: true, cancelable: true}))", canvas, x, y)
        self.assertGreater(browser.execute_script(scale)[0], was[0])
        was = browser.execute_script(scale)
        ActionChains(browser).click_and_hold().move_by_offset(-60, 30).release().perform()
        now = browser.execute_script(scale)
        self.assertAlmostEqual(now[1] - was[1], -60, delta=1)
        self.assertAlmostEqual(now[2] - was[2], 30, delta=1)
        self.check_quiet(browser, page)

    def test_engines_are_filtered_and_advice_is_told(self):
        page, report, _ = self.made("doubles", "--place=gpu", "--device=" + DEVICE)
        launches = load(report)["launches"]
        browser = self.open(page)
        declined = [row for row in launches if row["gpu_declined"]]
        self.assertTrue(declined)
        text = browser.find_element(By.ID, "advice-content").text
        for row in declined:
            self.assertIn(row["gpu_declined"], text)
        browser.find_element(By.CSS_SELECTOR, "[data-filter=gpu]").click()
        self.assertEqual(set(self.column(browser, "engine")), {row["engine"] for row in launches} - {"gpu"})
        browser.find_element(By.CSS_SELECTOR, "[data-filter=gpu]").click()
        browser.find_element(By.CSS_SELECTOR, "[data-filter=taken]").click()
        advised = {node for advice in load(report)["advice"] for node in advice["nodes"]}
        self.assertEqual(len(self.column(browser, "number")), sum(bool(row["gpu_declined"]) or row["fallback"] or row["node_list"][:1] and row["node_list"][0] in advised for row in launches))
        self.check_quiet(browser, page)

    def test_the_roof_of_a_cut_is_that_of_both_engines(self):
        path = self.report_of("convnet", "--place=split:50", "--device=" + DEVICE)[1]
        report = load(path)
        browser = self.open(self.page_of(path))
        cpu, gpu = report["roofs"]["cpu"], report["roofs"]["gpu"]
        shown = dict(zip((int(text) - 1 for text in self.column(browser, "number")), self.column(browser, "peakShare")))
        run_bytes = report["entries"][0]["arena_bytes"] + sum(row["weight_bytes"] for row in report["launches"])
        both = {"flops_per_second": cpu["flops_per_second"] + gpu["flops_per_second"], **{key: max(cpu[key], gpu[key]) for key in ("bytes_per_second", "cache_bytes_per_second")}, "cache_bytes": cpu["cache_bytes"]}
        cuts = 0
        for number, row in enumerate(report["launches"]):
            roof = both if row["engine"] == "cut" else cpu
            moved = row["read_bytes"] + row["written_bytes"]
            bandwidth = lambda size: roof["cache_bytes_per_second" if size <= roof["cache_bytes"] else "bytes_per_second"]  # noqa: E731, B023
            least = max(row["executed_flops"] / roof["flops_per_second"], row["weight_bytes"] / bandwidth(run_bytes) + moved / bandwidth(moved))
            share = least / (row["predicted_ms"] / 1e3)
            self.assertEqual(shown[number], f"{100 * share:.{0 if share >= 0.0995 else 1}f}{NO_BREAK}%")
            cuts += row["engine"] == "cut"
        self.assertGreater(cuts, 0)
        self.check_quiet(browser, self.path("page.html"))

    def test_why_the_cpu_has_no_emitter(self):
        page, report, _ = self.made("fallback")
        browser = self.open(page)
        reasons = {row["fallback_reason"] for row in load(report)["launches"] if row["fallback"]}
        self.assertEqual(reasons, {"there is no emitter for kernels of kind scan"})
        text = browser.find_element(By.ID, "advice-content").text
        for reason in reasons:
            self.assertIn(reason, text)
        browser.find_element(By.CSS_SELECTOR, "#advice-content .names button").click()
        self.assertIn("there is no emitter", browser.find_element(By.ID, "details").text)
        self.check_quiet(browser, page)

    def test_entries_of_a_trained_model(self):
        graph = report_models.Graph("trained", seed=2)
        graph.node("MatMul", [graph.input("x", [4, 16]), graph.weight("w", [16, 3], -0.3, 0.3)], output="y")
        graph.output("y", [4, 3])
        graph.save(self.path("trained.onnx"))
        page = self.path("trained.html")
        report = self.path("trained.json")
        for path in (page, report):
            self.call(report_models.COMPILE, self.path("trained.onnx"), "-o", self.path("libtrained.so"), "--train",
                      "--loss=softmax-cross-entropy:y", "--device=" + DEVICE, "--report=" + path)
        report = load(report)
        browser = self.open(page)
        entries = Select(browser.find_element(By.ID, "entry"))
        self.assertEqual([option.text for option in entries.options], [entry["name"] for entry in report["entries"]])
        for entry in reversed(report["entries"]):
            entries.select_by_value(entry["name"])
            self.assertEqual(len(self.column(browser, "number")), sum(row["entry"] == entry["name"] for row in report["launches"]))
            self.assertIn("entry=" + entry["name"], browser.current_url)
        self.check_quiet(browser, page)

    def test_names_are_text(self):
        page = self.made("evil")[0]
        browser = self.open(page)
        self.assertNotEqual(browser.title, "taken")
        self.assertIn(EVIL, self.column(browser, "nodes")[0])
        self.assertEqual(browser.find_elements(By.TAG_NAME, "img"), [])
        browser.find_element(By.ID, "search").send_keys("</script>", Keys.ENTER)
        self.assertEqual(self.chosen(browser), 1)
        self.assertIn(EVIL, browser.find_element(By.ID, "details").text)
        self.check_quiet(browser, page)

    def test_without_device_and_profile_it_says_so(self):
        page = self.page_of(self.report_of("convnet")[1])
        browser = self.open(page)
        self.assertFalse(browser.find_element(By.ID, "roofline").is_displayed())
        self.assertIn("nacre-report report.json --measure", browser.find_element(By.ID, "verdict-more").text)
        self.assertIn("rough estimates", browser.find_element(By.ID, "times").text)
        self.assertEqual([option.get_attribute("value") for option in Select(browser.find_element(By.ID, "measure")).options], ["work", "bytes"])
        self.check_quiet(browser, page)

    def test_dark_light_and_small(self):
        page = self.made("convnet", "--device=" + DEVICE)[0]
        backs = []
        for dark in (False, True):
            browser = self.open(page, dark)
            self.check_quiet(browser, page)  # before Chromium remarks that canvases are read here
            backs.append(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))
            for canvas in ("graph-canvas", "arena-canvas", "roofline-canvas"):
                self.assertGreater(self.is_drawn(browser, canvas), 8)
            pixel = browser.execute_script("return [...document.getElementById('graph-canvas').getContext('2d').getImageData(1, 1, 1, 1).data].slice(0, 3)")
            self.assertEqual("rgb({}, {}, {})".format(*pixel), backs[-1])
            self.keep(browser, "dark" if dark else "light")
        self.assertEqual(len(set(backs)), 2)
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True})
        browser = self.open(page, True)
        self.assertLessEqual(browser.execute_script("return document.documentElement.scrollWidth"), 360)
        self.keep(browser, "small")
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.check_quiet(browser, page)

    def test_thousands_of_launches(self):
        page, _, profile = self.made("large", "--device=" + DEVICE)
        self.assertLess(os.path.getsize(page), 3_000_000)
        browser = self.open(page, True)
        print("large model: %d bytes, drawn after %s ms" % (os.path.getsize(page), browser.execute_script("return document.documentElement.dataset.ready")))
        self.keep(browser, "large")
        measured = browser.find_element(By.CSS_SELECTOR, "[data-sum=measured]").text.replace(NARROW, "")
        self.check_microseconds(measured, sum(launch["median_ns"] for launch in load(profile)["launches"]) / 1e3)
        self.assertLess(len(self.column(browser, "number")), LARGE_LAUNCHES, "rows come as they are asked for")
        browser.find_elements(By.CSS_SELECTOR, "#more button")[-1].click()
        self.assertEqual(len(self.column(browser, "number")), LARGE_LAUNCHES)
        frames = browser.execute_async_script("""
            const done = arguments[0], view = document.getElementById('graph-canvas'), times = [];
            view.scrollIntoView();
            const step = (at, last) => requestAnimationFrame((now) => {
              if (last) times.push(now - last);
              if (at === 60) return done(times.sort((a, b) => a - b));
              view.dispatchEvent(new WheelEvent('wheel', {deltaY: at < 30 ? -60 : 60, ctrlKey: true, clientX: 300, clientY: 300, bubbles: true, cancelable: true}));
              step(at + 1, now);
            });
            step(0, 0)""")
        print("large model: a frame of zooming takes %.1f ms at the median, %.1f at most" % (frames[len(frames) // 2], frames[-1]))
        self.check_quiet(browser, page)



if __name__ == "__main__":
    report_browser.main()
