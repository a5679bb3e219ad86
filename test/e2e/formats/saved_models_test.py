#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders of TensorFlow's saved models, written here without TensorFlow: variables out of a checkpoint, signatures as entries."""
import os
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
import make_saved_model
import tensorflow_writer as tf
from onnx_writer import write_npy


class FolderTest(nacre.NacreTest):
    def compile_folder(self, folder, *options, status=0):
        library = self.path("libsaved.so")
        said = self.call(os.path.join(nacre.BIN, "nacre-compile"), folder, "-o", library, *options, status=status)
        return said if status else library

    def expect(self, library, entry, output, folder):
        self.run_model(library, f"--entry={entry}", f"--input=x={folder}/x.npy", f"--expect={output}={folder}/{output}.npy")


class SavedModelsTest(FolderTest):
    def test_one_signature_is_the_main_entry(self):
        for compressed in (False, True):
            folder = self.path(f"saved{compressed}")
            make_saved_model.write(folder, compressed)
            library = self.compile_folder(folder)
            self.expect(library, "main", "probabilities", folder)
            self.expect(self.compile_folder(folder, "--signature=features"), "main", "features", folder)

    def test_signatures_are_entries_over_the_same_weights(self):
        folder = self.path("saved")
        make_saved_model.write(folder)
        one = self.compile_folder(folder)
        alone = os.path.getsize(one)
        both = self.compile_folder(folder, "--signature=serving_default", "--signature=features")
        self.expect(both, "serving_default", "probabilities", folder)
        self.expect(both, "features", "features", folder)
        with open(self.path("saved.h"), encoding="utf-8") as header:
            text = header.read()
        self.assertIn('Entry "serving_default"', text)
        self.assertIn('Entry "features"', text)
        self.assertLess(os.path.getsize(both), 1.5 * alone)
        self.assertIn("must be one of 'serving_default', 'features', but is 'main'", self.run_model(both, "--entry=main", status=2))

    def test_a_graph_takes_its_variables_from_a_checkpoint(self):
        t = tf.Type(tf.FLOAT)
        nodes = [tf.node("v", "VariableV2", dtype=t, shape=tf.Shape([2, 2])), tf.node("v/read", "Identity", ["v"], T=t),
                 tf.node("x", "Placeholder", dtype=t, shape=tf.Shape([1, 2])), tf.node("y", "MatMul", ["x", "v/read"], T=t)]
        with open(self.path("graph.pb"), "wb") as file:
            file.write(tf.graph(nodes))
        index, data = tf.checkpoint({"v": tf.floats([2, 2], [1, 2, 3, 4])})
        os.mkdir(self.path("training"))
        for name, content in (("checkpoint", b'model_checkpoint_path: "/elsewhere/model-7"\n'), ("model-7.index", index),
                              ("model-7.data-00000-of-00001", data)):
            with open(self.path("training", name), "wb") as file:
                file.write(content)
        write_npy(self.path("x.npy"), [1, 2], [1, 10])
        write_npy(self.path("y.npy"), [1, 2], [31, 42])
        for checkpoint in ("training", "training/model-7", "training/model-7.index"):
            library = self.compile_folder(self.path("graph.pb"), f"--checkpoint={self.path(checkpoint)}")
            self.run_model(library, f"--input=x={self.path('x.npy')}", f"--expect=y={self.path('y.npy')}")
        self.assertIn("pass it with --checkpoint", self.compile_folder(self.path("graph.pb"), status=1))

    def test_damage_to_a_checkpoint_is_named(self):
        folder = self.path("saved")
        make_saved_model.write(folder)
        path = os.path.join(folder, "variables", "variables.data-00000-of-00001")
        with open(path, "r+b") as file:
            file.write(b"?")
        self.assertIn("has a wrong checksum", self.compile_folder(folder, status=1))
        os.truncate(path, 100)
        self.assertIn("the file is truncated", self.compile_folder(folder, status=1))
        os.remove(path)
        self.assertIn("cannot open", self.compile_folder(folder, status=1))
        with open(os.path.join(folder, "variables", "variables.index"), "r+b") as file:
            file.write(b"?")
        self.assertIn("the checksum of a block is wrong", self.compile_folder(folder, status=1))

    def test_keras_files_are_told_what_to_become(self):
        for name, content in (("model.keras", b"PK\x03\x04"), ("model.h5", b"\x89HDF\r\n\x1a\n")):
            with open(self.path(name), "wb") as file:
                file.write(content)
            self.assertIn("model.export('folder')", self.compile_folder(self.path(name), status=1))


