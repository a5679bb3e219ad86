#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of TensorFlow's loops: a recurrent layer whose loop pushes values to stacks, from which the gradient's loop pops them.

The graphs have the nodes that tf.gradients writes for tf.while_loop: counters of both loops, stacks and their Enters. A plain
computation in doubles gives the losses and the weights of some steps.
"""
import math
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import tensorflow_writer as tf
from tensorflow_graphs import FLOAT, INT32, body, const, placeholder, variable
from tensorflow_models import OnArm64, OnGpu, TrainedModelTest

WIDTH, RATE, STEPS = 3, 0.125, 3


def node(name, op, inputs=(), **attributes):
    return tf.node(name, op, list(inputs), **attributes)


class LoopFrame:
    """A loop by Enter, Merge, Switch, NextIteration and Exit."""

    def __init__(self, name):
        self.name, self.nodes = name, []

    def enter(self, value, name, is_constant=False):
        self.nodes.append(node(name, "Enter", [value], T=FLOAT, frame_name=self.name, is_constant=is_constant))
        return name

    def carry(self, prefix, initial):
        """The value before the condition, in the body, and after the loop. `go_on` closes the circle."""
        self.enter(initial, f"{prefix}/Enter")
        self.nodes += [node(f"{prefix}/Merge", "Merge", [f"{prefix}/Enter", f"{prefix}/NextIteration"], T=FLOAT, N=2),
                       node(f"{prefix}/Switch", "Switch", [f"{prefix}/Merge", f"{self.name}/LoopCond"], T=FLOAT),
                       node(f"{prefix}/Exit", "Exit", [f"{prefix}/Switch"], T=FLOAT)]
        return f"{prefix}/Merge", f"{prefix}/Switch:1", f"{prefix}/Exit"

    def go_on(self, prefix, value, condition=None):
        self.nodes.append(node(f"{prefix}/NextIteration", "NextIteration", [value], T=FLOAT))
        if condition:
            self.nodes.append(node(f"{self.name}/LoopCond", "LoopCond", [condition]))


def integer(name, value):
    return const(name, tf.integers([], [value]))


class Stack:
    """A stack as tf.gradients makes it: the forward loop pushes `value`, the gradient's loop pops it."""

    def __init__(self, name, kind=FLOAT):
        self.name, self.kind = name, kind
        self.nodes = [integer(f"{name}/max", -1), node(name, "StackV2", [f"{name}/max"], elem_type=kind, stack_name="")]

    def push(self, frame, value):
        frame.enter(self.name, f"{self.name}/forward", is_constant=True)
        frame.nodes.append(node(f"{self.name}/push", "StackPushV2", [f"{self.name}/forward", value], T=self.kind, swap_memory=False))
        return f"^{self.name}/push"

    def pop(self, frame, *waits):
        frame.enter(self.name, f"{self.name}/backward", is_constant=True)
        frame.nodes.append(node(f"{self.name}/pop", "StackPopV2", [f"{self.name}/backward", *waits], elem_type=self.kind))
        return f"{self.name}/pop"


