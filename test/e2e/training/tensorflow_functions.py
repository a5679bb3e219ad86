# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of functions, with loops and their gradients as tf.GradientTape writes them in a tf.function, without TensorFlow.

A loop pushes what its gradient needs to lists, one for each value, and returns these. Its gradient is a loop, too, whose body is the
gradient of the first one's body and takes the values from the lists. Both functions get more arguments as more values are needed.
"""
import tensorflow_writer as tf

FLOAT, INT32, BOOL, VARIANT, RESOURCE = tf.FLOAT, tf.INT32, tf.BOOL, tf.VARIANT, tf.RESOURCE
# What operators call their results, where this is not `output`, of which there may be several.
NAMES = {"AddV2": ["z"], "Sub": ["z"], "Mul": ["z"], "Less": ["z"], "GreaterEqual": ["z"], "LogicalAnd": ["z"], "Minimum": ["z"], "Tanh": ["y"],
         "Sigmoid": ["y"], "TanhGrad": ["z"], "SigmoidGrad": ["z"], "MatMul": ["product"], "AddN": ["sum"], "ZerosLike": ["y"],
         "ReadVariableOp": ["value"], "Cast": ["y"], "EmptyTensorList": ["handle"], "TensorListReserve": ["handle"], "TensorListGetItem": ["item"],
         "TensorListStack": ["tensor"], "TensorListElementShape": ["element_shape"], "TensorListLength": ["length"],
         "TensorListConcatV2": ["tensor", "lengths"], "TensorListFromTensor": ["output_handle"], "TensorListSetItem": ["output_handle"],
         "TensorListPushBack": ["output_handle"], "TensorListPopBack": ["output_handle", "tensor"]}


class Tensor:
    """Result `index` of a node, or an argument, which has a name in place of a node. `row` is the kind, the shape and the row of what a list holds."""

    def __init__(self, graph, node, index, kind, shape=(), row=None):
        self.graph, self.node, self.index, self.kind, self.shape, self.row = graph, node, index, kind, tuple(shape), row

    def reference(self):
        if isinstance(self.node, str):
            return self.node
        if not self.graph.outer:
            return f"{self.node.name}:{self.index}" if self.index else self.node.name
        names = NAMES.get(self.node.op)
        return f"{self.node.name}:{names[self.index]}:0" if names else f"{self.node.name}:output:{self.index}"

    def as_row(self):
        return self.kind, self.shape, self.row


class Node:
    def __init__(self, graph, name, op, inputs, results, attributes):
        self.name, self.op, self.attributes, self.controls = name, op, attributes, []
        self.inputs = [graph.own(value) for value in inputs]
        self.results = [Tensor(graph, self, index, *result) for index, result in enumerate(results)]


class Graph:
    """A function, or with no `outer` the model's graph. `loop` is the loop of whose body a function is the gradient."""

    def __init__(self, name="", outer=None, loop=None):
        self.name, self.outer, self.loop = name, outer, loop
        self.nodes, self.inputs, self.outputs, self.captures, self.taken = [], [], [], [], []
        self.functions = outer.functions if outer else []
        if outer:
            self.name += f"_{len(self.functions)}"
            self.functions.append(self)

    # Nodes.

    def node(self, op, inputs, *results, name=None, **attributes):
        self.nodes.append(Node(self, name or f"{op}_{len(self.nodes)}", op, inputs, results, attributes))
        return self.nodes[-1]

    def add(self, op, inputs, kind, shape=(), row=None, **attributes):
        return self.node(op, inputs, (kind, shape, row), **attributes).results[0]

    def like(self, op, *inputs, shape=None, **attributes):
        """An operator whose result has the kind of the first operand."""
        first = inputs[0]
        return self.add(op, inputs, first.kind, first.shape if shape is None else shape, first.row, T=tf.Type(first.kind), **attributes)

    def argument(self, kind, shape=(), row=None):
        self.inputs.append(Tensor(self, f"arg_{len(self.inputs)}", 0, kind, shape, row))
        return self.inputs[-1]

    def constant(self, tensor, **attributes):
        return self.add("Const", [], tensor.element_type, tensor.shape, dtype=tf.Type(tensor.element_type), value=tensor, **attributes)

    def integer(self, value):
        return self.constant(tf.integers([], [value]))

    def integers(self, values):
        return self.constant(tf.integers([len(values)], values))

    def zeros(self, shape):
        count = 1
        for size in shape:
            count *= size
        return self.constant(tf.floats(shape, [0] * count))

    def compare(self, op, a, b):
        return self.add(op, [a, b], BOOL, T=tf.Type(a.kind))

    def product(self, a, b, transpose_a=False, transpose_b=False):
        shape = a.shape[1 if transpose_a else 0], b.shape[0 if transpose_b else 1]
        return self.like("MatMul", a, b, shape=shape, transpose_a=transpose_a, transpose_b=transpose_b)

    def sum(self, value):
        return self.like("Sum", value, self.integers(range(len(value.shape))), shape=(), Tidx=tf.Type(INT32), keep_dims=False)

    def split(self, value, count):
        """Parts along axis 1."""
        part = value.shape[0], value.shape[1] // count
        return self.node("Split", [self.integer(1), value], *[(FLOAT, part)] * count, T=tf.Type(FLOAT), num_split=count).results

    def choose(self, condition, a, b):
        return self.add("SelectV2", [condition, a, b], a.kind, a.shape, T=tf.Type(a.kind))

    def read(self, handle):
        return self.add("ReadVariableOp", [handle], FLOAT, handle.shape, dtype=tf.Type(FLOAT))

    # Lists.

    def row_shape(self, row):
        return self.integer(-1) if row[0] == VARIANT else self.integers(row[1])

    def list(self, op, inputs, row, **attributes):
        return self.add(op, inputs, VARIANT, (), row, element_dtype=tf.Type(row[0]), **attributes)

    def reserve(self, count, row):
        return self.list("TensorListReserve", [self.row_shape(row), count], row)

    def empty_list(self, row, most=None):
        return self.list("EmptyTensorList", [self.row_shape(row), most or self.integer(-1)], row)

    def unstack(self, value):
        row = value.kind, value.shape[1:], None
        return self.list("TensorListFromTensor", [value, self.row_shape(row)], row)

    def stack(self, values, count):
        kind, shape, _ = values.row
        return self.add("TensorListStack", [values, self.row_shape(values.row)], kind, (count, *shape), element_dtype=tf.Type(kind), num_elements=count)

    def get(self, values, index):
        return self.add("TensorListGetItem", [values, index, self.row_shape(values.row)], *values.row, element_dtype=tf.Type(values.row[0]))

    def set(self, values, index, item):
        return self.list("TensorListSetItem", [values, index, item], values.row)

    def push(self, values, item):
        return self.list("TensorListPushBack", [values, item], values.row)

    def pop(self, values):
        return self.node("TensorListPopBack", [values, self.row_shape(values.row)], (VARIANT, (), values.row), values.row, element_dtype=tf.Type(values.row[0])).results

    # What is read from outside.

    def own(self, value):
        """The value as this function has it."""
        if value.graph is self:
            return value
        for outside, inside in [*self.captures, *self.taken]:
            if outside is value:
                return inside
        if self.loop and value.graph is self.loop.body:
            self.taken.append((value, self.take(value)))
            return self.taken[-1][1]
        return self.capture(value)

    def capture(self, value):
        inside = self.argument(value.kind, value.shape, value.row)
        self.outputs.append(inside)
        self.captures.append((value, inside))
        return inside

    def take(self, value):
        """A value of an iteration of the loop whose gradient this is: the loop itself reads what does not change, and pushes the rest."""
        body, node = self.loop.body, self.loop.node
        while not isinstance(value.node, str) and value.node.op == "Identity":
            value = value.node.inputs[0]
        if not isinstance(value.node, str) and value.node.op == "Const":
            return self.constant(value.node.attributes["value"])
        if value in body.inputs and body.outputs[body.inputs.index(value)] is value:
            return self.own(node.results[body.inputs.index(value)])
        filled = self.own(self.loop.pushed(value))
        rest, taken = self.pop(filled)
        self.outputs[[inside for _, inside in self.captures].index(filled)] = rest
        return taken

    # Bytes.

    def encode_nodes(self):
        return [tf.node(node.name, node.op, [value.reference() for value in node.inputs] + ["^" + other.name for other in node.controls], **node.attributes)
                for node in self.nodes]

    def encode(self):
        results = [(f"out_{index}", value.kind, value.reference()) for index, value in enumerate(self.outputs)]
        return tf.function(self.name, [(value.node, value.kind) for value in self.inputs], results, self.encode_nodes())


