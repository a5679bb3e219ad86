#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site as readers see it: ten pages by computable rules of WCAG 2.1 AA (look_rules.js), in light and dark, in wide and narrow windows;
the keyboard's focus; pages for users that fit a window of 1440 pixels.

The environment, set by ctest: NACRE_BUILD, whose target `site` must be built. Pictures are kept in build/<preset>/doc/site.
"""
import os
import shutil
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "dev"))
import pages  # noqa: E402
sys.path.insert(0, os.path.join(ROOT, "test", "e2e"))
from nacre import is_in_sample  # noqa: E402
import tree  # noqa: E402

BUILD = os.environ["NACRE_BUILD"]
SITE = os.path.join(BUILD, "site")
PICTURES = os.path.join(BUILD, "doc", "site")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
SKIPPED = 77  # As ctest understands it.
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

WIDE, NARROW = 1440, 390
TEN = ["index", "docs/start/python", "docs/report", "docs/how-to/detector", "docs/faq", "docs/training", "docs/zoo", "docs/decisions/index",
       "reference/runtime.h", "reference/nacre-compile"]
with open(os.path.join(ROOT, "test", "docs", "look_rules.js"), encoding="utf-8") as file:
    RULES = file.read()
# A page with one fault for each rule.
FAULTY = """<!DOCTYPE html><html><head><meta charset="utf-8"></head><body><header>Header</header>
<main><h1>A</h1><h3 id="a">B</h3><p style="color: #999">pale</p><p><button></button></p><p id="a">Words and <a href="#" style="text-decoration: none">a link</a>.</p>
<pre style="overflow-x: auto; width: 90px"><code>much longer than ninety pixels are</code></pre><p style="white-space: nowrap; overflow: hidden; width: 50px">cut off here</p></main>
<nav>One</nav><nav aria-label="Two">Two</nav></body></html>"""


@unittest.skipUnless(webdriver and CHROMIUM and DRIVER, "needs Selenium, Chromium and its driver")
class LookTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(os.path.join(SITE, "index.html")):
            raise unittest.SkipTest(f"{SITE} is not there: build the target site")
        options = Options()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        cls.browser = webdriver.Chrome(service=Service(DRIVER), options=options)
        cls.addClassCleanup(cls.browser.quit)
        # The index of the search is large, and nobody searches here: the pages get a search that never has one.
        cls.browser.execute_cdp_cmd("Network.enable", {})
        cls.browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/search/from_files.js"]})
        # The theme remembers a scheme, which then wins over the system's.
        cls.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
            "source": "localStorage.clear(); var __search = {index: new Promise(() => {}), worker: URL.createObjectURL(new Blob(['']))};"})

    def show(self, page, width, scheme="light"):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme},
                                                                                 {"name": "prefers-reduced-motion", "value": "reduce"}]})
        self.browser.get(f"file://{SITE}/{page}.html")

    def assert_clean(self, found):
        """`found`: {where: [what is wrong]}."""
        lines = [f"{where}: {problem}" for where, problems in found.items() for problem in problems]
        self.assertEqual(len(lines), 0, "\n" + "\n".join(lines[:60]))

    def ask(self, call):
        return self.browser.execute_script(f"{RULES}; return {call};")

    def test_rules_find_faults(self):
        with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as page:
            page.write(FAULTY)
            page.flush()
            self.browser.get(f"file://{page.name}")
            found = self.ask("faults()")
        self.assertEqual(set(found), {"contrast", "names", "headings", "landmarks", "language", "ids", "links", "scrolling", "cut"}, found)
        self.assertEqual({rule: len(problems) for rule, problems in found.items() if len(problems) != 1}, {"language": 2}, found)

    def test_ten_pages(self):
        """A sample shows each page in both widths and in both schemes, but not in all four pairs of them."""
        found = {}
        for number, page in enumerate(TEN):
            for width in (WIDE, NARROW):
                for scheme in ("light", "dark"):
                    if not is_in_sample(number + (width == WIDE) + (scheme == "light"), 2):
                        continue
                    self.show(page, width, scheme)
                    where = f"{page.replace('/', '-')}-{width}-{scheme}"
                    self.browser.save_screenshot(os.path.join(PICTURES, f"{where}.png"))
                    found[where] = [f"{rule}: {problem}" for rule, problems in self.ask("faults()").items() for problem in problems]
        self.assert_clean(found)

    def test_the_scheme_is_the_readers(self):
        backgrounds = set()
        for scheme in ("light", "dark"):
            self.show("index", WIDE, scheme)
            backgrounds.add(self.ask("getComputedStyle(document.body).backgroundColor"))
            self.assertTrue(self.ask("isShown(document.querySelector('.md-search__form'))"), "the search is there")
            images = self.ask("[...document.querySelectorAll('main img')].filter(isShown).map(image => image.src.split('/').pop())")
            self.assertEqual(images, [f"speed-{scheme}.svg"])
        self.assertEqual(len(backgrounds), 2)

    def test_focus_is_seen(self):
        """Each element that Tab reaches is in the window and has an outline."""
        for page, scheme in (("index", "light"), ("docs/start/python", "dark")):
            self.show(page, WIDE, scheme)
            reached = []
            for _ in range(30):
                ActionChains(self.browser).send_keys(Keys.TAB).perform()
                reached.append(self.ask("""(() => {
                    const element = document.activeElement, style = getComputedStyle(element), box = element.getBoundingClientRect();
                    const isIn = box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight;
                    return [describe(element), isIn && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2];
                })()"""))
            self.assertGreater(len({name for name, _ in reached}), 20)
            self.assertEqual([name for name, is_seen in reached if not is_seen], [], page)

    def test_pages_for_users_fit(self):
        """In a wide window neither code nor a table needs a scroll bar; in a narrow one only they do."""
        shown = [path[:-len(".md")] for path in tree.files() if path.endswith(".md") and pages.is_for_users(path) and path != "README.md"]
        shown = [path[:-len("README")] + "index" if path.endswith("/README") else path for path in shown]
        self.assertGreater(len(shown), 20)
        found = {}
        for number, page in enumerate(["index"] + shown + ["reference/runtime.h", "reference/runtime.hpp", "reference/state.h"]):
            if not is_in_sample(number, 2):
                continue
            self.show(page, WIDE)
            self.assertTrue(self.ask("document.querySelector('main h1')"), f"{page} is not there")
            found[f"{page}, {WIDE}"] = self.ask("wide().concat([...RULES.cut()])")
            self.show(page, NARROW)
            found[f"{page}, {NARROW}"] = self.ask("[...RULES.cut()]")
        self.assert_clean(found)


if __name__ == "__main__":
    outcome = unittest.main(exit=False).result
    if not outcome.wasSuccessful():
        sys.exit(1)
    if outcome.skipped:
        print(f"SKIPPED: {outcome.skipped[0][1]}")
        sys.exit(SKIPPED)