def recurrent_graph(times, weights, limit=None, pops=None):
    """h = tanh(h W + x[t]) for all t; the loss is the sum of (h - label)^2. `limit` says what decides how many t there are: nothing, an
    `input`, or an input that is `bounded` by what there is, as in dynamic_rnn. `pops` is the limit of the gradient's loop."""
    nodes = [placeholder("x", [times, WIDTH]), placeholder("label", [1, WIDTH]), *variable("w", [WIDTH, WIDTH], weights),
             const("h0", tf.floats([1, WIDTH], [0] * WIDTH)), const("rate", tf.floats([], [RATE])), const("axes", tf.integers([2], [0, 1])),
             integer("zero", 0), integer("axis", 0), const("row", tf.integers([2], [1, WIDTH]))]
    if limit == "bounded":
        nodes += [placeholder("steps", [], INT32), integer("times", times), integer("one", 1), node("least", "Maximum", ["one", "steps"], T=INT32),
                  node("limit", "Minimum", ["times", "least"], T=INT32)]
    else:
        nodes += [integer("limit", times)] if limit is None else [placeholder("limit", [], INT32)]
    forward, backward = LoopFrame("while"), LoopFrame("gradients/while")
    saved_h, saved_y = Stack("gradients/saved_h"), Stack("gradients/saved_y")
    # Forward.
    i, i_inside, _ = forward.carry("while/i", "zero")
    count, count_inside, last = forward.carry("while/count", "zero")
    _, h, final = forward.carry("while/h", "h0")
    forward.enter("limit", "while/limit", is_constant=True)
    forward.enter("w/read", "while/w", is_constant=True)
    forward.enter("x", "while/x", is_constant=True)
    forward.nodes += [node("while/Less", "Less", [i, "while/limit"], T=INT32), node("while/one", "Const", [f"^{i}"], dtype=tf.Type(tf.INT32), value=tf.integers([], [1])),
                      body("while/step", "GatherV2", ["while/x", i_inside, "axis"], Tparams=FLOAT, Tindices=INT32, Taxis=INT32),
                      body("while/x_t", "Reshape", ["while/step", "row"], Tshape=INT32), body("while/product", "MatMul", [h, "while/w"]),
                      body("while/sum", "Add", ["while/product", "while/x_t"]), body("while/tanh", "Tanh", ["while/sum"]),
                      node("while/i/add", "Add", [i_inside, "while/one"], T=INT32)]
    waits = [saved_h.push(forward, h), saved_y.push(forward, "while/tanh")]
    forward.nodes.append(node("while/count/add", "Add", [count_inside, "while/one", *waits], T=INT32))
    forward.go_on("while/i", "while/i/add", "while/Less")
    forward.go_on("while/count", "while/count/add")
    forward.go_on("while/h", "while/tanh")
    # The loss and its gradient.
    outside = [body("difference", "Sub", [final, "label"]), body("squares", "Mul", ["difference", "difference"]), body("loss", "Sum", ["squares", "axes"], Tidx=INT32),
               const("two", tf.floats([], [2])), body("gradients/dh", "Mul", ["difference", "two"]),
               const("gradients/zeros", tf.floats([WIDTH, WIDTH], [0] * WIDTH * WIDTH)), integer("gradients/one", 1)]
    if pops is not None:
        outside.append(integer("gradients/pops", pops))
    # Backward, as often as the forward loop.
    left, left_inside, _ = backward.carry("gradients/left", last if pops is None else "gradients/pops")
    _, dh, _ = backward.carry("gradients/dh_carried", "gradients/dh")
    _, dw, dw_final = backward.carry("gradients/dw", "gradients/zeros")
    backward.enter("gradients/one", "gradients/while/one", is_constant=True)
    backward.enter("w/read", "gradients/while/w", is_constant=True)
    h_before, y = saved_h.pop(backward, "^gradients/left/sub"), saved_y.pop(backward, "^gradients/left/sub")
    backward.nodes += [node("gradients/while/GreaterEqual", "GreaterEqual", [left, "gradients/while/one"], T=INT32),
                       node("gradients/left/sub", "Sub", [left_inside, "gradients/while/one"], T=INT32),
                       body("gradients/TanhGrad", "TanhGrad", [y, dh]), body("gradients/MatMul", "MatMul", ["gradients/TanhGrad", "gradients/while/w"], transpose_b=True),
                       body("gradients/MatMul_1", "MatMul", [h_before, "gradients/TanhGrad"], transpose_a=True),
                       body("gradients/dw/add", "Add", [dw, "gradients/MatMul_1"])]
    backward.go_on("gradients/left", "gradients/left/sub", "gradients/while/GreaterEqual")
    backward.go_on("gradients/dh_carried", "gradients/MatMul")
    backward.go_on("gradients/dw", "gradients/dw/add")
    close = node("gradients/saved_h/close", "StackCloseV2", ["gradients/saved_h", f"^{dw_final}"])
    update = node("update", "ApplyGradientDescent", ["w", "rate", dw_final, "^loss"], T=FLOAT)
    return [*nodes, *saved_h.nodes, *saved_y.nodes, *forward.nodes, *outside, *backward.nodes, close, update]


