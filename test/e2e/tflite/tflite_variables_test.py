#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of TensorFlow Lite that have handles: what CALL_ONCE gives them first, and what each run makes of them."""
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import tflite_test
from tflite_writer import FLOAT32, Net

RESOURCE = 13
CALL_ONCE, VAR_HANDLE, READ, ASSIGN = 129, 142, 143, 144


def handle(net, name):
    """A handle of the variable, as the graph has it."""
    result = net.tensor(f"handle{len(net.tensors)}", [], RESOURCE)
    net.op(VAR_HANDLE, [], [result], 111, {1: name})
    return result


def call_once(net, values, top=None):
    """Constants that variables begin with."""
    index, once = (top or net).body()
    for name, (shape, numbers) in values.items():
        once.op(ASSIGN, [handle(once, name), once.tensor("initial_" + name, shape, values=numbers)], [], 113, {})
    net.op(CALL_ONCE, [], [], 103, {0: ("i", index)})


class VariablesTest(nacre.NacreTest):
    save = tflite_test.TfliteTest.save

    def compile(self, net, *options, status=0):
        path, library = self.path("model.tflite"), self.path("libmodel.so")
        net.save(path)
        said = self.call(f"{nacre.BIN}/nacre-compile", path, "-o", library, *options, status=status)
        return said if status else library

    def step(self, run, library, folder, fed, wanted, before=None, entry=()):
        """A run that begins with the state that another one has left."""
        os.mkdir(folder)
        options = [f"--input={name}={self.save('in_' + name, FLOAT32, [2], values)}" for name, values in fed.items()]
        options += [f"--expect={name}={self.save('out_' + name, FLOAT32, [2], values)}" for name, values in wanted.items()]
        options += [f"--state={name}={before}/{name}.npy" for name in ("total",) if before]
        run(library, *entry, *options, "--rtol=0", "--atol=0", "--output=" + folder)
        with open(os.path.join(folder, "total.npy"), "rb") as file:
            return list(struct.unpack("<2f", file.read()[-8:]))

    @staticmethod
    def accumulator():
        """y is what the total was before, z twice what it is then."""
        net = Net()
        call_once(net, {"total": ([2], [5, -1]), "scale": ([], [2])})
        x = net.input("x", [2])
        total, scale = handle(net, "total"), handle(net, "scale")
        before, after, factor = net.output("y", [2]), net.tensor("after", [2]), net.tensor("factor", [])
        net.op(READ, [total], [before], 112, {})
        added = net.tensor("added", [2])
        net.op(0, [before, x], [added], 11, {})
        net.op(ASSIGN, [total, added], [], 113, {})
        net.op(READ, [total], [after], 112, {})
        net.op(READ, [scale], [factor], 112, {})
        net.op(18, [after, factor], [net.output("z", [2])], 21, {})
        return net

    def accumulate(self, run, library):
        total, before = [5, -1], None
        for number in range(3):
            x = [1.5, number]
            after = [a + b for a, b in zip(total, x)]
            folder = self.path(f"run{number}")
            self.assertEqual(self.step(run, library, folder, {"x": x}, {"y": total, "z": [2 * v for v in after]}, before), after)
            total, before = after, folder

    def test_steps(self):
        self.accumulate(self.run_model, self.compile(self.accumulator()))

    def test_steps_on_arm64(self):
        self.accumulate(self.run_arm64, self.compile(self.accumulator(), "--target=linux-arm64"))

    def test_what_nobody_assigns_is_a_constant(self):
        info = self.run_model(self.compile(self.accumulator()), "--info")
        self.assertIn("  total f32[2]", info)
        self.assertNotIn("scale", info)

    def test_signatures_share_variables(self):
        net = Net()
        call_once(net, {"total": ([2], [3, 4])})
        net.op(READ, [handle(net, "total")], [net.output("y", [2])], 112, {})
        net.signature("get", {}, {"y": net.outputs[0]})
        index, other = net.body()
        call_once(other, {"total": ([2], [3, 4])}, top=net)
        x = other.input("x", [2])
        other.op(ASSIGN, [handle(other, "total"), x], [], 113, {})
        other.op(101, [x], [other.output("size", [2])])
        net.signature("put", {"x": x}, {"size": other.outputs[0]}, graph=index)
        library = self.compile(net, "--signature", "get", "--signature", "put")
        folder = self.path("first")
        self.step(self.run_model, library, folder, {}, {"y": [3, 4]}, entry=["--entry=get"])
        self.assertEqual(self.step(self.run_model, library, self.path("second"), {"x": [-1, 2]}, {"size": [1, 2]}, folder, entry=["--entry=put"]), [-1, 2])
        self.step(self.run_model, library, self.path("third"), {}, {"y": [-1, 2]}, self.path("second"), entry=["--entry=get"])

    def test_what_is_refused(self):
        net = self.accumulator()
        net.bodies[0].op(101, [net.bodies[0].tensor("c", [], values=[1])], [net.bodies[0].tensor("d", [])])
        self.assertIn("CALL_ONCE must only assign constants to variables, but graph 1 does more", self.compile(net, status=1))
        net = Net()
        net.op(READ, [handle(net, "lost")], [net.output("y", [2])], 112, {})
        self.assertIn('"lost": error: must be assigned by CALL_ONCE, because nothing else assigns the variable', self.compile(net, status=1))
        net = Net()
        net.op(101, [handle(net, "v")], [net.output("y", [])])
        self.assertIn("is a variable handle, which only READ_VARIABLE and ASSIGN_VARIABLE may use", self.compile(net, status=1))
        net = self.accumulator()
        net.op(ASSIGN, [handle(net, "total"), net.tensor("wide", [3], values=[1, 2, 3])], [], 113, {})
        self.assertIn("operand 1 ('value') must match the variable, float[2], but is float[3]", self.compile(net, status=1))
        net = self.accumulator()
        net.op(ASSIGN, [-1, net.inputs[0]], [], 113, {})
        self.assertIn("ASSIGN_VARIABLE must have a handle from a VAR_HANDLE of the same graph, and a value, but has another operand", self.compile(net, status=1))
        net = Net()
        x = net.input("x", [2])
        net.op(READ, [x], [net.output("y", [2])], 112, {})
        self.assertIn("READ_VARIABLE must have a handle from a VAR_HANDLE of the same graph, but has another operand", self.compile(net, status=1))


if __name__ == "__main__":
    unittest.main()
