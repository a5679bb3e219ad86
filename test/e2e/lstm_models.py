# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One LSTM classifier as each format spells it: the layer, loops, and the steps one after another.

Why:  what a file calls the same network must not decide how fast it runs.
How:  one set of weights, gates input, forget, cell, output, is written in the order and the places that each spelling has. All have
      the input `data` [1, steps, inputs] and the output `prob` [1, classes]: softmax of a dense layer of the last hidden state.
"""
import os
import random
import struct
import sys

import tflite_writer as tflite

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples", "models"))
import tensorflow_writer as tf  # noqa: E402
from onnx_writer import BOOL, INT64, Graph  # noqa: E402

INPUT, FORGET, CELL, OUTPUT = range(4)


class Lstm:
    """The sizes and weights. Matrices are lists of rows; those of the cell have 4 * units columns, gate by gate."""

    def __init__(self, inputs=6, units=512, steps=100, classes=11, seed=5):
        self.inputs, self.units, self.steps, self.classes = inputs, units, steps, classes
        seeded = random.Random(seed)
        bound = units ** -0.5

        def matrix(rows, columns):
            return [[seeded.uniform(-bound, bound) for _ in range(columns)] for _ in range(rows)]
        self.weights, self.recurrence = matrix(inputs, 4 * units), matrix(units, 4 * units)
        self.bias, self.dense = matrix(1, 4 * units)[0], matrix(units, classes)
        self.dense_bias = matrix(1, classes)[0]

    def gates(self, row, order):
        """The gates of a row, in another order."""
        return [value for gate in order for value in row[gate * self.units:(gate + 1) * self.units]]


def _flat(rows):
    return [value for row in rows for value in row]


def _transposed(rows):
    return [list(column) for column in zip(*rows)]


# ONNX


def _onnx_model(lstm, name):
    graph = Graph(name)
    graph.input("data", [1, lstm.steps, lstm.inputs])
    graph.constant("dense", [lstm.units, lstm.classes], _flat(lstm.dense))
    graph.constant("dense_bias", [lstm.classes], lstm.dense_bias)
    return graph


def _onnx_head(lstm, graph, hidden):
    graph.node("Softmax", [graph.node("Gemm", [hidden, "dense", "dense_bias"])], "prob", axis=-1)
    graph.output("prob", [1, lstm.classes])
    return graph


def onnx_layer(lstm):
    """The operator LSTM."""
    graph = _onnx_model(lstm, "layer")
    order = (INPUT, OUTPUT, FORGET, CELL)
    for name, rows in (("w", lstm.weights), ("r", lstm.recurrence)):
        columns = _transposed([lstm.gates(row, order) for row in rows])
        graph.constant(name, [1, 4 * lstm.units, len(rows)], _flat(columns))
    graph.constant("b", [1, 8 * lstm.units], lstm.gates(lstm.bias, order) + [0.0] * (4 * lstm.units))
    graph.integers("direction", [0])
    rows = graph.node("Transpose", ["data"], perm=[1, 0, 2])
    graph.node("LSTM", [rows, "w", "r", "b"], ["all", "last"], hidden_size=lstm.units)
    return _onnx_head(lstm, graph, graph.node("Squeeze", ["last", "direction"]))


def _onnx_cell_weights(lstm, graph):
    """As PyTorch has them: a row of a matrix for each gate's unit, a bias for the input and one for the state."""
    graph.constant("w_ih", [4 * lstm.units, lstm.inputs], _flat(_transposed(lstm.weights)))
    graph.constant("w_hh", [4 * lstm.units, lstm.units], _flat(_transposed(lstm.recurrence)))
    graph.constant("b_ih", [4 * lstm.units], lstm.bias)
    graph.constant("b_hh", [4 * lstm.units], [0.0] * (4 * lstm.units))


def _onnx_state(lstm, graph):
    for name in ("h_0", "c_0"):
        graph.constant(name, [1, lstm.units], [0.0] * lstm.units)


