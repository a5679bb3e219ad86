#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The integers of a library's inputs and outputs have the scale and zero point of the model's file, whoever asks.

Why:  an app converts its pixels with them; wrong ones give wrong numbers without an error.
How:  small models state them in every way that a file can, and files that others made are read by the tests' own readers. C, C++, Java,
      Python and `nacre-run --info` say the same of each library, bit by bit, on every engine and target.
"""
import json
import os
import re
import struct
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: needs numpy")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from border_models import NO_SCALE, Described, onnx_models, tflite_models

sys.path.insert(0, os.path.join(nacre.ROOT, "test", "conformance"))
from readers import tflite
from readers.wire import decode

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(nacre.ROOT, "runtime", "include")
PACKAGE = os.path.join(nacre.ROOT, "tools", "python")
JAR, JNI_HOST = os.environ.get("NACRE_JAR"), os.environ.get("NACRE_JNI_HOST")
DATA = os.environ.get("NACRE_TEST_DATA", os.path.join(nacre.ROOT, "..", "shared", "data"))

# Files that others made. Of TensorFlow Lite's, the tests' reader knows the numbers; of ONNX, the names of the constants.
TFLITE_FILES = ("tflm/person_detect", "tflm/micro_speech_quantized", "tflm/trained_lstm_int8", "mlperf_tiny/pretrainedResnet_quant",
                "tinymaix/cifar10_q", "seanet/quantize0/quantize0", "seanet/add3/add3")
ONNX_FILES = {"onnx-importer/ort/standard/transform__runtime_optimization__qdq_convs":
              ([("Scale_0", "Zero_point_uint8_0"), ("Scale_1", "Zero_point_uint8_1"), ("Scale_2", "Zero_point_uint8_2")] * 2, 3),
              "onnx-importer/ort/standard/transpose_optimizer_qdq_fixup_unsqueeze_per_axis_dq":
              ([None, (0, "mul_weight_scales", "mul_weight_zps"), None], 2),
              "onnx-importer/ort/standard/transpose_optimizer_empty_dq_q_at_graph_output": ([None, ("scale_inv_255", "zp_0")], 1),
              "reports/requant_002_004/model": ([("s1", "z1"), ("ys", "yz")], 1)}

PYTHON_APP = """
import nacre, sys
for library, number in zip(sys.argv[1::2], sys.argv[2::2]):
    entry = nacre.load(library).entries[int(number)]
    print([(t.scale, t.zero_point) if t.channel_axis is None else (t.channel_axis, list(t.scales), list(t.zero_points))
           for t in entry.inputs + entry.outputs])
