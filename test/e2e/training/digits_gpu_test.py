#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks learn handwritten digits on a GPU as well as on the CPU (digits_test.py): over five seeds the accuracies are at most .005 apart.

Five seeds with NACRE_TRAINING=all; else one, whose accuracies may be two examples apart. One network:
digits_gpu_test.py DigitsOnGpu.test_lenet. lavapipe will do for a GPU.
"""
import unittest

import digits_test
from digits_test import numpy

APART = 0.005  # of the means
EXAMPLES = 2  # of one seed: two of the 360 are .0056. Sums in other orders turn the answers for examples on the border of two digits.


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
        if len(gpu) > 1:
            self.assertLessEqual(abs(sum(gpu) - sum(cpu)) / len(gpu), APART)
        else:
            tests = len(numpy.load(self.path(f"test{suffix}_y.npy")))
            self.assertLessEqual(abs(round(gpu[0] * tests) - round(cpu[0] * tests)), EXAMPLES)


if __name__ == "__main__":
    unittest.main()
