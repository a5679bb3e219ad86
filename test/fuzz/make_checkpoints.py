#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the corpus of FuzzCheckpoint.cpp: indexes of checkpoints that hold their own data.
usage: make_checkpoints.py folder
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples", "models"))
import tensorflow_writer as tf  # noqa: E402

TENSORS = {"dense/kernel": tf.floats([2, 3], range(6)), "dense/bias": tf.floats([3], range(3)), "dense/step": tf.Tensor(tf.INT64, [], b"\1" * 8),
           "empty": tf.floats([0, 4], []), "scale": tf.floats([], [1])}

for name, compressed in (("plain", False), ("compressed", True)):
    with open(os.path.join(sys.argv[1], f"{name}.index"), "wb") as file:
        file.write(tf.checkpoint(TENSORS, compressed, together=True)[0])
