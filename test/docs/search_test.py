#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site's search: words that people type find the page that helps them first. The built site is asked, in a browser.

The environment, set by ctest: NACRE_BUILD, whose target `site` must be built.
"""
import os
import re
import shutil
import sys
import unittest

BUILD = os.environ["NACRE_BUILD"]
SITE = os.path.join(BUILD, "site")
COMMAND_SECONDS = float(os.environ.get("NACRE_COMMAND_SECONDS", "1200"))
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
SKIPPED = 77  # As ctest understands it.
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    webdriver = None

# Words, and the pages of which any may be first.
WORDS = {
    "quantization": ["docs/quantization"],
    "float16": ["docs/quantization"],
    "profiling": ["docs/troubleshooting", "docs/runtime", "docs/report"],
    "install": ["docs/faq", "docs/start/python", "docs/commands"],
    "batch size": ["docs/shapes"],
    "dynamic shape": ["docs/shapes", "docs/limitations"],
    "android": ["docs/start/android", "docs/android"],
    "yolo": ["docs/faq", "docs/how-to/detector"],
    "llm": ["docs/limitations", "docs/faq"],
    "ios": ["docs/faq", "docs/limitations"],
    "npu": ["docs/faq", "docs/limitations"],
    "gpu": ["docs/how-to/gpu-or-not"],
    "threads": ["docs/runtime"],
    "memory": ["docs/how-to/memory-budget"],
    "int8": ["docs/quantization", "docs/faq", "docs/how-to/quantize"],
    "onnx": ["docs/coming-from"],
    "tflite": ["docs/coming-from"],
    "tensorflow": ["docs/coming-from"],
    "caffe": ["docs/faq", "docs/commands"],
    "training": ["docs/training"],
    "python": ["docs/start/python", "docs/python"],
    "java": ["docs/android", "reference/java"],
    "kotlin": ["docs/android", "docs/start/android", "reference/java"],
    "c++": ["docs/runtime"],
    "raspberry pi": ["docs/start/linux-board"],
    "binary size": ["docs/troubleshooting"],
    "slow": ["docs/troubleshooting"],
    "wrong results": ["docs/troubleshooting", "docs/numbers"],
    "unsupported operator": ["docs/troubleshooting"],
    "license": ["docs/faq"],
    "--shape": ["docs/shapes", "reference/nacre-compile"],
    "--for=phone": ["docs/compiling", "docs/start/android", "docs/commands", "reference/nacre-compile"],
    "--gpu-precision=fp16": ["docs/quantization", "docs/how-to/gpu-or-not"],
    "--cpu-precision=fp16": ["docs/quantization"],
    "pytorch": ["docs/start/pytorch", "docs/coming-from"],
    "executorch": ["docs/coming-from"],
    "torchscript": ["docs/coming-from", "docs/start/pytorch", "docs/troubleshooting"],
    "changelog": ["docs/faq", "CHANGELOG"],
    "licence": ["docs/faq"],
    "16 KB": ["docs/faq", "docs/troubleshooting"],
    "encryption": ["docs/how-to/protect-a-model"],
    "docker": ["docs/faq"],
    "c#": ["docs/how-to/other-languages", "docs/faq"],
    "dart": ["docs/how-to/other-languages"],
    "swift": ["docs/how-to/other-languages"],
    "flutter": ["docs/how-to/other-languages", "docs/faq"],
    "react native": ["docs/faq"],
    "unity": ["docs/how-to/other-languages", "docs/faq"],
    "wsl": ["docs/faq"],
    "roadmap": ["docs/faq"],
    "quantize": ["docs/how-to/quantize"],
    "--preprocess": ["docs/pictures-and-sound", "reference/nacre-compile"],
    "--cpu": ["docs/compiling", "reference/nacre-compile"],
    "--device=adb": ["docs/android", "docs/start/android", "reference/nacre-run"],
    "torchvision": ["docs/start/pytorch", "docs/pictures-and-sound"],
    "onnx export": ["docs/start/pytorch", "docs/coming-from", "docs/training"],
    "int8 calibration": ["docs/how-to/quantize"],
    "fp16": ["docs/quantization"],
    "out of memory": ["docs/how-to/memory-budget", "docs/troubleshooting"],
    "thread count": ["docs/faq", "docs/runtime"],
    "gpu wrong results": ["docs/troubleshooting", "docs/how-to/gpu-or-not"],
    "battery": ["docs/faq"],
    "camera": ["docs/pictures-and-sound", "docs/faq", "docs/samples", "samples/android/index"],
    "microphone": ["docs/faq", "docs/samples", "samples/android/sound/index", "docs/how-to/keyword-spotting"],
    "windows": ["docs/faq", "docs/limitations"],
    "macos": ["docs/faq", "docs/limitations"],
    "app size": ["docs/android", "docs/faq", "docs/troubleshooting"],
    "start-up time": ["docs/faq", "docs/how-to/gpu-or-not", "docs/troubleshooting"],
    "first inference slow": ["docs/troubleshooting", "docs/how-to/gpu-or-not"],
    "weights file": ["docs/android", "docs/runtime", "docs/compiling"],
    "cmake": ["reference/cmake", "docs/samples", "docs/commands"],
    "gradle": ["docs/start/android", "docs/android", "samples/android/index"],
    "java heap": ["docs/faq", "docs/android"],
    "jni": ["docs/faq", "docs/android"],
    "profile": ["docs/report", "docs/troubleshooting", "docs/how-to/gpu-or-not", "reference/nacre-run"],
    "trace": ["docs/compiling", "docs/runtime", "docs/report", "reference/nacre-run"],
    "benchmark": ["docs/android", "docs/benchmarks", "docs/commands", "reference/nacre-run"],
    "crash": ["docs/troubleshooting"],
    "report a problem": ["docs/faq"],
    "train on the phone": ["docs/training"],
}


@unittest.skipUnless(webdriver and CHROMIUM and DRIVER, "needs Selenium, Chromium and its driver")
class SearchTest(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(os.path.join(SITE, "index.html")):
            self.skipTest(f"{SITE} is not there: build the target site")
        options = Options()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1300,900"):
            options.add_argument(argument)
        self.browser = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.addCleanup(self.browser.quit)
        self.wait = WebDriverWait(self.browser, COMMAND_SECONDS, poll_frequency=0.05)
        self.browser.get(f"file://{SITE}/index.html")
        self.browser.execute_script("document.querySelector('label[for=__search]').click()")
        self.wait.until(lambda each: each.find_element("css selector", ".md-search__input").is_displayed())

    def found(self, words):
        """The pages that the search shows for these words, in its order."""
        def addresses(browser):
            return browser.execute_script("return [...document.querySelectorAll('.md-search-result__item > .md-search-result__link')].map(each => each.href)")

        field = self.browser.find_element("css selector", ".md-search__input")
        self.browser.execute_script("arguments[0].value = ''; arguments[0].dispatchEvent(new KeyboardEvent('keyup'))", field)
        self.wait.until(lambda browser: not addresses(browser))
        self.browser.execute_script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new KeyboardEvent('keyup'))", field, words)
        return [re.search(r"/site/(.*)\.html", address)[1] for address in self.wait.until(addresses)]

    def test_words_find_their_pages(self):
        self.assertEqual(len(WORDS), 80)
        wrong = []
        for words, pages in WORDS.items():
            found = self.found(words)
            if found[0] not in pages:
                wrong.append(f"{words}: {', '.join(found[:4])}; should begin with {' or '.join(pages)}")
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))


if __name__ == "__main__":
    outcome = unittest.main(exit=False).result
    if not outcome.wasSuccessful():
        sys.exit(1)
    if outcome.skipped:
        print(f"SKIPPED: {outcome.skipped[0][1]}")
        sys.exit(SKIPPED)
