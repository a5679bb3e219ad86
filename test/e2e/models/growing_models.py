# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that grow along one dimension: operands, parts, ports, nodes, weights, nested regions. Each takes a count and returns an onnx_writer.Graph."""
from onnx_writer import BOOL, INT64, Graph


def sum_of(count):
    """One operator of many operands."""
    graph = Graph("sum")
    x = graph.input("x", [4, 8])
    operands = [graph.constant(f"c{i}", [4, 8], [float(i % 7)] * 32) for i in range(4)]
    graph.node("Sum", [x] + [operands[i % 4] for i in range(count - 1)], output="y")
    graph.output("y", [4, 8])
    return graph


def sum_of_values(count):
    """A sum of values that are all alive at once."""
    graph = Graph("sum_of_values")
    x = graph.input("x", [4, 8])
    parts = [graph.node("MatMul", [x, graph.constant(f"w{i}", [8, 8], [0.25 + i % 5] * 64)]) for i in range(count)]
    graph.node("Sum", parts, output="y")
    graph.output("y", [4, 8])
    return graph


def concatenation(count, axis=0):
    """Computed parts that lie one after the other, or, with axis 1, side by side."""
    graph = Graph("concatenation")
    x = graph.input("x", [4, 8])
    parts = [graph.node("Mul", [x, graph.constant(f"c{i}", [1], [float(i % 7)])]) for i in range(count)]
    graph.node("Concat", parts, output="y", axis=axis)
    graph.output("y", [4 * count, 8] if axis == 0 else [4, 8 * count])
    return graph


def concatenation_of_inputs(count, axis=0, width=8):
    """Parts that are copied."""
    graph = Graph("concatenation")
    x = graph.input("x", [4, width])
    graph.node("Concat", [x] * count, output="y", axis=axis)
    graph.output("y", [4 * count, width] if axis == 0 else [4, width * count])
    return graph


def split(count, axis=0, width=8):
    """Parts that are read."""
    graph = Graph("split")
    x = graph.input("x", [4 * count, width] if axis == 0 else [4, width * count])
    sizes = graph.integers("sizes", [4 if axis == 0 else width] * count)
    parts = graph.node("Split", [x, sizes], output=[f"p{i}" for i in range(count)], axis=axis)
    small = [graph.node("ReduceMax", [part], axes=[axis], keepdims=1) for part in parts]
    graph.node("Concat", small, output="y", axis=axis)
    graph.output("y", [count, width] if axis == 0 else [4, count])
    return graph


def split_outputs(count):
    """Parts that are outputs."""
    graph = Graph("split")
    x = graph.input("x", [4 * count, 8])
    for part in graph.node("Split", [x, graph.integers("sizes", [4] * count)], output=[f"p{i}" for i in range(count)], axis=0):
        graph.output(part, [4, 8])
    return graph


def inputs(count):
    graph = Graph("inputs")
    graph.node("Concat", [graph.input(f"x{i}", [1, 8]) for i in range(count)], output="y", axis=0)
    graph.output("y", [count, 8])
    return graph


def summed_inputs(count):
    graph = Graph("summed_inputs")
    graph.node("Sum", [graph.input(f"x{i}", [1, 8]) for i in range(count)], output="y")
    graph.output("y", [1, 8])
    return graph


def outputs(count):
    """Every second one is computed of the one before, the others of the input: ports that are read, and ports that aren't."""
    graph = Graph("outputs")
    x = graph.input("x", [1, 8])
    for i in range(count):
        graph.node("Relu" if i % 2 else "Sigmoid", [f"y{i - 1}" if i % 2 else x], output=f"y{i}")
        graph.output(f"y{i}", [1, 8])
    return graph


def chain(count, scope=""):
    """Elementwise operators only. `scope` is in front of all their names."""
    graph = Graph("chain")
    x, one = graph.input("x", [4, 8]), graph.constant("one", [1], [1.0])
    for i in range(count):
        x = graph.node("Relu" if i % 2 else "Add", [x] if i % 2 else [x, one], name=f"{scope}{i}")
    graph.node("Identity", [x], output="y")
    graph.output("y", [4, 8])
    return graph


