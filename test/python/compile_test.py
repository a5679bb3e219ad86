#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nacre.compile: how keywords become options, what it leaves behind, what errors say, and that Ctrl-C ends the compiler."""
import collections
import errno
import json
import logging
import os
import pickle
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
import unittest

import numpy
import packaged

import nacre
import python_options
from nacre._library import find_symbol
from nacre.wording import in_python

A = numpy.arange(6, dtype="float32").reshape(2, 3)
B = numpy.array([10, 20, 30], "float32")

# Notes what it was called with, and makes a report.
ECHO = """#!{python}
import json, os, sys
with open({seen!r}, "w") as file:
    json.dump(sys.argv[1:], file)
with open(next(word for word in sys.argv if word.startswith("--report="))[9:], "w") as file:
    file.write("{{}}")
"""

SLEEPER = """#!{python}
import os, time
with open({seen!r} + ".new", "w") as file:
    file.write(str(os.getpid()))
os.rename({seen!r} + ".new", {seen!r})
time.sleep(600)
"""

INTERRUPTED = """
import sys
sys.path.insert(0, {tests!r})
import packaged, nacre
try:
    nacre.compile({model!r}, compiler={compiler!r}, library={library!r})
except KeyboardInterrupt:
    sys.exit(42)
"""


class CompileTest(packaged.PackageTest):
    def script(self, name, text):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.format(python=sys.executable, seen=self.path("seen")))
        os.chmod(path, stat.S_IRWXU)
        return path

    def options(self, **options):
        """The command line that keywords become, but for what is always there."""
        nacre.compile("model.onnx", target="android-arm64", compiler=self.script("echo", ECHO), **options)
        with open(self.path("seen"), encoding="utf-8") as file:
            words = json.load(file)
        self.assertEqual([words[0], words[1], words[3]], ["model.onnx", "-o", "--target=android-arm64"])
        self.assertTrue(words[-1].startswith("--report="))
        self.assertTrue(words[-2].startswith("--kernel-cache="))
        return words[4:-2]

    def test_keywords_become_options(self):
        for keywords, options in (
                ({"accuracy": "strict", "jobs": 2}, ["--accuracy=strict", "--jobs=2"]),
                ({"train": True, "accumulate": False, "clip": None}, ["--train"]),
                ({"output": ["a", "b"], "input": "x"}, ["--output=a", "--output=b", "--input=x"]),
                ({"cpu": ["cortex-a76", "cortex-a55"], "entries": ("main", "train")}, ["--cpu=cortex-a76,cortex-a55", "--entries=main,train"]),
                ({"shape": {"x": (1, 3, 224, 224), "y": "1x2", "z": ()}}, ["--shape=x=1x3x224x224", "--shape=y=1x2", "--shape=z=scalar"]),
                ({"bound": {"frames": 512, "words": numpy.int64(64)}}, ["--bound=frames=512", "--bound=words=64"]),
                ({"shape": {"x": [1, 16], "y": [(1, 16), [1, numpy.int64(64)]], "z": ["1x2", ()], "n": 5}},
                 ["--shape=x=1x16", "--shape=y=1x16", "--shape=y=1x64", "--shape=z=1x2", "--shape=z=scalar", "--shape=n=5"]),
                ({"state": {"h_in": "h_out"}, "batch_axis": {"x": 1}}, ["--state=h_in:h_out", "--batch-axis=x:1"]),
                ({"loss": {"softmax-cross-entropy": "logits"}, "set": {"n": "5"}}, ["--loss=softmax-cross-entropy:logits", "--set=n=5"])):
            with self.subTest(keywords):
                self.assertEqual(self.options(**keywords), options)

    def test_arrays_are_handed_over_as_files(self):
        graph = packaged.Graph("reshaped")
        graph.node("Reshape", [graph.input("x", [6]), graph.input("shape", [2], packaged.INT64)], output="y")
        graph.output("y", ["rows", "columns"])
        graph.save(self.path("reshaped.onnx"))
        model = nacre.compile(self.path("reshaped.onnx"), set={"shape": numpy.array([2, 3])})
        numpy.testing.assert_array_equal(model.run(A.reshape(6))["y"], A)

    def test_types_of_options_are_those_of_help(self):
        program = os.path.join(packaged.ROOT, "tools", "dev", "python_options.py")
        self.assertEqual(self.call(sys.executable, program, nacre.find_program("nacre-compile")), "")

    def test_an_option_that_is_new_or_has_an_unknown_value_is_noticed(self):
        helped = self.call(nacre.find_program("nacre-compile"), "--help")
        program = os.path.join(packaged.ROOT, "tools", "dev", "python_options.py")
        for line, words in (("  --new=<N> - A new option", "options.py must have the options of nacre-compile --help, but differs; fix: "),
                            ("  --new=<half a dozen> - Odd", "--new=<half a dozen> has no type; add it to TYPES in ")):
            with open(self.path("help"), "w", encoding="utf-8") as file:
                file.write(helped.replace("\nTarget:\n", f"\nTarget:\n\n{line}\n", 1))
            self.assertIn(words, self.call(sys.executable, program, self.script("helper", "#!/bin/sh\ncat " + self.path("help")), status=1))

    def test_options_are_read_from_lines_of_any_width(self):
        wide = "Target:\n\n  --accuracy=<fast|strict>               - How exact; repeatable\n  -j                                     - Jobs\n"
        narrow = "Target:\n\n  --accuracy=<fast|strict>\n                        How exact;\n                        repeatable\n  -j                    Jobs\n"
        for text in (wide, narrow):
            self.assertEqual(python_options.read_options(text), [["Target", "accuracy", "fast|strict", False, "How exact; repeatable"],
                                                                 ["Target", "j", None, False, "Jobs"]])

    def test_one_target(self):
        with self.assertRaisesRegex(nacre.OptionError, "target must be a single one, .*, but is 'linux-arm64,android-arm64'; call compile for each"):
            nacre.compile(self.path("reshaped.onnx"), target="linux-arm64,android-arm64")

    def test_options_that_are_not_there(self):
        model = self.model("sums")
        for keywords, words in (
                ({"accuracy": "best"}, "accuracy must be fast or strict, but is 'best'"),
                ({"target": "android-arm65"}, "target must be host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64, but is 'android-arm65'; did you mean 'android-arm64'?"),
                ({"weight_type": "fp16", "accuracy": "strict"}, "accuracy='strict' cannot be combined with weight_type='fp16', which rounds weights"),
                ({"clip": "norm:1"}, "clip requires train=True"),
                ({"place": "auto"}, "place='auto' requires device=<name>; nacre-compile --device=list prints the names"),
                ({"jobs": "many"}, "jobs must be a whole number, at least 0, but is 'many'; see help(nacre.CompileOptions)"),
                ({"quiet": True}, "quiet is not an option of compile(), which sets --quiet itself"),
                ({"check": True}, "check is not an option of compile(), because it makes no library; run nacre-compile --check"),
                ({"output": {"a": 1}}, "output does not accept a dict; options that do are batch_axis, bound, dropout, entry_weight, loss, set, shape, state"),
                ({"for_": "list"}, "for_='list' makes no library; run nacre-compile --for=list"),
                ({"cpu": "list"}, "cpu='list' makes no library; run nacre-compile --cpu=list"),
                ({"acuracy": "strict"}, "unknown option 'acuracy'; did you mean 'accuracy'?"),
                ({"wieght_type": "fp16"}, "unknown option 'wieght_type'; did you mean 'weight_type'?"),
                ({"libary": "x.so"}, "unknown option 'libary'; did you mean 'library'?"),
                ({"batch": 4}, "unknown option 'batch'; shape={'<input>': (4, 3, 224, 224)} sets the batch"),
                ({"threads": 2}, "unknown option 'threads'; model.session(threads=2) sets the threads of runs"),
                ({"help_hidden": True}, "these options make no library; run nacre-compile --target=host --help-hidden"),
                ({"library": self.path("no", "lib.so")}, f"the folder of library='{self.path('no', 'lib.so')}' does not exist")):
            with self.subTest(words):
                self.assert_says(nacre.OptionError, words, nacre.compile, model, **keywords)
        with self.assertRaisesRegex(nacre.OptionError, r"^unknown option 'acc'; help\(nacre.CompileOptions\) lists them") as caught:
            nacre.compile(model, acc=1)
        self.assertEqual(caught.exception.status, 2)
        self.assertIsInstance(caught.exception, ValueError)
        with self.assertRaisesRegex(nacre.CompileError, "error: shape must name an input of the model, but names 'z'") as caught:
            nacre.compile(model, shape={"z": [1]})
        self.assertTrue(caught.exception.diagnostics[0].message.startswith("shape must name"))
        self.assertIn("--shape must name", caught.exception.output, "the compiler's own words")

    def test_no_output_is_a_file_that_is_read(self):
        model, folder = self.model("sums"), self.path("there")
        os.mkdir(folder)
        shutil.copy(model, os.path.join(folder, "a.h"))
        os.link(os.path.join(folder, "a.h"), os.path.join(folder, "m.so"))
        saved = os.path.join(folder, "a.h")
        for library, keywords, words in (
                (saved, {}, "the header of library must not name the file of library"),  # both are a.h
                ("m.so", {}, "library must not name a file that is read"),
                ("liba.so", {}, "the header of library must not name a file that is read"),
                ("new.so", {"time_trace": os.path.join(folder, "new.so")}, "time_trace must not name the file of library, but both are"),
                ("new.so", {"time_trace": saved}, "time_trace must not name"),
                ("new.so", {"weights_in": "file", "time_trace": os.path.join(folder, "new.weights")}, "time_trace must not name the file of the weights file of library")):
            with self.subTest(library=library, **keywords):
                with self.assertRaises(nacre.OptionError) as caught:
                    nacre.compile(saved, library=os.path.join(folder, library), **keywords)
                self.assertIn(words, str(caught.exception))
                self.assertEqual(sorted(os.listdir(folder)), ["a.h", "m.so"])
                with open(saved, "rb") as now, open(model, "rb") as before:
                    self.assertEqual(now.read(), before.read())
        nacre.compile(saved, library=os.path.join(folder, "new.so"))
        nacre.compile(saved, library=os.path.join(folder, "new.so"))

    def test_messages_name_keywords(self):
        graph = packaged.Graph("open")
        graph.node("Relu", [graph.input("image", ["batch", 3, "height", "width"])], output="y")
        graph.output("y", ["batch", 3, "height", "width"])
        graph.save(self.path("open.onnx"))
        with self.assertRaises(nacre.CompileError) as caught:
            nacre.compile(self.path("open.onnx"))
        self.assertIn("give it with shape={'image': (<batch>, 3, <height>, <width>)}", str(caught.exception))
        for said, worded in (("run nacre-run --threads=2 x.so --quiet", "run nacre-run --threads=2 x.so --quiet"),
                             ("--batch-axis=<input>:<axis>", "batch_axis={'<input>': <axis>}"),
                             ("--cpu=cortex-a76,cortex-a55.", "cpu=['cortex-a76', 'cortex-a55']."),
                             ("pass --loss, omit --train-batch (--seed)", "pass loss=, omit train_batch (seed)"),
                             ("--for=list lists them", "nacre-compile --for=list lists them")):
            self.assertEqual(in_python(said), worded)

    def test_diagnostics(self):
        path = self.model("unsupported")
        error = self.assert_says(nacre.CompileError, f"{path}:\"discombobulate_0\": error: unsupported operator 'Discombobulate' (opset 13)",
                                 nacre.compile, path)
        self.assertEqual(error.diagnostics, [(path, "discombobulate_0", "error", "unsupported operator 'Discombobulate' (opset 13)")])
        self.assertEqual((error.status, error.output), (1, str(error) + "\n"))
        missing = self.assert_says(FileNotFoundError, f"{self.path('no.onnx')}: error: cannot open '{self.path('no.onnx')}': "
                                   "No such file or directory", nacre.compile, self.path("no.onnx"))
        self.assertIsInstance(missing, nacre.CompileError)
        self.assertEqual((missing.diagnostics[0].node, missing.diagnostics[0].severity), (None, "error"))
        self.assertEqual((missing.filename, missing.errno, missing.status), (self.path("no.onnx"), errno.ENOENT, 1))
        self.assertEqual(vars(pickle.loads(pickle.dumps(missing))), vars(missing))
        self.assertEqual(pickle.loads(pickle.dumps(missing)).filename, missing.filename)
        self.assert_says(nacre.CompileError, "cannot start '/no/nacre-compile': No such file or directory", nacre.compile, path,
                         compiler="/no/nacre-compile")

    def test_it_writes_where_it_is_told_and_nothing_else(self):
        library = self.path("libnamed.so")
        model = nacre.compile(self.model("sums"), library=library, jobs=1)
        self.assertEqual(sorted(os.listdir(self.folder)), ["libnamed.so", "named.h", "sums.onnx"])
        self.assertEqual((model.path, model.name), (library, "named"))
        with self.assertRaises(nacre.CompileError):
            nacre.compile(self.model("unsupported"), library=self.path("libother.so"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["libnamed.so", "named.h", "sums.onnx", "unsupported.onnx"])

    def test_a_temporary_library_goes_with_its_model(self):
        model = nacre.compile(self.model("sums"), jobs=1)
        path = model.path
        model.save(self.path("libkept.so"))
        session = model.session()
        del model
        self.assertFalse(os.path.exists(os.path.dirname(path)))
        numpy.testing.assert_array_equal(session.run([A, B])["sum"], A + B)
        numpy.testing.assert_array_equal(nacre.load(self.path("libkept.so")).run(A, B)["sum"], A + B)

    def test_compiled_anew_while_the_old_one_runs(self):
        library = self.path("libsums.so")
        old = nacre.compile(self.model("sums"), library=library, jobs=1)
        session = old.session()
        graph = packaged.Graph("other")
        graph.node("Mul", [graph.input("a", [2, 3]), graph.input("b", [3])], output="product")
        graph.output("product", [2, 3])
        graph.save(self.path("sums.onnx"))
        new = nacre.compile(self.path("sums.onnx"), library=library, jobs=1)
        numpy.testing.assert_array_equal(new.run(A, B)["product"], A * B)
        numpy.testing.assert_array_equal(nacre.load(library).run(A, B)["product"], A * B)
        numpy.testing.assert_array_equal(session.run([A, B])["sum"], A + B)

    def test_bytes_and_names_with_spaces(self):
        with open(self.model("sums"), "rb") as file:
            data = file.read()
        numpy.testing.assert_array_equal(nacre.compile(data, jobs=1).run(A, B)["sum"], A + B)
        odd = self.path("a b-c.1.onnx")
        with open(odd, "wb") as file:
            file.write(data)
        numpy.testing.assert_array_equal(nacre.compile(odd, jobs=1).run(A, B)["sum"], A + B)

    def test_for_another_machine(self):
        other, name = ("linux-arm64", "arm64") if os.uname().machine == "x86_64" else ("linux-x86_64", "x86-64")
        model = nacre.compile(self.model("sums"), target=other, library=self.path("libother.so"), jobs=1)
        self.assertEqual(model.report["target"], other)
        with self.assertRaisesRegex(nacre.LoadError, f"must be for .*, but is for {name}; run it there$"):
            model.run(A, B)

    def test_files_that_are_no_model(self):
        program = nacre.find_program("nacre-run")
        for path, words in ((self.model("sums"), "'{}' must be a .so made by nacre-compile, but is not a shared library"),
                            (program, "'{}' must be a .so made by nacre-compile, but exports no nacre_model_<name>"),
                            (self.path("no.so"), "cannot open '{}': No such file or directory")):
            self.assert_says(nacre.LoadError, words.format(os.path.realpath(path)), nacre.load, path)
        open(self.path("empty.so"), "wb").close()
        self.assert_says(nacre.LoadError, f"'{os.path.realpath(self.path('empty.so'))}' must be a .so made by nacre-compile, but is not a "
                         "shared library", nacre.load, self.path("empty.so"))
        whole = nacre.compile(self.model("sums"), jobs=1)
        with open(whole.path, "rb") as file:
            data = file.read()
        for length in (64, 1000, len(data) // 2, len(data) - 100):
            with open(self.path("cut.so"), "wb") as file:
                file.write(data[:length])
            with self.assertRaisesRegex(nacre.LoadError, f" is incomplete: it must have at least .* bytes, but has {length}; copy or download it again$"):
                nacre.load(self.path("cut.so"))

    def test_a_library_from_before_versions_were_compatible(self):
        with open(self.path("old.c"), "w", encoding="utf-8") as file:
            file.write("#include <nacre/runtime.h>\nstatic const nacre_functions functions = {sizeof functions, 5};\n"
                       "extern const nacre_model nacre_model_old;\nconst nacre_model nacre_model_old = {&functions};\n")
        self.call(os.environ.get("CC", "cc"), "-shared", "-fPIC", "-I", os.path.join(packaged.ROOT, "runtime", "include"), self.path("old.c"),
                  "-o", self.path("libold.so"))
        self.assert_says(nacre.LoadError, f"'{self.path('libold.so')}' was compiled by a Nacre older than 0.1 (its interface is 5, "
                         "6 is the oldest that this package supports); compile the model again", nacre.load, self.path("libold.so"))

    def test_damaged_libraries_are_said_to_be(self):
        """By the code of all programs, which test/fuzz damages more."""
        whole = nacre.compile(self.model("sums"), jobs=1)
        with open(whole.path, "rb") as file:
            data = file.read()
        draw = random.Random(7)
        outcomes = collections.Counter()
        for _ in range(400):
            damaged = bytearray(data)
            damaged[draw.choice([draw.randrange(1024), draw.randrange(len(data))])] ^= 1 << draw.randrange(8)
            with open(self.path("damaged.so"), "wb") as file:
                file.write(damaged)
            try:
                outcomes[find_symbol(self.path("damaged.so"))] += 1
            except nacre.LoadError as error:
                outcomes["is damaged" if "' is damaged: " in str(error) else "other"] += 1
        self.assertLessEqual({"nacre_model_sums", "is damaged"}, set(outcomes))
        self.assertGreater(outcomes["is damaged"], outcomes["nacre_model_sums"])

    def test_messages_go_to_the_log(self):
        with self.assertLogs("nacre", logging.INFO) as logged:
            nacre.compile(self.model("sums"), jobs=1)
        self.assertRegex(logged.output[0], r"^INFO:nacre:\S+libsums.so for ")

    def test_ctrl_c_ends_the_compiler(self):
        folder = self.path("out")
        os.mkdir(folder)
        program = self.script("sleeper", SLEEPER)
        text = INTERRUPTED.format(tests=os.path.dirname(os.path.abspath(__file__)), model=self.model("sums"), compiler=program,
                                  library=os.path.join(folder, "libsums.so"))
        # Alone: a terminal would send the signal to the compiler as well.
        child = subprocess.Popen([sys.executable, "-c", text], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        while not os.path.exists(self.path("seen")):
            self.assertIsNone(child.poll())
            time.sleep(0.02)
        with open(self.path("seen"), encoding="ascii") as file:
            compiler_id = int(file.read())
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(timeout=packaged.COMMAND_SECONDS), 42)
        with self.assertRaises(ProcessLookupError):
            os.kill(compiler_id, 0)
        self.assertEqual(os.listdir(folder), [])

    def test_a_limit_of_time(self):
        error = self.assert_says(nacre.CompileError, "the compiler took more than 0.5 s and was killed", nacre.compile, self.model("sums"),
                                 compiler=self.script("sleeper", SLEEPER), timeout=0.5)
        self.assertEqual(error.status, -signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
