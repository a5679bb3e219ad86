#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network learns digits in fp16 as well as in fp32, in 1,000 steps on a GPU, although gradients overflow in some of the first ones.

lavapipe will do for a GPU. One test: digits_half_test.py DigitsInHalves.test_lenet
"""
import json
import os
import unittest

import digits_test
import nacre
import numpy

APART = 0.005
STEPS, EARLY = 1000, 5 * 22


class DigitsInHalves(nacre.NacreTest):
    save = digits_test.DigitsTest.save
    compile = digits_test.DigitsTest.compile
    compile_options = ()

    def setUp(self):
        super().setUp()
        data = {name: numpy.load(os.path.join(digits_test.DATA, "digits", name + ".npy"))
                for name in ("train_images", "train_labels", "test_images", "test_labels")}
        for part in ("train", "test"):
            self.save(part, data[part + "_images"], data[part + "_labels"])
        images = numpy.load(self.path("train_x.npy"))
        images[7] = 1e30
        numpy.save(self.path("broken_x.npy"), images)
        self.order = numpy.random.default_rng(0).permuted(numpy.tile(numpy.arange(len(images)), (46, 1)), axis=1)
        numpy.save(self.path("order.npy"), self.order)

    def train(self, library, images, steps, *options):
        """The lines of the log."""
        self.run_model(library, "--train", "--epochs=46", f"--steps={steps}", "--set=learning_rate=0.05", f"--order={self.path('order.npy')}",
                       f"--input=x={self.path(images)}", f"--label={self.path('train_y.npy')}", f"--test-input=x={self.path('test_x.npy')}",
                       f"--test-label={self.path('test_y.npy')}", f"--log={self.path('log.jsonl')}", f"--save={self.path('state.safetensors')}", *options)
        with open(self.path("log.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        os.remove(self.path("log.jsonl"))
        return [line for line in lines if "loss" in line]

    def learn(self, net):
        folder = os.path.join(digits_test.DATA, "cases", net)
        with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
            loss = "--loss=softmax-cross-entropy:" + json.load(file)["output"]
        options = (os.path.join(folder, "model.onnx"), loss, "--optimizer=sgd:momentum=0.9")
        expected = self.train(self.compile(*options), "train_x.npy", STEPS)
        self.assertNotIn("skipped_steps", expected[-1])
        library = self.compile(*options, "--place=gpu", "--gpu-precision=fp16")
        for engine in (["--gpu"], ["--threads=1"]):
            with self.subTest(engine=engine):
                early = self.train(library, "broken_x.npy", EARLY, *engine)
                self.assertEqual([line["skipped_steps"] for line in early], [int(7 in epoch[:22 * 64]) for epoch in self.order[:5]])
                late = self.train(library, "train_x.npy", STEPS - EARLY, "--resume=" + self.path("state.safetensors"), *engine)
                self.assertEqual(sum(line["skipped_steps"] for line in late), 0)
                self.assertEqual(late[-1]["step"], STEPS)
                accuracy = [numpy.mean([line["test_accuracy"] for line in lines[-5:] if "test_accuracy" in line]) for lines in (late, expected)]
                print(f"{net} {engine}: accuracy {accuracy[0]:.4f} in fp16, {accuracy[1]:.4f} in fp32")
                self.assertLessEqual(abs(accuracy[0] - accuracy[1]), APART)

    def test_lenet(self):
        self.learn("lenet_digits")

    def test_all_steps_overflow(self):
        """That is no training: nacre-run says so at the end of an epoch."""
        images = numpy.load(self.path("train_x.npy"))
        images[...] = 1e30
        numpy.save(self.path("broken_x.npy"), images)
        folder = os.path.join(digits_test.DATA, "cases", "lenet_digits")
        with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
            loss = "--loss=softmax-cross-entropy:" + json.load(file)["output"]
        library = self.compile(os.path.join(folder, "model.onnx"), loss, "--optimizer=sgd", "--place=gpu", "--gpu-precision=fp16")
        said = self.run_model(library, "--train", f"--input=x={self.path('broken_x.npy')}", f"--label={self.path('train_y.npy')}",
                              "--set=learning_rate=0.05", status=5)
        self.assertIn("gradients are infinite or NaN in all steps of epoch 1; lower the learning rate, or compile with --gpu-precision=fp32", said)


if __name__ == "__main__":
    unittest.main()
