#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pages say beside their commands: options, functions and variables that exist, blocks that are run or say why not."""
import functools
import glob
import os
import re
import subprocess
import sys
import unittest

import blocks  # noqa: E402
import page as pages  # noqa: E402

PROGRAMS = sorted(os.path.basename(path)[:-len(".1.in")] for path in glob.glob(os.path.join(blocks.ROOT, "docs", "man", "*.1.in")))
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
# Of CMake, CPack, ctest, git and other programs that pages name.
OF_OTHERS = {"--benchmark_filter", "--build", "--component", "--config", "--install", "--prefix", "--preset", "--target", "--test-dir", "--gc-sections",
             "--no-undefined", "--system-site-packages", "--no-index", "--output-on-failure"}
OF_DRIVERS = {"--mnn", "--ncnn"}  # Of test/bench, one for each peer.
NOT_RUN = os.path.join(pages.HERE, "not-run.txt")
WORDS = re.compile(r"`([^`\n]+)`")
HEADERS = "runtime/include/nacre/*.h"
C_NAME = re.compile(r"\b(?:nacre_[a-z0-9_]+|NACRE_[A-Z0-9_]+)\b")
MADE = re.compile(r"nacre_model_\w*$|NACRE_BUILD_\w+$|nacre_\d$")  # A model's symbol is named after it, a package's file after its version.


