#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of the package: mypy --strict accepts it and right calls of it, and refuses wrong ones. Needs mypy (python3-mypy)."""
import os
import re
import subprocess
import sys
import typing
import unittest

import packaged

packaged.need("mypy")
import nacre  # noqa: E402

PACKAGE = os.path.dirname(nacre.__file__)
# The first mypy that knows Unpack[TypedDict] has it as an experiment; newer ones ignore the option.
STRICT = [sys.executable, "-m", "mypy", "--strict", "--enable-incomplete-feature=Unpack", "--python-version", f"3.{sys.version_info.minor}"]
RIGHT = """
import os
from typing import Dict, List

import numpy
import nacre

model: nacre.Model = nacre.compile("a.onnx", accuracy="strict", jobs=2, train=True, shape={"x": (1, 3, 224, 224)}, output=["a", "b"],
                                   set={"n": numpy.zeros(3)}, batch_axis={"x": 1, "mask": "none"}, dropout={"h": 0.5}, for_="phone",
                                   cpu=["cortex-a76", "cortex-a55"], micro_batch="auto", time_trace=True, cache=False, library="lib.so")
options: nacre.CompileOptions = {"weight_type": "fp16", "keep": "all"}
nacre.compile(b"model", **options)
nacre.from_torch(None, None, target="android-arm64", accuracy="fast")
model.run(nacre.image("cat.jpg", model, resize=256, crop=True, mean=(0.485, 0.456, 0.406), std=0.2, layout="nchw"))
model.run(nacre.sound("yes.wav", model.inputs[0], rate=16000))
answer = model.run({"x": numpy.zeros((1, 3))})["y"].argmax()
with model.session("main", threads=2, gpu=False, gpu_cut=50) as session:
    session.input("x")[...] = 0
nacre.compile("a.onnx", shape={"ids": [(1, 16), [1, 64]], "mask": "1x{16,64}"})
with model.session(all_entries=True) as session:
    session.use(model.entry_for({"ids": (1, 20)}).name)
    session.run(entry="train")
    rows: int = session.inputs[0].shape[0]


def note(training: nacre.Training, logs: Dict[str, float]) -> None:
    training.stop("enough" if logs["loss"] < 1 else "")
    training.model.save(f"{training.model.entry('train').name}-{training.epoch}.so")


history = model.fit(numpy.zeros(3), [1, 2], epochs=3, learning_rate=lambda step: 0.1 / (step + 1), threads=1,
                    callbacks=[nacre.EarlyStopping(patience=2), nacre.Checkpoint("a.safetensors"), note])
losses: List[float] = history["loss"]
history.plot("loss").save("curve.svg")
loss: float = model.evaluate(numpy.zeros(3), [1, 2])["loss"]
os.fspath(nacre.cache_folder() or "")
"""
# Wrong lines and the error that mypy names.
WRONG = [
    ("nacre.compile('a.onnx', acuracy='strict')", r'[Uu]nexpected keyword argument "acuracy" for "compile"'),
    ("nacre.compile('a.onnx', accuracy='best')", r'"accuracy" to "compile" has incompatible type "(Literal\[\'best\'\]\??|str)"'),
    ("nacre.compile('a.onnx', jobs='two')", r'"jobs" to "compile" has incompatible type "str"; expected "int"'),
    ("nacre.compile('a.onnx', shape={'x': 1.5})", r'incompatible type "str": "float"; expected "str": "Union\[str, Sequence\[int\], Sequence\[Sequence\[int\]\]\]"'),
    ("nacre.from_torch(None, None, acuracy='strict')", r'[Uu]nexpected keyword argument "acuracy" for "from_torch"'),
    ("nacre.load('a.so').session(thread=2)", r'[Uu]nexpected keyword argument "thread" for "session"'),
    ("nacre.load('a.so').fit(1, 2, learning_rate='fast')", r'"learning_rate" to "fit" of "Model" has incompatible type "str"'),
    ("nacre.load('a.so').run(1, threads=2)", r'"threads" to "run" of "Model" has incompatible type "int"; expected "NoReturn"'),
    ("nacre.image('cat.jpg', (1, 3, 8, 8), layout='chw')", r'"layout" to "image" has incompatible type "(Literal\[\'chw\'\]\??|str)"'),
    ("nacre.load('a.so').run(1).shape", r'has no attribute "shape"'),
]


class TypingTest(packaged.PackageTest):
    def check(self, *arguments):
        done = subprocess.run([*STRICT, f"--cache-dir={self.path('types')}", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, timeout=packaged.COMMAND_SECONDS, env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)})
        return done.stdout

    def test_the_package_and_calls_of_it(self):
        with open(self.path("right.py"), "w", encoding="utf-8") as file:
            file.write(RIGHT)
        with open(self.path("wrong.py"), "w", encoding="utf-8") as file:
            file.write("import nacre\n" + "".join(line + "\n" for line, _ in WRONG))
        said = self.check(PACKAGE, self.path("right.py"), self.path("wrong.py"))
        errors = re.findall(r"^(.*?):(\d+): error: (.*)$", said, re.MULTILINE)
        self.assertEqual([error for error in errors if not error[0].endswith("wrong.py")], [], said)
        for number, (line, words) in enumerate(WRONG, 2):
            found = [text for _, at, text in errors if int(at) == number]
            self.assertTrue(any(re.search(words, text) for text in found), f"{line}: {found}")

    def test_types_can_be_read_at_run_time(self):
        for kind in (nacre.CompileOptions, nacre.SessionOptions):
            self.assertGreater(len(typing.get_type_hints(kind)), 10)


if __name__ == "__main__":
    unittest.main()
