#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pickles: models are the path of their library, sessions and states refuse, errors come back from other processes."""
import copy
import multiprocessing
import os
import pickle
import unittest

import numpy
import packaged
from digits import DigitsTest

import nacre

A = numpy.arange(6, dtype="float32").reshape(2, 3)
B = numpy.array([10, 20, 30], "float32")


def run(model, *inputs):
    return model.run(*inputs)


class PickleTest(packaged.PackageTest):
    def test_a_model_is_the_path_of_its_library(self):
        for options in ({"library": self.path("libsums.so")}, {}, {"cache": self.path("cache")}):
            with self.subTest(options):
                model = nacre.compile(self.model("sums"), jobs=1, **options)
                data = pickle.dumps(model)
                self.assertLess(len(data), 300)
                restored = pickle.loads(data)
                self.assertEqual((restored.path, restored.report), (model.path, None))
                numpy.testing.assert_array_equal(restored.run(A, B)["sum"], A + B)
                numpy.testing.assert_array_equal(copy.deepcopy(model).run(A, B)["sum"], A + B)

    def test_processes_of_a_pool_run_a_model(self):
        model = nacre.compile(self.model("sums"), jobs=1)
        model.run(A, B)
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            answers = pool.starmap(run, [(model, A * number, B) for number in range(4)])
            for number, answer in enumerate(answers):
                numpy.testing.assert_array_equal(answer["sum"], A * number + B)
            with self.assertRaisesRegex(ValueError, "inputs are missing: b"):
                pool.starmap(run, [(model, A)])

    def test_a_library_that_is_gone(self):
        model = nacre.compile(self.model("sums"), jobs=1)
        data, path = pickle.dumps(model), model.path
        del model
        self.assert_says(nacre.LoadError, f"the library of the pickled model, '{path}', does not exist here; compile the model with library=..., which "
                         "stays, and where this process can read it", pickle.loads, data)

    def test_a_model_for_another_machine(self):
        other = "linux-arm64" if os.uname().machine == "x86_64" else "linux-x86_64"
        restored = pickle.loads(pickle.dumps(nacre.compile(self.model("sums"), target=other, library=self.path("libother.so"), jobs=1)))
        with self.assertRaisesRegex(nacre.LoadError, "; run it there$"):
            restored.run(A, B)

    def test_sessions_and_states_refuse(self):
        session = nacre.compile(self.model("sums"), jobs=1).session()
        self.assert_says(TypeError, "a session cannot be pickled, because it has memory and threads of this process; pickle its model, and create a "
                         "session from that: model.session()", pickle.dumps, session)
        state = nacre.compile(self.model("running"), state={"before": "after"}, jobs=1).state
        for copied in (pickle.dumps, copy.copy, copy.deepcopy):
            self.assert_says(TypeError, "a state cannot be pickled, because it is memory of this process; save it with state.save(path), and load that "
                             "file", copied, state)


class ErrorTest(DigitsTest):
    def test_errors_come_back_whole(self):
        model = self.compiled()
        for call in (lambda: model.run({"x": numpy.zeros((16, 6), "float32"), "label": numpy.full(16, 9), "learning_rate": 0.1}, entry="train"),
                     lambda: nacre.compile(self.model("unsupported")), lambda: nacre.compile(self.model("sums"), accuracy="best"),
                     lambda: model.session(gpu=True), lambda: nacre.load(self.model("sums"))):
            with self.assertRaises(nacre.NacreError) as caught:
                call()
            restored = pickle.loads(pickle.dumps(caught.exception))
            self.assertEqual((type(restored), str(restored), vars(restored)), (type(caught.exception), str(caught.exception), vars(caught.exception)))


if __name__ == "__main__":
    unittest.main()