def _onnx_cell(graph, x, h, c, names):
    """LSTMCell as PyTorch writes it out; `names` are those of the next hidden state and the next cell."""
    z = graph.node("Add", [graph.node("Gemm", [x, "w_ih", "b_ih"], names[0] + "_x", transB=1),
                           graph.node("Gemm", [h, "w_hh", "b_hh"], names[0] + "_h", transB=1)], names[0] + "_z")
    parts = graph.node("Split", [z], [f"{names[0]}_{gate}" for gate in range(4)], axis=1)
    i, f, o = (graph.node("Sigmoid", [parts[gate]], f"{parts[gate]}_on") for gate in (INPUT, FORGET, OUTPUT))
    g = graph.node("Tanh", [parts[CELL]], parts[CELL] + "_on")
    graph.node("Add", [graph.node("Mul", [f, c], names[1] + "_kept"), graph.node("Mul", [i, g], names[1] + "_new")], names[1])
    graph.node("Mul", [o, graph.node("Tanh", [names[1]], names[1] + "_on")], names[0])


def onnx_loop(lstm):
    """A Loop that gathers the iteration's row."""
    body = Graph("body")
    body.input("iteration", [], INT64)
    body.input("on", [], BOOL)
    for name in ("h", "c"):
        body.input(name, [1, lstm.units])
    _onnx_cell(body, body.node("Gather", ["data", "iteration"], "x", axis=1), "h", "c", ("h_next", "c_next"))
    body.output(body.node("Identity", ["on"], "go"), [], BOOL)
    for name in ("h_next", "c_next"):
        body.output(name, [1, lstm.units])
    graph = _onnx_model(lstm, "loop")
    _onnx_cell_weights(lstm, graph)
    _onnx_state(lstm, graph)
    graph.integers("steps", [lstm.steps])
    graph.node("Loop", ["steps", "", "h_0", "c_0"], ["h_last", "c_last"], body=body)
    return _onnx_head(lstm, graph, "h_last")


def onnx_scan(lstm):
    """A Scan of the input's rows, which stacks the hidden states; the last of these is what counts."""
    body = Graph("body")
    for name in ("h", "c"):
        body.input(name, [1, lstm.units])
    body.input("x", [1, lstm.inputs])
    _onnx_cell(body, "x", "h", "c", ("h_next", "c_next"))
    for name in ("h_next", "c_next"):
        body.output(name, [1, lstm.units])
    graph = _onnx_model(lstm, "scan")
    _onnx_cell_weights(lstm, graph)
    _onnx_state(lstm, graph)
    graph.node("Scan", ["h_0", "c_0", "data"], ["h_last", "c_last"], body=body, num_scan_inputs=1, scan_input_axes=[1])
    return _onnx_head(lstm, graph, "h_last")


def onnx_unrolled(lstm):
    """The cell once for each step, as an exporter traces it."""
    graph = _onnx_model(lstm, "unrolled")
    _onnx_cell_weights(lstm, graph)
    _onnx_state(lstm, graph)
    for step in range(lstm.steps):
        graph.integers(f"step_{step}", [step])
        row = graph.node("Squeeze", [graph.node("Gather", ["data", f"step_{step}"], f"row_{step}", axis=1), "axis"], f"x_{step}")
        _onnx_cell(graph, row, f"h_{step}", f"c_{step}", (f"h_{step + 1}", f"c_{step + 1}"))
    graph.integers("axis", [1])
    return _onnx_head(lstm, graph, f"h_{lstm.steps}")


# TensorFlow


F, I = tf.Type(tf.FLOAT), tf.Type(tf.INT32)


class _TfGraph:
    """Nodes in order; each call gives the name of the node."""

    def __init__(self):
        self.nodes = []

    def __call__(self, name, op, *inputs, **attributes):
        self.nodes.append(tf.node(name, op, inputs, **attributes))
        return name

    def floats(self, name, shape, values):
        return self(name, "Const", dtype=F, value=tf.floats(shape, values))

    def ints(self, name, values, scalar=False):
        raw = struct.pack(f"<{len(values)}i", *values)
        return self(name, "Const", dtype=I, value=tf.Tensor(tf.INT32, [] if scalar else [len(values)], raw))

    def bytes(self):
        return tf.graph(self.nodes)


