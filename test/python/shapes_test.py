#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with entries for several shapes: which entry runs, what a session of all entries keeps, and what wrong shapes are told."""
import multiprocessing
import pickle
import threading
import unittest

import numpy
import packaged
from digits import DigitsTest

import nacre

TABLE = numpy.arange(40, dtype="float32").reshape(10, 4)


def words_model():
    """Two inputs of one length: the sum of the words' rows of a table, as far as the mask lets them through."""
    graph = packaged.Graph("words")
    ids, mask = graph.input("ids", [1, "length"], packaged.INT64), graph.input("mask", [1, "length"])
    rows = graph.node("Gather", [graph.constant("table", [10, 4], TABLE.ravel()), ids])
    masked = graph.node("Mul", [rows, graph.node("Unsqueeze", [mask, graph.integers("last", [2])])])
    graph.node("ReduceSum", [masked, graph.integers("words", [1])], keepdims=0, output="sum")
    graph.node("Add", [mask, graph.constant("one", [], [1])], output="more")
    graph.output("sum", [1, 4])
    graph.output("more", [1, "length"])
    return graph


def counting_model():
    """With state: the sum of all that came in."""
    graph = packaged.Graph("counting")
    came = graph.node("ReduceSum", [graph.input("x", ["length"])], keepdims=1)
    graph.node("Add", [graph.input("before", [1]), came], output="after")
    graph.node("Identity", ["after"], output="total")
    graph.output("after", [1])
    graph.output("total", [1])
    return graph


def inputs_of(length):
    draw = numpy.random.default_rng(length)
    return {"ids": draw.integers(0, 10, (1, length)), "mask": draw.uniform(-1, 1, (1, length)).astype("float32")}


def expected(given):
    return (TABLE[given["ids"]] * given["mask"][..., None]).sum(axis=1)


def run_lengths(model, lengths):
    return [model.run(inputs_of(length))["sum"] for length in lengths]


