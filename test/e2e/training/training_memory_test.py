#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training for long: no step asks for memory, and none leaves any behind. With NACRE_TRAINING=all, 10^5 steps."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from lenet import lenet

STEPS = 100000 if os.environ.get("NACRE_TRAINING") == "all" else 1000


class TrainingMemoryTest(nacre.NacreTest):
    def test_many_steps(self):
        lenet().save(self.path("lenet.onnx"))
        library = self.path("liblenet.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path("lenet.onnx"), "-o", library, "--quiet", "--train", "--train-batch=16",
                  "--loss=softmax-cross-entropy:logits", "--optimizer=adam", "--clip=norm:1", "--entries=train")
        said = self.call(os.path.join(nacre.BIN, "e2e-long-training"), library, "lenet", STEPS)
        print(said, end="")
        self.assertIn(f"{STEPS} steps, 0 allocations in them, ", said)


if __name__ == "__main__":
    unittest.main()