"""


def f32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def pair(scale, zero):
    return f" {struct.unpack('<I', struct.pack('<f', scale))[0]:08x} {zero}"


def line(side, index, meaning):
    """What an app prints of a tensor: `meaning` is (scale, zero point), or (axis, scales, zero points)."""
    if len(meaning) == 2:
        return f"{side} {index}:" + pair(*meaning)
    axis, scales, zeros = meaning
    return f"{side} {index}:" + pair(0, 0) + f" axis {axis}:" + "".join(map(pair, scales, zeros))


def constants_of(path):
    """{name: elements} of the initializers of an ONNX file that are floats or bytes."""
    tensor = {2: ("type", "int"), 4: ("floats", ["float"]), 5: ("integers", ["int"]), 8: ("name", "text"), 9: ("raw", "bytes")}
    with open(path, "rb") as file:
        model = decode(file.read(), {7: ("graph", {5: ("constants", [tensor])})})
    types = {1: "<f4", 2: "u1", 3: "i1"}
    return {found.name: np.frombuffer(found.raw, types[found.type]).tolist() if found.raw else found.floats or found.integers
            for found in model.graph.constants if found.type in types}


class BorderTest(nacre.NacreTest):
    parts = 2

    def setUp(self):
        super().setUp()
        self.libraries = []  # (library, model)

    def app(self, language):
        program = self.path("app_" + language)
        if not os.path.exists(program):
            command = {"c": [os.environ.get("CC", "cc"), "-x", "c", "-std=c99"],
                       "c++": [os.environ.get("CXX", "c++"), "-x", "c++", "-std=c++17"]}[language]
            self.call(*command, "-pedantic", "-Wall", "-Wextra", "-Werror", "-I" + INCLUDE, os.path.join(HERE, "border.c"), "-ldl", "-o", program)
        return program

    def compile_model(self, model, *options):
        folder = self.path(f"made{len(self.libraries)}")
        os.mkdir(folder)
        library = os.path.join(folder, "libborder.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), model.path, "-o", library, "--quiet", *model.options, *options)
        return library

    def check(self, model, *options):
        """Compiles a model and asks about its integers."""
        library = self.compile_model(model, *options)
        self.libraries.append((library, model))
        lines = [line(side, index, meaning) for side, tensors in (("input", model.inputs), ("output", model.outputs))
                 for index, meaning in enumerate(tensors)]
        for language in ("c", "c++"):
            said = self.call(self.app(language), library, "nacre_model_border", model.entry)
            self.assertEqual(said.splitlines(), lines, f"{model.path} in {language}")
        self.check_info(model, library, self.run_model)
        return library

    def check_info(self, model, library, run):
        """The text and the file of nacre-run --info."""
        file = self.path("info.json")
        said = run(library, "--info=" + file, *(["--entry=" + model.entry_name] if model.entry_name else []))
        with open(file, encoding="utf-8") as opened:
            described = json.load(opened)
        for side, tensors in (("inputs", model.inputs), ("outputs", model.outputs)):
            self.assertEqual(len(described[side]), len(tensors), model.path)
            for row, meaning in zip(described[side], tensors):
                with self.subTest(model.path, tensor=row["name"]):
                    self.check_row(row, meaning, said)

    def check_row(self, row, meaning, said):
        below = ""
        if len(meaning) == 2:
            self.assertEqual((f32(row["scale"]), row["zero_point"]), meaning)
            self.assertNotIn("scales", row)
            if meaning != NO_SCALE:
                below = f"    scale {meaning[0]:.9g}, zero point {meaning[1]}\n"
        else:
            axis, scales, zeros = meaning
            self.assertEqual((row["channel_axis"], [f32(scale) for scale in row["scales"]], row["zero_points"]), (axis, scales, zeros))
            self.assertEqual((row["scale"], row["zero_point"]), (0, 0))
            below = f"    along axis {axis}: scales {' '.join(f'{s:.9g}' for s in scales)}, zero points {' '.join(map(str, zeros))}\n"
        shape = ",".join(map(str, row["shape"]))
        self.assertRegex(said, re.escape(f"  {row['name']} {row['type']}[{shape}]\n{below}") + "(?!    )")

    def check_others(self):
        """All libraries in Python and Java, each of which takes long to start."""
        arguments = [word for library, model in self.libraries for word in (library, str(model.entry))]
        said = self.call(sys.executable, "-c", PYTHON_APP, *arguments, env=dict(os.environ, PYTHONPATH=PACKAGE, PATH=nacre.BIN + os.pathsep + os.environ["PATH"]))
        self.assertEqual(said.splitlines(), [str([*model.inputs, *model.outputs]) for _, model in self.libraries])
        if JAR:
            self.call("javac", "--release", "8", "-Xlint:all,-options,-classfile", "-Werror", "-classpath", JAR, "-d", self.path("java"), os.path.join(HERE, "BorderCheck.java"))
            said = self.call("java", "-Xcheck:jni", f"-Djava.library.path={JNI_HOST}", "-classpath", self.path("java") + os.pathsep + JAR,
                             "BorderCheck", *arguments)
            wanted = "".join(f"{library}\n{self.call(self.app('c'), library, 'nacre_model_border', model.entry)}" for library, model in self.libraries)
            self.assertEqual(said, wanted)

    def test_models_of_onnx(self):
        for model in onnx_models(self.folder):
            self.check(model)
        self.check_others()

    def test_models_of_tensorflow_lite(self):
        for model in tflite_models(self.folder):
            self.check(model)
        self.check_others()

    def test_every_engine_and_target(self):
        for model in (*onnx_models(self.folder, "channels", "types"), *tflite_models(self.folder, "bytes")):
            for options in (["--place=gpu"], ["--place=split:50"], ["--place=auto", "--device=snapdragon-778g"]):
                self.check(model, *options)
            if os.path.exists(os.path.join(nacre.BIN, "nacre-run-arm64")):
                library = self.compile_model(model, "--target=linux-arm64", "--cpu=cortex-a76")
                self.check_info(model, library, self.run_arm64)
                self.libraries.append((library, model))

    def test_the_header_says_it(self):
        model, = onnx_models(self.folder, "channels")
        with open(self.compile_model(model).replace("lib", "").replace(".so", ".h"), encoding="utf-8") as file:
            self.assertIn("int8_t[1][3][4][4], a scale and zero point for each index of axis 1\n", file.read())
        os.rename(self.path("made0"), self.path("channels"))
        model, = onnx_models(self.folder, "bytes")
        with open(self.compile_model(model).replace("lib", "").replace(".so", ".h"), encoding="utf-8") as file:
            self.assertIn("uint8_t[1][2][4][4], scale 0.5, zero point 128\n", file.read())

    @unittest.skipUnless(os.path.isdir(DATA), "needs ../shared/data")
    def test_files_of_tensorflow_lite(self):
        for name in TFLITE_FILES:
            path = os.path.join(DATA, "tflite", name + ".tflite")
            net = tflite.read_net(path)
            sides = [[(float(net.tensors[i].scales[0]), int(net.tensors[i].zero_points[0])) for i in numbers] for numbers in (net.inputs, net.outputs)]
            self.check(Described(path, *sides))
        self.check_others()

    @unittest.skipUnless(os.path.isdir(DATA), "needs ../shared/data")
    def test_files_of_onnx(self):
        for name, (meanings, inputs) in ONNX_FILES.items():
            path = os.path.join(DATA, name + ".onnx")
            constants = constants_of(path)
            tensors = []
            for meaning in meanings:
                scales, zeros = (constants[word] for word in meaning[-2:]) if meaning else ([1.0], [0])
                tensors.append((meaning[0], scales, zeros) if meaning and len(meaning) == 3 else (scales[0], zeros[0]))
            self.check(Described(path, tensors[:inputs], tensors[inputs:]))
        self.check_others()


if __name__ == "__main__":
    unittest.main()
