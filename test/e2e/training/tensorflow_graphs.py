# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes of TensorFlow's training graphs, and one such graph, written without TensorFlow."""
import random

import tensorflow_writer as tf

FLOAT, INT32, INT64 = tf.Type(tf.FLOAT), tf.Type(tf.INT32), tf.Type(tf.INT64)


def const(name, tensor):
    return tf.node(name, "Const", dtype=tf.Type(tensor.element_type), value=tensor)


def placeholder(name, shape, kind=FLOAT):
    return tf.node(name, "Placeholder", dtype=kind, shape=tf.Shape(shape))


def variable(name, shape, values):
    """A reference variable, the node that initializes it, and the one that reads it."""
    return [tf.node(name, "VariableV2", dtype=FLOAT, shape=tf.Shape(shape)), const(name + "/initial", tf.floats(shape, values)),
            tf.node(name + "/Assign", "Assign", [name, name + "/initial"], T=FLOAT),
            tf.node(name + "/read", "Identity", [name], T=FLOAT)]


def body(name, op, inputs, **attributes):
    return tf.node(name, op, inputs, T=FLOAT, **attributes)


def digits_graph(batch=32, pixels=64, classes=10):
    """A dense layer over images of digits, and what tf.gradients and MomentumOptimizer add: a GraphDef with the node Momentum."""
    draw, shape = random.Random(3), [pixels, classes]
    size = shape[0] * shape[1]
    nodes = [placeholder("x", [batch, 1, 8, 8]), placeholder("label", [batch], INT64), placeholder("learning_rate", []),
             *variable("dense/kernel", shape, [draw.uniform(-0.1, 0.1) for _ in range(size)]), *variable("dense/bias", [classes], [0] * classes),
             *variable("dense/kernel/Momentum", shape, [0] * size), *variable("dense/bias/Momentum", [classes], [0] * classes),
             const("flat", tf.integers([2], [batch, pixels])), const("axis", tf.integers([1], [0])), const("count", tf.floats([], [batch])),
             const("momentum", tf.floats([], [0.9])),
             tf.node("flatten", "Reshape", ["x", "flat"], T=FLOAT, Tshape=INT32), body("product", "MatMul", ["flatten", "dense/kernel/read"]),
             body("logits", "BiasAdd", ["product", "dense/bias/read"]),
             tf.node("entropy", "SparseSoftmaxCrossEntropyWithLogits", ["logits", "label"], T=FLOAT, Tlabels=INT64),
             body("loss", "Mean", ["entropy", "axis"], keep_dims=False),
             body("gradients/scale", "RealDiv", ["entropy:1", "count"]), body("gradients/bias", "BiasAddGrad", ["gradients/scale"]),
             body("gradients/kernel", "MatMul", ["flatten", "gradients/scale"], transpose_a=True)]
    for name in ("kernel", "bias"):
        variables = [f"dense/{name}", f"dense/{name}/Momentum"]
        nodes.append(body(f"Momentum/{name}", "ApplyMomentum", [*variables, "learning_rate", f"gradients/{name}", "momentum"]))
    return tf.graph([*nodes, tf.node("Momentum", "NoOp", ["^Momentum/kernel", "^Momentum/bias"])])
