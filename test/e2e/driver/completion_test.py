#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What shells complete, asked of the shells themselves."""
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

FOLDER = os.path.join(os.environ.get("NACRE_BUILD", os.path.join(nacre.ROOT, "build", "release")), "completions")
ASKED = {  # what is typed, and what could follow
    "nacre-compile --accuracy=": ["fast", "strict"],
    "nacre-compile --place=": ["auto", "cpu", "gpu"],
    "nacre-compile --emit=": ["asm", "llvm-ir", "obj", "so"],
    "nacre-compile --weight-type=f": ["fp16", "fp32"],
    "nacre-compile --target=android": ["android-arm64", "android-x86_64"],
    "nacre-compile --compile-to=p": ["package", "place"],
    "nacre-run --gpu-se": ["--gpu-self-test", "--gpu-sequential"],
    "nacre-run --bench": ["--benchmark"],
}
BASH = """
source "$1"
IFS=' ' read -ra COMP_WORDS <<< "$(sed 's/=/ = /g' <<< "$2")"
[[ $2 == *[=\\ ] ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; }
"$3"
printf '%s\\n' "${COMPREPLY[@]}"
"""


class CompletionTest(nacre.NacreTest):
    def test_bash(self):
        for typed, words in ASKED.items():
            program = typed.split()[0]
            said = self.call("bash", "-c", BASH, "bash", os.path.join(FOLDER, "bash", program), typed, "_" + program.replace("-", "_"))
            self.assertEqual(sorted(said.split()), words, typed)

    def test_fish(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")
        for typed, words in ASKED.items():
            script = os.path.join(FOLDER, "fish", typed.split()[0] + ".fish")
            said = self.call("fish", "--no-config", "-c", f"source {script}; complete -C '{typed}'", cwd=self.folder)
            self.assertEqual(sorted(re.sub(r"^--?[\w-]+=", "", line.split("\t")[0]) for line in said.splitlines()), words, typed)

    def test_response_files(self):
        open(self.path("options.txt"), "w", encoding="utf-8").close()
        script = os.path.join(FOLDER, "bash", "nacre-run")
        said = self.call("bash", "-c", BASH, "bash", script, "nacre-run @opt", "_nacre_run", cwd=self.folder)
        self.assertEqual(said, "@options.txt\n")
        if shutil.which("fish"):
            script = os.path.join(FOLDER, "fish", "nacre-run.fish")
            said = self.call("fish", "--no-config", "-c", f"source {script}; complete -C 'nacre-run @opt'", cwd=self.folder)
            self.assertEqual(said.split("\t")[0].strip(), "@options.txt")

    def test_zsh_takes_them(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        for name in os.listdir(os.path.join(FOLDER, "zsh")):
            self.call("zsh", "-n", os.path.join(FOLDER, "zsh", name))

    def test_all_programs_have_them(self):
        programs = {name for name in os.listdir(nacre.BIN) if re.fullmatch(r"nacre-(?!fuzz)[a-z-]+", name)}
        programs &= {name.removesuffix(".1") for name in os.listdir(os.path.join(os.path.dirname(FOLDER), "man", "man1"))}
        for shell, name in (("bash", "{}"), ("zsh", "_{}"), ("fish", "{}.fish")):
            self.assertEqual(set(os.listdir(os.path.join(FOLDER, shell))), {name.format(program) for program in programs})

    def test_options_are_those_of_help(self):
        with open(os.path.join(FOLDER, "bash", "nacre-compile"), encoding="utf-8") as file:
            listed = re.findall(r"compgen -W '(-[^']*)'", file.read())[0].split()
        helped = re.findall(r"^  (--?[a-zA-Z][\w-]*)", self.call(os.path.join(nacre.BIN, "nacre-compile"), "--help"), re.MULTILINE)
        self.assertLess(20, len(helped))
        self.assertEqual([name.rstrip("=") for name in listed], helped)


if __name__ == "__main__":
    unittest.main()