def _tf_model(lstm):
    graph = _TfGraph()
    graph("data", "Placeholder", dtype=F, shape=tf.Shape([1, lstm.steps, lstm.inputs]))
    graph("rows", "Transpose", "data", graph.ints("perm", [1, 0, 2]), T=F, Tperm=I)
    # BasicLSTMCell: gates input, cell, forget, output; one is added to what forgets.
    order = (INPUT, CELL, FORGET, OUTPUT)
    rows = lstm.weights + lstm.recurrence
    graph.floats("kernel", [len(rows), 4 * lstm.units], [value for row in rows for value in lstm.gates(row, order)])
    bias = lstm.gates(lstm.bias, order)
    bias[2 * lstm.units:3 * lstm.units] = [value - 1 for value in bias[2 * lstm.units:3 * lstm.units]]
    graph.floats("bias", [4 * lstm.units], bias)
    for name in ("kernel", "bias"):
        graph(name + "/read", "Identity", name, T=F)
    for name in ("h_0", "c_0"):
        graph(name, "Fill", graph.ints(name + "/dims", [1, lstm.units]), graph.floats(name + "/zero", [], [0.0]), T=F)
    return graph


def _tf_head(lstm, graph, hidden):
    graph.floats("dense", [lstm.units, lstm.classes], _flat(lstm.dense))
    graph.floats("dense_bias", [lstm.classes], lstm.dense_bias)
    graph("logits", "BiasAdd", graph("product", "MatMul", hidden, "dense", T=F), "dense_bias", T=F)
    graph("prob", "Softmax", "logits", T=F)
    return graph


def _tf_cell(graph, scope, x, h, c, kernel="kernel/read", bias="bias/read", controls=()):
    """BasicLSTMCell. The names of the next hidden state and the next cell."""
    def node(name, op, *inputs, **attributes):
        return graph(f"{scope}/{name}", op, *inputs, T=F, **attributes)
    axis = graph(f"{scope}/axis", "Const", *controls, dtype=I, value=tf.Tensor(tf.INT32, [], struct.pack("<i", 1)))
    one = graph(f"{scope}/one", "Const", *controls, dtype=F, value=tf.floats([], [1.0]))
    joined = node("concat", "ConcatV2", x, h, axis, N=2, Tidx=I)
    z = node("BiasAdd", "BiasAdd", node("MatMul", "MatMul", joined, kernel), bias)
    split = node("split", "Split", axis, z, num_split=4)
    forget = node("sigmoid", "Sigmoid", node("add", "Add", split + ":2", one))
    new = node("mul_1", "Mul", node("sigmoid_1", "Sigmoid", split), node("tanh", "Tanh", split + ":1"))
    cell = node("add_1", "Add", node("mul", "Mul", c, forget), new)
    return node("mul_2", "Mul", node("tanh_1", "Tanh", cell), node("sigmoid_2", "Sigmoid", split + ":3")), cell


def tensorflow_static(lstm):
    """static_rnn: the cell once for each step."""
    graph = _tf_model(lstm)
    graph("unstack", "Unpack", "rows", T=F, num=lstm.steps, axis=0)
    h, c = "h_0", "c_0"
    for step in range(lstm.steps):
        h, c = _tf_cell(graph, f"step_{step}", f"unstack:{step}", h, c)
    return _tf_head(lstm, graph, h)


def tensorflow_loop(lstm):
    """dynamic_rnn: frames of a while-loop with two counters, an array that is read and one that is written."""
    graph = _tf_model(lstm)
    graph.ints("zero", [0], scalar=True)
    graph.ints("steps", [lstm.steps], scalar=True)
    row, state = tf.Shape([1, lstm.inputs]), tf.Shape([1, lstm.units])
    graph("written", "TensorArrayV3", "steps", dtype=F, element_shape=state)
    graph("read", "TensorArrayV3", "steps", dtype=F, element_shape=row)
    graph("range", "Range", "zero", "steps", graph.ints("range/one", [1], scalar=True), Tidx=I)
    graph("filled", "TensorArrayScatterV3", "read", "range", "rows", "read:1", T=F)

    def enter(name, value, element, constant=False):
        return graph(f"while/{name}", "Enter", value, T=element, frame_name="while", is_constant=constant, parallel_iterations=32)
    resource = tf.Type(tf.RESOURCE)
    for name, value, element in (("steps", "steps", I), ("kernel", "kernel/read", F), ("bias", "bias/read", F),
                                 ("written", "written", resource), ("read", "read", resource), ("flow", "filled", F)):
        enter(name, value, element, constant=True)
    carried = {"counter": ("zero", I), "time": ("zero", I), "array": ("written:1", F), "c": ("c_0", F), "h": ("h_0", F)}
    for name, (initial, element) in carried.items():
        enter(name, initial, element)
        graph(f"while/{name}/merge", "Merge", f"while/{name}", f"while/{name}/next", T=element, N=2)
    conditions = [graph(f"while/{name}/less", "Less", f"while/{name}/merge", "while/steps", T=I) for name in ("counter", "time")]
    graph("while/go", "LoopCond", graph("while/and", "LogicalAnd", *conditions))
    for name, (_, element) in carried.items():
        graph(f"while/{name}/switch", "Switch", f"while/{name}/merge", "while/go", T=element)
        graph(f"while/{name}/body", "Identity", f"while/{name}/switch:1", T=element)
    controls = ("^while/counter/body",)
    one = graph("while/one", "Const", *controls, dtype=I, value=tf.Tensor(tf.INT32, [], struct.pack("<i", 1)))
    x = graph("while/x", "TensorArrayReadV3", "while/read", "while/time/body", "while/flow", dtype=F)
    h, c = _tf_cell(graph, "while/cell", x, "while/h/body", "while/c/body", "while/kernel", "while/bias", controls)
    array = graph("while/write", "TensorArrayWriteV3", "while/written", "while/time/body", h, "while/array/body", T=F)
    counts = [graph(f"while/{name}/add", "Add", f"while/{name}/body", one, T=I) for name in ("counter", "time")]
    for (name, (_, element)), value in zip(carried.items(), (*counts, array, c, h)):
        graph(f"while/{name}/next", "NextIteration", value, T=element)
    graph("while/h/exit", "Exit", "while/h/switch", T=F)
    return _tf_head(lstm, graph, "while/h/exit")


