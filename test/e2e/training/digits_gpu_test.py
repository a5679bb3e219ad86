#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks learn handwritten digits on a GPU as well as on the CPU (digits_test.py): the accuracies are less than .005 apart.

One network: digits_gpu_test.py DigitsOnGpu.test_lenet. Five seeds with NACRE_TRAINING=all. lavapipe will do for a GPU.
"""
import unittest

import digits_test

APART = 0.005


class DigitsOnGpu(digits_test.DigitsTest):
    parts = 2

    test_resnet_in_less_memory = None  # of the CPU's code

    def compile(self, model, *options, output="libdigits.so"):
        self.cpu_library = super().compile(model, *options, output="libcpu.so")
        return super().compile(model, *options, "--place=gpu", output=output)

    def check(self, library, runs, epochs, rate, least_mean, least, suffix=""):
        gpu, cpu = [], []
        for seed in digits_test.SEEDS:
            for accuracies, trained, options in ((gpu, library, ["--gpu"]), (cpu, self.cpu_library, [])):
                accuracies.append(self.train(trained, seed, epochs, rate, suffix, options)[-1]["test_accuracy"])
        print(f"{self._testMethodName}: GPU {gpu}, CPU {cpu}")
        self.assertGreaterEqual(min(gpu), least)
        self.assertLessEqual(abs(sum(gpu) - sum(cpu)) / len(gpu), APART)


if __name__ == "__main__":
    unittest.main()
