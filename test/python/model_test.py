#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in Python: what they say of themselves, what they take and refuse, what is copied and what is not, threads."""
import gc
import os
import threading
import time
import unittest

import numpy
import packaged
from onnx_writer import tensor

import nacre

A = numpy.arange(6, dtype="float32").reshape(2, 3)
B = numpy.array([10, 20, 30], "float32")


class ModelTest(packaged.PackageTest):
    def sums(self):
        return nacre.compile(self.model("sums"), jobs=1)

    def test_it_describes_itself(self):
        model = self.sums()
        self.assertEqual((model.name, model.target), ("sums", "linux-x86_64" if os.uname().machine == "x86_64" else "linux-arm64"))
        self.assertRegex(model.compiler, r"^nacre-compile \d+\.\d+")
        self.assertEqual([str(info) for info in model.inputs + model.outputs],
                         ["a: f32[2, 3]", "b: f32[3]", "sum: f32[2, 3]", "difference: f32[2, 3]"])
        self.assertEqual(model.inputs[1], nacre.TensorInfo("b", (3,), numpy.dtype("float32"), "f32", 12))
        self.assertEqual(repr(model.inputs[1]), "TensorInfo(name='b', shape=(3,), dtype=dtype('float32'), type='f32', nbytes=12)")
        self.assertIn(", scale=0.5)", repr(model.inputs[1]._replace(scale=0.5)))
        self.assertEqual([entry.name for entry in model.entries], ["main"])
        self.assertEqual(sum("sub" in launch.nodes for launch in model.entry().launches), 1)
        self.assertEqual(model.states, [])
        memory = model.memory(threads=1)
        self.assertGreaterEqual(memory["block_bytes"], memory["input_bytes"] + memory["output_bytes"])
        self.assert_says(ValueError, "the model has no entry 'train'; it has main", model.entry, "train")

    def test_it_converts_integers_of_a_quantized_model(self):
        graph = packaged.Graph("codes", opset=13)
        x = graph.input("x", [2, 3], packaged.UINT8)
        facts = [graph.constant("scales", [3], [0.5, 0.25, 2]), graph.node("Constant", [], value=tensor([1, 2, 128], "B"))]
        real = graph.node("Relu", [graph.node("DequantizeLinear", [x, *facts], axis=1)])
        graph.node("QuantizeLinear", [real, graph.constant("scale", [1], [0.125]), graph.node("Constant", [], value=tensor([7], "B"))], output="y")
        graph.output("y", [2, 3], packaged.UINT8)
        graph.save(self.path("codes.onnx"))
        model = nacre.compile(self.path("codes.onnx"), jobs=1)
        given, made = model.inputs[0], model.outputs[0]
        self.assertEqual((given.scale, given.zero_point, given.channel_axis, given.scales, given.zero_points),
                         (0.0, 0, 1, (0.5, 0.25, 2.0), (1, 2, 128)))
        self.assertEqual((made.scale, made.zero_point, made.channel_axis, made.scales), (0.125, 7, None, ()))
        reals = numpy.array([[0.5, 1.75, 4], [3, 0.25, 256]], "float32")
        codes = given.quantize(reals)
        self.assertEqual(codes.tolist(), [[2, 9, 130], [7, 3, 255]])
        self.assertEqual(codes.dtype, numpy.uint8)
        self.assertEqual(given.dequantize(codes).tolist(), [[0.5, 1.75, 4], [3, 0.25, 254]])
        self.assertEqual(made.dequantize(model.run(codes)["y"]).tolist(), [[0.5, 1.75, 4], [3, 0.25, 31]])
        self.assertEqual(made.dequantize(made.quantize([numpy.nan, numpy.inf, -numpy.inf])).tolist(), [-0.875, 31, -0.875])
        self.assert_says(TypeError, "'b' must have integers of 8 bits or more to be converted, but is of f32", self.sums().inputs[1].quantize, B)

    def test_inputs_by_name_and_by_order(self):
        model = self.sums()
        for answer in (model.run({"b": B, "a": A}), model.run(A, B), model.run([A, B]), model.run(A.tolist(), [10, 20, 30])):
            numpy.testing.assert_array_equal(answer["sum"], A + B)
            numpy.testing.assert_array_equal(answer["difference"], A - B)
            self.assertEqual(list(answer), ["sum", "difference"])

    def test_layouts_that_must_be_copied(self):
        model = self.sums()
        turned = numpy.asfortranarray(A)
        odd = numpy.frombuffer(b"\0" + A.tobytes(), numpy.uint8)[1:].view("float32").reshape(2, 3)  # Of no alignment at all.
        for array in (turned, odd, numpy.repeat(A, 2, axis=1)[:, ::2]):
            numpy.testing.assert_array_equal(model.run(array, B)["sum"], A + B)

    def test_wrong_inputs_say_what_was_expected(self):
        run = self.sums().run
        expected = [
            (ValueError, "inputs are missing: b: f32[3]", [A]),
            (ValueError, "entry 'main' has 2 inputs, but 3 are given; they are a: f32[2, 3], b: f32[3]", [A, B, B]),
            (ValueError, "entry 'main' has no input 'c'; it has 'a', 'b'", {"a": A, "c": B}),
            (ValueError, "input 'b' must have the shape (3,), but has (2, 3)", [A, A]),
            (TypeError, "input 'a' must be of float32, but is of float64; use array.astype('float32')", [A.astype("d"), B]),
            (TypeError, "input 'a' must be of float32, but is of <U1; compiled models accept only numbers; convert strings and "
                        "objects to numbers first", [["a"], B]),
        ]
        for kind, words, inputs in expected:
            with self.subTest(words):
                self.assert_says(kind, words, run, inputs)

    def test_wrong_keywords_of_run_say_where_they_belong(self):
        model = self.sums()
        for run in (model.run, model.session(threads=1).run):
            self.assert_says(TypeError, "run() got an unexpected keyword 'threads', which is an option of a session; did you mean "
                                        "model.session(threads=2).run(...)?", run, [A, B], threads=2)
            self.assert_says(TypeError, "run() got an unexpected keyword 'a'; did you mean run({'a': ...})?", run, a=A, b=B)
            self.assert_says(TypeError, "run() got an unexpected keyword 'c'; inputs are passed by name in a dict: run({'a': ..., 'b': ...})", run, c=A)
        self.assert_says(TypeError, "threads must be an integer, but is '2'; did you mean threads=2?", model.session, threads="2")
        self.assert_says(TypeError, "threads must be an integer, but is 1.5", model.session, threads=1.5)
        self.assert_says(TypeError, "gpu_cut must be a number, but is '50'", model.session, gpu_cut="50")
        self.assertEqual(model.session(threads=numpy.int64(1)).run([A, B])["sum"].tolist(), (A + B).tolist())

    def test_lists_are_converted_where_nothing_is_lost(self):
        packaged.cast_model(packaged.UINT8, packaged.FLOAT).save(self.path("cast.onnx"))
        model = nacre.compile(self.path("cast.onnx"), jobs=1)
        numpy.testing.assert_array_equal(model.run([[[0, 1, 2], [3, 4, 255]]])["y"], [[0, 1, 2], [3, 4, 255]])
        for lost, shown in ((256, "256"), (0.5, "0.5"), (-1, "-1")):
            self.assert_says(TypeError, f"input 'x' must be of uint8, which cannot hold [[0, 1, 2], [3, 4, {shown}]]",
                             model.run, [[[0, 1, 2], [3, 4, lost]]])

    def test_types_of_elements(self):
        numbers = [[0, 1, 2], [3, 100, 1]]
        for code, dtype in ((2, "uint8"), (3, "int8"), (5, "int16"), (6, "int32"), (7, "int64"), (10, "float16"), (11, "float64"),
                            (12, "uint32"), (13, "uint64"), (9, "bool")):
            with self.subTest(dtype):
                packaged.cast_model(packaged.FLOAT, code).save(self.path("to.onnx"))
                packaged.cast_model(code, packaged.FLOAT).save(self.path("from.onnx"))
                there = nacre.compile(self.path("to.onnx"), jobs=1).run(numpy.array(numbers, "float32"))["y"]
                self.assertEqual(there.dtype, numpy.dtype(dtype))
                numpy.testing.assert_array_equal(there, numpy.array(numbers).astype(dtype))
                back = nacre.compile(self.path("from.onnx"), jobs=1).run(there)["y"]
                numpy.testing.assert_array_equal(back, numpy.array(numbers).astype(dtype).astype("float32"))

    def test_bfloat16_is_held_as_codes(self):
        packaged.cast_model(packaged.FLOAT, packaged.BFLOAT16).save(self.path("cast.onnx"))
        model = nacre.compile(self.path("cast.onnx"), jobs=1)
        numbers = numpy.array([[1, -2.5, 3.14159], [1e30, -0.0, numpy.inf]], "float32")
        codes = model.run(numbers)["y"]
        self.assertEqual((model.outputs[0].type, codes.dtype), ("bf16", numpy.dtype("uint16")))
        numpy.testing.assert_array_equal(codes, nacre.to_bfloat16(numbers))
        numpy.testing.assert_allclose(nacre.from_bfloat16(codes), numbers, rtol=2**-8)
        self.assertTrue(numpy.isnan(nacre.from_bfloat16(nacre.to_bfloat16(numpy.nan))))

    def test_extents_that_data_decide(self):
        model = nacre.compile(self.model("places"), jobs=1)
        self.assertEqual((model.outputs[0].shape, model.outputs[0].open_axes), ((1, 4), (1,)))
        for values in ([0, 1, 0, 2], [0, 0, 0, 0], [1, 1, 1, 1]):
            numpy.testing.assert_array_equal(model.run([values])["places"], numpy.nonzero(values))

    def test_benchmark_and_profile(self):
        model = nacre.compile(self.model("convnet"))
        self.assertEqual(model.benchmark(runs=4, threads=1)[3:], (4, 1, ""))
        begin = time.monotonic()
        self.assertGreaterEqual(model.benchmark(runs=1, min_seconds=0.3, threads=1).runs, 1)
        self.assertGreaterEqual(time.monotonic() - begin, 0.3)
        times = model.benchmark(numpy.zeros((1, 3, 96, 96), "float32"), min_seconds=0.05)
        self.assertTrue(0 < times.min_ms <= times.median_ms <= times.p90_ms)
        profile = model.profile(runs=3, threads=1)
        self.assertEqual([launch.nodes for launch in profile.launches], [launch.nodes for launch in model.entry().launches])
        self.assertTrue(all(launch.executions == 1 for launch in profile.launches))
        self.assertEqual(profile.total_ns, sum(launch.total_ns for launch in profile.launches))
        self.assertEqual(str(profile).count("\n"), len(profile.launches))
        self.assert_says(ValueError, "entry 'main' has no input 'x'; it has 'image'", model.benchmark, {"x": A})

    def test_a_report_names_each_launch(self):
        model = nacre.compile(self.model("convnet"))
        self.assertEqual([launch["nodes"] for launch in model.report["launches"]], [launch.nodes for launch in model.entry().launches])
        self.assertEqual(model.report["output"], model.path)
        self.assertIsNone(nacre.load(model.path).report)

    def test_weights_in_a_file_are_next_to_the_library(self):
        library, image = self.path("libnet.so"), numpy.ones([1, 3, 96, 96], "float32")
        inside, apart = nacre.compile(self.model("convnet"), jobs=1), nacre.compile(self.model("convnet"), library=library, weights_in="file", jobs=1)
        numpy.testing.assert_array_equal(apart.run(image)["probabilities"], inside.run(image)["probabilities"])
        self.assertEqual(apart.memory(threads=1), inside.memory(threads=1))
        del apart
        weights = os.path.splitext(os.path.realpath(library))[0] + ".weights"
        with open(weights, "r+b") as file:
            file.seek(-300, os.SEEK_END)
            file.write(b"damage")
        self.assert_says(nacre.LoadError, f"'{weights}': the weights file is damaged: its contents do not have the hash that it names; copy or "
                         "download it again", nacre.load(library).run, image)
        os.remove(weights)
        self.assert_says(nacre.LoadError, f"'{weights}': the weights file cannot be read: no such file or folder", nacre.load(library).run, image)


