#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of com.microsoft that ONNX Runtime's quantizers and optimizers write, against formulas in NumPy.

How:  one model for each family, with a node for each form of its operands; engines.py compares all engines, and the formulas with ONNX
      Runtime where it is found.
"""
import os
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: needs numpy")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cells import bind
from engines import EnginesTest, Model

f32 = np.float32


def ends(element):
    info = np.iinfo(element)
    return info.min, info.max


def quantize(x, scale, zero, element):
    """Halves to even, and what is outside becomes the nearest end."""
    return np.clip(np.rint((x / scale).astype(np.float64)) + zero, *ends(element)).astype(element)


def dequantize(codes, scale, zero):
    return ((codes.astype(np.int64) - zero) * scale).astype(f32)


def quantize_dynamically(x):
    """Steps from the zero point, and the scale: the range of all of x, and 0, in 255 steps."""
    low, high = f32(min(x.min(), 0)), f32(max(x.max(), 0))
    scale = f32((high - low) / f32(255)) if high > low else f32(1)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    return np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.int64) - int(zero), scale


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class ConversionsTest(EnginesTest):
    """QuantizeLinear and DequantizeLinear: those of the standard, which has had 16 bits only since opset 21."""

    parts = 2

    def test_one_scale(self):
        model, random = Model(opset=13), np.random.default_rng(1)
        x = random.uniform(-3, 3, (2, 5, 4)).astype(f32)
        for element, scale, zero in ((np.uint8, .02, 117), (np.int8, .03, -5), (np.uint16, 8e-5, 30111), (np.int16, 1.1e-4, -77)):
            scale, zero = f32(scale), element(zero)
            codes = quantize(x, scale, int(zero), element)
            q, = model.node("com.microsoft.QuantizeLinear", [model.feed(x), scale, zero], codes)
            model.node("com.microsoft.DequantizeLinear", [q, scale, zero], dequantize(codes, scale, int(zero)))
        model.node("com.microsoft.QuantizeLinear", [model.feed(x), f32(.05)], quantize(x, f32(.05), 0, np.uint8))
        self.check(model, ort=False)

    def test_a_scale_for_each_index(self):
        model, random = Model(opset=13), np.random.default_rng(2)
        x = random.uniform(-3, 3, (2, 3, 4)).astype(f32)
        for element in (np.uint8, np.int8, np.uint16, np.int16):
            for axis in (0, 1, -1):
                count, shape = x.shape[axis], [1, 1, 1]
                shape[axis] = count
                scales = random.uniform(.02, .04, count).astype(f32) / (1 if element in (np.uint8, np.int8) else f32(256))
                zeros = random.integers(*ends(element), count).astype(element)
                codes = quantize(x, scales.reshape(shape), zeros.reshape(shape).astype(np.int64), element)
                model.node("com.microsoft.QuantizeLinear", [model.feed(x), scales, zeros], codes, axis=axis)
                model.node("com.microsoft.DequantizeLinear", [model.feed(codes), scales, zeros],
                           dequantize(codes, scales.reshape(shape), zeros.reshape(shape).astype(np.int64)), axis=axis)
        biases, scales = random.integers(-999, 999, (3, 4)).astype(np.int32), random.uniform(.01, .02, 3).astype(f32)
        model.node("com.microsoft.DequantizeLinear", [model.feed(biases), scales], dequantize(biases, scales[:, None], 0), axis=0)
        self.check(model, ort=False)

    def test_a_convolution_of_16_bits(self):
        model, random = Model(opset=13), np.random.default_rng(3)
        x = random.uniform(-1, 1, (1, 3, 6, 5)).astype(f32)
        weights, scales = random.integers(-127, 128, (4, 3, 1, 1)).astype(np.int8), random.uniform(.004, .008, 4).astype(f32)
        x_scale, y_scale, zero = f32(2 / 65535), f32(6 / 65535), np.uint16(32768)
        codes = quantize(x, x_scale, 32768, np.uint16)
        q, = model.node("com.microsoft.QuantizeLinear", [model.feed(x), x_scale, zero])
        real, = model.node("com.microsoft.DequantizeLinear", [q, x_scale, zero])
        w, = model.node("com.microsoft.DequantizeLinear", [weights, scales, np.zeros(4, np.int8)], axis=0)
        y, = model.node("Conv", [real, w])
        sums = np.einsum("nchw,oc->nohw", dequantize(codes, x_scale, 32768).astype(np.float64), weights[:, :, 0, 0] * scales[:, None].astype(np.float64))
        q, = model.node("com.microsoft.QuantizeLinear", [y, y_scale, zero])
        model.node("com.microsoft.DequantizeLinear", [q, y_scale, zero], dequantize(quantize(sums, y_scale, 32768, np.uint16), y_scale, 32768))
        self.check(model, tolerance=1.1 * float(y_scale))  # a tie may be broken the other way


class LstmTest(EnginesTest):
    """DynamicQuantizeLSTM: products of integers; inputs and states are quantized by the range of all rows that have not ended."""

    parts = 2

    steps, batch, inputs, hidden = 5, 3, 4, 6

    def one_direction(self, x, w, r, bias, functions, reverse, lengths, h, c, peepholes, clip, input_forget):
        """`w` and `r` are functions of rows that multiply them."""
        f, g, after = functions
        rows = np.arange(self.batch)
        longest = max(lengths)
        # A row that is read from its end begins with its last step.
        at = np.stack([np.where(t < lengths, lengths - 1 - t if reverse else t, t) for t in range(self.steps)])
        y, last = np.zeros((self.steps, self.batch, self.hidden)), h.copy()
        projected = w(x[at, rows][:longest].reshape(-1, self.inputs)).reshape(longest, self.batch, -1)
        cut = lambda a: np.clip(a, -clip, clip) if clip else a  # noqa: E731
        for t in range(longest):
            z = (projected[t] + r(h.astype(f32)) + bias).reshape(self.batch, 4, self.hidden)
            i = f(cut(z[:, 0] + peepholes[0] * c))
            forget = 1 - i if input_forget else f(cut(z[:, 2] + peepholes[2] * c))
            new = forget * c + i * g(cut(z[:, 3]))
            state = f(cut(z[:, 1] + peepholes[1] * new)) * after(new)
            inside = (t < lengths)[:, None]
            c, last = np.where(inside, new, c), np.where(inside, state, last)
            h = np.where(inside, state, 0)
            y[at[t], rows] = h
        return y, last, c

    def add(self, model, directions=1, direction="forward", element=np.int8, per_column=False, lengths=None, states=False, peepholes=False,
            functions=("Sigmoid", "Tanh", "Tanh"), alphas=(), betas=(), **options):
        random = np.random.default_rng(len(model.graph.nodes) + 21)
        columns = 4 * self.hidden
        x = random.uniform(-1, 1, (self.steps, self.batch, self.inputs)).astype(f32)
        codes = [random.integers(*ends(element), (directions, rows, columns)).astype(element) for rows in (self.inputs, self.hidden)]
        shape = (directions, columns) if per_column else (directions,)
        scales = [random.uniform(.003, .006, shape).astype(f32) for _ in codes]
        zeros = [np.full(shape, 0 if element == np.int8 else 131, element) for _ in codes]
        bias = random.uniform(-.4, .4, (directions, 2 * columns)).astype(f32)
        initial = [random.uniform(-1, 1, (directions, self.batch, self.hidden)).astype(f32) if states else None for _ in range(2)]
        p = random.uniform(-.5, .5, (directions, 3 * self.hidden)).astype(f32) if peepholes else None

        def product(which, d):
            def multiply(rows):
                steps, scale = quantize_dynamically(rows)
                return ((steps @ (codes[which][d].astype(np.int64) - int(zeros[which].flat[0]))).astype(f32) * (scale * scales[which][d])).astype(f32)
            return multiply
        bound = bind(functions, alphas, betas)
        ends_of_rows = np.array([self.steps] * self.batch if lengths is None else lengths)
        found = [self.one_direction(x, product(0, d), product(1, d), bias[d][:columns] + bias[d][columns:], bound[3 * d:3 * d + 3],
                                    direction == "reverse" or d == 1, ends_of_rows,
                                    *(np.zeros((self.batch, self.hidden)) if a is None else a[d] for a in initial),
                                    np.zeros((3, self.hidden)) if p is None else p[d].reshape(3, -1), options.get("clip", 0),
                                    options.get("input_forget", 0)) for d in range(directions)]
        answers = [np.stack(part, axis).astype(f32) for part, axis in zip(zip(*found), (1, 0, 0))]
        parameters = {name: list(map(float, values)) for name, values in (("activation_alpha", alphas), ("activation_beta", betas)) if values}
        model.node("com.microsoft.DynamicQuantizeLSTM", [model.feed(x), codes[0], codes[1], bias,
                                                         None if lengths is None else np.array(lengths, np.int32), *initial, p,
                                                         scales[0], zeros[0], scales[1], zeros[1]],
                   *answers, hidden_size=self.hidden, direction=direction, activations=list(functions), **parameters, **options)

    def test_directions(self):
        model = Model()
        for element in (np.int8, np.uint8):
            self.add(model, element=element)
            self.add(model, direction="reverse", element=element, per_column=True)
            self.add(model, 2, "bidirectional", element=element, functions=("Sigmoid", "Tanh", "Tanh") * 2, states=True)
        self.check(model, tolerance=1e-4)

    def test_options(self):
        model = Model()
        hard = ("HardSigmoid", "Tanh", "Softsign")
        self.add(model, functions=hard, alphas=[.2], betas=[.5], states=True, peepholes=True)
        self.add(model, clip=.6, per_column=True)
        self.add(model, input_forget=1)
        self.add(model, lengths=[4, 2, 1], states=True)
        self.add(model, 2, "bidirectional", functions=hard * 2, lengths=[1, 5, 3])
        self.check(model, tolerance=1e-4)

    def test_what_is_refused(self):
        zeros = {np.float32: lambda *shape: np.zeros(shape, f32), np.int8: lambda *shape: np.zeros(shape, np.int8)}
        x, w, r, ones = zeros[np.float32](2, 1, 3), zeros[np.int8](1, 3, 16), zeros[np.int8](1, 4, 16), np.ones(1, f32)
        zero = np.zeros(1, np.int8)
        for parameters, words in (([ones, zero, ones], "operand 11 ('R_zero_point') is required, but is left out; name it as an input"),
                                  ([ones, zero, np.ones((1, 7), f32), zero], "operand 10 ('R_scale') must have the shape 1x16, one element, or one for each column, of each direction, but is float[1x7]"),
                                  ([ones, np.zeros(1, np.uint8), ones, zero], "operand 9 ('W_zero_point') must have the type of operand 1 ('W')")):
            model = Model()
            model.node("com.microsoft.DynamicQuantizeLSTM", [model.feed(x), w, r, *[None] * 5, *parameters], zeros[np.float32](2, 1, 1, 4))
            self.save(model)
            self.assertIn(words, self.compiled(status=1)[1])


class QAttentionTest(EnginesTest):
    parts = 2

    batch, steps, inputs, heads, width = 2, 3, 5, 2, 4

    def add(self, model, element=np.uint8, per_column=False, zero=True, mask=None, hides=None, past=None, **attributes):
        """`hides`: which keys each query of each row of the batch does not see."""
        random = np.random.default_rng(len(model.graph.nodes) + 31)
        size = self.heads * self.width
        x = random.integers(0, 256, (self.batch, self.steps, self.inputs)).astype(np.uint8)
        w = random.integers(*ends(element), (self.inputs, 3 * size)).astype(element)
        bias, x_scale, x_zero = random.uniform(-.5, .5, 3 * size).astype(f32), f32(.011), np.uint8(121 if zero else 0)
        shape = (3 * size,) if per_column else ()
        w_scale = np.asarray(random.uniform(.005, .01, shape), f32)
        w_zero = np.asarray(random.integers(*ends(element), shape), element) if zero else np.zeros((), element)
        sums = (x.astype(np.int64) - int(x_zero)) @ (w.astype(np.int64) - w_zero)
        projected = sums * np.float64(x_scale) * w_scale + bias
        q, k, v = projected.reshape(self.batch, self.steps, 3, self.heads, self.width).transpose(2, 0, 3, 1, 4)
        if past is not None:
            k, v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(self.width)
        if hides is not None:
            scores = np.where(hides[:, None], scores + attributes.get("mask_filter_value", -10000), scores)
        if attributes.get("unidirectional"):
            keys = k.shape[2]
            behind = np.arange(keys) > np.arange(self.steps)[:, None] + keys - self.steps
            scores = np.where(behind, -np.inf, scores)
        y = (softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(self.batch, self.steps, size)
        answers = [y.astype(f32)] + ([np.stack([k, v]).astype(f32)] if past is not None else [])
        model.node("com.microsoft.QAttention", [model.feed(x), w, bias, x_scale, w_scale, mask, x_zero if zero else None, w_zero if zero else None,
                                                None if past is None else model.feed(past)], *answers, num_heads=self.heads, **attributes)

    def test_weights(self):
        model = Model()
        for element in (np.uint8, np.int8):
            self.add(model, element)
            self.add(model, element, per_column=True)
            self.add(model, element, zero=False)
        self.check(model, tolerance=1e-4)

    def test_masks_and_states(self):
        model = Model()
        flags, lengths = np.array([[1, 1, 0], [1, 0, 1]], np.int32), np.array([2, 3], np.int32)
        rows = lambda seen: np.broadcast_to(~seen[:, None], (self.batch, self.steps, self.steps))  # noqa: E731
        self.add(model, mask=flags, hides=rows(flags.astype(bool)))
        self.add(model, mask=lengths, hides=rows(np.arange(self.steps) < lengths[:, None]))
        self.add(model, unidirectional=1)
        past = np.random.default_rng(5).uniform(-1, 1, (2, self.batch, self.heads, 2, self.width)).astype(f32)
        self.add(model, past=past, unidirectional=1)
        self.check(model, tolerance=1e-4)


class OthersTest(EnginesTest):
    parts = 2

    def test_quantized_embeddings(self):
        random = np.random.default_rng(6)
        ids, segments = np.array([[1, 4, 0], [2, 2, 3]], np.int32), np.array([[0, 1, 1], [0, 0, 1]], np.int32)
        mask = np.array([[1, 1, 0], [1, 0, 1]], np.int32)
        model, width = Model(), 8
        for element in (np.uint8, np.int8):
            codes = [random.integers(*ends(element), shape).astype(element) for shape in ((5, width), (4, width), (2, width), (width,), (width,))]
            scales, zeros = random.uniform(.004, .01, 5).astype(f32), random.integers(*ends(element), 5).astype(element)
            words, places, kinds, gamma, beta = (dequantize(c, s, int(z)).astype(np.float64) for c, s, z in zip(codes, scales, zeros))

            def normalized(x, gamma=gamma, beta=beta):
                mean = x.mean(-1, keepdims=True)
                return ((x - mean) / np.sqrt(((x - mean)**2).mean(-1, keepdims=True) + 1e-6) * gamma + beta).astype(f32)
            plain = words[ids] + places[None, :3]
            first = [codes[0], codes[1], codes[2], codes[3], codes[4]]
            model.node("com.microsoft.QEmbedLayerNormalization",
                       [model.feed(ids), model.feed(segments), *first, model.feed(mask), *scales, *zeros],
                       normalized(plain + kinds[segments]), np.array([2, 2], np.int32), epsilon=1e-6)
            first[2] = None
            model.node("com.microsoft.QEmbedLayerNormalization",
                       [model.feed(ids), None, *first, None, scales[0], scales[1], None, *scales[3:], zeros[0], zeros[1], None, *zeros[3:]],
                       normalized(plain), np.zeros(2, np.int32), epsilon=1e-6)
        self.check(model, tolerance=1e-4)

    def test_where(self):
        model, random = Model(), np.random.default_rng(7)
        condition = random.integers(0, 2, (2, 3, 4)).astype(bool)
        for element in (np.uint8, np.int8):
            x, y = random.integers(*ends(element), (2, 3, 4)).astype(element), random.integers(*ends(element), (3, 1)).astype(element)
            same, other = (f32(.02), element(9)), (f32(.031), element(-7 if element == np.int8 else 133))
            moved = quantize(dequantize(y, *other).astype(np.float64), same[0], int(same[1]), element)
            model.node("com.microsoft.QLinearWhere", [model.feed(condition), model.feed(x), *same, model.feed(y), *other, *same],
                       np.where(condition, x, moved))
        self.check(model)

    def test_groups(self):
        model, random = Model(), np.random.default_rng(8)
        x, gamma, beta = (random.uniform(-2, 2, shape).astype(f32) for shape in ((2, 3, 4, 8), (8,), (8,)))
        skip, few, bias = (random.uniform(-1, 1, shape).astype(f32) for shape in ((2, 3, 4, 8), (2, 8), (8,)))

        def normalized(x, groups, silu, epsilon=1e-5):
            x = x.astype(np.float64).reshape(2, 12, groups, 8 // groups)
            mean = x.mean((1, 3), keepdims=True)
            y = ((x - mean) / np.sqrt(((x - mean)**2).mean((1, 3), keepdims=True) + epsilon)).reshape(2, 3, 4, 8) * gamma + beta
            return (y / (1 + np.exp(-y)) if silu else y).astype(f32)
        first = lambda a: np.ascontiguousarray(a.transpose(0, 3, 1, 2))  # noqa: E731
        fed = model.feed(x)
        model.node("com.microsoft.GroupNorm", [fed, gamma, beta], normalized(x, 4, False), groups=4, activation=0)
        model.node("com.microsoft.GroupNorm", [fed, gamma, beta], normalized(x, 2, True, .1), groups=2, activation=1, epsilon=.1)
        model.node("com.microsoft.GroupNorm", [model.feed(first(x)), gamma, beta], first(normalized(x, 8, True)), groups=8, activation=1, channels_last=0)
        summed = x + skip + bias
        model.node("com.microsoft.SkipGroupNorm", [fed, gamma, beta, model.feed(skip), bias], normalized(summed, 4, True), summed, groups=4, activation=1)
        summed = x + few[:, None, None]
        model.node("com.microsoft.SkipGroupNorm", [fed, gamma, beta, model.feed(few)], normalized(summed, 1, False), groups=1, activation=0)
        model.node("com.microsoft.SkipGroupNorm", [model.feed(first(x)), gamma, beta, model.feed(first(few[:, None, None]))],
                   first(normalized(summed, 2, False)), groups=2, activation=0, channels_last=0)
        self.check(model, ort=False)  # which has it on GPUs only

    def test_what_is_refused(self):
        x, gamma = np.zeros((1, 2, 2, 6), f32), np.ones(6, f32)
        for attributes, words in (({"groups": 4, "activation": 0}, "attribute 'groups' must divide the 6 channels of operand 0 ('X'), but is 4"),
                                  ({"groups": 2, "activation": 2}, "attribute 'activation' must be 0 (none) or 1 (SiLU), but is 2")):
            model = Model()
            model.node("com.microsoft.GroupNorm", [model.feed(x), gamma, gamma], x, **attributes)
            self.save(model)
            self.assertIn(words, self.compiled(status=1)[1])


if __name__ == "__main__":
    unittest.main()
