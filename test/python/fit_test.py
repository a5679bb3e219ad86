#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Model.fit and Model.evaluate: the steps of nacre-run, figures, validation, and callbacks."""
import math
import os
import unittest

import numpy
import packaged
from digits import BATCH, CLASSES, LABELS, PIXELS, DigitsTest

import nacre
from nacre.examples import shuffled


class Recorder(nacre.Callback):
    """Notes its calls."""

    def __init__(self):
        self.calls = []

    def on_train_begin(self, training):
        self.calls.append(("begin", training.epoch, training.step))

    def on_step_end(self, training, logs):
        self.calls.append(("step", training.epoch, training.step))

    def on_epoch_end(self, training, logs):
        self.calls.append(("epoch", training.epoch, training.step))

    def on_train_end(self, training):
        self.calls.append(("end", training.epoch, training.step))


class FitTest(DigitsTest):
    # --- Steps and figures ------------------------------------------------------------------------------------------

    def test_steps_are_those_of_nacre_run(self):
        model = self.compiled(library=self.path("libdigits.so"), optimizer="adam")
        for name, array in (("x", PIXELS), ("y", LABELS)):
            numpy.save(self.path(name + ".npy"), array)
        said = self.call(os.path.join(packaged.BIN, "nacre-run"), model.path, "--train", f"--input=x={self.path('x.npy')}", f"--label={self.path('y.npy')}",
                         f"--test-input=x={self.path('x.npy')}", f"--test-label={self.path('y.npy')}", "--epochs=3", "--set=learning_rate=0.05",
                         "--threads=1", f"--save={self.path('run.safetensors')}", f"--log={self.path('log.jsonl')}")
        history = model.fit(PIXELS, LABELS, epochs=3, learning_rate=0.05, validation_data=(PIXELS, LABELS), threads=1)
        model.state.save(self.path("fit.safetensors"))
        with open(self.path("run.safetensors"), "rb") as run, open(self.path("fit.safetensors"), "rb") as fit:
            self.assertEqual(run.read(), fit.read(), said)
        self.assertEqual(history.epoch, [1, 2, 3])
        self.assertEqual(set(history), {"loss", "accuracy", "val_loss", "val_accuracy", "learning_rate", "seconds"})
        lines = [line for line in said.splitlines() if line.startswith("epoch ")]
        for epoch, line in enumerate(lines):
            self.assertIn(f": loss {history['loss'][epoch]:.6g}, accuracy {history['accuracy'][epoch]:.4f}, test loss ", line)
            self.assertIn(f" test accuracy {history['val_accuracy'][epoch]:.4f}, learning rate 0.05", line)
        self.assertLess(history["loss"][2], history["loss"][0])

    def test_the_order_of_examples(self):
        for count, seed, epoch in ((1, 0, 0), (70, 0, 0), (70, 1, 0), (70, 0, 1)):
            self.assertEqual(sorted(shuffled(count, seed, epoch)), list(range(count)))
        orders = {tuple(shuffled(70, seed, epoch)) for seed in (0, 1, 2**63 + 5) for epoch in (0, 1)}
        self.assertEqual(len(orders), 6)

    def test_fits_go_on(self):
        model, other = self.compiled(), self.compiled()
        model.fit(PIXELS, LABELS, epochs=4, learning_rate=0.05)
        other.fit(PIXELS, LABELS, epochs=1, learning_rate=0.05)
        history = other.fit(PIXELS, LABELS, epochs=4, initial_epoch=1, learning_rate=0.05)
        self.assertEqual(history.epoch, [2, 3, 4])
        numpy.testing.assert_array_equal(model.state["w"], other.state["w"])
        third = self.compiled()
        state = third.new_state()
        third.fit(PIXELS, LABELS, epochs=4, learning_rate=0.05, state=state)
        numpy.testing.assert_array_equal(state["w"], model.state["w"])
        self.assertFalse((third.state["w"] == state["w"]).all())

    def test_order_and_seed(self):
        weights = []
        for options in ({"seed": 0}, {"seed": 1}, {"shuffle": False}):
            model = self.compiled()
            model.fit(PIXELS, LABELS, learning_rate=0.5, **options)
            weights.append(model.state["w"].tobytes())
        self.assertEqual(len(set(weights)), 3)
        plain = self.compiled()
        for begin in range(0, 64, BATCH):
            plain.run({"x": PIXELS[begin:begin + BATCH], "label": LABELS[begin:begin + BATCH], "learning_rate": 0.5}, entry="train")
        self.assertEqual(plain.state["w"].tobytes(), weights[2])

    def test_run_uses_the_trained_weights(self):
        model = self.compiled(entries=["main", "train", "evaluate"])
        before = model.evaluate(PIXELS, LABELS)
        model.fit(PIXELS, LABELS, epochs=30, learning_rate=1)
        after = model.evaluate(PIXELS, LABELS)
        self.assertEqual(set(after), {"loss", "accuracy"})
        self.assertLess(after["loss"], before["loss"])
        logits = PIXELS @ model.state["w"].T + model.state["b"]
        self.assertAlmostEqual(after["accuracy"], float((logits.argmax(1) == LABELS).mean()), places=6)

    def test_figures_of_a_test_whose_last_batch_is_not_full(self):
        model = self.compiled()
        for count in (1, 5, 16, 21):
            told = model.evaluate(PIXELS[:count], LABELS[:count])
            logits = PIXELS[:count] @ model.state["w"].T + model.state["b"]
            self.assertAlmostEqual(told["accuracy"], float((logits.argmax(1) == LABELS[:count]).mean()), places=6)

    def test_metrics(self):
        seen = []

        def second_best(y_true, y_pred):
            seen.append((y_true.shape, y_pred.shape))
            return (y_pred.argsort(1)[:, -2:] == y_true[:, None]).any(1).mean()

        model = self.compiled()
        history = model.fit(PIXELS, LABELS, epochs=2, learning_rate=0.1, validation_split=0.3, metrics={"top2": second_best})
        self.assertEqual([name for name in history if "top2" in name], ["top2", "val_top2"])
        self.assertEqual(seen[0], ((BATCH,), (BATCH, CLASSES)))
        self.assertEqual(seen[-1], ((5,), (5, CLASSES)), "21 examples are a batch and 5")
        logits = PIXELS @ model.state["w"].T + model.state["b"]
        self.assertAlmostEqual(model.evaluate(PIXELS, LABELS, metrics={"top2": second_best})["top2"],
                               float((logits.argsort(1)[:, -2:] == LABELS[:, None]).any(1).mean()), places=6)

    def test_a_split_takes_the_last_examples(self):
        model, other = self.compiled(), self.compiled()
        history = model.fit(PIXELS, LABELS, learning_rate=0.1, validation_split=0.2)
        same = other.fit(PIXELS[:56], LABELS[:56], learning_rate=0.1, validation_data=(PIXELS[56:], LABELS[56:]))
        for name in ("loss", "val_loss", "val_accuracy"):
            self.assertEqual(history[name], same[name])

    def test_regression_has_no_accuracy(self):
        model = self.compiled(model="line", loss="mean-squared-error")
        x = numpy.random.default_rng(3).uniform(-1, 1, (64, 2)).astype("float32")
        history = model.fit(x, 2 * x[:, :1] - x[:, 1:] + 1, epochs=60, learning_rate=0.2)
        self.assertEqual(set(history), {"loss", "learning_rate", "seconds"})
        numpy.testing.assert_allclose(model.state["w"], [[2, -1]], atol=0.05)

    def test_norms_of_clipped_gradients(self):
        history = self.compiled(clip="norm:1").fit(PIXELS, LABELS, learning_rate=0.1)
        self.assertGreater(history["gradient_norm"][0], 0)

    def test_a_learning_rate_that_changes(self):
        rates = []
        model = self.compiled()
        history = model.fit(PIXELS, LABELS, epochs=2, learning_rate=lambda step: rates.append(step) or 0.1 / (step + 1))
        self.assertEqual(rates, list(range(8)))
        self.assertEqual(history["learning_rate"], [0.1 / 4, 0.1 / 8])

        def halve(training, _logs):
            training.learning_rate /= 2
        history = model.fit(PIXELS, LABELS, epochs=3, learning_rate=0.4, callbacks=[halve])
        self.assertEqual(history["learning_rate"], [0.4, 0.2, 0.1])

    def test_refused_learning_rates(self):
        model = self.compiled()
        before = model.state["w"]
        for rate in (math.nan, math.inf, -0.1, 1e39):
            self.assert_says(ValueError, f"learning_rate must be a number from 0 on, but is {rate} in step 1", model.fit, PIXELS, LABELS, learning_rate=rate)
        numpy.testing.assert_array_equal(model.state["w"], before)
        self.assert_says(ValueError, "learning_rate must be a number from 0 on, but is nan in step 3",
                         model.fit, PIXELS, LABELS, learning_rate=lambda step: math.nan if step == 2 else 0.1)
        self.assertTrue(numpy.isfinite(model.state["w"]).all())

    # --- Callbacks --------------------------------------------------------------------------------------------------

    def test_callbacks_are_called(self):
        recorder, called = Recorder(), []
        self.compiled().fit(PIXELS[:32], LABELS[:32], epochs=2, learning_rate=0.1,
                            callbacks=[recorder, lambda training, logs: called.append((training.epoch, sorted(logs)))])
        self.assertEqual(recorder.calls, [("begin", 0, 0), ("step", 1, 1), ("step", 1, 2), ("epoch", 1, 2), ("step", 2, 3), ("step", 2, 4),
                                          ("epoch", 2, 4), ("end", 2, 4)])
        self.assertEqual(called, [(epoch, ["accuracy", "learning_rate", "loss", "seconds"]) for epoch in (1, 2)])
        self.assert_says(TypeError, "a callback must be a nacre.Callback or a function of training and logs, but is 3",
                         self.compiled().fit, PIXELS, LABELS, learning_rate=0.1, callbacks=[3])

    def test_a_callback_stops(self):
        history = self.compiled().fit(PIXELS, LABELS, epochs=9, learning_rate=0.1,
                                      callbacks=[lambda training, logs: training.epoch == 2 and training.stop("two are enough")])
        self.assertEqual((history.epoch, history.stopped), ([1, 2], "two are enough"))

    def monitored(self, values, **options):
        """Trains with a figure that has these values, and returns the callback, the history, and the weights after each epoch."""
        weights, model = [], self.compiled()

        def put(training, logs):
            logs["score"] = values[training.epoch - 1]
            weights.append(training.state["w"])
        stopping = nacre.EarlyStopping("score", **options)
        history = model.fit(PIXELS, LABELS, epochs=len(values), learning_rate=0.1, callbacks=[put, stopping])
        return stopping, history, weights, model.state["w"]

    def test_early_stopping(self):
        nan = math.nan
        for values, options, epochs, best, stops in (
                ([3, 2, 1, 0], {}, 4, 4, False), ([3, 2, 2, 1], {}, 3, 2, True), ([3, 2, 2, 1], {"patience": 1}, 3, 2, True),
                ([3, 2, 2, 1], {"patience": 2}, 4, 4, False), ([3, 2, 4, 4, 4, 0], {"patience": 3}, 5, 2, True), ([1, 2, 3, 2], {"mode": "max"}, 4, 3, True),
                ([1, 2, 3, 2, 2, 9], {"mode": "max", "patience": 2}, 5, 3, True), ([3, 2.9, 2.8, 1], {"min_delta": 0.5}, 2, 1, True),
                ([nan, 2, nan, 1], {"patience": 2}, 4, 4, False), ([nan, nan, 1], {}, 2, 1, True)):
            with self.subTest(values=values, options=options):
                stopping, history, weights, last = self.monitored(values, **options)
                self.assertEqual((len(history.epoch), stopping.best_epoch), (epochs, best))
                self.assertEqual(history.stopped, f"score has not improved since epoch {best}" if stops else "")
                numpy.testing.assert_array_equal(last, weights[-1])

    def test_the_best_weights_come_back(self):
        _, history, weights, last = self.monitored([3, 1, 2, 2], patience=2, restore_best_weights=True)
        self.assertEqual(history.stopped, "score has not improved since epoch 2")
        numpy.testing.assert_array_equal(last, weights[1])
        _, history, weights, last = self.monitored([3, 1, 2], patience=5, restore_best_weights=True)
        self.assertEqual(history.stopped, "")
        numpy.testing.assert_array_equal(last, weights[1])

    def test_figures_that_are_not_there(self):
        model = self.compiled()
        with self.assertRaisesRegex(ValueError, "'val_loss' is to be monitored, but the figures are loss, accuracy, .*; pass validation_data or validation_split"):
            model.fit(PIXELS, LABELS, learning_rate=0.1, callbacks=[nacre.EarlyStopping()])
        for words, options in (("patience must not be negative, but is -1", {"patience": -1}), ("mode must be 'auto', 'min' or 'max', but is 'most'", {"mode": "most"}),
                               ("min_delta must not be negative, but is -1", {"min_delta": -1})):
            self.assert_says(ValueError, words, nacre.EarlyStopping, **options)

    def test_accuracies_are_best_when_large(self):
        model = self.compiled()
        stopping = nacre.EarlyStopping("val_accuracy", patience=50)
        history = model.fit(PIXELS, LABELS, epochs=12, learning_rate=0.5, validation_split=0.3, callbacks=[stopping])
        self.assertEqual(stopping.best_epoch, 1 + int(numpy.argmax(history["val_accuracy"])))

    def test_checkpoints(self):
        model = self.compiled()
        score = iter([3, 1, 2])

        def put(_training, logs):
            logs["score"] = next(score)
        weights = []
        model.fit(PIXELS, LABELS, epochs=3, learning_rate=0.1,
                  callbacks=[put, nacre.Checkpoint(self.path("best.safetensors"), monitor="score"), nacre.Checkpoint(self.path("epoch-{epoch}-{score:.1f}.safetensors")),
                             lambda training, logs: weights.append(training.state["w"])])
        self.assertEqual(sorted(name for name in os.listdir(self.folder) if name.startswith("epoch")),
                         ["epoch-1-3.0.safetensors", "epoch-2-1.0.safetensors", "epoch-3-2.0.safetensors"])
        for name, expected in (("best", weights[1]), ("epoch-3-2.0", weights[2])):
            model.state.load(self.path(name + ".safetensors"))
            numpy.testing.assert_array_equal(model.state["w"], expected)

    def test_an_interrupted_training_keeps_its_steps(self):
        def interrupt(training, _logs):
            if training.epoch == 2:
                raise KeyboardInterrupt
        model, other = self.compiled(), self.compiled()
        recorder = Recorder()
        with self.assertRaises(KeyboardInterrupt):
            model.fit(PIXELS, LABELS, epochs=9, learning_rate=0.1, callbacks=[recorder, interrupt], validation_split=0.2)
        self.assertNotIn("end", [call[0] for call in recorder.calls])
        other.fit(PIXELS, LABELS, epochs=2, learning_rate=0.1, validation_split=0.2)
        numpy.testing.assert_array_equal(model.state["w"], other.state["w"])
        self.assertEqual(model.evaluate(PIXELS, LABELS), other.evaluate(PIXELS, LABELS))
        model.fit(PIXELS, LABELS, learning_rate=0.1)

    def test_training_that_diverges(self):
        with self.assertRaisesRegex(nacre.DivergedError, r"^the loss .* lower the learning rate, or compile with clip='norm:1'$") as caught:
            self.compiled(model="line", loss="mean-squared-error").fit(numpy.ones((64, 2), "float32"), numpy.ones((64, 1), "float32"), epochs=100,
                                                                       learning_rate=3)
        self.assertIsInstance(caught.exception.history, nacre.History)


if __name__ == "__main__":
    unittest.main()
