#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps on GPUs that differ in family, subgroups, workgroups and memory: they add up the same parts of long sums, and a step has the same bits. Which bytes they copy, and what memory they take.

One device pretends to be several (test/runtime/gpu_vulkan/FakeDevice.h); lavapipe will do. Vulkan's loader is found by its name, which here is a
library that changes what the driver says. Large products have tiles for some families, which may divide a part once more; this network has none.
"""
import ctypes
import json
import os
import re
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from nacre import Graph
from onnx_writer import write_npy

BATCH, CHANNELS, SIZE, CLASSES, STEPS = 16, 3, 16, 10, 3
FAKE = os.environ.get("NACRE_FAKE_VULKAN", os.path.join(os.path.dirname(nacre.BIN), "test", "runtime", "gpu_vulkan", "libnacre-fake-vulkan.so"))

# A phone's GPU, and a desktop's with its own memory.
PHONE = "type=1 vendor=5143 subgroup=64 invocations=256 shared=16384 fp16=0 int64=0"
DESKTOP = "type=2 vendor=10de subgroup=32 invocations=1024 shared=32768 memories=2"


TRAINS_FEW = ("--trainable=conv*", "--optimizer=sgd:momentum=0.9")


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
    parts = 2

    def setUp(self):
        super().setUp()
        network().save(self.path("learner.onnx"))
        self.library = self.path("liblearner.so")
        self.compile_learner()
        count = BATCH * STEPS
        pixels = CHANNELS * SIZE * SIZE
        write_npy(self.path("x.npy"), [count, CHANNELS, SIZE, SIZE], [(i * 7919 % 1013) / 506 - 1 for i in range(count * pixels)], "f")
        write_npy(self.path("y.npy"), [count], [i * 31 % CLASSES for i in range(count)], "q")
        os.makedirs(self.path("fake"))
        os.symlink(FAKE, self.path("fake", "libvulkan.so.1"))

    def compile_learner(self, *options):
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("learner.onnx"), "-o", self.library, "--quiet", "--train",
                  "--loss=softmax-cross-entropy:logits", "--place=gpu", *(options or ["--optimizer=sgd:momentum=0.9"]))

    def environment(self, device, lanes=256):
        return {**os.environ, "LD_LIBRARY_PATH": self.path("fake"), "NACRE_REAL_VULKAN": real_vulkan(), "NACRE_FAKE_DEVICE": device,
                "LP_NATIVE_VECTOR_WIDTH": str(lanes)}

    def train(self, device, *options, **environment):
        """The state's file after some steps."""
        state = self.path("state.safetensors")
        self.call(os.path.join(nacre.BIN, "nacre-run"), self.library, "--gpu", "--train", f"--input=x={self.path('x.npy')}",
                  f"--label={self.path('y.npy')}", "--set=learning_rate=0.05", f"--save={state}", *(options or ["--epochs=1"]),
                  env=self.environment(device, **environment))
        with open(state, "rb") as file:
            return file.read()

    def test_the_device_is_what_it_pretends_to_be(self):
        for device, facts in ((PHONE, ("shares the CPU's memory", "workgroups of up to 256, 16 KiB shared", "subgroups of 64", "lacks fp16 arithmetic, int64")),
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
            states[cut] = self.train(PHONE, "--epochs=1", f"--gpu-cut={cut}", "--threads=1")
            for device, threads in ((DESKTOP, 1), (DESKTOP, 2), (PHONE, 4), (PHONE, 1)):
                self.assertTrue(self.train(device, "--epochs=1", f"--gpu-cut={cut}", f"--threads={threads}") == states[cut], f"{cut} {device} {threads}")
        self.assertEqual(len(set(states.values())), len(states), "each cut computes something on the other engine")
        self.assertTrue(self.train(PHONE) == states[100])

    def count(self, device):
        """What actions copy, to the GPU and to the CPU (StateBytes.cpp); the memory of training, as reported and at its peak; and the state's bytes."""
        state = self.path("counted.safetensors")
        said = self.call(os.path.join(nacre.BIN, "e2e-state-bytes"), self.library, "learner", state, env=self.environment(device))
        self.launches = [int(count) for count in re.search(r"^launches (\d+) (\d+)$", said, re.MULTILINE).groups()]
        self.losses = re.search(r"^losses (\S+)$", said, re.MULTILINE).group(1)
        copied = {action: (int(gpu), int(cpu)) for action, gpu, cpu in re.findall(r"^copied (\S+) (\d+) (\d+)$", said, re.MULTILINE)}
        reported, peak = map(int, re.search(r"^memory train (\d+) (\d+)$", said, re.MULTILINE).groups())
        with open(state, "rb") as file:
            self.counted = file.read()
        tensors = json.loads(self.counted[8:8 + struct.unpack_from("<Q", self.counted)[0]])
        kept = sum(tensor["data_offsets"][1] - tensor["data_offsets"][0] for name, tensor in tensors.items() if name != "__metadata__")
        return copied, reported, peak, kept

    def info(self, device):
        """The bytes that nacre-run --info prints before a run."""
        said = self.call(os.path.join(nacre.BIN, "nacre-run"), self.library, "--gpu", "--entry=train", "--info", env=self.environment(device))
        return {name: int(count) for name, count in re.findall(r"^ +(\w+) +(\d+)$", said, re.MULTILINE)}

    def test_only_a_save_copies_the_state_and_only_once(self):
        inputs, outputs = BATCH * CHANNELS * SIZE * SIZE * 4, BATCH * CLASSES * 4
        for options in ((), TRAINS_FEW):  # the state comes in a buffer of its own, or where inputs come
            self.compile_learner(*options)
            self.assertEqual({sum(count) for count in self.count(PHONE)[0].values()}, {0}, "engines with one memory copy nothing")
            expected = self.counted, self.losses
            copied, _, _, kept = self.count(DESKTOP)
            self.assertTrue((self.counted, self.losses) == expected)
            between = 256  # of inputs that are copied as one
            for action in ("step", "step-after-save", "last-step", "main", "evaluate"):
                to_gpu, to_cpu = copied[action]
                self.assertLessEqual(to_gpu, inputs + BATCH * 8 + 4 + 2 * between, action)
                self.assertGreaterEqual(to_gpu, inputs, action)
                self.assertLessEqual(to_cpu, outputs + 4 + between, action)
                self.assertGreaterEqual(to_cpu, outputs, action)
            self.assertEqual(copied["save"], (0, kept), "each byte of the file, once")
            self.assertEqual(copied["second-save"], (0, 0))
            self.assertEqual(copied["first-main"][1], copied["main"][1] + kept, "the step before is taken from the GPU once for both sessions")
            self.assertEqual(copied["first-evaluate"][1], copied["evaluate"][1])
            self.assertEqual(copied["64-steps"][1] - 64 * copied["step"][1], kept, "the host knows the state of one of 64 runs")

    def test_old_phones_compute_all_of_a_step(self):
        """Labels and Adam's number of steps are integers of 64 bits, which they do not have."""
        self.compile_learner("--optimizer=adam")
        self.count(PHONE)
        expected = self.counted, self.losses
        self.assertEqual(self.launches[1], 0)
        self.count(DESKTOP)
        self.assertEqual(self.launches[1], 0)
        self.assertTrue((self.counted, self.losses) == expected)

    def test_a_state_in_panels_comes_back_whole(self):
        """A weight that no GPU touches lies in the CPU's panels, with empty columns, beside a bias that is updated by both engines."""
        size, columns, examples = 4, 10, 7
        graph = Graph("panels", seed=5)
        x = graph.input("x", [examples, size])
        graph.output(graph.node("Gemm", [x, graph.weight("w", [size, columns], -0.5, 0.5), graph.weight("b", [columns], -0.1, 0.1)], output="y"),
                     [examples, columns])
        graph.save(self.path("panels.onnx"))
        write_npy(self.path("x.npy"), [examples, size], [(i * 7919 % 1013) / 506 - 1 for i in range(examples * size)], "f")
        write_npy(self.path("y.npy"), [examples, columns], [(i * 31 % 17) / 8 - 1 for i in range(examples * columns)], "f")
        states = []
        for options, gpu in ((["--place=cpu"], []), (["--place=split:10"], ["--gpu"])):
            self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("panels.onnx"), "-o", self.library, "--quiet", "--train",
                      "--loss=mean-squared-error:y", "--optimizer=sgd:momentum=0.9", *options)
            for device in (PHONE, DESKTOP):
                said = self.call(os.path.join(nacre.BIN, "nacre-run"), self.library, *gpu, "--train", f"--input=x={self.path('x.npy')}",
                                 f"--label={self.path('y.npy')}", "--set=learning_rate=0.5", "--epochs=3", f"--save={self.path('state.safetensors')}",
                                 env=self.environment(device))
                self.assertIn("epoch 3", said)
                with open(self.path("state.safetensors"), "rb") as file:
                    data = file.read()
                begin = 8 + struct.unpack_from("<Q", data)[0]
                floats = {}
                for name, tensor in json.loads(data[8:begin]).items():
                    if tensor.get("dtype") == "F32":
                        first, end = tensor["data_offsets"]
                        floats[name] = struct.unpack(f"<{(end - first) // 4}f", data[begin + first:begin + end])
                states.append(floats)
        for state in states[1:]:
            self.assertEqual(set(state), {"w", "b", "w#momentum", "b#momentum"})
            for name, expected in states[0].items():
                for given, number in zip(state[name], expected):
                    self.assertAlmostEqual(given, number, places=5, msg=name)

    def test_memory_is_printed_beforehand(self):
        for options, has_own_buffer in (((), True), (TRAINS_FEW, False)):
            self.compile_learner(*options)
            for device in (PHONE, DESKTOP):
                _, reported, peak, _ = self.count(device)
                info = self.info(device)
                self.assertEqual(info["gpu"], reported)
                ports = info["inputs"] + info["outputs"]
                least = 2 * info["state"] + info["arena"] + ports
                self.assertGreaterEqual(peak, least)
                more = ports + has_own_buffer * info["state"] if device == DESKTOP else 0  # the CPU's side of a bus
                self.assertLessEqual(reported, least + more + info["weights"] + (8 << 10), (options, device))
                self.assertLessEqual(peak, 2 * info["state"] + info["arena"] + (2 << 20))
                self.assertGreaterEqual(peak, reported)
                self.assertLessEqual(peak, reported + info["weights"] + (4 << 10), "create stages weights")


if __name__ == "__main__":
    unittest.main()
