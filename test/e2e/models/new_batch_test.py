#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model that states its batch computes for another one what it computes for each row, and what it would if it were exported so.

How:  1. random networks (new_batch_models.py) of every operator that has a rule: exported at batch 1 and set to 3, against the one
         exported at 3 and against runs of single rows; exported at 3 and set to 1, against the one exported at 1;
      2. networks of other people: three examples at once, against runs of the file as it is.
"""
import os
import re
import sys
import unittest

import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from new_batch_models import Network, Rows

EVAL, COMPILE = (os.path.join(nacre.BIN, name) for name in ("nacre-eval", "nacre-compile"))
DATA = os.environ.get("NACRE_TEST_DATA", os.path.join(os.path.dirname(nacre.ROOT), "shared", "data"))
BATCH = 3
# Networks of other people, with the axis of the batch and options. Some state a batch of 1, others more.
NETWORKS = (("onnx-real/mnist_8/model.onnx", 0), ("onnx-real/onnx2c_mnist_pytorch/model.onnx", 0), ("onnx-real/ultraface_RFB_320/model.onnx", 0),
            ("training/cases/lstm_gestures/model.onnx", 1), ("training/cases/transformer_tiny/model.onnx", 0), ("training/cases/resnet_digits/model.onnx", 0),
            ("tflite/tflm/person_detect.tflite", 0), ("tflite/tflm/trained_lstm.tflite", 0), ("tflite/tflm/trained_lstm_int8.tflite", 0),
            ("tflite/tinymaix/cifar10_q.tflite", 0), ("caffe-real/cnndroid_lenet/lenet.prototxt", 0, "--random-weights=1"),
            ("caffe-real/ultraface_slim_320/slim-320.prototxt", 0))
TYPES = {"f32": numpy.float32, "i8": numpy.int8, "ui8": numpy.uint8, "i64": numpy.int64, "i32": numpy.int32}
SEEDS = [seed for seed in range(200) if nacre.is_in_sample(seed, 16)]


def rows_of(tensor, axis, dim, batch):
    """One tensor for each row of the batch."""
    shape = tensor.shape
    parts = tensor.reshape(*shape[:axis], dim.outer, batch, dim.inner, *shape[axis + 1:])
    return [numpy.ascontiguousarray(numpy.take(parts, row, axis + 1)).reshape(*shape[:axis], dim.outer * dim.inner, *shape[axis + 1:])
            for row in range(batch)]


def batch_axis(dims):
    return next((axis for axis, dim in enumerate(dims) if isinstance(dim, Rows)), None)


class NewBatchTest(nacre.NacreTest):
    parts = 1

    def evaluate(self, network, inputs, *options):
        model, out = self.path("model.onnx"), self.path("out")
        network.graph.save(model)
        os.makedirs(out, exist_ok=True)
        files = []
        for name, value in inputs.items():
            numpy.save(self.path(name + ".npy"), value)
            files.append(f"--input={name}={self.path(name + '.npy')}")
        self.call(EVAL, model, f"--output={out}", *files, *options)
        return [numpy.load(os.path.join(out, value.name + ".npy")) for value in network.outputs]

    def assert_close(self, actual, expected, what):
        self.assertEqual(actual.size, expected.size, what)
        bound = 1e-5 * max(1, numpy.abs(expected).max(initial=0))
        self.assertLessEqual(numpy.abs(actual.ravel() - expected.ravel()).max(initial=0), bound, what)

    def check_network(self, seed):
        generator = numpy.random.default_rng(seed)
        count = 2 + seed % 12
        one, more = Network(seed, 1).draw(count), Network(seed, BATCH).draw(count)
        start = one.values[0].dims
        axis = batch_axis(start)
        x = generator.uniform(-1, 1, more.sizes(start)).astype(numpy.float32)
        flag = numpy.array(seed % 2 == 0)
        if all(batch_axis(value.dims) is None for value in one.outputs):
            return
        shape = "x".join(map(str, x.shape))
        # Equal random numbers make equal operators, whatever the batch is.
        self.assertEqual([value.dims for value in one.values], [value.dims for value in more.values])
        exported = self.evaluate(more, {"x": x, "flag": flag})
        changed = self.evaluate(one, {"x": x, "flag": flag}, f"--shape=x={shape}")
        xs = rows_of(x, axis, Rows(), BATCH)
        single = [self.evaluate(one, {"x": row, "flag": flag}) for row in xs]
        back = self.evaluate(more, {"x": xs[2], "flag": flag}, f"--shape=x={'x'.join(map(str, one.sizes(start)))}")
        for number, value in enumerate(one.outputs):
            what = f"seed {seed}, output {value.name} {value.dims}"
            self.assert_close(changed[number], exported[number], what + ", exported at 3")
            self.assert_close(back[number], single[2][number], what + ", set to 1")
            own = batch_axis(value.dims)
            if own is None:
                continue
            # The batch may be at a neighbour of size 1, which changes no element.
            rows = rows_of(changed[number].reshape(more.sizes(value.dims)), own, value.dims[own], BATCH)
            for row in range(BATCH):
                self.assert_close(rows[row], single[row][number], what + f", row {row}")

    def test_random_networks(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                self.check_network(seed)


    def test_every_row_has_its_state(self):
        graph = nacre.Graph("cell", seed=4)
        x, h = graph.input("x", [1, 4]), graph.input("h_in", [1, 1, 3])
        kept = graph.node("MatMul", [graph.node("Reshape", [h, graph.integers("flat", [1, 3])]), graph.weight("r", [3, 3], -1, 1)])
        graph.node("Tanh", [graph.node("Add", [graph.node("MatMul", [x, graph.weight("w", [4, 3], -1, 1)]), kept])], output="y")
        graph.node("Reshape", ["y", graph.integers("state", [1, 1, 3])], output="h_out")
        graph.output("y", [1, 3])
        graph.output("h_out", [1, 1, 3])
        graph.save(self.path("cell.onnx"))
        rows = numpy.random.default_rng(3).uniform(-1, 1, (BATCH, 4)).astype(numpy.float32)

        def after_three_runs(x, *options):
            numpy.save(self.path("x.npy"), x)
            self.call(EVAL, self.path("cell.onnx"), "--state=h_in:h_out", "--runs=3", f"--input=x={self.path('x.npy')}", f"--output={self.folder}", *options)
            return numpy.load(self.path("y.npy"))
        changed = after_three_runs(rows, f"--shape=x={BATCH}x4")
        for row in range(BATCH):
            self.assert_close(changed[row], after_three_runs(rows[row:row + 1]), f"row {row}")


    def test_every_row_attends_to_itself(self):
        graph = nacre.Graph("attend", seed=5, opset=23)
        x, mask = graph.input("x", [1, 3, 8]), graph.input("mask", [3, 3])
        keys = graph.node("MatMul", [x, graph.weight("w", [8, 4], -1, 1)])
        graph.node("Attention", [x, keys, keys, mask], output="y", q_num_heads=2, kv_num_heads=1, is_causal=1)
        graph.output("y", [1, 3, 8])
        graph.save(self.path("attend.onnx"))
        generator = numpy.random.default_rng(3)
        rows = generator.uniform(-1, 1, (BATCH, 3, 8)).astype(numpy.float32)
        numpy.save(self.path("mask.npy"), generator.uniform(-1, 1, (3, 3)).astype(numpy.float32))

        def attend(x, *options):
            numpy.save(self.path("x.npy"), x)
            self.call(EVAL, self.path("attend.onnx"), f"--input=x={self.path('x.npy')}", f"--input=mask={self.path('mask.npy')}",
                      f"--output={self.folder}", *options)
            return numpy.load(self.path("y.npy"))
        changed = attend(rows, f"--shape=x={BATCH}x3x8")
        for row in range(BATCH):
            self.assert_close(changed[row], attend(rows[row:row + 1])[0], f"row {row}")


@unittest.skipUnless(os.path.isdir(DATA), "needs the models of other people")
class NetworksTest(nacre.NacreTest):
    parts = 4

    def tensors(self, library, heading):
        """[(name, type, dims)] of the inputs or outputs of a library."""
        said = self.run_model(library, "--info")
        lines = re.search(rf"^{heading}\n((?:  .*\n)+)", said, re.MULTILINE).group(1)
        return [(name, kind, [int(dim) for dim in dims.split(",")]) for name, kind, dims in re.findall(r"^  (\S+) (\w+)\[([\d,]+)\]$", lines, re.MULTILINE)]

    def build(self, path, library, *options):
        self.call(COMPILE, os.path.join(DATA, path), "-o", self.path(library), "--quiet", *options)
        return self.path(library)

    def outputs(self, library, name, x):
        numpy.save(self.path("x.npy"), x)
        self.run_model(library, f"--input={name}={self.path('x.npy')}", f"--output={self.folder}")
        return [numpy.load(self.path(output.replace("/", "_") + ".npy")) for output, _, _ in self.tensors(library, "outputs")]

    def check_network(self, path, axis, *options):
        stated = self.build(path, "libstated.so", *options)
        (name, kind, dims), = self.tensors(stated, "inputs")
        size, shape = dims[axis], [*dims[:axis], BATCH, *dims[axis + 1:]]
        changed = self.build(path, "libchanged.so", f"--shape={name}={'x'.join(map(str, shape))}", *options)
        self.assertEqual(self.tensors(changed, "inputs"), [(name, kind, shape)])
        generator = numpy.random.default_rng(7)
        high = 1 if kind == "f32" else 8 if kind == "i64" else 127
        x = (generator.random(shape) * high).astype(TYPES[kind])
        actual = self.outputs(changed, name, x)
        # Whole batches of the stated size, the last one filled up with other rows.
        pieces = [self.outputs(stated, name, numpy.take(x, range(first, first + size), axis, mode="wrap")) for first in range(0, BATCH, size)]
        for number, value in enumerate(actual):
            rows = [piece[number] for piece in pieces]
            own = next(at for at in range(value.ndim) if value.shape[at] != rows[0].shape[at])
            self.assertEqual((value.shape[own], rows[0].shape[own]), (BATCH, size))
            expected = numpy.take(numpy.concatenate(rows, own), range(BATCH), own)
            bound = 1e-5 * numpy.abs(expected).max() if value.dtype == numpy.float32 else 0
            self.assertLessEqual(numpy.abs(value.astype(float) - expected).max(), bound, f"{path}, output {number}")
            self.assertGreater(numpy.ptp(expected.astype(float)), 0, "an output that does not depend on the input shows nothing")

    def test_a_network_that_combines_its_rows(self):
        """Its last node is a softmax along the batch."""
        said = self.call(COMPILE, os.path.join(DATA, "onnx-real/dl4j_cnn_mnist/model.onnx"), "-o", self.path("lib.so"), "--shape=input.1=3x1x28x28", status=1)
        self.assertIn('"LogSoftmax_15": error: each row of the batch must be computed separately', said)


def add_networks():
    for number, (path, axis, *options) in enumerate(NETWORKS):
        name = f"test_{number:02}_" + re.sub(r"[^a-z0-9]+", "_", path.lower())
        setattr(NetworksTest, name, lambda self, network=(path, axis, *options): self.check_network(*network))


add_networks()


if __name__ == "__main__":
    unittest.main()
