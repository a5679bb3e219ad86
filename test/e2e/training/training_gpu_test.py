#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients and losses of models that are trained on a GPU, whole or in half, against PyTorch's in double precision (training_cases.py).

One case: training_gpu_test.py TrainingOnGpu.test_lstm TrainingInHalves.test_lstm

The GPU is required: lavapipe will do. A run that falls back to the CPU is an error, and so is any message of the validation layer.
"""
import unittest

from training_cases import CaseOnGpuTest, add_case, names_of_cases


class TrainingOnGpu(CaseOnGpuTest):
    parts = 4


class TrainingInHalves(TrainingOnGpu):
    compile_options = ("--place=split:50",)

    def check_launches(self, entry, gpu, cpu):
        self.assertGreater(gpu, 0, entry)


for found in names_of_cases():
    add_case(TrainingOnGpu, found)

if __name__ == "__main__":
    unittest.main()
