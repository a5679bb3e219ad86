#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of com.microsoft, against formulas, and against ONNX Runtime where it is found.

Why:  no backend test of ONNX has them; what ONNX Runtime computes is what they mean.
How:  a model for each family, with a node for each form of its operands. What it must give is written down below as
      formulas; the second class asks ONNX Runtime instead (BENCH_MODELS, or ORT_X64 and ORT_ARM64, say where it is).
"""
import glob
import itertools
import math
import os
import platform
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import nacre
from formulas import (INT32, INT64, Tensor, attend, causal, draw, fast_gelu, floats, gelu, integers, join, normalize, quick_gelu, rotate,
                      split, table)
from onnx_writer import Graph, _tensor

BATCH, STEPS, HEADS, WIDTH = 2, 3, 4, 16
SIZE = HEADS * WIDTH


class Model:
    """Nodes over inputs, and what each must give."""

    def __init__(self):
        self.graph = Graph("contrib", opset=17)
        self.inputs, self.outputs = {}, {}

    def give(self, tensor):
        """The name of the input that holds these numbers."""
        if tensor is None:
            return ""
        for name, known in self.inputs.items():
            if known is tensor:
                return name
        name = f"x{len(self.inputs)}"
        self.graph.input(name, tensor.dims, tensor.element_type)
        self.inputs[name] = tensor
        return name

    def node(self, operator, operands, expected, **attributes):
        """`expected`: a tensor for each output, None where it is not asked for."""
        names = [f"{operator[-9:]}_{len(self.graph.nodes)}_{index}" if tensor else "" for index, tensor in enumerate(expected)]
        inputs = [operand if isinstance(operand, str) else self.give(operand) for operand in operands]
        self.graph.node(operator, inputs, names, **attributes)
        for name, tensor in zip(names, expected):
            if tensor:
                self.outputs[name] = tensor
                self.graph.output(name, tensor.dims, tensor.element_type)


class Families:
    """A test for each family. Those who inherit say what to compare with, in `check`."""

    def test_activations(self):
        model, x, bias = Model(), floats(3, 5, low=-3, high=3), floats(5)
        biased = table(x.dims, lambda r, c: x[r, c] + bias[c])
        each = lambda f, t: Tensor(t.dims, map(f, t.values))  # noqa: E731
        model.node("com.microsoft.Gelu", [x], [each(gelu, x)])
        model.node("com.microsoft.BiasGelu", [x, bias], [each(gelu, biased)])
        model.node("com.microsoft.FastGelu", [x], [each(fast_gelu, x)])
        model.node("com.microsoft.FastGelu", [x, bias], [each(fast_gelu, biased)])
        model.node("com.microsoft.QuickGelu", [x], [each(quick_gelu, x)])
        model.node("com.microsoft.QuickGelu", [x], [each(lambda v: quick_gelu(v, 0.5), x)], alpha=0.5)
        self.check(model)

    def test_products(self):
        model, a, b, c, d, column = Model(), floats(2, 3, 4), floats(2, 4, 5), floats(2, 4, 3), floats(2, 5, 4), floats(4)
        product = lambda f: table((2, 3, 5), lambda n, i, j: sum(f(n, i, j, k) for k in range(4)))  # noqa: E731
        model.node("com.microsoft.FusedMatMul", [a, b], [product(lambda n, i, j, k: 0.5 * a[n, i, k] * b[n, k, j])], alpha=0.5)
        model.node("com.microsoft.FusedMatMul", [c, d], [product(lambda n, i, j, k: c[n, k, i] * d[n, j, k])], transA=1, transB=1)
        model.node("com.microsoft.TransposeMatMul", [c, b], [product(lambda n, i, j, k: c[n, k, i] * b[n, k, j])], transA=1)
        model.node("com.microsoft.FusedMatMul", [a, column], [table((2, 3), lambda n, i: sum(a[n, i, k] * column[k] for k in range(4)))])
        # The batch stands behind the rows: [rows, batch, depth].
        e = floats(3, 2, 4)
        model.node("com.microsoft.FusedMatMul", [e, b], [product(lambda n, i, j, k: e[i, n, k] * b[n, k, j])], transBatchA=1)
        self.check(model)

    def test_convolutions(self):
        model, x, filters, bias, more = Model(), floats(1, 2, 4, 4), floats(3, 2, 3, 3), floats(3), floats(1, 3, 2, 2)
        convolved = table((1, 3, 2, 2), lambda n, o, i, j: bias[o] + sum(
            x[n, c, i + k, j + m] * filters[o, c, k, m] for c, k, m in itertools.product(range(2), range(3), range(3))))
        each = lambda f: Tensor(convolved.dims, map(f, convolved.values))  # noqa: E731
        node = lambda operands, expected, **attributes: model.node("com.microsoft.FusedConv", operands, [expected], **attributes)  # noqa: E731
        node([x, filters, bias], each(lambda v: max(v, 0)), activation="Relu")
        node([x, filters, bias], each(math.tanh), activation="Tanh")
        node([x, filters, bias], each(lambda v: max(v, 0.25 * v)), activation="LeakyRelu", activation_params=[0.25])
        node([x, filters, bias], each(lambda v: min(max(v, -0.5), 0.75)), activation="Clip", activation_params=[-0.5, 0.75])
        node([x, filters, bias, more], table(convolved.dims, lambda *at: max(convolved[at] + more[at], 0)), activation="Relu")
        self.check(model)

    def test_normalizations(self):
        model, x, skip, short = Model(), floats(2, 3, 8), floats(2, 3, 8), floats(3, 8)
        scale, shift, bias = floats(8), floats(8), floats(8)
        summed = table(x.dims, lambda b, t, c: x[b, t, c] + skip[b, t, c] + bias[c])
        shorter = table(x.dims, lambda b, t, c: x[b, t, c] + short[t, c])
        model.node("com.microsoft.SkipLayerNormalization", [x, skip, scale, shift, bias],
                   [normalize(summed, 1e-12, scale, shift), None, None, summed])
        model.node("com.microsoft.SkipLayerNormalization", [x, short, scale], [normalize(shorter, 0.1, scale)], epsilon=0.1)
        model.node("com.microsoft.SkipSimplifiedLayerNormalization", [x, skip, scale, bias],
                   [normalize(summed, 1e-5, scale, centred=False), None, None, summed], epsilon=1e-5)
        model.node("SimplifiedLayerNormalization", [x, scale], [normalize(x, 1e-5, scale, centred=False)], epsilon=1e-5)
        self.check(model)

    def test_embeddings(self):
        model, ids, segments = Model(), integers([1, 4, 0, 2, 2, 3], (2, 3)), integers([0, 1, 1, 0, 0, 1], (2, 3))
        words, places, kinds, scale, shift = floats(5, 8), floats(4, 8), floats(2, 8), floats(8), floats(8)
        mask, positions = integers([1, 1, 0, 1, 0, 1], (2, 3)), integers([3, 0, 1], (1, 3))
        plain = table((2, 3, 8), lambda b, t, c: words[ids[b, t], c] + places[t, c])
        full = table((2, 3, 8), lambda b, t, c: plain[b, t, c] + kinds[segments[b, t], c])
        moved = table((2, 3, 8), lambda b, t, c: words[ids[b, t], c] + places[positions[0, t], c])
        model.node("com.microsoft.EmbedLayerNormalization", [ids, segments, words, places, kinds, scale, shift, mask],
                   [normalize(full, 1e-12, scale, shift), integers([2, 2]), full])
        model.node("com.microsoft.EmbedLayerNormalization", [ids, None, words, places, None, scale, shift],
                   [normalize(plain, 1e-12, scale, shift), integers([0, 0])])
        model.node("com.microsoft.EmbedLayerNormalization", [ids, None, words, places, None, scale, shift, None, positions],
                   [normalize(moved, 0.1, scale, shift), integers([0, 0])], epsilon=0.1)
        self.check(model)

    def test_attention_with_its_projection(self):
        model, x, weights, bias = Model(), floats(BATCH, STEPS, 6), floats(6, 3 * SIZE), floats(3 * SIZE)
        projected = table((BATCH, STEPS, 3 * SIZE), lambda b, t, c: bias[c] + sum(x[b, t, i] * weights[i, c] for i in range(6)))
        q, k, v = (split(projected, HEADS, part * SIZE, WIDTH) for part in range(3))
        hidden = lambda sees, by=-10000.0: lambda b, h, i, j: 0.0 if sees(b, i, j) else by  # noqa: E731
        node = lambda operands, expected, **attributes: model.node(  # noqa: E731
            "com.microsoft.Attention", [x, weights, bias, *operands], expected, num_heads=HEADS, **attributes)

        node([], [attend(q, k, v)])
        node([], [attend(q, k, v, causal(), scale=0.2)], unidirectional=1, scale=0.2)
        lengths, spans = integers([2, 3]), integers([3, 2, 1, 0])
        node([lengths], [attend(q, k, v, hidden(lambda b, i, j: j < lengths[b]))])
        node([spans], [attend(q, k, v, hidden(lambda b, i, j: spans[BATCH + b] <= j < spans[b]))])
        flags, pairs = integers([1, 0, 1, 0, 0, 0], (BATCH, STEPS)), integers([draw.randrange(2) for _ in range(18)], (BATCH, STEPS, STEPS))
        # Where all keys are hidden they are seen alike.
        node([flags], [attend(q, k, v, hidden(lambda b, i, j: flags[b, j], -8.0))], mask_filter_value=-8.0)
        node([pairs], [attend(q, k, v, hidden(lambda b, i, j: pairs[b, i, j], -8.0))], mask_filter_value=-8.0)
        bias4d = floats(1, HEADS, STEPS, STEPS)
        node([None, None, bias4d], [attend(q, k, v, lambda b, h, i, j: bias4d[b, h, i, j])])

        past = floats(2, BATCH, HEADS, 2, WIDTH)
        keys, values = (join(table(past.dims[1:], lambda *index, part=part: past[(part, *index)]), new) for part, new in enumerate((k, v)))
        present = table((2, BATCH, HEADS, 2 + STEPS, WIDTH), lambda part, *index: (keys, values)[part][index])
        node([None, past], [attend(q, keys, values, causal(past=2)), present], unidirectional=1)
        self.check(model)

    def test_attention_of_many_heads(self):
        model, keys = Model(), 5
        q, k, v, bias = floats(BATCH, STEPS, SIZE), floats(BATCH, keys, SIZE), floats(BATCH, keys, SIZE), floats(3 * SIZE)
        heads = split(q, HEADS), split(k, HEADS), split(v, HEADS)
        biased = [split(table(x.dims, lambda b, t, c, x=x, part=part: x[b, t, c] + bias[part * SIZE + c]), HEADS)
                  for part, x in enumerate((q, k, v))]
        node = lambda operands, expected, **attributes: model.node(  # noqa: E731
            "com.microsoft.MultiHeadAttention", operands, expected, num_heads=HEADS, **attributes)

        node([q, k, v], [attend(*heads), heads[1], heads[2]])
        node([q, k, v, bias], [attend(*biased)])
        flags, lengths, more = integers([1, 1, 0, 1, 0, 0, 1, 1, 1, 1], (BATCH, keys)), integers([2, 5]), floats(BATCH, 1, STEPS, keys)
        node([q, k, v, None, flags, more],
             [attend(*heads, lambda b, h, i, j: more[b, h, i, j] + (0 if flags[b, j] else -10000))])
        node([q, k, v, None, lengths], [attend(*heads, lambda b, h, i, j: 0 if j < lengths[b] else -10000)])
        # Keys and values that were projected before.
        node([q, heads[1], heads[2]], [attend(*heads)])

        k, v, past_k, past_v = floats(BATCH, STEPS, SIZE), floats(BATCH, STEPS, SIZE), floats(BATCH, HEADS, 2, WIDTH), floats(BATCH, HEADS, 2, WIDTH)
        all_k, all_v = join(past_k, split(k, HEADS)), join(past_v, split(v, HEADS))
        node([q, k, v, None, None, None, past_k, past_v], [attend(heads[0], all_k, all_v, causal(past=2)), all_k, all_v], unidirectional=1)
        self.check(model)

    def test_packed_operands(self):
        model, qkv, kv = Model(), floats(BATCH, STEPS, HEADS, 3, WIDTH), floats(BATCH, 5, HEADS, 2, WIDTH)
        part = lambda x, which: table((BATCH, HEADS, x.dims[1], WIDTH), lambda b, h, t, c: x[b, t, h, which, c])  # noqa: E731
        q = floats(BATCH, STEPS, SIZE)
        model.node("com.microsoft.MultiHeadAttention", [qkv], [attend(*(part(qkv, which) for which in range(3)))], num_heads=HEADS)
        model.node("com.microsoft.MultiHeadAttention", [q, kv], [attend(split(q, HEADS), part(kv, 0), part(kv, 1))], num_heads=HEADS)
        self.check(model, known_to_ort=False)

    def test_attention_of_heads_in_groups(self):
        model, kv_heads = Model(), 2
        q, k, v = floats(BATCH, STEPS, SIZE), floats(BATCH, STEPS, kv_heads * WIDTH), floats(BATCH, STEPS, kv_heads * WIDTH)
        heads = split(q, HEADS), split(k, kv_heads), split(v, kv_heads)
        cosines, sines, last, length = floats(9, WIDTH // 2), floats(9, WIDTH // 2), integers([STEPS - 1] * BATCH), integers([STEPS])
        node = lambda operands, expected, **attributes: model.node(  # noqa: E731
            "com.microsoft.GroupQueryAttention", operands, expected, num_heads=HEADS, kv_num_heads=kv_heads, **attributes)

        node([q, k, v, None, None, last, length], [attend(*heads, causal()), heads[1], heads[2]])
        node([q, k, v, None, None, last, length], [attend(*heads, causal(window=2), scale=0.3, softcap=1.5)],
             local_window_size=2, scale=0.3, softcap=1.5)
        for interleaved in (0, 1):
            turned = [rotate(x, cosines, sines, lambda b, t: t, interleaved) for x in heads[:2]]
            node([q, k, v, None, None, last, length, cosines, sines], [attend(*turned, heads[2], causal()), turned[1], heads[2]],
                 do_rotary=1, rotary_interleaved=interleaved)
        # A score of one more key, whose value is zero.
        sink, more = floats(HEADS), floats(1, 1, STEPS, STEPS)
        node([q, k, v, None, None, last, length, None, None, None, more, sink],
             [attend(*heads, lambda b, h, i, j: causal()(b, h, i, j) + more[b, h, i, j], sink=sink)])

        packed = table((BATCH, STEPS, SIZE + 2 * kv_heads * WIDTH), lambda b, t, c: (
            q[b, t, c] if c < SIZE else k[b, t, c - SIZE] if c < SIZE + kv_heads * WIDTH else v[b, t, c - SIZE - kv_heads * WIDTH]))
        node([packed, None, None, None, None, last, length], [attend(*heads, causal())])
        self.check(model)

    def test_the_standards_windows(self):
        # Of the standard's own operator: what no backend test has.
        model, q, k, v = Model(), floats(BATCH, HEADS, 4, WIDTH), floats(BATCH, 2, 6, WIDTH), floats(BATCH, 2, 6, WIDTH)
        model.graph.opset = 25
        merged = lambda y: table((BATCH, HEADS, 4, WIDTH), lambda b, h, t, c: y[b, t, h * WIDTH + c])  # noqa: E731
        within = lambda left, right: lambda b, h, i, j: 0.0 if i - left <= j <= i + right else -math.inf  # noqa: E731
        model.node("Attention", [q, k, v], [merged(attend(q, k, v, within(2, 1)))], left_window_size=2, right_window_size=1)
        model.node("Attention", [q, k, v], [merged(attend(q, k, v, within(1, 0)))], left_window_size=1, right_window_size=3, is_causal=1)
        # How many keys there are of each of the batch; the first query of the second sees none, and gives zeros.
        lengths = integers([6, 3], element_type=INT64)
        sees = lambda b, h, i, j: 0.0 if j <= i + lengths[b] - 4 and j < lengths[b] else -math.inf  # noqa: E731
        whole = attend(q, k, v, lambda b, h, i, j: sees(b, h, i, j) if (b, i) != (1, 0) else 0.0)
        zeroed = table(whole.dims, lambda b, t, c: 0.0 if (b, t) == (1, 0) else whole[b, t, c])
        model.node("Attention", [q, k, v, None, None, None, lengths], [merged(zeroed)], is_causal=1)
        self.check(model, known_to_ort=False)

    def test_a_decoders_next_step(self):
        model, kv_heads, past = Model(), 2, 4
        q, k, v = floats(1, 1, SIZE), floats(1, 1, kv_heads * WIDTH), floats(1, 1, kv_heads * WIDTH)
        past_k, past_v = floats(1, kv_heads, past, WIDTH), floats(1, kv_heads, past, WIDTH)
        cosines, sines = floats(9, WIDTH // 2), floats(9, WIDTH // 2)
        turned = [rotate(split(x, n), cosines, sines, lambda b, t: past) for x, n in ((q, HEADS), (k, kv_heads))]
        keys, values = join(past_k, turned[1]), join(past_v, split(v, kv_heads))
        # How long all is together decides shapes, so it is a constant.
        model.graph.initializers.append(_tensor("length", INT32, [1], struct.pack("<i", past + 1)))
        model.node("com.microsoft.GroupQueryAttention", [q, k, v, past_k, past_v, integers([past]), "length", cosines, sines],
                   [attend(turned[0], keys, values), keys, values], num_heads=HEADS, kv_num_heads=kv_heads, do_rotary=1)
        self.check(model)

    def test_rotary_embeddings(self):
        model, heads = Model(), floats(BATCH, HEADS, STEPS, WIDTH)
        cosines, sines, positions = floats(9, WIDTH // 2), floats(9, WIDTH // 2), integers([5, 0, 2, 1, 1, 8], (BATCH, STEPS), INT64)
        flat = table((BATCH, STEPS, SIZE), lambda b, t, c: heads[b, c // WIDTH, t, c % WIDTH])
        flatten = lambda x: table(flat.dims, lambda b, t, c: x[b, c // WIDTH, t, c % WIDTH])  # noqa: E731
        given = lambda b, t: positions[b, t]  # noqa: E731
        model.node("com.microsoft.RotaryEmbedding", [heads, positions, cosines, sines], [rotate(heads, cosines, sines, given)])
        model.node("com.microsoft.RotaryEmbedding", [flat, integers([2], element_type=INT64), cosines, sines],
                   [flatten(rotate(heads, cosines, sines, lambda b, t: 2 + t, True))], interleaved=1)
        # Only the first numbers of a head are turned.
        short_cosines, short_sines = floats(9, 4), floats(9, 4)
        model.node("com.microsoft.RotaryEmbedding", [flat, positions, short_cosines, short_sines],
                   [flatten(rotate(heads, short_cosines, short_sines, given))], num_heads=HEADS, rotary_embedding_dim=8)
        self.check(model)


def find_ort():
    """libonnxruntime of npm's onnxruntime-node, or nothing."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), "none")
    folder = os.environ.get("BENCH_MODELS", os.path.expanduser("~/bench-models"))
    found = [os.environ.get(f"ORT_{machine.upper()}")] + glob.glob(os.path.join(
        folder, "ort", "node_modules", "onnxruntime-node", "bin", "napi-v*", "linux", machine, "libonnxruntime.so.1"))
    return next((path for path in found if path and os.path.exists(path)), None)