@functools.lru_cache(maxsize=None)
def options_of(program):
    """All that a program of ours knows, the rare ones too."""
    said = ""
    for option in ("--help", "--help-hidden"):
        said += subprocess.run([os.path.join(pages.BIN, program), option], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
    return set(OPTION.findall(said))


def options_of_try():
    """Of nacre-try, which runs on phones: what its source prints."""
    with open(os.path.join(blocks.ROOT, "tools", "try", "Options.cpp"), encoding="utf-8") as file:
        return set(OPTION.findall(file.read()))


@functools.lru_cache(maxsize=None)
def options_of_script(path):
    """Of a Python program of the tree, and of what it imports of its folder: as they are given to argparse."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = set(OPTION.findall(" ".join(re.findall(r"add_argument\(\"--[\w-]+|\"--[\w-]+\" in sys.argv", text))))
    for module in re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE):
        beside = os.path.join(os.path.dirname(path), module + ".py")
        if os.path.exists(beside) and beside != path:  # a program within the program may import it
            found |= options_of_script(beside)
    return found


def options_of_shell_script(path):
    """Of a shell script of the tree: what it compares arguments with."""
    with open(path, encoding="utf-8") as file:
        return set(re.findall(r"= (--[\w-]+) \]", file.read()))


@functools.lru_cache(maxsize=None)
def options_of_scripts():
    found = set().union(*(options_of_script(path) for folder in ("test", "tools", "samples")
                          for path in glob.glob(os.path.join(blocks.ROOT, folder, "**", "*.py"), recursive=True)))
    found |= options_of_script(os.path.join(blocks.ROOT, "tools", "release"))
    return found.union(*(options_of_shell_script(os.path.join(blocks.ROOT, "tools", name)) for name in ("check", "dev/guard_tree")))


@functools.lru_cache(maxsize=None)
def declared():
    """Names of the C interface, of CMake's functions and variables, of the environment of programs."""
    found = set()
    for pattern in (HEADERS, "tools/cmake/*", "CMakeLists.txt", "test/CMakeLists.txt", "tools/python/CMakeLists.txt", "tools/python/nacre/*.py", "test/python/*.py",
                    "tools/phone/*.cpp", "runtime/**/*.h", "runtime/**/*.cpp"):
        for path in glob.glob(os.path.join(blocks.ROOT, pattern), recursive=True):
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as file:
                    found.update(C_NAME.findall(file.read()))
    return found


def spans(page):
    """(line, text, whether it is a command to run) of what a page shows as code: in sentences, tables and blocks of commands."""
    opened = False
    for number, line in enumerate(blocks.read(page).split("\n"), 1):
        fence = blocks.FENCE.match(line)
        if fence:
            opened = fence[2] or "text" if not opened else False
        elif opened == "sh":
            yield number, line, True
        elif not opened:
            yield from ((number, match[1], False) for match in WORDS.finditer(line))


class SaidTest(unittest.TestCase):
    def each_span(self):
        for page in blocks.pages():
            if "/decisions/" not in page and page != "CHANGELOG.md":  # Those say what was so once.
                for line, text, is_command in spans(page):
                    yield f"{page}:{line}", text, is_command

    def test_options_exist(self):
        everywhere = OF_OTHERS.union(OF_DRIVERS, options_of_scripts(), options_of_try(), *(options_of(program) for program in PROGRAMS))
        gone = []
        for where, text, is_command in self.each_span():
            for command in re.split(r"[|;#]|&&", text):
                program = re.match(r"\s*(nacre-[a-z-]+?)(?:-arm64)? ", command)
                if is_command and not program:
                    continue  # Another's, which says itself what it does not know.
                known = options_of(program[1]) if program and program[1] in PROGRAMS else everywhere
                gone += [f"{where}: {option}" + (f" of {program[1]}" if program else "") for option in OPTION.findall(command)
                         if option not in known and not (option.endswith("-") and any(one.startswith(option) for one in known))]
        self.assertEqual(gone, [], "no program has these options")

    def test_scripts_exist_and_know_their_options(self):
        """Those too that are not run; what stands behind a command as a remark is of it."""
        wrong, scripts = [], set()
        for where, text, is_command in self.each_span():
            script = re.search(r"(?:^|[\s=])((?:test|tools|samples)/[\w./-]+\.py|tools/(?:dev/)?[a-z]+)(?=\s|$)", text)
            if not is_command or not script:
                continue
            scripts.add(script[1])
            if not os.access(os.path.join(blocks.ROOT, script[1]), os.R_OK):
                wrong.append(f"{where}: there is no {script[1]}")
            elif script[1].endswith(".py"):
                wrong += [f"{where}: {option} of {script[1]}" for option in OPTION.findall(text[script.end():])
                          if option not in options_of_script(os.path.join(blocks.ROOT, script[1]))]
        self.assertGreater(len(scripts), 10)
        self.assertEqual(wrong, [])
        for script in sorted(script for script in scripts if script.startswith("test/bench/")):
            done = subprocess.run([sys.executable, os.path.join(blocks.ROOT, script), "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, check=False)
            if "ModuleNotFoundError: No module named 'numpy'" not in done.stdout:
                self.assertEqual(done.returncode, 0, f"{script} --help\n{done.stdout}")

    def test_names_of_c_exist(self):
        gone = [f"{where}: {name}" for where, text, _ in self.each_span() for name in C_NAME.findall(text)
                if name not in declared() and not MADE.match(name) and not (name.endswith("_") and any(known.startswith(name) for known in declared()))]
        for page in blocks.pages():
            gone += [f"{block.where()}: {name}" for block in blocks.blocks_of(page) if block.language in ("c", "cpp")
                     for name in C_NAME.findall(block.text) if name not in declared() and not MADE.match(name)]
        self.assertEqual(gone, [], "no header declares these")

    def test_kinds_of_kernels(self):
        """The overview and the page of kinds have the kinds of the dialect."""
        def text(*path):
            with open(os.path.join(blocks.ROOT, *path), encoding="utf-8") as file:
                return file.read()
        cases = re.search(r"def Plan_KernelKind.*?\]>;", text("dialects", "plan", "PlanDialect.td"), re.DOTALL)[0]
        kinds = set(re.findall(r'I32EnumAttrCase<"\w+", \d+, "(\w+)">', cases))
        self.assertGreater(len(kinds), 5)
        listed = re.search(r"one kind of work: (.*?)\.", text("docs", "overview.md"), re.DOTALL)[1]
        self.assertEqual(set(re.findall(r"\w+", listed)) - {"or"}, kinds)
        self.assertEqual(set(re.findall(r"^### (\w+)$", text("docs", "phases", "kernels-kinds.md"), re.MULTILINE)), kinds)

    def test_blocks_have_a_language(self):
        wrong = [f"{block.where()}: {block.language or 'none'}" for page in blocks.pages() for block in blocks.blocks_of(page)
                 if block.language not in blocks.LANGUAGES]
        self.assertEqual(wrong, [], "`text` is for what is no language; sh is run")

    def test_python_is_python(self):
        for page in blocks.pages():
            for block in blocks.blocks_of(page):
                if block.language == "python":
                    compile("\n" * block.line + block.text, page, "exec")

    def test_first_steps_are_few(self):
        """The path of a page for newcomers is the section that says in its heading how many commands it takes: five at most."""
        words = {"two": 2, "three": 3, "four": 4, "five": 5}
        starts = [page for page in blocks.pages() if page.startswith("docs/start/")]
        self.assertEqual(len(starts), 4)
        for page in starts:
            sections = re.findall(r"^## In (\w+) commands\n(.*?)(?=^## )", blocks.read(page), re.MULTILINE | re.DOTALL)
            self.assertEqual(len(sections), 1, page)
            commands = [line for block in re.findall(r"^```sh\n(.*?)^```$", sections[0][1], re.MULTILINE | re.DOTALL)
                        for line in block.replace("\\\n", "").splitlines()]
            self.assertEqual(len(commands), words[sections[0][0]], page)
            self.assertFalse([line for line in commands if re.search(r"&&|;|\|", line)], page)

    def test_what_is_not_run_is_listed(self):
        """A new block that is not run is seen by whoever reads the change to not-run.txt; this shows how the list must be."""
        found = [f"{block.page}: {block.text.split(chr(10), 1)[0].split('#')[0].strip()}: {block.reason}"
                 for page in blocks.pages() for block in blocks.blocks_of(page) if block.reason]
        with open(NOT_RUN, encoding="utf-8") as file:
            self.assertEqual(file.read(), "".join(line + "\n" for line in found), f"{NOT_RUN} must say what blocks are not run and why")
        self.assertTrue(all(os.path.exists(os.path.join(blocks.ROOT, line.split(":")[0])) for line in found))


if __name__ == "__main__":
    unittest.main()