class SessionTest(packaged.PackageTest):
    def session(self, **options):
        return nacre.compile(self.model("sums"), jobs=1).session(**{"threads": 1, **options})

    def test_aligned_arrays_are_read_where_they_are(self):
        class Spy:
            """The table of functions, which notes what is bound."""

            def __init__(self, functions):
                self.functions, self.bound = functions, []

            def session_bind_input(self, session, number, address):
                self.bound.append((number, address))
                return self.functions.session_bind_input(session, number, address)

            def __getattr__(self, name):
                return getattr(self.functions, name)

        session = self.session()
        spy = session._functions = Spy(session._functions)  # pylint: disable=protected-access
        aligned = nacre.empty((2, 3))
        aligned[...] = A
        turned = nacre.empty((3, 2)).T
        turned[...] = A
        odd = nacre.empty([4])[1:]
        odd[...] = B
        numpy.testing.assert_array_equal(session.run([aligned, odd])["sum"], A + B)
        self.assertEqual(spy.bound, [(0, aligned.ctypes.data), (0, None)], "after the run it is the session's own again")
        numpy.testing.assert_array_equal(session.run([turned, odd])["sum"], A + B)
        self.assertEqual(len(spy.bound), 2)

    def test_an_input_written_in_place_stays(self):
        session = self.session()
        session.input("b")[...] = B
        numpy.testing.assert_array_equal(session.run({"a": A})["sum"], A + B)
        numpy.testing.assert_array_equal(session.run({"a": A, "b": 2 * B})["sum"], A + 2 * B)
        numpy.testing.assert_array_equal(session.run({"a": 0 * A})["sum"], 0 * A + B)
        self.assert_says(ValueError, "inputs are missing: a: f32[2, 3]", session.run)

    def test_outputs_are_copies_unless_asked(self):
        session = self.session()
        first, view = session.run([A, B])["sum"], session.run([A, B], copy=False)["sum"]
        session.run([A, 0 * B])
        numpy.testing.assert_array_equal(first, A + B)
        numpy.testing.assert_array_equal(view, A)
        with self.assertRaises(ValueError):
            view[...] = 0
        first[...] = 0

    def test_an_output_can_be_the_next_input(self):
        session = self.session()
        view = session.run([A, B], copy=False)["sum"]
        numpy.testing.assert_array_equal(session.run([view, B])["sum"], A + 2 * B)

    def test_arrays_keep_the_memory_of_a_closed_session(self):
        session = self.session()
        view, place = session.run([A, B], copy=False)["sum"], session.input("a")
        session.close()
        session.close()
        gc.collect()
        place[...] = 7
        numpy.testing.assert_array_equal(view, A + B)
        for call in (session.run, session.describe, lambda: session.input("a"), lambda: session.reason):
            self.assert_says(ValueError, "this session is closed", call)
        self.assertIn("closed", repr(session))

    def test_sessions_are_given_back(self):
        model = nacre.compile(self.model("sums"), jobs=1)

        def resident():
            gc.collect()
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def use():
            for _ in range(300):
                with model.session(threads=2) as session:
                    session.run([A, B])

        use()
        before, threads = resident(), len(os.listdir("/proc/self/task"))
        use()
        self.assertLess(resident() - before, 8 << 20)
        self.assertEqual(len(os.listdir("/proc/self/task")), threads)

    def test_runs_take_no_more_and_more_memory(self):
        with self.session() as session:
            aligned = nacre.empty((2, 3))
            aligned[...] = A

            def use():
                for _ in range(10000):
                    session.run([aligned, B])
                    session.run({"a": A, "b": B}, copy=False)
                gc.collect()
                with open("/proc/self/statm", encoding="ascii") as file:
                    return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

            before = use()
            self.assertLess(use() - before, 1 << 20)

    def test_a_session_is_of_one_thread_at_a_time(self):
        session = self.session()
        caught = []
        with session._entered():  # pylint: disable=protected-access
            thread = threading.Thread(target=lambda: caught.append(self.assertRaises(RuntimeError)) or self.refuse(session, caught))
            thread.start()
            thread.join()
        self.assertEqual(caught[-1], "another thread is using this session; give each thread its own session: model.session()")
        session.run([A, B])

    def refuse(self, session, caught):
        try:
            session.run([A, B])
        except RuntimeError as error:
            caught.append(str(error))

    def test_threads_with_sessions_of_their_own_and_with_the_models(self):
        model = nacre.compile(self.model("sums"), jobs=1)
        wrong = []

        def work(number, run):
            for step in range(200):
                if not (run([A * number, B + step])["sum"] == A * number + B + step).all():
                    wrong.append((number, step))

        threads = [threading.Thread(target=work, args=(number, model.run if number % 2 else model.session(threads=1).run))
                   for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_options(self):
        told = self.session(threads=2, gpu=False).describe()
        self.assertEqual((told["threads"], told["device"]), (2, ""))
        for words, options in (("gpu must be None, 'auto', True, 'required', False or 'never', but is 'yes'", {"gpu": "yes"}),
                               ("gpu_cut must be percent, from 0 to 100, but is 101", {"gpu_cut": 101}),
                               ("threads must not be negative, but is -1", {"threads": -1})):
            self.assert_says(ValueError, words, self.session, **options)
        with self.assertRaises(nacre.RunError) as caught:
            self.session(gpu=True)  # Nothing of this model was placed on one.
        self.assertEqual(caught.exception.status.name, "UNSUPPORTED")
        self.assertIn(caught.exception.reason, str(caught.exception))

    def test_a_gpu_takes_part_where_the_model_has_code_for_it(self):
        model = nacre.compile(self.model("convnet"), place="gpu")
        x = numpy.random.default_rng(1).uniform(-1, 1, (1, 3, 96, 96)).astype("float32")
        aligned = nacre.empty(x.shape)
        aligned[...] = x
        with model.session(gpu=False) as session:
            expected = session.run([x])["probabilities"]
        for options in ({}, {"gpu_cut": 50}):
            with model.session(gpu=True, cache_folder=self.folder, **options) as session:
                self.assertNotEqual(session.describe()["device"], "")
                for array in (x, aligned, x):
                    numpy.testing.assert_allclose(session.run([array])["probabilities"], expected, rtol=1e-3, atol=1e-5)
                self.assertEqual(session.reason, "")

    def test_launches_are_timed_where_that_was_asked_for(self):
        with self.session() as session, self.assertRaises(nacre.RunError) as caught:
            session.run([A, B])
            session.launch_time(0)
        self.assertEqual(caught.exception.status.name, "BAD_ARGUMENT")
        self.assertNotEqual(caught.exception.reason, "")


if __name__ == "__main__":
    unittest.main()