class ShapesTest(DigitsTest):
    def words(self, lengths=(4, 16), **options):
        words_model().save(self.path("words.onnx"))
        shapes = [(1, length) for length in lengths]
        return nacre.compile(self.path("words.onnx"), shape={"ids": shapes, "mask": shapes}, jobs=1, **options)

    def assert_computes(self, run, length, **keywords):
        given = inputs_of(length)
        answer = run(given, **keywords)
        numpy.testing.assert_allclose(answer["sum"], expected(given), rtol=1e-4, atol=1e-4)
        numpy.testing.assert_array_equal(answer["more"], given["mask"] + 1)

    def test_the_shapes_of_inputs_choose_the_entry(self):
        model = self.words()
        self.assertEqual([entry.name for entry in model.entries], ["main@4", "main@16"])
        for length in (16, 4, 4, 16):
            self.assert_computes(model.run, length)
        given = inputs_of(16)
        numpy.testing.assert_array_equal(model.run(given["ids"].tolist(), given["mask"])["more"], given["mask"] + 1)
        with model.session(threads=1) as session:
            for length in (4, 16, 16, 4):
                self.assert_computes(session.run, length)
                self.assertEqual((session.entry, session.inputs, session.outputs), (f"main@{length}", *model.entry(f"main@{length}")[1:3]))
                self.assertEqual(session.inputs[0].shape, (1, length))

    def test_an_entry_can_be_named(self):
        model = self.words()
        self.assert_computes(model.run, 16, entry="main@16")
        self.assert_computes(model.run, 4, entry="main")
        self.assert_says(ValueError, "input 'ids' must have the shape (1, 4), but has (1, 16)", model.run, inputs_of(16), entry="main@4")
        self.assert_says(ValueError, "the model has no entry 'main@5'; it has main@4, main@16", model.run, inputs_of(4), entry="main@5")
        self.assertEqual((model.entry("main").name, model.entry("main@16").inputs[1].shape), ("main@4", (1, 16)))
        with model.session("main@16") as session:  # Of this entry only.
            self.assert_computes(session.run, 16)
            self.assert_says(ValueError, "input 'ids' must have the shape (1, 16), but has (1, 4)", session.run, inputs_of(4))
            self.assert_says(ValueError, "the session has no entry 'main@4'; it has main@16; create it with all_entries=True", session.use, "main@4")
        with model.session("main@16", all_entries=True) as session:
            self.assertEqual(session.entry, "main@16")
            self.assert_computes(session.run, 4)
            self.assert_computes(session.run, 16, entry="main@16")
            self.assert_says(ValueError, "input 'ids' must have the shape (1, 4), but has (1, 16)", session.run, inputs_of(16), entry="main@4")
            self.assertEqual(session.entry, "main@16", "nothing has changed")

    def test_shapes_of_no_entry_are_refused(self):
        model = self.words()
        listed = "entries are main@4 (ids: (1, 4), mask: (1, 4)), main@16 (ids: (1, 16), mask: (1, 16))"
        remedy = "fill inputs up to the shapes of model.entry_for(...), or compile the model for these shapes, too"
        mixed = {"ids": inputs_of(4)["ids"], "mask": inputs_of(16)["mask"]}
        with model.session() as session:
            session.run(inputs_of(4))
            for run in (model.run, session.run, model.benchmark):
                self.assert_says(ValueError, f"inputs must have the shapes of an entry, but are ids: (1, 5), mask: (1, 5); {listed}; {remedy}", run, inputs_of(5))
                self.assert_says(ValueError, f"inputs must have the shapes of an entry, but are ids: (1, 4), mask: (1, 16); {listed}; {remedy}", run, mixed)
                self.assert_says(TypeError, "input 'mask' must be of float32, but is of float64; use array.astype('float32')", run,
                                 {**inputs_of(4), "mask": numpy.zeros((1, 4))})
                self.assert_says(ValueError, "entry 'main@4' has no input 'c'; it has 'ids', 'mask'", run, {"c": 1})
                self.assert_says(ValueError, "entry 'main@4' has 2 inputs, but 3 are given; they are ids: i64[1, 4], mask: f32[1, 4]", run, [1, 2, 3])
            for run in (model.run, session.run):
                self.assert_says(ValueError, "inputs are missing: mask: f32[1, 16]", run, {"ids": inputs_of(16)["ids"]})
            self.assert_computes(session.run, 4)

    def test_the_smallest_entry_with_room(self):
        model = self.words((16, 4, 8))
        for ids, name in (((1, 1), "main@4"), ((1, 4), "main@4"), ((1, 5), "main@8"), ((1, 9), "main@16"), ((1, 16), "main@16")):
            self.assertEqual(model.entry_for({"ids": ids}).name, name)
            self.assertEqual(model.entry_for({"ids": ids}, entry="main").name, name)
        self.assertEqual(model.entry_for({"ids": (1, 3), "mask": (1, 7)}).name, "main@8")
        entries = "entries are main@16 (ids: (1, 16)), main@4 (ids: (1, 4)), main@8 (ids: (1, 8)); compile the model for a larger shape"
        self.assert_says(ValueError, f"no entry has room for ids: (1, 17); {entries}", model.entry_for, {"ids": (1, 17)})
        self.assert_says(ValueError, f"no entry has room for ids: (9,); {entries}", model.entry_for, {"ids": [9]})
        self.assert_says(ValueError, "entry 'main@16' has no input 'z'; it has 'ids', 'mask'", model.entry_for, {"z": (1, 1)})

        given = inputs_of(5)
        with model.session() as session:
            session.use(model.entry_for({"ids": (1, 5)}).name)
            session.input("ids")[...] = session.input("mask")[...] = 0
            session.input("ids")[:, :5], session.input("mask")[:, :5] = given["ids"], given["mask"]
            numpy.testing.assert_allclose(session.run()["sum"], expected(given), rtol=1e-4, atol=1e-4)

    def test_each_entry_keeps_its_buffers(self):
        small, large = inputs_of(4), inputs_of(16)
        with self.words().session(threads=1) as session:
            session.input("mask")[...] = small["mask"]
            session.use("main@16")
            session.input("mask")[...] = large["mask"]
            view = session.run({"ids": large["ids"]}, copy=False)["more"]
            numpy.testing.assert_array_equal(session.run({"ids": small["ids"]})["more"], small["mask"] + 1)
            numpy.testing.assert_array_equal(view, large["mask"] + 1, "of the other entry")
            numpy.testing.assert_allclose(session.run({"ids": large["ids"]})["sum"], expected(large), rtol=1e-4, atol=1e-4)
            session.use("main@4")
            self.assert_says(ValueError, "inputs are missing: ids: i64[1, 4]", session.run)
            aligned = nacre.empty((1, 16))
            aligned[...] = 7
            self.assertEqual(session.run({"ids": large["ids"], "mask": aligned})["more"].tolist(), [[8] * 16])
            numpy.testing.assert_array_equal(session.run({"ids": large["ids"]})["more"], large["mask"] + 1, "as written in place")

    def test_one_session_has_all_entries(self):
        model = self.words()
        both, one, other = model.memory(threads=1), model.memory("main@4", threads=1), model.memory("main@16", threads=1)
        self.assertEqual(both["input_bytes"], one["input_bytes"] + other["input_bytes"])
        self.assertEqual(both["arena_bytes"], max(one["arena_bytes"], other["arena_bytes"]))
        self.assertEqual(model.memory(threads=1, all_entries=False), one)
        run_lengths(model, (4, 16))
        model.run(inputs_of(16), entry="main@16")
        self.assertEqual(len(model._sessions), 1)  # pylint: disable=protected-access

    def test_benchmark_and_profile_measure_the_entry_of_the_inputs(self):
        model = self.words()
        for length in (4, 16):
            self.assertEqual(len(model.profile(inputs_of(length), runs=1).launches), len(model.entry(f"main@{length}").launches))
            self.assertEqual(model.benchmark(inputs_of(length), runs=2, threads=1).runs, 2)
        self.assertEqual(model.benchmark(entry="main@16", runs=1, threads=1).runs, 1)
        with model.session(profile=True, threads=1) as session:
            session.run(inputs_of(16))
            session.run(inputs_of(4))
            self.assertGreater(session.launch_time(0).executions, 0)

    def test_threads_and_processes(self):
        model = self.words()
        wrong = []

        def work(number):
            for step in range(50):
                given = inputs_of((4, 16)[(number + step) % 2])
                if not numpy.allclose(model.run(given)["sum"], expected(given), 1e-4, 1e-4):
                    wrong.append((number, step))

        threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        restored = pickle.loads(pickle.dumps(model))
        self.assert_computes(restored.run, 16)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            for answer, length in zip(pool.apply(run_lengths, [model, (16, 4)]), (16, 4)):
                numpy.testing.assert_allclose(answer, expected(inputs_of(length)), rtol=1e-4, atol=1e-4)

    def test_entries_share_the_state(self):
        counting_model().save(self.path("counting.onnx"))
        model = nacre.compile(self.path("counting.onnx"), shape={"x": [(2,), (5,)]}, state={"before": "after"}, jobs=1)
        ones = {length: numpy.ones(length, "float32") for length in (2, 5)}
        self.assertEqual([model.run(ones[length])["total"].tolist() for length in (2, 5, 2)], [[2], [7], [9]])
        self.assertEqual(model.state["before"].tolist(), [9])
        with model.session() as apart, model.session(state=model.state) as sharing:
            self.assertEqual([apart.run(ones[length])["total"].tolist() for length in (5, 2)], [[5], [7]])
            apart.state.reset()
            self.assertEqual(apart.run(ones[5])["total"].tolist(), [5])
            self.assertEqual(sharing.run(ones[5])["total"].tolist(), [14])

    def test_a_gpu_computes_each_entry(self):
        model = nacre.compile(self.model("convnet"), shape={"image": [(1, 3, 96, 96), (2, 3, 96, 96)]}, place="gpu")
        images = numpy.random.default_rng(1).uniform(-1, 1, (2, 3, 96, 96)).astype("float32")
        wanted = [nacre.compile(self.model("convnet")).run(images[row:row + 1])["probabilities"][0] for row in range(2)]
        with model.session(gpu=True) as session:
            for rows in (1, 2, 1):
                numpy.testing.assert_allclose(session.run(images[:rows])["probabilities"], wanted[:rows], rtol=1e-3, atol=1e-5)
                self.assertNotEqual(session.describe()["device"], "")

    def test_wrong_lists_of_shapes(self):
        words_model().save(self.path("words.onnx"))
        for shapes, words in (
                ({"ids": [(1, 4), 16]}, "the shape of 'ids' must be integers, such as (1, 3, 224, 224), or a list of shapes, but is [(1, 4), 16]"),
                ({"ids": (1, 4.5)}, "the shape of 'ids' must be integers, such as (1, 3, 224, 224), or a list of shapes, but is (1, 4.5)"),
                ({"ids": [(1, 4), (1, 8)], "mask": [(1, 4), (1, 8), (1, 16)]},
                 "shape must give 'ids' one shape, or as many as 'mask', which has 3, but gives it 2; pass a list of shapes"),
                ({"ids": [(1, 4), (1, 4)]}, "shape must give different shapes, but gives ids=1x4 twice")):
            with self.subTest(words):
                self.assert_says(nacre.OptionError, words, nacre.compile, self.path("words.onnx"), shape=shapes)