def array(name, kind, times):
    return [integer(f"{name}/size", times),
            node(name, "TensorArrayV3", [f"{name}/size"], dtype=kind, element_shape=tf.Shape([1, WIDTH]), dynamic_size=False, tensor_array_name="")]


def gradient_of(name, prefix, flow, handle=None):
    """What TensorArray.grad() writes: the gradient's handle, and a flow that waits for it."""
    return [node(f"{prefix}/grad", "TensorArrayGradV3", [handle or name, flow], source="gradients"),
            node(f"{prefix}/gradient_flow", "Identity", [flow, f"^{prefix}/grad"], T=FLOAT)], f"{prefix}/grad", f"{prefix}/gradient_flow"


def arrays_graph(times, scale):
    """As tf.nn.dynamic_rnn reads inputs and writes outputs: h = tanh(h + v x[t]), v trained; the loss compares all h with the label."""
    rows = [times, 1, WIDTH]
    nodes = [placeholder("x", rows), placeholder("label", rows), *variable("v", [WIDTH], scale), const("h0", tf.floats([1, WIDTH], [0] * WIDTH)),
             const("rate", tf.floats([], [RATE / 8])), const("axes", tf.integers([3], [0, 1, 2])), const("first_axes", tf.integers([2], [0, 1])), integer("zero", 0),
             integer("limit", times), const("all", tf.integers([times], list(range(times)))), const("two", tf.floats([], [2])),
             *array("inputs", FLOAT, times), *array("outputs", FLOAT, times), body("scaled", "Mul", ["x", "v/read"]),
             node("unstack", "TensorArrayScatterV3", ["inputs", "all", "scaled", "inputs:1"], T=FLOAT)]
    forward, backward = LoopFrame("while"), LoopFrame("gradients/while")
    saved_y, saved_i, saved_j = Stack("gradients/saved_y"), Stack("gradients/saved_i", INT32), Stack("gradients/saved_j", INT32)
    i, i_inside, _ = forward.carry("while/i", "zero")
    _, count_inside, last = forward.carry("while/count", "zero")
    _, h, _ = forward.carry("while/h", "h0")
    _, flow, flow_last = forward.carry("while/flow", "outputs:1")
    for value, name in (("limit", "limit"), ("inputs", "inputs"), ("unstack", "inputs_flow"), ("outputs", "outputs")):
        forward.enter(value, f"while/{name}", is_constant=True)
    forward.nodes += [node("while/Less", "Less", [i, "while/limit"], T=INT32), node("while/one", "Const", [f"^{i}"], dtype=tf.Type(tf.INT32), value=tf.integers([], [1])),
                      node("while/read", "TensorArrayReadV3", ["while/inputs", i_inside, "while/inputs_flow"], dtype=FLOAT),
                      body("while/sum", "Add", [h, "while/read"]), body("while/tanh", "Tanh", ["while/sum"]),
                      node("while/write", "TensorArrayWriteV3", ["while/outputs", i_inside, "while/tanh", flow], T=FLOAT),
                      node("while/i/add", "Add", [i_inside, "while/one"], T=INT32)]
    waits = [saved_y.push(forward, "while/tanh"), saved_i.push(forward, i_inside), saved_j.push(forward, i_inside)]
    forward.nodes.append(node("while/count/add", "Add", [count_inside, "while/one", *waits], T=INT32))
    forward.go_on("while/i", "while/i/add", "while/Less")
    forward.go_on("while/count", "while/count/add")
    forward.go_on("while/h", "while/tanh")
    forward.go_on("while/flow", "while/write")
    outside = [node("stack", "TensorArrayGatherV3", ["outputs", "all", flow_last], dtype=FLOAT, element_shape=tf.Shape([1, WIDTH])),
               body("difference", "Sub", ["stack", "label"]), body("squares", "Mul", ["difference", "difference"]), body("loss", "Sum", ["squares", "axes"], Tidx=INT32),
               body("gradients/dy", "Mul", ["difference", "two"]), const("gradients/zeros", tf.floats([1, WIDTH], [0] * WIDTH)),
               const("gradients/b_acc", tf.floats([], [0])), integer("gradients/one", 1)]
    # The gradient of the gather is a scatter to the gradient of the outputs.
    more, handle, gradient_flow = gradient_of("outputs", "gradients/gather", flow_last)
    outside += [*more, node("gradients/scatter", "TensorArrayScatterV3", [handle, "all", "gradients/dy", gradient_flow], T=FLOAT)]
    left, left_inside, _ = backward.carry("gradients/left", last)
    _, dh, _ = backward.carry("gradients/dh", "gradients/zeros")
    _, dflow, _ = backward.carry("gradients/dflow", "gradients/scatter")
    _, acc, acc_last = backward.carry("gradients/b_acc_1", "gradients/b_acc")
    for value, name in (("gradients/one", "one"), ("inputs", "inputs"), ("unstack", "inputs_flow"), ("outputs", "outputs")):
        backward.enter(value, f"gradients/while/{name}", is_constant=True)
    y, index, other_index = (stack.pop(backward, "^gradients/left/sub") for stack in (saved_y, saved_i, saved_j))
    # That of the write in the loop is a read, and that of the read is a write.
    more, read_handle, read_flow = gradient_of("outputs", "gradients/write", dflow, "gradients/while/outputs")
    written, write_handle, write_flow = gradient_of("inputs", "gradients/read", "gradients/while/inputs_flow", "gradients/while/inputs")
    backward.nodes += [*more, *written, node("gradients/while/GreaterEqual", "GreaterEqual", [left, "gradients/while/one"], T=INT32),
                       node("gradients/left/sub", "Sub", [left_inside, "gradients/while/one"], T=INT32),
                       node("gradients/dy_t", "TensorArrayReadV3", [read_handle, index, read_flow], dtype=FLOAT),
                       body("gradients/AddN", "Add", [dh, "gradients/dy_t"]), body("gradients/TanhGrad", "TanhGrad", [y, "gradients/AddN"]),
                       node("gradients/dx_t", "TensorArrayWriteV3", [write_handle, other_index, "gradients/TanhGrad", write_flow], T=FLOAT),
                       body("gradients/b_acc_add", "Add", [acc, "gradients/dx_t"])]
    backward.go_on("gradients/left", "gradients/left/sub", "gradients/while/GreaterEqual")
    backward.go_on("gradients/dh", "gradients/TanhGrad")
    backward.go_on("gradients/dflow", read_flow)
    backward.go_on("gradients/b_acc_1", "gradients/b_acc_add")
    more, gather_handle, gather_flow = gradient_of("inputs", "gradients/unstack", acc_last)
    gather = [*more, node("gradients/dx", "TensorArrayGatherV3", [gather_handle, "all", gather_flow], dtype=FLOAT, element_shape=tf.Shape([1, WIDTH])),
              body("gradients/products", "Mul", ["gradients/dx", "x"]), body("gradients/dv", "Sum", ["gradients/products", "first_axes"], Tidx=INT32)]
    update = node("update", "ApplyGradientDescent", ["v", "rate", "gradients/dv", "^loss"], T=FLOAT)
    return [*nodes, *saved_y.nodes, *saved_i.nodes, *saved_j.nodes, *forward.nodes, *outside, *backward.nodes, *gather, update]


