#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorFlow's If, Case and While, whose branches and bodies are functions, against the same computed here."""
import math
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import tensorflow_writer as tf
from onnx_writer import write_npy

FLOAT, INT32, BOOL = tf.Type(tf.FLOAT), tf.Type(tf.INT32), tf.Type(tf.BOOL)
RESOURCE, VARIANT = tf.Type(tf.RESOURCE), tf.Type(tf.VARIANT)


def number(name, value):
    return tf.node(name, "Const", dtype=INT32, value=tf.integers([], [value]))


def sizes(name, values):
    return tf.node(name, "Const", dtype=INT32, value=tf.integers([len(values)], values))


def apply(name, op):
    """A function of one tensor and one operator."""
    return tf.function(name, [("a", tf.FLOAT)], [("b", tf.FLOAT, "result:0:0")], [tf.node("result", op, ["a"], T=FLOAT)])


class FunctionalTest(nacre.NacreTest):
    def compile_graph(self, name, *options):
        library = self.path("libfunctional.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.path(name), "-o", library, *options)
        return library

    def write(self, name, dims, values):
        write_npy(self.path(f"{name}.npy"), dims, values)
        return f"{name}={self.path(name + '.npy')}"


class ChoosingTest(FunctionalTest):
    """A While of as many iterations as the input says, in each a Case by the iteration, and an If by what that gave."""

    def write_graph(self):
        choose = tf.function("choose", [("i", tf.INT32), ("a", tf.FLOAT)], [("b", tf.FLOAT, "case:output:0")], [
            number("three", 3), tf.node("kind", "FloorMod", ["i", "three:output:0"], T=INT32),
            tf.node("case", "StatelessCase", ["kind:z:0", "a"], Tin=[FLOAT], Tout=[FLOAT],
                    branches=[tf.Function("sines"), tf.Function("squares"), tf.Function("sums")])])
        # No operand but a constant.
        sums = tf.function("sums", [("a", tf.FLOAT)], [("b", tf.FLOAT, "sum:z:0")], [
            tf.node("quarter", "Const", dtype=FLOAT, value=tf.floats([], [0.25])), tf.node("sum", "AddV2", ["a", "quarter:output:0"], T=FLOAT)])
        constant = tf.function("constant", [("a", tf.FLOAT)], [("b", tf.FLOAT, "half:output:0")], [
            tf.node("half", "Const", dtype=FLOAT, value=tf.floats([3], [0.5, 0.25, -0.5]))])
        iteration = tf.function("iteration", [("i", tf.INT32), ("n", tf.INT32), ("a", tf.FLOAT)],
                           [("i_", tf.INT32, "next:z:0"), ("n_", tf.INT32, "n"), ("a_", tf.FLOAT, "checked:output:0")], [
            number("one", 1), tf.node("next", "AddV2", ["i", "one:output:0"], T=INT32),
            tf.node("chosen", "PartitionedCall", ["i", "a"], f=tf.Function("choose"), Tin=[INT32, FLOAT], Tout=[FLOAT]),
            sizes("axes", [0]), tf.node("sum", "Sum", ["chosen:output:0", "axes:output:0"], T=FLOAT, Tidx=INT32),
            tf.node("limit", "Const", dtype=FLOAT, value=tf.floats([], [2.0])),
            tf.node("is_large", "Greater", ["sum:output:0", "limit:output:0"], T=FLOAT),
            tf.node("checked", "StatelessIf", ["is_large:z:0", "chosen:output:0"], Tcond=BOOL, Tin=[FLOAT], Tout=[FLOAT],
                    then_branch=tf.Function("constant"), else_branch=tf.Function("same"))])
        same = tf.function("same", [("a", tf.FLOAT)], [("b", tf.FLOAT, "a")], [])
        below = tf.function("below", [("i", tf.INT32), ("n", tf.INT32), ("a", tf.FLOAT)], [("go", tf.BOOL, "less:z:0")],
                            [tf.node("less", "Less", ["i", "n"], T=INT32)])
        nodes = [
            tf.node("x", "Placeholder", dtype=FLOAT, shape=tf.Shape([3])), tf.node("n", "Placeholder", dtype=FLOAT, shape=tf.Shape([])),
            tf.node("iterations", "Cast", ["n"], SrcT=FLOAT, DstT=INT32), number("zero", 0),
            tf.node("loop", "StatelessWhile", ["zero", "iterations", "x"], T=[INT32, INT32, FLOAT], cond=tf.Function("below"), body=tf.Function("iteration")),
            tf.node("y", "Identity", ["loop:2"], T=FLOAT)]
        with open(self.path("choosing.pb"), "wb") as file:
            file.write(tf.graph(nodes, [choose, sums, constant, iteration, same, below, apply("sines", "Sin"), apply("squares", "Square")]))

    def test_iterations_that_choose(self):
        self.write_graph()
        library = self.compile_graph("choosing.pb")
        seen = set()
        for n in (0, 1, 2, 7):
            y = x = [1.5, 0.5, -0.75]
            for i in range(n):
                y = [[math.sin, lambda a: a * a, lambda a: a + 0.25][i % 3](a) for a in y]
                seen.add(sum(y) > 2)
                y = [0.5, 0.25, -0.5] if sum(y) > 2 else y
            self.run_model(library, f"--input={self.write('x', [3], x)}", f"--input={self.write('n', [], [n])}",
                           f"--expect={self.write('y', [3], y)}")
        self.assertEqual(seen, {False, True})


class RecurrentTest(FunctionalTest):
    """A recurrent layer as TensorFlow 2 saves one: rows of a TensorList in a While, whose body reads a variable."""

    STEPS, WIDTH = 24, 3
    WEIGHTS = [0.5, -0.25, 0.125, 1.0, 0.75, -0.5, 0.25, 0.5, -1.0]

    def write_folder(self):
        row = tf.node
        values = [("i", tf.INT32), ("most", tf.INT32), ("time", tf.INT32), ("rows", tf.VARIANT), ("state", tf.FLOAT), ("xs", tf.VARIANT),
                  ("weights", tf.RESOURCE)]
        go = tf.function("go", values, [("go", tf.BOOL, "both:z:0")], [
            number("steps", self.STEPS), tf.node("in_time", "Less", ["time", "steps:output:0"], T=INT32), tf.node("below", "Less", ["i", "most"], T=INT32),
            tf.node("both", "LogicalAnd", ["below:z:0", "in_time:z:0"])])
        iteration = tf.function("iteration", values, [
            ("r0", tf.INT32, "next:z:0"), ("r1", tf.INT32, "most"), ("r2", tf.INT32, "next_time:z:0"), ("r3", tf.VARIANT, "put:output_handle:0"),
            ("r4", tf.FLOAT, "new:y:0"), ("r5", tf.VARIANT, "xs"), ("r6", tf.RESOURCE, "weights")], [
            number("one", 1), sizes("shape", [1, self.WIDTH]),
            row("x", "TensorListGetItem", ["xs", "time", "shape:output:0"], element_dtype=FLOAT),
            row("read", "ReadVariableOp", ["weights"], dtype=FLOAT), row("product", "MatMul", ["state", "read:value:0"], T=FLOAT),
            row("sum", "AddV2", ["x:item:0", "product:product:0"], T=FLOAT), row("new", "Tanh", ["sum:z:0"], T=FLOAT),
            row("put", "TensorListSetItem", ["rows", "time", "new:y:0"], element_dtype=FLOAT),
            row("next", "AddV2", ["i", "one:output:0"], T=INT32), row("next_time", "AddV2", ["time", "one:output:0"], T=INT32)])
        serve = tf.function("serve", [("x", tf.FLOAT), ("weights", tf.RESOURCE)], [("ys", tf.FLOAT, "ys:tensor:0"), ("last", tf.FLOAT, "while:output:4")], [
            number("zero", 0), number("steps", self.STEPS), number("open", -1), sizes("shape", [1, self.WIDTH]),
            row("first", "Const", dtype=FLOAT, value=tf.floats([1, self.WIDTH], [0.0] * self.WIDTH)),
            row("xs", "TensorListFromTensor", ["x", "shape:output:0"], element_dtype=FLOAT, shape_type=INT32),
            row("rows", "TensorListReserve", ["open:output:0", "steps:output:0"], element_dtype=FLOAT, shape_type=INT32),
            row("while", "While", ["zero:output:0", "steps:output:0", "zero:output:0", "rows:handle:0", "first:output:0", "xs:output_handle:0", "weights"],
                T=[INT32, INT32, INT32, VARIANT, FLOAT, VARIANT, RESOURCE], cond=tf.Function("go"), body=tf.Function("iteration")),
            row("ys", "TensorListStack", ["while:output:3", "shape:output:0"], element_dtype=FLOAT, num_elements=self.STEPS)])
        nodes = [row("weights", "VarHandleOp", dtype=FLOAT, shape=tf.Shape([3, 3]), shared_name="weights"),
                 row("serve_x", "Placeholder", dtype=FLOAT, shape=tf.Shape([self.STEPS, 1, self.WIDTH])),
                 row("call", "StatefulPartitionedCall", ["serve_x", "weights"], f=tf.Function("serve"), Tin=[FLOAT, RESOURCE], Tout=[FLOAT, FLOAT])]
        signature = tf.signature({"x": ("serve_x:0", tf.FLOAT, [self.STEPS, 1, self.WIDTH])},
                                 {"ys": ("call:0", tf.FLOAT, [self.STEPS, 1, self.WIDTH]), "last": ("call:1", tf.FLOAT, [1, self.WIDTH])})
        tf.save(self.path("recurrent"), tf.saved_model(tf.meta_graph(tf.graph(nodes, [go, iteration, serve]), {"serving_default": signature})),
                {"weights": tf.floats([3, 3], self.WEIGHTS)})

    def test_rows_of_lists(self):
        self.write_folder()
        library = self.compile_graph("recurrent")
        xs = [math.sin(0.7 * i) for i in range(self.STEPS * self.WIDTH)]
        state, ys = [0.0] * self.WIDTH, []
        for step in range(self.STEPS):
            x = xs[step * self.WIDTH:][:self.WIDTH]
            state = [math.tanh(x[to] + sum(value * self.WEIGHTS[at * self.WIDTH + to] for at, value in enumerate(state))) for to in range(self.WIDTH)]
            ys += state
        self.run_model(library, f"--input={self.write('x', [self.STEPS, 1, self.WIDTH], xs)}",
                       f"--expect={self.write('ys', [self.STEPS, 1, self.WIDTH], ys)}", f"--expect={self.write('last', [1, self.WIDTH], state)}")


class RememberingTest(FunctionalTest):
    """A While whose iterations add to one variable, and a branch in them that counts in another: both are kept from run to run."""

    def write_folder(self):
        arguments = [("i", tf.INT32), ("x", tf.FLOAT), ("sum", tf.RESOURCE), ("count", tf.RESOURCE)]
        below = tf.function("below", arguments, [("go", tf.BOOL, "less:z:0")], [
            number("iterations", 3), tf.node("less", "Less", ["i", "iterations:output:0"], T=INT32)])
        add = tf.function("add", [("count", tf.RESOURCE)], [], [
            tf.node("one", "Const", dtype=FLOAT, value=tf.floats([], [1.0])),
            tf.node("more", "AssignAddVariableOp", ["count", "one:output:0"], dtype=FLOAT)], controls=["more"])
        none = tf.function("none", [("count", tf.RESOURCE)], [], [])
        iteration = tf.function("iteration", arguments, [("i_", tf.INT32, "next:z:0"), ("x_", tf.FLOAT, "half:z:0"), ("s_", tf.RESOURCE, "sum"), ("c_", tf.RESOURCE, "count")], [
            number("one", 1), tf.node("next", "AddV2", ["i", "one:output:0"], T=INT32),
            tf.node("two", "Const", dtype=FLOAT, value=tf.floats([], [0.5])), tf.node("half", "Mul", ["x", "two:output:0"], T=FLOAT),
            tf.node("more", "AssignAddVariableOp", ["sum", "x"], dtype=FLOAT), tf.node("now", "ReadVariableOp", ["sum", "^more"], dtype=FLOAT),
            sizes("axes", [0]), tf.node("all", "Sum", ["now:value:0", "axes:output:0"], T=FLOAT, Tidx=INT32),
            tf.node("limit", "Const", dtype=FLOAT, value=tf.floats([], [4.0])), tf.node("large", "Greater", ["all:output:0", "limit:output:0"], T=FLOAT),
            tf.node("if", "If", ["large:z:0", "count"], Tcond=BOOL, Tin=[RESOURCE], Tout=[], then_branch=tf.Function("add"), else_branch=tf.Function("none"))],
            controls=["more", "if"])
        serve = tf.function("serve", arguments[1:], [("y", tf.FLOAT, "y:value:0"), ("n", tf.FLOAT, "n:value:0")], [
            number("zero", 0),
            tf.node("while", "While", ["zero:output:0", "x", "sum", "count"], T=[INT32, FLOAT, RESOURCE, RESOURCE], cond=tf.Function("below"), body=tf.Function("iteration")),
            tf.node("y", "ReadVariableOp", ["sum", "^while"], dtype=FLOAT), tf.node("n", "ReadVariableOp", ["count", "^while"], dtype=FLOAT)], controls=["while"])
        nodes = [tf.node("sum", "VarHandleOp", dtype=FLOAT, shape=tf.Shape([2]), shared_name="sum"),
                 tf.node("count", "VarHandleOp", dtype=FLOAT, shape=tf.Shape([]), shared_name="count"),
                 tf.node("serve_x", "Placeholder", dtype=FLOAT, shape=tf.Shape([2])),
                 tf.node("call", "StatefulPartitionedCall", ["serve_x", "sum", "count"], f=tf.Function("serve"), Tin=[FLOAT, RESOURCE, RESOURCE], Tout=[FLOAT, FLOAT])]
        signature = tf.signature({"x": ("serve_x:0", tf.FLOAT, [2])}, {"y": ("call:0", tf.FLOAT, [2]), "n": ("call:1", tf.FLOAT, [])})
        tf.save(self.path("remembering"), tf.saved_model(tf.meta_graph(tf.graph(nodes, [below, add, none, iteration, serve]), {"serving_default": signature})),
                {"sum": tf.floats([2], [0.25, -1.0]), "count": tf.floats([], [7.0])})

    def test_iterations_that_assign(self):
        self.write_folder()
        library = self.compile_graph("remembering")
        total, count, options, counted = [0.25, -1.0], 7.0, [], set()
        for step in range(3):
            x = [1.0 + step, 0.5]
            file = self.write("x", [2], x)
            for _ in range(3):
                total = [a + b for a, b in zip(total, x)]
                x = [a / 2 for a in x]
                counted.add(sum(total) > 4)
                count += sum(total) > 4
            after = tempfile.mkdtemp(dir=os.path.dirname(library))
            self.run_model(library, f"--input={file}", f"--expect={self.write('y', [2], total)}", f"--expect={self.write('n', [], [count])}",
                           f"--output={after}", *options)
            options = [f"--state={name}={after}/{name}.npy" for name in ("sum", "count")]
        self.assertEqual(counted, {False, True})


if __name__ == "__main__":
    unittest.main()
