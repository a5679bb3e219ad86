#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No loop of products with 16 multiply-adds or more touches the stack, whatever CPU is named; test/bench/spills.py does this for whole
networks.

Why:  whether LLVM spills a tile's sums depends on its scheduling model of that CPU.
How:  one layer of each kind, with the sizes that networks have; the loops of their assembly.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre

sys.path.insert(0, os.path.join(nacre.ROOT, "test", "bench"))
import spills  # noqa: E402


class Layers:
    """Layers that read inputs of their own."""

    def __init__(self):
        self.graph = nacre.Graph("layers", seed=11)
        for size, channels, out, window, stride in ((56, 64, 64, 1, 1), (56, 64, 64, 3, 1), (28, 96, 128, 3, 2), (14, 64, 24, 5, 1),
                                                    (112, 3, 32, 7, 2), (7, 128, 200, 1, 1), (35, 48, 40, 1, 1)):
            self.convolve(size, channels, out, window, stride)
        for size, channels, window, stride in ((56, 64, 3, 1), (56, 96, 3, 2), (14, 120, 5, 1), (28, 40, 7, 2)):
            self.convolve(size, channels, channels, window, stride, groups=channels)
        self.convolve(14, 64, 64, 3, 1, groups=4)
        for rows, depth, columns in ((1, 512, 1000), (64, 256, 256), (128, 256, 1024), (17, 100, 50), (4, 2048, 512)):
            self.multiply(rows, depth, columns)
        self.attend(heads=4, tokens=64, size=32)
        self.remember(steps=16, batch=1, size=64, hidden=128)
        self.remember(steps=4, batch=16, size=64, hidden=128)

    def name(self, what):
        return f"{what}{len(self.graph.inputs)}"

    def output(self, value, dims):
        self.graph.output(value, dims)

    def convolve(self, size, channels, out, window, stride, groups=1):
        graph, name, after = self.graph, self.name("conv"), (size + stride - 1) // stride
        pads = [(window - 1) // 2] * 2 + [window // 2] * 2 if stride == 1 or window % 2 else [0] * 4
        x = graph.node("Conv", [graph.input(name + "x", [1, channels, size, size]),
                                graph.kernel(name + "w", [out, channels // groups, window, window]),
                                graph.weight(name + "b", [out], -0.1, 0.1)],
                       kernel_shape=[window] * 2, strides=[stride] * 2, pads=pads, group=groups)
        self.output(graph.node("Relu", [x], output=name), [1, out, after, after])

    def multiply(self, rows, depth, columns):
        graph, name = self.graph, self.name("dense")
        self.output(graph.node("Gemm", [graph.input(name + "x", [rows, depth]), graph.kernel(name + "w", [columns, depth]),
                                        graph.weight(name + "b", [columns], -0.1, 0.1)], transB=1, output=name), [rows, columns])

    def attend(self, heads, tokens, size):
        graph = self.graph
        q, v = (graph.input(name, [heads, tokens, size]) for name in ("q", "v"))
        k = graph.input("k", [heads, size, tokens])
        scores = graph.node("Mul", [graph.node("MatMul", [q, k]), graph.constant("scale", [], [size ** -0.5])])
        self.output(graph.node("MatMul", [graph.node("Softmax", [scores], axis=-1), v], output="attention"), [heads, tokens, size])

    def remember(self, steps, batch, size, hidden):
        graph, name = self.graph, self.name("lstm")
        weights = [graph.weight(name + part, [1, 4 * hidden, inner], -0.1, 0.1) for part, inner in (("w", size), ("r", hidden))]
        y = graph.node("LSTM", [graph.input(name + "x", [steps, batch, size]), *weights], output=name, hidden_size=hidden)
        self.output(y, [steps, 1, batch, hidden])


class SpillsTest(nacre.NacreTest):
    def test_no_sum_is_spilled(self):
        model, assembly = self.path("layers.onnx"), self.path("layers.s")
        Layers().graph.save(model)
        machines = [(target, cpu) for target, cpus in spills.CPUS.items() for cpu in cpus]
        for number, (target, cpu) in enumerate(machines):
            if nacre.is_in_sample(number, 4):
                with self.subTest(cpu, target=target):
                    products, _ = spills.measure(os.path.join(nacre.BIN, "nacre-compile"), model, target, cpu, assembly)
                    self.assertGreater(products.count, 12, "too few loops: the test does not find them")
                    self.assertEqual([], [f"{name}: {line.strip()}" for name, lines in products.spilled for line in lines[:3]])

    def test_spills_are_seen(self):
        """In assembly of each kind of machine, by the stack's pointer and by the frame's."""
        x86 = "kernel:\n\tmovq\t%rsp, %rbp\n.LBB0_1:\n" + "\tvfmadd231ps\t%ymm0, %ymm1, %ymm2\n" * 16 + "{}\tjne\t.LBB0_1\n"
        arm = "kernel:\n\tadd\tx29, sp, #16\n.LBB0_1:\n" + "\tfmla\tv0.4s, v1.4s, v2.s[0]\n" * 16 + "{}\tb.ne\t.LBB0_1\n"
        for text, lines in ((x86, ("vmovups\t%ymm0, 32(%rsp)", "vmovups\t-64(%rbp), %ymm0")),
                            (arm, ("str\tq0, [sp, #16]", "ldr\tq0, [x29, #-16]"))):
            for added in ("", *lines):
                products, transforms = spills.loops_of(text.format(f"\t{added}\n").splitlines())
                self.assertEqual((1, 0), (products.count, transforms.count))
                self.assertEqual([("kernel", ["\t" + added])] if added else [], products.spilled)


if __name__ == "__main__":
    unittest.main()