def deep_chain(count):
    """A product, a bias and an activation again and again, of one set of weights."""
    graph = Graph("deep_chain")
    x, w, b = graph.input("x", [4, 8]), graph.weight("w", [8, 8], -0.3, 0.3), graph.weight("b", [8], -0.3, 0.3)
    for i in range(count // 3):
        x = graph.node("Relu", [graph.node("Add", [graph.node("MatMul", [x, w]), b])])
    graph.node("Identity", [x], output="y")
    graph.output("y", [4, 8])
    return graph


def branches(count):
    """Chains that branch and join: seven nodes a block."""
    graph = Graph("branches")
    x = graph.input("x", [4, 8])
    w = graph.weight("w", [8, 8], -0.3, 0.3)
    for i in range(count // 7):
        left = graph.node("Relu", [graph.node("MatMul", [x, w])])
        right = graph.node("Sigmoid", [graph.node("MatMul", [x, w])])
        both = graph.node("Concat", [left, right], axis=1)
        x = graph.node("Add", [graph.node("ReduceMean", [both], axes=[1], keepdims=1), x])
    graph.node("Identity", [x], output="y")
    graph.output("y", [4, 8])
    return graph


def weights(count):
    """A layer each, with weights of its own."""
    graph = Graph("weights")
    x = graph.input("x", [4, 8])
    for i in range(count // 2):
        x = graph.node("Relu", [graph.node("MatMul", [x, graph.constant(f"w{i}", [8, 8], [0.01 * (i % 97)] * 63 + [float(i)])])])
    graph.node("Identity", [x], output="y")
    graph.output("y", [4, 8])
    return graph


def fan_out(count):
    """One tensor that all others are computed of, and one that is computed of all others."""
    graph = Graph("fan_out")
    x = graph.input("x", [4, 8])
    x = graph.node("Softmax", [x], axis=1)
    parts = [graph.node("Softmax", [x], axis=0) for i in range(count)]
    graph.node("Max", parts, output="y")
    graph.output("y", [4, 8])
    return graph


def movement(count):
    """Reshapes, transposes and slices."""
    graph = Graph("movement")
    x = graph.input("x", [4, 8])
    flat, square = graph.integers("flat", [32]), graph.integers("square", [4, 8])
    for i in range(count // 6):
        x = graph.node("Reshape", [graph.node("Transpose", [x], perm=[1, 0]), flat])
        x = graph.node("Reshape", [graph.node("Softmax", [x], axis=0), square])
        low = graph.node("Slice", [x, graph.integers(f"s{i}", [0]), graph.integers(f"e{i}", [3])])
        high = graph.node("Slice", [x, graph.integers(f"from{i}", [3]), graph.integers(f"to{i}", [4])])
        x = graph.node("Concat", [high, low], axis=0)
    graph.node("Identity", [x], output="y")
    graph.output("y", [4, 8])
    return graph


def nested_concat(count):
    """A concatenation that grows by a part at a time, and is read at each size: as an autoregressive decoder's cache that is unrolled."""
    graph = Graph("nested_concat")
    x = graph.input("x", [1, 8])
    parts = x
    for i in range(count):
        parts = graph.node("Concat", [parts, graph.node("Softmax", [x], axis=1)], axis=0)
    graph.node("Identity", [parts], output="y")
    graph.output("y", [count + 1, 8])
    return graph


def constants(count):
    """Constants that fold: shapes' arithmetic, as exporters write it."""
    graph = Graph("constants")
    x = graph.input("x", [4, 8])
    total = graph.constant("zero", [1], [0.0])
    for i in range(count // 2):
        total = graph.node("Add", [total, graph.node("Neg", [graph.constant(f"c{i}", [1], [float(i)])])])
    graph.node("Add", [x, total], output="y")
    graph.output("y", [4, 8])
    return graph


def recurrence(count):
    """An unrolled recurrent cell: slices of a sequence in, a sequence out."""
    graph = Graph("recurrence")
    x = graph.input("x", [count, 1, 8])
    state = graph.input("h", [1, 8])
    w, u = graph.weight("w", [8, 8], -0.3, 0.3), graph.weight("u", [8, 8], -0.3, 0.3)
    axes = graph.integers("axes", [0])
    states = []
    for part in graph.node("Split", [x, graph.integers("sizes", [1] * count)], output=[f"p{i}" for i in range(count)], axis=0):
        step = graph.node("Squeeze", [part, axes])
        state = graph.node("Tanh", [graph.node("Add", [graph.node("MatMul", [step, w]), graph.node("MatMul", [state, u])])])
        states.append(graph.node("Unsqueeze", [state, axes]))
    graph.node("Concat", states, output="y", axis=0)
    graph.output("y", [count, 1, 8])
    return graph


def long_loop_body(count):
    """A loop whose body is a chain."""
    body = Graph("body")
    body.input("i", [], INT64)
    body.input("go", [], BOOL)
    x = body.input("a", [4, 8])
    body.node("Identity", ["go"], output="more")
    w = body.weight("w", [8, 8], -0.3, 0.3)
    for i in range(count // 2):
        x = body.node("Softmax", [body.node("MatMul", [x, w])], axis=1)
    body.node("Identity", [x], output="b")
    body.output("more", [], BOOL)
    body.output("b", [4, 8])
    graph = Graph("loop")
    graph.node("Loop", [graph.count("trips", 3), "", graph.input("x", [4, 8])], output="y", body=body)
    graph.output("y", [4, 8])
    return graph


def many_branches(count):
    """Conditionals one after the other."""
    graph = Graph("many_branches")
    x, condition = graph.input("x", [4, 8]), graph.input("c", [], BOOL)
    for i in range(count // 3):
        sides = []
        for number, operator in enumerate(("Relu", "Sigmoid")):
            side = Graph(f"side{number}_{i}")
            side.node(operator, [x], output=f"r{number}_{i}")
            side.output(f"r{number}_{i}", [4, 8])
            sides.append(side)
        x = graph.node("If", [condition], then_branch=sides[0], else_branch=sides[1])
    graph.node("Identity", [x], output="y")
    graph.output("y", [4, 8])
    return graph