# TensorFlow Lite


def tflite_layer(lstm):
    """UNIDIRECTIONAL_SEQUENCE_LSTM, a matrix for each gate, whose states are variables; the last of all hidden states counts."""
    net = tflite.Net()
    data = net.input("data", [1, lstm.steps, lstm.inputs])

    def gate_of(rows, gate):
        return [row[gate * lstm.units:(gate + 1) * lstm.units] for row in rows]
    operands = [data]
    for name, rows in (("w", lstm.weights), ("r", lstm.recurrence)):
        operands += [net.tensor(f"{name}_{gate}", [lstm.units, len(rows)], values=_flat(_transposed(gate_of(rows, gate))))
                     for gate in range(4)]
    operands += [-1] * 3
    operands += [net.tensor(f"b_{gate}", [lstm.units], values=gate_of([lstm.bias], gate)[0]) for gate in range(4)]
    operands += [-1] * 2
    operands += [net.tensor(name, [1, lstm.units], more={5: ("?", True)}) for name in ("h", "c")]
    states = net.tensor("all", [1, lstm.steps, lstm.units])
    net.op(44, operands + [-1] * 4, [states], 71, {0: ("b", 4)})
    last = net.tensor("last", [1, lstm.units])
    begin, end, one = (net.tensor(name, [3], tflite.INT32, values) for name, values in
                       (("begin", [0, lstm.steps - 1, 0]), ("end", [1, lstm.steps, lstm.units]), ("one", [1, 1, 1])))
    net.op(45, [states, begin, end, one], [last], 32, {5: ("i", 0), 4: ("i", 2)})
    logits, prob = net.tensor("logits", [1, lstm.classes]), net.output("prob", [1, lstm.classes])
    dense = net.tensor("dense", [lstm.classes, lstm.units], values=_flat(_transposed(lstm.dense)))
    net.op(9, [last, dense, net.tensor("dense_bias", [lstm.classes], values=lstm.dense_bias)], [logits], 8, {})
    net.op(25, [logits], [prob], 9, {0: ("f", 1.0)})
    return net


SPELLINGS = {"onnx_layer": onnx_layer, "onnx_loop": onnx_loop, "onnx_scan": onnx_scan, "onnx_unrolled": onnx_unrolled,
             "tensorflow_loop": tensorflow_loop, "tensorflow_static": tensorflow_static, "tflite_layer": tflite_layer}


def save(lstm, spelling, folder):
    """Writes the model, and gives its path."""
    model = SPELLINGS[spelling](lstm)
    suffix = {"onnx": "onnx", "tensorflow": "pb", "tflite": "tflite"}[spelling.split("_", maxsplit=1)[0]]
    path = f"{folder}/{spelling}.{suffix}"
    if suffix == "pb":
        with open(path, "wb") as file:
            file.write(model.bytes())
    else:
        model.save(path)
    return path