class FormulaTest(Families, nacre.NacreTest):
    def save(self, model):
        """The files of the model's inputs, in their order."""
        self.onnx = self.path("model.onnx")
        model.graph.save(self.onnx)
        paths = [self.path(f"input_{index}.npy") for index in range(len(model.inputs))]
        for path, tensor in zip(paths, model.inputs.values()):
            tensor.save(path)
        return paths

    def expect(self, model, answers):
        """Our answers are those in the files `answers`, output by output."""
        library = self.path("libmodel.so")
        self.call(os.path.join(nacre.BIN, "nacre-compile"), self.onnx, "-o", library)
        inputs = [f"--input={name}={self.path(f'input_{index}.npy')}" for index, name in enumerate(model.inputs)]
        said = self.run_model(library, "--rtol=1e-4", "--atol=1e-5", *inputs, *(f"--expect={n}={a}" for n, a in zip(model.outputs, answers)))
        self.assertEqual(said.count("agrees"), len(model.outputs), said)

    def check(self, model, known_to_ort=True):
        self.save(model)
        answers = [self.path(f"{name}.npy") for name in model.outputs]
        for path, tensor in zip(answers, model.outputs.values()):
            tensor.save(path)
        self.expect(model, answers)


@unittest.skipUnless(find_ort(), "needs ONNX Runtime: set BENCH_MODELS, ORT_X64 or ORT_ARM64")
class OnnxRuntimeTest(FormulaTest):
    def check(self, model, known_to_ort=True):
        if not known_to_ort:
            self.skipTest("ONNX Runtime has no kernel for it on a CPU")
        self.save(model)
        self.call(os.path.join(nacre.BIN, "ort_run"), "--lib", find_ort(), "--data", self.folder, "--warmup", 1, "--runs", 1,
                  "--dump", self.folder, self.onnx)
        self.expect(model, [self.path(f"output_{index}.npy") for index in range(len(model.outputs))])


if __name__ == "__main__":
    unittest.main()
