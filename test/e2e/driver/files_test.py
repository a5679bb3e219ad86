#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No output of a program is a file that it reads, or another output, however both are spelled: an error that names both options.

What: dialects/NamedFiles.h as its users see it. The options that name files are those of --help, so that none is forgotten.
"""
import itertools
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import onnx_writer

sys.path.insert(0, os.path.join(nacre.ROOT, "tools", "dev"))
import help_text

READ, WRITTEN, FOLDER = "read", "written", "folder"
PROFILE = os.path.join(nacre.ROOT, "compiler", "place", "profiles", "snapdragon-778g.json")
USAGE = 2
MODEL_INPUTS = {"--set": (READ, "--set=x={}"), "--checkpoint": (READ, "--checkpoint={}"), "--weights": (READ, "--weights={}")}
# What each program does with the files of each option, and how the option is typed. A name without dashes is an argument.
FILES = {
    "nacre-compile": {"the model": (READ, "{}"), **MODEL_INPUTS, "--device": (READ, "--device={}"), "-o": (WRITTEN, "-o {}"),
                      "--report": (WRITTEN, "--report={}"), "--kernel-cache": (FOLDER, "--kernel-cache={}"), "--time-trace": (WRITTEN, "--time-trace={}")},
    "nacre-run": {"the library": (READ, "{}"), "--input": (READ, "--input=x={}"), "--state": (READ, "--state=h={}"), "--expect": (READ, "--expect=a=b={}"),
                  "--resume": (READ, "--resume={}"), "--weights": (READ, "--weights={}"), "--weights-file": (READ, "--weights-file={}"),
                  "--label": (READ, "--label={}"), "--test-input": (READ, "--test-input=x={}"), "--test-label": (READ, "--test-label=name={}"),
                  "--order": (READ, "--order={}"), "--output": (FOLDER, "--output={}"), "--cache": (FOLDER, "--cache={}"),
                  "--save-inputs": (FOLDER, "--save-inputs={}"), "--save": (WRITTEN, "--save={}"), "--info": (WRITTEN, "--info={}"), "--profile": (WRITTEN, "--profile={}"), "--trace": (WRITTEN, "--trace={}"),
                  "--report": (READ, "--report={}"), "--log": (WRITTEN, "--log={}")},
    "nacre-eval": {"the model": (READ, "{}"), **MODEL_INPUTS, "--input": (READ, "--input=x={}"), "--expect": (READ, "--expect=y={}"),
                   "--output": (FOLDER, "--output={}")},
    "nacre-diff": {**MODEL_INPUTS, "--input": (READ, "--input=x={}"), "--against": (READ, "--against={}")},
    "nacre-translate": {"the model": (READ, "{}"), **MODEL_INPUTS, "--state": (READ, "--state={}"), "-o": (WRITTEN, "-o {}")},
    "nacre-report": {"a report or log": (READ, "{}"), "--profile": (READ, "--profile={}"), "-o": (WRITTEN, "-o {}")},
    "nacre-package": {"a library": (READ, "{}"), "--runtime": (READ, "--runtime={}"), "-o": (WRITTEN, "-o {}"), "--maven": (FOLDER, "--maven={}")},
    "nacre-tune": {"--base": (READ, "--base={}"), "--kernels": (READ, "--kernels={}"), "-o": (WRITTEN, "-o {}")},
    "nacre-kernel": {"the module": (READ, "{}"), "-o": (WRITTEN, "-o {}")},
    "nacre-opt": {"the module": (READ, "{}"), "-o": (WRITTEN, "-o {}"), "--mlir-generate-reproducer": (WRITTEN, "--mlir-generate-reproducer={}")},
    "nacre-try": {"the library": (READ, "{}"), "--input": (READ, "--input=x={}"), "--weights-file": (READ, "--weights-file={}"),
                  "--output": (FOLDER, "--output={}"), "--profile": (WRITTEN, "--profile={}"), "--cache": (FOLDER, "--cache={}"),
                  "--figures": (WRITTEN, "--figures={}"), "--kernels": (READ, "--kernels={}")},
}
# What must be there so that an option may be, and what stands for an argument that a pair is not about.
ALSO = {("nacre-run", "--label"): "--train", ("nacre-run", "--test-input"): "--train", ("nacre-run", "--test-label"): "--train",
        ("nacre-run", "--order"): "--train", ("nacre-run", "--log"): "--train", ("nacre-package", "--runtime"): "--maven=maven",
        ("nacre-translate", "-o"): "--state=other", ("nacre-tune", "--kernels"): "--base=other", ("nacre-tune", "-o"): "--base=other"}
# A state goes on: it is read completely before it is saved.
IN_PLACE = {("--resume", "--save")}
# Its value is the word `file`; and MLIR's options, which --help does not list.
NO_FILES, NOT_LISTED = {"--weights-in"}, {"--mlir-generate-reproducer"}
NAMES_FILE = re.compile(r"file|folder|\.(?:so|json|aar|safetensors)")


def external_model(path, weights):
    """Adds a weight that is in another file."""
    graph = onnx_writer.Graph("external")
    entries = [("location", weights), ("offset", "0"), ("length", "16")]
    external = b"".join(onnx_writer._bytes(13, onnx_writer._bytes(1, key) + onnx_writer._bytes(2, value)) for key, value in entries)
    graph.initializers.append(onnx_writer._number(1, 4) + onnx_writer._number(2, onnx_writer.FLOAT) + onnx_writer._bytes(8, "w") + external +
                              onnx_writer._number(14, 1))
    graph.node("Add", [graph.input("x", [4]), "w"], output="y")
    graph.output("y", [4])
    graph.save(path)
    with open(os.path.join(os.path.dirname(path), weights), "wb") as file:
        file.write(bytes(16))


def stateful_model(path):
    """Adds its input to a state."""
    graph = onnx_writer.Graph("sums")
    graph.node("Add", [graph.input("x", [4]), graph.input("h", [4])], output="h_out")
    graph.node("Relu", ["h_out"], output="y")
    graph.output("y", [4])
    graph.output("h_out", [4])
    graph.save(path)


class FilesTest(nacre.NacreTest):
    parts = 3

    def program(self, name, *arguments, status=0):
        # nacre-try is for phones; what it says is the same here.
        path = self.build_try() if name == "nacre-try" else os.path.join(nacre.BIN, name)
        return self.call(path, *arguments, status=status, cwd=self.folder)

    def help(self, name):
        return self.program(name, "--help")

    def contents(self):
        """Every file below the test's folder, with its bytes."""
        found = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[path] = (os.path.islink(path), file.read())
        return found

    def assert_refused(self, name, *words, says=(), status=USAGE):
        before = self.contents()
        said = self.program(name, *words, status=status)
        self.assertEqual(self.contents(), before, words)
        for part in says:
            self.assertIn(part, said)
        return said

    def test_every_option_that_names_a_file_is_here(self):
        for name, files in FILES.items():
            text = self.help(name)
            lines = text.splitlines() if name == "nacre-try" else help_text.sections(text)["OPTIONS"]
            listed = {parts[0] for kind, *parts in help_text.options(lines)
                      if kind == "option" and (NAMES_FILE.search(parts[1]) or f"{parts[0]}=<file>" in parts[2])}
            self.assertEqual(listed - NO_FILES, {option for option in files if option.startswith("-")} - NOT_LISTED, name)
        programs = {name for name in os.listdir(nacre.BIN) if re.fullmatch(r"nacre-[a-z-]+", name)}
        self.assertEqual(programs - set(FILES) - {"nacre-lsp-server"}, {name for name in programs if re.match(r"nacre-fuzz-|nacre-resident-|nacre-one-meaning|.*arm64", name)})

    def pairs(self, name):
        for (one, (use, _)), (other, (use_of_other, _)) in itertools.combinations(FILES[name].items(), 2):
            if WRITTEN in (use, use_of_other) or {use, use_of_other} == {READ, FOLDER}:
                yield one, other

    def words(self, name, options, path):
        """The command line of a program with these options, all given one path."""
        words = [word for option in options for word in FILES[name][option][1].format(path).split(" ")]
        also = {ALSO[name, option] for option in options if (name, option) in ALSO}
        words += sorted(other for other in also if other.split("=")[0] not in options)
        return words + ["other" for option in FILES[name] if not option.startswith("-") and option not in options]

    def test_all_pairs_of_options(self):
        for one in ("one.aar", "one.json"):
            shutil.copyfile(PROFILE, self.path(one))
        shutil.copyfile(PROFILE, self.path("other"))
        self.build_try()
        count = 0
        for name in FILES:
            for pair in self.pairs(name):
                if pair in IN_PLACE:
                    continue
                with self.subTest(program=name, pair=pair):
                    words = self.words(name, pair, "one.aar" if name == "nacre-package" else "one.json")
                    said = self.assert_refused(name, *words)
                    cannot = re.search(r"(--[a-z-]+) (?:cannot be combined with|requires) --train", said)
                    if cannot:
                        self.assertIn(cannot[1], pair)
                    else:
                        self.assertIn("must not name the file of", said)
                        for option in pair:
                            self.assertIn(option, said)
                    count += 1
        self.assertGreater(count, 100)

    def test_every_spelling(self):
        with open(self.path("report.json"), "w", encoding="ascii") as file:
            file.write("{}")
        os.mkdir(self.path("folder"))
        os.symlink("report.json", self.path("link.json"))
        os.link(self.path("report.json"), self.path("hard.json"))
        os.symlink(self.folder, self.path("folder", "up"))
        for spelling in ("report.json", "./report.json", "folder/../report.json", self.path("report.json"), "link.json", "hard.json", "folder/up/report.json"):
            self.assert_refused("nacre-report", "report.json", "-o", spelling, says=["-o must not name the file of a report or log", f"'{spelling}'"])
        self.assert_refused("nacre-report", "report.json", "--profile=hard.json", "-o", "link.json", says=["-o must not name the file of a report or log"])

    def test_outputs_that_do_not_exist_yet(self):
        os.mkdir(self.path("folder"))
        os.symlink("new", self.path("dangling"))
        os.symlink("folder", self.path("link"))
        library = os.path.relpath(self.compile("relu"), self.folder)
        for one, other in (("new", "new"), ("new", "./new"), ("new", "folder/../new"), ("new", self.path("new")), ("dangling", "new"),
                           ("folder/new", "link/new"), ("no/new", "./no/../no//new")):
            said = self.assert_refused_links("nacre-run", library, f"--profile={one}", f"--trace={other}")
            self.assertIn("--trace must not name the file of --profile, but ", said)
        self.program("nacre-run", library, "--profile=new", "--trace=NEW")
        self.assertTrue(os.path.exists(self.path("NEW")))

    def assert_refused_links(self, name, *words):
        before = sorted(os.listdir(self.folder))
        said = self.program(name, *words, status=USAGE)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        return said

    def test_streams_may_be_named_twice(self):
        library = self.compile("relu", "--report=/dev/null", "--time-trace=/dev/null")
        self.run_model(library, "--profile=/dev/null", "--trace=/dev/null")
        self.run_model(library, "--profile=/dev/stdout", "--trace=/dev/stdout")

    def test_files_that_belong_to_a_library(self):
        """The header and the weights file, which no option names."""
        self.compile("dense", "--weights-in=file")
        library, model = "libdense.so", "dense.onnx"
        for option in ("--report", "--time-trace"):
            for path, what in (("libdense.so", "the library"), ("dense.h", "the header"), ("libdense.weights", "the weights file")):
                self.assert_refused("nacre-compile", model, "--weights-in=file", f"{option}={path}", says=[f"{option} must not name the file of {what}"])
        shutil.copyfile(self.path(model), self.path("m.h"))
        self.assert_refused("nacre-compile", "m.h", says=["the header must not name the file of the model"])
        for option in ("--save", "--trace", "--profile"):
            self.assert_refused("nacre-run", library, f"{option}=libdense.weights", says=[f"{option} must not name the file of the weights file"])
        self.assert_refused("nacre-compile", model, "--target=android-arm64,linux-arm64", "-o", "a.so", "--report=a.so", says=["--report", "-o"])

    def test_files_that_belong_to_a_model(self):
        external_model(self.path("m.onnx"), "w.bin")
        for words in (("-o", "w.bin"), ("--report=w.bin",), ("--emit=asm", "-o", "w.bin"), ("--time-trace=./w.bin",)):
            self.assert_refused("nacre-compile", "m.onnx", *words, says=[words[-2 if words[-1] == "w.bin" else -1].split("=")[0], "the model's data"], status=1)
        self.assert_refused("nacre-translate", "m.onnx", "--state=m.onnx", "-o", "m.onnx", says=["-o must not name the file of the model"])

    def test_files_of_arguments(self):
        with open(self.path("words"), "w", encoding="ascii") as file:
            file.write("--quiet")
        self.assert_refused("nacre-compile", os.path.basename(self.model("relu")), "@words", "-o", "words", says=["-o must not name the file of @words"])

    def test_files_of_tensors(self):
        """Of --output=<folder>, in nacre-run and nacre-eval."""
        stateful_model(self.path("sums.onnx"))
        self.program("nacre-compile", "sums.onnx", "--state=h:h_out", "-o", "libsums.so", "--quiet")
        os.mkdir(self.path("out"))
        self.program("nacre-run", "libsums.so", "--output=out")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["h.npy", "y.npy"])
        for name, model in (("nacre-run", ["libsums.so"]), ("nacre-eval", ["sums.onnx", "--state=h:h_out"])):
            self.assert_refused(name, *model, "--output=out", "--expect=y=out/y.npy", says=["--output for the output 'y'", "--expect"])
            self.assert_refused(name, *model, "--output=out", "--input=x=./out/h.npy", says=["--output for the state 'h'", "--input"])
        self.assert_refused("nacre-run", "libsums.so", "--output=out", "--state=h=out/h.npy", says=["--output for the state 'h'", "--state"])
        self.assert_refused("nacre-run", "libsums.so", "--output=out", "--save=out/y.npy", says=["--output for the output 'y'", "--save"])
        self.assert_refused("nacre-run", "libsums.so", "--output=out", "--trace=out/y.npy", says=["--output for the output 'y'", "--trace"])
        # What is compared is what was there before.
        os.mkdir(self.path("new"))
        self.program("nacre-run", "libsums.so", "--output=new", "--expect=y=out/y.npy")
        self.assertIn("differs", self.program("nacre-run", "libsums.so", "--output=new", "--seed=2", "--expect=y=out/y.npy", status=1))

    def test_wrong_expectations_are_said_before_anything_is_written(self):
        os.mkdir(self.path("out"))
        library = self.compile("relu")
        for expected in ("y=missing.npy", "z=missing.npy"):
            self.run_model(library, f"--output={self.path('out')}", f"--expect={expected}", status=USAGE)
            self.call(os.path.join(nacre.BIN, "nacre-eval"), self.model("relu"), f"--output={self.path('out')}", f"--expect={expected}", status=USAGE)
        self.assertEqual(os.listdir(self.path("out")), [])

    def test_a_state_goes_on_in_its_file(self):
        stateful_model(self.path("sums.onnx"))
        self.program("nacre-compile", "sums.onnx", "--state=h:h_out", "-o", "libsums.so", "--quiet")
        self.program("nacre-run", "libsums.so", "--save=h.safetensors")
        self.program("nacre-run", "libsums.so", "--resume=h.safetensors", "--save=./h.safetensors")

    def test_empty_values(self):
        model = self.model("relu")
        for name, options in (("nacre-compile", ("tag", "cpu", "device", "weights", "checkpoint", "report", "name", "o", "set", "time-trace", "train-op", "for")),
                              ("nacre-eval", ("tag", "weights", "checkpoint", "output", "expect")), ("nacre-translate", ("tag", "state", "o")),
                              ("nacre-package", ("class", "maven", "o")), ("nacre-report", ("profile", "o")), ("nacre-kernel", ("kernel", "o")),
                              ("nacre-diff", ("against", "entry"))):
            for option in options:
                dashes = "-" if len(option) == 1 else "--"
                models = [model, model] if name == "nacre-diff" else [model]
                said = self.program(name, *models, f"{dashes}{option}=", status=USAGE)
                self.assertRegex(said, f"^{name}: (error: )?{dashes}{option} must be .*, but is ''; see --help\n$")
                if option != "time-trace":  # Its value is optional, and never the next word.
                    self.assertEqual(self.program(name, *models, f"{dashes}{option}", "", status=USAGE), said)
        for option in ("--kernels", "-o"):
            self.assertIn(f"{option} must be ", self.program("nacre-tune", "--base=x", *([option, ""] if option == "-o" else [f"{option}="]), status=USAGE))


if __name__ == "__main__":
    unittest.main()
