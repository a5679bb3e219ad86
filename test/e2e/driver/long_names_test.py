#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names as long as a file system takes, and names of tensors that are longer or not those of files."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import onnx_writer

MOST = 255  # Bytes of a name.
LONG = "module." * 43  # 301 bytes, as exporters make them.


def hash_of(name):
    """FNV-1a, in hexadecimal digits."""
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) % (1 << 64)
    return f"{value:016x}"


def relus(path, names):
    """A model with an output of each name, which differ in their values."""
    graph = onnx_writer.Graph("relus")
    x = graph.input("x", [4])
    for number, name in enumerate(names):
        shifted = graph.node("Add", [x, graph.constant(f"shift{number}", [4], [float(number)] * 4)])
        graph.node("Relu", [shifted], output=name)
        graph.output(name, [4])
    graph.save(path)


class LongNamesTest(nacre.NacreTest):
    def program(self, name, *arguments, status=0):
        return self.call(os.path.join(nacre.BIN, name), *arguments, status=status, cwd=self.folder)

    def test_outputs_of_every_length(self):
        model = self.model("relu")
        for length in (180, 215, 216, 250, MOST):
            library = "lib" + "m" * (length - 6) + ".so"
            report, trace, page = ("r" * (length - 5) + end for end in (".json", ".tjsn", ".html"))
            self.program("nacre-compile", model, "-o", library, f"--report={report}", f"--time-trace={trace}", "--name=m", "--quiet")
            self.program("nacre-compile", model, "-o", "o" * (length - 2) + ".o", "--emit=obj", "--quiet")
            self.program("nacre-compile", model, "-o", "t" * length, "--compile-to=graph")
            self.program("nacre-run", "./" + library, f"--trace={'n' * length}", f"--profile={'p' * length}")
            self.program("nacre-report", report, f"--profile={'p' * length}", "-o", page)
            for name in (library, report, trace, page, "n" * length, "t" * length):
                self.assertTrue(os.path.exists(self.path(name)), name)
        self.assertEqual([name for name in os.listdir(self.folder) if "partial" in name or "%" in name], [])

    def test_names_in_other_letters(self):
        """Characters of several bytes are never cut."""
        library = "lib" + "ä" * 124 + ".so"
        self.program("nacre-compile", self.model("relu"), "-o", library, "--quiet")
        self.program("nacre-run", "./" + library)

    def test_weights_files(self):
        model = self.model("dense")
        library = "lib" + "w" * (MOST - 11) + ".so"  # The weights file's name is longer.
        self.program("nacre-compile", model, "-o", library, "--weights-in=file", "--quiet")
        self.program("nacre-run", "./" + library)
        said = self.program("nacre-compile", model, "-o", "lib" + "w" * (MOST - 6) + ".so", "--weights-in=file", status=1)
        self.assertIn(".weights': File name too long", said)

    def test_default_names(self):
        """What a program makes of a longer name has a hash."""
        name = "d" * (MOST - 5)
        os.rename(self.model("dense"), self.path(name + ".onnx"))
        for extension, options in ((".so", ()), (".o", ("--emit=obj",)), (".so", ("--weights-in=file",))):
            self.program("nacre-compile", name + ".onnx", *options, "--report=report.json", "--time-trace", "--quiet")
            longest = ".weights" if options == ("--weights-in=file",) else extension
            stem = "lib" + name
            if len(stem + longest) > MOST:
                stem = stem[:MOST - 17 - len(longest)] + "-" + hash_of(stem)
            self.assertTrue(os.path.exists(self.path(stem + extension)), stem)
            whole = stem + extension
            self.assertTrue(os.path.exists(self.path(whole[:MOST - 17 - 16] + "-" + hash_of(whole) + ".time-trace.json")))
        os.rename(self.path("report.json"), self.path("r" * MOST))
        self.program("nacre-report", "r" * MOST)
        self.assertTrue(os.path.exists(self.path("r" * (MOST - 22) + "-" + hash_of("r" * MOST) + ".html")))

    def test_states(self):
        graph = onnx_writer.Graph("sums")
        graph.node("Add", [graph.input("x", [4]), graph.input("h", [4])], output="h_out")
        graph.node("Relu", ["h_out"], output="y")
        graph.output("y", [4])
        graph.output("h_out", [4])
        graph.save(self.path("sums.onnx"))
        self.program("nacre-compile", "sums.onnx", "--state=h:h_out", "-o", "libsums.so", "--quiet")
        for length in (199, 200, 201, 232, MOST):
            name = "s" * (length - 12) + ".safetensors"
            self.program("nacre-run", "libsums.so", f"--save={name}")
            self.program("nacre-run", "libsums.so", f"--resume={name}", f"--save={name}")
            self.assertTrue(os.path.exists(self.path(name)))
        self.assertEqual([name for name in os.listdir(self.folder) if ".new-" in name], [])

    def test_files_of_tensors(self):
        names = [LONG + "a", LONG + "b", "layer/" + LONG, "layer_" + LONG, "a/b", "a:b", "a_b", "c/d", "plain"]
        relus(self.path("relus.onnx"), names)
        self.program("nacre-compile", "relus.onnx", "-o", "librelus.so", "--quiet")
        expected = {name: name.replace("/", "_").replace(":", "_") + ".npy" for name in names}
        for name in names[:4]:
            expected[name] = expected[name][:MOST - 21] + "-" + hash_of(name) + ".npy"
        for name in ("a/b", "a:b"):
            expected[name] = "a_b-" + hash_of(name) + ".npy"
        for program, model in (("nacre-run", "librelus.so"), ("nacre-eval", "relus.onnx")):
            folder = program + ".out"
            os.mkdir(self.path(folder))
            self.program(program, model, f"--output={folder}")
            self.assertEqual(sorted(os.listdir(self.path(folder))), sorted(expected.values()))
            # --expect and --input take the whole name.
            for other, of in (("nacre-run", "librelus.so"), ("nacre-eval", "relus.onnx")):
                self.program(other, of, *(f"--expect={name}={folder}/{path}" for name, path in expected.items()))
        said = self.program("nacre-diff", "relus.onnx", "nacre-run.out", "--against=nacre-eval.out")
        self.assertIn(f"all {len(names)} tensors are within", said)
        # Each file has the values of its tensor.
        wrong = [f"--expect={name}=nacre-run.out/{expected[other]}" for name, other in (("a/b", "a:b"), (names[0], names[1]))]
        self.assertEqual(self.program("nacre-run", "librelus.so", *wrong, status=1).count("differs at"), 2)

    def test_long_inputs(self):
        graph = onnx_writer.Graph("long")
        graph.node("Relu", [graph.input(LONG, [4])], output="y")
        graph.output("y", [4])
        graph.save(self.path("long.onnx"))
        self.program("nacre-compile", "long.onnx", "-o", "liblong.so", "--quiet")
        onnx_writer.write_npy(self.path("x.npy"), [4], [1.0, 2.0, 3.0, 4.0])
        self.assertIn("smallest 1, largest 4", self.program("nacre-run", "liblong.so", f"--input={LONG}=x.npy"))


if __name__ == "__main__":
    unittest.main()
