#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of nacre.compile: all files that the compiler reads count, and large ones are read once."""
import os
import shutil
import unittest
import unittest.mock

import numpy
import packaged
from cached import CachedTest

import make_saved_model
import nacre
import onnx_writer
from nacre import sources

A = numpy.arange(6, dtype="float32").reshape(2, 3)
B = numpy.array([10, 20, 30], "float32")

# Notes which files a program opens.
SPY = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void note(const char *path) {
  static int (*open_file)(const char *, int, ...);
  if (!open_file)
    open_file = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  int to = open_file(getenv("SPY"), O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (write(to, path, strlen(path)) < 0 || write(to, "\\n", 1) < 0)
    abort();
  close(to);
}
#define SPIED(name)                                                                  \\
  int name(const char *path, int flags, ...) {                                       \\
    va_list more;                                                                    \\
    va_start(more, flags);                                                           \\
    int mode = va_arg(more, int);                                                    \\
    va_end(more);                                                                    \\
    if ((flags & O_ACCMODE) == O_RDONLY)                                             \\
      note(path);                                                                    \\
    return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name))(path, flags, mode); \\
  }
SPIED(open)
SPIED(open64)
"""


def external_model(path, weights):
    """Adds a weight that is in another file, or in several."""
    graph = onnx_writer.Graph("external")
    x = graph.input("x", [4])
    for number, name in enumerate(weights):
        entries = [("location", name), ("offset", "0"), ("length", "16")]
        external = b"".join(onnx_writer._bytes(13, onnx_writer._bytes(1, key) + onnx_writer._bytes(2, value)) for key, value in entries)
        graph.initializers.append(onnx_writer._number(1, 4) + onnx_writer._number(2, onnx_writer.FLOAT) + onnx_writer._bytes(8, f"w{number}") + external +
                                  onnx_writer._number(14, 1))
        x = graph.node("Add", [x, f"w{number}"])
        numpy.full(4, number + 1, "float32").tofile(os.path.join(os.path.dirname(path), name))
    graph.node("Identity", [x], output="y")
    graph.output("y", [4])
    graph.save(path)


class CacheFilesTest(CachedTest):
    def test_external_weights_count(self):
        external_model(self.path("external.onnx"), ["w0.bin", "w1.bin"])
        for count, value in ((1, None), (0, None), (1, 7), (0, 7), (0, 2)):
            if value is not None:
                numpy.full(4, value, "float32").tofile(self.path("w1.bin"))
            answer = self.compile(self.path("external.onnx")).run(numpy.zeros(4, "float32"))["y"]
            numpy.testing.assert_array_equal(answer, numpy.full(4, 1 + (value or 2)))
            self.assertEqual(self.calls(), count)

    def test_the_list_of_files_is_that_of_the_compiler(self):
        """The compiler opens no file that the cache does not know."""
        if os.environ.get("NACRE_MEMORY_GIB") == "0":
            self.skipTest("sanitizers must be the first library that is loaded")
        with open(self.path("spy.c"), "w", encoding="ascii") as file:
            file.write(SPY)
        self.call(os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", self.path("spy.so"), self.path("spy.c"), "-ldl")
        external_model(self.path("external.onnx"), ["w0.bin"])
        make_saved_model.write(self.path("saved"))
        numpy.save(self.path("n.npy"), numpy.array([2, 3]))
        graph = packaged.Graph("reshaped")
        graph.node("Reshape", [graph.input("x", [6]), graph.input("n", [2], packaged.INT64)], output="y")
        graph.output("y", ["rows", "columns"])
        graph.save(self.path("reshaped.onnx"))
        shutil.copy(os.path.join(packaged.ROOT, "compiler", "place", "profiles", "snapdragon-778g.json"), self.path("mine.json"))
        cases = [("external.onnx", {}), ("saved", {}), ("saved/saved_model.pb", {}), ("reshaped.onnx", {"set": {"n": self.path("n.npy")}}),
                 ("external.onnx", {"device": self.path("mine.json"), "place": "auto"})]
        data = os.path.join(os.environ.get("NACRE_TEST_DATA", os.path.join(packaged.ROOT, "..", "shared", "data")))
        cases += [(path, options) for path, options in (
            (os.path.join(data, "caffe-opencv", "layer_inner_product.prototxt"), {}),
            (os.path.join(data, "tf-savedmodel", "tf2onnx_regression", "checkpoint", "model.meta"), {"output": "pred", "shape": {"X": (1,)}}))
                  if os.path.exists(path)]
        for model, options in cases:
            with self.subTest(model):
                path = os.path.join(self.folder, model)
                spied = {"LD_PRELOAD": self.path("spy.so"), "SPY": self.path("opened")}
                with unittest.mock.patch.dict(os.environ, spied):
                    nacre.compile(path, cache=False, target="android-arm64", **options)
                with open(self.path("opened"), encoding="utf-8") as file:
                    opened = {os.path.realpath(line) for line in file.read().splitlines()}
                os.remove(self.path("opened"))
                around = (os.path.realpath(self.folder), os.path.realpath(data))
                read = {name for name in opened if name.startswith(around) and os.path.isfile(name) and not name.endswith("spy.so")}
                known = {os.path.realpath(name) for name in sources.Sources(self.path("kept")).files(path, options)}
                self.assertTrue(read)
                self.assertLessEqual(read, known)

    def test_a_model_whose_files_are_uncertain_is_not_cached(self):
        with open(self.model("sums"), "rb") as file:
            data = file.read()
        with open(self.model("sums"), "wb") as file:
            file.write(data + onnx_writer._bytes(6, b"\x0a\x08location?"))  # Of the text that describes the model.
        for _ in range(2):
            numpy.testing.assert_array_equal(self.compile(self.model("sums")).run(A, B)["sum"], A + B)
        self.assertEqual(self.calls(), 2)
        self.assertEqual(self.entries(), [])

    def test_a_model_that_changes_while_it_is_compiled_is_not_stored(self):
        compiler = self.counter(f"echo >> {self.model('sums')}.data", "changing")
        external_model(self.model("sums"), ["sums.onnx.data"])
        for _ in range(2):
            self.assertEqual(len(self.compile(self.model("sums"), compiler=compiler).inputs), 1)
        self.assertEqual((self.calls(), self.entries()), (2, []))

    def test_large_files_are_read_once(self):
        external_model(self.path("external.onnx"), ["w0.bin"])
        os.utime(self.path("w0.bin"), (1e9, 1e9))
        read = []
        kept = sources.Sources(self.path("kept"))
        with unittest.mock.patch.object(sources, "_LARGE", 16), unittest.mock.patch.object(sources, "_SETTLED_NS", -1), \
                unittest.mock.patch.object(sources, "_read_digest", self.noted(read, sources._read_digest)):
            first = kept.digest(self.path("w0.bin"))
            self.assertEqual(kept.digest(self.path("w0.bin")), first)
            self.assertEqual(len(read), 1)
            numpy.full(4, 9, "float32").tofile(self.path("w0.bin"))
            os.utime(self.path("w0.bin"), (1e9, 1e9))  # Size and time of the file are as before.
            self.assertNotEqual(kept.digest(self.path("w0.bin")), first)
            self.assertEqual(len(read), 2)

    def test_a_file_that_may_change_within_its_time_is_read_again(self):
        read = []
        numpy.full(4, 9, "float32").tofile(self.path("w0.bin"))
        with unittest.mock.patch.object(sources, "_LARGE", 16), \
                unittest.mock.patch.object(sources, "_read_digest", self.noted(read, sources._read_digest)):
            for _ in range(2):
                sources.Sources(self.path("kept")).digest(self.path("w0.bin"))
        self.assertEqual(len(read), 2)

    @staticmethod
    def noted(calls, function):
        def call(path):
            calls.append(path)
            return function(path)
        call.__name__ = function.__name__
        return call


if __name__ == "__main__":
    unittest.main()