class Loop:
    """tf.while_loop: counter and limit are carried before `initial`, and what the functions capture behind."""

    def __init__(self, graph, name, condition, body, initial, most=None):
        self.graph = graph
        counter, limit = graph.integer(0), graph.integer(-1 if most is None else most)
        self.start([counter, limit, *initial], name)
        ask, go = self.condition, self.body
        asked = condition(ask, *ask.inputs[2:2 + len(initial)])
        ask.outputs = [asked if most is None else ask.add("LogicalAnd", [ask.compare("Less", *ask.inputs[:2]), asked], BOOL)]
        for outside, _ in ask.captures:
            go.own(outside)
        given = [go.own(value) for value in body(go, *go.inputs[2:2 + len(initial)])]
        go.outputs[:0] = [go.like("AddV2", go.inputs[0], go.integer(1)), go.inputs[1], *given]
        self.most = limit
        self.finish(name)

    def start(self, initial, name):
        self.initial = initial
        self.condition, self.body = Graph(name + "_cond", self.graph), Graph(name + "_body", self.graph)
        for value in initial:
            self.condition.argument(*value.as_row())
            self.body.argument(*value.as_row())

    def finish(self, name):
        inputs = self.initial + [outside for outside, _ in self.body.captures]
        for _, inside in self.body.captures[len(self.condition.captures):]:
            self.condition.argument(*inside.as_row())
        functions = {"cond": tf.Function(self.condition.name), "body": tf.Function(self.body.name)}
        self.node = self.graph.node("StatelessWhile", inputs, *(value.as_row() for value in inputs), name=name, parallel_iterations=10, **functions)
        self.node.attributes["T"] = [tf.Type(value.kind) for value in inputs]
        self.node.loop = self
        self.pushes = []

    def result(self, place):
        """The final value of initial value `place`."""
        return self.graph.like("Identity", self.node.results[place + 2])

    def pushed(self, value):
        """The list of the values of all iterations, which the loop returns."""
        for known, place in self.pushes:
            if known is value:
                return self.node.results[place]
        place, row = len(self.node.inputs), value.as_row()
        empty = self.graph.empty_list(row, self.most)
        self.node.inputs.append(self.graph.own(empty))
        self.condition.argument(*empty.as_row())
        self.body.outputs.append(self.body.push(self.body.argument(*empty.as_row()), value))
        self.node.results.append(Tensor(self.graph, self.node, place, *empty.as_row()))
        self.node.attributes["T"].append(tf.Type(VARIANT))
        self.pushes.append((value, place))
        return self.node.results[place]