class KeptVariablesTest(FolderTest):
    """A layer that remembers, and counts its steps: what it writes is kept by the session, and begins as the checkpoint has it."""

    def write_model(self):
        t, handle = tf.Type(tf.FLOAT), tf.Type(tf.RESOURCE)
        one = tf.node("one", "Const", dtype=t, value=tf.floats([], [1.0]))
        step = tf.function("step", [("x", tf.FLOAT), ("memory", tf.RESOURCE), ("steps", tf.RESOURCE)],
                           [("y", tf.FLOAT, "sum:z:0"), ("count", tf.FLOAT, "counted:value:0")],
                           [one, tf.node("read", "ReadVariableOp", ["memory"], dtype=t), tf.node("decayed", "Mul", ["read:value:0", "half:output:0"], T=t),
                            tf.node("half", "Const", dtype=t, value=tf.floats([], [0.5])), tf.node("sum", "AddV2", ["x", "decayed:z:0"], T=t),
                            tf.node("remember", "AssignVariableOp", ["memory", "sum:z:0", "^read"], dtype=t),
                            tf.node("count", "AssignAddVariableOp", ["steps", "one:output:0"], dtype=t),
                            tf.node("counted", "ReadVariableOp", ["steps", "^count"], dtype=t)], controls=["remember", "count"])
        nodes = [tf.node("memory", "VarHandleOp", dtype=t, shape=tf.Shape([4]), shared_name="memory"),
                 tf.node("steps", "VarHandleOp", dtype=t, shape=tf.Shape([]), shared_name="steps"),
                 tf.node("serve_x", "Placeholder", dtype=t, shape=tf.Shape([4])),
                 tf.node("call", "StatefulPartitionedCall", ["serve_x", "memory", "steps"], f=tf.Function("step"), Tin=[t, handle, handle], Tout=[t, t])]
        signature = tf.signature({"x": ("serve_x:0", tf.FLOAT, [4])}, {"y": ("call:0", tf.FLOAT, [4]), "count": ("call:1", tf.FLOAT, [])})
        tf.save(self.path("kept"), tf.saved_model(tf.meta_graph(tf.graph(nodes, [step]), {"serving_default": signature})),
                {"memory": tf.floats([4], [0.0] * 4), "steps": tf.floats([], [41.0])})

    def follow(self, run, library):
        memory, options = [0.0] * 4, []
        for step in range(3):
            x = [1.0 + step, -2.0, 0.5 * step, 4.0]
            memory = [value + kept / 2 for value, kept in zip(x, memory)]
            for name, shape, values in (("x", [4], x), ("y", [4], memory), ("count", [], [42.0 + step])):
                write_npy(self.path(f"{name}.npy"), shape, values)
            after = tempfile.mkdtemp(dir=os.path.dirname(library))
            run(library, f"--input=x={self.path('x.npy')}", "--rtol=0", "--atol=0", f"--expect=y={self.path('y.npy')}",
                f"--expect=count={self.path('count.npy')}", f"--output={after}", *options)
            options = [f"--state={name}={after}/{name}.npy" for name in ("memory", "steps")]

    def test_steps_begin_as_the_checkpoint_has_them(self):
        self.write_model()
        library = self.compile_folder(self.path("kept"))
        self.assertIn("state\n  memory f32[4]\n  steps f32[]\n", self.run_model(library, "--info"))
        self.follow(self.run_model, library)
        self.follow(self.run_arm64, self.compile_folder(self.path("kept"), "--target=linux-arm64"))

    def test_a_gpu_begins_so_too(self):
        self.write_model()
        for place in ("gpu", "split:50"):
            with self.subTest(place=place):
                library = self.compile_folder(self.path("kept"), f"--place={place}")
                if "llvmpipe" not in self.call("sh", "-c", f"{os.path.join(nacre.BIN, 'nacre-run')} {library} --list-devices || true"):
                    self.skipTest("no CPU that plays a GPU")
                self.follow(lambda *command: self.run_model(*command, "--gpu"), library)


