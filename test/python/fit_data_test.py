#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The data and labels of Model.fit: arrays, loaders, axes, types, and what is said about wrong ones."""
import math
import unittest

import numpy
import packaged
from digits import BATCH, CLASSES, LABELS, PIXELS, SIZE, DigitsTest

import nacre


class Tensor:
    """As PyTorch's: not an array, but one can be made of it."""

    def __init__(self, array):
        self.array, self.shape, self.ndim = array, array.shape, array.ndim

    def __array__(self, dtype=None):
        return self.array if dtype is None else self.array.astype(dtype)

    def __len__(self):
        return len(self.array)

    def __iter__(self):
        return map(Tensor, self.array)


class FitDataTest(DigitsTest):
    # --- Data -------------------------------------------------------------------------------------------------------

    def test_a_loader_of_batches(self):
        class Loader:
            """As PyTorch's, which yields lists; the last batch is smaller."""

            def __len__(self):
                return 5

            def __iter__(self):
                for begin in range(0, 70, BATCH):
                    yield [Tensor(PIXELS[begin:begin + BATCH]), Tensor(LABELS[begin:begin + BATCH].astype("int32"))]

        model, other = self.compiled(), self.compiled()
        with self.assertLogs("nacre", "INFO") as logged:
            history = model.fit(Loader(), epochs=2, learning_rate=0.1, validation_data=Loader())
        self.assertIn("INFO:nacre:1 of 5 batches are left out, because they have fewer than 16 examples", logged.output)
        other.fit(PIXELS, LABELS, epochs=2, learning_rate=0.1, shuffle=False)
        numpy.testing.assert_array_equal(model.state["w"], other.state["w"])
        self.assertIn("val_accuracy", history)
        named = self.compiled()
        named.fit([{"x": x, "label": y} for x, y in Loader() if len(x) == BATCH], epochs=2, learning_rate=0.1)
        numpy.testing.assert_array_equal(named.state["w"], other.state["w"])
        self.assert_says(ValueError, "epoch 2 has no batches; pass an object that can be iterated again, such as a list or a DataLoader",
                         model.fit, iter(Loader()), epochs=2, learning_rate=0.1)
        self.assert_says(TypeError, "a batch must be a pair of data and labels, or a dict of both, but is a int", model.fit, iter([3]), learning_rate=0.1)

    def test_inputs_by_name(self):
        model, other, third = self.compiled(), self.compiled(), self.compiled()
        third.fit(Tensor(PIXELS), Tensor(LABELS), learning_rate=0.1)
        model.fit({"x": PIXELS}, {"label": LABELS}, learning_rate=0.1)
        other.fit({"x": PIXELS, "label": LABELS}, learning_rate=0.1)
        numpy.testing.assert_array_equal(model.state["w"], third.state["w"])
        numpy.testing.assert_array_equal(model.state["w"], other.state["w"])

    def test_axes_of_examples(self):
        graph = packaged.Graph("turned", seed=5)
        x = graph.node("Add", [graph.node("Transpose", [graph.input("x", [SIZE, "batch"])], perm=[1, 0]), graph.input("shift", [SIZE])])
        graph.node("Gemm", [x, graph.weight("w", [CLASSES, SIZE], -0.1, 0.1)], transB=1, output="logits")
        graph.output("logits", ["batch", CLASSES])
        packaged.MODELS["turned"] = lambda: graph
        turned = nacre.compile(self.model("turned"), train=True, train_batch=BATCH, jobs=1, batch_axis={"x": 1, "shift": "none"},
                               loss="softmax-cross-entropy:logits", shape={"x": (SIZE, 1)})
        data = {"x": PIXELS.T.copy(), "shift": numpy.zeros(SIZE, "float32")}
        history = turned.fit(data, LABELS, epochs=2, learning_rate=0.1, batch_axis={"x": 1, "shift": None}, validation_split=0.2)
        plain = self.compiled(trainable="w")
        same = plain.fit(PIXELS, LABELS, epochs=2, learning_rate=0.1, validation_split=0.2)
        numpy.testing.assert_allclose(turned.state["w"], plain.state["w"], rtol=1e-5)
        self.assertEqual(history["val_accuracy"], same["val_accuracy"])
        self.assert_says(ValueError, "all inputs must have the same batch, but have {'x': 6, 'shift': 6, 'label': 16}; name the axes of examples, as in "
                         "batch_axis={'x': 1}", turned.fit, data, LABELS, learning_rate=0.1)
        self.assert_says(ValueError, "batch_axis names 'y', but inputs are x, shift, label, learning_rate", turned.fit, data, LABELS, learning_rate=0.1,
                         batch_axis={"y": 1})

    def test_mistakes(self):
        model = self.compiled()
        expected = [
            (ValueError, "learning_rate must be given: a number, or a function of the step", (PIXELS, LABELS), {"learning_rate": None}),
            (ValueError, "initial_epoch must be from 0 to epochs=1, but is 2", (PIXELS, LABELS), {"initial_epoch": 2}),
            (ValueError, "data are missing: label: i64[16]", (PIXELS,), {}),
            (ValueError, "the entry has no input 'z'; it has label, x", ({"x": PIXELS, "z": PIXELS}, LABELS), {}),
            (ValueError, "there must be as many examples of each input, but there are {'x': 70, 'label': 69}", (PIXELS, LABELS[:69]), {}),
            (ValueError, "there must be at least 16 examples, a batch of the model, but there are 5; compile it with train_batch=5 at most",
             (PIXELS[:5], LABELS[:5]), {}),
            (ValueError, "input 'x' must have the shape (examples, 6), but has (70, 5)", (PIXELS[:, :5], LABELS), {}),
            (TypeError, "input 'x' must be of float32, but is of float64; use array.astype('float32')", (PIXELS.astype("float64"), LABELS), {}),
            (ValueError, "input 'label' must have the shape (examples,), but has (70, 1); use .reshape(-1)", (PIXELS, LABELS[:, None]), {}),
            (ValueError, "input 'label' must have the shape (examples,), but has (70, 3); give classes by their numbers, from 0 on: .argmax(-1)",
             (PIXELS, numpy.eye(3, dtype="int64")[LABELS]), {}),
            (ValueError, "validation_split must be between 0 and 1, but is 1", (PIXELS, LABELS), {"validation_split": 1}),
            (ValueError, "validation_split requires arrays, and cannot be combined with validation_data", (PIXELS, LABELS),
             {"validation_split": 0.5, "validation_data": (PIXELS, LABELS)}),
            (TypeError, "session() got an unexpected keyword 'thread'; did you mean 'threads'?", (PIXELS, LABELS), {"thread": 1}),
        ]
        for kind, words, arguments, keywords in expected:
            with self.subTest(words):
                self.assert_says(kind, words, model.fit, *arguments, **{"learning_rate": 0.1, **keywords})
        self.assert_says(ValueError, "the model must have an entry 'train', but has main; compile it with train=True and a loss",
                         nacre.compile(self.model("sums"), jobs=1).fit, PIXELS, learning_rate=0.1)

    # --- Labels -----------------------------------------------------------------------------------------------------

    def test_labels_of_any_integer_type(self):
        expected = self.compiled()
        expected.fit(PIXELS, LABELS, learning_rate=0.1)
        for kind in ("int32", "uint8", "int8", "uint64"):
            model = self.compiled()
            model.fit(PIXELS, LABELS.astype(kind), learning_rate=0.1)
            numpy.testing.assert_array_equal(model.state["w"], expected.state["w"])
        narrow = self.compiled(loss_options=",label-type=i32")
        narrow.fit(PIXELS, LABELS, learning_rate=0.1)
        numpy.testing.assert_array_equal(narrow.state["w"], expected.state["w"])
        with self.assertRaisesRegex(TypeError, "input 'label' must be of int64, but is of float32"):
            self.compiled().fit(PIXELS, LABELS.astype("float32"), learning_rate=0.1)

    def test_a_label_that_is_not_a_class(self):
        for value, entries in ((3, ["main", "train", "evaluate"]), (-1, ["main", "train", "evaluate"]), (3, ["main", "train"])):
            wrong = LABELS.copy()
            wrong[41] = value
            model = self.compiled(entries=entries)
            before = model.state["w"]
            with self.assertRaisesRegex(nacre.LabelError, rf"^'label' must be from 0 to 2, but row 41 has {value} ") as caught:
                model.fit(PIXELS, wrong, epochs=2, learning_rate=0.1)
            error = caught.exception
            self.assertIsInstance(error, ValueError)
            self.assertEqual((error.row, error.value, error.classes, error.name), (41, value, 3, "label"))
            if "evaluate" in entries:
                numpy.testing.assert_array_equal(model.state["w"], before, "nothing was trained")

    def test_a_label_in_a_run(self):
        model = self.compiled()
        wrong = LABELS[:BATCH].astype("int32")
        wrong[5] = 7
        with self.assertRaisesRegex(nacre.LabelError, "^'label' must be from 0 to 2, but row 5 has 7 ") as caught:
            model.run({"x": PIXELS[:BATCH], "label": wrong, "learning_rate": 0.1}, entry="train")
        self.assertIsInstance(caught.exception, nacre.RunError)
        self.assertEqual(caught.exception.status.name, "BAD_ARGUMENT")
        with model.session("train") as session:
            session.input("label")[...] = wrong
            session.input("x")[...] = PIXELS[:BATCH]
            session.input("learning_rate")[...] = 0.1
            with self.assertRaisesRegex(nacre.LabelError, "but row 5 has 7"):
                session.run_bare()

    def test_a_label_to_skip(self):
        model = self.compiled(loss_options=",ignore=-100")
        some = LABELS.copy()
        some[::3] = -100
        history = model.fit(PIXELS, some, learning_rate=0.1, validation_data=(PIXELS, some))
        self.assertTrue(math.isfinite(history["loss"][0]))
        kept = some >= 0
        logits = PIXELS @ model.state["w"].T + model.state["b"]
        self.assertAlmostEqual(history["val_accuracy"][0], float((logits.argmax(1) == LABELS)[kept].mean()), places=6)
        some[7] = -1
        with self.assertRaisesRegex(nacre.LabelError, "'label' must be from 0 to 2, but row 7 has -1"):
            model.fit(PIXELS, some, learning_rate=0.1)

    def test_labels_of_places(self):
        graph = packaged.Graph("places", seed=5)
        x = graph.input("x", ["batch", 2, 4, 4])
        graph.node("Conv", [x, graph.kernel("w", [3, 2, 1, 1])], kernel_shape=[1, 1], output="logits")
        graph.output("logits", ["batch", 3, 4, 4])
        packaged.MODELS["pixelwise"] = lambda: graph
        model = nacre.compile(self.model("pixelwise"), train=True, train_batch=4, jobs=1, loss="softmax-cross-entropy:logits", shape={"x": (1, 2, 4, 4)})
        draw = numpy.random.default_rng(1)
        labels = draw.integers(0, 3, (9, 4, 4))
        pictures = draw.uniform(-1, 1, (9, 2, 4, 4)).astype("float32")
        told = model.evaluate(pictures, labels)
        best = numpy.einsum("oi,nihw->nohw", model.state["w"][:, :, 0, 0], pictures).argmax(1)
        self.assertAlmostEqual(told["accuracy"], float((best == labels).mean()), places=6)
        labels[8, 2, 3] = 5
        with self.assertRaisesRegex(nacre.LabelError, r"'label' must be from 0 to 2, but row 8 has 5 at \[2, 3\]"):
            model.fit(pictures, labels, learning_rate=0.1)


if __name__ == "__main__":
    unittest.main()
