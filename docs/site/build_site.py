#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the site: the tree's pages as they are, and a reference made of headers, manual pages, sources and schemas.

How:  a folder of Markdown, laid out as the tree is, so that links between pages stay as they are; a nav of what is there; then mkdocs.
      A page that NAV has no place for is an error, and so is whatever mkdocs warns of.
"""
import argparse
import ast
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import home
import reference_c
import reference_programs
import reference_schemas
from gfm import code, for_mkdocs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
HEADERS = ["runtime.h", "info.h", "describe.h", "state.h", "weights.h", "executor.h", "runtime.hpp", "image.hpp", "resize.hpp", "elements.hpp"]
DECISIONS = "docs/decisions/README.md"
PAGES_OF_PHASES = ["import", "import-formats", "train", "graph", "kernels", "kernels-kinds", "kernels-storages", "encode", "place", "schedule", "codegen",
                   "codegen-gpu", "package"]
# Sections: names, and what is in them; a pattern stands for all pages that it finds, but for those that are named elsewhere.
NAV = [
    ("Home", ["README.md"]),
    ("Get started", ["docs/start/pytorch.md", "docs/start/android.md", "docs/start/linux-board.md", "docs/start/python.md", "docs/start/*.md", "docs/commands.md", "samples/README.md",
                     "docs/coming-from.md"]),
    ("How-to", ["docs/how-to/detector.md", "docs/how-to/keyword-spotting.md", "docs/how-to/*.md"]),
    ("Guides", ["docs/compiling.md", "docs/shapes.md", "docs/quantization.md", "docs/runtime.md", "docs/pictures-and-sound.md", "docs/android.md", "docs/python.md", "docs/training.md",
                "docs/samples.md", "samples/android/README.md", "samples/android/sound/README.md", "docs/report.md", "docs/numbers.md", "docs/compatibility.md",
                ("Benchmarks", ["docs/benchmarks.md", "docs/benchmarks-peers.md", "docs/benchmarks-int8.md", "docs/benchmarks-gpu.md", "docs/benchmarks-training.md", "docs/benchmarks-tools.md"])]),
    ("Help", ["docs/troubleshooting.md", "docs/faq.md", "docs/limitations.md", "docs/glossary.md"]),
    ("Reference", ["reference/README.md", ("Programs", ["reference/nacre-*.md"]), ("C and C++", [f"reference/{header}.md" for header in HEADERS]),
                   "reference/python.md", "reference/java.md", "reference/cmake.md", "reference/operators.md", "reference/passes.md",
                   ("Dialects", ["reference/nn.md", "reference/plan.md"]),
                   ("JSON", ["docs/json.md", "reference/*.schema.md"])]),
    ("Models", ["docs/zoo.md"]),
    ("How it works", ["docs/overview.md", "docs/one-convolution.md", ("Phases", [f"docs/phases/{page}.md" for page in PAGES_OF_PHASES]),
                      "docs/internal-glossary.md", DECISIONS, "docs/*.md"]),
    ("Contributing", ["CONTRIBUTING.md", "docs/adding-an-operator.md", "docs/adding-a-pass.md", "docs/adding-a-format.md", "docs/adding-a-runtime-feature.md", "test/README.md",
                      "test/docs/README.md", "tools/README.md", "docs/README.md", "SECURITY.md", "CHANGELOG.md"]),
]
SHOWN = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/**/*.md", "samples/**/*.md", "test/README.md", "test/docs/README.md", "tools/README.md")
# Pages that only DECISIONS lists: there are too many of them for the navigation.
LISTED = ("docs/decisions/[0-9]*.md",)
# Sections of which the home page lists the pages.
AT_HOME = ("Get started", "How-to", "Guides", "Help", "Reference", "How it works")
BESIDE = ("docs/**/*.png", "docs/**/*.svg", "docs/*.json")
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)")
# Where the sources are, for links into them; the site has none of them.
SOURCE = "SOURCE"
# The head of a page that the navigation does not show.
ALONE = "---\nhide: [navigation]\n---\n"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def found(root, patterns):
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(root, pattern), recursive=True)):
            yield os.path.relpath(path, root)


def heading(text):
    return re.search(r"^# (.*)", text, re.MULTILINE)[1]


class Site:
    def __init__(self, arguments):
        self.arguments, self.source = arguments, os.path.join(arguments.staging, "pages")
        shutil.rmtree(arguments.staging, ignore_errors=True)

    def page(self, path, text):
        write(os.path.join(self.source, path), for_mkdocs(text))

    def pages_of_the_tree(self):
        shown = set(found(ROOT, SHOWN))
        listed = sorted(set(found(ROOT, LISTED)))
        for path in shown:
            text = self.without_lost_links(path, read(os.path.join(ROOT, path)), shown)
            self.page(path, ALONE + text + f"\n[All decisions]({os.path.basename(DECISIONS)})\n" if path in listed else text)
        for path in found(ROOT, BESIDE):
            self.copy(os.path.join(ROOT, path), path)

    @staticmethod
    def without_lost_links(path, text, shown):
        """A link to what the site does not have, a source or a folder, is its words alone."""
        def link(match):
            target = os.path.normpath(os.path.join(os.path.dirname(path), match[1]))
            has = target in shown or target.endswith((".png", ".svg", ".json"))
            return match[0] if has else f"](#{SOURCE})"

        def title(match):
            """The page's, where a link says but its file's name."""
            target = os.path.normpath(os.path.join(os.path.dirname(path), match[2]))
            return f"[{heading(read(os.path.join(ROOT, target)))}]({match[2]})" if target in shown else match[0]
        text = re.sub(r"\[((?:[\w-]+/)*[\w-]+\.md)\]\(([^)#\s]+\.md)\)", title, text)
        return re.sub(rf"\[([^\]\n]*)\]\(#{SOURCE}\)", r"\1", LINK.sub(link, text))

    def copy(self, path, name):
        os.makedirs(os.path.dirname(os.path.join(self.source, name)), exist_ok=True)
        shutil.copy(path, os.path.join(self.source, name))

    def reference(self):
        for name, text in reference_c.pages(self.arguments.clang, os.path.join(ROOT, "runtime", "include", "nacre"), HEADERS).items():
            self.page(f"reference/{name}.md", text)
        programs = {os.path.basename(path)[:-2]: path for path in sorted(glob.glob(os.path.join(self.arguments.build, "man", "man1", "*.1")))}
        for name, path in programs.items():
            self.page(f"reference/{name}.md", f"# {name}\n" + reference_programs.to_markdown(read(path), programs))
        write(os.path.join(self.source, "reference", "python.md"), self.python())
        self.page("reference/cmake.md", self.cmake())
        for name in ("operators", "passes", "nn", "plan"):
            self.page(f"reference/{name}.md", read(os.path.join(self.arguments.build, "doc", name + ".md")))
        for path in found(ROOT, ["docs/*.schema.json"]):
            name = os.path.basename(path)
            self.page(f"reference/{name.removesuffix('.json')}.md", reference_schemas.page(f"../docs/{name}", json.loads(read(os.path.join(ROOT, path)))))
        self.java()
        self.page("reference/README.md", read(os.path.join(HERE, "reference.md.in")) + self.list_of_programs(programs))

    def home(self, nav):
        """README.md's place, so that links to it lead here."""
        def pages(entries):
            return [(title, path) for entry in entries for title, path in entry.items() if isinstance(path, str)]
        sections = [(title, pages(entries)) for section in nav for title, entries in section.items() if title in AT_HOME]
        write(os.path.join(self.source, "README.md"), home.page(read(os.path.join(HERE, "home.md.in")), read(os.path.join(self.source, "README.md")), sections))

    @staticmethod
    def list_of_programs(programs):
        lines = [f"| [{name}]({name}.md) | {re.search(name + r' - (.*)', read(path).replace(chr(92), ''))[1]} |" for name, path in programs.items()]
        return "\n".join(["", "| program | purpose |", "|---|---|", *lines, ""])

    @staticmethod
    def python():
        """The page that mkdocstrings fills in: the package, and each name that it offers."""
        package = ast.parse(read(os.path.join(ROOT, "tools", "python", "nacre", "__init__.py")))
        offered = sorted(name.asname for node in package.body if isinstance(node, ast.ImportFrom) for name in node.names if name.asname == name.name)
        return ("# The Python package\n\n::: nacre\n    options:\n      members: []\n\nGuide: [Nacre in Python](../docs/python.md).\n\n" +
                "\n".join(f"::: nacre.{name}\n    options: {{show_root_heading: true, show_root_toc_entry: true}}\n"
                          for name in offered if not name.startswith("_")))

    @staticmethod
    def cmake():
        comment = re.search(r"\n#\n((?:#.*\n)+)", read(os.path.join(ROOT, "tools", "cmake", "NacreAddModel.cmake")))[1]
        signature, _, words = re.sub(r"^# ?", "", comment, flags=re.MULTILINE).partition("\n\n")
        return ("# CMake\n\n`find_package(Nacre)` finds an installation in `CMAKE_PREFIX_PATH` and provides:\n\n## nacre_add_model\n\n" +
                code(signature, "cmake") + "\n" + words + "\n## Variables\n\n`NACRE_COMPILE`: the program nacre-compile. `NACRE_INCLUDE_DIR`: "
                "the folder of the headers.\n\n[A complete project](../samples/README.md) uses both.\n")

    def java(self):
        text = ("# Java and Kotlin\n\nThe package `dev.nacre`; see also [the guide](../docs/android.md).\n\n")
        if self.arguments.javadoc:
            sources = sorted(glob.glob(os.path.join(ROOT, "runtime", "java", "dev", "nacre", "*.java")) + glob.glob(os.path.join(ROOT, "runtime", "java", "annotations", "*.java")))
            stand_ins = os.path.join(self.source, "stand-ins")  # Compiled, because javadoc would also document sources.
            subprocess.run([os.path.join(os.path.dirname(self.arguments.javadoc), "javac"), "--release", "11", "-d", stand_ins,
                            *glob.glob(os.path.join(ROOT, "runtime", "java", "stand-ins", "*.java"))], check=True)
            subprocess.run([self.arguments.javadoc, "-classpath", stand_ins, "-quiet", "-Xdoclint:none", "-notimestamp", "-nohelp", "-noindex", "-nodeprecatedlist", "-notree", "-public",
                            "--release", "11", "-windowtitle", "Nacre", "-d", os.path.join(self.source, "reference", "java"), *sources],
                           check=True, stdout=subprocess.DEVNULL)
            shutil.rmtree(stand_ins)
            text += "[All classes](java/index.html)\n"
        else:
            text += "This site was built without a JDK; the classes are documented in `runtime/java`.\n"
        self.page("reference/java.md", text)

    def title(self, path):
        """What the navigation calls a page: its heading; a phase's is its word, a program's its name."""
        if path.startswith("docs/phases/"):
            return os.path.basename(path).removesuffix(".md")
        return heading(read(os.path.join(self.source, path))).replace("`", "")

    def nav(self):
        """Of what is there, in NAV's order; every page must have a place."""
        listed = set(found(ROOT, LISTED))
        there = [path for path in found(self.source, ["**/*.md"]) if not path.startswith("reference/java/") and path not in listed]
        named = {pattern for pattern in patterns(NAV) if "*" not in pattern}
        placed = []

        def section(entries):
            for entry in entries:
                if isinstance(entry, tuple):
                    inner = list(section(entry[1]))
                    if inner:
                        yield {entry[0]: inner}
                    continue
                for path in found(self.source, [entry]):
                    if path not in placed and ("*" not in entry or path not in named):
                        placed.append(path)
                        yield {self.title(path): path}

        nav = list(section(NAV))
        nav[0] = {"Home": "README.md"}
        lost = sorted(set(there) - set(placed))
        if lost:
            sys.exit(f"{', '.join(lost)}: has no place in NAV of docs/site/build_site.py")
        return nav

    def build(self):
        self.pages_of_the_tree()
        self.reference()
        for name in ("site.css", "site.js"):
            self.copy(os.path.join(HERE, name), name)
        config = os.path.join(self.arguments.staging, "mkdocs.yml")
        nav = self.nav()
        self.home(nav)
        added = {"docs_dir": self.source, "site_dir": self.arguments.output, "nav": nav, "hooks": [os.path.join(HERE, "hooks.py")]}
        text = read(os.path.join(HERE, "mkdocs.yml")).replace("  name: material\n", f"  name: material\n  custom_dir: {os.path.join(HERE, 'theme')}\n")
        text = text.replace("PYTHON_PACKAGES", os.path.join(ROOT, "tools", "python"))
        write(config, text + "".join(f"{key}: {json.dumps(value)}\n" for key, value in added.items()))
        subprocess.run([self.arguments.mkdocs, "build", "--strict", "--quiet", "--clean", "-f", config], check=True,
                       env={**os.environ, "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", "0"), "PYTHONDONTWRITEBYTECODE": "1"})


def patterns(entries):
    for entry in entries:
        if isinstance(entry, tuple):
            yield from patterns(entry[1])
        else:
            yield entry


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="folder in which the programs, their manual pages and the pages of operators, passes and dialects are built")
    parser.add_argument("--clang", required=True, help="clang, which reads the headers")
    parser.add_argument("--mkdocs", default="mkdocs")
    parser.add_argument("--javadoc", help="javadoc; without it the site has no page of the Java classes")
    parser.add_argument("--staging", required=True, type=os.path.abspath, help="folder of what mkdocs reads; it is emptied")
    parser.add_argument("--output", required=True, type=os.path.abspath, help="folder of the site; it is emptied")
    Site(parser.parse_args()).build()


if __name__ == "__main__":
    main()