def arrays_step(v, x, label):
    """The loss, and v after a step."""
    h, states = [0.0] * WIDTH, []
    for row in x:
        h = [math.tanh(a + b * c) for a, b, c in zip(h, row, v)]
        states.append(h)
    loss = sum((a - b) ** 2 for y, row in zip(states, label) for a, b in zip(y, row))
    dh, dv = [0.0] * WIDTH, [0.0] * WIDTH
    for y, row, wanted in reversed(list(zip(states, x, label))):
        dh = [(g + 2 * (a - b)) * (1 - a * a) for g, a, b in zip(dh, y, wanted)]
        dv = [d + g * a for d, g, a in zip(dv, dh, row)]
    return loss, [a - RATE / 8 * d for a, d in zip(v, dv)]


def step(w, x, label):
    """The loss, and the weights after a step."""
    h, states = [0.0] * WIDTH, []
    for row in x:
        following = [math.tanh(sum(h[k] * w[k][j] for k in range(WIDTH)) + row[j]) for j in range(WIDTH)]
        states.append((h, following))
        h = following
    loss = sum((a - b) ** 2 for a, b in zip(h, label))
    dh, dw = [2 * (a - b) for a, b in zip(h, label)], [[0.0] * WIDTH for _ in range(WIDTH)]
    for before, after in reversed(states):
        da = [g * (1 - y * y) for g, y in zip(dh, after)]
        dw = [[dw[k][j] + before[k] * da[j] for j in range(WIDTH)] for k in range(WIDTH)]
        dh = [sum(da[j] * w[k][j] for j in range(WIDTH)) for k in range(WIDTH)]
    return loss, [[w[k][j] - RATE * dw[k][j] for j in range(WIDTH)] for k in range(WIDTH)]