class FunctionsTest(FolderTest):
    """A module saved without signatures: its functions capture two variables of one name, and a constant."""

    def write_model(self, *captured):
        t, handle = tf.Type(tf.FLOAT), tf.Type(tf.RESOURCE)
        scale = tf.function("__inference_scale_7", [("x", tf.FLOAT), ("w", tf.RESOURCE), ("b", tf.RESOURCE), ("c", tf.FLOAT)], [("identity", tf.FLOAT, "with_c:z:0")], [
            tf.node("w_read", "ReadVariableOp", ["w"], dtype=t), tf.node("b_read", "ReadVariableOp", ["b"], dtype=t),
            tf.node("product", "Mul", ["x", "w_read:value:0"], T=t), tf.node("with_b", "AddV2", ["product:z:0", "b_read:value:0"], T=t),
            tf.node("with_c", "AddV2", ["with_b:z:0", "c"], T=t)])
        count = tf.function("__inference_count_9", [("b", tf.RESOURCE)], [("identity", tf.FLOAT, "read:value:0")], [
            tf.node("one", "Const", dtype=t, value=tf.floats([], [1.0])), tf.node("add", "AssignAddVariableOp", ["b", "one:output:0"], dtype=t),
            tf.node("read", "ReadVariableOp", ["b", "^add"], dtype=t)], controls=["add"])
        nodes = [tf.node(name, "VarHandleOp", dtype=t, shape=tf.Shape(shape), shared_name=name) for name, shape in (("Variable", [2]), ("Variable_1", []))]
        nodes.append(tf.node("captured", "Const", dtype=t, value=tf.floats([], [100.0])))
        objects = tf.object_graph([
            tf.user_object({"scale": 1, "w": 2, "b": 3, "count": 5}), tf.function_object("__inference_scale_7"), tf.variable_object("Variable", tf.FLOAT, [2]),
            tf.variable_object("Variable", tf.FLOAT, []), tf.constant_object("captured"), tf.function_object("__inference_count_9"), tf.asset_object(0)],
            {"__inference_scale_7": captured or (2, 3, 4), "__inference_count_9": (3,)})
        stored = tf.stored_objects([({"b": 1, "w": 2}, ""), ({}, "b/.ATTRIBUTES/VARIABLE_VALUE"), ({}, "w/.ATTRIBUTES/VARIABLE_VALUE")])
        tf.save(self.path("functions"), tf.saved_model(tf.meta_graph(tf.graph(nodes, [scale, count]), {"__saved_model_init_op": b""}, objects=objects)),
                {"_CHECKPOINTABLE_OBJECT_GRAPH": stored, "w/.ATTRIBUTES/VARIABLE_VALUE": tf.floats([2], [2.0, 3.0]),
                 "b/.ATTRIBUTES/VARIABLE_VALUE": tf.floats([], [0.5])})

    def test_a_function_is_called_with_what_it_captures(self):
        self.write_model()
        write_npy(self.path("x.npy"), [2], [1.0, -1.0])
        write_npy(self.path("y.npy"), [2], [102.5, 97.5])
        for name in ("scale", "__inference_scale_7"):
            library = self.compile_folder(self.path("functions"), f"--signature={name}", "--shape=x=2")
            self.run_model(library, f"--input=x={self.path('x.npy')}", "--rtol=0", "--atol=0", f"--expect=identity={self.path('y.npy')}")

    def test_functions_share_variables_that_one_writes(self):
        self.write_model()
        library = self.compile_folder(self.path("functions"), "--signature=scale", "--signature=count", "--shape=x=2")
        self.assertIn("state\n", self.run_model(library, "--info"))
        write_npy(self.path("n.npy"), [], [1.5])
        self.run_model(library, "--entry=count", "--rtol=0", "--atol=0", f"--expect=identity={self.path('n.npy')}")

    def test_what_cannot_be_called_is_said(self):
        self.write_model()
        said = self.compile_folder(self.path("functions"), status=1)
        self.assertIn("choose a signature or function with --signature; it has none; its functions are 'count', 'scale'", said)
        for captured, error in (((2, 3, 6), "it captures the asset '', a text file"), ((2, 3, 0), "object 0 is neither"),
                                ((2, 3, 99), "captures number 99 of 7"), ((2, 3, 4, 4, 4), "must have an argument for each of the 5 objects")):
            self.write_model(*captured)
            self.assertIn(f"the function 'scale' {error}" if "must" in error else error, self.compile_folder(self.path("functions"), "--signature=scale", status=1))


