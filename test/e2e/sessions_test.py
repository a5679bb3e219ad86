#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several models in one process and one model in several threads; see Sessions.cpp."""
import os
import unittest

import nacre


class SessionsTest(nacre.NacreTest):
    def test_models_and_threads(self):
        libraries = [self.compile(name) for name in ("convnet", "recurrent", "relu")]
        print(self.call(os.path.join(nacre.BIN, "e2e-sessions"), *libraries).strip())


if __name__ == "__main__":
    unittest.main()
