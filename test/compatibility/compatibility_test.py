#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/compatibility.md promises, with what older versions made: a folder for each, written when it was the current one by

    compatibility_test.py --keep VERSION

It has the library of a model that learns (xz), a state that it had learned, and what it answered with that.
"""
import lzma
import os
import re
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import nacre  # noqa: E402
from make_strokes import EXAMPLES, SIZE, make_strokes, write_examples  # noqa: E402
from onnx_writer import write_npy  # noqa: E402

VERSIONS = sorted(name for name in os.listdir(HERE) if re.fullmatch(r"\d+\.\d+\.\d+", name))
KEPT = ("libstrokes.so.xz", "learned.safetensors", "logits.npy")


class CompatibilityTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        write_examples(self.path("strokes.txt"))
        with open(self.path("strokes.txt"), encoding="ascii") as file:
            rows = [line.split() for line in file]
        write_npy(self.path("label.npy"), [EXAMPLES], [int(stroke) for stroke, _ in rows], "q")
        images = [[int(digit) / 9 for digit in digits] for _, digits in rows]
        write_npy(self.path("images.npy"), [EXAMPLES, 1, SIZE, SIZE], sum(images, []))
        write_npy(self.path("image.npy"), [1, 1, SIZE, SIZE], images[0])

    def compile_strokes(self):
        make_strokes().save(self.path("strokes.onnx"))
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("strokes.onnx"), "-o", self.path("libstrokes.so"),
                  "--target=linux-x86_64", "--train", "--loss=softmax-cross-entropy:logits", "--trainable=fc*",
                  "--optimizer=sgd:momentum=0.9", "--train-batch=8")
        return self.path("libstrokes.so")

    def learn(self, library, epochs, *options):
        """Trains on all examples; the state it ends with."""
        self.run_model(library, "--train", f"--input=image={self.path('images.npy')}", f"--label={self.path('label.npy')}",
                       "--set=learning_rate=0.02", f"--epochs={epochs}", f"--save={self.path('state')}", *options)
        with open(self.path("state"), "rb") as file:
            return file.read()

    def answer(self, library, state, *options):
        self.run_model(library, f"--weights={state}", f"--input=image={self.path('image.npy')}", *options)

    def kept(self, version):
        """The library and the state of an older version."""
        library = self.path(f"libstrokes-{version}.so")
        with open(library, "wb") as file, lzma.open(os.path.join(HERE, version, KEPT[0])) as packed:
            file.write(packed.read())
        return library, os.path.join(HERE, version, KEPT[1])

    def expected(self, version):
        return f"--expect=logits={os.path.join(HERE, version, KEPT[2])}"

    def test_older_models_run_and_learn(self):
        for version in VERSIONS:
            library, state = self.kept(version)
            self.assertIn(f"nacre-compile {version}\n", self.run_model(library, "--info"))
            self.answer(library, state, self.expected(version), "--rtol=0", "--atol=1e-6")
            self.assertEqual(self.learn(library, 3, f"--resume={state}"), self.learn(library, 3))

    def test_older_states_go_on_in_newer_models(self):
        library = self.compile_strokes()
        for version in VERSIONS:
            _, state = self.kept(version)
            self.answer(library, state, self.expected(version))
            self.assertNotEqual(self.learn(library, 3, f"--resume={state}"), self.learn(library, 1))

    def test_apps_of_later_versions_run_models_of_this_one(self):
        """The headers as they will be when something is added at their ends."""
        headers = os.path.join(nacre.ROOT, "runtime", "include", "nacre")
        os.makedirs(self.path("later", "nacre"))
        for name in os.listdir(headers):
            with open(os.path.join(headers, name)) as file:
                text = file.read()
            text = re.sub(r"(#define NACRE_API_VERSION )(\d+)", lambda found: found[1] + str(int(found[2]) + 1), text)
            text = text.replace("} nacre_session_options;", "  uint64_t added;\n} nacre_session_options;")
            text = text.replace("} nacre_model_info;", "  uint64_t added;\n} nacre_model_info;")
            with open(self.path("later", "nacre", name), "w") as file:
                file.write(text)
        libraries = [self.compile_strokes()] + [self.kept(version)[0] for version in VERSIONS]
        for number, library in enumerate(libraries):
            # The loader looks for the name that the library was compiled under, which all of them share.
            folder, app = self.path(str(number)), self.path("later_app")
            os.mkdir(folder)
            library = shutil.copy(library, os.path.join(folder, "libstrokes.so"))
            self.call(os.environ.get("CC", "cc"), "-std=c99", "-Wall", "-Werror", "-I" + self.path("later"),
                      os.path.join(HERE, "later_app.c"), library, "-Wl,-rpath," + folder, "-o", app)
            self.assertEqual(self.call(app), "ran; what was added is 0\nrefused what is newer\n")


def keep(version):
    """Writes the folder of this version, the current one."""
    test = CompatibilityTest()
    test.setUp()
    library = test.compile_strokes()
    learned = test.learn(library, 2)
    folder = os.path.join(HERE, version)
    os.makedirs(folder)
    with open(os.path.join(folder, KEPT[1]), "wb") as file:
        file.write(learned)
    with open(library, "rb") as file, lzma.open(os.path.join(folder, KEPT[0]), "wb", preset=9) as packed:
        packed.write(file.read())
    with tempfile.TemporaryDirectory() as output:
        test.answer(library, os.path.join(folder, KEPT[1]), f"--output={output}")
        shutil.move(os.path.join(output, KEPT[2]), folder)
    test.doCleanups()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--keep"]:
        keep(sys.argv[2])
    else:
        unittest.main()
