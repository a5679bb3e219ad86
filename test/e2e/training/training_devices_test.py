#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps on GPUs that differ in family, subgroups, workgroups and memory: they add up the same parts of long sums, and a step has the same bits.

One device pretends to be several (test/runtime/gpu_vulkan/FakeDevice.h); lavapipe will do. Vulkan's loader is found by its name, which here is a
library that changes what the driver says. Large products have tiles for some families, which may divide a part once more; this network has none.
"""
import ctypes
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from nacre import Graph
from onnx_writer import write_npy

BATCH, CHANNELS, SIZE, CLASSES, STEPS = 16, 3, 16, 10, 3
FAKE = os.environ.get("NACRE_FAKE_VULKAN", os.path.join(os.path.dirname(nacre.BIN), "test", "runtime", "gpu_vulkan", "libnacre-fake-vulkan.so"))

# A phone's GPU, and a desktop's with its own memory.
PHONE = "type=1 vendor=5143 subgroup=64 invocations=256 shared=16384 fp16=0"
DESKTOP = "type=2 vendor=10de subgroup=32 invocations=1024 shared=32768 memories=2"


def network():
    """All long sums: filters' gradients, sums for biases over images and positions, and products of 1,024 terms or more."""
    graph = Graph("learner", seed=5)
    x = graph.input("x", [BATCH, CHANNELS, SIZE, SIZE])
    for layer, (inputs, outputs) in enumerate(((CHANNELS, 8), (8, 16)), 1):
        weights = [graph.kernel(f"conv{layer}.weight", [outputs, inputs, 3, 3]), graph.weight(f"conv{layer}.bias", [outputs], -0.1, 0.1)]
        x = graph.node("Relu", [graph.node("Conv", [x, *weights], kernel_shape=[3, 3], pads=[1] * 4)])
    x = graph.node("Flatten", [graph.node("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])])
    weights = [graph.kernel("fc.weight", [CLASSES, 16 * SIZE * SIZE // 4]), graph.weight("fc.bias", [CLASSES], -0.1, 0.1)]
    graph.output(graph.node("Gemm", [x, *weights], output="logits", transB=1), [BATCH, CLASSES])
    return graph


def real_vulkan():
    """The path of the system's loader."""
    ctypes.CDLL("libvulkan.so.1")
    with open("/proc/self/maps", encoding="utf-8") as file:
        return next(line.split()[-1] for line in file if "/libvulkan.so" in line)


class DevicesTest(nacre.NacreTest):
    def setUp(self):
        super().setUp()
        network().save(self.path("learner.onnx"))
        self.library = self.path("liblearner.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("learner.onnx"), "-o", self.library, "--quiet", "--train",
                  "--loss=softmax-cross-entropy:logits", "--optimizer=sgd:momentum=0.9", "--place=gpu")
        count = BATCH * STEPS
        pixels = CHANNELS * SIZE * SIZE
        write_npy(self.path("x.npy"), [count, CHANNELS, SIZE, SIZE], [(i * 7919 % 1013) / 506 - 1 for i in range(count * pixels)], "f")
        write_npy(self.path("y.npy"), [count], [i * 31 % CLASSES for i in range(count)], "q")
        os.makedirs(self.path("fake"))
        os.symlink(FAKE, self.path("fake", "libvulkan.so.1"))

    def environment(self, device, lanes=256):
        return {**os.environ, "LD_LIBRARY_PATH": self.path("fake"), "NACRE_REAL_VULKAN": real_vulkan(), "NACRE_FAKE_DEVICE": device,
                "LP_NATIVE_VECTOR_WIDTH": str(lanes)}

    def train(self, device, *options, **environment):
        """The state's file after some steps."""
        state = self.path("state.safetensors")
        self.call(os.path.join(nacre.BIN, "nacre-run"), self.library, "--gpu", "--train", f"--input=x={self.path('x.npy')}",
                  f"--label={self.path('y.npy')}", "--epochs=1", "--set=learning_rate=0.05", f"--save={state}", *options,
                  env=self.environment(device, **environment))
        with open(state, "rb") as file:
            return file.read()

    def test_the_device_is_what_it_pretends_to_be(self):
        for device, facts in ((PHONE, ("shares the CPU's memory", "workgroups of up to 256, 16 KiB shared", "subgroups of 64", "lacks fp16 arithmetic")),
                              (DESKTOP, ("its own memory", "workgroups of up to 1024, 32 KiB shared", "subgroups of 32"))):
            said = self.call(os.path.join(nacre.BIN, "nacre-run"), self.library, "--list-devices", env=self.environment(device))
            for fact in facts:
                self.assertIn(fact, said)

    def test_a_step_has_the_same_bits_on_all_devices(self):
        expected = self.train(PHONE)
        for device in (DESKTOP, "", "type=1 vendor=13b5 subgroup=16 invocations=384", "type=1 vendor=1 invocations=128 shared=16384"):
            self.assertTrue(self.train(device) == expected, device)
        # These are the subgroups that it really has: 4 and 8 lanes of 32 bits.
        for lanes in (128, 256):
            self.assertTrue(self.train("", lanes=lanes) == expected, lanes)

    def test_a_cut_has_the_same_bits_on_both_devices_in_any_run_by_any_threads(self):
        states = {}
        for cut in (0, 30, 50, 100):
            states[cut] = self.train(PHONE, f"--gpu-cut={cut}", "--threads=1")
            for device, threads in ((DESKTOP, 1), (DESKTOP, 2), (PHONE, 4), (PHONE, 1)):
                self.assertTrue(self.train(device, f"--gpu-cut={cut}", f"--threads={threads}") == states[cut], f"{cut} {device} {threads}")
        self.assertEqual(len(set(states.values())), len(states), "each cut computes something on the other engine")
        self.assertTrue(self.train(PHONE) == states[100])


if __name__ == "__main__":
    unittest.main()
