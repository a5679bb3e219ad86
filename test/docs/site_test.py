#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site: mkdocs has nothing to warn of, each link leads somewhere, each page is reached, nothing comes from a network, and in a
browser search works from files.

The environment, set by ctest: NACRE_BUILD; NACRE_SITE_OPTIONS, what docs/site/build_site.py is called with. Pictures are kept in
build/<preset>/doc/site.
"""
import glob
import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ["NACRE_BUILD"]
COMMAND_SECONDS = float(os.environ.get("NACRE_COMMAND_SECONDS", "1200"))
PICTURES = os.path.join(BUILD, "doc", "site")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    webdriver = None


class Page(html.parser.HTMLParser):
    """What a page refers to, and the places in it that can be referred to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.places = [], [], set()
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.places.update(attributes[name] for name in ("id", "name") if attributes.get(name))
        if tag == "a" and attributes.get("href") is not None:
            self.links.append(attributes["href"])
        elif tag == "link" and attributes.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(attributes["href"])
        elif tag in ("img", "script", "iframe", "source") and attributes.get("src"):
            self.loaded.append(attributes["src"])


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="nacre-site-")
        cls.addClassCleanup(folder.cleanup)
        cls.site = os.path.join(folder.name, "site")
        done = subprocess.run([sys.executable, os.path.join(ROOT, "docs", "site", "build_site.py"), f"--build={BUILD}", f"--staging={folder.name}/staging",
                               f"--output={cls.site}", *filter(None, os.environ["NACRE_SITE_OPTIONS"].split(";"))],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise AssertionError(done.stdout)
        cls.pages = {os.path.relpath(path, cls.site): Page(path) for path in glob.glob(os.path.join(cls.site, "**", "*.html"), recursive=True)}

    def target(self, page, link):
        """(file, place) of a link within the site; None of one that leads out of it."""
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            return None
        path = urllib.parse.unquote(parts.path)
        if page == "404.html":  # It is shown at any address, so its links begin at the site's.
            path = path.lstrip("/")
        return os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page, urllib.parse.unquote(parts.fragment)

    def test_links_lead_somewhere(self):
        lost = []
        for name, page in self.pages.items():
            for link in page.links + page.loaded:
                target = self.target(name, link)
                if target is None:
                    continue
                path, place = target
                if os.path.isdir(os.path.join(self.site, path)) and name == "404.html":
                    path = os.path.join(path, "index.html")
                if not os.path.isfile(os.path.join(self.site, path)):
                    lost.append(f"{name}: {link}")
                elif place and path.endswith(".html") and place not in self.pages[os.path.normpath(path)].places:
                    lost.append(f"{name}: {link}, where nothing has this name")
        self.assertEqual(lost, [])

    def test_links_to_others_are_addresses(self):
        wrong = []
        for name, page in self.pages.items():
            for link in page.links:
                parts = urllib.parse.urlsplit(link)
                if (parts.scheme or parts.netloc) and not (parts.scheme == "https" and re.fullmatch(r"[\w-]+(\.[\w-]+)+", parts.netloc) and " " not in link):
                    wrong.append(f"{name}: {link}")
        self.assertEqual(wrong, [], "they must begin with https:// and a host")

    def test_nothing_comes_from_a_network(self):
        self.assertEqual([f"{name}: {path}" for name, page in self.pages.items() for path in page.loaded if urllib.parse.urlsplit(path).netloc], [])
        for style in glob.glob(os.path.join(self.site, "**", "*.css"), recursive=True):
            with open(style, encoding="utf-8") as file:
                self.assertEqual(re.findall(r"url\([\"']?(?:https?:)?//[^)]*", file.read()), [], style)

    def test_every_page_is_reached(self):
        reached, ahead = set(), ["index.html"]
        while ahead:
            name = ahead.pop()
            if name in reached or name not in self.pages:
                continue
            reached.add(name)
            ahead += [target[0] for target in (self.target(name, link) for link in self.pages[name].links) if target]
        self.assertEqual(set(self.pages) - reached - {"404.html", "reference/java/overview-summary.html"}, set())  # javadoc's leads to its index.
        in_nav = {self.target("index.html", link)[0] for link in self.pages["index.html"].links if self.target("index.html", link)}
        own = {name for name in self.pages if not name.startswith("reference/java/")} - {"404.html"}
        decisions = {name for name in own if re.fullmatch(r"docs/decisions/\d.*", name)}
        self.assertGreater(len(decisions), 50)
        listed = {self.target("docs/decisions/index.html", link)[0] for link in self.pages["docs/decisions/index.html"].links}
        self.assertEqual(decisions - listed, set(), "the page of all decisions lists them")
        self.assertEqual(own - decisions - in_nav, set(), "each has a place in the navigation of all pages")

    def test_the_reference_has_what_there_is(self):
        def has(page, words):
            with open(os.path.join(self.site, "reference", page), encoding="utf-8") as file:
                text = file.read()
            self.assertEqual([word for word in words if f">{word}<" not in text and f'id="{word}"' not in text], [], page)
        has("runtime.h.html", ["nacre_session_create", "nacre_session_options", "gpu_background", "NACRE_OUT_OF_MEMORY"])
        has("state.h.html", ["nacre_state_save"])
        has("runtime.hpp.html", ["session", "sessionrun"])
        has("image.hpp.html", ["picturewriter", "pictureoptions"])
        has("nacre-compile.html", ["options", "examples"])
        has("python.html", ["nacre.compile", "nacre.model.Model.benchmark", "nacre.timing.Benchmark.median_ms"])
        has("cmake.html", ["nacre_add_model"])
        for dialect in ("nn", "plan"):
            operations = set()
            for definitions in glob.glob(os.path.join(ROOT, "dialects", dialect, "*.td")):
                with open(definitions, encoding="utf-8") as file:
                    operations.update(re.findall(rf"^def \w+Op\s*:\s*{dialect.capitalize()}_\w+<\s*\"(\w+)\"", file.read(), re.MULTILINE))
            self.assertGreater(len(operations), 10)
            has(f"{dialect}.html", sorted(dialect + operation for operation in operations))  # `nn.conv` has the id nnconv.
        functions = set()
        for header in glob.glob(os.path.join(ROOT, "runtime", "include", "nacre", "*.h")):
            with open(header, encoding="utf-8") as file:
                functions.update(re.findall(r"^static inline [\w* ]+?\b(nacre_(?!asked)\w+)\(", file.read(), re.MULTILINE))
        self.assertGreater(len(functions), 30)
        told = set().union(*(page.places for name, page in self.pages.items() if re.fullmatch(r"reference/\w+\.h\.html", name)))
        self.assertEqual(functions - told, set())

    @unittest.skipUnless(webdriver and CHROMIUM and DRIVER, "needs Selenium, Chromium and its driver")
    def test_in_a_browser(self):
        options = Options()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1300,900"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        browser = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.addCleanup(browser.quit)
        os.makedirs(PICTURES, exist_ok=True)
        backgrounds = {}
        for scheme in ("light", "dark"):
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            for page in ("index", "reference/runtime.h"):
                browser.get(f"file://{self.site}/{page}.html")
                browser.execute_script("localStorage.clear()")
                browser.refresh()
                browser.save_screenshot(os.path.join(PICTURES, f"{os.path.basename(page)}-{scheme}.png"))
            backgrounds[scheme] = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        self.assertNotEqual(backgrounds["light"], backgrounds["dark"])

        browser.execute_script("document.querySelector('label[for=__search]').click()")
        WebDriverWait(browser, COMMAND_SECONDS).until(lambda each: each.find_element("css selector", ".md-search__input").is_displayed())
        browser.find_element("css selector", ".md-search__input").send_keys("nacre_session_bind_input")
        WebDriverWait(browser, COMMAND_SECONDS).until(lambda each: each.find_elements("css selector", ".md-search-result__item"))
        found = [each.get_attribute("href") for each in browser.find_elements("css selector", ".md-search-result__link")]
        self.assertTrue(any(address.endswith("#nacre_session_bind_input") and "/reference/runtime.h.html?" in address for address in found), found)
        browser.save_screenshot(os.path.join(PICTURES, "search.png"))
        self.assertEqual(browser.get_log("browser"), [])


if __name__ == "__main__":
    unittest.main()
