# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model and data that tests of training share: one dense layer, and examples that it can learn."""
import os
import shutil
import tempfile

import numpy
import packaged

import nacre

CLASSES, SIZE, BATCH = 3, 6, 16
DRAW = numpy.random.default_rng(7)
LABELS = DRAW.integers(0, CLASSES, 70)
PIXELS = (numpy.eye(CLASSES, SIZE)[LABELS] + DRAW.uniform(0, 0.8, (70, SIZE))).astype("float32")


def digits_model():
    graph = packaged.Graph("digits", seed=5)
    x = graph.input("x", ["batch", SIZE])
    graph.node("Gemm", [x, graph.weight("w", [CLASSES, SIZE], -0.1, 0.1), graph.weight("b", [CLASSES], 0, 0)], transB=1, output="logits")
    graph.output("logits", ["batch", CLASSES])
    return graph


packaged.MODELS["digits"] = digits_model


class DigitsTest(packaged.PackageTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="nacre-python-")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.addClassCleanup(os.environ.update, NACRE_CACHE="off")
        os.environ["NACRE_CACHE"] = folder  # Most tests want the same library.

    def compiled(self, *, model="digits", loss="softmax-cross-entropy", **options):
        options = {"train": True, "train_batch": BATCH, "jobs": 1, **options}
        options["loss"] = f"{loss}:{'logits' if model == 'digits' else 'y'}" + options.pop("loss_options", "")
        return nacre.compile(self.model(model), **options)
