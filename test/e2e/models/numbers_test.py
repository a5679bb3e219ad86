#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nacre-eval runs models as they are, and nacre-diff names the node at which a library parts from them."""
import os
import random
import re
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import gpu_code
import nacre
from make_convnet import make_convnet
from onnx_writer import write_npy

EVAL, DIFF, COMPILE = (os.path.join(nacre.BIN, name) for name in ("nacre-eval", "nacre-diff", "nacre-compile"))
VERDICT = re.compile(r"first beyond the bound: node '(.*?)' \((\w+)\), number (\d+), tensor '(.*?)'")


def leaky_model():
    """A slope that no other kernel has, between two convolutions."""
    graph = nacre.Graph("leaky", seed=3)
    x = graph.node("Conv", [graph.input("x", [1, 8, 24, 24]), graph.kernel("first", [16, 8, 3, 3])], pads=[1, 1, 1, 1], name="before")
    x = graph.node("LeakyRelu", [x], alpha=0.1, name="slope")
    graph.node("Conv", [x, graph.kernel("second", [8, 16, 3, 3])], output="y", pads=[1, 1, 1, 1], name="behind")
    graph.output("y", [1, 8, 24, 24])
    return graph


def large_model():
    """A convolution whose results halves do not have, for inputs of thousands: the compiler cannot know. Its operand and the last result are smaller."""
    graph = nacre.Graph("large", seed=4)
    x = graph.node("Conv", [graph.input("x", [1, 8, 24, 24]), graph.kernel("first", [16, 8, 3, 3])], pads=[1, 1, 1, 1], name="small")
    x = graph.node("Conv", [x, graph.weight("large", [16, 16, 3, 3], -4, 4)], pads=[1, 1, 1, 1], name="overflows")
    x = graph.node("Mul", [x, graph.constant("least", [1], [1e-3])], name="scale")
    graph.node("Conv", [x, graph.kernel("last", [8, 16, 3, 3])], output="y", pads=[1, 1, 1, 1], name="behind")
    graph.output("y", [1, 8, 24, 24])
    return graph


def integers_model():
    """Halves up to an even number, of a quotient that no double is."""
    graph = nacre.Graph("integers")
    x = graph.node("Div", [graph.input("x", [2]), graph.constant("tenth", [1], [0.1])])
    graph.node("Round", [x], output="y")
    graph.output("y", [2])
    return graph


nacre.MODELS.update(leaky=leaky_model, large=large_model, integers=integers_model)


