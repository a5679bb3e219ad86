#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/quickstart with the programs of this build: what it promises a newcomer holds, the GPU included."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre


class QuickstartTest(nacre.NacreTest):
    @unittest.skipUnless(os.path.exists(os.path.join(nacre.BIN, "nacre-run-arm64")), "needs nacre-run for arm64")
    def test_all_engines_agree_and_it_says_so(self):
        said = self.call(os.path.join(nacre.ROOT, "tools", "quickstart"), nacre.BIN, self.path("quickstart"))
        self.assertEqual(said.count("output 'probabilities' agrees"), 8, said)
        self.assertIn("output 'features' agrees", said)
        engines = [tuple(map(int, found)) for found in re.findall(r": (\d+) launch(?:es)?, (\d+) on the CPU", said)]
        self.assertEqual(len(engines), 4, said)
        for gpu, cpu in engines[:2]:
            self.assertGreater(gpu, 0)
            self.assertEqual(cpu, 0)
        for gpu, cpu in engines[2:]:
            self.assertGreater(gpu, 0)
            self.assertGreater(cpu, 0)
        self.assertRegex(said, r"The CPU, the GPU \(.+\), both with half of the work each, and arm64 all give ONNX Runtime's answer\.")


if __name__ == "__main__":
    unittest.main()
