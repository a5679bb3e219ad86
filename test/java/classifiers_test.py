#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A picture has one label, whatever language the app has: the samples in C, C++ and Kotlin, and the package of Python.

How:  20 pictures of several sizes, each prepared by each of them; classifiers of floats and of 8-bit integers, with colors and with
      gray. nacre-eval, in double precision, labels some of the inputs, too.
"""
import os
import random
import re
import sys
import unittest

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "test", "e2e"), os.path.join(ROOT, "tools", "python"), os.path.join(ROOT, "samples", "models")]
import nacre as tests  # noqa: E402  # Of test/e2e: it has no nacre.image.
import tflite_writer  # noqa: E402

sys.path.remove(os.path.join(ROOT, "test", "e2e"))
del sys.modules["nacre"]
import nacre  # noqa: E402

os.environ["PATH"] = tests.BIN + os.pathsep + os.environ["PATH"]
DATA = os.environ.get("NACRE_TEST_DATA", os.path.join(ROOT, "..", "shared", "data"))
JAR, JNI_HOST = os.environ["NACRE_JAR"], os.environ["NACRE_JNI_HOST"]
SAMPLE_JAR = os.environ["NACRE_SAMPLE_JAR"]
CLASSPATH = os.pathsep.join((JAR, SAMPLE_JAR, os.environ["NACRE_KOTLIN_STDLIB"]))
CLASSES = 7


def quantized_net(channels):
    """A dense layer and a softmax, in 8-bit integers, of a picture from -1 to 1."""
    draw = numpy.random.default_rng(6)
    net, size = tflite_writer.Net(), 24 * 20 * channels
    codes = {"element": tflite_writer.INT8}
    x = net.input("picture", [1, 24, 20, channels], scale=1 / 127.5, zero=-1, **codes)
    weights = net.tensor("weights", [CLASSES, size], values=draw.integers(-127, 128, CLASSES * size).astype("int8").tobytes(), scale=0.004, **codes)
    bias = net.tensor("bias", [CLASSES], tflite_writer.INT32, values=[0] * CLASSES, scale=0.004 / 127.5)
    logits = net.tensor("logits", [1, CLASSES], scale=0.1, **codes)
    net.op(9, [x, weights, bias], [logits], 8, {})
    net.op(25, [logits], [net.output("label", [1, CLASSES], scale=1 / 256, zero=-128, **codes)], 9, {0: ("f", 1.0)})
    return net


def float_net():
    """The same in floats, with the channels first."""
    graph = tests.Graph("planes")
    flat = graph.node("Flatten", [graph.input("picture", [1, 3, 24, 20])])
    graph.node("Softmax", [graph.node("Gemm", [flat, graph.weight("weights", [CLASSES, 3 * 24 * 20], -0.2, 0.2)], transB=1)], output="label")
    graph.output("label", [1, CLASSES])
    return graph


class ClassifiersTest(tests.NacreTest):
    def build(self, model):
        """The programs of the samples, with this network."""
        self.call(os.path.join(tests.BIN, "nacre-compile"), model, "-o", self.path("libclassifier.so"), "--quiet")
        rest = ["-O2", "-I" + self.folder, "-I" + os.path.join(ROOT, "runtime", "include"), "-L" + self.folder, "-lclassifier", "-Wl,-rpath,$ORIGIN"]
        self.call("cc", "-std=c99", os.path.join(ROOT, "samples", "classify.c"), *rest, "-o", self.path("in_c"))
        self.call("c++", "-std=c++17", os.path.join(ROOT, "samples", "classify.cpp"), *rest, "-o", self.path("in_cpp"))

    def pictures(self):
        draw = random.Random(20)
        for number in range(20):
            width, height = draw.randint(20, 320), draw.randint(24, 240)
            # Areas of colors and some noise: labels differ, and depend on how a picture is resized.
            areas = numpy.frombuffer(draw.randbytes(4 * 5 * 3), numpy.uint8).reshape(4, 5, 3)
            large = areas[numpy.arange(height) * 4 // height][:, numpy.arange(width) * 5 // width].astype(int)
            noise = numpy.frombuffer(draw.randbytes(height * width * 3), numpy.uint8).reshape(height, width, 3) // 4
            yield number, numpy.minimum(large * 3 // 4 + noise, 255).astype(numpy.uint8)

    def check(self, path):
        self.build(path)
        model = nacre.load(self.path("libclassifier.so"))
        given, made = model.inputs[0], model.outputs[0]
        is_first = given.shape[1] in (1, 3)
        high, wide = given.shape[2:] if is_first else given.shape[1:3]
        with open(self.path("picture.properties"), "w", encoding="ascii") as file:
            file.write("mean=0.5\nstd=0.5\n")
        self.call("javac", "--release", "8", "-Xlint:-options", "-classpath", CLASSPATH, "-d", self.path("app"), os.path.join(HERE, "sample", "ClassifyPicture.java"))
        java, expected = [], []
        for number, pixels in self.pictures():
            height, width = pixels.shape[:2]
            ppm, rgba = self.path("picture.ppm"), self.path(f"{number}.rgba")
            with open(ppm, "wb") as file:
                file.write(b"P6 %d %d 255\n" % (width, height) + pixels.tobytes())
            # The phone was held otherwise: Kotlin turns the picture upright.
            rotation = number % 4 * 90
            lying = numpy.ascontiguousarray(numpy.rot90(numpy.concatenate([pixels, pixels[:, :, :1]], 2), number % 4))
            with open(rgba, "wb") as file:
                file.write(lying.tobytes())
            java += [rgba, lying.shape[1], lying.shape[0], 4 * lying.shape[1], rotation]

            side = max(wide, -(-high * width // height)) if width <= height else max(high, -(-wide * height // width))
            array = nacre.image(pixels, model, resize=side, crop=True, mean=0.5, std=0.5)
            answer = model.run(array)[made.name]
            shares = (answer if made.type == "f32" else made.dequantize(answer)).ravel()
            best = int(shares.argmax())
            in_words = f"class {best}, {100 * float(shares[best]):.1f} %\n"
            self.assertEqual(self.call(self.path("in_c"), ppm), in_words, f"picture {number}")
            self.assertEqual(self.call(self.path("in_cpp"), ppm), in_words, f"picture {number}")
            if number % 10 == 0:
                numpy.save(self.path("array.npy"), array)
                self.call(os.path.join(tests.BIN, "nacre-eval"), path, f"--input={given.name}={self.path('array.npy')}", f"--output={self.folder}")
                reference = numpy.load(self.path(made.name.replace("/", "_") + ".npy")).ravel()
                self.assertEqual(reference[best], reference.max(), f"picture {number}")
            expected.append(f"class {best}")
        self.assertGreater(len(set(expected)), 1, "all pictures have one label")
        *said, _ = self.call("java", f"-Djava.library.path={JNI_HOST}", "-classpath", self.path("app") + os.pathsep + CLASSPATH, "ClassifyPicture",
                             self.path("libclassifier.so"), self.path("picture.properties"), *java).splitlines()
        lines = min(3, int(numpy.prod(made.shape)))
        self.assertEqual([re.sub(":.*", "", line) for line in said[::lines]], expected)

    @unittest.skipUnless(os.path.exists(SAMPLE_JAR), "needs kotlinc, of the package kotlin")
    def test_quantized_colors(self):
        quantized_net(3).save(self.path("colors.tflite"))
        self.check(self.path("colors.tflite"))

    @unittest.skipUnless(os.path.exists(SAMPLE_JAR), "needs kotlinc, of the package kotlin")
    def test_quantized_gray(self):
        quantized_net(1).save(self.path("gray.tflite"))
        self.check(self.path("gray.tflite"))

    @unittest.skipUnless(os.path.exists(SAMPLE_JAR), "needs kotlinc, of the package kotlin")
    def test_person_detect(self):
        network = os.path.join(DATA, "tflite", "tflm", "person_detect.tflite")
        if not os.path.exists(network):
            self.skipTest(f"needs {network}")
        self.check(network)

    @unittest.skipUnless(os.path.exists(SAMPLE_JAR), "needs kotlinc, of the package kotlin")
    def test_floats(self):
        float_net().save(self.path("planes.onnx"))
        self.check(self.path("planes.onnx"))


if __name__ == "__main__":
    unittest.main()