def initial_weights():
    draw = random.Random(7)
    return [draw.uniform(-0.7, 0.7) for _ in range(WIDTH * WIDTH)]


class LoopGradientsTest(TrainedModelTest):
    def check(self, times, steps=None):
        graph = recurrent_graph(times, initial_weights(), limit="bounded" if steps else None)
        library, state = self.build(self.save(graph), "--train", "--quiet"), self.path("state.safetensors")
        w = [initial_weights()[k * WIDTH:(k + 1) * WIDTH] for k in range(WIDTH)]
        for number in range(STEPS):
            draw = random.Random(number)
            x = [[draw.uniform(-1, 1) for _ in range(WIDTH)] for _ in range(times)]
            label = [draw.uniform(-1, 1) for _ in range(WIDTH)]
            length = steps[number] if steps else times
            loss, w = step(w, x[:length], label)
            inputs = {"x": ([times, WIDTH], sum(x, [])), "label": ([1, WIDTH], label)} | ({"steps": ([], [length], "i")} if steps else {})
            outputs = self.run_entry(library, inputs, "--entry=train", "--save=" + state, *(["--resume=" + state] if number else []))
            self.close(outputs["loss"], [loss], f"loss of step {number}")
        loss, _ = step(w, x[:length], label)
        evaluated = self.run_entry(library, inputs, "--entry=evaluate", "--resume=" + state)
        self.close(evaluated["loss"], [loss], "the loss after all steps")

    def test_a_few_time_steps(self):
        self.check(5)

    def test_more_time_steps_than_are_unrolled(self):
        self.check(150)

    def test_one_time_step(self):
        self.check(1)

    def test_iterations_that_a_run_decides(self):
        self.check(5, steps=[3, 5, 1])

    def check_arrays(self, times):
        v = [0.5, -0.75, 1.0]
        library, state = self.build(self.save(arrays_graph(times, v)), "--train", "--quiet"), self.path("state.safetensors")
        for number in range(STEPS):
            draw = random.Random(number)
            x, label = ([[draw.uniform(-1, 1) for _ in range(WIDTH)] for _ in range(times)] for _ in range(2))
            loss, v = arrays_step(v, x, label)
            inputs = {"x": ([times, 1, WIDTH], sum(x, [])), "label": ([times, 1, WIDTH], sum(label, []))}
            outputs = self.run_entry(library, inputs, "--entry=train", "--save=" + state, *(["--resume=" + state] if number else []))
            self.close(outputs["loss"], [loss], f"loss of step {number}")
        evaluated = self.run_entry(library, inputs, "--entry=evaluate", "--resume=" + state)
        self.close(evaluated["loss"], [arrays_step(v, x, label)[0]], "the loss after all steps")

    def test_arrays_of_a_few_time_steps(self):
        self.check_arrays(4)

    def test_arrays_of_many_time_steps(self):
        self.check_arrays(140)


