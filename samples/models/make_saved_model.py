#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a TensorFlow SavedModel without TensorFlow: a classifier of two dense layers, as TensorFlow 2 saves one.

Two signatures share its weights: `serving_default` gives probabilities, `features` what the hidden layer makes of the input.
Each is a function; variables are restored by a third.
usage: make_saved_model.py folder     also writes folder/x.npy and, computed here, probabilities.npy and features.npy
"""
import math
import os
import random
import sys

import tensorflow_writer as tf
from onnx_writer import write_npy

INPUTS, HIDDEN, CLASSES = 16, 32, 5
SHAPES = {"hidden/kernel": [INPUTS, HIDDEN], "hidden/bias": [HIDDEN], "top/kernel": [HIDDEN, CLASSES], "top/bias": [CLASSES]}


def make_values(seed=11):
    chance = random.Random(seed)
    values = {name: [chance.uniform(-0.5, 0.5) for _ in range(math.prod(shape))] for name, shape in SHAPES.items()}
    return values, [chance.uniform(-1, 1) for _ in range(INPUTS)]


def dense(x, kernel, bias):
    return [bias[to] + sum(value * kernel[at * len(bias) + to] for at, value in enumerate(x)) for to in range(len(bias))]


def compute(values, x):
    features = [max(value, 0.0) for value in dense(x, values["hidden/kernel"], values["hidden/bias"])]
    exponentials = [math.exp(value) for value in dense(features, values["top/kernel"], values["top/bias"])]
    return features, [value / sum(exponentials) for value in exponentials]


def layer(name, x, kernel, bias):
    """Nodes of a dense layer in a function, which reads its variables through handles."""
    t = tf.Type(tf.FLOAT)
    return [
        tf.node(f"{name}/read_kernel", "ReadVariableOp", [kernel], dtype=t),
        tf.node(f"{name}/read_bias", "ReadVariableOp", [bias], dtype=t),
        tf.node(f"{name}/product", "MatMul", [x, f"{name}/read_kernel:value:0"], T=t),
        tf.node(f"{name}/sum", "BiasAdd", [f"{name}/product:product:0", f"{name}/read_bias:value:0"], T=t),
    ]


def make_functions():
    t = tf.Type(tf.FLOAT)
    handles = [(name.replace("/", "_"), tf.RESOURCE) for name in SHAPES]
    features = tf.function("compute_features", [("x", tf.FLOAT), *handles[:2]], [("features", tf.FLOAT, "relu:activations:0")],
                           [*layer("hidden", "x", "hidden_kernel", "hidden_bias"), tf.node("relu", "Relu", ["hidden/sum:output:0"], T=t)])
    call = tf.node("features", "StatefulPartitionedCall", ["x", "hidden_kernel", "hidden_bias"], f=tf.Function("compute_features"),
                   Tin=[t, tf.Type(tf.RESOURCE), tf.Type(tf.RESOURCE)], Tout=[t])
    serve = tf.function("serve", [("x", tf.FLOAT), *handles], [("probabilities", tf.FLOAT, "softmax:softmax:0")],
                        [call, *layer("top", "features:output:0", "top_kernel", "top_bias"),
                         tf.node("softmax", "Softmax", ["top/sum:output:0"], T=t)])
    assign = [tf.node(f"assign_{index}", "AssignVariableOp", [handle, f"restore:tensors:{index}"], dtype=t)
              for index, (handle, _) in enumerate(handles)]
    # The keys are none of the names.
    names = [tf.node("keys", "Const", dtype=tf.Type(tf.STRING), value=tf.strings([key_of(name) for name in SHAPES])),
             tf.node("slices", "Const", dtype=tf.Type(tf.STRING), value=tf.strings([""] * len(SHAPES)))]
    restore = tf.node("restore", "RestoreV2", ["path", "keys:output:0", "slices:output:0"], dtypes=[t] * len(SHAPES))
    restored = tf.function("restore_all", [("path", tf.STRING), *handles], [], [*names, restore, *assign],
                           controls=[f"assign_{index}" for index in range(len(handles))])
    return [features, serve, restored]


def key_of(name):
    return f"layers/{name}/.ATTRIBUTES/VARIABLE_VALUE"


def make_model():
    t, handle = tf.Type(tf.FLOAT), tf.Type(tf.RESOURCE)
    nodes = [tf.node(name, "VarHandleOp", dtype=t, shape=tf.Shape(shape), shared_name=name) for name, shape in SHAPES.items()]
    nodes += [
        tf.node("serving_default_x", "Placeholder", dtype=t, shape=tf.Shape([-1, INPUTS])),
        tf.node("features_x", "Placeholder", dtype=t, shape=tf.Shape([-1, INPUTS])),
        tf.node("path", "Placeholder", dtype=tf.Type(tf.STRING), shape=tf.Shape([])),
        tf.node("call", "StatefulPartitionedCall", ["serving_default_x", *SHAPES], f=tf.Function("serve"), Tin=[t] + [handle] * 4, Tout=[t]),
        tf.node("call_1", "StatefulPartitionedCall", ["features_x", *list(SHAPES)[:2]], f=tf.Function("compute_features"),
                Tin=[t] + [handle] * 2, Tout=[t]),
        tf.node("call_2", "StatefulPartitionedCall", ["path", *SHAPES], f=tf.Function("restore_all"),
                Tin=[tf.Type(tf.STRING)] + [handle] * 4, Tout=[]),
    ]
    signatures = {
        "serving_default": tf.signature({"x": ("serving_default_x:0", tf.FLOAT, [-1, INPUTS])},
                                        {"probabilities": ("call:0", tf.FLOAT, [-1, CLASSES])}),
        "features": tf.signature({"x": ("features_x:0", tf.FLOAT, [-1, INPUTS])},
                                 {"features": ("call_1:0", tf.FLOAT, [-1, HIDDEN])}),
    }
    return tf.saved_model(tf.meta_graph(tf.graph(nodes, make_functions()), signatures, restore="call_2"))


def write(folder, compressed=False):
    values, x = make_values()
    tf.save(folder, make_model(), {key_of(name): tf.floats(shape, values[name]) for name, shape in SHAPES.items()}, compressed)
    features, probabilities = compute(values, x)
    for name, array in (("x", x), ("features", features), ("probabilities", probabilities)):
        write_npy(os.path.join(folder, f"{name}.npy"), [1, len(array)], array)


if __name__ == "__main__":
    write(sys.argv[1])
