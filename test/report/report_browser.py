# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chromium for the tests of pages: opens them light, dark, wide and small, checks that nothing fails, and keeps pictures."""
import os
import shutil
import sys
import tempfile
import unittest

import report_models

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:
    webdriver = ActionChains = By = Keys = Select = None

PICTURES = os.path.join(os.environ.get("NACRE_BUILD", tempfile.gettempdir()), "doc", "report")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
NARROW, NO_BREAK = "\u202f", "\u00a0"  # between thousands, and before a percent sign


def open_browser(width=1300, height=900):
    options = Options()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(DRIVER), options=options)


def seconds_of(text):
    """The seconds of a time as pages write it."""
    number, unit = text.replace(NARROW, "").split()
    return float(number) * {"µs": 1e-6, "ms": 1e-3, "s": 1}[unit]


class BrowserTest(report_models.ReportTest):
    """Tests of pages in a browser, which is kept from one to the next: starting one takes seconds."""

    parts = 2

    @classmethod
    def setUpClass(cls):
        cls.started = None
        cls.shared = tempfile.TemporaryDirectory(prefix="nacre-report-")
        cls.addClassCleanup(cls.shared.cleanup)
        cls.addClassCleanup(lambda: cls.started and cls.started.quit())
        cls.pages = {}

    def browser(self, dark=False):
        if self.started is None:
            type(self).started = open_browser()
        self.started.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        return self.started

    def made(self, model, *options):
        """Page, report and profile of a model, made once."""
        if (model, *options) not in self.pages:
            library, report = self.report_of(model, *options)
            profile = self.profile_of(library)[1]
            kept = []
            for path in (self.page_of(report, profile), report, profile):
                kept.append(os.path.join(self.shared.name, f"{len(self.pages)}-{os.path.basename(path)}"))
                shutil.copyfile(path, kept[-1])
            self.pages[model, *options] = kept
        return self.pages[model, *options]

    def open(self, page, dark=False, place=""):
        browser = self.browser(dark)
        browser.get("about:blank")
        browser.get_log("browser"), browser.get_log("performance")
        browser.get(f"file://{page}{place}")
        WebDriverWait(browser, report_models.nacre.COMMAND_SECONDS).until(lambda each: each.execute_script("return document.documentElement.dataset.ready"))
        browser.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")
        return browser

    def text(self, browser, name):
        return browser.find_element(By.ID, name).text.replace(NO_BREAK, " ")

    def figures(self, browser):
        return {row.find_element(By.TAG_NAME, "dt").text: row.find_element(By.TAG_NAME, "dd").text.split("\n")[0] for row in browser.find_elements(By.CSS_SELECTOR, "#figures div")}

    def changed(self, model, change, *options):
        """The page of a model whose profile has been changed."""
        library, report = self.report_of(model, *options)
        profile = self.profile_of(library)[1]
        value = report_models.load(profile)
        change(value, report_models.load(report))
        with open(profile, "w", encoding="utf-8") as file:
            report_models.json.dump(value, file)
        return self.open(self.page_of(report, profile))

    def check_quiet(self, browser, page):
        """Nothing on the console, and nothing was asked for but the page."""
        self.assertEqual(browser.get_log("browser"), [])
        messages = [report_models.json.loads(row["message"])["message"] for row in browser.get_log("performance")]
        asked = {message["params"]["request"]["url"].split("#")[0] for message in messages if message["method"] == "Network.requestWillBeSent"}
        self.assertEqual({url for url in asked if not url.startswith(("data:", "about:"))}, {f"file://{page}"})

    def keep(self, browser, name):
        os.makedirs(PICTURES, exist_ok=True)
        browser.save_screenshot(os.path.join(PICTURES, name + ".png"))

    def column(self, browser, key):
        """What a column shows, row by row."""
        return browser.execute_script("""
            const at = [...document.querySelectorAll('#table thead button')].findIndex((button) => button.dataset.key === arguments[0]);
            return [...document.querySelectorAll('#table tbody tr')].map((row) => row.cells[at].textContent)""", key)

    def numbers(self, browser, key):
        return [float(text.replace(NARROW, "")) for text in self.column(browser, key)]

    def chosen(self, browser):
        """The number of the launch whose details are shown, and that the table marks."""
        return browser.execute_script("return State.state.launch && State.state.launch.number")

    def is_drawn(self, browser, canvas):
        """How many colours a canvas has."""
        return browser.execute_script("""
            const canvas = document.getElementById(arguments[0]);
            const bytes = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            const colours = new Set();
            for (let at = 0; at < bytes.length; at += 4) colours.add(bytes[at] << 16 | bytes[at + 1] << 8 | bytes[at + 2]);
            return colours.size""", canvas)


def main():
    if webdriver is None or not CHROMIUM or not DRIVER:
        print("skipped: the page is looked at by python3-selenium, chromium and chromium-driver, of which one is missing")
        sys.exit(77)
    unittest.main()