DATA = os.path.join(os.environ.get("NACRE_TEST_DATA", os.path.join(nacre.ROOT, "..", "shared", "data")), "tf-savedmodel")
# Of TensorFlow Serving: y = x / 2 + 2, and x / 2 + 3. Each signature, its input, its output, what it adds; those of strings are refused.
HALF_PLUS = {
    "serving_saved_model_half_plus_two_tf2_cpu/00000123": [
        ("serving_default", "x", "y", 2), ("regress_x2_to_y3", "inputs", "outputs", 3), ("classify_x2_to_y3", "inputs", "scores", 3),
        ("regress_x_to_y", None, None, 0), ("regress_x_to_y2", None, None, 0), ("classify_x_to_y", None, None, 0)],
    "serving_saved_model_half_plus_two_cpu/00000123": [("serving_default", "x", "y", 2)],
    "serving_saved_model_half_plus_three/00000123": [("serving_default", "x", "y", 3), ("tensorflow/serving/regress", None, None, 0)],
    "rstensorflow_testdata/half_plus_two/00000123": [("serving_default", "x", "y", 2)],
    "rstensorflow_testdata/half_plus_two_main_op/00000123": [("serving_default", "x", "y", 2)],
    "rstensorflow_testdata/half_plus_two_pbtxt/00000123": [("serving_default", "x", "y", 2)],
}


@unittest.skipUnless(os.path.isdir(DATA), f"needs {DATA}")
class RealSavedModelsTest(FolderTest):
    def test_half_plus_two_and_three(self):
        for folder, signatures in HALF_PLUS.items():
            shape, values = ([1], [-5]) if "tf2" in folder else ([3, 1], [1, 2, -5])
            write_npy(self.path("x.npy"), shape, values)
            for name, x, y, addend in signatures:
                with self.subTest(folder=folder, signature=name):
                    options = [os.path.join(DATA, folder), f"--signature={name}"]
                    if x is None:
                        said = self.compile_folder(*options, status=1)
                        self.assertIn(f"the signature '{name}' cannot be compiled", said)
                        self.assertIn("holds strings, not numbers", said)
                        continue
                    write_npy(self.path("y.npy"), shape, [value / 2 + addend for value in values])
                    library = self.compile_folder(*options, f"--shape={x}={'x'.join(map(str, shape))}")
                    self.run_model(library, f"--input={x}={self.path('x.npy')}", f"--expect={y}={self.path('y.npy')}")

    def test_a_trace_is_what_its_signature_calls(self):
        def compute(*options):
            text = self.call(os.path.join(nacre.BIN, "nacre-translate"), "--import", os.path.join(DATA, "basic_pitch", "nmp"), *options)
            return [line for line in text.splitlines() if "nn." in line and "func.func" not in line]

        self.assertEqual(compute("--signature=_default_save_signature"), compute())

    def test_a_signature_trains(self):
        """A line through one point, by gradient descent, as TensorFlow 2 saved it."""
        library, state = self.compile_folder(os.path.join(DATA, "tfrust_regression"), "--train"), self.path("state.safetensors")
        for name, value in (("x", 0.5), ("y", 3)):
            write_npy(self.path(name + ".npy"), [1], [value])
        losses = []
        for step in range(20):
            said = self.run_model(library, "--entry=train", "--runs=1", f"--input=x={self.path('x.npy')}", f"--input=y={self.path('y.npy')}",
                                  "--output=" + self.folder, "--save=" + state, *(["--resume=" + state] if step else []))
            with open(self.path("loss.npy"), "rb") as file:
                losses.append(struct.unpack("<f", file.read()[-4:])[0])
        self.assertLess(losses[-1], 0.01 * losses[0], said)
        self.assertEqual(losses, sorted(losses, reverse=True))
        with open(state, "rb") as file:
            self.assertIn(b"SGD/iter", file.read())

if __name__ == "__main__":
    unittest.main()