def gradients(graph, given, wanted):
    """The gradients of `wanted`, all of one graph, where `given` has pairs of a value and its gradient. They are computed in `graph`."""
    sums = {}

    def add(value, gradient):
        if gradient is not None and (value.kind in (FLOAT, RESOURCE) or value.row and innermost(value.row) == FLOAT):
            sums.setdefault(value, []).append(gradient)

    def total(value):
        parts = sums.get(value, [])
        if len(parts) > 1:
            sums[value] = [graph.like("AddN", *parts, N=len(parts))]
        return sums[value][0] if parts else None

    for value, gradient in given:
        add(value, gradient)
    source = given[0][0].graph
    for node in reversed(list(source.nodes)):
        results = [total(value) for value in node.results]
        if any(gradient is not None for gradient in results) and node.op != "Const":
            for value, gradient in zip(node.inputs, RULES[node.op](graph, node, results)):
                add(value, gradient)
    return [total(value) if total(value) is not None else zeros_like(graph, value) for value in wanted]


def innermost(row):
    return innermost(row[2]) if row[0] == VARIANT else row[0]


def zeros_like(graph, value):
    return graph.like("ZerosLike", value) if value.kind == VARIANT else graph.zeros(value.shape)


def loop_gradient(graph, node, results):
    """A loop whose body is the gradient of the body; it captures the lists that the loop fills, or what the loop does not change."""
    loop = node.loop
    body, numbers = loop.body, range(len(node.results))
    active = [n for n in numbers if n > 1 and (body.inputs[n].kind in (FLOAT, RESOURCE) or body.inputs[n].row and innermost(body.inputs[n].row) == FLOAT)]
    initial = [results[n] if results[n] is not None else zeros_like(graph, node.results[n]) for n in active]
    initial = [graph.integer(0), loop.most, node.results[0], *initial]
    back = Loop.__new__(Loop)
    back.graph = graph
    gradient = Graph(body.name + "_grad", graph, loop)
    condition = Graph(loop.condition.name + "_grad", graph)
    initial = [graph.own(value) for value in initial]
    for value in initial:
        gradient.argument(*value.as_row())
        condition.argument(*value.as_row())
    back.initial, back.condition, back.body, back.most = initial, condition, gradient, initial[1]
    condition.outputs = [condition.compare("Less", condition.inputs[0], condition.inputs[2])]
    ends = [(body.outputs[n], inside) for n, inside in zip(active, gradient.inputs[3:])]
    found = gradients(gradient, ends, [body.inputs[n] for n in active])
    gradient.outputs = [gradient.like("AddV2", gradient.inputs[0], gradient.integer(1)), *gradient.inputs[1:3], *found, *gradient.outputs]
    back.finish(f"{node.name}_grad")
    finals = dict(zip(active, back.node.results[3:]))
    return [finals.get(n) for n in numbers]


