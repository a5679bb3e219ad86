#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--cpu-precision=bf16: small networks are within 30 dB of the model in double precision, and keep the range of fp32.

They run on this machine, and on arm64 under qemu: on cores that multiply bf16, and on one that only stores it. Both use the same library.
"""
import json
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cpu_halves_test as halves
import nacre

EVAL, COMPILE = (os.path.join(nacre.BIN, name) for name in ("nacre-eval", "nacre-compile"))
SLOW = "warning: --cpu-precision=bf16 takes longer than fp32 here, because "
LEAST_DECIBELS, MOST_DECIBELS = 30, 60
WITH_BFLOATS, WITHOUT_BFLOATS = "max", "cortex-a72"


def large():
    """Values beyond 65504, which fp16 cannot hold, and weights of about 1e-6."""
    graph = nacre.Graph("large", seed=12)
    x = graph.node("Mul", [graph.input("x", [32, 64]), graph.constant("factor", [], [1e6])])
    x = graph.node("MatMul", [x, graph.weight("w_large", [64, 64], -0.5, 0.5)], name="large")
    x = graph.node("MatMul", [x, graph.weight("w_small", [64, 64], -1e-6, 1e-6)], name="small")
    graph.node("Relu", [x], output="y")
    graph.output("y", [32, 64])
    return graph


nacre.MODELS.update(large=large)


class CpuBfloatsTest(nacre.NacreTest):
    def answer(self, folder, command):
        os.makedirs(self.path(folder), exist_ok=True)
        command(f"--output={self.path(folder)}", "--seed=3")
        return halves.read_floats(self.path(folder, "y.npy"))

    def compile_bfloats(self, name, *options):
        """The library, its report, and what was said."""
        library, report = self.path(f"lib{name}.so"), self.path("report.json")
        said = self.call(COMPILE, self.model(name), "-o", library, "--cpu-precision=bf16", f"--report={report}", *options)
        with open(report, encoding="utf-8") as file:
            return library, json.load(file), said

    def check(self, name, library, run):
        wanted = self.answer("wanted", lambda *options: self.call(EVAL, self.model(name), *options))
        close = halves.decibels(wanted, self.answer("got", lambda *options: run(library, *options)))
        self.assertGreater(close, LEAST_DECIBELS)
        self.assertLess(close, MOST_DECIBELS, "nothing was stored as bf16")

    def test_on_this_machine(self):
        for name in ("convolutions", "block", "large"):
            with self.subTest(name):
                library, report, _ = self.compile_bfloats(name)
                self.check(name, library, self.run_model)
                self.assertEqual((report["cpu_precision"], report["fp32_products"]), ("bf16", []))

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "needs qemu-aarch64")
    def test_on_arm64(self):
        for name in ("convolutions", "block", "large"):
            library, report, said = self.compile_bfloats(name, "--target=linux-arm64")
            self.assertNotIn(SLOW, said)
            self.assertEqual(report["cpu"], "generic,snapdragon-8-gen-1")
            for cpu in (WITH_BFLOATS, WITHOUT_BFLOATS):
                with self.subTest(name, cpu=cpu):
                    self.check(name, library, lambda library, *options, cpu=cpu: self.run_arm64(library, *options, cpu=cpu))

    def test_all_variants_run_on_x86(self):
        """CPUs with and without the instruction read the same words."""
        library, _, said = self.compile_bfloats("convolutions", "--target=linux-x86_64", "--cpu=x86-64-v3,znver4")
        self.assertNotIn(SLOW, said)
        self.check("convolutions", library, self.run_model)

    def test_summaries(self):
        stored = "bf16 on the CPU: values are stored as bf16, but no CPU of the library multiplies bf16 faster than fp32"
        for options, summary, is_slow in ((["--target=linux-arm64"], "bf16 on the CPU: 1 of 1 product may be multiplied in bf16", False),
                                          (["--target=linux-arm64", "--cpu=cortex-a76"], stored, True),
                                          (["--target=linux-x86_64", "--cpu=znver4"], "bf16 on the CPU: 1 of 1 product may be multiplied in bf16", False),
                                          (["--target=linux-x86_64", "--cpu=sapphirerapids"], "bf16 on the CPU: 1 of 1 product may be multiplied in bf16", False),
                                          (["--target=linux-x86_64"], stored, True)):
            with self.subTest(options):
                _, report, said = self.compile_bfloats("dense", *options)
                self.assertIn(summary, said)
                self.assertEqual(SLOW in said, is_slow, said)
                self.assertEqual(report["cpu_precision"], "bf16")

    def test_engines_do_not_share_bf16(self):
        said = self.call(COMPILE, self.model("dense"), "-o", self.path("lib.so"), "--cpu-precision=bf16", "--place=split:50", status=2)
        self.assertIn("--cpu-precision=bf16 with --place=split:50 requires an entry that only the CPU computes", said)
        _, report, _ = self.compile_bfloats("dense", "--place=gpu,main=cpu")
        self.assertEqual((report["cpu_precision"], report["gpu_precision"]), ("bf16", "fp32"))

    def test_assembly(self):
        """Kernels multiply words by the instruction of each CPU."""
        for target, cpu, instruction, least in (("linux-arm64", "cortex-a710", r"\bbfmmla\b", 50), ("linux-x86_64", "znver4", r"\bvdpbf16ps\b", 50),
                                                ("linux-x86_64", "sapphirerapids", r"\btdpbf16ps\b", 4)):
            text = self.call(COMPILE, self.model("convolutions"), "-o", "-", "--cpu-precision=bf16", f"--target={target}", f"--cpu={cpu}", "--emit=asm")
            self.assertGreaterEqual(len(re.findall(instruction, text)), least)


if __name__ == "__main__":
    unittest.main()
