#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What models remember, in Python: to read, write, reset, save, load and share; and training, against the same steps in NumPy."""
import lzma
import os
import re
import unittest

import numpy
import packaged
from make_strokes import SIZE, write_examples

import nacre

KEPT = os.path.join(packaged.ROOT, "test", "compatibility")  # What older versions made.

ONES = numpy.ones(3, "float32")


class StateTest(packaged.PackageTest):
    def running(self):
        return nacre.compile(self.model("running"), state={"before": "after"}, jobs=1)

    def test_a_model_remembers(self):
        model = self.running()
        self.assertEqual([(info.tensor.name, info.tensor.shape, info.role) for info in model.states], [("before", (3,), "recurrent")])
        for count in (1, 2, 3):
            numpy.testing.assert_array_equal(model.run(ONES)["total"], count * ONES)
        numpy.testing.assert_array_equal(model.state["before"], 3 * ONES)
        model.state["before"] = [10, 20, 30]
        numpy.testing.assert_array_equal(model.run(ONES)["total"], [11, 21, 31])
        model.state.reset("recurrent")
        numpy.testing.assert_array_equal(model.run(ONES)["total"], ONES)
        self.assertEqual((list(model.state), len(model.state)), (["before"], 1))

    def test_files(self):
        model = self.running()
        model.run(5 * ONES)
        model.state.save(self.path("kept.safetensors"))
        model.state.reset()
        model.state.load(self.path("kept.safetensors"))
        numpy.testing.assert_array_equal(model.run(ONES)["total"], 6 * ONES)
        with open(self.path("kept.safetensors"), "r+b") as file:
            file.seek(-1, 2)
            file.write(b"\xff")
        with self.assertRaises(nacre.RunError) as caught:
            model.state.load(self.path("kept.safetensors"))
        self.assertIn("checksum", caught.exception.reason)
        self.assertEqual(caught.exception.status.name, "BAD_ARGUMENT")
        numpy.testing.assert_array_equal(model.state["before"], 6 * ONES)

    def test_sessions_have_their_own_or_share(self):
        model = self.running()
        shared = model.new_state()
        first, second, apart = model.session(state=shared), model.session(state=shared), model.session()
        first.run([ONES])
        numpy.testing.assert_array_equal(second.run([ONES])["total"], 2 * ONES)
        numpy.testing.assert_array_equal(apart.run([ONES])["total"], ONES)
        apart.state.copy_from(shared)
        numpy.testing.assert_array_equal(apart.run([ONES])["total"], 3 * ONES)
        state = apart.state
        apart.close()
        numpy.testing.assert_array_equal(state["before"], 3 * ONES)
        del model, shared, first, second, apart
        numpy.testing.assert_array_equal(state["before"], 3 * ONES)

    def test_mistakes(self):
        model, other = self.running(), nacre.compile(self.model("sums"), jobs=1)
        state = model.new_state()
        self.assert_says(ValueError, "roles are recurrent, weight, moment, statistic, counter; 'lstm' is not one", state.reset, "lstm")
        self.assert_says(ValueError, "state 'before' must have the shape (3,), but has (2,)", state.__setitem__, "before", [1, 2])
        self.assert_says(ValueError, "the model has no state; compile it with state={input: output} or train=True",
                         other.new_state)
        self.assert_says(ValueError, "the state of a session belongs to another model", other.session, state=state)
        with self.assertRaises(KeyError):
            state["after"]  # pylint: disable=pointless-statement
        with self.assertRaisesRegex(KeyError, "the model has no state 'after'; it has before"):
            state["after"] = ONES
        with self.assertRaises(nacre.RunError) as caught:
            state.save(self.path("no", "folder"))
        self.assertEqual(caught.exception.status.name, "FAILED")
        for call in (state.save, state.load):
            self.assert_says(ValueError, "the path must not contain the character 0", call, self.path("cut") + "\0.safetensors")
        self.assertFalse(os.path.exists(self.path("cut")))


class CompatibilityTest(packaged.PackageTest):
    @unittest.skipUnless(os.uname().machine == "x86_64", "the libraries that were kept are for x86-64")
    def test_models_and_states_of_older_versions(self):
        write_examples(self.path("strokes.txt"))
        with open(self.path("strokes.txt"), encoding="ascii") as file:
            digits = file.readline().split()[1]
        image = (numpy.array([int(digit) for digit in digits], "float32") / 9).reshape(1, 1, SIZE, SIZE)
        versions = sorted(name for name in os.listdir(KEPT) if re.fullmatch(r"\d+\.\d+\.\d+", name))
        self.assertTrue(versions)
        for version in versions:
            with open(self.path(f"lib{version}.so"), "wb") as file, lzma.open(os.path.join(KEPT, version, "libstrokes.so.xz")) as packed:
                file.write(packed.read())
            model = nacre.load(self.path(f"lib{version}.so"))
            self.assertEqual(model.compiler, f"nacre-compile {version}")
            model.state.load(os.path.join(KEPT, version, "learned.safetensors"), ["weight", "statistic"])
            numpy.testing.assert_allclose(model.run(image)["logits"], numpy.load(os.path.join(KEPT, version, "logits.npy")), atol=1e-5)


class TrainingTest(packaged.PackageTest):
    def test_steps_are_those_of_numpy(self):
        model = nacre.compile(self.model("line"), train=True, loss={"mean-squared-error": "y"}, train_batch=8, shape={"x": (1, 2)}, jobs=1)
        self.assertEqual([entry.name for entry in model.entries], ["main", "train", "evaluate"])
        self.assertEqual({info.tensor.name: info.role for info in model.states if info.role == "weight"}, {"w": "weight", "b": "weight"})
        label = next(info.name for info in model.entry("train").inputs if info.name not in ("x", "learning_rate"))
        draw = numpy.random.default_rng(3)
        w, b, rate = numpy.zeros((1, 2)), numpy.zeros(1), 0.1
        for _ in range(20):
            x = draw.uniform(-1, 1, (8, 2)).astype("float32")
            y = (x @ [[2.0], [-1.0]] + 0.5).astype("float32")
            error = x @ w.T + b - y
            answer = model.run({"x": x, label: y, "learning_rate": rate}, entry="train")
            self.assertAlmostEqual(float(answer["loss"]), float((error**2).mean()), places=5)
            w, b = w - rate * 2 * (error.T @ x) / 8, b - rate * 2 * error.mean(axis=0)
            numpy.testing.assert_allclose(model.state["w"], w, atol=1e-5)
            numpy.testing.assert_allclose(model.state["b"], b, atol=1e-5)
        # The other entries see what was learned, those of a session with a state of its own do not.
        one = numpy.array([[1, 1]], "float32")
        numpy.testing.assert_allclose(model.run(one)["y"], one @ w.T + b, atol=1e-5)
        numpy.testing.assert_allclose(float(model.run({"x": x, label: y}, entry="evaluate")["loss"]), ((x @ w.T + b - y)**2).mean(), atol=1e-5)
        numpy.testing.assert_array_equal(model.session().run([one])["y"], [[0]])
        model.state.reset("weight")
        numpy.testing.assert_array_equal(model.run(one)["y"], [[0]])


if __name__ == "__main__":
    unittest.main()
