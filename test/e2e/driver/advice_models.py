# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of each kind of advice a model that it is given to, and one that is as it should be: (of the kind, options), (as it should be, options)."""
import nacre


def convolutions(channels):
    """Two convolutions of which the first makes `channels` channels."""
    graph = nacre.Graph("convolutions", seed=1)
    x = graph.node("Conv", [graph.input("x", [1, 64, 28, 28]), graph.kernel("wide", [channels, 64, 1, 1])], output="between")
    graph.node("Conv", [x, graph.kernel("narrow", [16, channels, 1, 1])], output="y")
    graph.output("y", [1, 16, 28, 28])
    return graph


def dense(rows):
    graph = nacre.Graph("dense", seed=2)
    graph.node("MatMul", [graph.input("x", [rows, 1024]), graph.weight("w", [1024, 1024], -0.1, 0.1)], output="y")
    graph.output("y", [rows, 1024])
    return graph


def turned(reads_twice):
    """A transposition between two sums over rows; read as it was made, too, it is in nobody's way."""
    graph = nacre.Graph("turned", seed=3)
    x = graph.node("Softmax", [graph.input("x", [1024, 512])], axis=1)
    if reads_twice:
        x = graph.node("Transpose", [x], perm=[1, 0])
    graph.node("Softmax", [x], output="y", axis=1)
    graph.output("y", [512, 1024] if reads_twice else [1024, 512])
    return graph


def exponentials(element):
    """Between casts of the input and the output."""
    graph = nacre.Graph("exponentials")
    x = graph.node("Cast", [graph.input("x", [64, 4096])], to=element)
    for _ in range(4):
        x = graph.node("Softmax", [x], axis=1)
    graph.node("Cast", [x], to=1, output="y")
    graph.output("y", [64, 4096])
    return graph


def normalized(behind):
    """Two convolutions, joined; a batch normalization and a ReLU behind each, or once behind both."""
    graph = nacre.Graph("normalized", seed=5)
    x = graph.input("x", [1, 64, 56, 56])

    def normalize(x, name, channels):
        parts = [graph.weight(name + part, [channels], 0.5, 1.5) for part in ("scale", "shift", "mean", "variance")]
        return graph.node("Relu", [graph.node("BatchNormalization", [x, *parts])])

    halves = [graph.node("Conv", [x, graph.kernel(name, [64, 64, 1, 1])]) for name in ("left", "right")]
    if behind:
        halves = [normalize(half, str(number), 64) for number, half in enumerate(halves)]
    x = graph.node("Concat", halves, axis=1)
    if not behind:
        x = normalize(x, "all", 128)
    graph.node("Conv", [x, graph.kernel("last", [64, 128, 1, 1])], output="y")
    graph.output("y", [1, 64, 56, 56])
    return graph


def running(axis):
    graph = nacre.Graph("running")
    graph.node("CumSum", [graph.input("x", [1024, 1024]), graph.integers("axis", [axis])], output="y")
    graph.output("y", [1024, 1024])
    return graph
