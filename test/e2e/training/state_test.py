#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hidden state that a model keeps (--state), step by step, against the same steps computed here.

The model has what is easily wrong: states that become each other, one that becomes an input, one that is added to, and an
output of the state as it was.
"""
import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from nacre import Graph

WIDTH = 24
STATES = ("a", "b", "last", "older", "total")


def stepping_model():
    graph = Graph("step", opset=13)
    x, a, b, last, older, total = (graph.input(name, [1, WIDTH]) for name in ("x", *STATES))
    y = graph.node("Add", [graph.node("Add", [x, a]), graph.node("Mul", [older, graph.constant("two", [], [2.0])])], output="y")
    graph.output(y, [1, WIDTH])
    graph.output(graph.node("Identity", [total], output="before"), [1, WIDTH])
    graph.output(graph.node("Identity", [b], output="next_a"), [1, WIDTH])
    graph.output(graph.node("Identity", [a], output="next:b"), [1, WIDTH])
    graph.output(graph.node("Identity", [x], output="next_last"), [1, WIDTH])
    graph.output(graph.node("Identity", [last], output="next_older"), [1, WIDTH])
    graph.output(graph.node("Add", [total, y], output="next_total"), [1, WIDTH])
    return graph


KEPT = ["--state=a:next_a", "--state=b:next:b", "--state=last:next_last", "--state=older:next_older", "--state=total:next_total"]


class Steps:
    """The model, in Python."""

    def __init__(self):
        self.state = {name: [0.0] * WIDTH for name in STATES}

    def run(self, x):
        s = self.state
        y = [p + q + 2 * r for p, q, r in zip(x, s["a"], s["older"])]
        before = s["total"]
        self.state = {"a": s["b"], "b": s["a"], "last": x, "older": s["last"], "total": [p + q for p, q in zip(before, y)]}
        return {"y": y, "before": before}


def row(step):
    return [float((step * 7 + i * 3) % 11 - 5) for i in range(WIDTH)]


def write_npy(path, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': (1, {len(values)}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values))


class StateTest(nacre.NacreTest):
    def build(self, *options, graph=None, status=0, output="libstep.so"):
        path, library = self.path("step.onnx"), self.path(output)
        (graph or stepping_model()).save(path)
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), path, "-o", library, *options, status=status)
        return said if status else library

    def test_an_app_in_c(self):
        library, program = self.build(*KEPT), self.path("app")
        self.call(os.environ.get("CC", "cc"), "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic",
                  "-I" + os.path.join(nacre.ROOT, "runtime", "include"), "-I" + self.folder, '-DMODEL_HEADER="step.h"',
                  "-DMODEL=nacre_model_step", os.path.join(nacre.ROOT, "test", "e2e", "training", "kept_state.c"), library,
                  "-Wl,-rpath," + self.folder, "-o", program)
        steps, lines, expected = Steps(), [], []
        for step in range(12):
            if step == 4:
                lines.append("write b " + " ".join(map(str, row(50))))
                lines.append("write total " + " ".join(map(str, row(60))))
                steps.state["b"], steps.state["total"] = row(50), row(60)
            if step == 9:
                lines.append("reset")
                steps = Steps()
            lines.append("run " + " ".join(map(str, row(step))))
            answers = steps.run(row(step))
            expected += [(name, values) for name, values in (*answers.items(), *((name, steps.state[name]) for name in STATES))]
        said = self.call(program, input="\n".join(lines)).splitlines()
        self.assertEqual(len(said), len(expected), "\n".join(said))
        for line, (name, values) in zip(said, sorted_blocks(expected, said)):
            self.assertEqual(line.split(), [name, *(f"{v:g}" for v in values)])

    def test_the_header_and_info_tell(self):
        library = self.build(*KEPT)
        with open(self.path("step.h"), encoding="utf-8") as file:
            header = file.read()
        self.assertIn(f'input 0  "x"  float[1][{WIDTH}]', header)
        self.assertNotIn("input 1", header)
        self.assertIn(f'output 1  "before"  float[1][{WIDTH}]', header)
        self.assertNotIn("output 2", header)
        self.assertIn(f'state 4  "total"  float[1][{WIDTH}]', header)
        info = self.run_model(library, "--info")
        self.assertIn(f"state\n  a f32[1,{WIDTH}]\n", info)

    def chain(self, run, library, *options):
        """Each step by a process of its own, which begins where the one before ended."""
        steps, before = Steps(), None
        for step in range(5):
            folder = self.path(f"after{step}")
            os.mkdir(folder)
            write_npy(self.path("x.npy"), row(step))
            arguments = [f"--input=x={self.path('x.npy')}", "--output=" + folder, "--rtol=0", "--atol=0", *options]
            if before:
                arguments += [f"--state={name}={before}/{name}.npy" for name in STATES]
            for name, values in steps.run(row(step)).items():
                write_npy(self.path(name + ".npy"), values)
                arguments.append(f"--expect={name}={self.path(name + '.npy')}")
            run(library, *arguments)
            for name in STATES:
                with open(os.path.join(folder, name + ".npy"), "rb") as file:
                    self.assertEqual(file.read()[-4 * WIDTH:], struct.pack(f"<{WIDTH}f", *steps.state[name]), f"{name} after step {step}")
            before = folder

    def test_steps_of_processes(self):
        self.chain(self.run_model, self.build(*KEPT))

    def test_steps_on_arm64(self):
        self.chain(self.run_arm64, self.build(*KEPT, "--target=linux-arm64"))

    def test_steps_on_a_gpu(self):
        for place in ("gpu", "split:50"):
            with self.subTest(place=place):
                library = self.build(*KEPT, "--place=" + place)
                if "lavapipe" not in self.devices(library) and "llvmpipe" not in self.devices(library):
                    self.skipTest("no CPU that plays a GPU")
                self.chain(self.run_model, library, "--gpu")
                for step in range(5):
                    self.remove(self.path(f"after{step}"))

    def test_one_file_of_all_that_is_remembered(self):
        """Each step by another machine than the one before, which leaves it its state in a file."""
        library = self.build(*KEPT)
        places = [(self.run_model, library), (self.run_arm64, self.build(*KEPT, "--target=linux-arm64", output="libarm.so"))]
        steps, file, arguments = Steps(), self.path("kept.safetensors"), []
        for step in range(4):
            run, built = places[step % len(places)]
            write_npy(self.path("x.npy"), row(step))
            write_npy(self.path("y.npy"), steps.run(row(step))["y"])
            run(built, f"--input=x={self.path('x.npy')}", f"--expect=y={self.path('y.npy')}", "--rtol=0", "--atol=0", "--save=" + file, *arguments)
            arguments = ["--resume=" + file]
        with open(file, "rb") as saved:
            whole = saved.read()
        for damaged, said in ((whole[:-1], "do not follow each other"), (whole[:-1] + bytes([whole[-1] ^ 1]), "checksum")):
            with open(file, "wb") as saved:
                saved.write(damaged)
            self.assertIn(said, self.run_model(library, "--resume=" + file, status=2))
        other = self.build(*KEPT[:2], graph=stepping_model(), output="libless.so")
        with open(file, "wb") as saved:
            saved.write(whole)
        self.assertIn("the file must be of this model's state, but \"last\" is not part of it", self.run_model(other, "--resume=" + file, status=2))

    def devices(self, library):
        return self.call("sh", "-c", f"{os.path.join(nacre.BIN, 'nacre-run')} {library} --list-devices || true")

    @staticmethod
    def remove(folder):
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        os.rmdir(folder)

    def test_mistakes_are_named(self):
        for option, message in (
                ("--state=a", "--state must be <input>:<output>, but is 'a'; inputs are 'x', 'a', 'b', 'last', "
                              "'older', 'total', and outputs are 'y', 'before', 'next_a', 'next:b', 'next_last', 'next_older', 'next_total'"),
                ("--state=a:nothing", "but is 'a:nothing'"), ("--state=y:next_a", "but is 'y:next_a'")):
            self.assertIn(message, self.build(option, status=1))
        self.assertIn("output 'next_a' is named by two --state options; remove one", self.build("--state=a:next_a", "--state=b:next_a", status=1))
        self.assertIn("input 'a' is named by two --state options; remove one", self.build("--state=a:next_a", "--state=a:next_last", status=1))

        other = Graph("other", opset=13)
        other.output(other.node("Concat", [other.input("h", [1, 2]), other.input("x", [1, 2])], output="longer", axis=1), [1, 4])
        self.assertIn("input 'h' and output 'longer' must have the same type and shape to be kept as state, but are float[1x2] and float[1x4]",
                      self.build("--state=h:longer", graph=other, status=1))
        other = Graph("other", opset=13)
        other.output(other.node("Add", [other.input("h", [1, 2]), other.input("x", [1, 2])], output="sum"), [1, 2])
        self.assertIn("--state keeps all outputs, but the model needs one more; name another tensor with --output",
                      self.build("--state=h:sum", graph=other, status=1))
        library = self.build("--state=a:next_a")
        write_npy(self.path("x.npy"), [1.0])
        self.assertIn("state 'a' must be f32[1,24], but", self.run_model(library, "--state=a=" + self.path("x.npy"), status=2))
        self.assertIn("--state must be NAME=FILE with one of the names 'a', but is 'b=f'", self.run_model(library, "--state=b=f", status=2))


def sorted_blocks(expected, said):
    """The states of a run in the order that the model has them."""
    size = 2 + len(STATES)
    for begin in range(0, len(expected), size):
        block = dict(expected[begin:begin + size])
        for line in said[begin:begin + size]:
            name = line.split()[0]
            yield name, block[name]


if __name__ == "__main__":
    unittest.main()
