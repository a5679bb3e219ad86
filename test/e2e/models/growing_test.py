#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models twice as large take at most about twice the time and the memory, along whatever they grow; what is alike shares a kernel."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import growing_models
from onnx_writer import write_npy

#: For twice the model. Linear is 2, quadratic 4.
MOST = 2.5
#: What starting takes, in seconds of user time and in KiB: less than that says nothing about growth.
LEAST_TIME, LEAST_MEMORY = 0.3, 192 << 10
#: A busy machine adds to user time, too, but not each time.
ATTEMPTS = 4

#: With what each has to grow to, so that a quadratic term would show.
SIZES = {"sum_of": 16000, "sum_of_values": 12000, "inputs": 10000, "summed_inputs": 5000, "nested_concat": 6000, "deep_chain": 6000,
         "long_loop_body": 8000, "many_branches": 12000, "concatenation": 4000, "concatenation_of_inputs": 4000, "split": 2000,
         "split_outputs": 4000, "outputs": 5000, "chain": 12000, "branches": 3500, "fan_out": 6000, "movement": 3000,
         "constants": 20000, "weights": 16000, "recurrence": 4000}


class GrowingTest(nacre.NacreTest):
    parts = 3

    def cost(self, model, *options):
        """Seconds of user time and KiB of memory that compiling it takes, and the report."""
        report = self.path("report.json")
        pid = os.fork()
        if not pid:
            os.execv(os.path.join(nacre.BIN, "nacre-compile"),
                     ["nacre-compile", model, "-o", self.path("lib.so"), "--quiet", "--jobs=1", "--report=" + report, *options])
        _, status, usage = os.wait4(pid, 0)
        self.assertEqual(status, 0, model)
        with open(report, encoding="utf-8") as file:
            return usage.ru_utime, usage.ru_maxrss, json.load(file)

    def model_of(self, name, count):
        path = self.path(f"{name}_{count}.onnx")
        getattr(growing_models, name)(count).save(path)
        return path

    def check_growth(self, name, *options):
        models = [self.model_of(name, SIZES[name] // 2), self.model_of(name, SIZES[name])]
        times, memories = [float("inf")] * 2, [float("inf")] * 2
        for _ in range(ATTEMPTS):
            for number, model in enumerate(models):
                time, memory, _ = self.cost(model, *options)
                times[number], memories[number] = min(times[number], time), min(memories[number], memory)
            if times[1] < MOST * max(times[0], LEAST_TIME):
                break
        print(f"{name:24} {SIZES[name] // 2:6} {times[0]:6.2f} s {memories[0] >> 10:5} MiB  {SIZES[name]:6} {times[1]:6.2f} s "
              f"{memories[1] >> 10:5} MiB", flush=True)
        self.assertLess(times[1], MOST * max(times[0], LEAST_TIME), f"user time of {name}: {times}")
        self.assertLess(memories[1], MOST * max(memories[0], LEAST_MEMORY), f"memory of {name}: {memories}")

    def test_kept_values(self):
        """Each is an output."""
        self.check_growth("branches", "--keep=all")

    def test_fifty_thousand_nodes(self):
        """With long names, as exporters give them: the structure of the file is large beside its bytes, which have no weights."""
        growing_models.chain(50000, scope="/model/encoder/layers.0/attention/output/").save(self.path("model.onnx"))
        time, memory, report = self.cost(self.path("model.onnx"))
        self.assertLess(time, 60)
        self.assertLess(memory, 2 << 20)
        self.assertLess(report["kernels"], 8)

    def check_parts(self, graph, x, y, most_kernels):
        """The answer, and that alike parts share kernels."""
        model = self.path("parts.onnx")
        graph.save(model)
        _, _, report = self.cost(model)
        self.assertLessEqual(report["kernels"], most_kernels)
        write_npy(self.path("x.npy"), *x)
        write_npy(self.path("y.npy"), *y)
        self.run_model(self.path("lib.so"), "--threads=2", f"--input=x={self.path('x.npy')}", f"--expect=y={self.path('y.npy')}", "--rtol=0",
                       "--atol=0")

    def test_parts_of_a_concatenation_share_a_kernel(self):
        count, rows, columns = 70, 4, 8
        x = [[float(row * columns + column) for column in range(columns)] for row in range(rows)]
        flat = [value for row in x for value in row]
        below = [value * (part % 7) for part in range(count) for row in x for value in row]
        beside = [value * (part % 7) for row in x for part in range(count) for value in row]
        for axis, dims, expected in ((0, [rows * count, columns], below), (1, [rows, columns * count], beside)):
            graph = growing_models.concatenation(count, axis)
            self.check_parts(graph, ([rows, columns], flat), (dims, expected), most_kernels=8)

    def test_copies_of_any_width_share_a_kernel(self):
        """Parts that begin at no vector's edge."""
        count, rows = 70, 4
        for width in (1, 3, 5):
            x = [[float(row * width + column) for column in range(width)] for row in range(rows)]
            expected = [value for row in x for _ in range(count) for value in row]
            graph = growing_models.concatenation_of_inputs(count, axis=1, width=width)
            self.check_parts(graph, ([rows, width], [value for row in x for value in row]), ([rows, width * count], expected), most_kernels=1)

    def test_parts_of_a_split_share_a_kernel(self):
        count, rows = 70, 4
        for width in (1, 3, 8):
            beside = [[float((row * 31 + column * 17) % 101) for column in range(width * count)] for row in range(rows)]
            expected = [max(row[part * width:(part + 1) * width]) for row in beside for part in range(count)]
            self.check_parts(growing_models.split(count, axis=1, width=width), ([rows, width * count], [value for row in beside for value in row]),
                             ([rows, count], expected), most_kernels=4)


for subject in SIZES:
    setattr(GrowingTest, f"test_{subject}", lambda self, subject=subject: self.check_growth(subject))

if __name__ == "__main__":
    unittest.main()