def item_gradient(graph, node, results):
    values, index, _ = node.inputs
    row = graph.own(values).row
    shape = graph.add("TensorListElementShape", [values], INT32, (len(row[1]),), shape_type=tf.Type(INT32))
    count = graph.add("TensorListLength", [values], INT32)
    return [graph.set(graph.list("TensorListReserve", [shape, count], row), index, results[0]), None, None]


def product_gradient(graph, node, results):
    a, b = node.inputs
    return [graph.product(results[0], graph.own(b), transpose_b=True), graph.product(graph.own(a), results[0], transpose_a=True)]


RULES = {
    "Identity": lambda g, node, d: [d[0]],
    "AddV2": lambda g, node, d: [d[0], d[0]],
    "Sub": lambda g, node, d: [d[0], g.like("Neg", d[0])],
    "Mul": lambda g, node, d: [g.like("Mul", d[0], g.own(node.inputs[1])), g.like("Mul", d[0], g.own(node.inputs[0]))],
    "MatMul": product_gradient,
    "BiasAdd": lambda g, node, d: [d[0], g.like("BiasAddGrad", d[0], shape=node.inputs[1].shape)],
    "Split": lambda g, node, d: [None, g.add("ConcatV2", [*d, g.integer(1)], FLOAT, node.inputs[1].shape, T=tf.Type(FLOAT), N=len(d))],
    "SelectV2": lambda g, node, d: [None, g.choose(node.inputs[0], d[0], g.zeros(d[0].shape)), g.choose(node.inputs[0], g.zeros(d[0].shape), d[0])],
    "Sum": lambda g, node, d: [g.like("BroadcastTo", d[0], g.integers(node.inputs[0].shape), shape=node.inputs[0].shape, Tidx=tf.Type(INT32)), None],
    "Tanh": lambda g, node, d: [g.like("TanhGrad", g.own(node.results[0]), d[0])],
    "Sigmoid": lambda g, node, d: [g.like("SigmoidGrad", g.own(node.results[0]), d[0])],
    "ReadVariableOp": lambda g, node, d: [d[0]],
    "TensorListReserve": lambda g, node, d: [None, None],
    "EmptyTensorList": lambda g, node, d: [None, None],
    "TensorListFromTensor": lambda g, node, d: [g.stack(d[0], node.inputs[0].shape[0]), None],
    "TensorListStack": lambda g, node, d: [g.unstack(d[0]), None],
    "TensorListGetItem": item_gradient,
    "TensorListSetItem": lambda g, node, d: [g.set(d[0], node.inputs[1], g.zeros(node.inputs[2].shape)), None, g.get(d[0], node.inputs[1])],
    "TensorListPushBack": lambda g, node, d: g.pop(d[0]),
    "StatelessWhile": loop_gradient,
}