class LoopGradientsOnArm64(OnArm64, LoopGradientsTest):
    pass


class LoopGradientsOnGpu(OnGpu, LoopGradientsTest):
    pass


class RefusedLoopsTest(TrainedModelTest):
    def refused(self, nodes, text, *options):
        self.assertIn(text, self.build(self.save(nodes), "--train", *options, status=1))

    def test_a_stack_that_is_popped_too_often_is_refused(self):
        self.refused(recurrent_graph(4, initial_weights(), pops=5), "'gradients/saved_h/pop' takes a value of a stack in each of 5 iterations, but only 4 were pushed; "
                     "let the loop and its gradient have the same number of iterations")

    def test_a_number_of_iterations_without_a_limit_is_refused(self):
        nodes = recurrent_graph(4, initial_weights(), limit="input")
        self.refused(nodes, "the number of iterations must have a limit that is known at compile time, because 'gradients/saved_h/push' pushes a value to a stack "
                     "in each; fix the input that decides it with --set, or export the loop with maximum_iterations")
        self.build(self.save(nodes), "--train", "--set=limit=4")

    def test_stacks_that_are_used_twice_are_refused(self):
        for op, verb in (("push", "push to"), ("pop", "pop from")):
            nodes = recurrent_graph(4, initial_weights())
            enter, attributes = ("forward", {"T": FLOAT}) if op == "push" else ("backward", {"elem_type": FLOAT})
            operands = [f"gradients/saved_h/{enter}"] + (["while/tanh"] if op == "push" else [])
            nodes.append(node(f"again_{op}", f"Stack{op.title()}V2", operands, **attributes))
            self.refused(nodes, f"'gradients/saved_h/{op}' and 'again_{op}' must not {verb} the same stack 'gradients/saved_h'")

    def test_a_stack_outside_of_loops_is_refused(self):
        nodes = recurrent_graph(4, initial_weights()) + Stack("alone").nodes
        nodes.append(node("alone/push", "StackPushV2", ["alone", "h0"], T=FLOAT))
        self.refused(nodes, '"alone/push": error: must be in a loop, because stacks are supported only for gradients of loops')

    def test_an_array_that_is_read_twice_is_refused(self):
        nodes = arrays_graph(4, [1, 1, 1])
        nodes.append(node("again", "TensorArrayWriteV3", ["gradients/read/grad", "zero", "h0", "gradients/read/gradient_flow"], T=FLOAT))
        self.refused(nodes, "'gradients/dx_t' and 'again' must not both write to the gradient of the array 'inputs'; read each element of the array once")

    def test_old_gradients_of_arrays_are_refused(self):
        nodes = arrays_graph(4, [1, 1, 1]) + [node("old", "TensorArrayGradV2", ["inputs", "unstack"], source="gradients")]
        self.refused(nodes, "\"old\": error: must be a TensorArrayGradV3, but is a TensorArrayGradV2, which is not supported")

    def test_all_that_is_refused_is_listed_at_once(self):
        nodes = arrays_graph(4, [1, 1, 1]) + [node("old", "TensorArrayGradV2", ["inputs", "unstack"], source="gradients"), *Stack("left").nodes, *Stack("right").nodes]
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), self.save(nodes), "--check", "--train", status=1)
        for text in ('"old": error: must be a TensorArrayGradV3', '"left": error: must have a StackPushV2, but has none', '"right": error: must have a StackPushV2'):
            self.assertIn(text, said)

    def test_inference_needs_no_stack(self):
        nodes = recurrent_graph(4, initial_weights()) + Stack("alone").nodes
        nodes.append(node("alone/push", "StackPushV2", ["alone", "h0"], T=FLOAT))
        self.build(self.save(nodes), "--output=while/h/Exit", "--quiet")
        self.assertIn("belongs to the gradient of a loop; name the inference outputs with --output, or pass --train to compile the training step",
                      self.build(self.save(nodes), "--output=gradients/dw/Exit", status=1))


if __name__ == "__main__":
    unittest.main()
