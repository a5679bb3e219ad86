#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of nacre.compile: what is the same model, where the cache is, several processes, and its limit."""
import os
import pickle
import shutil
import stat
import subprocess
import sys
import unittest
import unittest.mock

import numpy
import packaged
from cached import CachedTest

import nacre
from nacre import cache

A = numpy.arange(6, dtype="float32").reshape(2, 3)
B = numpy.array([10, 20, 30], "float32")
WORKER = """
import sys
sys.path.insert(0, {tests!r})
import os, packaged, nacre
os.environ["NACRE_CACHE"] = {folder!r}
print(nacre.compile({model!r}, compiler={compiler!r}, jobs=1).path)
"""


class CacheTest(CachedTest):
    # --- What is the same -------------------------------------------------------------------------------------------

    def test_the_second_time_nothing_is_compiled(self):
        first = self.compile(self.model("sums"))
        with self.assertLogs("nacre", "INFO") as logged:
            second = self.compile(self.model("sums"))
        self.assertEqual(self.calls(), 1)
        self.assertEqual((second.path, second.name), (first.path, "sums"))
        numpy.testing.assert_array_equal(second.run(A, B)["sum"], A + B)
        self.assertEqual(second.report, first.report)
        self.assertEqual((second.report["output"], second.diagnostics), (second.path, first.diagnostics))
        self.assertIn(second.path + " for ", logged.output[0], "messages are repeated, with the place where the library is")
        self.assertTrue(first.path.startswith(self.path("cache")))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("cache")).st_mode), 0o700)

    def test_content_counts_and_not_the_path(self):
        first = self.compile(self.model("sums"))
        os.mkdir(self.path("other"))
        shutil.copy(self.model("sums"), self.path("other", "sums.onnx"))
        second = self.compile(self.path("other", "sums.onnx"))
        self.assertEqual((self.calls(), second.path), (1, first.path))
        self.assertEqual(second.report["model"], self.path("other", "sums.onnx"))
        packaged.running_sum_model().save(self.model("sums"))
        self.assertEqual([info.name for info in self.compile(self.model("sums")).inputs], ["x", "before"])
        self.assertEqual(self.calls(), 1)

    def test_options_count_except_jobs(self):
        model = self.model("sums")
        for count, options in ((1, {}), (0, {"jobs": 1}), (0, {"progress": True}), (1, {"accuracy": "strict"}), (0, {"accuracy": "strict"}),
                               (1, {"name": "other"}), (1, {"target": "android-arm64"}), (0, {"target": "android-arm64"}),
                               (1, {"library": self.path("libother.so")}), (0, {"library": self.path("libother.so")}), (0, {"train": False})):
            with self.subTest(options):
                self.compile(model, **options)
                self.assertEqual(self.calls(), count)

    def test_the_compiler_counts(self):
        self.compile(self.model("sums"))
        self.compile(self.model("sums"), compiler=self.counter("# Another version.", "newer"))
        self.assertEqual(self.calls(), 2)

    def test_the_version_that_a_script_calls_counts(self):
        script = self.counter(f'[ "$1" = --version ] && exec cat {self.path("version")}')
        for version, count in (("1", 1), ("1", 0), ("2", 1)):
            with open(self.path("version"), "w", encoding="ascii") as file:
                file.write(version)
            nacre.compile(self.model("sums"), compiler=script)
            self.assertEqual(self.calls(), count)

    def test_the_libraries_that_a_program_loads_count(self):
        """The program is the same after an upgrade of LLVM."""
        compiler, notes = nacre.find_program("nacre-compile"), self.path("calls")
        with open(self.path("version.c"), "w", encoding="ascii") as file:
            file.write("int version(void) { return VERSION; }\n")
        with open(self.path("starter.c"), "w", encoding="ascii") as file:
            file.write(f'''#include <stdio.h>
#include <unistd.h>
int version(void);
int main(int count, char **words) {{
  FILE *calls = fopen("{notes}", "a");
  fputs("x\\n", calls);
  fclose(calls);
  return version() && count ? execv("{compiler}", words) : 1;
}}
''')
        cc, library, program = os.environ.get("CC", "cc"), self.path("libversion.so"), self.path("starter")
        for version, count in (("1", 1), ("1", 0), ("2", 1), ("1", 0)):
            self.call(cc, "-shared", "-fPIC", f"-DVERSION={version}", "-Wl,--build-id", self.path("version.c"), "-o", library)
            if not os.path.exists(program):
                self.call(cc, self.path("starter.c"), library, f"-Wl,-rpath,{self.folder}", "-o", program)
            nacre.compile(self.model("sums"), compiler=program)
            self.assertEqual(self.calls(), count, version)
        self.call(cc, "-shared", "-fPIC", "-DVERSION=3", "-Wl,--build-id=none", self.path("version.c"), "-o", library)
        for count in (1, 0):
            nacre.compile(self.model("sums"), compiler=program)
            self.assertEqual(self.calls(), count, "a library without a build ID")

    def test_arrays_count(self):
        graph = packaged.Graph("reshaped")
        graph.node("Reshape", [graph.input("x", [6]), graph.input("shape", [2], packaged.INT64)], output="y")
        graph.output("y", ["rows", "columns"])
        graph.save(self.path("reshaped.onnx"))
        for shape, count in (((2, 3), 1), ((2, 3), 0), ((3, 2), 1)):
            model = self.compile(self.path("reshaped.onnx"), set={"shape": numpy.array(shape)})
            self.assertEqual((model.outputs[0].shape, self.calls()), (shape, count))

    def test_bytes_of_a_model(self):
        with open(self.model("sums"), "rb") as file:
            data = file.read()
        for count in (1, 0):
            numpy.testing.assert_array_equal(self.compile(data).run(A, B)["sum"], A + B)
            self.assertEqual(self.calls(), count)

    def test_a_library_that_is_asked_for_is_a_file_of_its_own(self):
        for name in ("first", "second"):
            os.mkdir(self.path(name))
            model = self.compile(self.model("sums"), library=self.path(name, "libsums.so"))
            self.assertEqual(sorted(os.listdir(self.path(name))), ["libsums.so", "sums.h"])
            self.assertEqual((model.path, model.report["output"]), (self.path(name, "libsums.so"),) * 2)
            numpy.testing.assert_array_equal(model.run(A, B)["sum"], A + B)
        self.assertEqual(self.calls(), 1)
        self.assertEqual(os.stat(self.path("second", "libsums.so")).st_nlink, 1)
        nacre.clear_cache()
        numpy.testing.assert_array_equal(nacre.load(self.path("second", "libsums.so")).run(A, B)["sum"], A + B)

    # --- Where it is ------------------------------------------------------------------------------------------------

    def test_it_can_be_switched_off(self):
        self.compile(self.model("sums"), cache=False)
        with unittest.mock.patch.dict(os.environ, NACRE_CACHE="off"):
            self.assertIsNone(nacre.cache_folder())
            path = self.compile(self.model("sums")).path
        self.assertEqual(self.calls(), 2)
        self.assertFalse(os.path.exists(self.path("cache")))
        self.assertFalse(os.path.exists(path), "it goes with its model")

    def test_places(self):
        for variables, folder in (({"XDG_CACHE_HOME": self.path("xdg")}, self.path("xdg", "nacre")),
                                  ({"XDG_CACHE_HOME": "relative", "HOME": self.path("home")}, self.path("home", ".cache", "nacre")),
                                  ({"HOME": self.path("home")}, self.path("home", ".cache", "nacre")),
                                  ({"NACRE_CACHE": "here"}, os.path.abspath("here"))):
            with self.subTest(variables), unittest.mock.patch.dict(os.environ, variables):
                if "NACRE_CACHE" not in variables:
                    del os.environ["NACRE_CACHE"]
                if "XDG_CACHE_HOME" not in variables:
                    os.environ.pop("XDG_CACHE_HOME", None)
                self.assertEqual(nacre.cache_folder(), folder)
        self.compile(self.model("sums"), cache=self.path("named"))
        self.assertEqual(len(os.listdir(self.path("named", "compiled"))), 1)
        self.assertFalse(os.path.exists(self.path("cache")))

    def test_a_folder_that_cannot_be_written(self):
        with open(self.path("file"), "w", encoding="ascii"):
            pass
        self.assert_says(nacre.OptionError, f"the cache '{self.path('file', 'cache')}' cannot be written: Not a directory; choose another folder, "
                         "or pass cache=False", self.compile, self.model("sums"), cache=self.path("file", "cache"))
        with unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=self.path("file")), self.assertLogs("nacre", "INFO") as logged:
            del os.environ["NACRE_CACHE"]
            numpy.testing.assert_array_equal(self.compile(self.model("sums")).run(A, B)["sum"], A + B)
        self.assertIn("no cache: ", logged.output[0])

    # --- Processes, damage, limit -----------------------------------------------------------------------------------

    def test_processes_that_want_the_same_compile_it_once(self):
        text = WORKER.format(tests=os.path.dirname(os.path.abspath(__file__)), folder=self.path("cache"), model=self.model("sums"),
                             compiler=self.counter("sleep 0.5"))
        workers = [subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) for _ in range(4)]
        paths = {worker.communicate(timeout=packaged.COMMAND_SECONDS)[0] for worker in workers}
        self.assertEqual([worker.returncode for worker in workers], [0] * 4)
        self.assertEqual((len(paths), self.calls()), (1, 1))
        self.assertEqual(len(self.entries()), 1, "no lock is left")

    def test_who_waits_in_vain_is_told(self):
        opened = cache.open_cache(True)
        key = "0" * 64
        with opened.building(key, None), self.assertRaisesRegex(nacre.CompileError, r"another process compiles the same model, for more than 0\.1 s"):
            with opened.building(key, 0.1):
                self.fail("both build")
        with opened.building(key, 0.1):
            pass

    def test_a_failed_compilation_leaves_nothing(self):
        for _ in range(2):
            with self.assertRaises(nacre.CompileError):
                self.compile(self.model("unsupported"))
        self.assertEqual((self.calls(), self.entries()), (2, []))

    def test_a_damaged_entry_is_compiled_again(self):
        path = self.compile(self.model("sums")).path
        for damage in (lambda: os.truncate(path, 1000), lambda: os.remove(path), lambda: os.truncate(os.path.join(os.path.dirname(path), "entry.json"), 5),
                       lambda: os.remove(os.path.join(os.path.dirname(path), "entry.json"))):
            damage()
            self.calls()
            numpy.testing.assert_array_equal(self.compile(self.model("sums")).run(A, B)["sum"], A + B)
            self.compile(self.model("sums"))
            self.assertEqual(self.calls(), 1)

    def test_it_is_bounded_and_keeps_what_is_in_use(self):
        model = self.model("sums")
        used = self.compile(model, name="used")
        for number, name in enumerate(("old", "newer", "newest")):
            path = self.compile(model, name=name).path
            os.utime(os.path.dirname(path), (1e9 + number,) * 2)
        os.utime(os.path.dirname(used.path), (1, 1))
        size = sum(os.path.getsize(os.path.join(os.path.dirname(path), name)) for name in os.listdir(os.path.dirname(path)))
        with unittest.mock.patch.object(cache, "LIMIT", int(3.5 * size)):
            last = self.compile(model, name="last")
        self.calls()
        self.assertEqual(len(self.entries()), 3)
        for count, name in ((0, "used"), (0, "last"), (0, "newest"), (1, "old"), (1, "newer")):
            self.compile(model, name=name)
            self.assertEqual(self.calls(), count, name)
        with unittest.mock.patch.object(cache, "LIMIT", size // 2):
            numpy.testing.assert_array_equal(self.compile(model, name="large").run(A, B)["sum"], A + B)
        self.assertTrue(os.path.exists(last.path))

    def test_it_can_be_cleared(self):
        self.assertEqual(nacre.clear_cache(), 0)
        used = self.compile(self.model("sums"))
        self.compile(self.model("running"))
        entry = os.path.dirname(self.compile(self.model("running")).path)
        size = sum(os.path.getsize(os.path.join(entry, name)) for name in os.listdir(entry))
        kernels = self.kernels()
        self.assertTrue(kernels)
        self.assertEqual(nacre.clear_cache(), size + sum(kernels.values()))
        self.assertEqual(self.entries(), [os.path.basename(os.path.dirname(used.path))])
        self.assertEqual(self.kernels(), {})
        used.save(self.path("libsaved.so"))
        restored = pickle.loads(pickle.dumps(used))
        del used
        self.assertEqual(nacre.clear_cache(), 0, "another model has it")
        numpy.testing.assert_array_equal(restored.run(A, B)["sum"], A + B)
        del restored
        self.assertGreater(nacre.clear_cache(), 0)
        self.assertEqual(self.entries(), [])

    def test_kernels_are_kept_for_other_libraries(self):
        """Kernels of a library that was removed are found; without the cache, none are read or written."""
        first = self.compile(self.model("sums"), cache=False)
        self.assertEqual(self.kernels(), {})
        self.compile(self.model("sums"), name="first")
        kernels = self.kernels()
        self.assertTrue(kernels)
        with open(self.compile(self.model("sums"), name="second").path, "rb") as second, open(first.path, "rb") as plain:
            self.assertNotEqual(second.read(), plain.read(), "it has another name")
        self.assertEqual(self.kernels(), kernels)
        self.compile(self.model("running"), kernel_cache=self.path("own"))
        self.assertEqual(self.kernels(), kernels)
        self.assertTrue(os.listdir(self.path("own")))

    def test_what_killed_processes_left_is_removed(self):
        self.compile(self.model("sums"))
        folder = self.path("cache", "compiled")
        for name in ("new-left", "old-left", "new-fresh"):
            os.mkdir(os.path.join(folder, name))
        for name in ("left.lock", "fresh.lock"):
            with open(os.path.join(folder, name), "w", encoding="ascii"):
                pass
        for name in ("new-left", "old-left", "left.lock"):
            os.utime(os.path.join(folder, name), (1, 1))
        self.compile(self.model("running"))
        self.assertEqual([name for name in self.entries() if len(name) < 64], ["fresh.lock", "new-fresh"])


if __name__ == "__main__":
    unittest.main()
