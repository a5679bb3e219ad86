#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--cpu-precision=fp16: a small convolutional network and a transformer block are within 40 dB of the model in double precision.

They run on this machine, and on arm64 under qemu: on cores that multiply halves, and on one that only stores them. Both use the same library.
"""
import array
import json
import math
import os
import re
import shutil
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

EVAL, COMPILE = (os.path.join(nacre.BIN, name) for name in ("nacre-eval", "nacre-compile"))
SLOW = "warning: --cpu-precision=fp16 takes longer than fp32 here, because "
LEAST_DECIBELS = 40
# An arm64 core with arithmetic of halves, and one without it; the second one runs the baseline's code.
WITH_HALVES, WITHOUT_HALVES = "max", "cortex-a72"
PROFILE = os.path.join(nacre.ROOT, "compiler", "place", "profiles", "snapdragon-778g.json")
TOKENS, WIDTH, HEADS, INSIDE = 48, 64, 4, 256


def convolutions():
    """A plain, a depthwise and a pointwise convolution, a residual sum and a dense layer."""
    graph = nacre.Graph("convolutions", seed=8)
    x = graph.node("Conv", [graph.input("x", [1, 3, 40, 40]), graph.kernel("w_first", [32, 3, 3, 3])], strides=[2, 2], pads=[1, 1, 1, 1])
    x = skip = graph.node("Relu", [x])
    x = graph.node("Conv", [x, graph.kernel("w_inside", [32, 32, 3, 3]), graph.weight("b", [32], -0.1, 0.1)], pads=[1, 1, 1, 1], name="inside")
    x = graph.node("Add", [graph.node("Clip", [x, graph.constant("zero", [], [0.0]), graph.constant("six", [], [6.0])]), skip])
    x = graph.node("Relu", [graph.node("Conv", [x, graph.kernel("w_depth", [32, 1, 3, 3])], group=32, pads=[1, 1, 1, 1], name="depthwise")])
    x = graph.node("Relu", [graph.node("Conv", [x, graph.kernel("w_point", [96, 32, 1, 1])], name="pointwise")])
    x = graph.node("Flatten", [graph.node("GlobalAveragePool", [x])])
    graph.node("Gemm", [x, graph.weight("w_dense", [96, 50], -0.3, 0.3)], output="y", name="last")
    graph.output("y", [1, 50])
    return graph


def block():
    """A transformer block with a mask that hides later tokens."""
    graph = nacre.Graph("block", seed=9, opset=17)
    size = WIDTH // HEADS

    def dense(x, name, rows, columns):
        weight = graph.weight("w_" + name, [rows, columns], -math.sqrt(3 / rows), math.sqrt(3 / rows))
        return graph.node("Add", [graph.node("MatMul", [x, weight], name=name), graph.weight("b" + name, [columns], -0.1, 0.1)])

    def normalize(x, name):
        return graph.node("LayerNormalization", [x, graph.weight(name, [WIDTH], 0.8, 1.2), graph.weight("b" + name, [WIDTH], -0.1, 0.1)], axis=-1,
                          epsilon=1e-12)

    def head(x, name, perm):
        return graph.node("Transpose", [graph.node("Reshape", [dense(x, name, WIDTH, WIDTH), heads])], perm=perm)

    x = graph.input("x", [1, TOKENS, WIDTH])
    heads, rows = graph.integers("heads", [1, TOKENS, HEADS, size]), graph.integers("rows", [1, TOKENS, WIDTH])
    mask = graph.constant("mask", [TOKENS, TOKENS], [0.0 if key <= query else -3.4e38 for query in range(TOKENS) for key in range(TOKENS)])
    y = normalize(x, "before")
    scores = graph.node("MatMul", [head(y, "q", [0, 2, 1, 3]), head(y, "k", [0, 2, 3, 1])])
    scores = graph.node("Add", [graph.node("Mul", [scores, graph.constant("scale", [], [size**-0.5])]), mask])
    mixed = graph.node("MatMul", [graph.node("Softmax", [scores], axis=3), head(y, "v", [0, 2, 1, 3])])
    x = graph.node("Add", [dense(graph.node("Reshape", [graph.node("Transpose", [mixed], perm=[0, 2, 1, 3]), rows]), "o", WIDTH, WIDTH), x])
    y = dense(normalize(x, "behind"), "wide", WIDTH, INSIDE)
    y = graph.node("Mul", [y, graph.node("Sigmoid", [y])])
    graph.node("Add", [dense(y, "narrow", INSIDE, WIDTH), x], output="y")
    graph.output("y", [1, TOKENS, WIDTH])
    return graph


def same_names():
    """Products of activations, all of one name. The results of the second one do not fit, so it must be added up in fp32; the others need not."""
    graph = nacre.Graph("same_names", seed=10)
    outputs = []
    for index, size in enumerate((1, 100)):
        sides = [graph.node("MatMul", [graph.input(f"x{index}{side}", [32, 64]), graph.weight(f"w{index}{side}", [64, 64], -0.2 * size, 0.2 * size)], name="same",
                            output=f"{side}{index}") for side in "ab"]
        y = graph.node("MatMul", [sides[0], graph.node("Transpose", [sides[1]], perm=[1, 0])], name="same", output=f"s{index}")
        outputs.append(graph.node("Mul", [y, graph.constant(f"c{index}", [], [size**-2.0])], output=f"t{index}"))
    graph.node("Add", outputs, output="y")
    graph.output("y", [32, 32])
    return graph


def small_weights():
    """A product whose weights are about 1e-4, between others. Its rows are normalized."""
    graph = nacre.Graph("small_weights", seed=11)
    x = graph.node("MatMul", [graph.input("x", [32, 64]), graph.weight("w_first", [64, 64], -0.2, 0.2)], name="first")
    x = graph.node("MatMul", [x, graph.weight("w_small", [64, 64], -2e-4, 2e-4)], name="small")
    x = graph.node("Div", [x, graph.node("ReduceMax", [graph.node("Abs", [x])], axes=[1])])
    graph.node("MatMul", [x, graph.weight("w_last", [64, 64], -0.2, 0.2)], name="last", output="y")
    graph.output("y", [32, 64])
    return graph


def pools():
    """Pools, bounds, a sum of two and a concatenation. Sums of the convolution have one term, so all cores compute the same."""
    graph = nacre.Graph("pools", seed=10)
    single = [0.5 if row == column else 0.0 for row in range(12) for column in range(12)]
    x = graph.node("Conv", [graph.input("x", [1, 12, 33, 33]), graph.constant("w", [12, 12, 1, 1], single)])
    x = graph.node("Relu", [x])
    big = graph.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    small = graph.node("AveragePool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    bounded = graph.node("Clip", [graph.node("Add", [big, small]), graph.constant("low", [], [0.125]), graph.constant("high", [], [0.875])])
    graph.node("Concat", [big, small, bounded], axis=1, output="y")
    graph.output("y", [1, 36, 17, 17])
    return graph


nacre.MODELS.update(convolutions=convolutions, block=block, same_names=same_names, small_weights=small_weights, pools=pools)


def read_floats(path):
    with open(path, "rb") as file:
        data = file.read()
    return array.array("f", data[10 + struct.unpack("<H", data[8:10])[0]:])


def decibels(wanted, got):
    error = sum((a - b)**2 for a, b in zip(wanted, got, strict=True))
    return 10 * math.log10(sum(a * a for a in wanted) / error) if error else math.inf


class CpuHalvesTest(nacre.NacreTest):
    def answer(self, folder, command):
        os.makedirs(self.path(folder), exist_ok=True)
        command(f"--output={self.path(folder)}", "--seed=3")
        return read_floats(self.path(folder, "y.npy"))

    def compile_halves(self, name, *options):
        """The library, its report, and what was said."""
        library, report = self.path(f"lib{name}.so"), self.path("report.json")
        said = self.call(COMPILE, self.model(name), "-o", library, "--cpu-precision=fp16", f"--report={report}", *options)
        with open(report, encoding="utf-8") as file:
            return library, json.load(file), said

    def check(self, name, library, run):
        """That a run is close to the model, but not as close as fp32."""
        wanted = self.answer("wanted", lambda *options: self.call(EVAL, self.model(name), *options))
        close = decibels(wanted, self.answer("got", lambda *options: run(library, *options)))
        self.assertGreater(close, LEAST_DECIBELS)
        self.assertLess(close, 90, "nothing was stored as fp16")

    def test_on_this_machine(self):
        for name in ("convolutions", "block"):
            with self.subTest(name):
                library, report, _ = self.compile_halves(name)
                self.check(name, library, self.run_model)
                self.assertEqual((report["cpu_precision"], report["fp32_products"]), ("fp16", []))
                single = self.path("libsingle.so")
                self.call(COMPILE, self.model(name), "-o", single, f"--report={self.path('single.json')}")
                with open(self.path("single.json"), encoding="utf-8") as file:
                    of_singles = json.load(file)
                self.assertEqual(of_singles["cpu_precision"], "fp32")
                self.assertEqual({launch["half_sums"] for launch in of_singles["launches"]}, {0})
                self.assertLess(report["weight_bytes"], 0.6 * of_singles["weight_bytes"])

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_on_arm64(self):
        for name in ("convolutions", "block"):
            library, report, said = self.compile_halves(name, "--target=linux-arm64")
            self.assertNotIn(SLOW, said)
            self.assertEqual(report["cpu"], "generic,snapdragon-855")
            for cpu in (WITH_HALVES, WITHOUT_HALVES):
                with self.subTest(name, cpu=cpu):
                    self.check(name, library, lambda library, *options, cpu=cpu: self.run_arm64(library, *options, cpu=cpu))

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_without_long_sums_all_cores_give_the_same_bits(self):
        """Cores with arithmetic of halves compute in fp16 only if no bit of a result changes."""
        library, _, _ = self.compile_halves("pools", "--target=linux-arm64")
        with_halves, without = (self.answer("on-" + cpu, lambda *options, cpu=cpu: self.run_arm64(library, *options, cpu=cpu))
                                for cpu in (WITH_HALVES, WITHOUT_HALVES))
        self.assertEqual(with_halves, without)
        self.check("pools", library, lambda library, *options: self.run_arm64(library, *options, cpu=WITH_HALVES))

    def test_products_that_may_be_added_up_in_halves(self):
        _, report, said = self.compile_halves("convolutions", "--target=linux-arm64")
        sums = {launch["nodes"].split(",")[0]: launch["half_sums"] for launch in report["launches"] if launch["contraction_type"]}
        self.assertEqual({node: steps for node, steps in sums.items() if node in ("inside", "depthwise", "pointwise")},
                         {"inside": 32, "depthwise": 16, "pointwise": 32})  # by Winograd: at most 32
        count, products = re.search(r"fp16 on the CPU: (\d+) of (\d+) products may be added up in fp16", said).groups()
        self.assertEqual((int(count), int(products)), (sum(steps > 0 for steps in sums.values()), len(sums)))

    def test_variants(self):
        """A preset's library also has code for cores that multiply halves; CPUs that the user names are left alone."""
        for options, cpus, is_slow in ((["--for=board"], "generic,cortex-a53,snapdragon-855", False),
                                       (["--target=android-arm64"], "generic,snapdragon-855", False),
                                       (["--target=linux-arm64", "--cpu=generic"], "generic", True),
                                       (["--target=linux-arm64", "--cpu=cortex-a76"], "cortex-a76", False),
                                       (["--target=android-arm64", "--cpu=snapdragon-8-elite"], "snapdragon-8-elite", False),
                                       (["--target=linux-x86_64"], "", True)):
            with self.subTest(options):
                _, report, said = self.compile_halves("relu", *options)
                self.assertEqual(report["cpu"], cpus)
                self.assertEqual(SLOW in said, is_slow, said)
        self.assertEqual(self.compile_halves("relu", "--for=board")[1]["preset"]["options"][1], "--cpu=generic,cortex-a53,snapdragon-855")

    def test_summaries(self):
        """What the summary says of sums in fp16, by variants and engines."""
        none = "fp16 on the CPU: values are stored as fp16, but no CPU of the library adds up in fp16"
        both = "--gpu-precision=fp16"
        for name, options, summary in (("dense", ["--target=linux-arm64"], "fp16 on the CPU: 1 of 1 product may be added up in fp16"),
                                       ("dense", ["--target=linux-arm64", "--cpu=cortex-a76"], "fp16 on the CPU: 1 of 1 product may be added up in fp16"),
                                       ("dense", ["--target=linux-arm64", "--cpu=generic"], none),
                                       ("dense", ["--target=linux-x86_64"], none),
                                       ("relu", ["--target=linux-arm64"], "fp16 on the CPU: values are stored as fp16\n"),
                                       ("dense", ["--target=linux-arm64", "--place=gpu", both], "fp16 on the CPU: the GPU computes all products"),
                                       ("dense", ["--target=linux-arm64", "--place=split:50", both], "fp16 on the CPU: 1 of 1 product may be added up in fp16"),
                                       ("dense", ["--target=linux-arm64", "--cpu=generic", "--place=split:50", both], none),
                                       ("dense", ["--target=linux-arm64", "--place=gpu,main=cpu"], "fp16 on the CPU: 1 of 1 product may be added up in fp16")):
            with self.subTest(name, options=options):
                _, report, said = self.compile_halves(name, *options)
                self.assertIn(summary, said)
                self.assertEqual(report["cpu_precision"], "fp16")
                sums = any(launch["half_sums"] > 0 for launch in report["launches"])
                self.assertEqual(sums, name == "dense" and summary != none)

    def test_nodes_of_one_name(self):
        """Whether a product may be added up in fp16 is decided for it, not for its name."""
        library, report, said = self.compile_halves("same_names", "--target=linux-arm64")
        products = [launch["half_sums"] for launch in report["launches"] if launch["contraction_type"]]
        self.assertEqual(sorted(products), [0, 64, 64, 64, 64, 64], said)
        self.assertIn("because fp16 cannot hold its results of about", said)
        if shutil.which("qemu-aarch64"):
            self.check("same_names", library, self.run_arm64)

    def test_weights_that_are_too_small_for_sums_stay_wide(self):
        library, report, said = self.compile_halves("small_weights", "--target=linux-arm64")
        reason = "sums in fp16 cannot hold products of its weights of about 0.00011"
        self.assertEqual(report["fp32_products"], [{"nodes": ["small"], "reason": reason}])
        self.assertIn(f"stays fp32 in spite of --cpu-precision=fp16, because {reason}", said)
        self.assertEqual({launch["node_list"][0]: launch["half_sums"] for launch in report["launches"] if launch["contraction_type"]}, {"first": 64, "small": 0, "last": 64})
        if shutil.which("qemu-aarch64"):
            self.check("small_weights", library, self.run_arm64)

    def test_cpus_that_cannot_convert_are_refused_before_anything_is_written(self):
        options = ["-o", self.path("lib.so"), "--cpu-precision=fp16", "--target=android-arm64,android-x86_64"]
        said = self.call(COMPILE, self.model("relu"), *options, status=2)
        self.assertIn("--cpu-precision=fp16 needs CPUs that convert fp16 in one instruction (F16C), but 'x86-64-v2' of target android-x86_64 does not", said)
        self.assertFalse(os.path.exists(self.path("android-arm64")))
        self.call(COMPILE, self.model("relu"), *options, "--cpu=generic,x86-64-v3")
        self.assertTrue(os.path.exists(self.path("android-x86_64", "lib.so")))

    def test_entries_have_their_own_precision(self):
        """An entry that only the CPU computes has the CPU's precision; in others, both engines have fp16."""
        _, report, _ = self.compile_halves("convolutions", "--place=gpu,main=cpu")
        self.assertEqual((report["cpu_precision"], report["gpu_precision"]), ("fp16", "fp32"))
        library, report, _ = self.compile_halves("convolutions", "--place=gpu", "--gpu-precision=fp16")
        self.assertEqual((report["cpu_precision"], report["gpu_precision"]), ("fp16", "fp16"))
        self.check("convolutions", library, self.run_model)

    def test_a_gpu_that_stores_floats_is_told(self):
        """With --place=auto, a GPU may have all entries in fp32 although the CPU's precision is fp16."""
        with open(PROFILE, encoding="utf-8") as file:
            profile = json.load(file)
        for microseconds, stored in ((1e6, "fp16"), (1e-3, "fp32")):
            profile["latency"].update(dispatch_us=1e-3, meeting_us=microseconds)
            profile["gpu"].update(fp32_gflops=1e6, invocations=1, bandwidth_gbps=1e5, cache_bandwidth_gbps=1e5)
            with open(self.path("device.json"), "w", encoding="utf-8") as file:
                json.dump(profile, file)
            _, report, said = self.compile_halves("convolutions", "--place=auto", f"--device={self.path('device.json')}")
            self.assertEqual(report["cpu_precision"], stored)
            self.assertEqual("fp16 on the CPU: the GPU has a part of every entry" in said, stored == "fp32", said)


if __name__ == "__main__":
    unittest.main()