class NumbersTest(nacre.NacreTest):
    parts = 2

    def diff(self, name, judged, *options, status=0):
        return self.call(DIFF, self.model(name), judged, *options, status=status)

    def verdict(self, said):
        match = VERDICT.search(said)
        self.assertTrue(match, said)
        return match.groups()

    #===-- nacre-eval -----------------------------------------------------------------------------------------===#

    def test_eval_says_what_the_reference_says(self):
        pixels = self.path("image.npy")
        self.call("python3", os.path.join(nacre.ROOT, "samples", "models", "make_convnet.py"), self.folder)
        os.rename(self.path("convnet.input.npy"), pixels)
        expected = os.path.join(nacre.ROOT, "samples", "models", "convnet.expected.npy")
        self.assertIn("agrees", self.call(EVAL, self.model("convnet"), f"--input=image={pixels}", f"--expect=probabilities={expected}",
                                          "--rtol=1e-5", "--atol=1e-6"))

    def test_eval_takes_the_inputs_of_nacre_run(self):
        out = self.path("out")
        os.mkdir(out)
        self.call(EVAL, self.model("convnet"), f"--output={out}", "--seed=5")
        self.assertIn("agrees", self.run_model(self.compile("convnet"), "--seed=5", f"--expect=probabilities={out}/probabilities.npy"))

    def test_eval_decides_as_floats_do(self):
        write_npy(self.path("x.npy"), [2], [0.25, 0.35])  # 2.5 and 3.5 in f32; below them in double
        write_npy(self.path("y.npy"), [2], [2, 4])
        self.call(EVAL, self.model("integers"), f"--input=x={self.path('x.npy')}", f"--expect=y={self.path('y.npy')}", "--rtol=0", "--atol=0")

    def test_eval_says_which_output_differs(self):
        write_npy(self.path("y.npy"), [1, 64], [3.0] * 64)
        said = self.call(EVAL, self.model("relu"), f"--expect=y={self.path('y.npy')}", status=1)
        self.assertIn("output 'y' differs at [0,", said)

    def test_eval_errors(self):
        for options, status, message in (
                ((self.path("none.onnx"),), 3, "none.onnx"),
                ((self.model("unsupported"),), 3, '"discombobulate_0": error: '),
                ((self.model("relu"), "--entry=train"), 2, "--entry must be one of 'main', but is 'train'"),
                ((self.model("relu"), "--runs=0"), 2, "--runs must be at least 1, --rtol and --atol at least 0"),
                ((self.model("relu"), "--input=z=z.npy"), 2, "--input must be NAME=FILE with one of the names 'x', but is 'z=z.npy'"),
                ((self.model("convnet"), "--keep=conv_1"), 3, "--keep must name tensors of known size that a node computes, but there is no such tensor 'conv_1'; the nearest names are 'conv_0'")):
            self.assertIn(message, self.call(EVAL, *options, status=status))

    #===-- --keep ---------------------------------------------------------------------------------------------===#

    def test_keep_gives_what_nodes_compute(self):
        kept = self.compile("convnet", "--keep=all")
        outputs = re.findall(r"^output +(\S+)", self.run_model(kept, "--info"), re.MULTILINE)
        some = self.run_model(self.compile("convnet", "--keep=relu_2,conv_3", output=self.path("libsome.so")))
        self.assertEqual(re.findall(r"^(\S+) f32", some, re.MULTILINE), ["probabilities", "relu_2", "conv_3"])
        self.assertIn("relu_2 f32[1,32,48,48]", self.run_model(kept), outputs)

    def test_keep_errors(self):
        self.assertIn("--keep cannot be combined with --train", self.compile("convnet", "--keep=all", "--train", "--loss=model:probabilities", status=2))
        self.assertIn("'conv_1'; the nearest names are 'conv_0'", self.compile("convnet", "--keep=conv_1", status=1))

    #===-- nacre-diff -----------------------------------------------------------------------------------------===#

    def test_diff_of_a_right_library(self):
        said = self.diff("convnet", self.compile("convnet", "--keep=all"))
        rows = re.findall(r"^ +(\d+) +(\w+) +(\S+)", said, re.MULTILINE)
        self.assertGreater(len(rows), 30)
        self.assertEqual([int(number) for number, _, _ in rows], sorted(int(number) for number, _, _ in rows))
        self.assertIn(f"all {len(rows)} tensors are within 0.001 of their largest elements", said)

    def test_diff_without_keep_says_how_to_see_more(self):
        self.assertRegex(self.diff("convnet", self.compile("convnet")),
                         r"1 of \d+ tensors that nodes compute are compared: compile with --keep=all to see what the other nodes compute")

    def test_diff_finds_a_wrong_weight(self):
        wrong = make_convnet()
        index = next(i for i, tensor in enumerate(wrong.initializers) if b"\x42\x03w10" in tensor)
        raw = bytearray(wrong.initializers[index])
        raw[-4:] = struct.pack("<f", 3.0)  # one element of the convolution's kernel
        wrong.initializers[index] = bytes(raw)
        wrong.save(self.path("wrong.onnx"))
        library = self.path("libwrong.so")
        self.call(COMPILE, self.path("wrong.onnx"), "-o", library, "--keep=all")
        said = self.diff("convnet", library, status=1)
        self.assertEqual(self.verdict(said)[:3], ("conv_10", "Conv", "10"))
        self.assertIn("was the library compiled from this model", said)
        self.assertNotRegex(said, r"(?m)^ +9 .*<$")
        # Without what nodes compute it is the output that is wrong.
        self.call(COMPILE, self.path("wrong.onnx"), "-o", library)
        self.assertEqual(self.verdict(self.diff("convnet", library, status=1))[1], "Softmax")

    def test_diff_finds_an_overflow_of_halves(self):
        draw = random.Random(6)
        write_npy(self.path("x.npy"), [1, 8, 24, 24], [draw.uniform(-3000, 3000) for _ in range(8 * 24 * 24)])
        fed = f"--input=x={self.path('x.npy')}"
        for place, run in (("gpu", ["--gpu"]), ("cpu", [])):
            with self.subTest(place):
                library = self.compile("large", "--keep=all", f"--place={place}", f"--{place}-precision=fp16")
                said = self.diff("large", library, *run, "--bound=0.01", fed, status=1)
                self.assertEqual(self.verdict(said)[:2], ("overflows", "Conv"))
                self.assertIn("numbers here are larger than 65504, the largest of fp16: compile with --gpu-precision=fp32 and --cpu-precision=fp32", said)
                self.assertIn("the library stores values as fp16", said)
                self.assertNotIn("was the library compiled from this model", said)
                infinite, beyond = re.search(r"overflows +\((\d+) infinite, (\d+) beyond fp16\)", said).groups()
                self.assertGreaterEqual(int(beyond), int(infinite))
                right = self.compile("large", "--keep=all", f"--place={place}", output=self.path("libright.so"))
                self.assertIn("tensors are within 0.01", self.diff("large", right, *run, "--bound=0.01", fed))

    def test_diff_finds_a_wrong_kernel_of_the_gpu(self):
        library = self.compile("leaky", "--keep=all", "--place=gpu")
        self.assertIn("tensors are within", self.diff("leaky", library, "--gpu"))
        self.assertGreater(gpu_code.change_constant(library, 0.1, 0.7), 0)
        gpu_code.remove_checksum(library)
        said = self.diff("leaky", library, "--gpu", status=1)
        self.assertEqual(self.verdict(said)[:2], ("slope", "LeakyRelu"))
        self.assertIn("the GPU computes a part of this: compile with --place=cpu", said)

    def test_diff_of_files_and_of_libraries(self):
        right, answers = self.compile("convnet", "--keep=all"), self.path("answers")
        os.mkdir(answers)
        self.run_model(right, f"--output={answers}")
        self.assertIn("tensors are within", self.diff("convnet", answers))
        said = self.diff("convnet", right, f"--against={answers}", "--bound=0")
        self.assertIn("exact", said)
        write_npy(os.path.join(answers, "relu_2.npy"), [1, 32, 48, 48], [7.0] * (32 * 48 * 48))
        self.assertEqual(self.verdict(self.diff("convnet", answers, f"--against={right}", status=1))[0], "relu_2")
        self.assertIn("must have files <tensor>.npy", self.diff("convnet", self.folder, status=2))

    def test_diff_errors(self):
        library = self.compile("relu")
        for options, status, message in (
                ((self.model("convnet"), library), 2, "takes 'x' as f32[1,64], but the model takes no such input; give the model"),
                ((self.model("relu"), library, "--bound=-1"), 2, "--bound must be at least 0, but is -1"),
                ((self.model("relu"), library, "--gpu-cut=101"), 2, "--gpu-cut must be a whole number of percent, 0 to 100, but is 101"),
                ((self.model("relu"), self.path("none.so")), 2, "none.so"),
                ((self.model("relu"),), 2, "nacre-diff: error: <model> <libmodel.so|folder> must be given; see --help\n")):
            self.assertIn(message, self.call(DIFF, *options, status=status))


if __name__ == "__main__":
    unittest.main()
