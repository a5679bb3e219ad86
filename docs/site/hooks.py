# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What mkdocs calls while it builds the site: search ranks pages for users above those about the inside, and works from files; examples
in docstrings are code; long names in the navigation may break.

How:  each entry of the index gets a boost by its path. The search of mkdocs-material reads it from version 8.3 on; an older one, such as
      Debian 12's, passes no boost to lunr, so its worker is changed by a few characters. Pages that are opened as files can neither fetch
      nor start a worker from a file, so index and worker are also written as a script. It also changes words that people type: lunr takes the
      dashes of an option for "not", and drops the last character of C#.
"""
import glob
import json
import os
import re

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

SCRIPT = """__search = {
  index: Promise.resolve(%s),
  worker: URL.createObjectURL(new Blob([%s], {type: "text/javascript"})),
  transform: asked => asked.replace(/(^|\\s)[-+*^~]+/g, "$1").replace(/\\bc#/gi, "csharp").replace(/[:"]/g, " ").trim(),
};
"""
# Beginnings of paths; the first that fits counts. Pages that are not listed are for users and have 1.
BOOSTS = [
    ("docs/decisions/", 0.001),
    ("test/", 0.001),
    ("tools/", 0.001),
    ("CHANGELOG", 0.001),
    ("CONTRIBUTING", 0.01),
    ("docs/README", 0.01),
    ("docs/adding-", 0.01),
    ("docs/phases/", 0.01),
    ("docs/overview", 0.01),
    ("docs/one-convolution", 0.01),
    ("docs/internal-glossary", 0.01),
    ("docs/quality", 0.01),
    ("docs/benchmarks", 0.1),
    ("docs/zoo", 0.1),
    ("reference/nn", 0.01),
    ("reference/plan", 0.01),
    ("reference/passes", 0.01),
    ("reference/nacre-lsp-server", 0.01),
    ("reference/nacre-opt", 0.01),
    ("reference/nacre-kernel", 0.01),
    ("reference/operators", 0.01),
    ("reference/", 0.1),
    ("docs/start/android", 1.5),
    ("docs/how-to/quantize", 0.8),
    ("docs/training", 0.85),
    ("docs/faq", 0.8),
    ("docs/glossary", 0.2),
    ("samples/", 0.5),
]
# How a worker of mkdocs-material gives an entry to lunr: a newer one, and an older one.
PASSED = re.compile(r"\.add\((\w),\{boost:\1\.boost\}\)")
ADDED = re.compile(r"this\.add\((\w)\)")


def boost(location):
    if ".schema" in location:  # Words such as profile and trace are those of how to get one.
        return 0.0005
    return next((number for beginning, number in BOOSTS if location.startswith(beginning)), 1)


def rank(index):
    """The index with boosts."""
    content = json.loads(index)
    for entry in content["docs"]:
        entry["boost"] = boost(entry["location"])
    return json.dumps(content, separators=(",", ":"))


def with_boosts(worker):
    """The worker, which passes the boosts on."""
    if PASSED.search(worker):
        return worker
    changed, number = ADDED.subn(r"this.add(\1,{boost:\1.boost})", worker)
    if number != 1:
        raise ValueError("docs/site/hooks.py does not know this version of mkdocs-material: its search worker must call lunr's add in one place")
    return changed


class Doctests(Preprocessor):
    """Fences an interpreter's session, which Markdown would take for quotations."""

    def run(self, lines):
        out, is_open = [], False
        for line in lines + [""]:
            if not is_open and line.startswith(">>> "):
                out += ["", "```pycon"]
                is_open = True
            elif is_open and not line.strip():
                out.append("```")
                is_open = False
            out.append(re.sub(r" +# doctest: .*", "", line) if is_open else line)
        return out[:-1]


class DoctestExtension(Extension):
    def extendMarkdown(self, md):
        md.preprocessors.register(Doctests(md), "doctests", 100)  # Before fences are read.


def on_config(config):
    config["markdown_extensions"].append(DoctestExtension())
    return config


def on_post_page(output, page, config):
    """A name such as nacre_session_options_default may break after an underscore where a link of the navigation has no room for it."""
    def breakable(link):
        return link[1] + link[2].replace("_", "_<wbr>") + link[3]
    return re.sub(r'(<a [^>]*class="md-nav__link[^"]*"[^>]*>)([^<]*)(</a>)', breakable, output)


def on_post_build(config):
    def change(pattern, how):
        path, = glob.glob(os.path.join(config["site_dir"], pattern))
        with open(path, encoding="utf-8") as file:
            text = how(file.read())
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return text
    script = SCRIPT % (change("search/search_index.json", rank).strip(), json.dumps(change("assets/javascripts/workers/search.*.min.js", with_boosts)))
    with open(os.path.join(config["site_dir"], "search", "from_files.js"), "w", encoding="utf-8") as file:
        file.write(script)
