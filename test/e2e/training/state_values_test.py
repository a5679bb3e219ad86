#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training from states with values that no step computes: an app can write any bytes, and files of other programs have no checksum."""
import json
import math
import os
import struct
import unittest

import training_cases
from onnx_writer import write_npy
from training_cases import Case, read_floats, write

SCALES = (math.nan, math.inf, -math.inf, 0.0, -0.0, -65536.0, 1e-40, 1e-30, 0.5, 2.0**25, 3.4e38)


def change_state(old, new, **values):
    """Writes a state file with other first elements, by name, and without the metadata that has the checksum."""
    with open(old, "rb") as file:
        data = file.read()
    begin = 8 + struct.unpack_from("<Q", data)[0]
    rows = json.loads(data[8:begin])
    tensors = bytearray(data[begin:])
    del rows["__metadata__"]
    for name, value in values.items():
        struct.pack_into({"F32": "<f", "I64": "<q"}[rows[name]["dtype"]], tensors, rows[name]["data_offsets"][0], value)
    header = json.dumps(rows).encode()
    write(new, struct.pack("<Q", len(header)) + header + tensors)


class StateValuesTest(training_cases.CaseOnGpuTest):
    on_gpu = True

    def program(self):
        return super().program() if self.on_gpu else super().program()[:1]

    def read_said(self, said):
        return super().read_said(said) if self.on_gpu else said.splitlines()

    def read_state(self, name, kind="f"):
        with open(self.path(name + ".state"), "rb") as file:
            return struct.unpack("<" + kind, file.read())[0]

    def step_from(self, library, steps, **values):
        """The losses of steps that begin with a state that has these values."""
        change_state(self.path("end.safetensors"), self.path("begin.safetensors"), **values)
        os.replace(self.path("end.safetensors"), self.path("kept.safetensors"))
        losses = [loss for _, loss in self.steps(library, steps, 1, "train")]
        os.replace(self.path("kept.safetensors"), self.path("end.safetensors"))
        return losses

    def check_trained(self, case, before):
        for weight in case.facts["weights"]:
            after = read_floats(self.path(weight + ".state"))
            self.assertTrue(all(map(math.isfinite, after)), weight)
            self.assertNotEqual(after, before[weight], weight)

    def prepare(self, *options):
        case = Case("matmul")
        case.feed(self.folder, 0.05)
        library = self.build(case, *options)
        self.on_gpu = False
        self.steps(library, 1, 1, "train")
        return case, library, {weight: read_floats(self.path(weight + ".state")) for weight in case.facts["weights"]}

    def test_loss_scales(self):
        """A scale outside of its limits costs at most one step: after it, the scale is the initial one."""
        self.compile_options = ("--place=gpu", "--gpu-precision=fp16")
        case, library, before = self.prepare("--optimizer=sgd:momentum=0.9")
        for self.on_gpu in (False, True):
            for scale in SCALES:
                with self.subTest(scale=scale, on_gpu=self.on_gpu):
                    self.step_from(library, 2, **{"#loss_scale": scale})
                    self.assertEqual(self.read_state("#loss_scale"), 65536)
                    self.assertLessEqual(self.read_state("#loss_scale#skipped", "q"), 1)
                    self.assertGreaterEqual(self.read_state("#step", "q"), 2)
                    self.check_trained(case, before)

    def test_scales_within_the_limits(self):
        self.compile_options = ("--place=gpu", "--gpu-precision=fp16")
        _, library, _ = self.prepare("--optimizer=sgd:momentum=0.9")
        for scale in (1.0, 3.0, 2.0**24):
            self.step_from(library, 1, **{"#loss_scale": scale})
            self.assertEqual(self.read_state("#loss_scale") * 2 ** self.read_state("#loss_scale#skipped", "q"), scale)

    def test_counts_of_good_steps(self):
        """The scale grows again, whatever the count was."""
        self.compile_options = ("--place=gpu", "--gpu-precision=fp16")
        _, library, _ = self.prepare("--optimizer=sgd:momentum=0.9")
        for self.on_gpu in (False, True):
            for count, good, scale in ((math.nan, 2, 65536), (math.inf, 2, 131072), (-math.inf, 3, 65536), (-5.0, 3, 65536), (1e30, 2, 131072)):
                with self.subTest(count=count, on_gpu=self.on_gpu):
                    self.step_from(library, 3, **{"#loss_scale#good": count})
                    self.assertEqual(self.read_state("#loss_scale#good"), good)
                    self.assertEqual(self.read_state("#loss_scale"), scale)

    def test_steps_of_adam(self):
        """Corrections of moments depend on the number of steps. A number that no training reaches does not make weights NaN."""
        self.compile_options = ("--place=gpu",)
        case, library, before = self.prepare("--optimizer=adam")
        for self.on_gpu in (False, True):
            for step in (-1, -2, -1000, -2**63, 2**62, 2**63 - 1):
                with self.subTest(step=step, on_gpu=self.on_gpu):
                    self.step_from(library, 2, **{"#step": step})
                    self.check_trained(case, before)

    def test_counts_of_batches(self):
        """The mean of several batches is not divided by 0 or NaN."""
        self.compile_options = ("--place=gpu",)
        case, library, before = self.prepare("--optimizer=sgd", "--accumulate")
        for self.on_gpu in (False, True):
            for count in (math.nan, -1.0, -math.inf):
                with self.subTest(count=count, on_gpu=self.on_gpu):
                    self.step_from(library, 1, **{"#batches": count})
                    self.check_trained(case, before)
                    self.assertEqual(self.read_state("#batches"), 0)

    def test_resuming(self):
        """nacre-run refuses to continue after a number of steps that is none, or with weights that no step makes finite again."""
        case, library, _ = self.prepare("--optimizer=adam")
        arrays = case.arrays
        for name, code in (("input:x", "f"), ("label", "q")):
            write_npy(self.path(name), arrays.shapes[name][1:], arrays.values[name], code)
        change_state(self.path("end.safetensors"), self.path("begin.safetensors"), **{"#step": -5})
        examples = [f"--input=x={self.path('input:x')}", f"--label={self.path('label')}", "--set=learning_rate=0.1"]
        self.assertIn("'#step' must be a number of steps, but is -5; load only weights and statistics with --weights",
                      self.run_model(library, "--train", *examples, "--epochs=1", "--resume=" + self.path("begin.safetensors"), status=2))
        self.run_model(library, "--train", *examples, "--epochs=1", "--weights=" + self.path("begin.safetensors"))
        for name, value, said in (("fc1.weight", math.nan, "nan"), ("fc1.weight#v", -math.inf, "-inf")):
            change_state(self.path("end.safetensors"), self.path("begin.safetensors"), **{name: value})
            self.assertIn(f"'{name}' must be finite to be trained, but has {said}; load an earlier state, or begin without one",
                          self.run_model(library, "--train", *examples, "--epochs=9", "--resume=" + self.path("begin.safetensors"), status=2))
        # The mean of squares, which no step makes negative.
        change_state(self.path("end.safetensors"), self.path("begin.safetensors"), **{"fc1.weight#v": -0.5})
        self.assertIn("'fc1.weight#v' must not be negative to be trained, but has -0.5; load an earlier state, or begin without one",
                      self.run_model(library, "--train", *examples, "--epochs=9", "--resume=" + self.path("begin.safetensors"), status=2))


if __name__ == "__main__":
    training_cases.names_of_cases()
    unittest.main()