class OneShapeTest(DigitsTest):
    def test_entries_of_training_are_no_shapes(self):
        model = self.compiled()
        self.assertEqual([entry.name for entry in model.entries], ["main", "train", "evaluate"])
        x = numpy.zeros((model.inputs[0].shape[0], 6), "float32")
        with model.session() as session:
            self.assertIn("logits", session.run([x]))
            self.assert_says(ValueError, "input 'x' must have the shape (1, 6), but has (1, 7)", session.run, [numpy.zeros((1, 7), "float32")])
            self.assert_says(ValueError, "the session has no entry 'train'; it has main; create it with all_entries=True", session.use, "train")
        self.assertEqual(model.memory(), model.memory("main", all_entries=False))
        self.assertLess(model.memory()["input_bytes"], model.memory(all_entries=True)["input_bytes"])

    def test_a_session_of_all_entries_trains_and_serves(self):
        model = self.compiled()
        draw = numpy.random.default_rng(1)
        x, label = draw.uniform(0, 1, (16, 6)).astype("float32"), draw.integers(0, 3, 16)
        with model.session(all_entries=True) as session, model.session("train") as train:
            before = session.run([x[:1]])["logits"]
            self.assertEqual(session.entry, "main")
            step = {"x": x, "label": label, "learning_rate": numpy.float32(0.5)}
            self.assertEqual(session.run(step, entry="train")["loss"], train.run(step)["loss"])
            self.assertEqual(session.entry, "train")
            self.assertEqual(session.run(step)["loss"], train.run(step)["loss"])
            with self.assertRaisesRegex(nacre.LabelError, "'label' must be from 0 to 2, but row 3 has 9"):
                session.run({**step, "label": numpy.where(numpy.arange(16) == 3, 9, label)})
            session.use("main")
            self.assertGreater(abs(session.run([x[:1]])["logits"] - before).max(), 0, "with the trained weights")

    def test_a_model_of_one_entry(self):
        model = nacre.compile(self.model("sums"), jobs=1)
        a, b = numpy.ones((2, 3), "float32"), numpy.ones(3, "float32")
        with model.session(all_entries=True) as session:
            session.use("main")
            self.assertEqual(session.run([a, b])["sum"].tolist(), [[2] * 3] * 2)
        self.assertEqual(model.entry_for({"a": (2, 2)}).name, "main")
        self.assert_says(ValueError, "no entry has room for a: (2, 4); entries are main (a: (2, 3)); compile the model for a larger shape",
                         model.entry_for, {"a": (2, 4)})


if __name__ == "__main__":
    unittest.main()
